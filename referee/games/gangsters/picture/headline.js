// The lines above the city: what is to be done now, and what was done last.

import { g, rect, seatMark, shortened } from "./scene.js";
import { label, wide, wideBold } from "./lettering.js";
import { happened, nameOf, winnersOf } from "./reading.js";
import { lineWords } from "./terms.js";

export function headline(scene) {
  const { view, at, narrow } = scene;
  const [x, y] = at.head;
  const seat = view.active ?? winnersOf(view)[0] ?? null;
  const size = narrow ? 15 : 19;
  const [first, then] = [y + (narrow ? 16 : 20), y + (narrow ? 35 : 44)];
  const started = seat === null ? 0 : size + 8;
  // On a desk the count of moves stands in the same line.
  const room = Math.floor((at.headWidth - started - (narrow ? 0 : 170)) / wideBold("n", size));
  return g({},
    seat === null ? null : seatMark(seat, x + size / 2 + 2, first - size * 0.34, size * 0.55),
    label(x + started, first, situation(scene, room), size, "gang-strong"),
    label(x, then, shortened(lastWords(scene), narrow ? 56 : 78), narrow ? 12 : 13.5, "gang-soft"),
    waiting(scene, narrow ? [x, y + 53, "start"] : [x + at.headWidth, first, "end"]));
}

const REASONS = {
  goal: "reached the goal", full: "the city is full", exhausted: "no tile is left to place", stall: "too many moves in a row",
  last_seat: "the only seat left", cap: "the last action was taken",
};

// What is to be done now; the name takes the room that the other words leave.
function situation(scene, room) {
  const { view } = scene;
  const named = (seat, words) => `${nameOf(scene, seat, Math.max(6, room - words.length))}${words}`;
  if (view.phase === "over" || view.ranking) {
    const best = winnersOf(view);
    const why = REASONS[view.reason] ? `: ${REASONS[view.reason]}` : "";
    return best.length === 1 ? named(best[0], ` wins${why}`) : `${best.length || "No"} seats share the win${why}`;
  }
  if (view.active === null) return "";
  if (view.phase === "put") return named(view.active, ` places ${view.drawn ?? "a tile"}`);
  if (view.phase === "order") return named(view.active, ": which line first?");
  return named(view.active, scene.narrow ? " to act" : view.barred ? " to place or shoot" : " to place, move or shoot");
}

// The last action in a sentence.
function lastWords(scene) {
  const [event] = ["placed", "moved", "shot", "drawn", "order_chosen", "withdrawn"].flatMap(kind => happened(scene, kind));
  const skipped = happened(scene, "skipped").map(({ seat }) => ` ${nameOf(scene, seat, 12)} is skipped.`).join("");
  if (!event) return happened(scene, "started").length ? "The game begins." : skipped.trim();
  const who = event.seat == null ? "The referee" : nameOf(scene, event.seat, scene.narrow ? 12 : 15);
  const sources = { own: "its reserve", common: "the common tiles" };
  const words = {
    placed: () => `${who} placed ${event.tile} from ${sources[event.from] ?? event.from} on ${event.cell}.`,
    moved: () => `${who} moved ${event.tile} from ${event.from} to ${event.to}.`,
    shot: () => `${who} shot ${event.tile} on ${event.cell}.`,
    drawn: () => `${who} drew ${event.tile} from pile ${event.pile}.`,
    order_chosen: () => `${who} had ${lineWords(String(event.first))} counted first.`,
    withdrawn: () => `${who} left the game.`,
  };
  return words[event.event]() + skipped;
}

// How many moves there were in a row, and whether they are barred.
function waiting(scene, [x, y, anchor]) {
  const { view } = scene;
  if (view.barred) {
    const words = "Moves are barred";
    const width = wide(words, 13) + 16;
    const left = anchor === "end" ? x - width : x;
    const tip = `There were too many moves in a row (${view.quiet}): no tile may be moved until a seat has placed or shot.`;
    return g({ key: "barred", at: [left, y], tip },
      rect(0, -12, width, 18, { rx: 5, class: "gang-warning" }), label(width / 2, 1.5, words, 13, "gang-warning-text", "middle"));
  }
  const limit = view.quiet_limit === null ? "" : ` of ${view.quiet_limit}`;
  const then = view.quiet_limit === null ? "This game has no limit." : view.options.stall === "end"
    ? `After ${view.quiet_limit} the game is over.` : `After ${view.quiet_limit} no tile may be moved until a seat has placed or shot.`;
  return g({ tip: `Moves in a row, of all seats, without a tile placed or shot: ${view.quiet}. ${then}` },
    label(x, y, `Moves in a row: ${view.quiet}${limit}`, scene.narrow ? 12 : 13, "gang-soft", anchor));
}
