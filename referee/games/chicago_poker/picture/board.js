// The picture of Chicago Poker: a row of businesses, the rows of the seats on both sides of it, hands, deck and discard.

import { g, rect, round } from "./scene.js";
import { business, facingKey } from "./businesses.js";
import { deeds, happenings } from "./happenings.js";
import { headline } from "./headline.js";
import { layoutOf } from "./layout.js";
import { legend } from "./legend.js";
import { pieces } from "./pieces.js";
import { plate } from "./plates.js";
import { slotsOf } from "./reading.js";
import { spots } from "./spots.js";
import { discardTable, handPanels, supplies } from "./supplies.js";

function size(view, { narrow }) {
  const { width, height } = layoutOf(view ?? {}, narrow);
  return [width, round(height)];
}

function draw(position, { events = [], names = [], narrow = false }) {
  const view = position ?? {};
  const layout = layoutOf(view, narrow);
  const happened = deeds(events);
  return g({ class: "cp-board" },
    rect(0, 0, layout.width, round(layout.height), { rx: 12, class: "cp-table" }),
    headline(view, names, layout),
    facingKey(layout),
    slotsOf(view).map((_, slot) => business(view, slot, names, layout)),
    layout.order.map(seat => plate(view, seat, names, layout, happened)),
    handPanels(view, names, layout),
    supplies(view, layout),
    discardTable(view, layout),
    pieces(view, names, layout, events),
    happenings(view, names, layout, events));
}

export const board = { size, draw, spots, legend };
