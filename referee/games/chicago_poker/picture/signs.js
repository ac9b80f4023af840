// Small drawings: kinds of businesses, special cards, gangsters, markers, arrows.

import { circle, g, path, pieceShape, polygon, rect, round, text } from "./scene.js";
import { pen, spikes } from "./shapes.js";
import { widthOf } from "./lettering.js";

// Drawings in a square of 24, as lists of [class, path].
const ICONS = {
  S: [
    ["ink", "M2.5 3.5H21.5L13.2 13.3V20H17.5V22H6.5V20H10.8V13.3Z"],
    ["cut", "M6.8 5.5H17.2L15.5 7.5H8.5Z"],
    ["ink", "M17 1.5L18.5 2.3L12 11.5L10.8 10.6Z"],
  ],
  J: [
    ["tube", "M4.5 3.2H7.5L9.5 5.5V15.5A4.2 4.2 0 0 0 17.9 15.5V12"],
    ["ink", "M15.6 13L13.6 8.2H23L20.2 13Z"],
    ["dots", "M6 8.5h.01M6 12h.01M6 15.5h.01"],
  ],
  D: [
    ["ink", "M6.5 2H17.5C20.5 8 20.5 16 17.5 22H6.5C3.5 16 3.5 8 6.5 2Z"],
    ["lines", "M4.8 7.2H19.2M4.8 16.8H19.2M9.7 2.5V6.5M14.3 2.5V6.5M9.7 17.5V21.5M14.3 17.5V21.5"],
    ["cut", "M12 9L14.6 12.6A2.7 2.7 0 1 1 9.4 12.6Z"],
  ],
  H: [
    ["ink", "M3 7.5L11.2 3.6A2 2 0 0 1 13.8 4.6L17.6 12.8A2 2 0 0 1 16.6 15.4L8.5 19.2A2 2 0 0 1 5.9 18.2L2.1 10.1A2 2 0 0 1 3 7.5Z"],
    ["pips", "M6.3 9.7h.01M13.3 13.1h.01M9.8 11.4h.01M11.4 7.3h.01M8.2 15.5h.01"],
    ["ink", "M19.2 11.5L21.7 14.5A1.5 1.5 0 0 1 21.6 16.5L14.6 22.3A1.5 1.5 0 0 1 12.5 22.2L11 20.2L17.6 17.1A3.7 3.7 0 0 0 19.6 12.5Z"],
  ],
  LQ: [
    ["ring", "M12 5A7 7 0 1 1 12 19A7 7 0 1 1 12 5M12 1.5V8.5M12 15.5V22.5M1.5 12H8.5M15.5 12H22.5"],
    ["ink", "M12 10.3A1.7 1.7 0 1 1 12 13.7A1.7 1.7 0 1 1 12 10.3Z"],
  ],
  PR: [
    ["ink", "M12 1.5L21 4.5V12C21 17.5 17 21 12 22.8C7 21 3 17.5 3 12V4.5Z"],
    ["cut", "M12 6L13.4 9.9L17.5 10L14.3 12.5L15.4 16.5L12 14.2L8.6 16.5L9.7 12.5L6.5 10L10.6 9.9Z"],
  ],
  LM: [
    ["ink", "M1.5 16.5V12.8L6 11.5L8.3 7H16.5L18 11.5L22.5 12.5V16.5Z"],
    ["cut", "M8 11.3L9.5 8.5H12V11.3ZM13.5 8.5H15.5L16.4 11.3H13.5Z"],
    ["ink", "M6.5 14A3 3 0 1 1 6.5 20A3 3 0 1 1 6.5 14ZM17.5 14A3 3 0 1 1 17.5 20A3 3 0 1 1 17.5 14Z"],
    ["cut", "M6.5 16A1 1 0 1 1 6.5 18A1 1 0 1 1 6.5 16ZM17.5 16A1 1 0 1 1 17.5 18A1 1 0 1 1 17.5 16Z"],
  ],
  RV: [
    ["ink", "M4 6.5H20.5V5.3H22V10H14.8V12.5A2 2 0 0 1 12.8 14.5H9.9L8.3 20.5H2.8L5 12.5L2.5 9.5Z"],
    ["cut", "M10.8 11.2H13.2V12.5A.7 .7 0 0 1 12.5 13.2H10.3ZM8 7.6H12V9.2H8Z"],
  ],
  BR: [
    ["ink", "M1.5 6H22.5V18H1.5Z"],
    ["cut", "M12 8A4 4 0 1 1 12 16A4 4 0 1 1 12 8ZM3.5 8H5.5V10H3.5ZM18.5 14H20.5V16H18.5Z"],
    ["ring", "M13.5 10.3C12 9.3 10.5 10.5 11.5 11.6C12.5 12.3 14 12.7 13 13.7C12.3 14.3 11 14 10.5 13.6"],
  ],
};

