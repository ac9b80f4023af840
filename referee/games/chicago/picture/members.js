// The members: in the city, on the cards of their gangs while they wait for a place, and in the roster of a phone.

import { g, rect, round } from "./scene.js";
import { capital, howMany } from "./wording.js";
import { NODES, PLANS } from "./city_plan.js";
import { ROSTER_ROW, standing } from "./layout.js";
import { allMembers, gangsOf, membersOf } from "./reading.js";
import { label, panel, pawnPicture, ringRow } from "./signs.js";
import { DICE, FORCES, VALUES, gangName, inFull } from "./terms.js";

// All members in one layer, so that they glide from place to place.
export function drawMembers(plan, view, events) {
  const moved = new Set(events.filter(each => ["moved", "placed"].includes(each.event)).map(each => each.pawn));
  const members = allMembers(view);
  const at = new Map();
  // Attackers come last: they were not there before.
  const last = new Set(view?.duel?.attackers ?? []);
  members.sort((a, b) => last.has(a.pawn) - last.has(b.pawn));
  for (const member of members) if (NODES.has(member.at)) at.set(member.at, [...(at.get(member.at) ?? []), member]);
  const placed = [...at].flatMap(([id, here]) => {
    const stands = standing(plan, id, here);
    return here.map((member, n) => drawMember(plan, member, stands[n], moved));
  });
  return g({}, placed, gangsOf(view).map(([letter, gang]) => drawTray(plan, letter, gang)));
}

function drawMember(plan, member, [x, y, scale], moved) {
  const r = round(plan.s * plan.pawn * scale);
  // The outer spot is the node: who attacks clicks on the rival that stands there.
  const spot = `node:${member.at}`;
  const trail = moved.has(member.pawn);
  return g({ key: `pawn:${member.pawn}`, at: [x, y], state: String(member.rings), trail, spot, tip: memberTip(member) },
    g({ spot: `pawn:${member.pawn}` }, pawnPicture(member.pawn, member.rings, r)));
}

function memberTip({ pawn, rings, at, gang }) {
  const where = at ? `${PLANS.has(at) ? "in" : "on"} ${at}` : "not placed yet";
  const force = `${FORCES[rings] ?? ""}, worth ${inFull(VALUES[rings])}`;
  return `${pawn}, a member of ${gangName(gang)} with ${howMany(rings, "ring")} (${force}), ${where}. `
    + `Faces of its duel die: ${DICE[rings] ?? ""}.`;
}

// Members that wait for a place, on the card of their gang.
function drawTray(plan, letter, gang) {
  const card = plan.cards.get(letter);
  const waiting = membersOf(gang).filter(([, , at]) => !at);
  if (!card || !waiting.length) return null;
  const [x, y, width] = card;
  const { strip, rows: { tray: [down, r] } } = plan;
  const step = Math.min(26, (width - 40) / waiting.length);
  const place = n => [round(strip.x + strip.k * (x + 24 + n * step)), round(strip.y + strip.k * (y + down))];
  return waiting.map(([pawn, rings, at], n) => {
    const tip = memberTip({ pawn, rings, at, gang: letter });
    return g({ key: `pawn:${pawn}`, at: place(n), state: String(rings), tip },
      g({ spot: `pawn:${pawn}` }, pawnPicture(pawn, rings, round(r * strip.k))));
  });
}

// On a phone: where every member is, in letters that are read without zoom.
export function drawRoster(plan, view) {
  return g({}, plan.roster.map(([letter, [x, y, width, height]]) => {
    const members = membersOf(view.gangs[letter]);
    return g({}, panel([x, y, width, height]), rect(x, y, 6, height, { rx: 3, class: `piece-${letter}` }),
      members.length ? null : label(x + 14, y + 18, 12, `${capital(gangName(letter))} has no member`, "chicago-soft"),
      members.map(([pawn, rings, at], n) => {
        const [left, top] = [x + 22 + (n % ROSTER_ROW) * 88, y + 13 + Math.floor(n / ROSTER_ROW) * 21];
        return g({ tip: memberTip({ pawn, rings, at, gang: letter }) },
          g({ transform: `translate(${left} ${top + 2})` }, pawnPicture(pawn, 0, 9)),
          label(left + 13, top + 4, 12, at ?? "–", "chicago-strong"), ringRow(rings, left + 43 + 3.2 * rings, top, 2.8));
      }));
  }));
}
