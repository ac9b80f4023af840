// Where everything lies: boxes, rows and cards, side by side or for a phone.

import { round } from "./scene.js";
import { heldBy, seatsOf, slotsOf } from "./reading.js";
import { COLOURS, FULL_ROW, SPECIALS, VALUES, isSpecial, range } from "./terms.js";

// The seats from top to bottom: in the order of play, with the viewer last, that is nearest to its hand.
function seating(view) {
  const seats = seatsOf(view);
  const first = view.you == null ? 0 : view.you + 1;
  return range(seats).map(n => (first + n) % seats);
}

export function layoutOf(view, narrow) {
  return narrow ? narrowLayout(view) : wideLayout(view);
}

// Side by side: the plates of the seats to the left, each in line with the seat's rows.
function wideLayout(view) {
  const [width, margin, gap, plateWidth] = [1000, 8, 7, 128];
  const order = seating(view);
  const count = Math.max(1, slotsOf(view).length);
  const blockWidth = (width - 2 * margin - plateWidth - gap * count) / count;
  const step = Math.min((blockWidth - 26) / FULL_ROW, 66);
  const card = { w: step - 2.5, h: (step - 2.5) * 1.36, step };
  const lane = card.h + 17;
  const blocks = range(count).map(slot => block(order, {
    x: margin + plateWidth + gap + slot * (blockWidth + gap), y: 68, w: blockWidth, lane, card, band: 62, gutter: 0,
  }));
  const plates = [];
  for (const seat of order) plates[seat] = { x: margin, y: blocks[0].lanes[seat].y + 2, w: plateWidth, h: lane - 4 };
  const { boxes: hands, bottom: y } = handBoxes(view, order, { x: margin, y: 80 + blocks[0].h, w: width - 2 * margin, narrow: false });
  return { narrow: false, width, height: y + 132, header: { x: margin, y: 8, w: width - 2 * margin, h: 40 }, plates, blocks, card, hands,
    supply: wideSupply(margin, y), discard: wideDiscard(margin, y, width), order };
}

const wideSupply = (x, y) => ({
  deck: { x: x + 42, y: y + 51, w: 54, h: 76 }, pile: { x: x + 122, y: y + 51, w: 70, h: 54 },
  pass: { x: x + 168, y: y + 32, w: 86, h: 38 }, chips: { x: x + 182, y: y + 105 },
  label: 111, box: { x, y, w: 262, h: 124 },
});

const wideDiscard = (margin, y, width) =>
  ({ x: margin + 270, y, w: width - 2 * margin - 270, h: 124, cell: [38.4, 19.5], special: 46, left: 26, top: 22, side: true });

// For a phone: one or two businesses beside each other; each row begins with the mark of its seat.
function narrowLayout(view) {
  const [width, margin, gap, gutter] = [380, 4, 6, 19];
  const order = seating(view);
  const count = Math.max(1, slotsOf(view).length);
  const columns = count > 2 ? 2 : 1;
  const top = 60 + Math.ceil(order.length / 2) * 50 + 22;
  const blockWidth = (width - 2 * margin - gap * (columns - 1)) / columns;
  const step = Math.min((blockWidth - gutter - 5) / FULL_ROW, 54);
  const card = { w: step - 2, h: (step - 2) * 1.34, step };
  const lane = card.h + 8;
  const size = lane * order.length + 58;
  const blocks = range(count).map(slot => block(order, {
    x: margin + (slot % columns) * (blockWidth + gap), y: top + Math.floor(slot / columns) * (size + 22), w: blockWidth, lane, card,
    band: 58, gutter,
  }));
  const below = top + Math.ceil(count / columns) * (size + 22) - 6;
  const { boxes: hands, bottom } = handBoxes(view, order, { x: margin, y: below, w: width - 2 * margin, narrow: true });
  const hasGap = count % columns > 0;
  const supply = hasGap ? supplyInGap(margin + blockWidth + gap, blocks[count - 1].y, blockWidth, size)
    : narrowSupply(margin, bottom, width);
  const y = bottom + (hasGap ? 0 : 104);
  const discard = { x: margin, y, w: width - 2 * margin, h: 156, cell: [23, 20], special: 23, left: 22, top: 36, side: false };
  return { narrow: true, width, height: y + 162, header: { x: margin, y: 4, w: width - 2 * margin, h: 50 },
    plates: platesInPairs(order, margin, gap, (width - 2 * margin - gap) / 2), blocks, card, hands, supply, discard, order };
}

