// The cards of the gangs: seat, money, goals, supplies.

import { g, rect, round, seatMark, shortened } from "./scene.js";
import { capital, howMany } from "./wording.js";
import { actingGang, gangsOf, goalsOf, incomeOf, isOut, membersOf, payments, wealthOf } from "./reading.js";
import { chip, gangSign, label, panel, ringRow, star } from "./signs.js";
import { gangName, inFull, money, sum } from "./terms.js";

// How much money each gang got or paid in a step.
function moneyMoved(events) {
  const moved = {};
  const add = (letter, value) => { moved[letter] = (moved[letter] ?? 0) + (value ?? 0); };
  for (const each of events) {
    if (each.event === "paid") add(each.gang, (each.base ?? 0) + (each.bonus ?? 0));
    if (each.event === "won") add(String(each.pawn).charAt(0), each.reward);
    if (each.event === "bought") add(each.gang, -(each.price ?? 0));
  }
  return moved;
}

export function drawCards(plan, view, events, names) {
  const pays = payments(view);
  const moved = moneyMoved(events);
  return g({}, gangsOf(view).map(([letter, gang]) => drawCard(plan, view, letter, gang, { names, pays, change: moved[letter] })));
}

function drawCard(plan, view, letter, gang, { names, pays, change }) {
  const box = plan.cards.get(letter);
  const [x, y, width, height] = box;
  const { narrow: small, rows } = plan;
  const isAsked = (view?.to_act ?? []).includes(gang.seat) && actingGang(view) === letter;
  const isYou = view?.you != null && view.you === gang.seat;
  const waits = membersOf(gang).some(([, , at]) => !at);
  const rank = view?.ranking?.[gang.seat];
  const seatTip = `Seat ${gang.seat}, ${names?.[gang.seat] ?? ""}${isYou ? ", you" : ""}, runs ${gangName(letter)}.`;
  return g({ class: `chicago-card${isAsked ? " chicago-acts" : ""}${isOut(gang) ? " chicago-out" : ""}` },
    panel(box), rect(x, y, 6, height, { rx: 3, class: `piece-${letter}` }),
    gangSign(letter, x + 22, round(y + rows.name - 5), small ? 10 : 11),
    gang.seat == null ? null : seatMark(gang.seat, x + 44, round(y + rows.name - 6), small ? 8 : 9, { tip: seatTip }),
    drawName(gang, names, x + 57, y + rows.name, width - 73 - moneyWidth(gang.cash, small), small),
    drawCash(letter, gang, x + width - 10, y + rows.name, small),
    drawWorth(view, letter, gang, incomeOf(view, letter, pays), x + 14, y + rows.worth, small, change),
    change ? drawMoneyMoved(change, x + width - 10, y + rows.worth, small) : null,
    waits ? null : drawGoals(view, letter, x + 22, y + rows.goals, small ? 50 : 84),
    drawSupplies(gang, x, y + rows.supplies, width, small),
    drawTabs([isYou ? "you" : "", isAsked ? "to act" : "", rank ? `rank ${rank}` : ""].filter(Boolean), x + 54, y));
}

function drawCash(letter, gang, x, y, small) {
  const width = moneyWidth(gang.cash, small);
  const [size, rise, height] = small ? [15, 15, 20] : [19, 18, 23];
  const tip = `${capital(gangName(letter))} has ${inFull(gang.cash)} in cash.`;
  return g({ key: `cash:${letter}`, at: [round(x), y], state: String(gang.cash ?? ""), tip },
    // Behind the letters, so that a glow is round them and not on them.
    rect(-width, -rise, width + 5, height, { rx: 4, class: "chicago-behind" }),
    label(0, 0, size, money(gang.cash), "chicago-strong", "end"));
}

// What the buildings of a gang pay, and what its seat is worth. On a small card a payment takes the place of the worth.
function drawWorth(view, letter, gang, income, x, y, small, change) {
  const wealth = wealthOf(view, gang.seat);
  const words = !small ? `income ${money(income)} · wealth ${money(wealth)}`
    : change ? `pays ${money(income)}` : `pays ${money(income)} · worth ${money(wealth)}`;
  const tip = `The buildings of ${gangName(letter)} pay ${inFull(income)} at the end of a phase. `
    + `Seat ${gang.seat} is worth ${inFull(wealth)}: cash and living members.`;
  return g({ tip }, label(x, y, small ? 11 : 12, words, "chicago-soft"));
}

function drawMoneyMoved(change, x, y, small) {
  const words = `${change > 0 ? "+" : "−"}${money(Math.abs(change))}`;
  return label(x, y, small ? 13 : 14, words, change > 0 ? "chicago-gain" : "chicago-loss", "end");
}

const moneyWidth = (cash, small) => round(money(cash).length * (small ? 10 : 12.7) + 4);

// Small tabs on the upper edge of a card: you, to act, the rank at the end.
function drawTabs(words, x, y) {
  const widths = words.map(word => word.length * 6.6 + 10);
  return words.map((word, at) => {
    const left = x + sum(widths.slice(0, at)) + 4 * at;
    return g({ class: word === "you" ? "chicago-tab-you" : "chicago-tab" },
      rect(round(left), y - 7, round(widths[at]), 15, { rx: 7.5 }),
      label(left + widths[at] / 2, y + 4, 11, word, "chicago-strong", "middle"));
  });
}

// The name of a bot, as long as the space beside the cash allows.
function drawName(gang, names, x, y, room, small) {
  const size = small ? 12 : 14;
  return label(x, y, size, shortened(names?.[gang.seat] || `seat ${gang.seat}`, Math.max(4, Math.floor(room / (size * 0.62)))));
}

// How near the seat is to each goal.
function drawGoals(view, letter, x, y, step) {
  const goals = goalsOf(view, letter);
  const show = (at, icon, [has, needs], what) => g({ tip: `Goal: ${what}. Has ${has} of ${needs}.` },
    icon, label(x + at * step + 11, y + 4, 12, `${has}/${needs}`, has >= needs ? "chicago-reached" : ""));
  return [
    show(0, chip(x, y, 7), goals.casinos, "casinos"),
    show(1, star(x + step, y, 8), goals.place, "bars of the central place"),
    show(2, g({}, ringRow(2, x + 2 * step, y - 3.2, 3), ringRow(2, x + 2 * step, y + 3.2, 3)), goals.five, "members with four rings"),
  ];
}

// Pawns in reserve, tokens, and the members that were bought with one, two and three rings.
function drawSupplies(gang, x, y, width, small) {
  const size = small ? 11 : 12;
  const bought = (gang.bought ?? []).join("·");
  const [pawns, tokens] = [howMany(gang.reserve ?? 0, "pawn"), howMany(gang.tokens ?? 0, "token")];
  return g({ tip: `${pawns} in reserve, ${tokens} left; bought with 1, 2 and 3 rings: ${bought}.` },
    label(x + 14, y, size, `${pawns} · ${tokens}`, "chicago-soft"),
    label(x + width - 10, y, size, small ? bought : `bought ${bought}`, "chicago-soft", "end"));
}
