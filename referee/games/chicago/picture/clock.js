// The first panel of the strip: phase, round, order of the gangs, rings in the bank.

import { circle, g, path, rect, round } from "./scene.js";
import { howMany } from "./wording.js";
import { option } from "./reading.js";
import { gangSign, label, panel, ringRow } from "./signs.js";
import { gangName } from "./terms.js";

export function drawClock(plan, view) {
  const [x, y, width] = plan.clock;
  const turn = view?.turn ? `turn ${view.turn}` : "";
  const options = Object.entries(view?.options ?? {}).map(([name, value]) => `${name} ${value}`).join(", ");
  const title = view?.part ? `Phase ${view.part}${view.round ? `, round ${view.round}` : ""}` : "";
  const track = plan.narrow ? [x + 10, y + 28] : [x + 12, y + 34];
  return g({ tip: `${title || "The clock"}. Every phase ends with a payment.${options ? ` Options: ${options}.` : ""}` }, panel(plan.clock),
    plan.narrow ? label(x + 164, y + 20, 12, turn, "chicago-soft") : label(x + width - 12, y + 24, 12, turn, "chicago-soft", "end"),
    label(x + (plan.narrow ? 10 : 12), y + (plan.narrow ? 20 : 24), plan.narrow ? 15 : 17, title, "chicago-strong"),
    drawTrack(view, ...track),
    plan.narrow ? drawOrder(view, x + width - 10, y + 15, 8) : drawOrder(view, x + width - 12, y + 73, 11),
    plan.narrow ? drawBank(view, x + width - 10, y + 41, "end") : drawBank(view, x + 12, y + 78, "start"));
}

// The track of the phases, a box for each round; those that are over are filled.
function drawTrack(view, x, y) {
  const phases = option(view, "phases", 4);
  const rounds = option(view, "rounds", 6);
  const now = "ABCD".indexOf(view?.part);
  return Array.from({ length: phases }, (_, part) => {
    const left = x + part * 60;
    return [label(left, y + 12, 12, "ABCD"[part], part === now ? "chicago-strong" : "chicago-soft"),
      Array.from({ length: rounds }, (_, at) => {
        const done = part < now || (part === now && (at + 1 < (view?.round ?? 0) || view?.phase === "over"));
        const current = part === now && at + 1 === view?.round && view?.phase !== "over";
        const kind = current ? "chicago-cell-now" : done ? "chicago-cell-done" : "chicago-cell";
        return rect(round(left + 11 + at * 7), y + 2, 5.5, 11, { rx: 1.5, class: kind });
      })];
  });
}

// The order of the gangs in this phase; a ring is round the gang on turn.
function drawOrder(view, right, y, r) {
  const order = view?.order ?? [];
  const step = r * 2.7;
  const at = n => round(right - r - (order.length - 1 - n) * step);
  const due = order.indexOf(view?.due?.[0]);
  return g({ tip: order.length ? `The order in this phase: ${order.map(gangName).join(", ")}.` : null },
    order.slice(1).map((_, n) => path(`M${at(n) + r * 1.2} ${y - 3}l3 3l-3 3`, { class: "chicago-chevron" })),
    order.map((letter, n) => gangSign(letter, at(n), y, r * 0.86)),
    due < 0 ? null : g({ key: "due", at: [at(due), y] }, circle(0, 0, round(r * 1.25), { class: "chicago-due" })));
}

function drawBank(view, x, y, anchor) {
  if (view?.ring_bank == null) return null;
  const left = anchor === "start" ? x : x - 84;
  return g({ key: "bank", at: [left, y], tip: `The bank has ${howMany(view.ring_bank, "ring")} left.` },
    ringRow(1, 5, -4, 5), label(15, 0, 12, `${view.ring_bank} in bank`, "chicago-soft"));
}
