// All hoods, each with a place and a key. Hoods of one gang are the same, so a view has no names for them; a key is made of where a
// hood was before the last step, which the events say. So a hood keeps its element while it moves.

import { g } from "./scene.js";
import { cuffs, deadHood, hoodToken } from "./figures.js";
import { AROUND, hqPlace, inCell, poolPlace } from "./layout.js";
import { tick } from "./signs.js";
import { HOODS, HQ_OF, NAMES } from "./terms.js";

// All hoods with a place and a slot in it. Hoods of one gang are the same, so a view has no names for them; a key is made
// of where a hood was before the last step, which the events say. So a hood keeps its element while it moves.
export function hoodsOf(view, events) {
  return Object.keys(view.gangs ?? {}).filter(gang => HQ_OF[gang]).flatMap(gang => {
    const hoods = standing(view, gang);
    trace(hoods, gang, events);
    return withKeys(hoods, gang);
  });
}

// The hoods of a gang where they are now; `from` is where they were, as far as is known yet.
function standing(view, gang) {
  const { hq = 0, pool = 0 } = view.gangs[gang];
  const put = (place, count, held = false) =>
    Array.from({ length: Math.max(0, Math.min(HOODS, count)) }, (_, slot) => ({ gang, place, slot, held, from: place }));
  const onCells = Object.entries(view.cells ?? {}).flatMap(([cell, content]) => {
    const free = content.gang === gang ? put(cell, content.hoods ?? 0).map(hood => ({ ...hood, holds: Boolean(content.hostage) })) : [];
    const isHeld = content.hostage?.gang === gang && !content.hostage.boss;
    return isHeld ? [...free, ...put(cell, 1, true)] : free;
  });
  return [...put("hq", hq), ...onCells, ...put("pool", pool)];
}

// Follow the events of a step backwards, to where each hood was before it.
function trace(hoods, gang, events) {
  const back = (place, from) => {
    const hood = hoods.findLast(each => each.from === String(place));
    if (hood) hood.from = String(from);
  };
  for (const event of events.filter(each => each.gang === gang).reverse()) {
    if (event.event === "reformed" || event.event === "eliminated") {
      // The whole gang was swept off the board; events do not say from where.
      for (const hood of hoods) hood.from = "new";
      return;
    }
    if (event.event === "moved" && event.figure === "hood") back(event.to, event.from);
    if (event.event === "killed" && event.figure === "hood") back("pool", event.cell);
    if (event.event === "recruited") for (let n = 0; n < event.count; n++) back("hq", "pool");
  }
}

// Those who stayed come first, as the one who leaves a place is always the last one there.
function withKeys(hoods, gang) {
  const numbers = new Map();
  const stayed = hoods.filter(hood => hood.from === hood.place);
  for (const hood of [...stayed, ...hoods.filter(each => each.from !== each.place)]) {
    const number = numbers.get(hood.from) ?? 0;
    numbers.set(hood.from, number + 1);
    hood.key = `hood:${gang}:${hood.from}:${number}`;
  }
  return hoods;
}

function hoodPoint(L, { gang, place, slot, held, holds }) {
  if (place === "hq") return hqPlace(L, gang, AROUND[slot]);
  if (place === "pool") return poolPlace(L, gang, slot);
  // A lone hood stands in the middle. The outer place is for a boss, a kidnapper or a third hood, the inner one for a hostage.
  return inCell(L, L.slots[held ? 2 : holds ? 0 : [1, 2, 0][slot] ?? 1], place);
}

export function hoodPiece(L, hood) {
  const { gang, place, held, key } = hood;
  const inPool = place === "pool";
  const spot = inPool ? null : place === "hq" ? `hq:${gang}` : `cell:${place}`;
  const where = inPool ? "in the pool: liquidated, it can be recruited" : place === "hq" ? "in its HQ" : `on cell ${place}`;
  return g({
    key, at: hoodPoint(L, hood), spot, trail: !inPool && hood.from !== place, state: held ? "held" : "free",
    tip: `A hood of the ${NAMES[gang]} gang, ${where}${held ? ", held as a hostage: it cannot move" : ""}.`,
  }, inPool ? deadHood(gang, L.poolHood) : hoodToken(gang, L.hood, L.narrow), held ? cuffs(L.hood) : null);
}

// The hood that has used a die of this roll cannot use another.
export function usedMark(L, view, hoods) {
  const { gang, cell } = view.moved ?? {};
  const hood = hoods.findLast(each => each.gang === gang && each.place === String(cell) && !each.held);
  if (!hood) return null;
  const [x, y] = hoodPoint(L, hood);
  return g({ spot: `cell:${cell}`, tip: "This hood has used a die of this roll." },
    tick(x + L.hood * 0.85, y - L.hood * 0.85, L.hood * 0.62));
}
