// The legend: what each sign means, and the odds of the wheel.

import circuit from "../board.json" with { type: "json" };
import { die, g, line, pieceShape, rect } from "./scene.js";
import { bossToken, cuffs, deadHood, hoodToken } from "./figures.js";
import { progressBar } from "./gang_blocks.js";
import { flash, hireSign, icon, padlock, tick } from "./signs.js";
import { COUNT, GANGS, LAP, NAMES } from "./terms.js";

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

export function legend() {
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
