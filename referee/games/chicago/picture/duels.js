// Duels: the pictures of the strip with their dice, and the flashes on the city.

import { circle, die, g, path, round } from "./scene.js";
import { howMany } from "./wording.js";
import { outlineAround } from "./buildings.js";
import { NODES, PLANS, lastSquare } from "./city_plan.js";
import { placeOf } from "./layout.js";
import { allMembers } from "./reading.js";
import { label, pawnPicture } from "./signs.js";
import { money } from "./terms.js";

// The duels of a step: who fought, every pair of throws, who died, who won what.
export function duelsOf(events) {
  const duels = [];
  for (const each of events) {
    const last = duels.at(-1);
    if (each.event === "duel_began") duels.push({ attacker: each.attacker, defender: each.defender, at: each.at, throws: [], dead: [] });
    else if (!last) continue;
    else if (each.event === "thrown") last.throws.push({ values: each.values ?? [], rings: each.rings ?? [] });
    else if (each.event === "lost_ring") last.left = each.rings;
    else if (each.event === "died") last.dead.push(each.pawn);
    else if (each.event === "won") last.won = each;
  }
  return duels;
}

// A duel: attacker above, defender below, a column of two dice for every throw, and what came of it.
export function duelPicture(duel) {
  const start = 162;
  const words = [[duel.attacker, 22, "attacks"], [duel.defender, 62, "defends"]].map(([pawn, y, does]) => [
    label(36, y - 3, 13, `${pawn} ${does}`),
    label(36, y + 13, 12, resultOf(duel, pawn), duel.dead.includes(pawn) ? "chicago-soft" : "chicago-strong")]);
  return { picture: g({ tip: duelTip(duel) }, duelPawns(duel), duelDice(duel, start), words),
    width: start + duel.throws.length * DICE_STEP - 8 };
}

const DICE_STEP = 42;

// A duel without words, where there are several.
export function duelColumn(duel) {
  return { picture: g({ tip: duelTip(duel) }, duelPawns(duel), duelDice(duel, 36)), width: 36 + duel.throws.length * DICE_STEP - 8 };
}

function duelPawns(duel) {
  const first = duel.throws[0]?.rings ?? [];
  return [[duel.attacker, 22], [duel.defender, 62]].map(([pawn, y], side) =>
    g({ transform: `translate(16 ${y})` }, pawnPicture(pawn, first[side] ?? 0, 12, duel.dead.includes(pawn))));
}

function duelDice(duel, left) {
  const outcome = (mine, other) => mine > other ? "chicago-better" : mine < other ? "chicago-worse" : null;
  return duel.throws.map(({ values }, at) => {
    const x = left + at * DICE_STEP;
    const pair = [[0, 4], [1, 44]].map(([side, y]) => g({ class: outcome(values[side], values[1 - side]) },
      die(values[side], 34, { transform: `translate(${x} ${y})` })));
    return [pair, values[0] === values[1] ? label(x + 17, 46, 13, "=", "chicago-strong", "middle") : null];
  });
}

function resultOf(duel, pawn) {
  if (duel.dead.includes(pawn)) return "is dead";
  if (duel.won && duel.won.pawn === pawn) return `wins ${money(duel.won.reward)}: ${howMany(duel.won.rings, "ring")}`;
  return "is left";
}

export function duelTip(duel) {
  const throws = duel.throws.map(({ values }) => values.join(" to ")).join(", ");
  const dead = duel.dead.length ? ` Dead: ${duel.dead.join(", ")}.` : "";
  return `Duel at ${duel.at}: ${duel.attacker} attacks ${duel.defender}. Throws: ${throws}.${dead}`;
}

// The two sides of duels that have not begun: people pick from them.
export function waitingPicture(view, duel) {
  const rings = new Map(allMembers(view).map(({ pawn, rings: has }) => [pawn, has]));
  const rows = [[duel.attackers ?? [], 22, "attack"], [duel.defenders ?? [], 62, "defend"]];
  const longest = Math.max(1, ...rows.map(([pawns]) => pawns.length));
  const step = Math.max(22, Math.min(32, 240 / longest));
  const draw = (pawn, at, y) => g({ transform: `translate(${round(60 + at * step)} ${y})`, spot: `pawn:${pawn}`,
    tip: `${pawn} with ${howMany(rings.get(pawn) ?? 0, "ring")}.` }, pawnPicture(pawn, rings.get(pawn) ?? 0, Math.min(12, step * 0.42)));
  const picture = g({ tip: `Duels at ${duel.at}: ${rows[0][0].join(", ")} against ${rows[1][0].join(", ")}.` },
    rows.map(([pawns, y, does]) => [label(0, y + 4, 12, does, "chicago-soft"), pawns.map((pawn, at) => draw(pawn, at, y))]),
    label(0, 46, 12, `in ${duel.at}`, "chicago-strong"));
  return { picture, width: 44 + longest * step };
}

// Flashes on the city: where a duel was, and who died there.
export function drawHappenings(plan, events) {
  const duels = duelsOf(events);
  const places = [...new Set(duels.map(({ at }) => at))].filter(id => NODES.has(id));
  return g({ class: "chicago-over" }, places.map(id => duelFlash(plan, id)), places.map(id => {
    const dead = duels.filter(({ at }) => at === id).flatMap(duel => duel.dead);
    const [x, y] = deathPlace(plan, id);
    return dead.map((pawn, n) => {
      const [left, top] = [x - plan.s * 0.44 * (n % 8), y + plan.s * 0.5 * Math.floor(n / 8)].map(round);
      return g({ transform: `translate(${left} ${top})` }, pawnPicture(pawn, 0, round(plan.s * 0.2), true));
    });
  }));
}

// A building flashes along its wall, a street square in a circle.
function duelFlash(plan, id) {
  const width = { class: "chicago-flash", "stroke-width": round(plan.s * 0.08) };
  if (PLANS.has(id)) return path(outlineAround(plan, PLANS.get(id), -0.04, [0, 0]), width);
  return circle(...placeOf(plan, id), round(plan.s * 0.55), width);
}

// The dead lie at the lower right corner, where they hide neither name nor income.
function deathPlace(plan, id) {
  const [x, y] = NODES.get(id).squares ? lastSquare(NODES.get(id).squares) : NODES.get(id).xy;
  return [plan.x + (x + 1) * plan.s, plan.y + (y + 1) * plan.s];
}
