// Texts, and about how wide they are.

import { round, text } from "./scene.js";

export const label = (x, y, words, size, look = "", anchor = "start") =>
  text(round(x), round(y), words, { class: look, "font-size": size, "text-anchor": anchor });

export const wide = (words, size) => [...String(words)].length * size * 0.61;

// How wide letters are, about: there is nothing to measure them with.
export const wideBold = (words, size) => wide(words, size) * 1.13;

export function wrapped(words, width, size) {
  const lines = [];
  for (const word of words.split(" ")) {
    const longer = lines.length ? `${lines.at(-1)} ${word}` : word;
    if (lines.length && wide(longer, size) <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}
