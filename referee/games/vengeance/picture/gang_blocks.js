// A gang in the panel: its boss and his way as a bar, and where its hoods are.

import circuit from "../board.json" with { type: "json" };
import { g, line, node, rect, round, text } from "./scene.js";
import { capital } from "./wording.js";
import { bossToken } from "./figures.js";
import { atEnd } from "./lettering.js";
import { HOODS, LAP, NAMES } from "./terms.js";

// A gang: its boss and his way as a bar, and where its hoods are.
export function gangBlock(L, view, gang, x, y) {
  const owner = view.gangs[gang];
  const isDue = (view.due ?? []).includes(gang);
  const left = x + 44;
  const width = L.panel - 58;
  const top = y + (L.narrow ? 16 : 20);
  return g({ class: owner.state === "out" ? "veng-gone" : "" },
    g({ transform: `translate(${x + 23} ${top + 6})`, tip: `The ${NAMES[gang]} gang${isDue ? ", which may act now" : ""}.` },
      bossToken(gang, 13)),
    node("text", { x: left, y: top - 5, class: "veng-strong", "font-size": 12.5 }, whereText(owner, gang),
      node("tspan", { class: "veng-accent", "font-size": 11.5 }, stateText(view, gang))),
    atEnd(left + width, top + (L.narrow ? 10 : 11), `${owner.progress ?? 0} of ${LAP}`, 11.5, "veng-soft"),
    progressBar(left, top + 1, width - 52, L.narrow ? 10 : 12, gang, owner),
    counts(L, view, gang, left, top + (L.narrow ? 27 : 34), width));
}

function whereText({ boss, progress, state }, gang) {
  if (state === "out" || boss == null) return `${capital(NAMES[gang])} gang: out`;
  return `${capital(NAMES[gang])} boss: ${progress === LAP ? "home" : boss === "hq" ? "in the HQ" : `cell ${boss}`}`;
}

// What is unusual about a gang, as the end of the line above.
function stateText(view, gang) {
  const { state, locked } = view.gangs[gang];
  const cause = (view.out ?? []).find(each => each.gang === gang)?.cause;
  const words = [state === "active" || state === "out" ? "" : state, cause === "lives" ? "no lives left" : cause, locked ? "locked" : ""];
  return words.filter(Boolean).map(word => ` · ${word}`).join("");
}

export function progressBar(x, y, width, height, gang, { progress = 0 }) {
  const share = Math.max(0, Math.min(1, progress / LAP));
  const ticks = [1, 2, 3].map(quarter => round(x + (width * quarter * circuit.quarter) / LAP));
  const tip = `The ${NAMES[gang]} boss has come ${progress} of ${LAP} points; ${LAP} is home.`;
  return g({ key: `progress:${gang}`, state: String(progress), tip },
    rect(x, y, width, height, { rx: height / 2, class: "veng-bar" }),
    progress > 0 ? rect(x, y, round(Math.max(height, width * share)), height, { rx: height / 2, class: `veng-fill piece-${gang}` }) : null,
    ticks.map(tickX => line(tickX, y + 2, tickX, y + height - 2, { class: "veng-tick" })));
}

// How many hoods are where: the numbers of the view, and those on the circuit counted.
function counts(L, view, gang, x, y, width) {
  const owner = view.gangs[gang];
  const cells = Object.values(view.cells ?? {});
  const free = cells.reduce((sum, content) => sum + (content.gang === gang ? content.hoods ?? 0 : 0), 0);
  const held = cells.filter(({ hostage }) => hostage?.gang === gang && !hostage.boss).length;
  const lives = view.options?.lives ? `/${view.options.lives}` : "";
  const final = lives ? `; fall ${view.options.lives} is final` : "";
  const gone = HOODS - (owner.hq ?? 0) - (owner.pool ?? 0) - free - held;
  const columns = [
    ["HQ", owner.hq, `${owner.hq} hoods in the HQ.`],
    ["street", free, `${free} free hoods on the circuit.`],
    ["held", held, `${held} hoods held as hostages.`],
    ["pool", owner.pool, `${owner.pool} hoods in the pool, which can be recruited.`],
    ...(gone > 0 ? [["out", gone, `${gone} hoods out of the game.`]] : []),
    ["falls", `${owner.falls ?? 0}${lives}`, `the boss has fallen ${owner.falls ?? 0} times${final}.`],
  ];
  const step = width / columns.length;
  return columns.map(([name, value, tip], number) => g({ tip: `${capital(NAMES[gang])}: ${tip}` },
    text(round(x + number * step), y, name, { class: "veng-soft", "font-size": 11 }),
    text(round(x + number * step), y + (L.narrow ? 13 : 16), value, { class: "veng-strong", "font-size": L.narrow ? 12 : 13.5 })));
}
