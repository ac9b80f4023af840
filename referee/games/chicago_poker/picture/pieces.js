// All cards and markers that move. They are one flat layer, always in the same order, so that no element has to be put elsewhere
// while it glides.

import { g, rect, round, text } from "./scene.js";
import { capital } from "./wording.js";
import { centredBack, front } from "./cards.js";
import { discardPlace, placeOf } from "./layout.js";
import { nameOf } from "./lettering.js";
import { heldBy, marksOf, rowOf, rowSpot, seatsOf, slotsOf, whole } from "./reading.js";
import { flash, icon } from "./signs.js";
import { COLOURS, FULL_ROW, SPECIALS, VALUES, bare, cardWords, isDown, isSpecial, range } from "./terms.js";

const GANGSTERS = [...COLOURS].flatMap(colour => Array.from({ length: VALUES }, (_, n) => `${colour}${n + 1}`));
const CANONICAL = [...GANGSTERS, ...Object.keys(SPECIALS)];

export function pieces(view, names, layout, events) {
  const found = [...rowCards(view, names, layout, events), ...handCards(view, names, layout, events), ...discarded(view, layout, events)];
  const order = ({ attributes: { key } }) => {
    const at = CANONICAL.indexOf(key.split(":")[1]);
    return at < 0 ? CANONICAL.length : at;
  };
  found.sort((a, b) => order(a) - order(b) || (a.attributes.key < b.attributes.key ? -1 : 1));
  return g({}, found, markers(view, names, layout));
}

function rowCards(view, names, layout, events) {
  const ridden = events.some(event => event.event === "limo_played");
  const rows = slotsOf(view).flatMap((_, slot) => range(seatsOf(view)).map(seat => ({ slot, seat, cards: rowOf(view, slot, seat) })));
  return rows.flatMap(({ slot, seat, cards }) => cards.slice(0, FULL_ROW).map((shown, place) => {
    const { at, turn } = placeOf(layout, slot, seat, place);
    const own = view.you === seat;
    const hidden = shown === "?";
    const name = bare(shown);
    const picture = hidden ? centredBack(layout.card.w, layout.card.h, "other") : front(name, layout.card, isDown(shown));
    const turned = g({ transform: `rotate(${round(turn)})` }, picture);
    const words = hidden ? `A face-down card of ${nameOf(names, seat)}; only this seat knows it.`
      : `${capital(cardWords(name))} of ${nameOf(names, seat)}${isDown(shown) ? ", face down: the other seats do not know it" : ""}.`;
    return g({
      key: hidden ? `hidden:${slot}:${seat}:${place}` : `card:${name}`, at, state: isDown(shown) ? "down" : "up", trail: !hidden && !ridden,
      spot: rowSpot(view, slot, seat), tip: words,
    }, own && !hidden ? g({ spot: `card:${name}`, tip: words }, turned) : turned);
  }));
}

function handCards(view, names, layout, events) {
  const fresh = new Set(events.map(whole).filter(({ event }) => event === "drawn" || event === "bribed").map(({ card }) => card));
  return layout.hands.flatMap(box => {
    const held = heldBy(view, box.seat) ?? [];
    const left = box.x + (box.single ? (layout.narrow ? 6 : 108) : 28);
    const room = box.x + box.w - 6 - left;
    const step = Math.min(box.card.w + 4, held.length > 1 ? (room - box.card.w) / (held.length - 1) : room);
    const start = box.single ? left + (room - step * (held.length - 1)) / 2 : left + box.card.w / 2;
    const cy = box.y + box.h / 2 + (box.single && layout.narrow ? 9 : 0);
    return held.map((name, n) => g({
      key: isSpecial(name) ? `held:${name}:${box.seat}:${n}` : `card:${name}`, at: [round(start + n * step), round(cy)], class: "cp-held",
      spot: view.you === box.seat ? `card:${name}` : null, tip: heldTip(name, box.seat, view, names),
    }, front(name, box.card), fresh.has(name) ? freshFrame(box.card) : null));
  });
}

const freshFrame = ({ w, h }) => rect(round(-w / 2 - 1.5), round(-h / 2 - 1.5), round(w + 3), round(h + 3),
  { rx: round(w * 0.12), class: "cp-fresh" });

function heldTip(name, seat, view, names) {
  const owner = view.you === seat ? "your hand" : `the hand of ${nameOf(names, seat)}`;
  return `${capital(cardWords(name))} in ${owner}${isSpecial(name) ? `: ${SPECIALS[name].effect}` : ""}.`;
}

// Every discarded card has its own place in a table of colours and values: so it is seen at once what is gone.
function discarded(view, layout, events) {
  const { special, cell: [width, h] } = layout.discard;
  const shot = new Set(events.filter(({ event }) => event === "liquidated").map(({ card }) => card));
  const seen = {};
  return (view.discard ?? []).map(name => {
    const nth = seen[name] = (seen[name] ?? -1) + 1;
    const at = discardPlace(layout, name, nth);
    const w = isSpecial(name) ? special : width;
    return g({
      key: isSpecial(name) ? `thrown:${name}:${nth}` : `card:${name}`, at, spot: `discard:${name}`, trail: shot.has(name),
      tip: `${capital(cardWords(name))} lies in the discard.`,
    },
    rect(round(-w / 2 + 1), round(-h / 2 + 1), w - 2, h - 2, { rx: 3, class: `cp-card cp-card-${isSpecial(name) ? "special" : name[0]}` }),
    isSpecial(name)
      ? [text(-w / 2 + 4, 4, layout.narrow ? "" : name, { class: "cp-value", "font-size": 11 }),
        icon(name, layout.narrow ? 0 : w / 2 - 11, 0, 15)]
      : text(0, 4.3, name.slice(1), { class: "cp-value", "font-size": 12.5, "text-anchor": "middle" }));
  });
}

function markers(view, names, layout) {
  return slotsOf(view).flatMap((_, slot) => marksOf(view, slot).map(seat => {
    const box = layout.blocks[slot];
    const { x, y, h } = box.lanes[seat];
    const at = box.gutter ? [x + 11, y + h / 2 + 11] : [box.columns[FULL_ROW - 1] + layout.card.w / 2 + 11, y + h / 2];
    const tip = `Shootout marker of ${nameOf(names, seat)}: when its next turn begins, there is a shootout at business ${slot + 1}.`;
    return g({ key: `marker:${slot}:${seat}`, at: at.map(round), tip }, flash(0, 0, box.gutter ? 9 : 11));
  }));
}
