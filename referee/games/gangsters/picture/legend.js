// The legend: what each sign means.

import { g, line, rect } from "./scene.js";
import { arrow } from "./happenings.js";
import { places } from "./layout.js";
import { label } from "./lettering.js";
import { paidPlate, pendingPlate, plate } from "./line_plates.js";
import { UNCOUNTED } from "./payments.js";
import { tidy, unled } from "./reading.js";
import { GANG_NAMES, NUMBERS } from "./terms.js";
import { brackets, cartridge, chipOf, faceDown, gangBadge, tile } from "./tiles.js";

export function legend(given) {
  const view = tidy(given);
  const scene = { view, events: [], names: [], at: places(view, false), narrow: false, paid: new Map() };
  const centred = (size, ...children) => g({ transform: `translate(${size[0] / 2} ${size[1] / 2})` }, children);
  const entry = (size, meaning, ...children) => ({ picture: centred(size, ...children), size, meaning });
  const paid = result => {
    const shown = { ...scene, paid: new Map([["1", [result]]]) };
    return paidPlate(shown, "1", 62, 30);
  };
  const someGang = view.gangs[0] ?? "R";
  const lone = unled(view)[0] ?? "G";
  return [
    ...Object.keys(GANG_NAMES).map((gang, n) => {
      const strength = n % 3 + 1;
      const pips = `${NUMBERS[strength]} pip${strength === 1 ? "" : "s"}`;
      const meaning = `A gangster of the ${GANG_NAMES[gang]} gang with ${pips}: strength ${strength}.`;
      return entry([46, 46], meaning, tile(`${gang}${strength}`, 40));
    }),
    entry([46, 46], "A dead tile: it fills its cell, but has no strength.", tile(`${someGang}2x`, 40)),
    entry([52, 52], "This tile was placed or moved in the last turn. It may not be moved now.", tile(`${someGang}1`, 40), brackets(24)),
    entry([62, 30], "The shade of a complete line, in the colour of the gang that won it. Its tiles move no more.",
      g({ class: `gang-${someGang}` }, rect(-29, -13, 58, 26, { rx: 6, class: "gang-band" }))),
    entry([66, 34], "At the end of a complete line: the seat that was paid, and its points.",
      paid({ counted: true, winner: someGang, seat: 0, points: 3 })),
    entry([66, 34], "Points that a neutral gang won: no seat got them.", paid({ counted: true, winner: lone, seat: null, points: 2 })),
    entry([66, 34], "A complete line that paid no seat.", paid({ counted: true, winner: null, seat: null, points: 0 })),
    entry([66, 34], "A complete line that was not counted, since the game was over before.", paid(UNCOUNTED)),
    entry([66, 34], "A later shot, or a seat that left, hides what this line paid.",
      plate(62, 30, "gang-plate"), label(0, 6, "?", 18, "gang-strong", "middle")),
    entry([66, 34], "A line with free cells: the gang that would win it as it is, and the points.",
      plate(62, 30, "gang-plate-open"), gangBadge(someGang, -8, 0, 6), label(5, 5, "2", 15, "gang-soft")),
    entry([66, 34], "Two lines are complete: the seat chooses which is counted first.", pendingPlate(62, 30)),
    entry([24, 34], "A cartridge: one shot that is left.", g({ transform: "translate(-5 0)" }, cartridge(0, "gang-shell", "gang-bullet"))),
    entry([44, 44], "A tile that lies face down. No seat has seen it.", faceDown(38)),
    entry([30, 44], "How many of these tiles are among those face down.",
      g({ transform: "translate(0 -9)" }, tile(`${someGang}3`, 24)), label(0, 18, "2", 13, "gang-strong", "middle")),
    entry([44, 44], "An empty place of a reserve.", rect(-18, -18, 36, 36, { rx: 5, class: "gang-slot" })),
    entry([60, 22], "The seat that decides now.", g({ transform: "translate(-27 -9)" }, chipOf(0, 0, "to act", "gang-chip-acts"))),
    entry([60, 22], "The way of a tile that was placed, from a reserve or a pile.",
      line(-24, 0, 24, 0, { class: "gang-arrow gang-dotted" })),
    entry([60, 22], "The way of a tile that was moved.", arrow([-26, 0], [26, 0], 2)),
    entry([60, 22], "A shot. If more than one tile can have fired it, the lines are dotted.", line(-24, 0, 24, 0, { class: "gang-shot" })),
  ];
}
