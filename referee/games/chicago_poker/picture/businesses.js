// The businesses: their tiles, and the places of the rows.

import { g, rect, round, seatMark, text } from "./scene.js";
import { capital } from "./wording.js";
import { placeOf } from "./layout.js";
import { nameOf } from "./lettering.js";
import { marksOf, rowOf, rowSpot, seatsOf, slotsOf } from "./reading.js";
import { glyph, icon } from "./signs.js";
import { FULL_ROW, KINDS, bare, category, handWords, isDown, kindWords, range } from "./terms.js";

// Beside the tiles: what the small cards on them mean.
export function facingKey(layout) {
  if (layout.narrow || !layout.blocks.length) return null;
  const { x, w } = layout.plates[layout.order[0]] ?? { x: 8, w: 128 };
  const { y } = layout.blocks[0].tile;
  const entry = (facing, words, top) => [glyph(facing, x + 24, top), text(x + 40, top + 4, words, { class: "cp-soft", "font-size": 12 })];
  return g({ tip: "Each business says which places of a row lie face up and which face down." },
    rect(x, y, w, 56, { rx: 7, class: "cp-none" }), entry("U", "face up", y + 16), entry("D", "face down", y + 40));
}

// A business with its tile and the places of all rows.
export function business(view, slot, names, layout) {
  const box = layout.blocks[slot];
  const { kind } = slotsOf(view)[slot];
  const due = view.phase === "order" && marksOf(view, slot).includes(view.active);
  const fought = view.fight?.slot === slot + 1;
  return g({},
    rect(box.x, box.y, box.w, box.h, { rx: 9, class: `cp-business${due || fought ? " cp-due" : ""}` }),
    range(seatsOf(view)).map(seat => row(view, slot, seat, names, layout)),
    kind ? tile(slot, kind, box) : noTile(box));
}

function tile(slot, kind, box) {
  const { x, y, w, h } = box.tile;
  const { name, pattern } = KINDS[kind];
  const words = `Business ${slot + 1} is a ${name}: ${kindWords(kind)}.`;
  const small = box.gutter && w < 200;
  return g({ key: `tile:${slot}`, at: [round(x + w / 2), round(y + h / 2)], state: kind, spot: `business:${slot + 1}`, tip: words },
    rect(-w / 2, -h / 2, w, h, { rx: 6, class: "cp-tile" }),
    text(round(-w / 2 + 8), -h / 2 + 23, slot + 1, { class: "cp-slot", "font-size": small ? 16 : 20 }),
    icon(kind, round(-w / 2 + (small ? 34 : 42)), -h / 2 + 17, small ? 26 : 28),
    text(round(-w / 2 + (small ? 51 : 62)), -h / 2 + 22, capital(name), { class: "cp-strong", "font-size": small ? 13 : 15 }),
    range(FULL_ROW).map(place => glyph(pattern[place], round(box.columns[place] - x - w / 2), h / 2 - 12)));
}

const noTile = box => g({ tip: "There is no business here any more." },
  rect(box.tile.x, box.tile.y, box.tile.w, box.tile.h, { rx: 6, class: "cp-no-tile" }),
  text(box.tile.x + box.tile.w / 2, box.tile.y + box.tile.h / 2 + 5, "no business",
    { class: "cp-soft", "font-size": 13, "text-anchor": "middle" }));

// The row of a seat at a business: the ground, the empty places, and the mark of the seat where it has no plate in line.
function row(view, slot, seat, names, layout) {
  const box = layout.blocks[slot];
  const { x, y, w, h } = box.lanes[seat];
  const { kind } = slotsOf(view)[slot];
  const cards = rowOf(view, slot, seat);
  const acts = (view.to_act ?? []).includes(seat);
  return g({ spot: rowSpot(view, slot, seat), tip: rowTip(view, slot, seat, names) },
    rect(x + 2, y + 1.5, w - 4, h - 3, { rx: 6, class: `cp-row${acts ? " cp-row-acts" : ""}` }),
    box.gutter ? seatMark(seat, x + 11, y + h / 2 - (h > 46 ? 10 : 9), 7.5) : null,
    kind ? range(FULL_ROW - cards.length).map(n => emptyPlace(layout, slot, seat, cards.length + n,
      KINDS[kind].pattern[cards.length + n])) : null);
}

function emptyPlace(layout, slot, seat, place, facing) {
  const { at, turn } = placeOf(layout, slot, seat, place);
  const { w, h } = layout.card;
  return rect(round(-w / 2 + 1), round(-h / 2 + 1), round(w - 2), round(h - 2), {
    rx: round(w * 0.1), class: `cp-place cp-place-${facing}`, transform: `translate(${at[0]} ${at[1]}) rotate(${round(turn)})`,
  });
}

function rowTip(view, slot, seat, names) {
  const cards = rowOf(view, slot, seat);
  const where = `at business ${slot + 1}`;
  if (!cards.length) return `${nameOf(names, seat)} has no card ${where}.`;
  const shown = cards.map(card => (card === "?" ? "a face-down card" : isDown(card) ? `${bare(card)} face down` : card)).join(", ");
  const known = cards.includes("?") ? "" : `; this is ${handWords(category(cards.map(bare)))}`;
  return `${nameOf(names, seat)} ${where}: ${shown}${known}.`;
}
