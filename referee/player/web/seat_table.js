// The seats of a match: time used and bank left at the step that is shown, and at the end the ranking.

import { element, fill } from "./dom.js";
import { EVERYTHING, duration } from "./recording.js";
import { seatName } from "./seats.js";
import { reasonText } from "./wording.js";

export class SeatTable {
  constructor() {
    this.body = element("tbody");
    this.head = element("thead");
    this.reason = element("p", { class: "result-reason" });
    this.element = element("section", { class: "seats", "aria-label": "Seats" },
      element("table", { class: "seat-table" }, this.head, this.body), this.reason);
  }

  show(recording, viewer, at) {
    const { result } = recording.frames;
    const isOver = at === recording.last;
    const clocks = recording.clocks(viewer, at);
    const knowsTimes = clocks.some(Boolean);
    const due = isOver ? [] : recording.toAct(viewer, at);
    const heads = ["Seat", ...(knowsTimes ? ["Used", "Bank"] : []), ...(isOver ? ["Rank", "Score"] : [])];
    fill(this.head, element("tr", {}, heads.map((head, column) => element("th", { scope: "col", class: column ? "number" : null }, head))));
    const order = isOver && !result.void ? ranked(recording) : recording.seats;
    fill(this.body, order.map(seat => element("tr", { class: due.includes(seat) ? "is-due" : null },
      element("th", { scope: "row" }, seatName(seat, recording.names[seat]),
        due.includes(seat) ? element("span", { class: "due", title: "This seat is to act" }, " to act") : null),
      knowsTimes ? clockCells(recording, clocks[seat], seat) : null,
      isOver ? resultCells(result, seat) : null)));
    this.reason.hidden = !isOver;
    this.reason.textContent = isOver ? ending(recording, viewer) : "";
  }
}

function ranked(recording) {
  const { seats } = recording.frames.result;
  return [...recording.seats].sort((a, b) => seats[a].rank - seats[b].rank || a - b);
}

function clockCells(recording, clock, seat) {
  const unknown = () => element("td", { class: "number unknown", title: "This viewer does not see its clock" }, "?");
  if (!clock) return [unknown(), unknown()];
  const whole = recording.frames.banks_us[seat] || 1;
  const bar = element("span", { class: `bank-bar seat${seat}`, "aria-hidden": "true" });
  const rest = element("span", { class: "bank-left" });
  rest.style.width = `${Math.round((100 * clock.bank_us) / whole)}%`;
  bar.append(rest);
  return [element("td", { class: "number" }, duration(clock.used_us)), element("td", { class: "number" }, bar, duration(clock.bank_us))];
}

function resultCells(result, seat) {
  const { rank, score, fault } = result.seats[seat];
  return [element("td", { class: "number" }, result.void ? "–" : rank),
    element("td", { class: "number" }, result.void ? "–" : score,
      fault ? element("span", { class: "result-fault" }, ` ${fault}`) : null)];
}

// How the match ended, in a sentence. Why a match is void may be about a secret, so only the referee reads it.
export function ending(recording, viewer) {
  const { result } = recording.frames;
  const why = viewer === EVERYTHING && result.reason ? ` (${result.reason})` : "";
  if (result.void) return `Void: the match does not count${why}.`;
  const first = result.seats.flatMap((seat, number) => (seat.rank === 1 ? [recording.names[number]] : []));
  const who = first.length === 1 ? `${first[0]} wins` : `${first.join(" and ")} share the first place`;
  return `${who}: ${reasonText(result.reason)}.`;
}
