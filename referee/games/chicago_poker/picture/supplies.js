// What lies below the businesses: hands, deck, pile of tiles, discard.

import { remembered } from "./remembered.js";
import { back, g, rect, round, seatMark, text } from "./scene.js";
import { howMany } from "./wording.js";
import { discardPlace } from "./layout.js";
import { nameOf } from "./lettering.js";
import { heldBy, marksOf, slotsOf } from "./reading.js";
import { flash, gangster, icon } from "./signs.js";
import { COLOURS, HAND_LIMIT, SPECIALS, VALUES, isSpecial, range } from "./terms.js";

export function handPanels(view, names, layout) {
  return layout.hands.map(({ seat, x, y, w, h, single }) => g({},
    rect(x, y, w, h, { rx: 8, class: `cp-panel${(view.to_act ?? []).includes(seat) ? " cp-acts" : ""}` }),
    single ? ownTitle(view, seat, x, y, h, layout.narrow) : seatMark(seat, x + 15, y + h / 2, 9,
      { tip: `The hand of ${nameOf(names, seat)}.` })));
}

function ownTitle(view, seat, x, y, h, narrow) {
  const count = heldBy(view, seat).length;
  const tip = `Your hand. At the end of a turn it may have at most ${HAND_LIMIT} cards.`;
  if (narrow) return g({ tip }, text(x + 10, y + 15, `Your hand: ${count} of ${HAND_LIMIT}`, { class: "cp-soft", "font-size": 12 }));
  return g({ tip }, seatMark(seat, x + 22, y + h / 2 - 14, 11),
    text(x + 38, y + h / 2 - 9, "Your hand", { class: "cp-strong", "font-size": 14 }),
    text(x + 14, y + h / 2 + 16, `${count} of ${HAND_LIMIT} cards`, { class: "cp-soft", "font-size": 12.5 }));
}

export function supplies(view, layout) {
  const { deck, pile, pass, chips, label, box } = layout.supply;
  return g({},
    rect(box.x, box.y, box.w, box.h, { rx: 8, class: "cp-panel" }),
    g({ spot: "deck", tip: `The deck: ${howMany(view.deck ?? 0, "card")} to come. When it is empty, the discard becomes the deck.` },
      stack(deck, view.deck ?? 0), text(deck.x, box.y + label, `Deck ${view.deck ?? 0}`,
        { class: "cp-strong", "font-size": 13, "text-anchor": "middle" })),
    g({ tip: `The pile: ${howMany(view.pile ?? 0, "business tile")} to come, face down.` },
      stack(pile, view.pile ?? 0), text(pile.x, box.y + label, `Tiles ${view.pile ?? 0}`,
        { class: "cp-strong", "font-size": 13, "text-anchor": "middle" })),
    passPlate(view, pass),
    markersLeft(view, chips));
}

// A stack looks as high as it is: an edge for about every twelve cards.
function stack({ x, y, w, h }, count) {
  if (!count) return rect(x - w / 2, y - h / 2, w, h, { rx: round(w * 0.09), class: "cp-place cp-place-U" });
  const under = Math.min(4, Math.ceil(count / 12));
  return range(under).reverse().map(n => g({ transform: `translate(${round(x - w / 2 + n * 1.8)} ${round(y - h / 2 + n * 1.8)})` },
    back(w, h, "none")));
}

function passPlate(view, { x, y, w, h }) {
  const sends = view.phase === "reinforce";
  return g({ spot: "pass", tip: sends ? "Send no gangster." : "Pass: end the turn and give up the actions that are left." },
    rect(x, y, w, h, { rx: 7, class: "cp-button" }),
    text(x + w / 2, y + h / 2 + 4.5, sends ? "Send none" : "Pass", { class: "cp-strong", "font-size": 13, "text-anchor": "middle" }));
}

// How many shootout markers are left, if they can run out.
function markersLeft(view, { x, y }) {
  if (view.options?.markers !== "supply") return null;
  const used = slotsOf(view).reduce((sum, _, slot) => sum + marksOf(view, slot).length, 0);
  const left = (view.options.edition === "fr" ? slotsOf(view).length : 4) - used;
  return g({ tip: `${howMany(left, "shootout marker")} left. A row of five takes one as long as there are any.` },
    flash(x + 10, y, 10), text(x + 25, y + 5, `${left} left`, { class: "cp-strong", "font-size": 13 }));
}

export function discardTable(view, layout) {
  const { x, y, w, h, side } = layout.discard;
  const count = (view.discard ?? []).length;
  return g({ spot: "discard", tip: `The discard: ${howMany(count, "card")}, open to all. A place is filled when its card is here.` },
    rect(x, y, w, h, { rx: 8, class: "cp-panel" }),
    text(side ? x + w - 10 : x + 10, y + 16, `Discard ${count}`,
      { class: "cp-strong", "font-size": 13, "text-anchor": side ? "end" : "start" }),
    emptyTable(layout, view.options?.specials !== "no"));
}

// The table without its cards.
const emptyTable = remembered(({ narrow, discard }, specials) => `${narrow} ${discard.y} ${specials}`, (layout, specials) => {
  const { x, y, left, top, cell: [cw, ch] } = layout.discard;
  const head = { class: "cp-soft", "font-size": 11, "text-anchor": "middle" };
  return [
    range(VALUES).map(n => text(round(x + left + (n + 0.5) * cw), y + top - 6, n + 1, head)),
    [...COLOURS].map((colour, n) => gangster(colour, x + left / 2 + 1, round(y + top + (n + 0.5) * ch + 1), 6.5)),
    [...COLOURS].flatMap(colour => range(VALUES).map(n => emptyCell(layout, `${colour}${n + 1}`))),
    specials ? [...Object.keys(SPECIALS).map(name => emptyCell(layout, name)), emptyCell(layout, "PR", 1)] : null,
  ];
});

function emptyCell(layout, name, nth = 0) {
  const [cx, cy] = discardPlace(layout, name, nth);
  const { special, cell: [width, h] } = layout.discard;
  const w = isSpecial(name) ? special : width;
  const ground = rect(round(cx - w / 2 + 1), round(cy - h / 2 + 1), w - 2, h - 2, { rx: 3, class: "cp-cell" });
  return isSpecial(name) ? g({}, ground, icon(name, cx, cy, 14, { class: "cp-icon cp-faint" })) : ground;
}
