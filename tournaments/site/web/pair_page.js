// Two bots against each other: every deal that both played, with its rotations side by side.

import { element, fill } from "./dom.js";
import { linksOf, pager, resultOf } from "./match_rows.js";
import { onMatches, playerAddress } from "./matches_data.js";
import { reasonText } from "./wording.js";

const A_PAGE = 50;

const place = document.getElementById("pair");
const form = element("form", { class: "filters", "aria-label": "The two bots", onsubmit: event => event.preventDefault() });
const results = element("div", { "aria-live": "polite" });
let matches = null;
let page = 0;

onMatches(found => {
  const before = matches?.choices;
  matches = found;
  if (found.trouble || found.bots.length < 2) {
    fill(place, element("p", { class: "warn" }, found.trouble ?? "There are not two bots yet."));
    return;
  }
  if (!form.isConnected) fill(place, form, results);
  if (found.choices !== before) fillForm();
  show();
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
  fillForm();
  show();
}

function selection(label, name, value, onchange) {
  const options = matches.bots.map(bot => element("option", { value: bot }, bot));
  const select = element("select", { name, onchange: () => onchange(select.value) }, options);
  select.value = value;
  return element("label", {}, element("span", {}, label), select);
}

function fillForm() {
  const [a, b] = chosen();
  const focus = document.activeElement?.name;
  fill(form,
    selection("Bot", "a", a, value => choose(value, chosen()[1])), selection("Against", "b", b, value => choose(chosen()[0], value)),
    element("button", { type: "button", name: "swap", class: "plain-button", onclick: () => choose(b, a) }, "Swap"));
  if (focus) form.elements[focus]?.focus();
}

function show() {
  const [a, b] = chosen();
  const met = [];
  for (let index = 0; index < matches.length; index++) {
    const match = matches.at(index);
    const names = match.seats.map(seat => seat.bot);
    if (names.includes(a) && names.includes(b)) met.push(match);
  }
  const deals = byDeal(met).reverse();
  const pages = Math.max(1, Math.ceil(deals.length / A_PAGE));
  page = Math.min(page, pages - 1);
  if (a === b) {
    fill(results, element("p", {}, "Choose two different bots."));
    return;
  }
  const go = to => {
    page = to;
    show();
    results.scrollIntoView();
  };
  fill(results, summary(a, b, met, deals.length),
    element("div", { class: "deals" }, deals.slice(page * A_PAGE, (page + 1) * A_PAGE).map(rotations => deal(rotations, a, b))),
    pager(page, pages, go));
}

// The matches of each deal together, in the order in which the deals were first over.
function byDeal(met) {
  const blocks = new Map();
  for (const match of met) {
    if (!blocks.has(match.block)) blocks.set(match.block, []);
    blocks.get(match.block).push(match);
  }
  return [...blocks.values()];
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
      element("p", {}, match.seats.map(seating)),
      element("p", {}, resultOf(match)),
      element("p", { class: "fine" }, reasonText(match.reason), " · ", linksOf(match))))));
}

const seating = seat => [element("span", { class: "placed" }, `seat ${seat.seat}: `, element("bdi", {}, seat.bot)), " "];

addEventListener("hashchange", () => {
  if (!form.isConnected) return;
  page = 0;
  fillForm();
  show();
});
