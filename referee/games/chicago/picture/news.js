// The third panel of the strip: what happened in the last step.

import { g, round, shortened } from "./scene.js";
import { capital, howMany } from "./wording.js";
import { duelColumn, duelPicture, duelTip, duelsOf, waitingPicture } from "./duels.js";
import { label, panel } from "./signs.js";
import { gangName, money } from "./terms.js";

// Events as short lines for the panel of news. Duels have a panel of their own, and money is shown beside the cash.
const NEWS = {
  started: each => `${howMany(each.gangs?.length ?? 0, "gang")} meet in the city.`,
  part_began: each => `Phase ${each.part} begins.`,
  bought: each => `${each.pawn} joins ${gangName(each.gang)}: ${howMany(each.rings, "ring")}, ${money(each.price)}.`,
  placed: each => `${each.pawn} starts in ${each.at}.`,
  round_began: each => `Round ${each.part}${each.round} begins.`,
  skipped: each => `${capital(gangName(each.gang))} ${each.cause === "out" ? "is out" : "has no member"} and is skipped.`,
  rolled: each => `${capital(gangName(each.gang))} rolls ${each.points}.`,
  moved: each => `${each.pawn} goes from ${each.from} to ${each.to}${each.gate ? " by the gates" : ""}.`,
  captured: each => `${capital(gangName(each.to))} takes ${each.building}${each.from ? ` from ${gangName(each.from)}` : ""}.`,
  capture_failed: each => `${capital(gangName(each.gang))} has no token for ${each.building}.`,
  lapsed: each => `${capital(gangName(each.gang))} loses ${howMany(each.points, "point")}.`,
  paid: each => `${capital(gangName(each.gang))}: paid ${money(each.base)}${each.bonus ? ` + ${money(each.bonus)}` : ""}.`,
  goal_reached: each => `Goal of seat ${each.seat}: ${(each.goals ?? []).map(goal => GOALS[goal] ?? goal).join(", ")}.`,
};

const GOALS = { casinos: "casinos", place: "the place", five: "five members" };

// The panel of the last step: duels with their dice, the sides that wait for one, else the news in lines.
export function drawNews(plan, view, events) {
  const duels = duelsOf(events);
  const waiting = view?.duel ? [waitingPicture(view, view.duel)] : [];
  if (!duels.length && !waiting.length) return g({}, panel(plan.news), newsLines(plan, events));
  const alone = duels.length === 1 && !waiting.length;
  const parts = [...(alone ? [duelPicture(duels[0])] : duels.map(duelColumn)), ...waiting];
  return g({ tip: duels.map(duelTip).join(" ") || null }, panel(plan.news, "chicago-duel"), inRows(plan, parts));
}

const DUEL_HEIGHT = 84;
const DUEL_GAP = 12;
const LEAST_SCALE = 0.6;
const MOST_ROWS = 4;

// Parts in rows, as large as the panel allows. If they would be too small to read, the first ones are left to the list of moves.
function inRows(plan, parts) {
  const [x, y, width, height] = plan.news;
  const shown = [...parts];
  let best = bestRows(shown, width - 20, height - 4, 0);
  while (shown.length > 1 && best.scale < LEAST_SCALE) {
    shown.shift();
    best = bestRows(shown, width - 20, height - 4, MISSING);
  }
  const missing = parts.length - shown.length;
  const scale = Math.min(plan.narrow ? 1 : 1.3, best.scale);
  const tall = best.rows.length * (DUEL_HEIGHT + DUEL_GAP) - DUEL_GAP;
  return g({ transform: `translate(${x + 10} ${round(y + (height - tall * scale) / 2)}) scale(${round(scale)})` },
    missing ? label(0, 46, 18, `${missing} +`, "chicago-soft") : null,
    best.rows.map((row, down) => row.map(({ part, left }) =>
      g({ transform: `translate(${round(left)} ${down * (DUEL_HEIGHT + DUEL_GAP)})` }, part.picture))));
}

const MISSING = 40;

// The number of rows in which parts can be largest. The first row begins so far from the left.
function bestRows(parts, width, height, start) {
  let best = { scale: 0, rows: [] };
  for (let many = 1; many <= Math.min(parts.length, MOST_ROWS); many++) {
    const each = Math.ceil(parts.length / many);
    const cut = Array.from({ length: many }, (_, at) => parts.slice(at * each, (at + 1) * each)).filter(row => row.length);
    const rows = cut.map((row, at) => placed(row, at ? 0 : start));
    const widest = Math.max(...rows.map(row => row.at(-1).left + row.at(-1).part.width));
    const scale = Math.min(width / widest, height / (rows.length * (DUEL_HEIGHT + DUEL_GAP) - DUEL_GAP));
    if (scale > best.scale) best = { scale, rows };
  }
  return best;
}

function placed(parts, start) {
  let left = start;
  return parts.map(part => {
    const here = { part, left };
    left += part.width + DUEL_GAP;
    return here;
  });
}

function newsLines(plan, events) {
  const [, , width, height] = plan.news;
  const most = Math.floor((height - 6) / 19);
  const known = events.filter(each => NEWS[each.event]);
  // A move shows on the city as well, so it is the first to go if there is much to say.
  const said = (known.length > most ? known.filter(each => each.event !== "moved") : known).map(each => NEWS[each.event](each));
  return plan.narrow ? inTwoColumns(plan.news, most, said) : inLines(plan.news, said.flatMap(words => wrapped(words, (width - 24) / 8)));
}

function inTwoColumns([x, y, width], most, said) {
  const columns = said.length > most ? 2 : 1;
  const letters = Math.floor((width / columns - 16) / 6.25);
  return said.slice(0, most * columns).map((words, at) =>
    label(x + 12 + Math.floor(at / most) * (width / columns), y + 20 + (at % most) * 19, 12.5, shortened(words, letters)));
}

const LEAST_PITCH = 13;

// Lines below one another, nearer if there are many.
function inLines([x, y, , height], lines) {
  const pitch = Math.min(20, Math.max(LEAST_PITCH, (height - 12) / lines.length));
  const size = Math.min(14, pitch * 0.85);
  return lines.slice(0, Math.floor((height - 12) / pitch)).map((words, at) => label(x + 12, y + 6 + pitch * (at + 0.75), size, words));
}

// A sentence in lines of at most so many letters.
function wrapped(words, most) {
  const lines = [];
  for (const word of words.split(" ")) {
    if (lines.length && lines.at(-1).length + 1 + word.length <= most) lines.push(`${lines.pop()} ${word}`);
    else lines.push(word);
  }
  return lines;
}
