// Results of matches as elements: the same in the list of matches and in the page of a pair.

import { element } from "./dom.js";
import { WITHHELD, botAddress, playerAddress, whyAddress } from "./matches_data.js";

// The bots of a match by rank, each with its score and its fault.
export function resultOf(match) {
  const order = [...match.seats].sort((a, b) => a.rank - b.rank);
  return order.flatMap((seat, at) => [at ? " " : null, element("span", { class: "placed" },
    `${seat.rank}. `, element("a", { href: botAddress(seat) }, element("bdi", {}, seat.bot)), ` ${seat.score}`,
    seat.fault ? [" ", element("span", { class: "fault" }, seat.fault)] : null)]);
}

// Links to the replay and to the reasons of faults, or why there are none.
export function linksOf(match) {
  if (match.shown === WITHHELD) return element("span", { class: "self", title: "Its deal is still to be played" }, "withheld");
  return [
    match.shown ? element("a", { href: playerAddress(match), "aria-label": `Replay of ${match.id}` }, "replay") : null,
    match.shown && match.hasFault ? " " : null,
    match.hasFault ? element("a", { href: whyAddress(match), "aria-label": `Why: ${match.id}` }, "why") : null,
  ];
}

// A table with a caption and heads, like those that the referee writes. `heads` are pairs of text and class.
export function table(caption, heads, rows) {
  return element("div", { class: "scroll cards", tabindex: "0", role: "region", "aria-label": caption },
    element("table", {}, element("caption", {}, caption),
      element("thead", {}, element("tr", {}, heads.map(([head, style]) => element("th", { scope: "col", class: style || null }, head)))),
      element("tbody", {}, rows)));
}

// Buttons to leaf through pages of a list.
export function pager(page, pages, go) {
  if (pages < 2) return null;
  const step = (text, to, off) => element("button", { type: "button", class: "plain-button", disabled: off, onclick: () => go(to) }, text);
  return element("nav", { class: "pager", "aria-label": "Pages of the list" },
    step("« First", 0, page === 0), step("‹ Back", page - 1, page === 0),
    element("span", {}, `Page ${page + 1} of ${pages}`),
    step("Next ›", page + 1, page === pages - 1), step("Last »", pages - 1, page === pages - 1));
}
