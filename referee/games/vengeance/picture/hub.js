// The middle of the ring: dice, phase, spins to come, the result.

import { circle, die, g, rect, round, seatMark, text } from "./scene.js";
import { middle } from "./lettering.js";
import { hireSign } from "./signs.js";
import { HQ_OF, NAMES, REASONS, phaseText } from "./terms.js";

export function hub(L, view) {
  const [x, y] = [L.half, L.half];
  return g({},
    circle(x, y, L.hub, { class: "veng-hub" }),
    hires(L, view),
    view.phase === "over" ? ending(L, view) : g({},
      middle(x, y + L.die * 0.5 + (L.narrow ? 10 : 14), hubText(L, view), L.narrow ? 11 : 13, "veng-strong"),
      mayStop(view) ? stopPlate(L) : null));
}

// Two bosses never use one roll, so it matters whether one has.
function hubText(L, view) {
  if (!view.boss_moved) return phaseText(view);
  return L.narrow ? "boss has moved" : `${phaseText(view)}, boss done`;
}

// The rules know `stop` only where a die may be left.
function mayStop({ phase, options = {} }) {
  return (phase === "second" && options.spare_die !== "forced") || (phase === "extra" && options.extra_die === "free");
}

function stopPlate(L) {
  const [w, h] = L.narrow ? [62, 20] : [104, 26];
  const top = L.half + L.die * 0.5 + (L.narrow ? 14 : 22);
  return g({ spot: "stop", class: "veng-plate", tip: "Stop: leave the die that is left unused." },
    rect(L.half - w / 2, top, w, h, { rx: h / 2, class: "veng-plate-ground" }),
    text(L.half, top + h * 0.68, L.narrow ? "stop" : "leave the die", { "font-size": L.narrow ? 11 : 12.5, "text-anchor": "middle" }));
}

// Spins to come, one sign for each hire.
function hires(L, view) {
  const due = (view.hires ?? []).filter(gang => HQ_OF[gang]);
  const step = L.narrow ? 17 : 28;
  const y = L.half - L.hub + (L.narrow ? 13 : 22);
  return due.map((gang, number) => {
    const x = L.half + (number - (due.length - 1) / 2) * step;
    return g({ tip: `The marksmen are hired by ${NAMES[gang]}: the wheel will be spun after the moves.` },
      hireSign(gang, x, y, L.narrow ? 7.5 : 12));
  });
}

// The dice of the roll, those already used pale, and the extra die of a double.
function diceOf(view) {
  const left = [...(view.dice ?? [])];
  const isExtra = view.phase === "extra";
  const roll = (view.roll ?? []).map((value, number) => {
    const at = isExtra ? -1 : left.indexOf(value);
    if (at >= 0) left.splice(at, 1);
    return { key: `die:${number}`, value, isUsed: at < 0 };
  });
  return isExtra ? [...roll, ...left.map((value, number) => ({ key: `die:extra${number}`, value, isUsed: false }))] : roll;
}

export function dice(L, view) {
  if (view.phase === "over") return [];
  const shown = diceOf(view);
  const step = L.die * (shown.length > 2 ? 1.08 : 1.25);
  return shown.map(({ key, value, isUsed }, number) => {
    const x = L.half + (number - (shown.length - 1) / 2) * step;
    const size = shown.length > 2 ? L.die * 0.95 : L.die;
    return g({
      key, at: [round(x), L.half - L.die * (L.narrow ? 0.25 : 0.3)], state: `${view.turn} ${value}`, class: isUsed ? "veng-used" : "",
      tip: isUsed ? `A die with a ${value}: it has been used or left.` : `A die with a ${value}, still to be used.`,
    }, g({ transform: `translate(${round(-size / 2)} ${round(-size / 2)})` }, die(value, size)));
  });
}

function ending(L, view) {
  const winners = (view.ranking ?? []).flatMap((rank, seat) => (rank === 1 ? [seat] : []));
  const hasWon = view.reason === "goal" || view.reason === "last_seat";
  const r = L.narrow ? 11 : 18;
  return g({ tip: `The game is over: ${REASONS[view.reason] ?? view.reason ?? ""}.` },
    winners.map((seat, number) => seatMark(seat, L.half + (number - (winners.length - 1) / 2) * r * 2.4, L.half - r * 1.1, r)),
    middle(L.half, L.half + (L.narrow ? 15 : 28), hasWon ? "wins" : "first", L.narrow ? 13 : 17, "veng-strong"),
    L.narrow ? null : middle(L.half, L.half + 50, REASONS[view.reason] ?? "", 12, "veng-soft"));
}
