// The plates at the ends of the lines: what each paid, or would pay.

import { g, line, rect, seatMark } from "./scene.js";
import { capital, howMany } from "./wording.js";
import { label, wide, wideBold } from "./lettering.js";
import { onlyOne, resultWords, settle } from "./payments.js";
import { happened, ignoredNow, liveTiles } from "./reading.js";
import { COLUMNS, GANG_NAMES, LINES, NUMBERS, cellsOf, isRow, lineWords } from "./terms.js";
import { shape } from "./tiles.js";

export function plates(scene) {
  return g({}, LINES.map(name => {
    const { at, view } = scene;
    const [width, height] = isRow(name) ? at.plateRow : at.plateColumn;
    const index = isRow(name) ? Number(name) - 1 : COLUMNS.indexOf(name);
    const middle = isRow(name) ? [at.grid[0] + at.side + at.gap + width / 2, at.grid[1] + (index + 0.5) * at.cell]
      : [at.grid[0] + (index + 0.5) * at.cell, at.columnPlatesY + height / 2];
    const isComplete = view.complete.includes(name);
    const isPending = view.pending.includes(name);
    // The ring says that a line was counted; a state would make a second mark.
    return g({ key: `line:${name}`, at: middle, spot: `line:${name}`, tip: plateTip(scene, name) },
      isPending ? pendingPlate(width, height) : isComplete ? paidPlate(scene, name, width, height) : openPlate(scene, name, width, height),
      happened(scene, "scored").some(event => event.line === name)
        ? rect(-width / 2 - 3, -height / 2 - 3, width + 6, height + 6, { rx: 9, class: "gang-flash" }) : null);
  }));
}

export const plate = (width, height, look) => rect(-width / 2, -height / 2, width, height, { rx: 6, class: look });

export function pendingPlate(width, height) {
  return [plate(width, height, "gang-plate-pending"), label(0, 4.5, "first?", width > 60 ? 15 : 12, "gang-plate-pending-text", "middle")];
}

export function paidPlate(scene, name, width, height) {
  const size = width > 60 ? 18 : 13;
  const result = onlyOne(scene.paid.get(name));
  const plain = (value, look) => [plate(width, height, "gang-plate"), label(0, size * 0.36, value, size, look, "middle")];
  // Which neutral gang won may be lost, but not that no seat was paid.
  if (!result && scene.paid.get(name)?.every(({ seat }) => seat === null)) return plain("0", "gang-soft");
  if (!result) return plain("?", "gang-strong");
  if (!result.counted || result.winner === null) return plain(result.counted ? "0" : "–", "gang-soft");
  return g({ class: `gang-${result.winner}` }, plate(width, height, "gang-plate"),
    result.seat === null ? lostPoints(result, size) : paidPoints(result, size, width));
}

// Mark and points of the seat that was paid. Where two figures have no room beside the mark, the plus gives way.
function paidPoints({ seat, points }, size, room) {
  const [r, gap] = [size * (room > 60 ? 0.61 : 0.55), room > 60 ? 4 : 2];
  const widthOf = value => 2 * r + gap + wideBold(value, size);
  const value = widthOf(`+${points}`) > room - 5 ? String(points) : `+${points}`;
  const left = -widthOf(value) / 2;
  return [seatMark(seat, left + r, 0, r), label(left + 2 * r + gap, size * 0.36, value, size, "gang-strong")];
}

// Points that no seat got are struck out.
function lostPoints({ winner, points }, size) {
  const r = size * 0.61;
  const total = 2 * r + 4 + wide(points, size);
  const textX = -total / 2 + 2 * r + 4;
  return [
    shape(winner, -total / 2 + r, 0, r * 0.9, "gang-shape"), label(textX, size * 0.36, points, size, "gang-soft"),
    line(textX - 2, 0, textX + wide(points, size) + 2, 0, { class: "gang-strike" }),
  ];
}

// What the line would pay if it were counted as it is.
function openPlate(scene, name, width, height) {
  const { view } = scene;
  const { winner, points } = settle(liveTiles(view, name), view.options, ignoredNow(view));
  const size = width > 60 ? 15 : 12;
  if (!winner) return plate(width, height, "gang-plate-open");
  const r = size * 0.42;
  const total = 2 * r + 5 + wide(points, size);
  return g({ class: `gang-${winner}` },
    plate(width, height, "gang-plate-open"),
    shape(winner, -total / 2 + r, 0, r, "gang-shape"),
    label(-total / 2 + 2 * r + 5, size * 0.36, points, size, "gang-soft"));
}

function plateTip(scene, name) {
  const { view } = scene;
  const line = capital(lineWords(name));
  if (view.pending.includes(name)) return `${line} is complete. Which of two lines is counted first is chosen now.`;
  const { totals, winner, points } = settle(liveTiles(view, name), view.options, ignoredNow(view));
  const strengths = Object.keys(GANG_NAMES).filter(gang => totals[gang]).map(gang => `${GANG_NAMES[gang]} ${totals[gang]}`).join(", ");
  if (view.complete.includes(name)) {
    const results = scene.paid.get(name) ?? [];
    const when = `${line} is complete (number ${view.complete.indexOf(name) + 1} of ${view.complete.length})`;
    if (results.length === 1) return `${when}: ${resultWords(scene, results[0])}. Live strengths now: ${strengths || "none"}.`;
    const either = results.map(result => resultWords(scene, result)).join(", or ");
    return `${when}. A later shot or a seat that left hides what it paid: ${either}.`;
  }
  const free = cellsOf(name).filter(cell => !view.board[cell]).length;
  const now = winner ? `${howMany(points, "point")} to the ${GANG_NAMES[winner]} gang` : "no gang";
  const cells = `${NUMBERS[free]} free cell${free === 1 ? "" : "s"}`;
  return `${line} has ${cells}. Live strengths: ${strengths || "none"}. As it is, it would pay ${now}.`;
}