function platesInPairs(order, margin, gap, w) {
  const plates = [];
  order.forEach((seat, n) => { plates[seat] = { x: margin + (n % 2) * (w + gap), y: 60 + Math.floor(n / 2) * 50, w, h: 46 }; });
  return plates;
}

const narrowSupply = (x, y, width) => ({
  deck: { x: x + 38, y: y + 37, w: 42, h: 58 }, pile: { x: x + 118, y: y + 37, w: 60, h: 46 },
  pass: { x: x + 270, y: y + 26, w: 92, h: 44 }, chips: { x: x + 174, y: y + 48 },
  label: 87, box: { x, y, w: width - 2 * x, h: 96 },
});

// With three businesses, deck and pile fill the fourth place.
function supplyInGap(x, y, w, h) {
  return {
    deck: { x: x + 46, y: y + 66, w: 54, h: 76 }, pile: { x: x + 130, y: y + 66, w: 70, h: 54 },
    pass: { x: x + 36, y: y + h - 62, w: w - 72, h: 44 }, chips: { x: x + 56, y: y + 160 },
    label: 128, box: { x, y, w, h },
  };
}

// A business: the tile in the middle, half of the seats above and half below it.
function block(order, { x, y, w, lane, card, band, gutter }) {
  const above = Math.ceil(order.length / 2);
  const lanes = [];
  order.forEach((seat, n) => {
    lanes[seat] = { x, y: y + n * lane + (n < above ? 0 : band), w, h: lane, side: n < above ? -1 : 1 };
  });
  const inner = w - gutter - (gutter ? 0 : 14);
  const left = x + gutter + (inner - FULL_ROW * card.step) / 2 + card.step / 2;
  const columns = range(FULL_ROW).map(place => left + place * card.step);
  return { x, y, w, h: lane * order.length + band, gutter, lanes, columns,
    tile: { x: x + 3, y: y + above * lane + 3, w: w - 6, h: band - 6 } };
}

// Boxes for the hands that the view knows: one large one for a seat, one of each seat for the referee, none for the public.
function handBoxes(view, order, { x, y, w, narrow }) {
  const known = order.filter(seat => heldBy(view, seat));
  if (!known.length) return { boxes: [], bottom: y };
  const boxes = [];
  const single = known.length === 1;
  const columns = narrow || single ? 1 : known.length % 3 === 0 || known.length === 5 ? 3 : 2;
  const high = single ? (narrow ? 86 : 112) : narrow ? 52 : 66;
  const cardWidth = single ? (narrow ? 46 : 66) : narrow ? 31 : 41;
  const wide = (w - 8 * (columns - 1)) / columns;
  [...known].sort((a, b) => a - b).forEach((seat, n) => {
    const box = { seat, x: x + (n % columns) * (wide + 8), y: y + Math.floor(n / columns) * (high + 6), w: wide, h: high };
    boxes[seat] = { ...box, single, card: { w: cardWidth, h: cardWidth * 1.36 } };
  });
  return { boxes, bottom: y + Math.ceil(known.length / columns) * (high + 6) + 4 };
}

// The middle of a place in a row, and how far the card there is turned: rows are fans whose owner sits outside.
export function placeOf(layout, slot, seat, place) {
  const box = layout.blocks[slot];
  const { y, h, side } = box.lanes[seat];
  const off = place - (FULL_ROW - 1) / 2;
  const bend = layout.narrow ? 0.3 : 1;
  return { at: [round(box.columns[place]), round(y + h / 2 + side * (off * off - 2) * bend)], turn: layout.narrow ? 0 : side * off * 1.1 };
}

export const rowMiddle = (layout, slot, seat) => {
  const { lanes, columns } = layout.blocks[slot];
  return [columns[2], lanes[seat].y + lanes[seat].h / 2];
};

export function discardPlace(layout, name, nth = 0) {
  const { x, y, left, top, side, special, cell: [w, h] } = layout.discard;
  if (!isSpecial(name)) return [round(x + left + (Number(name.slice(1)) - 0.5) * w), round(y + top + (COLOURS.indexOf(name[0]) + 0.5) * h)];
  const at = Object.keys(SPECIALS).indexOf(name);
  if (side) return [round(x + left + VALUES * w + 12 + (nth + 0.5) * special), round(y + top + (at + 0.5) * h)];
  return [round(x + left + (at * 2 + nth + 0.5) * w), round(y + top + 5.5 * h)];
}
