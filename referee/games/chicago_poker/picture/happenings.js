// What happened in the last step.

import { circle, g, rect, round, seatMark } from "./scene.js";
import { capital, howMany } from "./wording.js";
import { front } from "./cards.js";
import { placeOf, rowMiddle } from "./layout.js";
import { rowOf, rowSpot, whole } from "./reading.js";
import { shootout, shootouts, standoff } from "./shootouts.js";
import { arrow, chip, icon } from "./signs.js";
import { FULL_ROW, cardWords } from "./terms.js";

export function happenings(view, names, layout, events) {
  const all = events.map(whole);
  const of = name => all.filter(({ event }) => event === name);
  return g({ class: "cp-overlay" },
    of("liquidated").map(event => liquidation(event, view, layout)),
    of("raided").map(event => raid(event, view, layout)),
    of("limo_played").map(event => ride(event, layout)),
    layout.narrow ? null : all.filter(({ event }) => event === "drawn" || event === "bribed").map(event => taken(event, layout)),
    of("reshuffled").map(() => chip(layout.supply.deck.x, layout.supply.deck.y, "shuffled", "event", 11)),
    view.fight ? standoff(view, layout) : null,
    shootouts(all).map(fight => shootout(fight, view, layout)));
}

// What each seat did that is seen nowhere else, in a word or two.
export function deeds(events) {
  const found = {};
  for (const { event, seat } of events) {
    const words = { passed: "pass", drawn: "draw", bribed: "bribe", revolver_played: "RV +2" }[event];
    if (words) found[seat] = words;
  }
  return found;
}

// The place of a card that was shot, behind the row as it is now.
function liquidation({ slot, target, card }, view, layout) {
  if (!layout.blocks[slot - 1]?.lanes[target]) return null;
  const place = Math.min(rowOf(view, slot - 1, target).length, FULL_ROW - 1);
  const { at: [x, y] } = placeOf(layout, slot - 1, target, place);
  const { w, h } = layout.card;
  return g({ tip: `${capital(cardWords(String(card)))} was removed from here by a Liquidation.` },
    g({ transform: `translate(${x} ${y})`, class: "cp-gone" }, card && card !== "?" ? front(card, { w, h }) : null),
    icon("LQ", x, y, Math.min(w, 44), { class: "cp-icon cp-hot" }));
}

function raid({ seat, slot, target, cards }, view, layout) {
  if (!layout.blocks[slot - 1]?.lanes[target]) return null;
  const { x, y, w, h } = layout.blocks[slot - 1].lanes[target];
  const found = Object.entries(cards ?? {}).filter(([place]) => place >= 1 && place <= FULL_ROW);
  return g({ tip: "A Police Raid: the raider has seen the face-down cards of this row." },
    rect(x + 2, y + 1.5, w - 4, h - 3, { rx: 6, class: "cp-raided" }),
    found.map(([place, card]) => {
      const { at, turn } = placeOf(layout, slot - 1, target, place - 1);
      const { w: cw, h: ch } = layout.card;
      const tip = `${capital(cardWords(card))}: the raid showed it to the raider alone.`;
      return g({ transform: `translate(${at[0]} ${at[1]}) rotate(${round(turn)})`, spot: rowSpot(view, slot - 1, target), tip },
        front(card, layout.card, true),
        rect(round(-cw / 2 - 1), round(-ch / 2 - 1), round(cw + 2), round(ch + 2), { rx: 4, class: "cp-secret" }));
    }),
    circle(x + w - 13, y + 6, 11, { class: "cp-badge" }), icon("PR", x + w - 13, y + 6, 17), seatMark(seat, x + w - 33, y + 5, 8));
}

function ride({ seat, from, to, put = [] }, layout) {
  if (!layout.blocks[from - 1] || !layout.blocks[to - 1]) return null;
  const [start, end] = [rowMiddle(layout, from - 1, seat), rowMiddle(layout, to - 1, seat)];
  const upright = Math.abs(start[0] - end[0]) < 10;
  const middle = upright ? [start[0] + 40, (start[1] + end[1]) / 2] : [(start[0] + end[0]) / 2, (start[1] + end[1]) / 2 - 14];
  const bend = upright ? (end[1] > start[1] ? 80 : -80) : end[0] > start[0] ? 28 : -28;
  return g({ tip: `A Limousine takes ${howMany(put.length, "card")} from business ${from} to business ${to}.` },
    arrow(start, end, bend), circle(middle[0], middle[1], 15, { class: "cp-badge" }), icon("LM", middle[0], middle[1], 22));
}

// A line from the deck, or from the discard, to the hand of the seat.
function taken({ event, seat, card }, layout) {
  if (!layout.plates[seat] || (event === "bribed" && card == null)) return null;
  const { deck } = layout.supply;
  const { discard } = layout;
  const from = event === "drawn" ? [deck.x, deck.y - deck.h / 2] : [discard.x + 12, discard.y + 4];
  const box = layout.hands[seat];
  const plate = layout.plates[seat];
  if (!box) return arrow(from, [plate.x + 100, plate.y + plate.h / 2 + 12]);
  return arrow(from, [box.x + (box.single ? 50 : 15), box.y + box.h / 2 + (box.single ? 26 : 14)]);
}
