// What a view says of gangs and members, and what follows from it by the rules: payments, wealth, goals.

import city from "../board.json" with { type: "json" };
import { BUILDINGS, NODES } from "./city_plan.js";
import { VALUES, sum } from "./terms.js";

const MOST_RINGS = 4;
const FIVE = 5;
export const gangsOf = view => Object.entries(view?.gangs ?? {});
export const membersOf = gang => gang?.members ?? [];
export const option = (view, name, otherwise) => view?.options?.[name] ?? otherwise;
export const gateCost = view => option(view, "gate_cost", 1);
export const isOut = gang => membersOf(gang).length === 0 && !gang?.reserve;
export const actingGang = view => view?.phase === "pick" ? view?.duel?.picks ?? view?.due?.[0] : view?.due?.[0];

// All members as { pawn, rings, at, gang }.
export function allMembers(view) {
  return gangsOf(view).flatMap(([letter, gang]) => membersOf(gang).map(([pawn, rings, at]) => ({ pawn, rings, at, gang: letter })));
}

// What every building would pay if the phase ended now, by building.
export function payments(view) {
  const owner = view?.owner ?? {};
  const guarded = option(view, "variant_casino", "no") === "yes";
  const inside = new Set(allMembers(view).map(({ gang, at }) => `${gang} ${at}`));
  const pays = new Map(BUILDINGS.map(({ id, value, kind }) => {
    const unguarded = guarded && kind === "casino" && !inside.has(`${owner[id]} ${id}`);
    return [id, owner[id] && unguarded ? 0 : value];
  }));
  for (const [letter, sets] of Object.entries(city.value_sets)) {
    for (const set of Object.values(sets)) {
      if (view?.gangs?.[letter] && set.every(id => owner[id] === letter)) for (const id of set) pays.set(id, 3 * NODES.get(id).value);
    }
  }
  return pays;
}

export function incomeOf(view, letter, pays) {
  return sum(BUILDINGS.filter(({ id }) => view?.owner?.[id] === letter).map(({ id }) => pays.get(id)));
}

// The wealth of a seat: cash and the value of living members, of all its gangs.
export function wealthOf(view, seat) {
  const own = gangsOf(view).filter(([, gang]) => gang.seat === seat);
  return sum(own.map(([, gang]) => (gang.cash ?? 0) + sum(membersOf(gang).map(([, rings]) => VALUES[rings] ?? 0))));
}

// How near a gang's seat is to each of the three goals: [has, needs].
export function goalsOf(view, letter) {
  const seat = view.gangs[letter].seat;
  const own = gangsOf(view).filter(([, gang]) => gang.seat === seat && !isOut(gang));
  const letters = new Set(own.map(([each]) => each));
  const owned = ids => ids.filter(id => letters.has(view?.owner?.[id])).length;
  const together = option(view, "five_scope", "gang") === "seat";
  const firsts = own.filter(([each]) => together || each === letter).flatMap(([, gang]) => membersOf(gang));
  return {
    casinos: [owned(city.casinos), option(view, "casinos_needed", 3)],
    place: [owned(city.central), city.central.length],
    five: [firsts.filter(([, rings]) => rings === MOST_RINGS).length, FIVE],
  };
}
