// The fronts and backs of cards.

import { remembered } from "./remembered.js";
import { back, g, rect, round, text } from "./scene.js";
import { gangster, icon } from "./signs.js";
import { SPECIALS, isSpecial } from "./terms.js";

// The front of a card around (0, 0). A card that lies face down but is known to the viewer has the back as its frame.
export const front = (name, { w, h }, down = false) => drawnFront(name, w, h, down);

const drawnFront = remembered((...parts) => parts.join(), (name, w, h, down) => {
  const rim = down ? Math.max(3, w * 0.09) : 0;
  const [iw, ih] = [w - 2 * rim, h - 2 * rim];
  const [x, y] = [-iw / 2, -ih / 2];
  const look = isSpecial(name) ? "special" : name[0];
  return g({},
    down ? rect(-w / 2, -h / 2, w, h, { rx: round(w * 0.1), class: "cp-rim" }) : null,
    down ? rect(-w / 2 + 1.2, -h / 2 + 1.2, w - 2.4, h - 2.4, { rx: round(w * 0.08), class: "cp-rim-line" }) : null,
    rect(round(x), round(y), round(iw), round(ih), { rx: round(w * (down ? 0.05 : 0.1)), class: `cp-card cp-card-${look}` }),
    isSpecial(name) ? specialFront(name, x, y, iw, ih) : gangsterFront(name, x, y, iw, ih));
});

function gangsterFront(name, x, y, w, h) {
  const size = Math.max(11, w * 0.5);
  return [
    text(round(x + w * 0.09), round(y + size * 0.9), name.slice(1), { class: "cp-value", "font-size": round(size) }),
    gangster(name[0], w * 0.14, round(y + h * 0.72), w * 0.27),
  ];
}

function specialFront(name, x, y, w, h) {
  const size = Math.max(11, w * 0.27);
  const named = w >= 60;
  return [
    text(round(x + w * 0.09), round(y + size * 1.05), name, { class: "cp-value", "font-size": round(size) }),
    icon(name, 0, round(y + h * (named ? 0.52 : 0.62)), round(w * 0.62)),
    named ? text(0, round(y + h - 6), SPECIALS[name].short, { class: "cp-small", "font-size": 12, "text-anchor": "middle" }) : null,
  ];
}

export const centredBack = (w, h, known) =>
  g({ transform: `translate(${round(-w / 2)} ${round(-h / 2)})` }, back(round(w), round(h), known));
