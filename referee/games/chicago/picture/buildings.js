// The buildings with their owners and incomes, and their doors.

import { remembered } from "./remembered.js";
import { circle, g, path, pieceShape, round } from "./scene.js";
import { BUILDINGS, lastSquare } from "./city_plan.js";
import { placeOf } from "./layout.js";
import { allMembers, payments } from "./reading.js";
import { chip, house, label, star } from "./signs.js";
import { gangName, inFull, money } from "./terms.js";

export function drawBuildings(plan, view) {
  const pays = payments(view);
  const inside = new Set(allMembers(view).map(({ at }) => at));
  return g({}, BUILDINGS.map(building => {
    const { id, squares } = building;
    return oneOfCity(plan, building, view?.owner?.[id] ?? null, pays.get(id), squares.length === 1 && inside.has(id));
  }));
}

// Few buildings change in a step, so the others need not be drawn again.
const oneOfCity = remembered((plan, { id }, owner, pays, isFull) => `${plan.key} ${id} ${owner} ${pays} ${isFull}`, drawBuilding);

// `isFull`: members stand where else the income is, so that it is written smaller.
export function drawBuilding(plan, building, owner, pays, isFull = false) {
  const { s } = plan;
  const kind = kindOf(building);
  const [cx, cy] = placeOf(plan, building.id);
  const wall = { casino: 0.12, central: 0.12, home: 0.06, bar: 0.03 }[kind];
  const shape = outlineAround(plan, building, 0.03 + wall / 2, [cx, cy]);
  const tip = buildingTip(building, owner, pays);
  return g({ key: `building:${building.id}`, at: [cx, cy], state: owner ?? "", spot: `node:${building.id}`, tip,
    class: `chicago-building chicago-${kind} chicago-owner-${owner ?? "none"}` },
    path(shape, { class: "chicago-wall", "stroke-width": round(s * wall) }),
    wall > 0.1 ? path(shape, { class: "chicago-inner", "stroke-width": round(s * 0.035) }) : null,
    buildingLabel(plan, building, kind, { owner, pays, isFull }, [cx, cy]));
}

const kindOf = building => building.kind === "casino" ? "casino" : building.central ? "central" : building.home ? "home" : "bar";

// The outline of a building, so many squares inside its border, around a point.
export function outlineAround(plan, building, inset, [cx, cy]) {
  const point = ([x, y, dx, dy]) => `${round(plan.x + (x + dx * inset) * plan.s - cx)} ${round(plan.y + (y + dy * inset) * plan.s - cy)}`;
  return `M${building.outline.map(point).join("L")}Z`;
}

// Where the parts of a label are, in squares, by kind of building and by form: a band above the pawns, or a square beside them.
// The income is what matters most, so it has the largest letters. Only those of casinos have more than one figure.
const BANDS = { inset: 0.1, name: 0.34, mark: [0.92, 0.28, 0.13], value: 0.58 };

const SQUARES = { inset: 0.09, name: 0.3, mark: [0.84, 0.23, 0.11], value: 0.52 };

const LABELS = {
  bar: { band: BANDS, square: SQUARES },
  home: { band: { ...BANDS, inset: 0.13, mark: [1.08, 0.3, 0.11], value: 0.46 }, square: SQUARES },
  casino: { band: { inset: 0.17, name: 0.32, mark: [0.79, 0.36, 0.12], value: 0.42 }, square: SQUARES },
  central: { band: { ...BANDS, inset: 0.18 }, square: { inset: 0.16, name: 0.25, mark: [0.78, 0.29, 0.085], value: 0.46 } },
};

// Name, sign of the kind, owner's mark and income.
function buildingLabel(plan, building, kind, { owner, pays, isFull }, [cx, cy]) {
  const { s } = plan;
  const [left, top, width] = building.label;
  const isBand = width > 1;
  const { inset, name, mark, value: size } = LABELS[kind][isBand ? "band" : "square"];
  const X = across => round(plan.x + (left + across) * s - cx);
  const Y = down => round(plan.y + (top + down) * s - cy);
  const worth = `chicago-value${pays > building.value ? " chicago-tripled" : ""}${pays === 0 ? " chicago-unpaid" : ""}`;
  const [lastX, lastY] = lastSquare(building.squares);
  return [
    label(X(inset), Y(inset + name * 0.82), s * name, building.id, "chicago-name"),
    kind === "casino" ? chip(X(0.42), Y(1.46), round(s * 0.23)) : null,
    // Pawns may hide the star: the double wall says the same.
    kind === "central" ? star(X(lastX - left + 0.5), Y(lastY - top + 0.5), round(s * 0.2)) : null,
    kind === "home" ? house(X(0.77), Y(inset + 0.18), round(s * 0.14)) : null,
    owner ? ownerMark(owner, building.owner !== owner, X(mark[0]), Y(mark[1]), round(s * mark[2])) : null,
    isBand ? label(X(width - inset), Y(inset + size * 0.82), s * size, money(pays || building.value), worth, "end")
      : label(X(isFull ? 0.07 : inset), Y(isFull ? 0.84 : 0.97 - inset), s * (isFull ? 0.31 : size), money(pays), worth),
  ];
}

// The mark of an owner: a token lies on a white disc, the print of the board has none.
function ownerMark(owner, isToken, cx, cy, r) {
  return g({}, isToken ? circle(cx, cy, round(r * 1.4), { class: "chicago-token" }) : null,
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
export const drawDoors = remembered(plan => plan.key, plan => {
  const { s } = plan;
  const marks = BUILDINGS.flatMap(({ doors }) => doors.map(({ x, y, dx, dy }) => {
    const [cx, cy] = [plan.x + (x + 0.5 + dx * 0.5) * s, plan.y + (y + 0.5 + dy * 0.5) * s];
    const at = (along, across) => `${round(cx + (dx * along - dy * across) * s)} ${round(cy + (dy * along + dx * across) * s)}`;
    return `M${at(-0.13, -0.15)}L${at(0.06, 0)}L${at(-0.13, 0.15)}Z`;
  }));
  return path(marks.join(""), { class: "chicago-doors" });
});
