// The counts of the last step, or where the game stands.

import { g, line, rect, seatMark } from "./scene.js";
import { capital, howMany } from "./wording.js";
import { label, wide } from "./lettering.js";
import { resultWords } from "./payments.js";
import { happened } from "./reading.js";
import { lineWords } from "./terms.js";
import { shape } from "./tiles.js";

export function counts(scene) {
  const { view, at, narrow } = scene;
  const [x, height] = at.strip;
  const scored = happened(scene, "scored").slice(0, 2);
  if (!scored.length) {
    const goal = view.options.target == null ? null : `first to ${view.options.target} points wins`;
    const actions = view.decisions === null ? null : howMany(view.decisions, "action");
    const where = [view.turn === null ? null : `Turn ${view.turn}`, actions, goal];
    return label(x + (narrow ? 2 : 0), at.stripY + height * 0.62, where.filter(Boolean).join(" · "), narrow ? 12 : 14, "gang-soft");
  }
  const width = narrow && scored.length === 1 ? at.headWidth : (at.headWidth - 6) / 2;
  return g({}, scored.map((event, n) =>
    g({ transform: `translate(${x + n * (width + 6)} ${at.stripY})` }, countBox(scene, event, width, height))));
}

// A line that was counted: its name, the strengths of all gangs, and what it paid.
function countBox(scene, event, width, height) {
  const size = scene.narrow ? 12 : 15;
  const middle = height / 2;
  const baseline = middle + size * 0.36;
  const words = capital(lineWords(String(event.line)));
  const [start, step] = width < 200 ? [24, 27] : [scene.narrow ? 76 : 98, 40];
  const result = { counted: true, winner: event.winner ?? null, seat: event.seat ?? null, points: event.points ?? 0 };
  const won = result.winner === null ? "0" : result.seat === null ? `${result.points} lost` : `+${result.points}`;
  return g({ tip: `${words} was counted: ${resultWords(scene, result)}.`, class: result.winner ? `gang-${result.winner}` : "" },
    rect(0, 0, width, height, { rx: 6, class: "gang-plate" }),
    label(8, baseline, width < 200 ? String(event.line) : words, size, "gang-strong"),
    Object.keys(event.totals ?? {}).map((gang, n) => countedGang(event, gang, start + n * step, middle, size)),
    label(width - 8, baseline, won, size, result.seat === null ? "gang-soft" : "gang-strong", "end"),
    result.seat === null ? null : seatMark(result.seat, width - 14 - wide(won, size) - size * 0.5, middle, size * 0.5));
}

// A gang with its strength in the line; it is struck out if it did not count.
function countedGang({ totals, winner, neutralised = [] }, gang, x, middle, size) {
  return g({ class: `gang-${gang}` },
    shape(gang, x + size * 0.4, middle, size * 0.4, "gang-shape"),
    label(x + size * 0.95, middle + size * 0.36, totals[gang], size, gang === winner ? "gang-strong" : ""),
    neutralised.includes(gang) ? line(x - 1, middle, x + size * 1.8, middle, { class: "gang-strike" }) : null);
}
