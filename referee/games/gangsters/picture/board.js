// The picture of Gangsters de Chicago: the city of six by six, what its lines paid, and what each seat has.

import { g } from "./scene.js";
import { ban, bands, city, labels } from "./city.js";
import { counts } from "./counts.js";
import { moving, placing, placingHead, shots } from "./happenings.js";
import { headline } from "./headline.js";
import { places } from "./layout.js";
import { legend } from "./legend.js";
import { plates } from "./line_plates.js";
import { payments } from "./payments.js";
import { pieces } from "./pieces.js";
import { tidy } from "./reading.js";
import { neutralGangs, seatCard } from "./seat_cards.js";
import { spots } from "./spots.js";
import { market, order, removed, unseen, variants } from "./supplies.js";

function size(view, { narrow } = {}) {
  const { width, height } = places(tidy(view), narrow);
  return [width, height];
}

function draw(view, { events, names, narrow } = {}) {
  const table = tidy(view);
  const scene = { view: table, events: events ?? [], names: names ?? [], at: places(table, narrow), narrow: Boolean(narrow) };
  scene.paid = payments(table, scene.events);
  return g({ class: "gangsters" },
    headline(scene), city(scene), bands(scene), labels(scene), plates(scene), counts(scene),
    table.scores.map((_, seat) => seatCard(scene, seat)), neutralGangs(scene), market(scene), unseen(scene), order(scene),
    removed(scene), variants(scene), placing(scene), pieces(scene), ban(scene),
    placingHead(scene), moving(scene), shots(scene));
}

export const board = { size, draw, spots, legend };
