// What the rules call and count: cards, kinds of businesses, hands.

import { PIECE_COLOURS } from "./scene.js";

export const FULL_ROW = 5;
export const HAND_LIMIT = 7;
export const COLOURS = "RGBYP";
export const VALUES = 15;

export const SPECIALS = {
  LQ: { name: "Liquidation", short: "Liquidate", effect: "removes the last card of a row of another seat" },
  PR: { name: "Police Raid", short: "Raid", effect: "shows you the face-down cards of a row of another seat" },
  LM: { name: "Limousine", short: "Limousine", effect: "takes 1 to 4 cards of one of your rows to another business" },
  RV: { name: "Revolver", short: "Revolver", effect: "allows two more actions in this turn" },
  BR: { name: "Bribery", short: "Bribery", effect: "takes a card of your choice from the discard" },
};

export const KINDS = {
  S: { name: "speakeasy", pattern: "DDUUU" },
  J: { name: "jazz club", pattern: "UUUDD" },
  D: { name: "distillery", pattern: "UUUUU" },
  H: { name: "gambling house", pattern: "UDUDU" },
};

export const REASONS = {
  goal: "has the businesses of the goal",
  last_business: "took the last business",
  stalemate: "no seat can do anything any more",
  cap: "the last turn has been played",
};

export const isDown = shown => shown.startsWith("(");
export const bare = shown => shown.replace(/[()]/g, "");
export const isSpecial = name => name in SPECIALS;
export const range = count => Array.from({ length: Math.max(0, count) }, (_, n) => n);

export function cardWords(name) {
  if (isSpecial(name)) return `${SPECIALS[name].name} (${name})`;
  return `the ${PIECE_COLOURS[name[0]] ?? ""} ${name.slice(1)} (${name})`;
}

export function kindWords(kind) {
  const down = range(FULL_ROW).filter(n => KINDS[kind].pattern[n] === "D").map(n => n + 1);
  return down.length ? `places ${down.join(" and ")} of a row lie face down, the others face up` : "all places of a row lie face up";
}

// The name of a hand of known gangsters, as the rules rank them.
export function category(cards) {
  const values = cards.map(card => Number(card.slice(1))).sort((a, b) => b - a);
  const groups = [...new Set(values)].map(value => values.filter(other => other === value).length).sort((a, b) => b - a).join("");
  const colours = new Set(cards.map(card => card[0])).size;
  const grouped = { 5: "chicago-poker", 41: "four", 4: "four", 32: "full-house", 311: "three", 31: "three", 3: "three", 221: "two-pairs",
    22: "two-pairs" };
  if (grouped[groups]) return grouped[groups];
  if (groups.startsWith("2")) return "pair";
  if (groups !== "11111") return "high-card";
  if (values[0] - values[4] === 4) return { 1: "straight-flush", 5: "rainbow-straight" }[colours] ?? "straight";
  return colours === 1 ? "flush" : "high-card";
}

export const handWords = name => (name === "three" || name === "four" ? `${name} of a kind` : String(name ?? "").replaceAll("-", " "));
