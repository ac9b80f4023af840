// Names of seats that fit where they are written.

import { shortened } from "./scene.js";

// Names come from bots. Marks that turn the direction of writing would also turn our own words beside them.
const cleaned = name => String(name ?? "").replace(/[\u0000-\u001f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "");

export const nameOf = (names, seat, most = 24) => shortened(cleaned(names?.[seat]) || `seat ${seat}`, most);

// About how wide a text is, in units: names are not ours, and pictures cannot measure them.
export function widthOf(words, size) {
  const share = letter => {
    if (letter.codePointAt(0) > 0x2e7f) return 1.05;
    if (/[WM@%mw…—]/.test(letter)) return 1;
    if (/[ijlI.,:;'|! ]/.test(letter)) return 0.38;
    return /[A-Z]/.test(letter) ? 0.76 : 0.64;
  };
  return size * [...words].reduce((sum, letter) => sum + share(letter), 0);
}

// The name of a seat, shortened to this width.
export function fittedName(names, seat, width, size) {
  let most = 24;
  while (most > 3 && widthOf(nameOf(names, seat, most), size) > width) most -= 1;
  return nameOf(names, seat, most);
}
