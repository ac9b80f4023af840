// The right panel of the strip: what happened in the last step.

import { g, round, shortened } from "./scene.js";
import { capital, howMany } from "./wording.js";
import { duelColumn, duelPicture, duelTip, duelsOf, waitingPicture } from "./duels.js";
import { label, panel } from "./signs.js";
import { gangName, money, sum } from "./terms.js";

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
  return g({ tip: duels.map(duelTip).join(" ") || null }, panel(plan.news, "chicago-duel"), sideBySide(plan.news, parts));
}

const DUEL_HEIGHT = 84;
const DUEL_GAP = 12;
const LEAST_SCALE = 0.6;

// Parts in a row, smaller if they need to be. If they would be too small to read, the first ones are left to the list of moves.
function sideBySide([x, y, width, height], parts) {
  const shown = [...parts];
  const total = () => sum(shown.map(part => part.width)) + DUEL_GAP * (shown.length - 1) + (shown.length < parts.length ? 40 : 0);
  while (shown.length > 1 && (width - 20) / total() < LEAST_SCALE) shown.shift();
  const scale = Math.min(1, (width - 20) / total(), (height - 4) / DUEL_HEIGHT);
  const missing = parts.length - shown.length;
  let left = missing ? 40 : 0;
  return g({ transform: `translate(${x + 10} ${round(y + (height - DUEL_HEIGHT * scale) / 2)}) scale(${round(scale)})` },
    missing ? label(0, 46, 18, `${missing} +`, "chicago-soft") : null,
    shown.map(part => {
      const here = g({ transform: `translate(${round(left)} 0)` }, part.picture);
      left += part.width + DUEL_GAP;
      return here;
    }));
}

function newsLines(plan, events) {
  const [x, y, width, height] = plan.news;
  const most = Math.floor((height - 6) / 19);
  const known = events.filter(each => NEWS[each.event]);
  // A move shows on the city as well, so it is the first to go if there is much to say.
  const said = (known.length > most ? known.filter(each => each.event !== "moved") : known).map(each => NEWS[each.event](each));
  const size = said.length > 3 || plan.narrow ? 12.5 : 15;
  const columns = said.length > most ? 2 : 1;
  const letters = Math.floor((width / columns - 16) / (size * 0.5));
  return said.slice(0, most * columns).map((words, at) =>
    label(x + 12 + Math.floor(at / most) * (width / columns), y + 20 + (at % most) * 19, size, shortened(words, letters)));
}
