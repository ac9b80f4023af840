// The second panel of the strip: what is to be decided, with the plates to click, or how the game ended.

import { circle, g, rect, round, seatMark, shortened } from "./scene.js";
import { capital, howMany } from "./wording.js";
import { actingGang, membersOf } from "./reading.js";
import { gangSign, label, moveDie, panel, ringRow } from "./signs.js";
import { FORCES, VALUES, gangName, inFull, money } from "./terms.js";

// What is to be decided, by which gang, with the plates to click.
export function drawDecision(plan, view, names) {
  const [x, y, width] = plan.decision;
  const size = plan.narrow ? 13 : 14;
  const letter = actingGang(view);
  if (view?.phase === "over") return g({}, panel(plan.decision), drawVerdict(plan, view, names));
  return g({}, panel(plan.decision, "chicago-asked"),
    letter ? gangSign(letter, x + 19, y + 19, 10) : null,
    label(x + 36, y + 24, size, sentence(view, letter), "chicago-strong"),
    drawChoices(plan, view, x + 10, y + (plan.narrow ? 33 : 36), width - 20, plan.narrow ? 28 : 48));
}

function sentence(view, letter) {
  const gang = capital(gangName(letter));
  const first = membersOf(view?.gangs?.[letter]).find(([, , at]) => !at)?.[0];
  return {
    part_buy: `${gang} buys for phase ${view?.part ?? ""}`,
    turn_buy: `${gang} may buy, then rolls`,
    place: `${gang} places ${first ?? "members"}`,
    move: `${gang} moves: ${howMany(view?.points ?? 0, "point")} left`,
    join: `${gang}: ${howMany(view?.points ?? 0, "point")} left to join`,
    pick: `${gang} picks the next duel`,
  }[view?.phase] ?? "";
}

function drawChoices(plan, view, x, y, width, height) {
  const phase = view?.phase;
  if (phase === "part_buy" || phase === "turn_buy") {
    const plates = phase === "part_buy" ? [1, 2, 3, "done"] : [1, 2, "done"];
    const each = (width - 6 * (plates.length - 1)) / plates.length;
    return plates.map((what, at) => {
      const box = [x + at * (each + 6), y, each, height];
      return what === "done" ? plate("done", "End the purchase.", box, "Done") : buyPlate(view, what, box);
    });
  }
  if (phase === "move" || phase === "join") {
    const isJoin = phase === "join";
    return [drawPoints(plan, view, x, y, width - (isJoin ? 96 : 0), height),
      isJoin ? plate("attack", "Begin the duels.", [x + width - 90, y, 90, height], "Attack") : null];
  }
  if (phase === "place") return label(x + 26, y + 16, 12, "in a building that it owns", "chicago-soft");
  if (phase === "pick") return label(x + 26, y + 16, 12, `from those who are in ${view?.duel?.at ?? "the building"}`, "chicago-soft");
  return null;
}

function plate(spot, tip, [x, y, width, height], words) {
  return g({ spot, tip, class: "chicago-plate" },
    rect(round(x), y, round(width), height, { rx: 5 }),
    label(x + width / 2, y + height / 2 + 5, 14, words, "chicago-strong", "middle"));
}

// The price list: a new member with so many rings. A plate is dim if the gang has not enough money.
function buyPlate(view, rings, [x, y, width, height]) {
  const isDim = (view?.gangs?.[view?.due?.[0]]?.cash ?? 0) < VALUES[rings];
  const isFlat = height < 40;
  const middle = x + width / 2;
  const tip = `Buy a member with ${howMany(rings, "ring")} (${FORCES[rings]}) for ${inFull(VALUES[rings])}.`;
  return g({ spot: `buy:${rings}`, tip, class: `chicago-plate${isDim ? " chicago-dim" : ""}` },
    rect(round(x), y, round(width), height, { rx: 5 }),
    isFlat ? ringRow(rings, x + width * 0.28, y + height / 2, 4.2) : ringRow(rings, middle, y + 15, 5.5),
    isFlat ? label(x + width * 0.72, y + height / 2 + 5, 13, money(VALUES[rings]), "chicago-strong", "middle")
      : label(middle, y + 39, 14, money(VALUES[rings]), "chicago-strong", "middle"));
}

// The move die, and a dot for every point that is left.
function drawPoints(plan, view, x, y, width, height) {
  const points = view?.points ?? 0;
  const r = plan.narrow ? 15 : 24;
  const left = x + 2 * r + 14;
  const step = Math.min(15, (width - 2 * r - 24) / Math.max(1, points));
  return g({ tip: `${howMany(points, "point")} left of the roll; all must be used.` },
    moveDie(points, x + r, y + height / 2, r),
    Array.from({ length: points }, (_, at) =>
      circle(round(left + at * step), y + height / 2, round(step * 0.34), { class: "chicago-point" })));
}

// How the game ended: the winners, and why.
function drawVerdict(plan, view, names) {
  const [x, y, width] = plan.decision;
  const ranking = view?.ranking ?? [];
  const best = Math.min(...ranking);
  const winners = ranking.flatMap((rank, seat) => rank === best ? [seat] : []);
  const words = winners.length > 1 ? "A draw of" : "Winner";
  const why = { goal: "reached a goal", wealth: "richest at the end" }[view?.reason] ?? view?.reason ?? "";
  const step = (width - 20) / winners.length;
  const letters = Math.max(3, Math.floor((step - 30) / 9.5));
  return g({ tip: `The game is over: ${words.toLowerCase()} ${winners.map(seat => `seat ${seat}`).join(", ")}, ${why}.` },
    label(x + 12, y + 22, 13, `Game over. ${words}:`, "chicago-soft"),
    winners.map((seat, at) => g({}, seatMark(seat, round(x + 22 + at * step), y + 42, 10),
      label(x + 38 + at * step, y + 47, 15, shortened(names?.[seat] || `seat ${seat}`, letters), "chicago-strong"))),
    plan.narrow ? label(x + width - 12, y + 22, 13, why, "", "end") : label(x + 12, y + 74, 13, why, ""));
}
