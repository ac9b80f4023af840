// Tiles and other small drawings.

import { remembered } from "./remembered.js";
import { back, circle, g, line, path, pieceShape, rect, round } from "./scene.js";
import { label, wide } from "./lettering.js";
import { gangOf, strengthOf } from "./terms.js";

// A tile with its middle at (0, 0). A live gangster wears a hat; strength is the number of pips, and their shape is the gang's.
export const tile = remembered((code, size) => `${code} ${size}`, (code, size) => {
  const gang = gangOf(code);
  const isDead = code.endsWith("x");
  const isSmall = size < 32;
  const half = size / 2;
  const body = look => rect(-half, -half, size, size, { rx: round(size * 0.13), class: look });
  return g({ class: `gang-${gang}${isSmall ? " gang-small" : ""}` },
    isSmall ? null : rect(-half + 1, -half + 2.5, size, size, { rx: round(size * 0.13), class: "gang-shadow" }),
    isDead ? [body("gang-dead"), body("gang-dead-tint")] : body("gang-tile"),
    isSmall || isDead ? null : hat(size),
    pips(gang, strengthOf(code), size, isSmall, isDead),
    isDead ? cross(size) : null);
});

function hat(size) {
  const unit = size / 80;
  const points = numbers => numbers.map((number, n) => round((n % 2 ? number - 5 : number) * unit)).join(" ");
  return g({},
    path(`M${points([-15, -9])}C${points([-14, -22, -11, -30, -6, -29])}C${points([-3, -28, -2, -26, 1, -26])}`
      + `C${points([4, -26, 5, -29, 8, -28])}C${points([12, -26, 14, -18, 15, -9])}Z`, { class: "gang-hat" }),
    path(`M${points([-28, -11])}C${points([-20, -5, 20, -5, 28, -11])}C${points([24, -1, -24, -1, -28, -11])}Z`, { class: "gang-hat" }),
    path(`M${points([-14.6, -14])}C${points([-8, -10.5, 8, -10.5, 14.6, -14])}L${points([14.9, -10.5])}`
      + `C${points([8, -7, -8, -7, -14.9, -10.5])}Z`, { class: "gang-ribbon" }));
}

function pips(gang, strength, size, isSmall, isDead) {
  const step = size * 0.3;
  const y = isSmall ? 0 : size * 0.22;
  const look = isDead ? "gang-dead-pip" : "gang-pip";
  const r = size * (isSmall ? 0.135 : 0.125);
  return Array.from({ length: strength }, (_, n) => shape(gang, (n - (strength - 1) / 2) * step, y, r, look));
}

// The shape of a gang; scene.js also colours it, but here the class decides.
export function shape(gang, x, y, r, look) {
  const drawn = pieceShape(gang, round(x), round(y), round(r), {});
  drawn.attributes.class = look;
  return drawn;
}

function cross(size) {
  const far = size * 0.33;
  return g({},
    line(-far, -far, far, far, { class: "gang-cross" }), line(-far, far, far, -far, { class: "gang-cross" }),
    circle(0, 0, round(size * 0.085), { class: "gang-hole" }));
}

export function faceDown(size) {
  return g({ transform: `translate(${-size / 2} ${-size / 2})` }, back(size, size, "none"));
}

export const gangBadge = (gang, x, y, r, look = "gang-shape") => g({ class: `gang-${gang}` }, shape(gang, x, y, r, look));

export function cartridge(x, shell, bullet) {
  return g({ transform: `translate(${x} 0)` },
    path("M0.5 -3C0.5 -9 2.5 -13 5 -13.5C7.5 -13 9.5 -9 9.5 -3Z", { class: bullet }),
    path("M0.5 -3H9.5V10H0.5Z M-0.5 10H10.5V13H-0.5Z", { class: shell }));
}

export function chipOf(x, y, words, look) {
  const width = wide(words, 12) + 10;
  return g({}, rect(x, y, width, 17, { rx: 8, class: look }), label(x + width / 2, y + 12.5, words, 12, `${look}-text`, "middle"));
}

export function brackets(far) {
  const arm = far * 0.3;
  return [[-1, -1], [1, -1], [1, 1], [-1, 1]].map(([dx, dy]) =>
    path(`M${round(dx * (far - arm))} ${round(dy * far)}H${round(dx * far)}V${round(dy * (far - arm))}`, { class: "gang-bracket" }));
}
