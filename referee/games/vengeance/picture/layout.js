// Where everything is: measures, and points on the ring and in its corners.

import circuit from "../board.json" with { type: "json" };
import { round } from "./scene.js";
import { COUNT, HQ_OF } from "./terms.js";

// Measures in units. `slots` are the distances from the middle of the three places of a cell: outside, middle, inside.
const WIDE = {
  narrow: false, half: 350, outer: 338, inner: 210, number: 327.5, slots: [299, 273, 250.5], icon: 222.5, iconSize: 9,
  boss: 15.5, hood: 10, gridStart: 23, gridStep: 33, poolStart: 124, poolTop: 16, poolStep: 19, poolHood: 7.4,
  hub: 88, car: 164, carSize: 17, die: 44, small: 12, panel: 272, gap: 16,
};

const NARROW = {
  narrow: true, half: 190, outer: 183, inner: 100, number: 175.5, slots: [155.5, 138, 122.5], icon: 107, iconSize: 6.2,
  boss: 10, hood: 6.8, gridStart: 13, gridStep: 17.5, poolStart: 64, poolTop: 9, poolStep: 11.2, poolHood: 4.6,
  hub: 55, car: 81, carSize: 10, die: 25, small: 11, panel: 380, gap: 10,
};

export const layoutOf = narrow => (narrow ? NARROW : WIDE);

// The first door is at the top left, so that the four HQs fill the corners around the ring.
export const turnOf = edge => ((edge - circuit.hqs[0].exit) / COUNT) * 2 * Math.PI - (3 * Math.PI) / 4;

// A point at a distance from the middle, in the direction of a border between cells (`edge` n lies before cell n).
export function polar(L, distance, edge) {
  const turn = turnOf(edge);
  return [round(L.half + distance * Math.cos(turn)), round(L.half + distance * Math.sin(turn))];
}

export const inCell = (L, distance, cell) => polar(L, distance, Number(cell) + 0.5);

// A point in the corner of an HQ: `a` along the horizontal side, `b` along the vertical one, both from the corner.
export function inCorner(L, gang, a, b) {
  const turn = turnOf(HQ_OF[gang].exit);
  const side = (value, from) => (value < 0 ? from : 2 * L.half - from);
  return [round(side(Math.cos(turn), a)), round(side(Math.sin(turn), b))];
}

// The places of an HQ are a square of nine: the boss has the middle, so that his hoods stand around him.
export const AROUND = [0, 1, 2, 3, 5, 6, 7, 8];

export function hqPlace(L, gang, slot) {
  return inCorner(L, gang, L.gridStart + L.gridStep * (slot % 3), L.gridStart + L.gridStep * Math.floor(slot / 3));
}

export function poolPlace(L, gang, slot) {
  return inCorner(L, gang, L.poolStart + L.poolStep * (slot % 4), L.poolTop + L.poolStep * Math.floor(slot / 4));
}

export function sector(L, cell, outer = L.outer, inner = L.inner) {
  // A small gap on both sides, the same at both ends.
  const gap = L.narrow ? 0.6 : 1;
  const [far, near] = [outer, inner].map(r => (gap / r / (2 * Math.PI)) * COUNT);
  const point = (r, edge) => polar(L, r, edge).join(" ");
  return `M${point(inner, cell + near)}L${point(outer, cell + far)}A${outer} ${outer} 0 0 1 ${point(outer, cell + 1 - far)}` +
    `L${point(inner, cell + 1 - near)}A${inner} ${inner} 0 0 0 ${point(inner, cell + near)}Z`;
}
