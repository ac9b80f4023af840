// The picture of Chicago: a strip with the clock, the decision, the last events and the gangs, and below it the city.
//
// The city is drawn in squares: `s` is the side of one square, so that the same code draws it large on a desk and small on a
// phone, where people zoom into it. What has to be read without zoom is in the strip, and on a phone in the roster below the city.

import { circle, corners, die, g, line, path, pieceShape, polygon, rect, round, seatMark, shortened, text } from "./scene.js";
import city from "../board.json" with { type: "json" };

const GANGS = { Y: "yellow", R: "red", G: "green", B: "blue" };
const FORCES = ["", "weak", "third force", "second force", "first force"];
const VALUES = [0, 10000, 25000, 40000, 50000];
const DICE = ["", "1 2 3 4 5 6", "3 3 4 4 5 6", "4 4 5 5 6 6", "5 5 5 6 6 6"];
const MOST_RINGS = 4;
const FIVE = 5;

const NODES = new Map(city.nodes.map(each => [each.id, each]));
const STREETS = city.nodes.filter(each => each.kind === "street");
const BUILDINGS = city.nodes.filter(each => each.kind !== "street").map(planned);
const PLANS = new Map(BUILDINGS.map(each => [each.id, each]));

const money = value => `${round((value ?? 0) / 1000)}k`;
const inFull = value => `${String(Math.round(value ?? 0)).replace(/\B(?=(\d{3})+$)/g, ",")} FT`;
const count = (number, word) => `${number} ${word}${number === 1 ? "" : "s"}`;
const capital = word => word.charAt(0).toUpperCase() + word.slice(1);
const gangName = letter => GANGS[letter] ?? "no gang";
const sum = values => values.reduce((total, value) => total + value, 0);
const number = pawn => String(pawn).slice(1);

// ---------------------------------------------------------------------------------------------------- What the view says

const gangsOf = view => Object.entries(view?.gangs ?? {});
const membersOf = gang => gang?.members ?? [];
const option = (view, name, otherwise) => view?.options?.[name] ?? otherwise;
const isOut = gang => membersOf(gang).length === 0 && !gang?.reserve;

// All members as { pawn, rings, at, gang }.
function allMembers(view) {
  return gangsOf(view).flatMap(([letter, gang]) => membersOf(gang).map(([pawn, rings, at]) => ({ pawn, rings, at, gang: letter })));
}

// What every building would pay if the phase ended now, by building.
function payments(view) {
  const owner = view?.owner ?? {};
  const guarded = option(view, "variant_casino", "no") === "yes";
  const inside = new Set(allMembers(view).map(({ gang, at }) => `${gang} ${at}`));
  const pays = new Map(BUILDINGS.map(({ id, value, kind }) => {
    const unguarded = guarded && kind === "casino" && !inside.has(`${owner[id]} ${id}`);
    return [id, owner[id] && unguarded ? 0 : value];
  }));
  for (const [letter, sets] of Object.entries(city.value_sets)) {
    for (const set of Object.values(sets)) {
      if (view?.gangs?.[letter] && set.every(id => owner[id] === letter)) for (const id of set) pays.set(id, 3 * NODES.get(id).value);
    }
  }
  return pays;
}

function incomeOf(view, letter, pays) {
  return sum(BUILDINGS.filter(({ id }) => view?.owner?.[id] === letter).map(({ id }) => pays.get(id)));
}

// The wealth of a seat: cash and the value of living members, of all its gangs.
function wealthOf(view, seat) {
  const own = gangsOf(view).filter(([, gang]) => gang.seat === seat);
  return sum(own.map(([, gang]) => (gang.cash ?? 0) + sum(membersOf(gang).map(([, rings]) => VALUES[rings] ?? 0))));
}

// How near a gang's seat is to each of the three goals: [has, needs].
function goalsOf(view, letter) {
  const seat = view.gangs[letter].seat;
  const own = gangsOf(view).filter(([, gang]) => gang.seat === seat && !isOut(gang));
  const letters = new Set(own.map(([each]) => each));
  const owned = ids => ids.filter(id => letters.has(view?.owner?.[id])).length;
  const together = option(view, "five_scope", "gang") === "seat";
  const firsts = own.filter(([each]) => together || each === letter).flatMap(([, gang]) => membersOf(gang));
  return {
    casinos: [owned(city.casinos), option(view, "casinos_needed", 3)],
    place: [owned(city.central), city.central.length],
    five: [firsts.filter(([, rings]) => rings === MOST_RINGS).length, FIVE],
  };
}

// ------------------------------------------------------------------------------------------------- What the events say