export function icon(name, cx, cy, size, attributes = {}) {
  const scale = round(size / 24);
  return g({ class: "cp-icon", transform: `translate(${round(cx - size / 2)} ${round(cy - size / 2)}) scale(${scale})`, ...attributes },
    (ICONS[name] ?? []).map(([kind, d]) => path(d, { class: `cp-icon-${kind}` })));
}

// A gangster: a hat over a face, whose shape and colour are those of its card.
export function gangster(colour, cx, cy, r) {
  const p = pen(cx, cy, r);
  const hat = `M${p(-1.15, -0.66)}Q${p(0, -0.36)} ${p(1.15, -0.66)}L${p(0.68, -0.84)} ${p(0.56, -1.5)}`
    + `Q${p(0, -1.22)} ${p(-0.56, -1.5)}L${p(-0.68, -0.84)}Z`;
  return g({}, pieceShape(colour, cx, cy + r * 0.2, r, { class: "cp-face" }), path(hat, { class: "cp-hat" }));
}

// The marker of a shootout: a flash with a bullet hole.
export function flash(cx, cy, r) {
  return g({}, polygon(spikes(cx, cy, r, 10, 0.64), { class: "cp-flash" }), circle(cx, cy, round(r * 0.3), { class: "cp-hole" }));
}

// A cartridge: an action that is owed is full, one that is allowed is an outline.
export function cartridge(x, y, owed) {
  return path(`M${x} ${y + 16}V${y + 6}Q${x} ${y + 1} ${x + 4} ${y}Q${x + 8} ${y + 1} ${x + 8} ${y + 6}V${y + 16}Z`,
    { class: owed ? "cp-owed" : "cp-allowed" });
}

// A place of the pattern: a small front or a small back.
export function glyph(facing, cx, cy) {
  return facing === "U"
    ? g({}, rect(cx - 7, cy - 9, 14, 18, { rx: 2, class: "cp-glyph-up" }), circle(cx, cy, 3, { class: "cp-glyph-dot" }))
    : g({}, rect(cx - 7, cy - 9, 14, 18, { rx: 2, class: "cp-glyph-down" }),
      path(`M${cx - 4} ${cy + 5}l8 -10m-8 4l4 -5m0 12l4 -5`, { class: "cp-glyph-hatch" }));
}

export function chip(cx, cy, words, look = "plain", size = 12) {
  const width = widthOf(words, size) + 14;
  return g({ class: `cp-chip cp-chip-${look}` },
    rect(round(cx - width / 2), round(cy - size * 0.8), round(width), round(size * 1.6),
      { rx: round(size * 0.8), class: "cp-chip-ground" }),
    text(round(cx), round(cy + size * 0.36), words, { class: "cp-chip-text", "font-size": size, "text-anchor": "middle" }));
}

export const tag = (cx, cy, words) => g({ class: "cp-tag" },
  rect(cx - 15, cy - 8, 30, 16, { rx: 8, class: "cp-tag-ground" }),
  text(cx, cy + 4, words, { class: "cp-tag-text", "font-size": 11.5, "text-anchor": "middle" }));

export function arrow(from, to, bend = 0) {
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
  const length = Math.hypot(dx, dy) || 1;
  const middle = [(from[0] + to[0]) / 2 + (dy / length) * bend, (from[1] + to[1]) / 2 - (dx / length) * bend];
  const [ex, ey] = [to[0] - middle[0], to[1] - middle[1]];
  const size = Math.hypot(ex, ey) || 1;
  const [ux, uy] = [ex / size, ey / size];
  const wing = side => `${round(to[0] - 10 * ux + side * 5 * uy)} ${round(to[1] - 10 * uy - side * 5 * ux)}`;
  const at = point => point.map(round).join(" ");
  return g({ class: "cp-arrow" }, path(`M${at(from)}Q${at(middle)} ${at(to)}`), path(`M${wing(1)}L${at(to)}L${wing(-1)}`));
}
