// The picture of Vengeance à Chicago: the circuit as a ring with an HQ in every corner, the wheel and the dice inside it,
// and beside it (on a phone: below it) the seats with the progress of their bosses.

import { circle, corners, die, g, line, node, path, pieceShape, polygon, rect, round, seatMark, shortened, text } from "./scene.js";
import circuit from "../board.json" with { type: "json" };

const COUNT = circuit.cells.length;
const LAP = circuit.lap_points;
const GANGS = circuit.hqs.map(hq => hq.gang);
const NAMES = Object.fromEntries(circuit.hqs.map(hq => [hq.gang, hq.name]));
const HQ_OF = Object.fromEntries(circuit.hqs.map(hq => [hq.gang, hq]));
const HOODS = 8;
const capital = word => word.charAt(0).toUpperCase() + word.slice(1);

// Measures in units. `slots` are the distances from the middle of the three places of a cell: outside, middle, inside.
const WIDE = {
  narrow: false, half: 350, outer: 338, inner: 210, number: 327.5, slots: [299, 273, 250.5], icon: 222.5, iconSize: 9,
  boss: 15.5, hood: 10, gridStart: 23, gridStep: 33, poolStart: 124, poolTop: 16, poolStep: 19, poolHood: 7.4,
  hub: 88, car: 164, carSize: 17, die: 44, small: 12, panel: 272, gap: 16,
};
const NARROW = {
  narrow: true, half: 190, outer: 183, inner: 100, number: 175.5, slots: [155.5, 138, 122.5], icon: 107, iconSize: 6.2,
  boss: 10, hood: 6.8, gridStart: 13, gridStep: 17.5, poolStart: 64, poolTop: 9, poolStep: 11.2, poolHood: 4.6,
  hub: 55, car: 81, carSize: 10, die: 25, small: 11, panel: 380, gap: 10,
};

const middle = (x, y, value, size, name) => text(round(x), round(y), value, { class: name, "font-size": size, "text-anchor": "middle" });
const atEnd = (x, y, value, size, name) => text(round(x), round(y), value, { class: name, "font-size": size, "text-anchor": "end" });

const layoutOf = narrow => (narrow ? NARROW : WIDE);

// ---------------------------------------------------------------------------------------------------------- places

// The first door is at the top left, so that the four HQs fill the corners around the ring.
const turnOf = edge => ((edge - circuit.hqs[0].exit) / COUNT) * 2 * Math.PI - (3 * Math.PI) / 4;

// A point at a distance from the middle, in the direction of a border between cells (`edge` n lies before cell n).
function polar(L, distance, edge) {
  const turn = turnOf(edge);
  return [round(L.half + distance * Math.cos(turn)), round(L.half + distance * Math.sin(turn))];
}

const inCell = (L, distance, cell) => polar(L, distance, Number(cell) + 0.5);

// A point in the corner of an HQ: `a` along the horizontal side, `b` along the vertical one, both from the corner.
function inCorner(L, gang, a, b) {
  const turn = turnOf(HQ_OF[gang].exit);
  const side = (value, from) => (value < 0 ? from : 2 * L.half - from);
  return [round(side(Math.cos(turn), a)), round(side(Math.sin(turn), b))];
}

// The places of an HQ are a square of nine: the boss has the middle, so that his hoods stand around him.
const AROUND = [0, 1, 2, 3, 5, 6, 7, 8];

function hqPlace(L, gang, slot) {
  return inCorner(L, gang, L.gridStart + L.gridStep * (slot % 3), L.gridStart + L.gridStep * Math.floor(slot / 3));
}

function poolPlace(L, gang, slot) {
  return inCorner(L, gang, L.poolStart + L.poolStep * (slot % 4), L.poolTop + L.poolStep * Math.floor(slot / 4));
}

// ---------------------------------------------------------------------------------------------------------- figures

