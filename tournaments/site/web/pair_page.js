// Two bots against each other: every deal that both played, with its rotations side by side.

import { element, fill } from "./dom.js";
import { linksOf, pager, resultOf } from "./match_rows.js";
import { onMatches, playerAddress } from "./matches_data.js";

const A_PAGE = 50;

const place = document.getElementById("pair");
let matches = null;
let page = 0;

onMatches(found => {
  matches = found;
  if (found.trouble) fill(place, element("p", { class: "warn" }, found.trouble));
  else show();
});

// The two bots of the address; the first two of the table if it names none.
function chosen() {
  const named = new URLSearchParams(location.hash.slice(1));
  const [first, second] = matches.bots;
  const a = matches.bots.includes(named.get("a")) ? named.get("a") : first;
  const b = matches.bots.includes(named.get("b")) ? named.get("b") : matches.bots.find(bot => bot !== a) ?? second;
  return [a, b];
}

function choose(a, b) {
  page = 0;
  history.replaceState(null, "", `#${new URLSearchParams({ a, b })}`);
  show();
}

function selection(label, value, onchange) {
  const select = element("select", { onchange: () => onchange(select.value) }, matches.bots.map(bot => element("option", { value: bot }, bot)));
  select.value = value;
  return element("label", {}, element("span", {}, label), select);
}

function show() {
  if (matches.bots.length < 2) {
    fill(place, element("p", {}, "There are not two bots yet."));
    return;
  }
  const [a, b] = chosen();
  const met = [];
  for (let index = 0; index < matches.length; index++) {
    const match = matches.at(index);
    const names = match.seats.map(seat => seat.bot);
    if (names.includes(a) && names.includes(b)) met.push(match);
  }
  const deals = [...Map.groupBy(met, match => match.block).values()].reverse();
  const pages = Math.max(1, Math.ceil(deals.length / A_PAGE));
  page = Math.min(page, pages - 1);
  fill(place,
    element("form", { class: "filters", "aria-label": "The two bots", onsubmit: event => event.preventDefault() },
      selection("Bot", a, value => choose(value, b)), selection("Against", b, value => choose(a, value)),
      element("button", { type: "button", class: "plain-button", onclick: () => choose(b, a) }, "Swap")),
    element("div", { "aria-live": "polite" }, a === b ? element("p", {}, "Choose two different bots.") : [summary(a, b, met, deals.length),
      element("div", { class: "deals" }, deals.slice(page * A_PAGE, (page + 1) * A_PAGE).map(rotations => deal(rotations, a, b))),
      pager(page, pages, to => {
        page = to;
        show();
      })]));
}

// How one bot did against the other: better, equal or worse in each match; unordered seats are not compared.
function outcome(match, a, b) {
  const rank = name => match.seats.find(seat => seat.bot === name).rank;
  const difference = rank(b) - rank(a);
  return difference === 0 && !match.ordered ? null : Math.sign(difference);
}

function summary(a, b, met, deals) {
  if (!met.length) return element("p", {}, "These two have not met.");
  const outcomes = met.map(match => outcome(match, a, b));
  const count = value => outcomes.filter(each => each === value).length;
  const [won, drawn, lost] = [count(1), count(0), count(-1)];
  const compared = won + drawn + lost;
  const percent = compared ? ` (${((100 * (won + drawn / 2)) / compared).toFixed(1)} %)` : "";
  const words = `: ${won} won, ${drawn} drawn, ${lost} lost${percent}, in ${met.length} ${met.length === 1 ? "match" : "matches"} of ` +
    `${deals} ${deals === 1 ? "deal" : "deals"}.`;
  return element("p", { class: "lede" }, element("bdi", {}, a), " against ", element("bdi", {}, b), words);
}

// One deal: its rotations beside each other, and a link that plays two of them in step.
function deal(rotations, a, b) {
  const shown = rotations.filter(match => match.shown === 1);
  const points = rotations.map(match => outcome(match, a, b)).reduce((sum, each) => sum + (each === null ? 0 : (each + 1) / 2), 0);
  return element("article", { class: "deal" },
    element("header", {},
      element("h2", {}, `Deal ${matches.data.block_names[rotations[0].block]}`),
      element("span", { class: "fine" }, `${points} of ${rotations.length} for `, element("bdi", {}, a)),
      shown.length > 1 ? element("a", { href: playerAddress(shown[0], { other: shown[1] }) }, "side by side in the player") : null),
    element("ul", { class: "rotations" }, rotations.map(match => element("li", {},
      element("p", {}, match.seats.map((seat, at) => [at ? " · " : "", `seat ${seat.seat}: `, element("bdi", {}, seat.bot)])),
      element("p", {}, resultOf(match)),
      element("p", { class: "fine" }, match.reason, " · ", linksOf(match))))));
}

addEventListener("hashchange", () => {
  page = 0;
  if (matches && !matches.trouble) show();
});
