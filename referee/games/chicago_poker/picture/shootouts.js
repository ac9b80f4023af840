// A shootout is a moment: all hands with their names, the best one lit, and which seat takes the tile.

import { g, path, rect, round, seatMark, text } from "./scene.js";
import { capital } from "./wording.js";
import { front } from "./cards.js";
import { placeOf, rowMiddle } from "./layout.js";
import { widthOf } from "./lettering.js";
import { rowOf, rowSpot, seatsOf } from "./reading.js";
import { chip, icon } from "./signs.js";
import { FULL_ROW, bare, cardWords, category, handWords, range } from "./terms.js";

// The shootouts of a step: what their several events say, by slot.
export function shootouts(events) {
  const found = new Map();
  const at = slot => found.get(slot) ?? found.set(slot, { slot, hands: [], categories: [], best: [], sent: {} }).get(slot);
  for (const event of events) {
    const { slot } = event;
    if (event.event === "deadlocked") at(slot).forced = true;
    if (event.event === "shootout_held") Object.assign(at(slot), { hands: event.hands, categories: event.categories, best: event.best });
    if (event.event === "reinforced") Object.assign(at(slot), { sent: event.sent, best: event.best });
    if (event.event === "lot_drawn") Object.assign(at(slot), { lot: true, best: [event.seat] });
    if (event.event === "captured") Object.assign(at(slot), { winner: event.seat, kind: event.kind, best: [event.seat] });
  }
  return [...found.values()];
}

// A shootout: all hands with their names, the best one lit, and who takes the tile.
export function shootout(fight, view, layout) {
  const box = layout.blocks[fight.slot - 1];
  if (!box) return null;
  const seats = range(seatsOf(view)).filter(seat => fight.hands[seat]?.length || fight.sent[seat] !== undefined);
  return g({},
    rect(box.x, box.y, box.w, box.h, { rx: 9, class: "cp-fight" }),
    seats.map(seat => handInFight(fight, seat, view, layout)),
    seats.map(seat => nameInFight(fight, seat, view, layout)),
    ribbon(fight, box, layout.narrow));
}

// The cards of a seat in a shootout. They are in the discard already, so they are drawn once more where they lay.
function handInFight({ slot, hands, best, sent, winner }, seat, view, layout) {
  const { lanes, gutter } = layout.blocks[slot - 1];
  const lane = lanes[seat];
  const lit = best.includes(seat);
  const cleared = !rowOf(view, slot - 1, seat).length;
  const frame = winner === seat && cleared ? "cp-winner" : "cp-tied";
  return g({ class: lit ? "cp-lit-hand" : "cp-lost-hand" },
    cleared ? rect(lane.x + gutter + 2, lane.y + 2, lane.w - gutter - 4, lane.h - 4, { rx: 6, class: "cp-cover" }) : null,
    lit ? rect(lane.x + 2, lane.y + 1.5, lane.w - 4, lane.h - 3, { rx: 6, class: frame }) : null,
    lit && gutter ? seatMark(seat, lane.x + 11, lane.y + lane.h / 2 - 9, 7.5) : null,
    cleared ? pastCards(slot, seat, hands[seat] ?? [], sent[seat], view, layout) : null);
}

function pastCards(slot, seat, cards, reinforcement, view, layout) {
  // The hand's name lies under its cards, so these are a little smaller than they were where there is room for that.
  const size = layout.narrow ? layout.card : { w: layout.card.w * 0.8, h: Math.min(layout.card.h * 0.78, layout.card.h - 11) };
  const rise = layout.narrow ? 1 : 7;
  const past = (card, place, tip) => {
    const { at, turn } = placeOf(layout, slot - 1, seat, place);
    const transform = `translate(${at[0]} ${round(at[1] - rise)}) rotate(${round(turn)})`;
    // A click on it means the row below: it is drawn over places where people play.
    return g({ class: "cp-past", transform, spot: rowSpot(view, slot - 1, seat), tip }, front(card, size));
  };
  return [
    cards.slice(0, FULL_ROW).map((card, place) => past(card, place,
      `${capital(cardWords(card))} was in this shootout and is discarded now.`)),
    reinforcement ? past(reinforcement, 2, `${capital(cardWords(reinforcement))} was sent as a reinforcement and is discarded now.`) : null,
  ];
}

function nameInFight({ slot, categories, best, sent }, seat, view, layout) {
  const lane = layout.blocks[slot - 1].lanes[seat];
  const cleared = !rowOf(view, slot - 1, seat).length;
  const words = sent[seat] === undefined ? handWords(categories[seat]) : `sends ${sent[seat] ?? "none"}`;
  const up = layout.narrow ? 4 : cleared ? 11 : 6;
  return chip(rowMiddle(layout, slot - 1, seat)[0], lane.y + lane.h - up, words, best.includes(seat) ? "lit" : "plain",
    layout.narrow ? 11.5 : 12.5);
}

// What came of it, on the upper edge of the business.
function ribbon({ winner, kind, forced, sent, lot }, box, narrow) {
  const cause = lot ? "By lot" : Object.keys(sent).length ? "Reinforced" : forced ? "Forced shootout" : "Shootout";
  const words = winner == null ? `${cause}:` : cause;
  const length = widthOf(words, 13);
  const width = length + (winner == null ? 52 : 96);
  const left = box.x + box.w / 2 - width / 2;
  const y = box.y - (narrow ? 11 : 7);
  return g({ class: "cp-ribbon" },
    rect(round(left), y - 12, round(width), 24, { rx: 12, class: "cp-ribbon-ground" }),
    text(round(left + 14), y + 4.5, words, { class: "cp-ribbon-text", "font-size": 13 }),
    winner == null
      ? text(round(left + length + 18), y + 4.5, "tie", { class: "cp-ribbon-text", "font-size": 13 })
      : [seatMark(winner, round(left + length + 30), y, 9),
        path(`M${round(left + length + 45)} ${y}h12m-4 -4l4 4l-4 4`, { class: "cp-ribbon-line" }),
        g({ class: "cp-on-ribbon" }, icon(kind, round(left + length + 73), y, 19))]);
}

// While a tie waits for reinforcements, its hands stay named.
export function standoff(view, layout) {
  const { slot, tied = [] } = view.fight;
  if (!layout.blocks[slot - 1]) return null;
  return tied.map(seat => {
    const lane = layout.blocks[slot - 1].lanes[seat];
    const cards = rowOf(view, slot - 1, seat).map(bare);
    const [cx] = rowMiddle(layout, slot - 1, seat);
    const known = cards.length && !cards.includes("?");
    return g({}, rect(lane.x + 2, lane.y + 1.5, lane.w - 4, lane.h - 3, { rx: 6, class: "cp-tied" }),
      known ? chip(cx, lane.y + lane.h - 6, handWords(category(cards)), "lit", layout.narrow ? 11.5 : 12.5) : null);
  });
}