// All hoods with a place and a slot in it. Hoods of one gang are the same, so a view has no names for them; a key is made
// of where a hood was before the last step, which the events say. So a hood keeps its element while it moves.
function hoodsOf(view, events) {
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

function hoodPiece(L, hood) {
  const { gang, place, held, key } = hood;
  const inPool = place === "pool";
  const spot = inPool ? null : place === "hq" ? `hq:${gang}` : `cell:${place}`;
  const where = inPool ? "in the pool: liquidated, it can be recruited" : place === "hq" ? "in its HQ" : `on cell ${place}`;
  return g({
    key, at: hoodPoint(L, hood), spot, trail: !inPool && hood.from !== place, state: held ? "held" : "free",
    tip: `A hood of the ${NAMES[gang]} gang, ${where}${held ? ", held as a hostage: it cannot move" : ""}.`,
  }, inPool ? deadHood(gang, L.poolHood) : hoodToken(gang, L.hood, L.narrow), held ? cuffs(L.hood) : null);
}

function hoodToken(gang, r, isPlain = false) {
  const drop = gang === "Y" ? 0.5 : 0.36;
  return g({}, pieceShape(gang, 0, 0, r, { class: "veng-piece" }),
    isPlain ? null : middle(0, r * 1.15 * drop, gang, 11, `veng-letter veng-on-${gang}`));
}

function deadHood(gang, r) {
  return g({ class: "veng-dead" }, pieceShape(gang, 0, 0, r, { class: "veng-piece" }),
    path(`M${-r} ${-r}L${r} ${r}M${r} ${-r}L${-r} ${r}`, { class: "veng-strike" }));
}

function bossPiece(L, view, events, gang) {
  const { boss, progress } = view.gangs[gang];
  if (boss == null || !HQ_OF[gang]) return null;
  const isHome = boss === "hq";
  const goes = event => event.event === "moved" && event.gang === gang && event.figure === "boss";
  const hasMoved = (!isHome || progress === LAP) && events.some(goes);
  const content = isHome ? null : view.cells?.[boss];
  const held = content?.hostage?.gang === gang && content.hostage.boss;
  const at = isHome ? hqPlace(L, gang, 4) : inCell(L, L.slots[held ? 2 : 0], boss);
  const onTheWay = `is on cell ${boss}, ${progress} of ${LAP} points of his way`;
  const where = progress === LAP ? "is home: the lap is done" : isHome ? "is in his HQ" : onTheWay;
  // Two places in one: a click is for the boss if he can move, else for what he stands on.
  return g({
    key: `boss:${gang}`, at, spot: isHome ? `hq:${gang}` : `cell:${boss}`, trail: hasMoved, state: held ? "held" : "free",
    tip: `The boss of the ${NAMES[gang]} gang ${where}${held ? "; he is a hostage and cannot move" : ""}.`,
  }, g({ spot: `boss:${gang}`, class: "veng-leader" }, bossToken(gang, L.boss)), held ? cuffs(L.boss) : null);
}

function bossToken(gang, r) {
  return g({},
    pieceShape(gang, 0, 0, r, { class: "veng-piece veng-boss" }),
    hat(0, round(r * (gang === "Y" ? 0.3 : 0.12)), round(r * 0.66)));
}

// A fedora: what makes a boss.
function hat(x, y, r) {
  const p = (dx, dy) => `${round(x + dx * r)} ${round(y + dy * r)}`;
  return g({ class: "veng-hat" },
    path(`M${p(-0.62, 0.35)}L${p(-0.5, -0.5)}Q${p(-0.25, -0.95)} ${p(0, -0.62)}Q${p(0.25, -0.95)} ${p(0.5, -0.5)}L${p(0.62, 0.35)}Z`),
    path(`M${p(-1.12, 0.3)}Q${p(0, 0.62)} ${p(1.12, 0.3)}Q${p(0.9, 0.82)} ${p(0, 0.86)}Q${p(-0.9, 0.82)} ${p(-1.12, 0.3)}Z`));
}

const cuffs = r => circle(0, 0, round(r * 1.28), { class: "veng-cuffs" });

// The chain between a kidnapper and the hostage below him.
function chains(L, view) {
  return Object.entries(view.cells ?? {}).filter(([, content]) => content.hostage).map(([cell]) => {
    const [from, to] = [inCell(L, L.slots[0], cell), inCell(L, L.slots[2], cell)];
    return line(...from, ...to, { class: "veng-chain" });
  });
}

// The hood that has used a die of this roll cannot use another.
function usedMark(L, view, hoods) {
  const { gang, cell } = view.moved ?? {};
  const hood = hoods.findLast(each => each.gang === gang && each.place === String(cell) && !each.held);
  if (!hood) return null;
  const [x, y] = hoodPoint(L, hood);
  return g({ spot: `cell:${cell}`, tip: "This hood has used a die of this roll." },
    tick(x + L.hood * 0.85, y - L.hood * 0.85, L.hood * 0.62));
}

function tick(x, y, r) {
  const p = (dx, dy) => `${round(x + dx * r)} ${round(y + dy * r)}`;
  return g({}, circle(round(x), round(y), round(r), { class: "veng-badge" }),
    path(`M${p(-0.5, 0.05)}L${p(-0.1, 0.45)}L${p(0.55, -0.4)}`, { class: "veng-badge-line" }));
}

// ---------------------------------------------------------------------------------------------------------- circuit

function sector(L, cell, outer = L.outer, inner = L.inner) {
  // A small gap on both sides, the same at both ends.
  const gap = L.narrow ? 0.6 : 1;
  const [far, near] = [outer, inner].map(r => (gap / r / (2 * Math.PI)) * COUNT);
  const point = (r, edge) => polar(L, r, edge).join(" ");
  return `M${point(inner, cell + near)}L${point(outer, cell + far)}A${outer} ${outer} 0 0 1 ${point(outer, cell + 1 - far)}` +
    `L${point(inner, cell + 1 - near)}A${inner} ${inner} 0 0 0 ${point(inner, cell + near)}Z`;
}

// The kinds are those of the circuit of this house; of another one a view says nothing.
const kindOf = (view, cell) => (view.board == null || view.board === circuit.name ? circuit.cells[cell]?.kind : "plain");

const KINDS = {
  plain: "nothing happens here",
  shoot: "who stops here hires the marksmen",
  safe: "the marksmen do nothing here",
  danger: "the marksmen kill all strangers here",
};

function cellPicture(L, view, cell) {
  const kind = kindOf(view, cell);
  const [numberAt, iconAt, heldAt] = [L.number, L.icon, L.slots[2]].map(r => inCell(L, r, cell));
  return g({ spot: `cell:${cell}`, class: "veng-cell", tip: cellTip(view, cell, kind) },
    path(sector(L, cell), { class: "veng-ground" }),
    path(sector(L, cell), { class: `veng-tint veng-${kind}` }),
    circle(...heldAt, L.hood * 0.9, { class: "veng-place" }),
    text(numberAt[0], numberAt[1] + L.small * 0.35, cell, { class: "veng-number", "font-size": L.small, "text-anchor": "middle" }),
    icon(kind, ...iconAt, L.iconSize));
}

function cellTip(view, cell, kind) {
  const content = view.cells?.[cell];
  const figures = content ? [content.boss ? "the boss" : "", hoodCount(content.hoods)].filter(Boolean).join(" and ") : "";
  const held = content?.hostage ? `, holding the ${NAMES[content.hostage.gang]} ${content.hostage.boss ? "boss" : "hood"}` : "";
  return `Cell ${cell}, ${kind}: ${KINDS[kind]}.${content ? ` Here: ${figures} of ${NAMES[content.gang]}${held}.` : ""}`;
}

const hoodCount = number => (number ? `${number} hood${number > 1 ? "s" : ""}` : "");

function icon(kind, x, y, r) {
  const p = (dx, dy) => `${round(x + dx * r)} ${round(y + dy * r)}`;
  if (kind === "shoot") {
    return g({ class: "veng-icon" }, circle(x, y, round(r * 0.66), { class: "veng-stroke" }),
      path(`M${p(-1, 0)}L${p(-0.3, 0)}M${p(1, 0)}L${p(0.3, 0)}M${p(0, -1)}L${p(0, -0.3)}M${p(0, 1)}L${p(0, 0.3)}`,
        { class: "veng-stroke" }));
  }
  if (kind === "safe") {
    return g({ class: "veng-icon" },
      path(`M${p(0, -1)}L${p(0.85, -0.65)}L${p(0.85, 0)}` +
        `Q${p(0.75, 0.7)} ${p(0, 1.05)}Q${p(-0.75, 0.7)} ${p(-0.85, 0)}L${p(-0.85, -0.65)}Z`));
  }
  if (kind === "danger") return skull(x, y, r);
  return null;
}

function skull(x, y, r) {
  const p = (dx, dy) => `${round(x + dx * r)} ${round(y + dy * r)}`;
  const hole = (dx, dy, size) => circle(round(x + dx * r), round(y + dy * r), round(size * r), { class: "veng-hole" });
  return g({ class: "veng-icon" },
    path(`M${p(-0.9, -0.1)}A${round(0.9 * r)} ${round(0.9 * r)} 0 0 1 ${p(0.9, -0.1)}Q${p(0.9, 0.4)} ${p(0.5, 0.5)}` +
      `L${p(0.5, 1)}L${p(-0.5, 1)}L${p(-0.5, 0.5)}` +
      `Q${p(-0.9, 0.4)} ${p(-0.9, -0.1)}Z`),
    hole(-0.38, -0.05, 0.25), hole(0.38, -0.05, 0.25));
}

// Which way all go: chevrons inside the ring, in the middle of every quarter.
function directions(L) {
  return [0, 1, 2, 3].map(quarter => {
    const edge = circuit.hqs[0].exit + (quarter + 0.5) * circuit.quarter;
    const r = L.inner - (L.narrow ? 5 : 9);
    const half = L.narrow ? 2.5 : 4;
    const [top, tail, end] = [polar(L, r + half, edge - 0.16), polar(L, r - half, edge - 0.16), polar(L, r, edge + 0.16)];
    return g({ tip: "All figures go clockwise." }, polygon([top, end, tail, polar(L, r, edge - 0.04)], { class: "veng-way" }));
  });
}

// ---------------------------------------------------------------------------------------------------------- HQs

function hqPicture(L, view, gang) {
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

function padlock(x, y, r) {
  return g({ tip: "Locked: this gang waits until the turn is over." },
    path(`M${x - r * 0.5} ${y}V${y - r * 0.4}A${r * 0.5} ${r * 0.5} 0 0 1 ${x + r * 0.5} ${y - r * 0.4}V${y}`, { class: "veng-stroke" }),
    rect(x - r * 0.8, y, r * 1.6, r * 1.1, { rx: r * 0.2, class: "veng-solid" }));
}

// A door: a bar in the colour of its gang, between the last cell of the way and the first.
function door(L, view, gang) {
  const { exit } = HQ_OF[gang];
  const isIn = Boolean(view.gangs?.[gang]);
  const [from, to] = [polar(L, L.inner - 2, exit), polar(L, L.outer + (L.narrow ? 4 : 8), exit)];
  const use = `its figures begin on cell ${exit}, and its boss comes home from cell ${HQ_OF[gang].last}`;
  return g({ tip: `The door of the ${NAMES[gang]} HQ${isIn ? `: ${use}` : ", which is not in this game"}.` },
    line(...from, ...to, { class: "veng-door-edge" }),
    line(...from, ...to, { class: isIn ? `veng-door veng-line-${gang}` : "veng-door" }));
}

// ---------------------------------------------------------------------------------------------------------- wheel and dice

// The stops of the wheel in the last step with those who hired it, if the events say who.
function spinsOf(view, events) {
  const spun = events.filter(event => event.event === "spun");
  const known = spun.length ? spun.map(({ gang, stop }) => ({ gang, stop })) : (view.luck?.wheel ?? []).map(stop => ({ gang: null, stop }));
  return known.filter(({ stop }) => Number.isInteger(stop) && stop >= 0 && stop < COUNT);
}

const opposite = cell => (cell + COUNT / 2) % COUNT;

function wheel(L, spins) {
  const last = spins.at(-1);
  // At rest the cars stand towards doors, where they point at no cell.
  const edge = last ? last.stop + 0.5 : circuit.hqs[0].exit;
  const ends = [edge, edge + COUNT / 2].map(each => polar(L, L.car, each));
  const tip = last ? `The wheel has stopped: the rifles point at cells ${last.stop} and ${opposite(last.stop)}.`
    : "The wheel with the marksmen. It has not been spun in the last step.";
  return g({ class: last ? "veng-wheel" : "veng-wheel veng-rest", tip },
    circle(L.half, L.half, round(L.inner - L.carSize), { class: "veng-disc" }),
    circle(L.half, L.half, L.car, { class: "veng-rail" }),
    circuit.cells.map(({ id }) => {
      const [rim, end] = [1, 1.3].map(depth => inCell(L, L.inner - L.carSize * depth, id));
      return line(...rim, ...end, { class: "veng-stop" });
    }),
    line(...ends[0], ...ends[1], { class: "veng-axle" }));
}

// The cars glide, so they are pieces of their own.
function cars(L, spins) {
  const last = spins.at(-1);
  return [0, 1].map(number => {
    const edge = (last ? last.stop + 0.5 : circuit.hqs[0].exit) + (number * COUNT) / 2;
    const turn = (turnOf(edge) * 180) / Math.PI;
    const s = L.carSize;
    return g({
      // At rest they are no news, so they have no key.
      key: last ? `car:${number}` : undefined, at: polar(L, L.car, edge), class: last ? "veng-car" : "veng-car veng-rest",
      state: last ? String(last.stop) : "",
      tip: last ? `Marksmen: they shoot at cell ${number ? opposite(last.stop) : last.stop}.` : "A car with marksmen, at rest.",
    }, g({ transform: `rotate(${round(turn)})` },
      last ? line(0, 0, s * 1.5, 0, { class: "veng-rifle" }) : null,
      rect(-s * 0.55, -s, s * 1.1, s * 2, { rx: s * 0.4, class: "veng-car-body" }),
      rect(-s * 0.36, -s * 0.45, s * 0.72, s * 0.9, { rx: s * 0.16, class: "veng-car-roof" })));
  });
}

// Lines of fire, with a number at each if there was more than one spin.
function shots(L, spins) {
  return spins.map(({ gang, stop }, number) => {
    const who = gang ? `hired by ${NAMES[gang]}` : "of the last step";
    const name = number === spins.length - 1 ? "veng-spin" : "veng-spin veng-earlier";
    return g({ class: name, tip: `Spin ${number + 1}, ${who}: cells ${stop} and ${opposite(stop)}.` },
      [stop, opposite(stop)].map(cell => {
        const [from, to] = [inCell(L, L.car + L.carSize * 1.5, cell), inCell(L, L.inner - 1, cell)];
        return g({},
          path(sector(L, cell, L.outer + 2, L.inner - 2), { class: "veng-target" }),
          line(...from, ...to, { class: "veng-shot" }),
          spins.length > 1 ? label(...inCell(L, L.inner - (L.narrow ? 8 : 13), cell), number + 1, L.narrow ? 11 : 12) : null);
      }));
  });
}

const PHASES = { first: "first move", second: "second die", extra: "extra die", over: "game over" };

function hub(L, view) {
  const [x, y] = [L.half, L.half];
  return g({},
    circle(x, y, L.hub, { class: "veng-hub" }),
    hires(L, view),
    view.phase === "over" ? ending(L, view) : g({},
      middle(x, y + L.die * 0.5 + (L.narrow ? 10 : 14), hubText(L, view), L.narrow ? 11 : 13, "veng-strong"),
      mayStop(view) ? stopPlate(L) : null));
}

// Two bosses never use one roll, so it matters whether one has.
function hubText(L, view) {
  if (!view.boss_moved) return phaseText(view);
  return L.narrow ? "boss has moved" : `${phaseText(view)}, boss done`;
}

const phaseText = view => PHASES[view.phase] ?? String(view.phase ?? "");

// The rules know `stop` only where a die may be left.
function mayStop({ phase, options = {} }) {
  return (phase === "second" && options.spare_die !== "forced") || (phase === "extra" && options.extra_die === "free");
}

function stopPlate(L) {
  const [w, h] = L.narrow ? [62, 20] : [104, 26];
  const top = L.half + L.die * 0.5 + (L.narrow ? 14 : 22);
  return g({ spot: "stop", class: "veng-plate", tip: "Stop: leave the die that is left unused." },
    rect(L.half - w / 2, top, w, h, { rx: h / 2, class: "veng-plate-ground" }),
    text(L.half, top + h * 0.68, L.narrow ? "stop" : "leave the die", { "font-size": L.narrow ? 11 : 12.5, "text-anchor": "middle" }));
}

// Spins to come, one sign for each hire.
function hires(L, view) {
  const due = (view.hires ?? []).filter(gang => HQ_OF[gang]);
  const step = L.narrow ? 17 : 28;
  const y = L.half - L.hub + (L.narrow ? 13 : 22);
  return due.map((gang, number) => {
    const x = L.half + (number - (due.length - 1) / 2) * step;
    return g({ tip: `The marksmen are hired by ${NAMES[gang]}: the wheel will be spun after the moves.` },
      hireSign(gang, x, y, L.narrow ? 7.5 : 12));
  });
}

function hireSign(gang, x, y, r) {
  return g({ class: `veng-sight-${gang}` }, pieceShape(gang, x, y, r, { class: "veng-piece" }), icon("shoot", x, y, round(r * 0.66)));
}

// The dice of the roll, those already used pale, and the extra die of a double.
function diceOf(view) {
  const left = [...(view.dice ?? [])];
  const isExtra = view.phase === "extra";
  const roll = (view.roll ?? []).map((value, number) => {
    const at = isExtra ? -1 : left.indexOf(value);
    if (at >= 0) left.splice(at, 1);
    return { key: `die:${number}`, value, isUsed: at < 0 };
  });
  return isExtra ? [...roll, ...left.map((value, number) => ({ key: `die:extra${number}`, value, isUsed: false }))] : roll;
}

function dice(L, view) {
  if (view.phase === "over") return [];
  const shown = diceOf(view);
  const step = L.die * (shown.length > 2 ? 1.08 : 1.25);
  return shown.map(({ key, value, isUsed }, number) => {
    const x = L.half + (number - (shown.length - 1) / 2) * step;
    const size = shown.length > 2 ? L.die * 0.95 : L.die;
    return g({
      key, at: [round(x), L.half - L.die * (L.narrow ? 0.25 : 0.3)], state: `${view.turn} ${value}`, class: isUsed ? "veng-used" : "",
      tip: isUsed ? `A die with a ${value}: it has been used or left.` : `A die with a ${value}, still to be used.`,
    }, g({ transform: `translate(${round(-size / 2)} ${round(-size / 2)})` }, die(value, size)));
  });
}

const REASONS = {
  goal: "the boss is home", last_seat: "no other boss is left", stalemate: "no figure can move", cap: "last round is over",
};

function ending(L, view) {
  const winners = (view.ranking ?? []).flatMap((rank, seat) => (rank === 1 ? [seat] : []));
  const hasWon = view.reason === "goal" || view.reason === "last_seat";
  const r = L.narrow ? 11 : 18;
  return g({ tip: `The game is over: ${REASONS[view.reason] ?? view.reason ?? ""}.` },
    winners.map((seat, number) => seatMark(seat, L.half + (number - (winners.length - 1) / 2) * r * 2.4, L.half - r * 1.1, r)),
    middle(L.half, L.half + (L.narrow ? 15 : 28), hasWon ? "wins" : "first", L.narrow ? 13 : 17, "veng-strong"),
    L.narrow ? null : middle(L.half, L.half + 50, REASONS[view.reason] ?? "", 12, "veng-soft"));
}

// ---------------------------------------------------------------------------------------------------------- the last step

function label(x, y, value, size) {
  const w = size * (0.7 + 0.6 * String(value).length);
  return g({}, rect(round(x - w / 2), round(y - size * 0.72), round(w), round(size * 1.44), { rx: round(size * 0.5), class: "veng-label" }),
    text(x, y + size * 0.36, value, { class: "veng-label-text", "font-size": size, "text-anchor": "middle" }));
}

const CAUSES = {
  ambush: "walked into an ambush", gang: "was executed as a hostage",
  rescue: "was liquidated by a rescuer", wheel: "was shot by the marksmen",
};

// What happened beyond moves: deaths, hires, freed hostages on the cells, recruits and falls at the HQs.
function happenings(L, events) {
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

function flash(x, y, r) {
  const dents = corners(x, y, r * 0.66, 10, Math.PI / 10);
  return polygon(corners(x, y, r, 10).flatMap((corner, at) => [corner, dents[at]]), { class: "veng-burst" });
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

// ---------------------------------------------------------------------------------------------------------- the seats

const gangsOf = (view, seat) => GANGS.filter(gang => view.gangs?.[gang]?.seat === seat);

const seatNumbers = view => Array.from({ length: Math.max(0, Math.min(4, view.seats ?? 0)) }, (_, seat) => seat);

const HEAD = 34;
const GANG = { wide: 90, narrow: 66 };
const STATUS = { wide: 56, narrow: 46 };
const RULE = 14;
const SPACE = 10;

const gangHeight = L => (L.narrow ? GANG.narrow : GANG.wide);
const seatHeight = (L, view, seat) => HEAD + gangsOf(view, seat).length * gangHeight(L) + 4;
const statusHeight = (L, view) => (L.narrow ? STATUS.narrow : STATUS.wide) + ruleLines(L, view).length * RULE;
const panelHeight = (L, view) => seatNumbers(view).reduce((sum, seat) => sum + seatHeight(L, view, seat) + SPACE, statusHeight(L, view));

function panel(L, view, events, names) {
  const [left, top] = L.narrow ? [0, 2 * L.half + L.gap] : [2 * L.half + L.gap, 4];
  let y = top + statusHeight(L, view);
  return g({}, status(L, view, left, top),
    seatNumbers(view).map(seat => {
      const block = seatBlock(L, view, events, names, seat, left, y);
      y += seatHeight(L, view, seat) + SPACE;
      return block;
    }));
}

// Options that differ from the classic game, in words.
const CLASSIC = {
  pair_turn: "seat", spare_die: "free", hq_alone: "locked", overshoot: "free", extra_die: "forced", fallen_hoods: "pool",
  double_spin: "each", lives: 0, ruin: "counts", losers: "tie",
};

function variants({ options = {} }) {
  return Object.keys(CLASSIC).filter(name => options[name] !== undefined && options[name] !== CLASSIC[name])
    .map(name => `${name.replace("_", " ")} ${options[name]}`);
}

// These options in lines that fit the panel.
function ruleLines(L, view) {
  const most = L.narrow ? 62 : 44;
  const lines = [];
  for (const word of variants(view)) {
    const longer = lines.length ? `${lines.at(-1)}, ${word}` : `Rules: ${word}`;
    if (lines.length && longer.length > most) lines.push(word);
    else lines.splice(-1, 1, longer);
  }
  return lines;
}

function status(L, view, x, y) {
  const changed = variants(view);
  const rounds = view.options?.max_rounds ? ` of ${view.options.max_rounds}` : "";
  const began = view.first == null ? "" : ` · seat ${view.first} began`;
  const counted = view.turn == null ? "" : `Turn ${view.turn} · round ${view.round}${rounds}${began}`;
  const now = view.phase === "over" ? `Over: ${REASONS[view.reason] ?? view.reason ?? ""}` : actingText(view);
  const size = L.narrow ? 13 : now.length > 24 ? 14.5 : 17;
  const ruled = y + (L.narrow ? 46 : 55);
  return g({ tip: changed.length ? `This game is played with ${changed.join(", ")}.` : "This game is played by the classic rules." },
    rect(x, y, L.panel, statusHeight(L, view) - SPACE, { class: "veng-blank" }),
    text(x + 4, y + 14, counted, { class: "veng-soft", "font-size": 12.5 }),
    text(x + 4, y + (L.narrow ? 31 : 37), now, { class: "veng-strong", "font-size": size }),
    ruleLines(L, view).map((words, row) => text(x + 4, ruled + row * RULE, words, { class: "veng-soft", "font-size": 11 })));
}

function actingText(view) {
  if (view.active == null) return "";
  const due = (view.due ?? []).map(gang => NAMES[gang] ?? gang).join(" and ");
  return `${capital(due || `seat ${view.active}`)}: ${phaseText(view)}`;
}

function seatBlock(L, view, events, names, seat, x, y) {
  const isActing = (view.to_act ?? []).includes(seat);
  const gangs = gangsOf(view, seat);
  return g({ class: `seat${seat}` },
    rect(x + 1, y, L.panel - 2, seatHeight(L, view, seat), { rx: 8, class: `veng-seat ${isActing ? "veng-acting" : ""}` }),
    seatHead(L, view, events, names, seat, x, y, isActing),
    gangs.map((gang, number) => gangBlock(L, view, gang, x, y + HEAD + number * gangHeight(L))));
}

const ORDINALS = ["", "1st", "2nd", "3rd", "4th"];

function seatHead(L, view, events, names, seat, x, y, isActing) {
  const score = Math.max(0, ...gangsOf(view, seat).map(gang => view.gangs[gang].progress ?? 0));
  const rank = view.ranking?.[seat];
  const name = names?.[seat] ?? `seat ${seat}`;
  const thrown = throwsOf(events, seat, view);
  // Arrow and frame mark the seat to act as well, so dice have the place of the words.
  const notes = [view.you === seat ? "you" : "", isActing && !thrown.length ? "to act" : ""].filter(Boolean).join(" · ");
  // From right to left: rank or score, dice, notes; the name has the rest.
  const right = x + L.panel - 12;
  const diceRight = right - (rank ? 40 : 30);
  const notesRight = diceRight - thrownWidth(thrown) - 2;
  const room = Math.max(40, notesRight - (notes ? notes.length * 6.2 + 10 : 0) - x - 50);
  return g({},
    isActing ? polygon([[x + 5, y + 11], [x + 11, y + 17], [x + 5, y + 23]], { class: "veng-arrow" }) : null,
    seatMark(seat, x + 25, y + 17, 10.5),
    // A frame of its own cuts off a name that is wider than its letters promise.
    node("svg", { x: x + 42, y, width: room, height: 32 },
      text(0, 22, shortened(name, Math.max(5, Math.floor(room / 8.6))), {
        class: "veng-strong", "font-size": 14.5, tip: `Seat ${seat}: ${shortened(name, 60)}.` })),
    notes ? atEnd(notesRight - 4, y + 21.5, notes, 11.5, isActing ? "veng-accent" : "veng-soft") : null,
    thrownDice(thrown, diceRight, y + 8.5),
    text(right, y + 23, rank ? ORDINALS[rank] ?? rank : score, {
      class: "veng-strong", "font-size": 17, "text-anchor": "end",
      tip: `${rank ? `Rank ${rank}. ` : ""}The score is ${score}: the progress of the best boss of this seat; ${LAP} is home.` }));
}

// What a seat threw in the last step, and whether it was of no use. The dice still in play lie in the middle of the ring.
function throwsOf(events, seat, view) {
  const found = [];
  for (const event of events) {
    if (event.event === "start_rolled" && event.totals?.[seat] !== undefined) found.push({ values: [event.totals[seat]], isStart: true });
    if (event.seat !== seat) continue;
    if (event.event === "rolled") found.push({ values: event.dice ?? [] });
    if (event.event === "extra_rolled") found.push({ values: [event.die] });
    if (event.event === "lapsed" && found.length) found.at(-1).isVain = true;
  }
  const isInPlay = view.active === seat && found.length && !found.at(-1).isStart && !found.at(-1).isVain;
  return isInPlay ? found.slice(0, -1) : found;
}

// There is room for two throws; the explanation has them all.
const MOST_THROWS = 2;
const DIE = 19;
const shownThrows = thrown => thrown.slice(-MOST_THROWS);
const moreWidth = thrown => (thrown.length > MOST_THROWS ? 14 : 0);
const thrownWidth = thrown => shownThrows(thrown).reduce((sum, { values }) => sum + values.length * DIE + 6, moreWidth(thrown));

function throwText({ values, isVain, isStart }) {
  return isStart ? `a total of ${values[0]} for the start` : `${values.join(" and ")}${isVain ? ", of no use" : ""}`;
}

function thrownDice(thrown, right, y) {
  if (!thrown.length) return null;
  const start = right - thrownWidth(thrown);
  let x = start + moreWidth(thrown);
  return g({ tip: `Thrown in the last step: ${thrown.map(throwText).join("; ")}.` },
    moreWidth(thrown) ? text(start, y + 12, "…", { class: "veng-strong", "font-size": 13 }) : null,
    shownThrows(thrown).map(({ values, isVain, isStart }) => {
      const left = x;
      x += values.length * DIE + 6;
      return g({},
        values.map((value, number) => g({ transform: `translate(${round(left + number * DIE)} ${y})`, class: isVain ? "veng-used" : "" },
          isStart ? totalSign(value) : die(value, 17))),
        isVain ? line(left, y + 8.5, left + values.length * DIE, y + 8.5, { class: "veng-strike" }) : null);
    }));
}

// Of the throws for the start only totals are known.
function totalSign(value) {
  return g({}, rect(0, 0, 17, 17, { rx: 3, class: "die-face" }), middle(8.5, 12.8, value, 11.5, "die-number"));
}

// A gang: its boss and his way as a bar, and where its hoods are.
function gangBlock(L, view, gang, x, y) {
  const owner = view.gangs[gang];
  const isDue = (view.due ?? []).includes(gang);
  const left = x + 44;
  const width = L.panel - 58;
  const top = y + (L.narrow ? 16 : 20);
  return g({ class: owner.state === "out" ? "veng-gone" : "" },
    g({ transform: `translate(${x + 23} ${top + 6})`, tip: `The ${NAMES[gang]} gang${isDue ? ", which may act now" : ""}.` },
      bossToken(gang, 13)),
    node("text", { x: left, y: top - 5, class: "veng-strong", "font-size": 12.5 }, whereText(owner, gang),
      node("tspan", { class: "veng-accent", "font-size": 11.5 }, stateText(view, gang))),
    atEnd(left + width, top + (L.narrow ? 10 : 11), `${owner.progress ?? 0} of ${LAP}`, 11.5, "veng-soft"),
    progressBar(left, top + 1, width - 52, L.narrow ? 10 : 12, gang, owner),
    counts(L, view, gang, left, top + (L.narrow ? 27 : 34), width));
}

function whereText({ boss, progress, state }, gang) {
  if (state === "out" || boss == null) return `${capital(NAMES[gang])} gang: out`;
  return `${capital(NAMES[gang])} boss: ${progress === LAP ? "home" : boss === "hq" ? "in the HQ" : `cell ${boss}`}`;
}

// What is unusual about a gang, as the end of the line above.
function stateText(view, gang) {
  const { state, locked } = view.gangs[gang];
  const cause = (view.out ?? []).find(each => each.gang === gang)?.cause;
  const words = [state === "active" || state === "out" ? "" : state, cause === "lives" ? "no lives left" : cause, locked ? "locked" : ""];
  return words.filter(Boolean).map(word => ` · ${word}`).join("");
}

function progressBar(x, y, width, height, gang, { progress = 0 }) {
  const share = Math.max(0, Math.min(1, progress / LAP));
  const ticks = [1, 2, 3].map(quarter => round(x + (width * quarter * circuit.quarter) / LAP));
  const tip = `The ${NAMES[gang]} boss has come ${progress} of ${LAP} points; ${LAP} is home.`;
  return g({ key: `progress:${gang}`, state: String(progress), tip },
    rect(x, y, width, height, { rx: height / 2, class: "veng-bar" }),
    progress > 0 ? rect(x, y, round(Math.max(height, width * share)), height, { rx: height / 2, class: `veng-fill piece-${gang}` }) : null,
    ticks.map(tickX => line(tickX, y + 2, tickX, y + height - 2, { class: "veng-tick" })));
}

// How many hoods are where: the numbers of the view, and those on the circuit counted.
function counts(L, view, gang, x, y, width) {
  const owner = view.gangs[gang];
  const cells = Object.values(view.cells ?? {});
  const free = cells.reduce((sum, content) => sum + (content.gang === gang ? content.hoods ?? 0 : 0), 0);
  const held = cells.filter(({ hostage }) => hostage?.gang === gang && !hostage.boss).length;
  const lives = view.options?.lives ? `/${view.options.lives}` : "";
  const final = lives ? `; fall ${view.options.lives} is final` : "";
  const gone = HOODS - (owner.hq ?? 0) - (owner.pool ?? 0) - free - held;
  const columns = [
    ["HQ", owner.hq, `${owner.hq} hoods in the HQ.`],
    ["street", free, `${free} free hoods on the circuit.`],
    ["held", held, `${held} hoods held as hostages.`],
    ["pool", owner.pool, `${owner.pool} hoods in the pool, which can be recruited.`],
    ...(gone > 0 ? [["out", gone, `${gone} hoods out of the game.`]] : []),
    ["falls", `${owner.falls ?? 0}${lives}`, `the boss has fallen ${owner.falls ?? 0} times${final}.`],
  ];
  const step = width / columns.length;
  return columns.map(([name, value, tip], number) => g({ tip: `${capital(NAMES[gang])}: ${tip}` },
    text(round(x + number * step), y, name, { class: "veng-soft", "font-size": 11 }),
    text(round(x + number * step), y + (L.narrow ? 13 : 16), value, { class: "veng-strong", "font-size": L.narrow ? 12 : 13.5 })));
}

// ---------------------------------------------------------------------------------------------------------- actions

const cellAfter = (cell, points) => (cell + points) % COUNT;

// Where a move arrives. From the HQ the first point is the cell behind the door.
function target(gang, from, points) {
  return `cell:${from === "hq" ? cellAfter(HQ_OF[gang].exit, points - 1) : cellAfter(Number(from), points)}`;
}

function spots(view, action) {
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

// ---------------------------------------------------------------------------------------------------------- legend

function entry(picture, meaning, size = 30) {
  return { picture: g({ transform: `translate(${size / 2} ${size / 2})` }, picture), size: [size, size], meaning };
}

const share = (part, all) => `${Math.round((100 * part) / all)} % (${part} of ${all})`;

function swatch(kind) {
  const square = name => rect(-13, -13, 26, 26, { rx: 4, class: name });
  return g({}, square("veng-ground"), square(`veng-tint veng-${kind}`), icon(kind, 0, 0, 9));
}

const frame = name => rect(-11, -11, 22, 22, { rx: 3, class: name });

const heldPair = () => g({},
  line(0, -8, 0, 6, { class: "veng-chain" }),
  g({ transform: "translate(0 -8)" }, hoodToken("O", 6, true)),
  g({ transform: "translate(0 6)" }, hoodToken("B", 6, true), cuffs(6)));

const carSign = () => g({ class: "veng-car" },
  line(0, 0, 0, -14, { class: "veng-rifle" }),
  rect(-10, -5, 20, 11, { rx: 4, class: "veng-car-body" }),
  rect(-4, -3.5, 8, 8, { rx: 2, class: "veng-car-roof" }));

const doorSign = () => g({},
  line(0, -12, 0, 12, { class: "veng-door-edge" }),
  line(0, -12, 0, 12, { class: "veng-door veng-line-O" }));

function legend() {
  const number = kind => `${circuit.cells.filter(cell => cell.kind === kind).length} of ${COUNT} cells.`;
  return [
    ...GANGS.map(gang => entry(hoodToken(gang, 11), `A hood of the ${NAMES[gang]} gang.`)),
    entry(bossToken("O", 13), "A boss: larger, with a hat. He must go once around and come home."),
    entry(heldPair(), "A hostage in a ring, under the one who holds it."),
    entry(deadHood("O", 8), "A hood in the pool: liquidated, but it can be recruited again."),
    entry(tick(0, 0, 8), "This hood has used a die of this roll."),
    entry(swatch("plain"), `Plain: nothing happens. ${number("plain")}`),
    entry(swatch("shoot"), `Shooting: who stops here hires the marksmen for one spin. ${number("shoot")}`),
    entry(swatch("safe"), `Safe: the marksmen do nothing here. ${number("safe")}`),
    entry(swatch("danger"), `Danger: the marksmen kill all figures here that are not of the gang that hired them. ${number("danger")}`),
    entry(carSign(), `The wheel: a spin points at two opposite cells, and all ${COUNT} stops are equally likely. ` +
      `It points at a given cell in ${share(2, COUNT)} of all spins.`),
    ...["danger", "safe", "shoot", "plain"].map(kind => entry(swatch(kind), oddsOf(kind))),
    entry(frame("veng-target"), "A cell that the rifles point at. Several spins of one step are numbered."),
    entry(frame("veng-hired veng-line-O"), "Here a gang has just hired the marksmen."),
    entry(frame("veng-freed veng-line-O"), "Here a hostage has just become free."),
    entry(g({}, flash(0, 0, 13), pieceShape("O", 0, 0, 6, { class: "veng-piece" })),
      "Here a figure has just been liquidated; with a hat, a boss."),
    entry(hireSign("O", 0, 0, 12), "A spin to come, for the gang that hired the marksmen."),
    entry(doorSign(), "A door: figures come out clockwise of it, the boss comes home from the other side."),
    entry(padlock(0, -1, 9), "Locked: after a fall in its own turn a gang waits until that turn is over."),
    entry(g({ class: "veng-used", transform: "translate(-11 -11)" }, die(5, 22)), "A die that has been used, or that was of no use."),
    entry(progressBar(-24, -6, 48, 12, "O", { progress: 20 }),
      `How far a boss has come: ${LAP} points are the whole way home. The lines are the other doors.`, 52),
  ];
}

// The chance that a spin points at a kind of cell, counted over all stops.
function oddsOf(kind) {
  const hits = circuit.cells.filter(cell => cell.kind === kind || circuit.cells[cell.opposite].kind === kind).length;
  return `A spin points at ${kind} cells in ${share(hits, COUNT)} of all spins.`;
}

// ---------------------------------------------------------------------------------------------------------- the board

export const board = {
  size(view, { narrow }) {
    const L = layoutOf(narrow);
    const height = panelHeight(L, view);
    return narrow ? [2 * L.half, 2 * L.half + L.gap + height] : [2 * L.half + L.gap + L.panel, Math.max(2 * L.half, height + 4)];
  },

  draw(view, { events, names, narrow }) {
    const L = layoutOf(narrow);
    const happened = events ?? [];
    const spins = spinsOf(view, happened);
    const hoods = hoodsOf(view, happened);
    return g({ class: "veng-board" },
      GANGS.map(gang => hqPicture(L, view, gang)),
      circuit.cells.map(({ id }) => cellPicture(L, view, id)),
      GANGS.map(gang => door(L, view, gang)),
      directions(L),
      wheel(L, spins),
      shots(L, spins),
      hub(L, view),
      chains(L, view),
      // All that moves lies in one layer, so that it can go from any place to any other.
      g({},
        cars(L, spins),
        dice(L, view),
        hoods.map(hood => hoodPiece(L, hood)),
        Object.keys(view.gangs ?? {}).map(gang => bossPiece(L, view, happened, gang))),
      usedMark(L, view, hoods),
      happenings(L, happened),
      panel(L, view, happened, names));
  },

  spots,
  legend,
};
