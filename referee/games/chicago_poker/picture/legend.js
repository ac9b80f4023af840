// The legend: what each sign means.

import { PIECE_COLOURS, g } from "./scene.js";
import { capital } from "./wording.js";
import { centredBack, front } from "./cards.js";
import { cartridge, flash, glyph, icon } from "./signs.js";
import { COLOURS, KINDS, SPECIALS, kindWords } from "./terms.js";

const CARD = { w: 30, h: 41 };
const cardEntry = (picture, meaning) => ({ picture: g({ transform: "translate(17 22)" }, picture), size: [34, 44], meaning });
const iconEntry = (picture, meaning) => ({ picture, size: [28, 28], meaning });

export function legend(view) {
  return [
    ...[...COLOURS].map((colour, n) => cardEntry(front(`${colour}${n + 7}`, CARD), `A ${PIECE_COLOURS[colour]} gangster with its value.`)),
    ...(view?.options?.specials === "no" ? [] : Object.entries(SPECIALS).map(([id, { name, effect }]) =>
      cardEntry(front(id, CARD), `${name}: ${effect}.`))),
    cardEntry(front("B9", CARD, true), "A card that lies face down; its owner, or the referee, sees it."),
    cardEntry(centredBack(CARD.w, CARD.h, "other"), "A card that another seat knows, and you do not."),
    cardEntry(centredBack(CARD.w, CARD.h, "none"), "A card or tile that no seat knows."),
    ...Object.entries(KINDS).map(([kind, { name }]) => iconEntry(icon(kind, 14, 14, 26), `${capital(name)}: ${kindWords(kind)}.`)),
    iconEntry(glyph("U", 14, 14), "A place of a row where cards lie face up."),
    iconEntry(glyph("D", 14, 14), "A place of a row where cards lie face down."),
    iconEntry(flash(14, 14, 12), "Shootout marker on a row of five: the shootout is at the beginning of that seat's next turn."),
    iconEntry(cartridge(10, 6, true), "An action that must be taken in this turn."),
    iconEntry(cartridge(10, 6, false), "An action that may be taken in this turn."),
  ];
}
