// Where everything is: on a desk beside the city, on a phone below it.

import { wrapped } from "./lettering.js";
import { SIDE, cellNumber } from "./terms.js";

// Few seats leave more room beside the city: heights of cards, and sizes of tiles in reserves, open, and in piles.
const PANELS = {
  2: { card: 132, slot: 52, open: 72, pile: 56, air: 22 },
  3: { card: 114, slot: 46, open: 66, pile: 52, air: 19 },
  4: { card: 100, slot: 37, open: 58, pile: 46, air: 10 },
};

// How much higher each tile of a pile lies than the one below it.
const THICKNESS = 1;

const WIDE = {
  width: 984, head: [10, 8], headWidth: 628, grid: [34, 84], cell: 88, tile: 74, plateRow: [66, 42], plateColumn: [74, 34], gap: 10,
  strip: [10, 34], panel: [662, 314], columns: 1, kind: 24,
};
const NARROW = {
  width: 384, head: [6, 4], headWidth: 374, grid: [18, 88], cell: 52, tile: 45, plateRow: [42, 32], plateColumn: [48, 28], gap: 6,
  strip: [5, 28], panel: [5, 374], columns: 2, card: 94, slot: 29, open: 52, pile: 42, kind: 22, air: 4,
};

// Where everything is: first the sizes, then the city with its plates, then one below the other what is beside it or, on a phone,
// below it.
export function places(view, narrow) {
  const at = sizes(view, narrow);
  at.side = SIDE * at.cell;
  at.columnPlatesY = at.grid[1] + at.side + at.gap;
  at.stripY = at.columnPlatesY + at.plateColumn[1] + (narrow ? 6 : 10);
  const bottom = stack(view, at, narrow ? at.stripY + at.strip[1] + 8 : 8);
  at.height = Math.max(bottom, at.stripY + at.strip[1]) + 8;
  return at;
}

function sizes(view, narrow) {
  const at = narrow ? { ...NARROW } : { ...WIDE, ...PANELS[view.scores.length] ?? PANELS[4] };
  // Three piles and more take room from the common tiles.
  if (view.piles.length > 2) at.open = Math.min(at.open, 56);
  at.pile = Math.min(at.pile, Math.floor((at.panel[1] - 2 * (at.open + 8) - 16) / Math.max(1, view.piles.length)) - 6);
  return at;
}

// Give the cards of the seats their places, and all that follows below them; return where it ends.
function stack(view, at, top) {
  const [x, width] = at.panel;
  const cardWidth = (width - 6 * (at.columns - 1)) / at.columns;
  at.cards = view.scores.map((_, seat) => ({
    x: x + (seat % at.columns) * (cardWidth + 6), y: top + Math.floor(seat / at.columns) * (at.card + 7), width: cardWidth, height: at.card,
  }));
  let y = top + Math.ceil(view.scores.length / at.columns) * (at.card + 7);
  const next = (height, wanted = true) => {
    const place = { x, y, width };
    if (wanted) y += height + at.air;
    return wanted ? place : null;
  };
  // On a phone three cards leave a place for the neutral gangs.
  const isStacked = at.columns === 2 && view.scores.length === 3;
  const gap = { x: x + cardWidth + 16, y: y - at.card, width: cardWidth, isStacked };
  at.neutral = isStacked ? gap : next(26, view.neutral.length > 0);
  at.market = next(18 + marketHeight(view, at) + 22);
  at.unseen = next(62);
  at.order = next(20 + 22 * view.piles.length * rowsOfPile(tallest(view), width), Boolean(view.tiles));
  at.removed = next(44, view.removed.length > 0);
  at.variants = variantLines(view, width);
  at.variantsAt = next(18 + 15 * at.variants.length, at.variants.length > 0);
  return y;
}

export function cellAt(at, name) {
  const number = cellNumber(name);
  return [at.grid[0] + (number % SIDE + 0.5) * at.cell, at.grid[1] + (Math.floor(number / SIDE) + 0.5) * at.cell];
}

// The middle of a place in the reserve of a seat; the fourth is for a tile that it has just drawn.
export function slotAt(at, seat, strength) {
  const card = at.cards[seat];
  return [card.x + 14 + at.slot / 2 + (strength - 1) * (at.slot + (strength > 3 ? 6 : 4)), card.y + card.height - 12 - at.slot / 2];
}

// How many tiles a pile has at first, at most: the layout stays as it is while the piles shrink.
const tallest = view => Math.ceil((36 - 3 * view.scores.length) / Math.max(1, view.piles.length));

const marketHeight = (view, at) => Math.max(at.open, at.pile + THICKNESS * tallest(view)) + 4;
export const marketFloor = (at, view) => at.market.y + 18 + marketHeight(view, at);
export const openAt = (at, view, index) => [at.market.x + at.open / 2 + 2 + index * (at.open + 8), marketFloor(at, view) - at.open / 2];

export function pileAt(at, view, pile, height) {
  const left = at.market.x + 2 * (at.open + 8) + 16;
  const step = Math.min(at.pile + 16, (at.market.x + at.market.width - left) / Math.max(1, view.piles.length));
  return [left + step * (pile - 0.5), marketFloor(at, view) - at.pile / 2 - THICKNESS * Math.max(0, height - 1)];
}

// Rows of the tiles of a pile in order.
export const STEP_IN_ROW = 21;

export const tilesInRow = width => Math.max(1, Math.floor((width - 18) / STEP_IN_ROW));
export const rowsOfPile = (size, width) => Math.max(1, Math.ceil(size / tilesInRow(width)));

const VARIANTS = {
  draw: { commit: "the cell is chosen before a drawn tile is seen" },
  refill: { actor: "the seat chooses the pile that refills the common tiles" },
  move_whose: { own: "only tiles of the own gang move" },
  step: { any: "tiles move any number of free cells" },
  friendly_fire: { no: "no shot at the own gang" },
  tie_below: { cancels: "tied gangs below the winner do not subtract" },
  neutral: { ignored: "neutral gangs do not count" },
  order: { always: "the order of two counts is always chosen" },
  stall: { end: "too many moves in a row end the game", none: "no limit of moves in a row" },
};

// The options that differ from the usual rules, in lines of text.
function variantLines(view, width) {
  const found = Object.entries(VARIANTS).map(([option, words]) => words[view.options[option]]).filter(Boolean);
  return found.length ? wrapped(`Variant: ${found.join("; ")}.`, width - 4, 12) : [];
}
