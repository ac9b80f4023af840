// Where everything is. The city is drawn in squares: `s` is the side of one square, so that the same code draws it large on a desk
// and small on a phone, where people zoom into it. What has to be read without zoom is in the strip, and on a phone in the roster
// below the city.

import { round } from "./scene.js";
import { NODES, PLANS } from "./city_plan.js";
import { gangsOf, membersOf } from "./reading.js";
import { number } from "./terms.js";

// Where everything is: boxes are [x, y, width, height]. `key` differs where the city is drawn elsewhere or in another size.
export const layout = (view, narrow) => (narrow ? narrowLayout(view) : wideLayout(view));

function wideLayout(view) {
  const letters = gangsOf(view).map(([letter]) => letter);
  const all = Math.max(1, letters.length);
  const each = (984 - 8 * (all - 1)) / all;
  return {
    key: "wide", narrow: false, width: 1000, height: 1208, s: 43, x: 27, y: 236, pawn: 0.28,
    clock: [8, 8, 262, 92], decision: [278, 8, 306, 92], news: [592, 8, 400, 92],
    cards: new Map(letters.map((letter, at) => [letter, [8 + at * (each + 8), 110, each, 96]])), roster: [],
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
    key: `narrow ${rows}`, narrow: true, width: 380, height: y + 4, s: 16.4, x: 9.6, y: top + 12, pawn: 0.36,
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
