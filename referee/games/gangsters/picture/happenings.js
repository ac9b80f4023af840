// What happened in the last step.

import { corners, g, line, path, rect, round } from "./scene.js";
import { cellAt } from "./layout.js";
import { cameFrom } from "./pieces.js";
import { happened } from "./reading.js";
import { cellName, cellNumber, gangOf, neighbours } from "./terms.js";

// The way of a tile from its place outside the city. It is long, so it is dotted and runs below the tiles: nothing is hidden.
export function placing(scene) {
  const way = farWay(scene);
  return way ? path(way.shaft, { class: "gang-arrow gang-dotted" }) : null;
}

export function placingHead(scene) {
  const way = farWay(scene);
  return way ? [path(way.head, { class: "gang-halo" }), path(way.head, { class: "gang-arrow" })] : null;
}

function farWay(scene) {
  const { cell, from } = cameFrom(scene);
  if (!cell || !from || !happened(scene, "placed").length) return null;
  return arrowPaths(from, cellAt(scene.at, cell), scene.at.tile / 2 - 4);
}

// The way of a tile within the city, and the outline of where it was.
export function moving(scene) {
  const { at } = scene;
  return happened(scene, "moved").map(({ from, to }) => {
    const [x, y] = cellAt(at, from);
    return [
      rect(x - at.tile / 2, y - at.tile / 2, at.tile, at.tile, { rx: 9, class: "gang-ghost" }),
      arrow([x, y], cellAt(at, to), at.tile / 2 - 7),
    ];
  });
}

export function arrow(from, to, rim) {
  const way = arrowPaths(from, to, rim);
  return way ? g({}, path(way.shaft + way.head, { class: "gang-halo" }), path(way.shaft + way.head, { class: "gang-arrow" })) : null;
}

// The two parts of an arrow that ends at the rim of the tile to which it points.
function arrowPaths(from, to, rim) {
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
  const length = Math.hypot(dx, dy);
  if (!(length > rim)) return null;
  const [ux, uy] = [dx / length, dy / length];
  const reach = rim / Math.max(Math.abs(ux), Math.abs(uy)) + 1;
  const end = [to[0] - ux * reach, to[1] - uy * reach];
  const wing = side => [end[0] - 11 * ux + side * 7 * uy, end[1] - 11 * uy - side * 7 * ux].map(round).join(" ");
  const [start, tip] = [from, end].map(point => point.map(round).join(" "));
  return { shaft: `M${start}L${tip}`, head: `M${wing(1)}L${tip}L${wing(-1)}` };
}

// A shot: from each tile that can have fired it. The rules do not ask which one did.
export function shots(scene) {
  const { view, at } = scene;
  return happened(scene, "shot").map(({ seat, cell }) => {
    const target = cellNumber(cell);
    const gang = view.gangs[seat];
    const shooters = neighbours(target).filter(number => gangOf(view.board[number]) === gang && !view.board[number].endsWith("x"));
    const [tx, ty] = cellAt(at, cell);
    const look = shooters.length > 1 ? "gang-shot gang-shot-maybe" : "gang-shot";
    return g({ "pointer-events": "none" },
      shooters.map(number => {
        const [x, y] = cellAt(at, cellName(number));
        const ends = [x + (tx - x) * 0.15, y + (ty - y) * 0.15, x + (tx - x) * 0.82, y + (ty - y) * 0.82].map(round);
        return [line(...ends, { class: "gang-halo" }), line(...ends, { class: look })];
      }),
      burst(tx, ty, at.tile * 0.42));
  });
}

function burst(x, y, r) {
  const outer = corners(x, y, r * 1.2, 12);
  const inner = corners(x, y, r * 0.92, 12);
  return outer.map((point, n) => line(...inner[n], ...point, { class: "gang-burst" }));
}
