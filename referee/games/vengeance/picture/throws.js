// What a seat threw in the last step.

import { die, g, line, rect, round, text } from "./scene.js";
import { middle } from "./lettering.js";

// What a seat threw in the last step, and whether it was of no use. The dice still in play lie in the middle of the ring.
export function throwsOf(events, seat, view) {
  const found = [];
  for (const event of events) {
    if (event.event === "start_rolled" && event.totals?.[seat] !== undefined) found.push({ values: [event.totals[seat]], isStart: true });
    if (event.seat !== seat) continue;
    if (event.event === "rolled") found.push({ values: event.dice ?? [] });
    if (event.event === "extra_rolled") found.push({ values: [event.die] });
    if (event.event === "lapsed" && found.length) found.at(-1).isVain = true;
  }
  const isInPlay = view.active === seat && found.length && !found.at(-1).isStart && !found.at(-1).isVain;
  return isInPlay ? found.slice(0, -1) : found;
}

// There is room for two throws; the explanation has them all.
const MOST_THROWS = 2;

const DIE = 19;
const shownThrows = thrown => thrown.slice(-MOST_THROWS);
const moreWidth = thrown => (thrown.length > MOST_THROWS ? 14 : 0);
export const thrownWidth = thrown => shownThrows(thrown).reduce((sum, { values }) => sum + values.length * DIE + 6, moreWidth(thrown));

function throwText({ values, isVain, isStart }) {
  return isStart ? `a total of ${values[0]} for the start` : `${values.join(" and ")}${isVain ? ", of no use" : ""}`;
}

export function thrownDice(thrown, right, y) {
  if (!thrown.length) return null;
  const start = right - thrownWidth(thrown);
  let x = start + moreWidth(thrown);
  return g({ tip: `Thrown in the last step: ${thrown.map(throwText).join("; ")}.` },
    moreWidth(thrown) ? text(start, y + 12, "…", { class: "veng-strong", "font-size": 13 }) : null,
    shownThrows(thrown).map(({ values, isVain, isStart }) => {
      const left = x;
      x += values.length * DIE + 6;
      return g({},
        values.map((value, number) => g({ transform: `translate(${round(left + number * DIE)} ${y})`, class: isVain ? "veng-used" : "" },
          isStart ? totalSign(value) : die(value, 17))),
        isVain ? line(left, y + 8.5, left + values.length * DIE, y + 8.5, { class: "veng-strike" }) : null);
    }));
}

// Of the throws for the start only totals are known.
function totalSign(value) {
  return g({}, rect(0, 0, 17, 17, { rx: 3, class: "die-face" }), middle(8.5, 12.8, value, 11.5, "die-number"));
}