// The duels of a step: who fought, every pair of throws, who died, who won what.
function duelsOf(events) {
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

// How much money each gang got or paid in a step.
function moneyMoved(events) {
  const moved = {};
  const add = (letter, value) => { moved[letter] = (moved[letter] ?? 0) + (value ?? 0); };
  for (const each of events) {
    if (each.event === "paid") add(each.gang, (each.base ?? 0) + (each.bonus ?? 0));
    if (each.event === "won") add(String(each.pawn).charAt(0), each.reward);
    if (each.event === "bought") add(each.gang, -(each.price ?? 0));
  }
  return moved;
}

// Events as short lines for the panel of news. Duels have a panel of their own, and money is shown beside the cash.
const NEWS = {
  started: each => `${count(each.gangs?.length ?? 0, "gang")} meet in the city.`,
  part_began: each => `Phase ${each.part} begins.`,
  bought: each => `${each.pawn} joins ${gangName(each.gang)}: ${count(each.rings, "ring")}, ${money(each.price)}.`,
  placed: each => `${each.pawn} starts in ${each.at}.`,
  round_began: each => `Round ${each.part}${each.round} begins.`,
  skipped: each => `${capital(gangName(each.gang))} ${each.cause === "out" ? "is out" : "has no member"} and is skipped.`,
  rolled: each => `${capital(gangName(each.gang))} rolls ${each.points}.`,
  moved: each => `${each.pawn} goes from ${each.from} to ${each.to}${each.gate ? " by the gates" : ""}.`,
  captured: each => `${capital(gangName(each.to))} takes ${each.building}${each.from ? ` from ${gangName(each.from)}` : ""}.`,
  capture_failed: each => `${capital(gangName(each.gang))} has no token for ${each.building}.`,
  lapsed: each => `${capital(gangName(each.gang))} loses ${count(each.points, "point")}.`,
  paid: each => `${capital(gangName(each.gang))}: paid ${money(each.base)}${each.bonus ? ` + ${money(each.bonus)}` : ""}.`,
  goal_reached: each => `Goal of seat ${each.seat}: ${(each.goals ?? []).map(goal => GOALS[goal] ?? goal).join(", ")}.`,
};
const GOALS = { casinos: "casinos", place: "the place", five: "five members" };

// ------------------------------------------------------------------------------------------------------ Plans of buildings

// A building with its outline, the box of its label and the area of its pawns, all in squares.
function planned(building) {
  const xs = building.squares.map(([x]) => x);
  const ys = building.squares.map(([, y]) => y);
  const [left, top] = [Math.min(...xs), Math.min(...ys)];
  const [width, height] = [Math.max(...xs) - left + 1, Math.max(...ys) - top + 1];
  const isBox = building.squares.length === width * height;
  const [label, area] = isBox ? boxParts(left, top, width, height, building.kind) : cornerParts(building.squares);
  const centre = [left + width / 2, top + height / 2];
  return { ...building, label, area, centre, outline: outline(building.squares), doors: doorsOf(building) };
}

// Label and area of a building that is a rectangle. One square alone has both.
function boxParts(left, top, width, height, kind) {
  if (kind === "casino") return [[left, top, width, 0.8], [left + 0.12, top + 0.76, width - 0.24, height - 0.86]];
  if (width === 1 && height === 1) return [[left, top, 1, 1], [left + 0.4, top + 0.3, 0.6, 0.7]];
  if (height === 1) return [[left, top, 1, 1], [left + 1, top, width - 1, 1]];
  if (width === 1) return [[left, top, 1, 1], [left, top + 1, 1, height - 1]];
  return [[left, top, width, 0.8], [left, top + 0.76, width, height - 0.8]];
}

// A building with a corner: its label is on a square without which the others are a rectangle.
function cornerParts(squares) {
  for (const chosen of squares) {
    const others = squares.filter(each => each !== chosen);
    const [xs, ys] = [others.map(([x]) => x), others.map(([, y]) => y)];
    const [left, top] = [Math.min(...xs), Math.min(...ys)];
    const [width, height] = [Math.max(...xs) - left + 1, Math.max(...ys) - top + 1];
    if (width * height === others.length) return [[...chosen, 1, 1], [left, top, width, height]];
  }
  return [[...squares[0], 1, 1], [...squares.at(-1), 1, 1]];
}

// The corners of the outline of some squares, clockwise, with the way inwards at each: [x, y, dx, dy].
function outline(squares) {
  const sides = new Map();
  for (const [x, y] of squares) {
    const points = [[x, y], [x + 1, y], [x + 1, y + 1], [x, y + 1]];
    points.forEach((from, at) => {
      const to = points[(at + 1) % 4];
      // Two squares side by side have the same side in both directions: it is inside.
      if (!sides.delete(`${to}>${from}`)) sides.set(`${from}>${to}`, [from, to]);
    });
  }
  const next = new Map([...sides.values()].map(([from, to]) => [String(from), to]));
  const first = [...sides.values()][0][0];
  const ring = [first];
  for (let at = next.get(String(first)); String(at) !== String(first) && ring.length < 99; at = next.get(String(at))) ring.push(at);
  return ring.map(([x, y], at) => {
    const [px, py] = ring.at(at - 1);
    const [nx, ny] = ring[(at + 1) % ring.length];
    const [before, after] = [[x - px, y - py], [nx - x, ny - y]];
    return before[0] === after[0] && before[1] === after[1] ? null : [x, y, -before[1] - after[1], before[0] + after[0]];
  }).filter(Boolean);
}

// The doors of a building: the street square, and the way from there into the building.
function doorsOf(building) {
  return building.entrances.flatMap(id => {
    const [x, y] = NODES.get(id)?.xy ?? [];
    const inside = building.squares.find(([bx, by]) => Math.abs(bx - x) + Math.abs(by - y) === 1);
    return inside ? [{ x, y, dx: inside[0] - x, dy: inside[1] - y }] : [];
  });
}

// ----------------------------------------------------------------------------------------------------------------- Layout

// Where everything is: boxes are [x, y, width, height].
function layout(view, narrow) {
  const letters = gangsOf(view).map(([letter]) => letter);
  const all = Math.max(1, letters.length);
  if (!narrow) {
    const each = (984 - 8 * (all - 1)) / all;
    return {
      narrow, width: 1000, height: 1208, s: 43, x: 27, y: 236, pawn: 0.28,
      clock: [8, 8, 262, 92], decision: [278, 8, 306, 92], news: [592, 8, 400, 92],
      cards: new Map(letters.map((letter, at) => [letter, [8 + at * (each + 8), 110, each, 96]])), roster: [],
    };
  }
  const rows = Math.ceil(all / 2);
  const top = 220 + rows * 104;
  const roster = [];
  let y = top + 386;
  for (const [letter, gang] of gangsOf(view)) {
    const height = 6 + 21 * Math.max(1, Math.ceil(membersOf(gang).length / ROSTER_ROW));
    roster.push([letter, [6, y, 368, height]]);
    y += height + 4;
  }
  return {
    narrow, width: 380, height: y + 4, s: 16.4, x: 9.6, y: top + 12, pawn: 0.36,
    clock: [6, 6, 368, 52], decision: [6, 62, 368, 68], news: [6, 134, 368, 78],
    cards: new Map(letters.map((letter, at) => [letter, [6 + (at % 2) * 186, 220 + Math.floor(at / 2) * 104, 182, 96]])), roster,
  };
}
const ROSTER_ROW = 4;

// The middle of a street square, or of a building, in the picture.
function placeOf(plan, id) {
  const node = NODES.get(id);
  if (!node) return null;
  const [x, y] = node.xy ? [node.xy[0] + 0.5, node.xy[1] + 0.5] : PLANS.get(id).centre;
  return [round(plan.x + x * plan.s), round(plan.y + y * plan.s)];
}

// Places of so many pawns in a building: [x, y, scale]. They stand in rows as large as the area allows.
function places(plan, id, many) {
  const building = PLANS.get(id);
  if (!building) return Array.from({ length: many }, () => [...placeOf(plan, id), 1]);
  const [left, top, width, height] = building.area;
  let best = { scale: 0, columns: 1, rows: 1 };
  for (let columns = 1; columns <= many; columns++) {
    const rows = Math.ceil(many / columns);
    const scale = Math.min(1, width / columns / (plan.pawn * 2.5), height / rows / (plan.pawn * 2.9));
    if (scale > best.scale + 0.001) best = { scale, columns, rows };
  }
  return Array.from({ length: many }, (_, at) => {
    const row = Math.floor(at / best.columns);
    const inRow = Math.min(best.columns, many - row * best.columns);
    const x = left + (width * (at % best.columns + 0.5 + (best.columns - inRow) / 2)) / best.columns;
    const y = top + (height * (row + 0.5)) / best.rows;
    return [round(plan.x + x * plan.s), round(plan.y + y * plan.s), best.scale];
  });
}

// Where each of the members in a building stands. A pawn has the place of its number, or the next that is free, so that few
// pawns move when one comes or goes; for the same reason the number of places grows in steps.
const CROWDS = [1, 2, 3, 4, 6, 8, 12, 16, 20, 24, 30, 40, 60, 80];
function standing(plan, id, members) {
  const all = places(plan, id, CROWDS.find(size => size >= members.length) ?? members.length);
  const taken = new Set();
  return members.map(({ pawn }) => {
    let slot = (Number(number(pawn)) - 1) % all.length || 0;
    while (taken.has(slot)) slot = (slot + 1) % all.length;
    taken.add(slot);
    return all[slot];
  });
}

// ------------------------------------------------------------------------------------------------------------ Small parts

const label = (x, y, size, value, more = "", anchor = "start") =>
  text(round(x), round(y), value, { "font-size": round(size), "text-anchor": anchor, class: more || null });

// The rings of a member, in a row around a point.
function ringRow(rings, cx, cy, r) {
  return Array.from({ length: rings ?? 0 }, (_, at) => {
    const x = round(cx + (at - (rings - 1) / 2) * r * 2.3);
    return g({ class: "chicago-ring", "stroke-width": round(r * 0.28) },
      circle(x, round(cy), round(r)), circle(x, round(cy), round(r * 0.38), { class: "chicago-hole" }));
  });
}

// A member: the shape and colour of its gang, its number, its rings. Drawn around (0, 0), 2.9 times as high as r.
function pawnPicture(pawn, rings, r, isDead = false) {
  const letter = String(pawn).charAt(0);
  const cy = round(-r * 0.28);
  // A triangle has less room for two figures.
  const size = number(pawn).length < 2 ? 1.12 : letter === "Y" ? 0.92 : 1.04;
  return g({ class: `chicago-pawn chicago-${letter}` },
    pieceShape(letter, 0, cy, r, { class: "chicago-piece", "stroke-width": round(r * 0.1) }),
    label(0, cy + r * 0.42, r * size, number(pawn), "chicago-number", "middle"),
    ringRow(rings, 0, r * 1.22, r * 0.3),
    isDead ? cross(0, cy, r, { class: "chicago-cross", "stroke-width": round(r * 0.24) }) : null);
}

// The sign of a gang: its shape with its letter.
function gangSign(letter, cx, cy, r) {
  return g({ class: `chicago-pawn chicago-${letter}` },
    pieceShape(letter, cx, cy, r, { class: "chicago-piece", "stroke-width": 1 }),
    label(cx, cy + r * 0.42, r * 1.15, letter, "chicago-number", "middle"));
}

function cross(cx, cy, r, attributes) {
  const [left, right, top, bottom] = [cx - r, cx + r, cy - r, cy + r].map(round);
  return path(`M${left} ${top}L${right} ${bottom}M${right} ${top}L${left} ${bottom}`, attributes);
}

// The sign of the bars of the place.
function star(cx, cy, r) {
  const inner = 0.45;
  const points = corners(cx, cy, r, 10).map(([x, y], at) => at % 2 ? [round(cx + (x - cx) * inner), round(cy + (y - cy) * inner)] : [x, y]);
  return polygon(points, { class: "chicago-star" });
}

// The sign of homes.
function house(cx, cy, r) {
  const points = [[0, -1], [1.05, 0], [0.7, 0], [0.7, 0.95], [-0.7, 0.95], [-0.7, 0], [-1.05, 0]];
  return polygon(points.map(([x, y]) => [round(cx + x * r), round(cy + y * r)]), { class: "chicago-house" });
}

// The sign of casinos.
function chip(cx, cy, r) {
  const dash = round(r * 0.41);
  return g({ class: "chicago-chip" },
    circle(cx, cy, r),
    circle(cx, cy, round(r * 0.78), { class: "chicago-chip-rim", "stroke-width": round(r * 0.36), "stroke-dasharray": `${dash} ${dash}` }),
    circle(cx, cy, round(r * 0.45), { class: "chicago-chip-eye" }));
}

// The die of twelve sides with what is left of the roll.
function moveDie(points, cx, cy, r) {
  const inner = corners(cx, cy, r * 0.62, 5);
  const outer = corners(cx, cy, r, 10);
  return g({ class: "chicago-die" },
    polygon(outer),
    inner.map(([x, y], at) => line(x, y, ...outer[at * 2], { class: "chicago-die-edge" })),
    polygon(inner, { class: "chicago-die-top" }),
    label(cx, cy + r * 0.26, r * 0.76, points ?? "", "chicago-die-number", "middle"));
}

const panel = (box, more = "") => rect(...box.map(round), { rx: 6, class: `chicago-panel ${more}`.trim() });

// ---------------------------------------------------------------------------------------------------------------- The city

function drawGround(plan) {
  const side = round(plan.s * city.size);
  return g({}, rect(plan.x, plan.y, side, side, { class: "chicago-ground" }), drawZones(plan), drawCoordinates(plan));
}

// Every zone has its colour along the edge of the city: complete sets of a gang lie in its own zone.
function drawZones(plan) {
  const [half, thick] = [(plan.s * city.size) / 2, plan.s * 0.11];
  return Object.entries(city.corners).map(([letter, corner]) => {
    const [east, south] = [corner.includes("E"), corner.includes("S")];
    const left = plan.x + (east ? half : 0);
    const top = plan.y + (south ? half : 0);
    const across = [left - (east ? 0 : thick), south ? top + half : top - thick, half + thick, thick];
    const down = [east ? left + half : left - thick, top, thick, half];
    return g({ tip: `The ${gangName(letter)} zone.` }, [across, down].map(bar => rect(...bar.map(round), { class: `piece-${letter}` })));
  });
}

function drawCoordinates(plan) {
  const { s, x, y, narrow } = plan;
  const [size, far] = [narrow ? s * 0.32 : 12, narrow ? 0.32 : 0.36];
  const down = size * 0.36;
  return g({ class: "chicago-coordinates" }, Array.from({ length: city.size }, (_, at) => {
    const letter = String.fromCharCode(97 + at);
    const middle = (at + 0.5) * s;
    return [-far, city.size + far].flatMap(edge => [
      label(x + middle, y + edge * s + down, size, letter, "", "middle"),
      label(x + edge * s, y + middle + down, size, at + 1, "", "middle"),
    ]);
  }));
}

function drawStreets(plan, view) {
  const { s, x, y } = plan;
  return g({}, STREETS.map(street => {
    const [column, row] = street.xy;
    const kind = street.gate ? "chicago-gate" : street.place ? "chicago-place" : "chicago-street";
    const box = [round(x + column * s), round(y + row * s), round(s), round(s)];
    return g({ spot: `node:${street.id}`, tip: streetTip(street, view) },
      rect(...box, { class: kind }), street.gate ? gateArrows(plan, street) : null);
  }), city.islands.map(([column, row]) => island(plan, column, row)));
}

function streetTip(street, view) {
  const what = street.gate
    ? `Gate ${street.id}: one step to every other gate, for ${count(option(view, "gate_cost", 1), "point")}.`
    : `Street square ${street.id}${street.place ? ", on the central place" : ""}.`;
  return street.arrow ? `${what} Here is a door of ${street.arrow}.` : what;
}

// Two arrows at the outer edge of a gate: the ways out of the city and in.
function gateArrows(plan, street) {
  const { s, x, y } = plan;
  const [column, row] = street.xy;
  const far = city.size - 1;
  const [dx, dy] = column === 0 ? [-1, 0] : column === far ? [1, 0] : row === 0 ? [0, -1] : [0, 1];
  const [cx, cy] = [x + (column + 0.5) * s, y + (row + 0.5) * s];
  const at = (along, across) => `${round(cx + (dx * along - dy * across) * s)} ${round(cy + (dy * along + dx * across) * s)}`;
  const arrow = (across, from, to) => {
    const back = to + (from < to ? -0.11 : 0.11);
    return `M${at(from, across)}L${at(to, across)}M${at(back, across - 0.08)}L${at(to, across)}L${at(back, across + 0.08)}`;
  };
  return path(arrow(-0.34, 0.1, 0.44) + arrow(0.34, 0.44, 0.1), { class: "chicago-gate-arrows", "stroke-width": round(s * 0.045) });
}

function island(plan, column, row) {
  const [cx, cy, r] = [plan.x + (column + 0.5) * plan.s, plan.y + (row + 0.5) * plan.s, plan.s * 0.4];
  return g({ tip: "A traffic island: members go round it." },
    rect(round(cx - plan.s / 2), round(cy - plan.s / 2), round(plan.s), round(plan.s), { class: "chicago-place" }),
    circle(round(cx), round(cy), round(r), { class: "chicago-island" }),
    cross(cx, cy, r * 0.5, { class: "chicago-island-cross", "stroke-width": round(plan.s * 0.05) }));
}

function drawBuildings(plan, view) {
  const pays = payments(view);
  return g({}, BUILDINGS.map(building => drawBuilding(plan, view, building, pays.get(building.id))));
}

function drawBuilding(plan, view, building, pays) {
  const { s } = plan;
  const owner = view?.owner?.[building.id] ?? null;
  const kind = kindOf(building);
  const [cx, cy] = placeOf(plan, building.id);
  const wall = { casino: 0.12, central: 0.12, home: 0.06, bar: 0.03 }[kind];
  const shape = outlineAround(plan, building, 0.03 + wall / 2, [cx, cy]);
  const tip = buildingTip(building, owner, pays);
  return g({ key: `building:${building.id}`, at: [cx, cy], state: owner ?? "", spot: `node:${building.id}`, tip,
    class: `chicago-building chicago-${kind} chicago-owner-${owner ?? "none"}` },
    path(shape, { class: "chicago-wall", "stroke-width": round(s * wall) }),
    wall > 0.1 ? path(shape, { class: "chicago-inner", "stroke-width": round(s * 0.035) }) : null,
    buildingLabel(plan, building, kind, owner, pays, [cx, cy]));
}

const kindOf = building => building.kind === "casino" ? "casino" : building.central ? "central" : building.home ? "home" : "bar";

// The outline of a building, so many squares inside its border, around a point.
function outlineAround(plan, building, inset, [cx, cy]) {
  const point = ([x, y, dx, dy]) => `${round(plan.x + (x + dx * inset) * plan.s - cx)} ${round(plan.y + (y + dy * inset) * plan.s - cy)}`;
  return `M${building.outline.map(point).join("L")}Z`;
}

// Where the parts of a label are, in squares, by kind of building and by form: a band above the pawns, or a square beside them.
const BANDS = { inset: 0.1, mark: [0.9, 0.27], value: 0.42 };
const SQUARES = { inset: 0.1, mark: [0.83, 0.23], value: 0.4 };
const LABELS = {
  bar: { band: BANDS, square: SQUARES },
  home: { band: { ...BANDS, mark: [1.08, 0.28], value: 0.38 }, square: SQUARES },
  casino: { band: { inset: 0.18, mark: [0.82, 0.36], value: 0.4 }, square: SQUARES },
  central: { band: { ...BANDS, inset: 0.18 }, square: { inset: 0.15, mark: [0.81, 0.29], value: 0.36 } },
};

// Name, sign of the kind, owner's mark and income.
function buildingLabel(plan, building, kind, owner, pays, [cx, cy]) {
  const { s } = plan;
  const [left, top, width] = building.label;
  const isBand = width > 1;
  const isAlone = building.squares.length === 1;
  const { inset, mark, value: size } = LABELS[kind][isBand ? "band" : "square"];
  const X = across => round(plan.x + (left + across) * s - cx);
  const Y = down => round(plan.y + (top + down) * s - cy);
  const worth = `chicago-value${pays > building.value ? " chicago-tripled" : ""}${pays === 0 ? " chicago-unpaid" : ""}`;
  return [
    label(X(inset), Y(inset + 0.25), s * (kind === "central" ? 0.26 : 0.28), building.id, "chicago-name"),
    kind === "casino" ? chip(X(0.42), Y(1.46), round(s * 0.23)) : null,
    kind === "central" ? star(X(0.78), Y(0.69), round(s * 0.13)) : null,
    kind === "home" ? house(X(0.74), Y(inset + 0.18), round(s * 0.14)) : null,
    owner ? ownerMark(owner, building.owner !== owner, X(mark[0]), Y(mark[1]), round(s * (kind === "central" ? 0.08 : 0.1))) : null,
    isBand ? label(X(width - inset), Y(inset + 0.36), s * size, money(pays || building.value), worth, "end")
      : label(X(isAlone ? 0.07 : inset), Y(isAlone ? 0.86 : 0.82), s * (isAlone ? 0.28 : size), money(pays), worth),
  ];
}

// The mark of an owner: a token lies on a white disc, the print of the board has none.
function ownerMark(owner, isToken, cx, cy, r) {
  return g({}, isToken ? circle(cx, cy, round(r * 1.55), { class: "chicago-token" }) : null,
    pieceShape(owner, cx, cy, r, { class: "chicago-mark", "stroke-width": round(r * 0.14) }));
}

function buildingTip(building, owner, pays) {
  const what = building.kind === "casino" ? "casino" : building.home ? `home bar of ${gangName(building.home)}`
    : building.central ? "bar of the central place" : "bar";
  const whose = owner ? `owned by ${gangName(owner)}${building.owner === owner ? " (printed)" : " (token)"}` : "owned by no gang";
  const paid = !owner || pays === building.value ? `worth ${inFull(building.value)} of income`
    : pays ? `pays ${inFull(pays)}, three times its value, because its set is complete`
      : "pays nothing now, because no member of its owner is inside";
  return `${building.id}, ${what}: ${whose}, ${paid}.`;
}

// Arrows from the street into the buildings.
function drawDoors(plan) {
  const { s } = plan;
  const marks = BUILDINGS.flatMap(({ doors }) => doors.map(({ x, y, dx, dy }) => {
    const [cx, cy] = [plan.x + (x + 0.5 + dx * 0.5) * s, plan.y + (y + 0.5 + dy * 0.5) * s];
    const at = (along, across) => `${round(cx + (dx * along - dy * across) * s)} ${round(cy + (dy * along + dx * across) * s)}`;
    return `M${at(-0.13, -0.15)}L${at(0.06, 0)}L${at(-0.13, 0.15)}Z`;
  }));
  return path(marks.join(""), { class: "chicago-doors" });
}

// ------------------------------------------------------------------------------------------------------------- The members

// All members in one layer, so that they glide from place to place.
function drawMembers(plan, view, events) {
  const moved = new Set(events.filter(each => ["moved", "placed"].includes(each.event)).map(each => each.pawn));
  const members = allMembers(view);
  const at = new Map();
  // Attackers come last: they were not there before.
  const last = new Set(view?.duel?.attackers ?? []);
  members.sort((a, b) => last.has(a.pawn) - last.has(b.pawn));
  for (const member of members) if (NODES.has(member.at)) at.set(member.at, [...(at.get(member.at) ?? []), member]);
  const placed = [...at].flatMap(([id, here]) => {
    const stands = standing(plan, id, here);
    return here.map((member, n) => drawMember(plan, member, stands[n], moved));
  });
  return g({}, placed, gangsOf(view).map(([letter, gang]) => drawTray(plan, letter, gang)));
}

function drawMember(plan, member, [x, y, scale], moved) {
  const r = round(plan.s * plan.pawn * scale);
  // The outer spot is the node: who attacks clicks on the rival that stands there.
  const spot = `node:${member.at}`;
  const trail = moved.has(member.pawn);
  return g({ key: `pawn:${member.pawn}`, at: [x, y], state: String(member.rings), trail, spot, tip: memberTip(member) },
    g({ spot: `pawn:${member.pawn}` }, pawnPicture(member.pawn, member.rings, r)));
}

function memberTip({ pawn, rings, at, gang }) {
  const where = at ? `${PLANS.has(at) ? "in" : "on"} ${at}` : "not placed yet";
  const force = `${FORCES[rings] ?? ""}, worth ${inFull(VALUES[rings])}`;
  return `${pawn}, a member of ${gangName(gang)} with ${count(rings, "ring")} (${force}), ${where}. `
    + `Faces of its duel die: ${DICE[rings] ?? ""}.`;
}

// Members that wait for a place, on the card of their gang.
function drawTray(plan, letter, gang) {
  const card = plan.cards.get(letter);
  const waiting = membersOf(gang).filter(([, , at]) => !at);
  if (!card || !waiting.length) return null;
  const [x, y, width] = card;
  const room = width - 40;
  const [r, step] = [9.5, Math.min(26, room / waiting.length)];
  return waiting.map(([pawn, rings, at], n) => {
    const tip = memberTip({ pawn, rings, at, gang: letter });
    return g({ key: `pawn:${pawn}`, at: [round(x + 24 + n * step), y + 58], state: String(rings), tip },
      g({ spot: `pawn:${pawn}` }, pawnPicture(pawn, rings, r)));
  });
}

// ------------------------------------------------------------------------------------------------------------ What happened

// Flashes on the city: where a duel was, and who died there.
function drawHappenings(plan, events) {
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
  const [x, y] = NODES.get(id).squares ? lowest(NODES.get(id).squares) : NODES.get(id).xy;
  return [plan.x + (x + 1) * plan.s, plan.y + (y + 1) * plan.s];
}

const lowest = squares => squares.reduce((best, each) => each[0] + each[1] > best[0] + best[1] ? each : best);

// --------------------------------------------------------------------------------------------------------------- The strip

function drawClock(plan, view) {
  const [x, y, width] = plan.clock;
  const turn = view?.turn ? `turn ${view.turn}` : "";
  const options = Object.entries(view?.options ?? {}).map(([name, value]) => `${name} ${value}`).join(", ");
  const title = view?.part ? `Phase ${view.part}${view.round ? `, round ${view.round}` : ""}` : "";
  const track = plan.narrow ? [x + 10, y + 28] : [x + 12, y + 34];
  return g({ tip: `${title || "The clock"}. Every phase ends with a payment.${options ? ` Options: ${options}.` : ""}` }, panel(plan.clock),
    plan.narrow ? label(x + 164, y + 20, 12, turn, "chicago-soft") : label(x + width - 12, y + 24, 12, turn, "chicago-soft", "end"),
    label(x + (plan.narrow ? 10 : 12), y + (plan.narrow ? 20 : 24), plan.narrow ? 15 : 17, title, "chicago-strong"),
    drawTrack(view, ...track),
    plan.narrow ? drawOrder(view, x + width - 10, y + 15, 8) : drawOrder(view, x + width - 12, y + 73, 11),
    plan.narrow ? drawBank(view, x + width - 10, y + 41, "end") : drawBank(view, x + 12, y + 78, "start"));
}

// The track of the phases, a box for each round; those that are over are filled.
function drawTrack(view, x, y) {
  const phases = option(view, "phases", 4);
  const rounds = option(view, "rounds", 6);
  const now = "ABCD".indexOf(view?.part);
  return Array.from({ length: phases }, (_, part) => {
    const left = x + part * 60;
    return [label(left, y + 12, 12, "ABCD"[part], part === now ? "chicago-strong" : "chicago-soft"),
      Array.from({ length: rounds }, (_, at) => {
        const done = part < now || (part === now && (at + 1 < (view?.round ?? 0) || view?.phase === "over"));
        const current = part === now && at + 1 === view?.round && view?.phase !== "over";
        const kind = current ? "chicago-cell-now" : done ? "chicago-cell-done" : "chicago-cell";
        return rect(round(left + 11 + at * 7), y + 2, 5.5, 11, { rx: 1.5, class: kind });
      })];
  });
}

// The order of the gangs in this phase; a ring is round the gang on turn.
function drawOrder(view, right, y, r) {
  const order = view?.order ?? [];
  const step = r * 2.7;
  const at = n => round(right - r - (order.length - 1 - n) * step);
  const due = order.indexOf(view?.due?.[0]);
  return g({ tip: order.length ? `The order in this phase: ${order.map(gangName).join(", ")}.` : null },
    order.slice(1).map((_, n) => path(`M${at(n) + r * 1.2} ${y - 3}l3 3l-3 3`, { class: "chicago-chevron" })),
    order.map((letter, n) => gangSign(letter, at(n), y, r * 0.86)),
    due < 0 ? null : g({ key: "due", at: [at(due), y] }, circle(0, 0, round(r * 1.25), { class: "chicago-due" })));
}

function drawBank(view, x, y, anchor) {
  if (view?.ring_bank == null) return null;
  const left = anchor === "start" ? x : x - 84;
  return g({ key: "bank", at: [left, y], tip: `The bank has ${count(view.ring_bank, "ring")} left.` },
    ringRow(1, 5, -4, 5), label(15, 0, 12, `${view.ring_bank} in bank`, "chicago-soft"));
}

// What is to be decided, by which gang, with the plates to click.
function drawDecision(plan, view, names) {
  const [x, y, width] = plan.decision;
  const size = plan.narrow ? 13 : 15;
  const letter = view?.phase === "pick" ? view?.duel?.picks ?? view?.due?.[0] : view?.due?.[0];
  if (view?.phase === "over") return g({}, panel(plan.decision), drawVerdict(plan, view, names));
  return g({}, panel(plan.decision, "chicago-asked"),
    letter ? gangSign(letter, x + 19, y + 19, 10) : null,
    label(x + 36, y + 24, size, sentence(view, letter), "chicago-strong"),
    drawChoices(plan, view, x + 10, y + (plan.narrow ? 33 : 36), width - 20, plan.narrow ? 28 : 48));
}

function sentence(view, letter) {
  const gang = capital(gangName(letter));
  const first = membersOf(view?.gangs?.[letter]).find(([, , at]) => !at)?.[0];
  return {
    part_buy: `${gang} buys for phase ${view?.part ?? ""}`,
    turn_buy: `${gang} may buy, then rolls`,
    place: `${gang} places ${first ?? "members"}`,
    move: `${gang} moves: ${count(view?.points ?? 0, "point")} left`,
    join: `${gang}: ${count(view?.points ?? 0, "point")} left to join`,
    pick: `${gang} picks the next duel`,
  }[view?.phase] ?? "";
}

function drawChoices(plan, view, x, y, width, height) {
  const phase = view?.phase;
  if (phase === "part_buy" || phase === "turn_buy") {
    const plates = phase === "part_buy" ? [1, 2, 3, "done"] : [1, 2, "done"];
    const each = (width - 6 * (plates.length - 1)) / plates.length;
    return plates.map((what, at) => {
      const box = [x + at * (each + 6), y, each, height];
      return what === "done" ? plate("done", "End the purchase.", box, "Done") : buyPlate(view, what, box);
    });
  }
  if (phase === "move" || phase === "join") {
    const isJoin = phase === "join";
    return [drawPoints(plan, view, x, y, width - (isJoin ? 96 : 0), height),
      isJoin ? plate("attack", "Begin the duels.", [x + width - 90, y, 90, height], "Attack") : null];
  }
  if (phase === "place") return label(x + 26, y + 16, 12, "in a building that it owns", "chicago-soft");
  if (phase === "pick") return label(x + 26, y + 16, 12, `from those who are in ${view?.duel?.at ?? "the building"}`, "chicago-soft");
  return null;
}

function plate(spot, tip, [x, y, width, height], words) {
  return g({ spot, tip, class: "chicago-plate" },
    rect(round(x), y, round(width), height, { rx: 5 }),
    label(x + width / 2, y + height / 2 + 5, 14, words, "chicago-strong", "middle"));
}

// The price list: a new member with so many rings. A plate is dim if the gang has not enough money.
function buyPlate(view, rings, [x, y, width, height]) {
  const isDim = (view?.gangs?.[view?.due?.[0]]?.cash ?? 0) < VALUES[rings];
  const isFlat = height < 40;
  const middle = x + width / 2;
  const tip = `Buy a member with ${count(rings, "ring")} (${FORCES[rings]}) for ${inFull(VALUES[rings])}.`;
  return g({ spot: `buy:${rings}`, tip, class: `chicago-plate${isDim ? " chicago-dim" : ""}` },
    rect(round(x), y, round(width), height, { rx: 5 }),
    isFlat ? ringRow(rings, x + width * 0.28, y + height / 2, 4.2) : ringRow(rings, middle, y + 15, 5.5),
    isFlat ? label(x + width * 0.72, y + height / 2 + 5, 13, money(VALUES[rings]), "chicago-strong", "middle")
      : label(middle, y + 39, 14, money(VALUES[rings]), "chicago-strong", "middle"));
}

// The move die, and a dot for every point that is left.
function drawPoints(plan, view, x, y, width, height) {
  const points = view?.points ?? 0;
  const r = plan.narrow ? 15 : 24;
  const left = x + 2 * r + 14;
  const step = Math.min(15, (width - 2 * r - 24) / Math.max(1, points));
  return g({ tip: `${count(points, "point")} left of the roll; all must be used.` },
    moveDie(points, x + r, y + height / 2, r),
    Array.from({ length: points }, (_, at) =>
      circle(round(left + at * step), y + height / 2, round(step * 0.34), { class: "chicago-point" })));
}

// How the game ended: the winners, and why.
function drawVerdict(plan, view, names) {
  const [x, y, width] = plan.decision;
  const ranking = view?.ranking ?? [];
  const best = Math.min(...ranking);
  const winners = ranking.flatMap((rank, seat) => rank === best ? [seat] : []);
  const words = winners.length > 1 ? "A draw of" : "Winner";
  const why = { goal: "reached a goal", wealth: "richest at the end" }[view?.reason] ?? view?.reason ?? "";
  const [step, letters] = winners.length > 2 ? [76, 5] : winners.length > 1 ? [140, 11] : [0, 26];
  return g({ tip: `The game is over: ${words.toLowerCase()} ${winners.map(seat => `seat ${seat}`).join(", ")}, ${why}.` },
    label(x + 12, y + 22, 13, `Game over. ${words}:`, "chicago-soft"),
    winners.map((seat, at) => g({}, seatMark(seat, x + 22 + at * step, y + 42, 10),
      label(x + 38 + at * step, y + 47, 15, shortened(names?.[seat] || `seat ${seat}`, letters), "chicago-strong"))),
    plan.narrow ? label(x + width - 12, y + 22, 13, why, "", "end") : label(x + 12, y + 74, 13, why, ""));
}

// The panel of the last step: duels with their dice, the sides that wait for one, else the news in lines.
function drawNews(plan, view, events) {
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

// A duel: attacker above, defender below, a column of two dice for every throw, and what came of it.
function duelPicture(duel) {
  const start = 104;
  const after = start + duel.throws.length * DICE_STEP + 6;
  const words = [[duel.attacker, 22, "attacks"], [duel.defender, 62, "defends"]].map(([pawn, y, does]) => [
    label(36, y - 2, 14, pawn, "chicago-strong"), label(36, y + 13, 12, does, "chicago-soft"),
    label(after, y + 4, 13, resultOf(duel, pawn), duel.dead.includes(pawn) ? "chicago-soft" : "chicago-strong")]);
  return { picture: g({ tip: duelTip(duel) }, duelPawns(duel), duelDice(duel, start), words), width: after + 134 };
}
const DICE_STEP = 42;

// A duel without words, where there are several.
function duelColumn(duel) {
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
  if (duel.won && duel.won.pawn === pawn) return `wins ${money(duel.won.reward)}: ${count(duel.won.rings, "ring")}`;
  return "is left";
}

function duelTip(duel) {
  const throws = duel.throws.map(({ values }) => values.join(" to ")).join(", ");
  const dead = duel.dead.length ? ` Dead: ${duel.dead.join(", ")}.` : "";
  return `Duel at ${duel.at}: ${duel.attacker} attacks ${duel.defender}. Throws: ${throws}.${dead}`;
}

// The two sides of duels that have not begun: people pick from them.
function waitingPicture(view, duel) {
  const rings = new Map(allMembers(view).map(({ pawn, rings: has }) => [pawn, has]));
  const rows = [[duel.attackers ?? [], 22, "attack"], [duel.defenders ?? [], 62, "defend"]];
  const longest = Math.max(1, ...rows.map(([pawns]) => pawns.length));
  const step = Math.max(22, Math.min(32, 240 / longest));
  const draw = (pawn, at, y) => g({ transform: `translate(${round(60 + at * step)} ${y})`, spot: `pawn:${pawn}`,
    tip: `${pawn} with ${count(rings.get(pawn) ?? 0, "ring")}.` }, pawnPicture(pawn, rings.get(pawn) ?? 0, Math.min(12, step * 0.42)));
  const picture = g({ tip: `Duels at ${duel.at}: ${rows[0][0].join(", ")} against ${rows[1][0].join(", ")}.` },
    rows.map(([pawns, y, does]) => [label(0, y + 4, 12, does, "chicago-soft"), pawns.map((pawn, at) => draw(pawn, at, y))]),
    label(0, 46, 12, `in ${duel.at}`, "chicago-strong"));
  return { picture, width: 44 + longest * step };
}

// ----------------------------------------------------------------------------------------------------------- Cards of gangs

function drawCards(plan, view, events, names) {
  const pays = payments(view);
  const moved = moneyMoved(events);
  return g({}, gangsOf(view).map(([letter, gang]) => drawCard(plan, view, letter, gang, { names, pays, change: moved[letter] })));
}

function drawCard(plan, view, letter, gang, { names, pays, change }) {
  const box = plan.cards.get(letter);
  const [x, y, width, height] = box;
  const small = plan.narrow;
  const isAsked = (view?.to_act ?? []).includes(gang.seat) && actingGang(view) === letter;
  const isYou = view?.you != null && view.you === gang.seat;
  const waits = membersOf(gang).some(([, , at]) => !at);
  const rank = view?.ranking?.[gang.seat];
  const seatTip = `Seat ${gang.seat}, ${names?.[gang.seat] ?? ""}${isYou ? ", you" : ""}, runs ${gangName(letter)}.`;
  return g({ class: `chicago-card${isAsked ? " chicago-acts" : ""}${isOut(gang) ? " chicago-out" : ""}` },
    panel(box), rect(x, y, 6, height, { rx: 3, class: `piece-${letter}` }),
    gangSign(letter, x + 22, y + 19, small ? 10 : 11),
    gang.seat == null ? null : seatMark(gang.seat, x + 44, y + 18, small ? 8 : 9, { tip: seatTip }),
    drawName(gang, names, x + 57, y + 24, width - 73 - moneyWidth(gang.cash, small), small),
    drawCash(letter, gang, x + width - 10, y + 24, small),
    drawWorth(view, letter, gang, incomeOf(view, letter, pays), x + 14, y + 43, small, change),
    change ? drawMoneyMoved(change, x + width - 10, y + 43, small) : null,
    waits ? null : drawGoals(view, letter, x + 22, y + 62, small ? 50 : 62),
    drawSupplies(gang, x, y + 89, width, small),
    drawTabs([isYou ? "you" : "", isAsked ? "to act" : "", rank ? `rank ${rank}` : ""].filter(Boolean), x + 54, y));
}

function drawCash(letter, gang, x, y, small) {
  const width = moneyWidth(gang.cash, small);
  const [size, rise, height] = small ? [15, 15, 20] : [19, 18, 23];
  const tip = `${capital(gangName(letter))} has ${inFull(gang.cash)} in cash.`;
  return g({ key: `cash:${letter}`, at: [round(x), y], state: String(gang.cash ?? ""), tip },
    // Behind the letters, so that a glow is round them and not on them.
    rect(-width, -rise, width + 5, height, { rx: 4, class: "chicago-behind" }),
    label(0, 0, size, money(gang.cash), "chicago-strong", "end"));
}

// What the buildings of a gang pay, and what its seat is worth. On a small card a payment takes the place of the worth.
function drawWorth(view, letter, gang, income, x, y, small, change) {
  const wealth = wealthOf(view, gang.seat);
  const words = !small ? `income ${money(income)} · wealth ${money(wealth)}`
    : change ? `pays ${money(income)}` : `pays ${money(income)} · worth ${money(wealth)}`;
  const tip = `The buildings of ${gangName(letter)} pay ${inFull(income)} at the end of a phase. `
    + `Seat ${gang.seat} is worth ${inFull(wealth)}: cash and living members.`;
  return g({ tip }, label(x, y, small ? 11 : 12, words, "chicago-soft"));
}

function drawMoneyMoved(change, x, y, small) {
  const words = `${change > 0 ? "+" : "−"}${money(Math.abs(change))}`;
  return label(x, y, small ? 13 : 14, words, change > 0 ? "chicago-gain" : "chicago-loss", "end");
}

const moneyWidth = (cash, small) => round(money(cash).length * (small ? 10 : 12.7) + 4);

const actingGang = view => view?.phase === "pick" ? view?.duel?.picks ?? view?.due?.[0] : view?.due?.[0];

// Small tabs on the upper edge of a card: you, to act, the rank at the end.
function drawTabs(words, x, y) {
  const widths = words.map(word => word.length * 6.6 + 10);
  return words.map((word, at) => {
    const left = x + sum(widths.slice(0, at)) + 4 * at;
    return g({ class: word === "you" ? "chicago-tab-you" : "chicago-tab" },
      rect(round(left), y - 7, round(widths[at]), 15, { rx: 7.5 }),
      label(left + widths[at] / 2, y + 4, 11, word, "chicago-strong", "middle"));
  });
}

// The name of a bot, as long as the space beside the cash allows.
function drawName(gang, names, x, y, room, small) {
  const size = small ? 12 : 14;
  return label(x, y, size, shortened(names?.[gang.seat] || `seat ${gang.seat}`, Math.max(4, Math.floor(room / (size * 0.62)))));
}

// How near the seat is to each goal.
function drawGoals(view, letter, x, y, step) {
  const goals = goalsOf(view, letter);
  const show = (at, icon, [has, needs], what) => g({ tip: `Goal: ${what}. Has ${has} of ${needs}.` },
    icon, label(x + at * step + 11, y + 4, 12, `${has}/${needs}`, has >= needs ? "chicago-reached" : ""));
  return [
    show(0, chip(x, y, 7), goals.casinos, "casinos"),
    show(1, star(x + step, y, 8), goals.place, "bars of the central place"),
    show(2, g({}, ringRow(2, x + 2 * step, y - 3.2, 3), ringRow(2, x + 2 * step, y + 3.2, 3)), goals.five, "members with four rings"),
  ];
}

// Pawns in reserve, tokens, and the members that were bought with one, two and three rings.
function drawSupplies(gang, x, y, width, small) {
  const size = small ? 11 : 12;
  const bought = (gang.bought ?? []).join("·");
  const [pawns, tokens] = [count(gang.reserve ?? 0, "pawn"), count(gang.tokens ?? 0, "token")];
  return g({ tip: `${pawns} in reserve, ${tokens} left; bought with 1, 2 and 3 rings: ${bought}.` },
    label(x + 14, y, size, `${pawns} · ${tokens}`, "chicago-soft"),
    label(x + width - 10, y, size, small ? bought : `bought ${bought}`, "chicago-soft", "end"));
}

// On a phone: where every member is, in letters that are read without zoom.
function drawRoster(plan, view) {
  return g({}, plan.roster.map(([letter, [x, y, width, height]]) => {
    const members = membersOf(view.gangs[letter]);
    return g({}, panel([x, y, width, height]), rect(x, y, 6, height, { rx: 3, class: `piece-${letter}` }),
      members.length ? null : label(x + 14, y + 18, 12, `${capital(gangName(letter))} has no member`, "chicago-soft"),
      members.map(([pawn, rings, at], n) => {
        const [left, top] = [x + 22 + (n % ROSTER_ROW) * 88, y + 13 + Math.floor(n / ROSTER_ROW) * 21];
        return g({ tip: memberTip({ pawn, rings, at, gang: letter }) },
          g({ transform: `translate(${left} ${top + 2})` }, pawnPicture(pawn, 0, 9)),
          label(left + 13, top + 4, 12, at ?? "–", "chicago-strong"), ringRow(rings, left + 43 + 3.2 * rings, top, 2.8));
      }));
  }));
}

// ----------------------------------------------------------------------------------------------------------------- The board

function drawAll(view, { events = [], names = [], narrow = false }) {
  const plan = layout(view, narrow);
  return g({ class: "chicago-picture" },
    drawGround(plan), drawStreets(plan, view), drawBuildings(plan, view), drawDoors(plan),
    drawClock(plan, view), drawDecision(plan, view, names), drawNews(plan, view, events),
    drawCards(plan, view, events, names), drawRoster(plan, view),
    drawMembers(plan, view, events), drawHappenings(plan, events));
}

function spotsOf(action) {
  const [verb, first, second] = String(action).split(" ");
  switch (verb) {
    case "move":
    case "place": return [`pawn:${first}`, `node:${second}`];
    case "buy": return [`buy:${first}`];
    case "pick": return [first, second].filter(Boolean).map(pawn => `pawn:${pawn}`);
    default: return [verb];
  }
}

// A building for the legend: without a key, because it is no part of a position.
function sample(id, owner, pays) {
  const building = PLANS.get(id);
  const s = 36;
  const [left, top] = [0, 1].map(axis => Math.min(...building.outline.map(point => point[axis])));
  const plan = { s, x: 2 - left * s, y: 2 - top * s };
  const { attributes, children } = drawBuilding(plan, { owner: { [id]: owner } }, building, pays ?? building.value);
  return g({ class: attributes.class, transform: `translate(${attributes.at.join(" ")})` }, children);
}

function legendOf() {
  const at = (x, y, part) => g({ transform: `translate(${x} ${y})` }, part);
  const entry = (picture, width, height, meaning) => ({ picture, size: [width, height], meaning });
  return [
    entry(at(16, 15, pawnPicture("Y3", 2, 11)), 32, 32,
      "A member: shape and colour of its gang, its number, and a gold ring for each of its rings (1 to 4)."),
    entry(g({}, Object.keys(GANGS).map((letter, n) => gangSign(letter, 14 + n * 26, 14, 10))), 108, 28,
      "The gangs yellow, red, green and blue. In the order of the phase a red circle is round the gang on turn."),
    entry(seatMark(0, 14, 14, 10), 28, 28, "A seat. It runs one gang, or two gangs if there are two seats."),
    entry(sample("Y1a", "Y"), 76, 40,
      "A bar in the colour of its owner: its name, the mark of the owner, and its income (1k is 1,000 FT)."),
    entry(sample("Y1a", "R"), 76, 40,
      "A mark on a white disc is a token: a gang took the building. Without a disc the colour is printed there."),
    entry(sample("Y1a", "Y", 3000), 76, 40, "An underlined income is three times the value: the gang owns the whole set in its zone."),
    entry(sample("Y1h", null), 40, 76, "A building without colour has no owner."),
    entry(sample("YK", "Y"), 76, 76, "A casino: a double wall and a chip."),
    entry(sample("YK", "Y", 0), 76, 76,
      "An income that is struck out is not paid: with this option a casino pays only with a member of its owner inside."),
    entry(sample("Y4a", null), 40, 76, "A bar of the central place: a double wall and a star."),
    entry(sample("YH", "Y"), 112, 76, "The home of a gang, where new members start."),
    entry(polygon([[4, 6], [14, 12], [4, 18]], { class: "chicago-doors" }), 20, 24, "A door: buildings are entered and left here only."),
    entry(at(2, 2, gateSample()), 36, 36, "A gate: one step leads to each other gate."),
    entry(island({ s: 32, x: 0, y: 0 }, 0, 0), 32, 32, "A traffic island, where no member can go."),
    entry(moveDie(7, 18, 18, 16), 36, 36, "The move die with the points that are left. Each dot beside it is one point."),
    entry(chip(12, 12, 9), 24, 24, "On a card: casinos of the seat, and how many are a goal."),
    entry(star(12, 12, 10), 24, 24, "On a card: bars of the central place of the seat. All eight are a goal."),
    entry(g({}, ringRow(2, 12, 8.5, 3.4), ringRow(2, 12, 15.7, 3.4)), 24, 24, "On a card: members with four rings. Five are a goal."),
    entry(label(2, 16, 12, "3·2·1"), 38, 22, "On a card: how many members were bought with one, two and three rings."),
    entry(at(16, 16, pawnPicture("R2", 0, 11, true)), 32, 32, "A member that died in the last step."),
    entry(circle(14, 14, 11, { class: "chicago-flash", "stroke-width": 3 }), 28, 28, "Here was a duel in the last step."),
  ];
}

const gateSample = () => {
  const plan = { s: 32, x: -NODES.get(city.gates[0]).xy[0] * 32, y: -NODES.get(city.gates[0]).xy[1] * 32 };
  return g({}, rect(0, 0, 32, 32, { class: "chicago-gate" }), gateArrows(plan, NODES.get(city.gates[0])));
};

export const board = {
  size(view, { narrow = false } = {}) {
    const { width, height } = layout(view, narrow);
    return [width, height];
  },
  draw: (view, more) => drawAll(view ?? {}, more ?? {}),
  spots: (view, action) => spotsOf(action),
  legend: () => legendOf(),
};
