// All tiles that can move, in one layer.

import { g, rect } from "./scene.js";
import { howMany } from "./wording.js";
import { cellAt, openAt, pileAt, slotAt } from "./layout.js";
import { nameOf } from "./reading.js";
import { GANG_NAMES, KINDS, cellName, gangOf, strengthOf, tileWords } from "./terms.js";
import { faceDown, tile } from "./tiles.js";

// Tiles of one kind are alike, so a tile is known by its place: a cell, a reserve, its height in a pile. A tile that the last
// step has moved keeps the key of the place from which it came; that is how it glides, and no other tile with it.
export function pieces(scene) {
  const { view } = scene;
  const before = cameFrom(scene);
  const found = [...pileTiles(scene), ...reserveTiles(scene), ...commonTiles(scene)];
  if (view.drawn && view.active !== null) found.push(drawnTile(scene));
  const onBoard = view.board.flatMap((code, number) => (code ? [boardTile(scene, code, cellName(number), before)] : []));
  // What has moved is above all others.
  const moved = onBoard.filter(piece => piece.attributes.key === before.key);
  return g({}, found, onBoard.filter(piece => !moved.includes(piece)), moved);
}

// The cell of the tile that was placed or moved in the last step, with its key and its middle before that.
export function cameFrom({ view, at, events }) {
  const event = events.find(each => each?.event === "placed" || each?.event === "moved");
  if (!event) return {};
  if (event.event === "moved") return { cell: event.to, key: `cell:${event.from}`, from: cellAt(at, event.from) };
  if (event.from === "own") {
    const [seat, strength] = [event.seat, strengthOf(event.tile)];
    return at.cards[seat] ? { cell: event.cell, key: `own:${seat}:${strength}`, from: slotAt(at, seat, strength) } : {};
  }
  if (event.from === "common") {
    const refilled = events.find(each => each?.event === "refilled");
    const stayed = [...view.common];
    if (refilled && stayed.includes(refilled.tile)) stayed.splice(stayed.indexOf(refilled.tile), 1);
    const copies = stayed.filter(each => each === event.tile).length;
    const sorted = [...stayed, event.tile].sort((one, other) => KINDS.indexOf(one) - KINDS.indexOf(other));
    return { cell: event.cell, key: commonKey(view, events, event.tile, copies), from: openAt(at, view, sorted.lastIndexOf(event.tile)) };
  }
  const pile = Number(String(event.from).split(" ")[1]);
  const height = (view.piles[pile - 1] ?? 0) + 1;
  const isSeen = !events.some(each => each?.event === "drawn") && at.cards[event.seat];
  return { cell: event.cell, key: `pile:${pile}:${height}`, from: isSeen ? slotAt(at, event.seat, 4) : pileAt(at, view, pile, height) };
}

function boardTile(scene, code, name, before) {
  const { view, at } = scene;
  const isFrozen = view.complete.includes(name[0]) || view.complete.includes(name[1]);
  const owner = view.gangs.indexOf(gangOf(code));
  const whose = owner < 0 || view.withdrawn.includes(owner) ? "a neutral gang" : `the gang of ${nameOf(scene, owner)}`;
  const notes = code.endsWith("x") ? " It is dead: it fills its cell, without strength."
    : view.ban === name ? " It was placed or moved in the last turn and may not be moved now."
      : isFrozen ? " It is in a complete line and cannot be moved any more." : "";
  return g({ key: before.cell === name ? before.key : `cell:${name}`, at: cellAt(at, name), state: code, spot: `cell:${name}`,
    tip: `${code.slice(0, 2)} on ${name}: strength ${strengthOf(code)} of ${whose} (${GANG_NAMES[gangOf(code)] ?? ""}).${notes}` },
    tile(code, at.tile));
}

function reserveTiles(scene) {
  const { view, at } = scene;
  return view.reserves.flatMap((strengths, seat) => (!at.cards[seat] ? [] : strengths.map(strength => {
    const code = `${view.gangs[seat]}${strength}`;
    return g({ key: `own:${seat}:${strength}`, at: slotAt(at, seat, strength), spot: `own:${seat}:${strength}`,
      tip: `${code} in the reserve of ${nameOf(scene, seat)}; only this seat may place it.` }, tile(code, at.slot));
  })));
}

// The key of an open tile, the same before and after the last step. With how many of its kind lay face down before, it differs
// from that of an equal tile which takes the place later: no tile seems to come back from the city.
function commonKey(view, events, kind, copy) {
  const turnedUp = events.filter(event => (event?.event === "drawn" || event?.event === "refilled") && event.tile === kind).length;
  return `common:${kind}:${(view.unseen[kind] ?? 0) + turnedUp}:${copy}`;
}

function commonTiles({ view, at, events }) {
  const refilled = events.find(event => event?.event === "refilled");
  // Of two equal tiles the last one is the new one.
  const fresh = refilled ? view.common.lastIndexOf(refilled.tile) : -1;
  return view.common.map((code, n) => {
    const copy = view.common.slice(0, n).filter(each => each === code).length;
    const key = n === fresh ? `pile:${refilled.pile}:${(view.piles[refilled.pile - 1] ?? 0) + 1}` : commonKey(view, events, code, copy);
    const tip = `${code} (${tileWords(code)}) lies open: each seat may place it.`;
    return g({ key, at: openAt(at, view, n), spot: `common:${code}`, tip }, tile(code, at.open));
  });
}

function pileTiles({ view, at }) {
  return view.piles.flatMap((size, n) => Array.from({ length: size }, (_, below) => {
    const isTop = below === size - 1;
    return g({ key: `pile:${n + 1}:${below + 1}`, at: pileAt(at, view, n + 1, below + 1), spot: isTop ? `pile:${n + 1}` : null,
      tip: `Pile ${n + 1}: ${howMany(size, "tile")} face down, which no seat has seen.` }, faceDown(at.pile));
  }));
}

function drawnTile(scene) {
  const { view, at } = scene;
  const pile = view.drawn_from ?? 1;
  const ring = at.slot / 2 + 3;
  return g({ key: `pile:${pile}:${(view.piles[pile - 1] ?? 0) + 1}`, at: slotAt(at, view.active, 4),
    tip: `${view.drawn} (${tileWords(view.drawn)}) was drawn from pile ${pile} and is placed now.` },
    rect(-ring, -ring, 2 * ring, 2 * ring, { rx: 7, class: "gang-hand" }), tile(view.drawn, at.slot));
}
