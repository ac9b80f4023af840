// How a match ended: the result in a sentence, the order of the seats, and the way to the replay.

import { element } from "./dom.js";
import { sentence } from "./seat_words.js";
import { seatName } from "./seats.js";

// Return the panel of a match that is over, or null. `next` is given while the next match waits for the reader.
export function resultPanel(match, next, connected) {
  const { result, fault } = match;
  if (!result) return null;
  return element("section", { class: "panel verdict", "aria-label": "The result" },
    element("p", { class: "sentence" }, result.verdict),
    result.reason ? element("p", { class: "soft" }, sentence(result.reason)) : null,
    fault ? element("p", {}, `Your fault: ${fault.meaning} (${fault.code}). ${sentence(fault.why)}`) : null,
    result.rows.length ? ranking(match) : null,
    element("p", { class: "buttons" }, replayLink(match), next ? nextButtons(next) : null),
    next ? null : element("p", { class: "soft" }, whatFollows(connected)));
}

function replayLink({ match, seat }) {
  const href = `match.html#match=${encodeURIComponent(match)}&as=${seat}`;
  return element("a", { class: "plain-button", href, target: "_blank", rel: "noopener" }, "Look at the replay");
}

function nextButtons({ seconds, onNext, onStay }) {
  const counts = seconds !== null;
  return [
    element("button", { type: "button", class: "primary", onclick: onNext }, counts ? `Next match (${seconds})` : "Next match"),
    counts ? element("button", { type: "button", class: "plain-button", onclick: onStay }, "Stay here") : null,
  ];
}

function whatFollows(connected) {
  return connected ? "If there is another match for you, it begins by itself." : "There is no further match for you now.";
}

function ranking({ result, names, seat: own }) {
  const faults = result.rows.some(each => each.fault);
  const heads = ["Place", "Seat", "Score", ...(faults ? ["Fault"] : [])];
  const head = name => element("th", { scope: "col", class: name === "Score" ? "number" : null }, name);
  const row = ({ seat, rank, score, fault }) => element("tr", { class: seat === own ? "own" : null },
    element("td", {}, rank),
    element("td", {}, seatName(seat, names[seat]), seat === own ? " (you)" : ""),
    element("td", { class: "number" }, score),
    faults ? element("td", {}, fault) : null);
  return element("table", {},
    element("thead", {}, element("tr", {}, heads.map(head))), element("tbody", {}, result.rows.map(row)));
}
