// Signs of cells, hires, deaths, locks.

import { circle, g, path, pieceShape, polygon, rect, round } from "./scene.js";
import { pen, spikes } from "./shapes.js";

export function icon(kind, x, y, r) {
  const p = pen(x, y, r);
  if (kind === "shoot") {
    return g({ class: "veng-icon" }, circle(x, y, round(r * 0.66), { class: "veng-stroke" }),
      path(`M${p(-1, 0)}L${p(-0.3, 0)}M${p(1, 0)}L${p(0.3, 0)}M${p(0, -1)}L${p(0, -0.3)}M${p(0, 1)}L${p(0, 0.3)}`,
        { class: "veng-stroke" }));
  }
  if (kind === "safe") {
    return g({ class: "veng-icon" },
      path(`M${p(0, -1)}L${p(0.85, -0.65)}L${p(0.85, 0)}` +
        `Q${p(0.75, 0.7)} ${p(0, 1.05)}Q${p(-0.75, 0.7)} ${p(-0.85, 0)}L${p(-0.85, -0.65)}Z`));
  }
  if (kind === "danger") return skull(x, y, r);
  return null;
}

function skull(x, y, r) {
  const p = pen(x, y, r);
  const hole = (dx, dy, size) => circle(round(x + dx * r), round(y + dy * r), round(size * r), { class: "veng-hole" });
  return g({ class: "veng-icon" },
    path(`M${p(-0.9, -0.1)}A${round(0.9 * r)} ${round(0.9 * r)} 0 0 1 ${p(0.9, -0.1)}Q${p(0.9, 0.4)} ${p(0.5, 0.5)}` +
      `L${p(0.5, 1)}L${p(-0.5, 1)}L${p(-0.5, 0.5)}` +
      `Q${p(-0.9, 0.4)} ${p(-0.9, -0.1)}Z`),
    hole(-0.38, -0.05, 0.25), hole(0.38, -0.05, 0.25));
}

export function padlock(x, y, r) {
  return g({ tip: "Locked: this gang waits until the turn is over." },
    path(`M${x - r * 0.5} ${y}V${y - r * 0.4}A${r * 0.5} ${r * 0.5} 0 0 1 ${x + r * 0.5} ${y - r * 0.4}V${y}`, { class: "veng-stroke" }),
    rect(x - r * 0.8, y, r * 1.6, r * 1.1, { rx: r * 0.2, class: "veng-solid" }));
}

export function flash(x, y, r) {
  return polygon(spikes(x, y, r, 10, 0.66), { class: "veng-burst" });
}

export function hireSign(gang, x, y, r) {
  return g({ class: `veng-sight-${gang}` }, pieceShape(gang, x, y, r, { class: "veng-piece" }), icon("shoot", x, y, round(r * 0.66)));
}

export function tick(x, y, r) {
  const p = pen(x, y, r);
  return g({}, circle(round(x), round(y), round(r), { class: "veng-badge" }),
    path(`M${p(-0.5, 0.05)}L${p(-0.1, 0.45)}L${p(0.55, -0.4)}`, { class: "veng-badge-line" }));
}
