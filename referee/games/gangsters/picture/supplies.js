// The tiles to come, those out of the game, and the options.

import { g, rect, round } from "./scene.js";
import { howMany } from "./wording.js";
import { STEP_IN_ROW, marketFloor, openAt, pileAt, rowsOfPile, tilesInRow } from "./layout.js";
import { label } from "./lettering.js";
import { KINDS, tileWords } from "./terms.js";
import { tile } from "./tiles.js";

export function market({ view, at }) {
  const { x, y } = at.market;
  const floor = marketFloor(at, view);
  return g({},
    label(x + 2, y + 14, "Common tiles", 13, "gang-soft"),
    view.piles.length ? label(pileAt(at, view, 1, 0)[0] - at.pile / 2, y + 14, "Face down", 13, "gang-soft") : null,
    [0, 1].map(n => {
      const [cx, cy] = openAt(at, view, n);
      return rect(cx - at.open / 2, cy - at.open / 2, at.open, at.open, { rx: 6, class: "gang-slot" });
    }),
    view.piles.map((size, n) => {
      const [cx, cy] = pileAt(at, view, n + 1, 0);
      return g({ tip: `Pile ${n + 1} has ${howMany(size, "tile")}.` },
        rect(cx - at.pile / 2, cy - at.pile / 2, at.pile, at.pile, { rx: 4, class: "gang-slot" }),
        label(cx, floor + 17, size, 15, "gang-strong", "middle"));
    }));
}

// How many of each tile lie face down: known to all, since all other tiles lie open.
export function unseen({ view, at }) {
  const { x, y, width } = at.unseen;
  const total = view.piles.reduce((sum, size) => sum + size, 0);
  const step = width / KINDS.length;
  return g({},
    label(x + 2, y + 12, total ? `Among the ${howMany(total, "face-down tile")}` : "No tile is face down", 13, "gang-soft"),
    KINDS.map((kind, n) => {
      const left = view.unseen[kind] ?? 0;
      const cx = round(x + step * (n + 0.5));
      return g({ tip: `${left} of the tiles ${kind} (${tileWords(kind)}) lie${left === 1 ? "s" : ""} face down.` },
        g({ transform: `translate(${cx} ${y + 32})`, class: left ? "" : "gang-dim" }, tile(kind, at.kind)),
        label(cx, y + 58, left, 13, left ? "gang-strong" : "gang-soft", "middle"));
    }));
}

// The order of the piles, which only the referee's view has: rows of tiles, the top first.
function orderRows(view, width) {
  const most = tilesInRow(width);
  return (view.tiles ?? []).flatMap((pile, n) => {
    const rows = Array.from({ length: rowsOfPile(pile.length, width) }, (_, row) => pile.slice(row * most, (row + 1) * most));
    return rows.map((tiles, row) => ({ pile: n + 1, tiles, isFirst: row === 0 }));
  });
}

export function order({ view, at }) {
  if (!at.order) return null;
  const { x, y, width } = at.order;
  return g({},
    label(x + 2, y + 12, "Piles in order, the next tile first", 13, "gang-soft"),
    orderRows(view, width).map(({ pile, tiles, isFirst }, row) => [
      isFirst ? label(x + 2, y + 33 + row * 22, pile, 12, "gang-strong") : null,
      tiles.map((each, n) => {
        const transform = `translate(${x + 28 + n * STEP_IN_ROW} ${y + 29 + row * 22})`;
        return g({ transform, tip: `Face down in pile ${pile}: ${each} (${tileWords(each)}).` }, tile(each, 19));
      }),
    ]));
}

// Tiles that left the game with a seat.
export function removed({ view, at }) {
  if (!at.removed) return null;
  const { x, y } = at.removed;
  return g({ tip: "Tiles that left the game with a seat." },
    label(x + 2, y + 12, "Out of the game", 13, "gang-soft"),
    view.removed.map((each, n) => g({ transform: `translate(${x + 13 + n * 26} ${y + 30})` }, tile(each, 22))));
}

export function variants({ at }) {
  if (!at.variantsAt) return null;
  return at.variants.map((words, n) => label(at.variantsAt.x + 2, at.variantsAt.y + 16 + 15 * n, words, 12, "gang-soft"));
}
