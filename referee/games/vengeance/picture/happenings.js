// What happened in the last step beyond moves and spins.

import { g, line, path, pieceShape } from "./scene.js";
import { capital } from "./wording.js";
import { hat } from "./figures.js";
import { hqPlace, inCell, inCorner, sector } from "./layout.js";
import { label } from "./lettering.js";
import { flash } from "./signs.js";
import { HQ_OF, NAMES, hoodCount } from "./terms.js";

const CAUSES = {
  ambush: "walked into an ambush", gang: "was executed as a hostage",
  rescue: "was liquidated by a rescuer", wheel: "was shot by the marksmen",
};

// What happened beyond moves: deaths, hires, freed hostages on the cells, recruits and falls at the HQs.
export function happenings(L, events) {
  const deaths = new Map();
  const badges = new Map();
  const next = (counts, name) => counts.set(name, (counts.get(name) ?? -1) + 1).get(name);
  return events.filter(event => HQ_OF[event.gang]).map(event => {
    const { gang, cell } = event;
    const name = NAMES[gang];
    const say = (value, tip) => badge(L, gang, value, tip, next(badges, gang));
    switch (event.event) {
      case "moved": return lostMove(L, event, events);
      case "killed": return burst(L, event, next(deaths, cell));
      case "hired": return ringAround(L, event, "veng-hired", `${capital(name)} has hired the marksmen on cell ${cell}.`);
      case "freed": return ringAround(L, event, "veng-freed", `The ${name} ${event.figure} on cell ${cell} is free.`);
      case "recruited": return say(`+${event.count}`, `${capital(name)} recruits ${hoodCount(event.count)}.`);
      case "reformed": return say("fallen", `The ${name} boss has fallen: he begins again with ${hoodCount(event.hq) || "no hoods"}.`);
      case "eliminated": return say("out", `The ${name} gang is out of the game.`);
      default: return null;
    }
  });
}

// The way of a figure that died where it arrived: its piece is in the pool or in the HQ by now.
function lostMove(L, event, events) {
  const isLost = events.some(({ event: name, gang, figure, cell, cause }) =>
    name === "killed" && cause === "ambush" && gang === event.gang && figure === event.figure && cell === event.to);
  if (!isLost) return null;
  const from = event.from === "hq" ? hqPlace(L, event.gang, 4) : inCell(L, L.slots[1], event.from);
  return line(...from, ...inCell(L, L.slots[1], event.to), { class: "veng-lost" });
}

function burst(L, { gang, figure, cell, cause }, number) {
  const r = L.narrow ? 9 : 15;
  // More than one die only on a danger cell, which they leave empty, so the places of the figures are free.
  const [x, y] = inCell(L, L.icon + number * r * 1.8, cell);
  // It lies on the cell, so a click on it is one on the cell.
  return g({ spot: `cell:${cell}`, tip: `The ${NAMES[gang]} ${figure} ${CAUSES[cause] ?? "was liquidated"} on cell ${cell}.` },
    flash(x, y, r),
    pieceShape(gang, x, y, r * 0.46, { class: "veng-piece" }),
    figure === "boss" ? hat(x, y - r * 0.2, r * 0.42) : null);
}

function ringAround(L, { gang, cell }, name, tip) {
  return path(sector(L, cell, L.outer + 1, L.inner + 1), { class: `${name} veng-line-${gang}`, tip });
}

function badge(L, gang, value, tip, number) {
  const size = L.narrow ? 11 : 13;
  const [x, y] = inCorner(L, gang, L.gridStart + L.gridStep * 2.45, L.gridStart + L.gridStep * 2.45 - number * size * 1.6);
  return g({ spot: `hq:${gang}`, tip }, label(x, y, value, size));
}
