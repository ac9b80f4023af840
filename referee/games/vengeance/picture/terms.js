// What the rules call and count: the circuit, gangs, phases, ends.

import circuit from "../board.json" with { type: "json" };

export const COUNT = circuit.cells.length;
export const LAP = circuit.lap_points;
export const GANGS = circuit.hqs.map(hq => hq.gang);
export const NAMES = Object.fromEntries(circuit.hqs.map(hq => [hq.gang, hq.name]));
export const HQ_OF = Object.fromEntries(circuit.hqs.map(hq => [hq.gang, hq]));
export const HOODS = 8;
const PHASES = { first: "first move", second: "second die", extra: "extra die", over: "game over" };

export const REASONS = {
  goal: "the boss is home", last_seat: "no other boss is left", stalemate: "no figure can move", cap: "last round is over",
};

export const phaseText = view => PHASES[view.phase] ?? String(view.phase ?? "");
export const opposite = cell => (cell + COUNT / 2) % COUNT;
export const hoodCount = number => (number ? `${number} hood${number > 1 ? "s" : ""}` : "");
export const gangsOf = (view, seat) => GANGS.filter(gang => view.gangs?.[gang]?.seat === seat);
