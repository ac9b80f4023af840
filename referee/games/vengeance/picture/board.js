// The picture of Vengeance à Chicago: the circuit as a ring with an HQ in every corner, the wheel and the dice inside it, and beside
// it (on a phone: below it) the seats with the progress of their bosses.

import circuit from "../board.json" with { type: "json" };
import { g } from "./scene.js";
import { bossPiece, chains } from "./bosses.js";
import { cellPicture, directions } from "./cells.js";
import { happenings } from "./happenings.js";
import { hoodPiece, hoodsOf, usedMark } from "./hoods.js";
import { door, hqPicture } from "./hqs.js";
import { dice, hub } from "./hub.js";
import { layoutOf } from "./layout.js";
import { legend } from "./legend.js";
import { panel, panelHeight } from "./panel.js";
import { spots } from "./spots.js";
import { GANGS } from "./terms.js";
import { cars, shots, spinsOf, wheel } from "./wheel.js";

function size(view, { narrow }) {
  const L = layoutOf(narrow);
  const height = panelHeight(L, view);
  return narrow ? [2 * L.half, 2 * L.half + L.gap + height] : [2 * L.half + L.gap + L.panel, Math.max(2 * L.half, height + 4)];
}

function draw(view, { events, names, narrow }) {
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
}

export const board = { size, draw, spots, legend };
