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

function countBox(scene, event, width, height) {
  const size = scene.narrow ? 12 : 15;
  const middle = height / 2;
  const baseline = middle + size * 0.36;
  const title = width < 200 ? String(event.line) : capital(lineWords(String(event.line)));
  const start = width < 200 ? 24 : scene.narrow ? 76 : 98;
  const step = width < 200 ? 27 : 40;
  const gangs = Object.keys(event.totals ?? {});
  const name = String(event.line);
  const result = { counted: true, winner: event.winner ?? null, seat: event.seat ?? null, points: event.points ?? 0 };
  const totals = gangs.map((gang, n) => {
    const x = start + n * step;
    const isOut = (event.neutralised ?? []).includes(gang);
    return g({ class: `gang-${gang}` },
      shape(gang, x + size * 0.4, middle, size * 0.4, "gang-shape"),
      label(x + size * 0.95, baseline, event.totals[gang], size, gang === event.winner ? "gang-strong" : ""),
      isOut ? line(x - 1, middle, x + size * 1.8, middle, { class: "gang-strike" }) : null);
  });
  const won = result.winner === null ? "0" : result.seat === null ? `${result.points} lost` : `+${result.points}`;
  const tip = `${capital(lineWords(name))} was counted: ${resultWords(scene, result)}.`;
  return g({ tip, class: result.winner ? `gang-${result.winner}` : "" },
    rect(0, 0, width, height, { rx: 6, class: "gang-plate" }),
    label(8, baseline, title, size, "gang-strong"),
    totals,
    label(width - 8, baseline, won, size, result.seat === null ? "gang-soft" : "gang-strong", "end"),
    result.seat === null ? null : seatMark(result.seat, width - 14 - wide(won, size) - size * 0.5, middle, size * 0.5));
}
