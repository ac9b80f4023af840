// The legend: what each sign means.

import city from "../board.json" with { type: "json" };
import { circle, g, polygon, rect, seatMark } from "./scene.js";
import { drawBuilding } from "./buildings.js";
import { NODES, PLANS } from "./city_plan.js";
import { chip, gangSign, label, moveDie, pawnPicture, ringRow, star } from "./signs.js";
import { gateArrows, island } from "./streets.js";
import { GANGS } from "./terms.js";

export function legend() {
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

// A building for the legend: without a key, because it is no part of a position.
function sample(id, owner, pays) {
  const building = PLANS.get(id);
  const s = 36;
  const [left, top] = [0, 1].map(axis => Math.min(...building.outline.map(point => point[axis])));
  const plan = { s, x: 2 - left * s, y: 2 - top * s };
  const { attributes, children } = drawBuilding(plan, building, owner, pays ?? building.value);
  return g({ class: attributes.class, transform: `translate(${attributes.at.join(" ")})` }, children);
}

const gateSample = () => {
  const plan = { s: 32, x: -NODES.get(city.gates[0]).xy[0] * 32, y: -NODES.get(city.gates[0]).xy[1] * 32 };
  return g({}, rect(0, 0, 32, 32, { class: "chicago-gate" }), gateArrows(plan, NODES.get(city.gates[0])));
};
