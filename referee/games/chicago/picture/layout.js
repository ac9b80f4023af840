// Where everything is. The city is drawn in squares: `s` is the side of one square, so that the same code draws it large on a desk
// and small on a phone, where people zoom into it. What has to be read without zoom is in the strip: a column beside the city on
// a desk, above it on a phone, where a roster follows below.

import { round } from "./scene.js";
import { NODES, PLANS } from "./city_plan.js";
import { gangsOf, membersOf } from "./reading.js";
import { number } from "./terms.js";

// Where everything is: boxes are [x, y, width, height], those of the strip in its own units, at `strip.x` and `strip.y` and `strip.k`
// times as large. `edge` is how far the coordinates are from the city, and `rows` are the lines of a card. `key` differs where
// the city is drawn elsewhere or in another size.
export const layout = (view, narrow) => (narrow ? narrowLayout(view) : wideLayout(view));

const COLUMN = { k: 1.34, width: 272, top: 5, height: 741 };
const NEWS = 130;
const LEAST_CARD = 86;
const MOST_CARD = 112;
const CARD_GAP = 12;

function wideLayout(view) {
  const letters = gangsOf(view).map(([letter]) => letter);
  // The cards stand at the foot of the column, and the last step has the room between. Fewer cards are higher ones.
  const news = COLUMN.top + 200;
  const room = (COLUMN.height - news - NEWS) / Math.max(1, letters.length) - CARD_GAP;
  const card = round(Math.min(MOST_CARD, Math.max(LEAST_CARD, room)));
  const first = COLUMN.height - letters.length * (card + CARD_GAP) + CARD_GAP;
  const down = share => round(card * share);
  return {
    key: "wide", narrow: false, width: 1384, height: 1000, s: 43.7, x: 23, y: 19.3, pawn: 0.33, edge: [13.4, 12],
    strip: { x: 1012, y: 0, k: COLUMN.k },
    rows: { name: down(0.27), worth: down(0.48), goals: down(0.68), tray: [down(0.63), 8.5], supplies: down(0.92) },
    clock: [0, COLUMN.top, COLUMN.width, 90], decision: [0, COLUMN.top + 98, COLUMN.width, 94],
    news: [0, news, COLUMN.width, round(first - CARD_GAP - news)],
    cards: new Map(letters.map((letter, at) => [letter, [0, round(first + at * (card + CARD_GAP)), COLUMN.width, card]])), roster: [],
  };
}

function narrowLayout(view) {
  const letters = gangsOf(view).map(([letter]) => letter);
  const rows = Math.ceil(Math.max(1, letters.length) / 2);
  const top = 220 + rows * 104;
  const roster = [];
  let y = top + 386;
  for (const [letter, gang] of gangsOf(view)) {
    const height = 6 + 21 * Math.max(1, Math.ceil(membersOf(gang).length / ROSTER_ROW));
    roster.push([letter, [6, y, 368, height]]);
    y += height + 4;
  }
  return {
    key: `narrow ${rows}`, narrow: true, width: 380, height: y + 4, s: 16.4, x: 9.6, y: top + 12, pawn: 0.36, edge: [5.2, 5.2],
    strip: { x: 0, y: 0, k: 1 }, rows: { name: 24, worth: 43, goals: 62, tray: [58, 9.5], supplies: 89 },
    clock: [6, 6, 368, 52], decision: [6, 62, 368, 68], news: [6, 134, 368, 78],
    cards: new Map(letters.map((letter, at) => [letter, [6 + (at % 2) * 186, 220 + Math.floor(at / 2) * 104, 182, 96]])), roster,
  };
}

export const ROSTER_ROW = 4;

// The middle of a street square, or of a building, in the picture.
export function placeOf(plan, id) {
  const node = NODES.get(id);
  if (!node) return null;
  const [x, y] = node.xy ? [node.xy[0] + 0.5, node.xy[1] + 0.5] : PLANS.get(id).centre;
  return [round(plan.x + x * plan.s), round(plan.y + y * plan.s)];
}

// Places of so many pawns in a building: [x, y, scale]. They stand in rows as large as the area allows.
function places(plan, id, many) {
  const building = PLANS.get(id);
  if (!building) return Array.from({ length: many }, () => [...placeOf(plan, id), 1]);
  const [left, top, width, height] = building.area;
  let best = { scale: 0, columns: 1, rows: 1 };
  for (let columns = 1; columns <= many; columns++) {
    const rows = Math.ceil(many / columns);
    const scale = Math.min(1, width / columns / (plan.pawn * 2.5), height / rows / (plan.pawn * 2.9));
    if (scale > best.scale + 0.001) best = { scale, columns, rows };
  }
  return Array.from({ length: many }, (_, at) => {
    const row = Math.floor(at / best.columns);
    const inRow = Math.min(best.columns, many - row * best.columns);
    const x = left + (width * (at % best.columns + 0.5 + (best.columns - inRow) / 2)) / best.columns;
    const y = top + (height * (row + 0.5)) / best.rows;
    return [round(plan.x + x * plan.s), round(plan.y + y * plan.s), best.scale];
  });
}

// Where each of the members in a building stands. A pawn has the place of its number, or the next that is free, so that few
// pawns move when one comes or goes; for the same reason the number of places grows in steps.
const CROWDS = [1, 2, 3, 4, 6, 8, 12, 16, 20, 24, 30, 40, 60, 80];

export function standing(plan, id, members) {
  const all = places(plan, id, CROWDS.find(size => size >= members.length) ?? members.length);
  const taken = new Set();
  return members.map(({ pawn }) => {
    let slot = (Number(number(pawn)) - 1) % all.length || 0;
    while (taken.has(slot)) slot = (slot + 1) % all.length;
    taken.add(slot);
    return all[slot];
  });
}
