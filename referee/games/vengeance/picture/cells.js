// The cells of the circuit.

import circuit from "../board.json" with { type: "json" };
import { remembered } from "./remembered.js";
import { circle, g, path, polygon, text } from "./scene.js";
import { inCell, polar, sector } from "./layout.js";
import { icon } from "./signs.js";
import { NAMES, hoodCount } from "./terms.js";

const KINDS = {
  plain: "nothing happens here",
  shoot: "who stops here hires the marksmen",
  safe: "the marksmen do nothing here",
  danger: "the marksmen kill all strangers here",
};

// The kinds are those of the circuit of this house; of another one a view says nothing.
const kindOf = (view, cell) => (view.board == null || view.board === circuit.name ? circuit.cells[cell]?.kind : "plain");

export function cellPicture(L, view, cell) {
  const kind = kindOf(view, cell);
  return g({ spot: `cell:${cell}`, class: "veng-cell", tip: cellTip(view, cell, kind) }, emptyCell(L, cell, kind));
}

const emptyCell = remembered((L, cell, kind) => `${L.narrow} ${cell} ${kind}`, (L, cell, kind) => {
  const [numberAt, iconAt, heldAt] = [L.number, L.icon, L.slots[2]].map(r => inCell(L, r, cell));
  return [
    path(sector(L, cell), { class: "veng-ground" }),
    path(sector(L, cell), { class: `veng-tint veng-${kind}` }),
    circle(...heldAt, L.hood * 0.9, { class: "veng-place" }),
    text(numberAt[0], numberAt[1] + L.small * 0.35, cell, { class: "veng-number", "font-size": L.small, "text-anchor": "middle" }),
    icon(kind, ...iconAt, L.iconSize),
  ];
});

function cellTip(view, cell, kind) {
  const content = view.cells?.[cell];
  const figures = content ? [content.boss ? "the boss" : "", hoodCount(content.hoods)].filter(Boolean).join(" and ") : "";
  const held = content?.hostage ? `, holding the ${NAMES[content.hostage.gang]} ${content.hostage.boss ? "boss" : "hood"}` : "";
  return `Cell ${cell}, ${kind}: ${KINDS[kind]}.${content ? ` Here: ${figures} of ${NAMES[content.gang]}${held}.` : ""}`;
}

// Which way all go: chevrons inside the ring, in the middle of every quarter.
export const directions = remembered(L => L.narrow, L => [0, 1, 2, 3].map(quarter => {
  const edge = circuit.hqs[0].exit + (quarter + 0.5) * circuit.quarter;
  const r = L.inner - (L.narrow ? 5 : 9);
  const half = L.narrow ? 2.5 : 4;
  const [top, tail, end] = [polar(L, r + half, edge - 0.16), polar(L, r - half, edge - 0.16), polar(L, r, edge + 0.16)];
  return g({ tip: "All figures go clockwise." }, polygon([top, end, tail, polar(L, r, edge - 0.04)], { class: "veng-way" }));
}));
