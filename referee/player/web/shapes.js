// Helps to draw shapes: points of paths and of stars.

import { corners, round } from "./scene.js";

// A pen for paths: it writes the point so many radii from the middle.
export const pen = (cx, cy, r) => (dx, dy) => `${round(cx + dx * r)} ${round(cy + dy * r)}`;

// Points of a star with its first spike at the top; `depth` is the share of the radius at which its dents are.
export function spikes(cx, cy, r, count, depth) {
  const outer = corners(cx, cy, r, 2 * count);
  return corners(cx, cy, r * depth, 2 * count).map((dent, n) => (n % 2 ? dent : outer[n]));
}
