// The ground of the city: zones, coordinates, streets, gates, islands.

import city from "../board.json" with { type: "json" };
import { remembered } from "./remembered.js";
import { circle, g, path, rect, round } from "./scene.js";
import { howMany } from "./wording.js";
import { STREETS } from "./city_plan.js";
import { cross, label } from "./signs.js";
import { gangName } from "./terms.js";

export const drawGround = remembered(plan => plan.key, plan => {
  const side = round(plan.s * city.size);
  return g({}, rect(plan.x, plan.y, side, side, { class: "chicago-ground" }), drawZones(plan), drawCoordinates(plan));
});

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
  const { s, x, y, edge: [beside, above] } = plan;
  const [size, side] = [s * 0.32, s * city.size];
  const down = size * 0.36;
  return g({ class: "chicago-coordinates" }, Array.from({ length: city.size }, (_, at) => {
    const letter = String.fromCharCode(97 + at);
    const middle = (at + 0.5) * s;
    return [
      [-above, side + above].map(edge => label(x + middle, y + edge + down, size, letter, "", "middle")),
      [-beside, side + beside].map(edge => label(x + edge, y + middle + down, size, at + 1, "", "middle")),
    ];
  }));
}

export const drawStreets = remembered((plan, gateCost) => `${plan.key} ${gateCost}`, (plan, gateCost) =>
  g({}, STREETS.map(street => drawStreet(plan, street, gateCost)), city.islands.map(([column, row]) => island(plan, column, row))));

function drawStreet(plan, street, gateCost) {
  const { s, x, y } = plan;
  const [column, row] = street.xy;
  const kind = street.gate ? "chicago-gate" : street.place ? "chicago-place" : "chicago-street";
  const box = [round(x + column * s), round(y + row * s), round(s), round(s)];
  return g({ spot: `node:${street.id}`, tip: streetTip(street, gateCost) },
    rect(...box, { class: kind }), street.gate ? gateArrows(plan, street) : null);
}

function streetTip(street, gateCost) {
  const what = street.gate
    ? `Gate ${street.id}: one step to every other gate, for ${howMany(gateCost, "point")}.`
    : `Street square ${street.id}${street.place ? ", on the central place" : ""}.`;
  return street.arrow ? `${what} Here is a door of ${street.arrow}.` : what;
}

// Two arrows at the outer edge of a gate: the ways out of the city and in.
export function gateArrows(plan, street) {
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

export function island(plan, column, row) {
  const [cx, cy, r] = [plan.x + (column + 0.5) * plan.s, plan.y + (row + 0.5) * plan.s, plan.s * 0.4];
  return g({ tip: "A traffic island: members go round it." },
    rect(round(cx - plan.s / 2), round(cy - plan.s / 2), round(plan.s), round(plan.s), { class: "chicago-place" }),
    circle(round(cx), round(cy), round(r), { class: "chicago-island" }),
    cross(cx, cy, r * 0.5, { class: "chicago-island-cross", "stroke-width": round(plan.s * 0.05) }));
}
