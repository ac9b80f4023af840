// The cards of the seats: score, reserve, cartridges, the way to the goal; and the gangs without a seat.

import { g, line, path, rect, round, seatMark } from "./scene.js";
import { howMany } from "./wording.js";
import { slotAt } from "./layout.js";
import { label, wide, wideBold } from "./lettering.js";
import { nameOf, winnersOf } from "./reading.js";
import { GANG_NAMES } from "./terms.js";
import { cartridge, chipOf, gangBadge } from "./tiles.js";

export function seatCard(scene, seat) {
  const { view, at, narrow } = scene;
  const { x, y, width, height } = at.cards[seat];
  const acts = view.to_act.includes(seat);
  const hasLeft = view.withdrawn.includes(seat);
  const wins = winnersOf(view).includes(seat);
  const chip = acts ? ["to act", "gang-chip-acts"] : hasLeft ? ["left", "gang-chip"] : wins ? ["wins", "gang-chip"] : null;
  const score = String(view.scores[seat]);
  const scoreSize = narrow ? 24 : 32;
  const nameSize = narrow ? 14 : 16;
  const room = width - 39 - wide(score, scoreSize) - 16 - (seat === view.you ? 40 : 0);
  const name = nameOf(scene, seat, Math.max(5, Math.floor(room / wideBold("n", nameSize))));
  return g({ class: `seat${seat}`, tip: seatTip(scene, seat) },
    rect(x, y, width, height, { rx: 8, class: acts ? "gang-card-acts" : wins ? "gang-card-wins" : "gang-card" }),
    path(`M${x + 8} ${y}h-2a6 6 0 0 0 -6 6v${height - 12}a6 6 0 0 0 6 6h2z`, { class: "gang-stripe" }),
    seatMark(seat, x + 24, y + 18, narrow ? 9 : 10),
    label(x + 39, y + 23, name, nameSize, "gang-strong"),
    seat === view.you ? chipOf(x + 39 + wideBold(name, nameSize) + 5, y + 9, "you", "gang-chip") : null,
    g({ key: `score:${seat}`, at: [x + width - 10, y + scoreSize * 0.85 + 2], state: score },
      label(0, 0, score, scoreSize, "gang-strong", "end")),
    standing(scene, seat, chip),
    reserveSlots(scene, seat), cartridges(scene, seat), track(scene, seat));
}

// The gang of a seat, its rank, and at which count it reached its score.
function standing({ view, at, narrow }, seat, chip) {
  const { x, y, width } = at.cards[seat];
  const gang = view.gangs[seat];
  const rank = view.ranking?.[seat];
  const words = [gang ? `${GANG_NAMES[gang]}${narrow ? "" : " gang"}` : null, rank ? `rank ${rank}` : null,
    !narrow && view.reached[seat] ? `since count ${view.reached[seat]}` : null].filter(Boolean).join(" · ");
  const chipWidth = chip ? wide(chip[0], 12) + 10 : 0;
  return [
    gang ? gangBadge(gang, x + 24, y + 39, narrow ? 5.5 : 6.5) : null,
    label(x + 39, y + 43.5, words, narrow ? 12 : 13, "gang-soft"),
    chip ? chipOf(x + width - 10 - chipWidth, y + (narrow ? 32 : 48), ...chip) : null,
  ];
}

function seatTip(scene, seat) {
  const { view } = scene;
  const gang = view.gangs[seat] ? ` leads the ${GANG_NAMES[view.gangs[seat]]} gang and` : "";
  const since = !view.reached[seat] ? ""
    : `, reached at count ${view.reached[seat]} of those that paid a seat; of equal scores the earlier one is better`;
  const left = view.withdrawn.includes(seat) ? " It has left the game." : "";
  return `${nameOf(scene, seat)}${seat === view.you ? " (you)" : ""}${gang} has ${howMany(view.scores[seat], "point")}${since}.${left}`;
}

function reserveSlots({ view, at }, seat) {
  if (view.withdrawn.includes(seat)) return null;
  return [1, 2, 3].map(strength => {
    const [x, y] = slotAt(at, seat, strength);
    return rect(x - at.slot / 2, y - at.slot / 2, at.slot, at.slot, { rx: 5, class: "gang-slot" });
  });
}

function cartridges({ view, at, narrow }, seat) {
  if (view.withdrawn.includes(seat)) return null;
  const left = view.cartridges[seat] ?? 0;
  const [x, y] = slotAt(at, seat, 4);
  const start = x + at.slot / 2 + (narrow ? 7 : 14);
  const shown = left > (narrow ? 2 : 3) ? 1 : left;
  return g({ key: `cartridges:${seat}`, at: [start, y], state: String(left), spot: left ? `cartridge:${seat}` : null,
    tip: `${howMany(left, "cartridge")} left: each is one shot at a tile next to a live one of the own gang.` },
    // An area to click on, since cartridges are slim.
    left ? rect(-3, -17, 13 * shown + (shown < left ? 26 : 4), 34, { "fill-opacity": 0 }) : cartridge(0, "gang-spent", "gang-spent"),
    Array.from({ length: shown }, (_, n) => cartridge(n * 13, "gang-shell", "gang-bullet")),
    shown < left ? label(12, 5, `×${left}`, narrow ? 12 : 14, "gang-strong") : null);
}

// The way to the goal.
function track({ view, at }, seat) {
  const { x, y, width, height } = at.cards[seat];
  const goal = view.options.target;
  if (!goal) return null;
  const [left, long] = [x + 14, width - 24];
  const share = Math.min(1, (view.scores[seat] ?? 0) / goal);
  return [
    rect(left, y + height - 8, long, 4.5, { rx: 2, class: "gang-track" }),
    share > 0 ? rect(left, y + height - 8, round(long * share), 4.5, { rx: 2, class: "gang-track-score" }) : null,
    goal <= 30 ? Array.from({ length: goal - 1 }, (_, n) => {
      const tick = round(left + (long * (n + 1)) / goal);
      return line(tick, y + height - 8, tick, y + height - 3.5, { class: "gang-track-tick" });
    }) : null,
  ];
}

export function neutralGangs({ view, at }) {
  if (!at.neutral) return null;
  const { x, y, isStacked } = at.neutral;
  const place = n => (isStacked ? [x + 8, y + 36 + 22 * n] : [x + 116 + n * 76, y + 13.5]);
  const tip = view.options.neutral === "ignored" ? "Gangs that no seat leads. They are left out of counts."
    : "Gangs that no seat leads. They take part in counts, and points that they win are lost.";
  return g({ tip },
    label(x + 2, y + 18, "Neutral gangs", 13, "gang-soft"),
    view.neutral.map((gang, n) => {
      const [cx, cy] = place(n);
      return [gangBadge(gang, cx, cy, 6), label(cx + 11, cy + 4.5, GANG_NAMES[gang] ?? gang, 13)];
    }));
}
