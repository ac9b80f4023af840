// The HQs in the corners, with their doors.

import { circle, g, line, path, seatMark } from "./scene.js";
import { AROUND, hqPlace, inCorner, polar, poolPlace, turnOf } from "./layout.js";
import { middle } from "./lettering.js";
import { padlock } from "./signs.js";
import { HOODS, HQ_OF, NAMES, hoodCount } from "./terms.js";

export function hqPicture(L, view, gang) {
  const owner = view.gangs?.[gang];
  const isDue = (view.due ?? []).includes(gang);
  const state = !owner ? "absent" : owner.state === "out" ? "out" : isDue ? "due" : "idle";
  return g({ spot: `hq:${gang}`, class: `veng-hq veng-hq-${state}`, tip: hqTip(view, gang) },
    path(cornerShape(L, gang), { class: "veng-hq-ground" }),
    owner ? path(cornerShape(L, gang), { class: `veng-hq-tint piece-${gang}` }) : null,
    owner ? hqPlaces(L, gang) : null,
    hqLabels(L, view, gang, owner));
}

function hqTip(view, gang) {
  const owner = view.gangs?.[gang];
  if (!owner) return `The ${NAMES[gang]} gang is not in this game.`;
  const inside = `${owner.boss === "hq" ? "the boss and " : ""}${hoodCount(owner.hq) || "no hoods"}`;
  const lock = owner.locked ? " It is locked until this turn is over." : "";
  return `The HQ of the ${NAMES[gang]} gang, seat ${owner.seat}: ${inside} inside, ${owner.pool} in the pool.${lock}`;
}

// What the ring leaves of a corner of the square.
function cornerShape(L, gang) {
  const edge = L.narrow ? 2 : 3;
  const r = L.outer + (L.narrow ? 3 : 6);
  const depth = L.narrow ? 22 : 36;
  const reach = L.half - Math.sqrt(r * r - (L.half - depth) ** 2);
  const points = [[edge, edge], [reach, edge], [reach, depth], [depth, reach], [edge, reach]]
    .map(([a, b]) => inCorner(L, gang, a, b).join(" "));
  const turn = turnOf(HQ_OF[gang].exit);
  const isMirrored = Math.cos(turn) < 0 === Math.sin(turn) < 0 ? 0 : 1;
  return `M${points[0]}L${points[1]}L${points[2]}A${r} ${r} 0 0 ${isMirrored} ${points[3]}L${points[4]}Z`;
}

function hqPlaces(L, gang) {
  return g({},
    [...AROUND, 4].map(slot => circle(...hqPlace(L, gang, slot), slot === 4 ? L.boss * 0.8 : L.hood * 0.5, { class: "veng-place" })),
    Array.from({ length: HOODS }, (_, slot) => circle(...poolPlace(L, gang, slot), L.poolHood * 0.4, { class: "veng-place" })));
}

function hqLabels(L, view, gang, owner) {
  const at = (a, b) => inCorner(L, gang, a, b);
  if (!owner) return middle(...hqPlace(L, gang, 4), "absent", L.small, "veng-soft");
  const base = L.gridStart + 3 * L.gridStep;
  const [markX, markY] = at(L.narrow ? 12 : 19, L.narrow ? base + 1 : base + 4);
  const [nameX, nameY] = at(L.narrow ? 31 : 54, L.narrow ? base + 1 : base + 4);
  const [lockX, lockY] = at(L.narrow ? 11 : 19, L.narrow ? base + 18 : base + 30);
  const [poolX, poolY] = at(L.poolStart + (L.narrow ? 8 : 12), L.poolTop + L.poolStep * 2 + (L.narrow ? 2 : 4));
  return g({},
    seatMark(owner.seat, markX, markY, L.narrow ? 7.5 : 10),
    middle(nameX, nameY + L.small * 0.36, L.narrow ? "HQ" : `${gang} · HQ`, L.small, "veng-strong"),
    L.narrow ? null : middle(poolX, poolY + 4, "pool", 11, "veng-name"),
    owner.locked ? padlock(lockX, lockY, L.narrow ? 6 : 8) : null);
}

// A door: a bar in the colour of its gang, between the last cell of the way and the first.
export function door(L, view, gang) {
  const { exit } = HQ_OF[gang];
  const isIn = Boolean(view.gangs?.[gang]);
  const [from, to] = [polar(L, L.inner - 2, exit), polar(L, L.outer + (L.narrow ? 4 : 8), exit)];
  const use = `its figures begin on cell ${exit}, and its boss comes home from cell ${HQ_OF[gang].last}`;
  return g({ tip: `The door of the ${NAMES[gang]} HQ${isIn ? `: ${use}` : ", which is not in this game"}.` },
    line(...from, ...to, { class: "veng-door-edge" }),
    line(...from, ...to, { class: isIn ? `veng-door veng-line-${gang}` : "veng-door" }));
}
