// What a view and its events say.

import { shortened } from "./scene.js";
import { GANG_NAMES, SIDE, cellsOf } from "./terms.js";

// A view without gaps, so that the drawing need not ask what is missing.
export function tidy(view) {
  const given = Object.fromEntries(Object.entries(view ?? {}).filter(([, value]) => value != null));
  const scores = given.scores ?? [];
  const each = value => scores.map(() => value);
  return {
    you: null, turn: null, decisions: null, phase: "", active: null, to_act: [], quiet: 0, quiet_limit: null, barred: false, ban: null,
    board: Array(SIDE * SIDE).fill(""), complete: [], scores, reached: each(0), cartridges: each(0), reserves: each([]), common: [],
    piles: [], unseen: {}, drawn: null, drawn_from: null, pending: [], withdrawn: [], removed: [], ranking: null, reason: null,
    gangs: [], neutral: [], tiles: null, ...given, options: given.options ?? {},
  };
}

export const nameOf = (scene, seat, most = 24) => shortened(scene.names[seat] ?? `Seat ${seat}`, most);
export const happened = (scene, kind) => scene.events.filter(event => event?.event === kind);
export const winnersOf = view => (view.ranking ?? []).flatMap((rank, seat) => (rank === 1 ? [seat] : []));

// The gangs that never had a seat.
export const unled = view => Object.keys(GANG_NAMES).filter(gang => !view.gangs.includes(gang));

export const ignoredNow = view => (view.options.neutral === "ignored" ? view.neutral : []);
export const liveTiles = (view, name) => cellsOf(name).map(cell => view.board[cell]).filter(code => code && !code.endsWith("x"));
