// The list of all matches, with filters. The filters are in the address, so that a view can be shared.

import { element, fill } from "./dom.js";
import { linksOf, pager, resultOf, table } from "./match_rows.js";
import { onMatches } from "./matches_data.js";
import { reasonText } from "./wording.js";

const A_PAGE = 100;
const HEADS = [["Match", ""], ["Result: rank, bot, score", ""], ["How it ended", ""], ["Actions", "number"], ["Look", ""]];
const FILTERS = ["bot", "opponent", "seat", "fault", "round", "reason", "text"];

const place = document.getElementById("matches");
const form = element("form", { class: "filters", "aria-label": "Filters", onsubmit: event => event.preventDefault() });
const list = element("div", { class: "match-list" });
let matches = null;

onMatches(found => {
  const before = matches?.choices;
  matches = found;
  if (found.trouble) {
    fill(place, element("p", { class: "warn" }, found.trouble));
    return;
  }
  if (!form.isConnected) fill(place, form, list);
  if (found.choices !== before) fillForm();
  show();
});

// What the address asks for; everything is a text.
function wanted() {
  const named = new URLSearchParams(location.hash.slice(1));
  return Object.fromEntries([...FILTERS, "page"].map(name => [name, named.get(name) ?? ""]));
}

function want(filters) {
  const named = new URLSearchParams();
  for (const [name, value] of Object.entries(filters)) if (value) named.set(name, value);
  history.replaceState(null, "", `#${named}`);
  show();
}

function fillForm() {
  const chosen = wanted();
  const choice = (name, label, options) => {
    const select = element("select", { name, onchange: () => change(name, select.value) },
      element("option", { value: "" }, "any"), options.map(([value, text]) => element("option", { value }, text)));
    select.value = chosen[name];
    return element("label", {}, element("span", {}, label), select);
  };
  const same = values => values.map(value => [String(value), String(value)]);
  const typed = () => change("text", text.value);
  const text = element("input", { type: "search", name: "text", placeholder: "part of an id or a name", oninput: typed });
  text.value = chosen.text;
  fill(form,
    choice("bot", "Bot", same(matches.bots)),
    choice("opponent", "Opponent", same(matches.bots)),
    choice("seat", "Seat of the bot", same(Array.from({ length: matches.seats }, (_, seat) => seat))),
    choice("fault", "Fault", [["any", "any fault"], ["none", "no fault"], ...same(matches.codes.slice(1))]),
    matches.rounds.length > 1 ? choice("round", "Round", same(matches.rounds)) : null,
    choice("reason", "How it ended", matches.reasons.map(reason => [reason, reasonText(reason)])),
    element("label", {}, element("span", {}, "Text"), text),
    element("button", { type: "button", class: "plain-button", onclick: clear }, "Clear"));
}

function change(name, value) {
  want({ ...wanted(), [name]: value, page: "" });
}

function clear() {
  want({});
  fillForm();
}

// Whether a match is asked for. Seat and fault are those of the bot, or of any bot if none is chosen.
function fits(match, filters) {
  const own = match.seats.filter(seat => !filters.bot || seat.bot === filters.bot);
  return own.some(seat => filters.seat === "" || String(seat.seat) === filters.seat)
    && (!filters.opponent || match.seats.some(seat => seat.bot === filters.opponent && (own.length > 1 || own[0] !== seat)))
    && fitsFault(match, own, filters.fault)
    && (!filters.round || String(match.round) === filters.round)
    && (!filters.reason || match.reason === filters.reason)
    && (!filters.text || hasText(match, filters.text.toLowerCase()));
}

function fitsFault(match, own, fault) {
  if (fault === "none") return !match.hasFault;
  return !fault || own.some(seat => (fault === "any" ? seat.fault : seat.fault === fault));
}

function hasText(match, sought) {
  return [match.id, ...match.seats.map(seat => seat.bot)].some(text => text.toLowerCase().includes(sought));
}

function show() {
  const filters = wanted();
  const found = [];
  for (let index = matches.length - 1; index >= 0; index--) {
    const match = matches.at(index);
    if (fits(match, filters)) found.push(match);
  }
  const pages = Math.max(1, Math.ceil(found.length / A_PAGE));
  const page = Math.min(pages - 1, Math.max(0, (parseInt(filters.page, 10) || 1) - 1));
  const rows = found.slice(page * A_PAGE, (page + 1) * A_PAGE).map(row);
  const go = to => {
    want({ ...wanted(), page: String(to + 1) });
    list.scrollIntoView();
  };
  fill(list,
    element("p", { class: "fine", role: "status" }, `${found.length} of ${matches.length} matches, the newest first.`),
    rows.length ? table("Matches", heads(), rows) : element("p", {}, "No match fits these filters."),
    pager(page, pages, go));
}

function heads() {
  return matches.rounds.length > 1 ? [HEADS[0], ["Round", "number"], ...HEADS.slice(1)] : HEADS;
}

function row(match) {
  return element("tr", {},
    element("th", { scope: "row", class: "match-id" }, match.id),
    matches.rounds.length > 1 ? element("td", { class: "number", "data-label": "Round" }, match.round) : null,
    element("td", { class: "wide", "data-label": "Result" }, resultOf(match)),
    element("td", { class: "wide", "data-label": "How it ended" }, reasonText(match.reason)),
    element("td", { class: "number", "data-label": "Actions" }, match.actions),
    element("td", { "data-label": "Look" }, linksOf(match)));
}

addEventListener("hashchange", () => {
  if (!matches || matches.trouble) return;
  fillForm();
  show();
});
