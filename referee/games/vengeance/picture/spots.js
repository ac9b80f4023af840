// The places of an action, in the order in which people click on them.

import { COUNT, HQ_OF, LAP } from "./terms.js";

const cellAfter = (cell, points) => (cell + points) % COUNT;

// Where a move arrives. From the HQ the first point is the cell behind the door.
function target(gang, from, points) {
  return `cell:${from === "hq" ? cellAfter(HQ_OF[gang].exit, points - 1) : cellAfter(Number(from), points)}`;
}

export function spots(view, action) {
  const [verb, gang, ...rest] = action.split(" ");
  if (verb === "stop" || !HQ_OF[gang]) return ["stop"];
  if (verb === "boss") {
    const { boss, progress } = view.gangs[gang];
    const points = Number(rest[0]);
    return [`boss:${gang}`, boss !== "hq" && progress + points === LAP ? `hq:${gang}` : target(gang, boss, points)];
  }
  const points = verb === "sum" ? view.dice.reduce((sum, value) => sum + value, 0) : Number(rest[1]);
  return [rest[0] === "hq" ? `hq:${gang}` : `cell:${rest[0]}`, target(gang, rest[0], points)];
}
