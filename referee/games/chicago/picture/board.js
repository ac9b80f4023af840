// The picture of Chicago: a strip with the clock, the decision, the last events and the gangs, and below it the city.

import { g } from "./scene.js";
import { drawBuildings, drawDoors } from "./buildings.js";
import { drawClock } from "./clock.js";
import { drawDecision } from "./decision.js";
import { drawHappenings } from "./duels.js";
import { drawCards } from "./gang_cards.js";
import { layout } from "./layout.js";
import { legend } from "./legend.js";
import { drawMembers, drawRoster } from "./members.js";
import { drawNews } from "./news.js";
import { gateCost } from "./reading.js";
import { spots } from "./spots.js";
import { drawGround, drawStreets } from "./streets.js";

function draw(view, { events = [], names = [], narrow = false }) {
  const plan = layout(view, narrow);
  return g({ class: "chicago-picture" },
    drawGround(plan), drawStreets(plan, gateCost(view)), drawBuildings(plan, view), drawDoors(plan),
    drawClock(plan, view), drawDecision(plan, view, names), drawNews(plan, view, events),
    drawCards(plan, view, events, names), drawRoster(plan, view),
    drawMembers(plan, view, events), drawHappenings(plan, events));
}

export const board = {
  size(view, { narrow = false } = {}) {
    const { width, height } = layout(view, narrow);
    return [width, height];
  },
  draw: (view, more) => draw(view ?? {}, more ?? {}),
  spots: (view, action) => spots(action),
  legend,
};
