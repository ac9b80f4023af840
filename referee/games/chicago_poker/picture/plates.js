// The plates of the seats: name, cards in hand, businesses taken.

import { g, polygon, rect, round, seatMark, text } from "./scene.js";
import { howMany } from "./wording.js";
import { fittedName, nameOf } from "./lettering.js";
import { heldBy } from "./reading.js";
import { chip, icon, tag } from "./signs.js";
import { FULL_ROW, HAND_LIMIT, KINDS, range } from "./terms.js";

// The plate of a seat: who it is, how many cards it holds, what it has won, and whether it is to act.
export function plate(view, seat, names, layout, happened) {
  const { x, y, w, h } = layout.plates[seat];
  const acts = (view.to_act ?? []).includes(seat);
  const lines = layout.narrow ? [y + 15, y + 15, y + 33] : [y + h / 2 - 18, y + h / 2 + 1, y + h / 2 + 19];
  const you = view.you === seat;
  const letters = layout.narrow ? w - 106 : w - (you ? 70 : 36);
  const won = view.won?.[seat] ?? [];
  const look = `cp-plate${acts ? " cp-acts" : ""}${view.ranking?.[seat] === 1 ? " cp-best" : ""}`;
  const turn = view.active === seat && view.phase !== "over";
  const tip = x + w + (layout.narrow ? 3.5 : 7);
  return g({ class: `seat${seat}`, tip: plateTip(view, seat, names) },
    rect(x, y, w, h, { rx: 7, class: look }),
    rect(x, y + 5, 4, h - 10, { rx: 2, class: "cp-seat-bar" }),
    turn ? polygon([[tip - 8, y + h / 2 - 7], [tip, y + h / 2], [tip - 8, y + h / 2 + 7]], { class: "cp-pointer" }) : null,
    seatMark(seat, x + 17, lines[0], 9),
    text(x + 31, lines[0] + 4.5, fittedName(names, seat, letters, 12.5), { class: "cp-strong", "font-size": 12.5 }),
    you ? tag(x + w - 20, layout.narrow ? lines[2] : lines[0], "you") : null,
    heldCount(view, seat, layout.narrow ? x + w - 70 : x + 12, lines[1], layout.narrow),
    won.length ? wonTiles(won, seat, x + 10, lines[2], x + w) : noTiles(view, seat, x + 13, lines[2]),
    rankMark(view, seat, x + w - (layout.narrow && you ? 42 : 8), (layout.narrow ? lines[2] : lines[1]) + 4.5),
    happened[seat] ? chip(x + w - (layout.narrow ? 64 : 28), layout.narrow ? lines[2] : lines[1], happened[seat], "event", 11) : null);
}

function plateTip(view, seat, names) {
  const won = (view.won?.[seat] ?? []).map(kind => KINDS[kind]?.name);
  const first = view.first === seat ? " It began the game." : "";
  return `${nameOf(names, seat)}${view.you === seat ? " (you)" : ""}: ${howMany(view.hands?.[seat] ?? 0, "card")} in hand, `
    + `${won.length ? `has taken ${won.join(", ")}` : "has taken no business"}.${first}`;
}

// The hand of a seat as a number, with small backs for cards that this viewer does not know.
function heldCount(view, seat, x, y, narrow) {
  const count = view.hands?.[seat];
  if (count == null) return null;
  const known = heldBy(view, seat);
  const step = narrow ? 4 : 6;
  return g({ tip: `${howMany(count, "card")} in hand; at the end of a turn at most ${HAND_LIMIT}.` },
    range(count).map(n => rect(x + n * step, y - 7, 9, 13, { rx: 1.5, class: known ? "cp-mini-known" : "cp-mini-back" })),
    text(x + (count ? (count - 1) * step + 14 : 0), y + 4.5, count, { class: "cp-strong", "font-size": 12.5 }));
}

function noTiles(view, seat, x, y) {
  const begins = view.first === seat && view.turn === 1;
  return text(x, y + 4.5, begins ? "begins the game" : "no business", { class: "cp-soft", "font-size": 11.5 });
}

function wonTiles(won, seat, x, y, right) {
  const step = Math.min(20, (right - x - 22) / Math.max(FULL_ROW, won.length));
  return won.map((kind, n) => g({ key: `won:${seat}:${n}`, at: [round(x + 10 + n * step), y], state: kind,
    tip: `A ${KINDS[kind]?.name} that this seat has taken.` },
    rect(-8.5, -8.5, 17, 17, { rx: 3, class: "cp-won" }), icon(kind, 0, 0, 14)));
}

function rankMark(view, seat, x, y) {
  const rank = view.ranking?.[seat];
  if (rank == null) return null;
  const words = { 1: "1st", 2: "2nd", 3: "3rd" }[rank] ?? `${rank}th`;
  return text(x, y, words, { class: rank === 1 ? "cp-first" : "cp-soft", "font-size": 13, "text-anchor": "end" });
}
