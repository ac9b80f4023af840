// What lines paid, and what they would pay.

import { howMany } from "./wording.js";
import { liveTiles, nameOf, unled } from "./reading.js";
import { GANG_NAMES, cellsOf, gangOf, isRow, strengthOf } from "./terms.js";

// Section 4 of the rules: the best gang that is alone with its total gets the difference to the next lower one.
export function settle(tiles, options, ignored) {
  const totals = {};
  for (const tile of tiles) if (!ignored.includes(gangOf(tile))) totals[gangOf(tile)] = (totals[gangOf(tile)] ?? 0) + strengthOf(tile);
  const present = Object.values(totals).sort((one, other) => other - one);
  const alone = present.filter(total => present.indexOf(total) === present.lastIndexOf(total));
  if (!alone.length) return { totals, winner: null, points: 0 };
  const lower = options.tie_below === "cancels" ? alone.slice(1) : present.filter(total => total < alone[0]);
  const winner = Object.keys(totals).find(gang => totals[gang] === alone[0]);
  return { totals, winner, points: alone[0] - (lower[0] ?? 0) };
}

// A result of a line: who won, what the seat got, and which of its tiles that are dead now were alive, or dead, at the count.
export const UNCOUNTED = { counted: false, winner: null, seat: null, points: 0, alive: [], dead: [] };

// What each complete line paid: its name -> the possible results, mostly one. A view has no record of payments. Tiles of
// complete lines stay, but one of them may have been shot after the count, or a seat may have left; the scores decide between
// the possibilities as far as they can. What the last events say is certain.
export function payments(view, events) {
  const possible = new Map(view.complete.map(name => [name, possibleResults(view, name)]));
  const scored = events.filter(event => event?.event === "scored");
  for (const { line: name, winner, seat, points } of scored) {
    const result = { ...UNCOUNTED, counted: true, winner: winner ?? null, seat: seat ?? null, points: points ?? 0 };
    if (possible.has(name)) possible.set(name, [result]);
  }
  if (view.reason === "goal" && scored.length === 1) {
    const missing = events.filter(event => event?.event === "completed" && event.line !== scored[0].line);
    for (const { line: name } of missing) possible.set(name, [UNCOUNTED]);
  }
  return new Map([...fittingScores(view, possible)].map(([name, results]) => [name, distinct(results)]));
}

function possibleResults(view, name) {
  if (view.pending.includes(name)) return [UNCOUNTED];
  const dead = cellsOf(name).filter(cell => view.board[cell].endsWith("x"));
  const left = view.withdrawn.map(seat => view.gangs[seat]);
  const ignored = view.options.neutral !== "ignored" ? [[]] : subsets(left).map(gone => [...unled(view), ...gone]);
  const results = subsets(dead).flatMap(alive => ignored.map(gangs => {
    const tiles = [...liveTiles(view, name), ...alive.map(cell => view.board[cell])];
    return { ...settle(tiles, view.options, gangs), alive, dead: dead.filter(cell => !alive.includes(cell)) };
  }));
  const found = results.flatMap(({ winner, points, alive, dead }) => {
    const seat = view.gangs.indexOf(winner);
    const paid = { counted: true, winner, points, seat: seat < 0 ? null : seat, alive, dead };
    return seat >= 0 && view.withdrawn.includes(seat) ? [paid, { ...paid, seat: null }] : [paid];
  });
  // The second of two lines is not counted any more if the first one ended the game.
  if (view.reason === "goal" && view.complete.slice(-2).includes(name)) found.push(UNCOUNTED);
  return found;
}

const subsets = list => list.slice(0, 6).reduce((found, each) => [...found, ...found.map(one => [...one, each])], [[]]);
const distinct = results => [...new Map(results.map(each => [[each.counted, each.winner, each.seat, each.points].join(), each])).values()];

// Keep of the possible results those that add up to the scores, each score reached at the count that `reached` names, and with
// no tile alive again in a later count.
function fittingScores(view, possible) {
  const names = [...possible.keys()];
  if ([...possible.values()].every(results => results.length === 1)) return possible;
  const fitting = new Map(names.map(name => [name, new Set()]));
  let patience = 6000;
  const search = (rest, chosen, soFar) => {
    if (patience-- <= 0) return;
    if (!rest.length && addsUp(view, soFar)) chosen.forEach(([name, result]) => fitting.get(name).add(result));
    for (const [name, ...others] of ordersOf(rest)) {
      for (const result of possible.get(name)) {
        const then = countedThen(soFar, result);
        const isAliveAgain = result.alive.some(cell => soFar.dead.includes(cell));
        if (!isAliveAgain && mayStillFit(view, then)) search(others, [...chosen, [name, result]], then);
      }
    }
  };
  const zeros = view.scores.map(() => 0);
  search(names, [], { scores: zeros, reached: zeros, paid: 0, dead: [] });
  // A search that was given up proves nothing.
  if (patience < 0) return possible;
  return new Map(names.map(name => [name, fitting.get(name).size ? [...fitting.get(name)] : possible.get(name)]));
}

// The orders in which lines may have been counted. Two lines that one tile completes, row and column, stand in this order but may
// have been counted in the other.
function ordersOf(lines) {
  const [first, second, ...rest] = lines;
  if (first === undefined) return [];
  return isRow(first) && second !== undefined && !isRow(second) ? [lines, [second, first, ...rest]] : [lines];
}

// Scores, and when they were reached, after one more count.
function countedThen({ scores, reached, paid, dead }, result) {
  const then = { scores: [...scores], reached: [...reached], paid, dead: [...dead, ...result.dead] };
  if (result.seat !== null) {
    then.scores[result.seat] += result.points;
    then.reached[result.seat] = ++then.paid;
  }
  return then;
}

// No seat was paid more than it has, or later than at the count that brought it there.
function mayStillFit(view, { scores, reached, paid }) {
  return view.scores.every((points, seat) => scores[seat] <= points && reached[seat] <= view.reached[seat]
    && !(paid >= view.reached[seat] && scores[seat] < points));
}

const addsUp = (view, { scores, reached }) => same(scores, view.scores) && same(reached, view.reached);
const same = (one, other) => one.every((value, index) => value === other[index]);
export const onlyOne = results => (results?.length === 1 ? results[0] : null);

export function resultWords(scene, { counted, winner, seat, points }) {
  if (!counted) return "it was not counted";
  if (winner === null) return "it paid no gang";
  if (seat === null) return `the ${GANG_NAMES[winner]} gang won ${howMany(points, "point")}, which no seat got`;
  return `it paid ${howMany(points, "point")} to ${nameOf(scene, seat)}, the ${GANG_NAMES[winner]} gang`;
}
