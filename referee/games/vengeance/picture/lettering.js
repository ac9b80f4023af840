// Texts that are centred, end at a point, or lie on a ground of their own.

import { g, rect, round, text } from "./scene.js";

export const middle = (x, y, value, size, name) => anchored("middle", x, y, value, size, name);
export const atEnd = (x, y, value, size, name) => anchored("end", x, y, value, size, name);

const anchored = (anchor, x, y, value, size, name) =>
  text(round(x), round(y), value, { class: name, "font-size": size, "text-anchor": anchor });

export function label(x, y, value, size) {
  const w = size * (0.7 + 0.6 * String(value).length);
  return g({}, rect(round(x - w / 2), round(y - size * 0.72), round(w), round(size * 1.44), { rx: round(size * 0.5), class: "veng-label" }),
    text(x, y + size * 0.36, value, { class: "veng-label-text", "font-size": size, "text-anchor": "middle" }));
}
