// The line above the businesses: the turn, what is to be decided, the goal, the result.

import { g, rect, seatMark, text } from "./scene.js";
import { howMany } from "./wording.js";
import { fittedName, nameOf, widthOf } from "./lettering.js";
import { cartridge } from "./signs.js";
import { REASONS, range } from "./terms.js";

export function headline(view, names, layout) {
  const { x, y, w, h } = layout.header;
  const { narrow } = layout;
  const middle = narrow ? y + 17 : y + h / 2;
  const goal = view.options?.goal === "short" ? "2 alike, or any 3" : "3 alike, all 4 kinds, or any 5";
  const goalText = { class: "cp-soft", "font-size": narrow ? 11.5 : 13, "text-anchor": narrow ? "start" : "end" };
  return g({},
    rect(x, y, w, h, { rx: 8, class: "cp-strip" }),
    view.turn == null ? null : text(x + 10, middle + 5, `Turn ${view.turn}`,
      { class: "cp-strong", "font-size": narrow ? 14 : 16, tip: turnTip(view, names) }),
    situation(view, names, x + (narrow ? 16 : 26) + widthOf(`Turn ${view.turn ?? ""}`, narrow ? 14 : 16), middle, narrow),
    text(narrow ? x + 10 : x + w - 10, narrow ? y + 41 : middle + 4.5, `Goal: ${goal}`, { ...goalText, tip: optionsTip(view) }),
    remarks(view, narrow ? x + w - 10 : x + w - 280, narrow ? y + 41 : middle + 4.5, narrow));
}

function turnTip(view, names) {
  const began = view.first == null ? "" : ` ${nameOf(names, view.first)} began the game.`;
  const soFar = view.quiet ? " In this turn nothing has happened yet." : " In this turn something has happened already.";
  const quiet = view.phase === "over" ? "" : soFar;
  return `Turn ${view.turn} of the game.${began}${quiet}`;
}

function optionsTip(view) {
  const options = Object.entries(view.options ?? {}).map(([name, value]) => `${name}=${value}`).join(", ");
  return `The first seat with these businesses wins. Options: ${options}.`;
}

// What is counted but seldom matters: idle turns, Revolvers of this turn.
function remarks(view, x, y, narrow) {
  const found = [];
  if (view.idle) found.push(`${howMany(view.idle, "idle turn")}`);
  if (view.revolvers) found.push(`${howMany(view.revolvers, "Revolver")} played`);
  if (!found.length) return null;
  const tip = "Idle turns in a row in which a seat could do nothing, and Revolvers played in this turn.";
  return text(x, y, found.join(", "), { class: "cp-soft", "font-size": narrow ? 11 : 13, "text-anchor": "end", tip });
}

function situation(view, names, x, y, narrow) {
  const size = narrow ? 13 : 15;
  const say = (left, words) => text(left, y + 5, words, { class: "cp-strong", "font-size": size });
  const seatAt = (seat, left) => seatMark(seat, left + 9, y, 9);
  if (view.phase === "over") return verdict(view, names, x, y, say, seatAt, narrow);
  if (view.phase === "reinforce") {
    const tied = view.fight?.tied ?? view.to_act ?? [];
    const count = `round ${view.fight?.round ?? 1}`;
    const words = narrow ? `Tie, ${count}` : `Tie at business ${view.fight?.slot ?? ""}, ${count}: reinforcements of`;
    const left = x + widthOf(words, size) + 6;
    return g({ tip: "Equal hands: these seats send a gangster from their hand, all at once; the highest value wins." },
      say(x, words), tied.map((seat, n) => seatAt(seat, left + n * 22)));
  }
  const seat = view.active ?? view.to_act?.[0];
  if (seat == null) return null;
  const name = fittedName(names, seat, narrow ? 120 : 160, size);
  const left = x + 34 + widthOf(name, size);
  const chooses = narrow ? "picks a shootout" : "chooses which shootout is next";
  if (view.phase === "order") return g({}, seatAt(seat, x), say(x + 24, `${name} ${chooses}`));
  return g({}, seatAt(seat, x), say(x + 24, name), cartridges(view, left, y));
}

function cartridges(view, x, y) {
  const [must, may] = [view.must ?? 0, view.may ?? 0];
  const owed = Math.min(must, 7);
  const more = Math.min(may, 7);
  const tip = `Actions left in this turn: ${must} must be taken, ${may} more may be taken.`;
  const after = x + (owed + more) * 12 + 6;
  const words = [must ? `${must} owed` : null, may ? `${may} allowed` : null].filter(Boolean).join(", ");
  return g({ key: "actions", at: [0, 0], state: may > 3 ? String(may) : "", tip },
    range(owed).map(n => cartridge(x + n * 12, y - 8, true)),
    range(more).map(n => cartridge(x + (owed + n) * 12, y - 8, false)),
    text(after, y + 5, words, { class: "cp-soft", "font-size": 12.5 }));
}

function verdict(view, names, x, y, say, seatAt, narrow) {
  const ranking = view.ranking ?? [];
  const best = range(ranking.length).filter(seat => ranking[seat] === 1);
  const reason = REASONS[view.reason] ?? "";
  if (best.length === 1) {
    const name = fittedName(names, best[0], narrow ? 160 : 220, 15);
    const words = narrow ? `${name} wins` : `${name} wins: it ${reason}`;
    return g({ tip: `${nameOf(names, best[0])} wins: it ${reason}.` }, seatAt(best[0], x), say(x + 24, words));
  }
  return g({ tip: `A draw of all seats: ${reason}.` }, say(x, narrow ? `A draw: ${view.reason ?? ""}` : `A draw: ${reason}`));
}
