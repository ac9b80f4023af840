// The panel beside the ring, on a phone below it: where the game stands, and a block for each seat.

import { g, node, polygon, rect, seatMark, shortened, text } from "./scene.js";
import { capital } from "./wording.js";
import { gangBlock } from "./gang_blocks.js";
import { atEnd } from "./lettering.js";
import { LAP, NAMES, REASONS, gangsOf, phaseText } from "./terms.js";
import { thrownDice, thrownWidth, throwsOf } from "./throws.js";

const seatNumbers = view => Array.from({ length: Math.max(0, Math.min(4, view.seats ?? 0)) }, (_, seat) => seat);

const HEAD = 34;
const GANG = { wide: 90, narrow: 66 };
const STATUS = { wide: 56, narrow: 46 };
const RULE = 14;
const SPACE = 10;

const gangHeight = L => (L.narrow ? GANG.narrow : GANG.wide);
const seatHeight = (L, view, seat) => HEAD + gangsOf(view, seat).length * gangHeight(L) + 4;
const statusHeight = (L, view) => (L.narrow ? STATUS.narrow : STATUS.wide) + ruleLines(L, view).length * RULE;

export const panelHeight = (L, view) =>
  seatNumbers(view).reduce((sum, seat) => sum + seatHeight(L, view, seat) + SPACE, statusHeight(L, view));

export function panel(L, view, events, names) {
  const [left, top] = L.narrow ? [0, 2 * L.half + L.gap] : [2 * L.half + L.gap, 4];
  let y = top + statusHeight(L, view);
  return g({}, status(L, view, left, top),
    seatNumbers(view).map(seat => {
      const block = seatBlock(L, view, events, names, seat, left, y);
      y += seatHeight(L, view, seat) + SPACE;
      return block;
    }));
}

// Options that differ from the classic game, in words.
const CLASSIC = {
  pair_turn: "seat", spare_die: "free", hq_alone: "locked", overshoot: "free", extra_die: "forced", fallen_hoods: "pool",
  double_spin: "each", lives: 0, ruin: "counts", losers: "tie",
};

function variants({ options = {} }) {
  return Object.keys(CLASSIC).filter(name => options[name] !== undefined && options[name] !== CLASSIC[name])
    .map(name => `${name.replace("_", " ")} ${options[name]}`);
}

// These options in lines that fit the panel.
function ruleLines(L, view) {
  const most = L.narrow ? 62 : 44;
  const lines = [];
  for (const word of variants(view)) {
    const longer = lines.length ? `${lines.at(-1)}, ${word}` : `Rules: ${word}`;
    if (lines.length && longer.length > most) lines.push(word);
    else lines.splice(-1, 1, longer);
  }
  return lines;
}

function status(L, view, x, y) {
  const changed = variants(view);
  const rounds = view.options?.max_rounds ? ` of ${view.options.max_rounds}` : "";
  const began = view.first == null ? "" : ` · seat ${view.first} began`;
  const counted = view.turn == null ? "" : `Turn ${view.turn} · round ${view.round}${rounds}${began}`;
  const now = view.phase === "over" ? `Over: ${REASONS[view.reason] ?? view.reason ?? ""}` : actingText(view);
  const size = L.narrow ? 13 : now.length > 24 ? 14.5 : 17;
  const ruled = y + (L.narrow ? 46 : 55);
  return g({ tip: changed.length ? `This game is played with ${changed.join(", ")}.` : "This game is played by the classic rules." },
    rect(x, y, L.panel, statusHeight(L, view) - SPACE, { class: "veng-blank" }),
    text(x + 4, y + 14, counted, { class: "veng-soft", "font-size": 12.5 }),
    text(x + 4, y + (L.narrow ? 31 : 37), now, { class: "veng-strong", "font-size": size }),
    ruleLines(L, view).map((words, row) => text(x + 4, ruled + row * RULE, words, { class: "veng-soft", "font-size": 11 })));
}

function actingText(view) {
  if (view.active == null) return "";
  const due = (view.due ?? []).map(gang => NAMES[gang] ?? gang).join(" and ");
  return `${capital(due || `seat ${view.active}`)}: ${phaseText(view)}`;
}

function seatBlock(L, view, events, names, seat, x, y) {
  const isActing = (view.to_act ?? []).includes(seat);
  const gangs = gangsOf(view, seat);
  return g({ class: `seat${seat}` },
    rect(x + 1, y, L.panel - 2, seatHeight(L, view, seat), { rx: 8, class: `veng-seat ${isActing ? "veng-acting" : ""}` }),
    seatHead(L, view, events, names, seat, x, y, isActing),
    gangs.map((gang, number) => gangBlock(L, view, gang, x, y + HEAD + number * gangHeight(L))));
}

const ORDINALS = ["", "1st", "2nd", "3rd", "4th"];

function seatHead(L, view, events, names, seat, x, y, isActing) {
  const score = Math.max(0, ...gangsOf(view, seat).map(gang => view.gangs[gang].progress ?? 0));
  const rank = view.ranking?.[seat];
  const name = names?.[seat] ?? `seat ${seat}`;
  const thrown = throwsOf(events, seat, view);
  // Arrow and frame mark the seat to act as well, so dice have the place of the words.
  const notes = [view.you === seat ? "you" : "", isActing && !thrown.length ? "to act" : ""].filter(Boolean).join(" · ");
  // From right to left: rank or score, dice, notes; the name has the rest.
  const right = x + L.panel - 12;
  const diceRight = right - (rank ? 40 : 30);
  const notesRight = diceRight - thrownWidth(thrown) - 2;
  const room = Math.max(40, notesRight - (notes ? notes.length * 6.2 + 10 : 0) - x - 50);
  return g({},
    isActing ? polygon([[x + 5, y + 11], [x + 11, y + 17], [x + 5, y + 23]], { class: "veng-arrow" }) : null,
    seatMark(seat, x + 25, y + 17, 10.5),
    // A frame of its own cuts off a name that is wider than its letters promise.
    node("svg", { x: x + 42, y, width: room, height: 32 },
      text(0, 22, shortened(name, Math.max(5, Math.floor(room / 8.6))), {
        class: "veng-strong", "font-size": 14.5, tip: `Seat ${seat}: ${shortened(name, 60)}.` })),
    notes ? atEnd(notesRight - 4, y + 21.5, notes, 11.5, isActing ? "veng-accent" : "veng-soft") : null,
    thrownDice(thrown, diceRight, y + 8.5),
    text(right, y + 23, rank ? ORDINALS[rank] ?? rank : score, {
      class: "veng-strong", "font-size": 17, "text-anchor": "end",
      tip: `${rank ? `Rank ${rank}. ` : ""}The score is ${score}: the progress of the best boss of this seat; ${LAP} is home.` }));
}
