// Small parts that several pictures have: members, rings, signs of gangs and kinds of buildings, dice, panels.

import { remembered } from "./remembered.js";
import { circle, corners, g, line, path, pieceShape, polygon, rect, round, text } from "./scene.js";
import { number } from "./terms.js";

export const label = (x, y, size, value, more = "", anchor = "start") =>
  text(round(x), round(y), value, { "font-size": round(size), "text-anchor": anchor, class: more || null });

export const panel = (box, more = "") => rect(...box.map(round), { rx: 6, class: `chicago-panel ${more}`.trim() });

// The rings of a member, in a row around a point.
export function ringRow(rings, cx, cy, r) {
  return Array.from({ length: rings ?? 0 }, (_, at) => {
    const x = round(cx + (at - (rings - 1) / 2) * r * 2.3);
    return g({ class: "chicago-ring", "stroke-width": round(r * 0.28) },
      circle(x, round(cy), round(r)), circle(x, round(cy), round(r * 0.38), { class: "chicago-hole" }));
  });
}

// A member: the shape and colour of its gang, its number, its rings. Drawn around (0, 0), 2.9 times as high as r.
export const pawnPicture = remembered((...parts) => parts.join(), (pawn, rings, r, isDead = false) => {
  const letter = String(pawn).charAt(0);
  const cy = round(-r * 0.28);
  // A triangle has less room for two figures.
  const size = number(pawn).length < 2 ? 1.12 : letter === "Y" ? 0.92 : 1.04;
  return g({ class: `chicago-pawn chicago-${letter}` },
    pieceShape(letter, 0, cy, r, { class: "chicago-piece", "stroke-width": round(r * 0.1) }),
    label(0, cy + r * 0.42, r * size, number(pawn), "chicago-number", "middle"),
    ringRow(rings, 0, r * 1.22, r * 0.3),
    isDead ? cross(0, cy, r, { class: "chicago-cross", "stroke-width": round(r * 0.24) }) : null);
});

// The sign of a gang: its shape with its letter.
export function gangSign(letter, cx, cy, r) {
  return g({ class: `chicago-pawn chicago-${letter}` },
    pieceShape(letter, cx, cy, r, { class: "chicago-piece", "stroke-width": 1 }),
    label(cx, cy + r * 0.42, r * 1.15, letter, "chicago-number", "middle"));
}

export function cross(cx, cy, r, attributes) {
  const [left, right, top, bottom] = [cx - r, cx + r, cy - r, cy + r].map(round);
  return path(`M${left} ${top}L${right} ${bottom}M${right} ${top}L${left} ${bottom}`, attributes);
}

// The sign of the bars of the place.
export function star(cx, cy, r) {
  const inner = 0.45;
  const points = corners(cx, cy, r, 10).map(([x, y], at) => at % 2 ? [round(cx + (x - cx) * inner), round(cy + (y - cy) * inner)] : [x, y]);
  return polygon(points, { class: "chicago-star" });
}

// The sign of homes.
export function house(cx, cy, r) {
  const points = [[0, -1], [1.05, 0], [0.7, 0], [0.7, 0.95], [-0.7, 0.95], [-0.7, 0], [-1.05, 0]];
  return polygon(points.map(([x, y]) => [round(cx + x * r), round(cy + y * r)]), { class: "chicago-house" });
}

// The sign of casinos.
export function chip(cx, cy, r) {
  const dash = round(r * 0.41);
  return g({ class: "chicago-chip" },
    circle(cx, cy, r),
    circle(cx, cy, round(r * 0.78), { class: "chicago-chip-rim", "stroke-width": round(r * 0.36), "stroke-dasharray": `${dash} ${dash}` }),
    circle(cx, cy, round(r * 0.45), { class: "chicago-chip-eye" }));
}

// The die of twelve sides with what is left of the roll.
export function moveDie(points, cx, cy, r) {
  const inner = corners(cx, cy, r * 0.62, 5);
  const outer = corners(cx, cy, r, 10);
  return g({ class: "chicago-die" },
    polygon(outer),
    inner.map(([x, y], at) => line(x, y, ...outer[at * 2], { class: "chicago-die-edge" })),
    polygon(inner, { class: "chicago-die-top" }),
    label(cx, cy + r * 0.26, r * 0.76, points ?? "", "chicago-die-number", "middle"));
}
