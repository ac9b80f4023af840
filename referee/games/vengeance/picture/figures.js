// Hoods and bosses as they look, wherever they stand.

import { remembered } from "./remembered.js";
import { circle, g, path, pieceShape, round } from "./scene.js";
import { pen } from "./shapes.js";
import { middle } from "./lettering.js";

export const hoodToken = remembered((...parts) => parts.join(), (gang, r, isPlain = false) => {
  const drop = gang === "Y" ? 0.5 : 0.36;
  return g({}, pieceShape(gang, 0, 0, r, { class: "veng-piece" }),
    isPlain ? null : middle(0, r * 1.15 * drop, gang, 11, `veng-letter veng-on-${gang}`));
});

export function deadHood(gang, r) {
  return g({ class: "veng-dead" }, pieceShape(gang, 0, 0, r, { class: "veng-piece" }),
    path(`M${-r} ${-r}L${r} ${r}M${r} ${-r}L${-r} ${r}`, { class: "veng-strike" }));
}

export const bossToken = remembered((gang, r) => `${gang} ${r}`, (gang, r) => g({},
  pieceShape(gang, 0, 0, r, { class: "veng-piece veng-boss" }),
  hat(0, round(r * (gang === "Y" ? 0.3 : 0.12)), round(r * 0.66))));

// A fedora: what makes a boss.
export function hat(x, y, r) {
  const p = pen(x, y, r);
  return g({ class: "veng-hat" },
    path(`M${p(-0.62, 0.35)}L${p(-0.5, -0.5)}Q${p(-0.25, -0.95)} ${p(0, -0.62)}Q${p(0.25, -0.95)} ${p(0.5, -0.5)}L${p(0.62, 0.35)}Z`),
    path(`M${p(-1.12, 0.3)}Q${p(0, 0.62)} ${p(1.12, 0.3)}Q${p(0.9, 0.82)} ${p(0, 0.86)}Q${p(-0.9, 0.82)} ${p(-1.12, 0.3)}Z`));
}

export const cuffs = r => circle(0, 0, round(r * 1.28), { class: "veng-cuffs" });
