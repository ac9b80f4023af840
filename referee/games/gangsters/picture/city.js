// The city: its cells, the shades of complete lines, the names of lines.

import { g, rect } from "./scene.js";
import { cellAt } from "./layout.js";
import { label } from "./lettering.js";
import { onlyOne } from "./payments.js";
import { COLUMNS, LINES, cellName, isRow } from "./terms.js";
import { brackets } from "./tiles.js";

export function city({ view, at }) {
  const inset = at.cell > 60 ? 3 : 2;
  const [x, y] = at.grid;
  return g({},
    rect(x - 4, y - 4, at.side + 8, at.side + 8, { rx: 8, class: "gang-city" }),
    view.board.map((code, number) => {
      const name = cellName(number);
      const [cx, cy] = cellAt(at, name);
      // A tile has the name of its cell itself, and lies above it.
      const place = code ? {} : { spot: `cell:${name}`, tip: `Cell ${name} is free.` };
      const size = at.cell - 2 * inset;
      return g(place, rect(cx - size / 2, cy - size / 2, size, size, { rx: 6, class: "gang-cell" }));
    }));
}

// The shade of complete lines, in the colour of the gang that won them.
export function bands(scene) {
  const { view, at, paid } = scene;
  const [x, y] = at.grid;
  const rim = at.cell > 60 ? 2.5 : 1.5;
  return g({}, view.complete.map(name => {
    const index = isRow(name) ? Number(name) - 1 : COLUMNS.indexOf(name);
    const [left, top] = isRow(name) ? [x, y + index * at.cell] : [x + index * at.cell, y];
    const [width, height] = isRow(name) ? [at.side, at.cell] : [at.cell, at.side];
    const winner = onlyOne(paid.get(name))?.winner;
    const look = view.pending.includes(name) ? "gang-band-pending" : "gang-band";
    return g({ class: winner ? `gang-${winner}` : "" },
      rect(left + rim, top + rim, width - 2 * rim, height - 2 * rim, { rx: 7, class: look }));
  }));
}

export function labels({ view, at }) {
  const [x, y] = at.grid;
  const size = at.cell > 60 ? 15 : 12;
  return g({}, LINES.map(name => {
    const look = view.complete.includes(name) ? "gang-strong" : "gang-soft";
    const index = isRow(name) ? Number(name) - 1 : COLUMNS.indexOf(name);
    return isRow(name) ? label(x - size * 0.5 - 5, y + (index + 0.5) * at.cell + size * 0.36, name, size, look, "middle")
      : label(x + (index + 0.5) * at.cell, y - size * 0.6, name, size, look, "middle");
  }));
}

// Brackets around the tile that may not be moved now.
export function ban({ view, at }) {
  if (!view.ban) return null;
  return g({ transform: `translate(${cellAt(at, view.ban).join(" ")})`, "pointer-events": "none" }, brackets(at.cell * 0.47));
}
