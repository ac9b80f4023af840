// The picture of Chicago: the city, and a strip with the clock, the decision, the last events and the gangs.

import city from "../board.json" with { type: "json" };
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
  const { x, y, k } = plan.strip;
  return g({ class: "chicago-picture" },
    drawGround(plan), drawStreets(plan, gateCost(view)), drawBuildings(plan, view), drawDoors(plan),
    g({ transform: `translate(${x} ${y}) scale(${k})` },
      drawClock(plan, view), drawDecision(plan, view, names), drawNews(plan, view, events),
      drawCards(plan, view, events, names), drawRoster(plan, view)),
    drawMembers(plan, view, events), drawHappenings(plan, events));
}

export const board = {
  size(view, { narrow = false } = {}) {
    const { width, height } = layout(view, narrow);
    return [width, height];
  },
  focus(view, { narrow = false } = {}) {
    const plan = layout(view, narrow);
    return [plan.x, plan.y].map(edge => edge + (plan.s * city.size) / 2);
  },
  draw: (view, more) => draw(view ?? {}, more ?? {}),
  spots: (view, action) => spots(action),
  legend,
};
