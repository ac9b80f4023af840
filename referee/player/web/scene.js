// Pictures as trees of plain nodes, and the parts that the boards of all games share.
//
// A node is { tag, attributes, children }. These attributes have a meaning of their own:
//   key    names a thing that stays the same from picture to picture (a piece, a building). Unique in a picture.
//   at     [x, y], the place of a node with a key. It moves there, if motion is wanted.
//   state  a short text: what is to be noticed of a thing with a key. If it differs, the thing has changed.
//   trail  true: when the thing has moved, an arrow shows from where.
//   tip    what the thing is, in a sentence; shown by hover, tap and focus.
//   spot   the name of a place where an action belongs, such as `card:R9`. People click there.
// All others are attributes of SVG. Texts are texts: nothing here makes markup of them.

export function node(tag, attributes = {}, ...children) {
  return { tag, attributes: attributes ?? {}, children: children.flat(Infinity).filter(child => child != null && child !== false) };
}

export const g = (attributes, ...children) => node("g", attributes, ...children);
export const rect = (x, y, width, height, attributes) => node("rect", { x, y, width, height, ...attributes });
export const circle = (cx, cy, r, attributes) => node("circle", { cx, cy, r, ...attributes });
export const line = (x1, y1, x2, y2, attributes) => node("line", { x1, y1, x2, y2, ...attributes });
export const path = (d, attributes) => node("path", { d, ...attributes });
export const polygon = (points, attributes) => node("polygon", { points: points.map(point => point.join(",")).join(" "), ...attributes });
export const text = (x, y, value, attributes) => node("text", { x, y, ...attributes }, String(value));

// Points of a regular polygon with its first corner at the top.
export function corners(cx, cy, r, count, turn = 0) {
  return Array.from({ length: count }, (_, n) => {
    const angle = (2 * Math.PI * n) / count - Math.PI / 2 + turn;
    return [round(cx + r * Math.cos(angle)), round(cy + r * Math.sin(angle))];
  });
}

export const round = value => Math.round(value * 100) / 100;

// A text that fits into so many letters, without its middle: names often differ at their ends.
export function shortened(value, most) {
  const letters = [...String(value)];
  const half = Math.floor((most - 1) / 2);
  return letters.length <= most ? letters.join("") : `${letters.slice(0, most - 1 - half).join("")}…${letters.slice(-half).join("")}`;
}

const square = (cx, cy, side, attributes) => rect(round(cx - side / 2), round(cy - side / 2), round(side), round(side), attributes);

// The shape of a seat, one for each of six, so that colour is never alone.
export function seatShape(seat, cx, cy, r, attributes) {
  switch (seat % 6) {
    case 0: return circle(cx, cy, r, attributes);
    case 1: return square(cx, cy, r * 1.76, { rx: round(r * 0.2), ...attributes });
    case 2: return polygon(corners(cx, cy + r * 0.12, r * 1.18, 3), attributes);
    case 3: return polygon(corners(cx, cy, r * 1.14, 4), attributes);
    case 4: return polygon(corners(cx, cy, r * 1.06, 5), attributes);
    default: return polygon(corners(cx, cy, r * 1.04, 6), attributes);
  }
}

// The mark of a seat: its shape in its colour, with its number. A seat has it on every page of a match.
export function seatMark(seat, cx, cy, r = 9, attributes = {}) {
  return g({ class: `seat seat${seat}`, ...attributes },
    seatShape(seat, cx, cy, r, { class: "seat-shape" }),
    text(cx, cy + r * 0.36, seat, { class: "seat-number", "font-size": round(r * 1.05), "text-anchor": "middle" }));
}

// The colours of pieces: letters as the games write them.
export const PIECE_COLOURS = { R: "red", B: "blue", Y: "yellow", G: "green", P: "purple", O: "orange" };

// The shape of a colour of pieces, for readers to whom two colours look alike.
export function pieceShape(letter, cx, cy, r, attributes) {
  const shapes = { R: 0, B: 1, Y: 2, G: 3, P: 4, O: 5 };
  return seatShape(shapes[letter] ?? 0, cx, cy, r, { ...attributes, class: `piece-${letter} ${attributes?.class ?? ""}`.trim() });
}

// The back of a card or tile. `known`: "none" if no seat knows it, "other" if only another seat does, "own" if this
// viewer learned it in private (then the face is shown, and this is the corner that marks it as its own secret).
export function back(width, height, known = "none", attributes = {}) {
  const sign = { class: "back-sign", "font-size": round(width * 0.42), "text-anchor": "middle" };
  return g({ class: `back back-${known}`, ...attributes },
    rect(0, 0, width, height, { rx: round(width * 0.09), class: "back-ground" }),
    rect(width * 0.08, height * 0.06, width * 0.84, height * 0.88, { rx: round(width * 0.06), class: "back-pattern" }),
    known === "other" ? text(width / 2, height / 2 + width * 0.13, "?", sign) : null);
}

// A die with its pips, or with a figure if it has more than six sides or none was thrown.
export function die(value, size, attributes = {}) {
  const pips = { 1: [4], 2: [0, 8], 3: [0, 4, 8], 4: [0, 2, 6, 8], 5: [0, 2, 4, 6, 8], 6: [0, 2, 3, 5, 6, 8] }[value];
  const place = n => [round(size * (0.25 + 0.25 * (n % 3))), round(size * (0.25 + 0.25 * Math.floor(n / 3)))];
  return g({ class: "die", ...attributes },
    rect(0, 0, size, size, { rx: round(size * 0.16), class: "die-face" }),
    pips ? pips.map(n => circle(...place(n), round(size * 0.085), { class: "die-pip" }))
      : text(size / 2, size * 0.66, value ?? "", { class: "die-number", "font-size": round(size * 0.48), "text-anchor": "middle" }));
}

// All nodes with a key, by key, with their place in the whole picture.
export function keyed(tree, found = new Map(), x = 0, y = 0) {
  if (typeof tree === "string") return found;
  const { key, at } = tree.attributes;
  const [dx, dy] = at ?? [0, 0];
  if (key !== undefined) found.set(key, { node: tree, x: x + dx, y: y + dy });
  for (const child of tree.children) keyed(child, found, x + dx, y + dy);
  return found;
}

// What differs between two pictures: { key, from } where the thing moved from, or null if it did not move.
export function changes(before, after) {
  if (!before) return [];
  const old = keyed(before);
  const found = [];
  for (const [key, now] of keyed(after)) {
    const then = old.get(key);
    if (!then) {
      found.push({ key, from: null });
      continue;
    }
    const moved = Math.hypot(then.x - now.x, then.y - now.y) > 0.5;
    if (moved || then.node.attributes.state !== now.node.attributes.state) {
      found.push({ key, from: moved && now.node.attributes.trail ? [then.x, then.y] : null, to: [now.x, now.y] });
    }
  }
  return found;
}

const OWN = new Set(["key", "at", "state", "trail", "tip", "spot"]);
const SVG = "http://www.w3.org/2000/svg";

// Bring the children of an element to these nodes. Elements with a key stay the same element, so that they move.
export function paint(parent, nodes) {
  const children = parent.childNodes;
  // Most parts of a picture have the same things in the same order as before.
  if (children.length === nodes.length && nodes.every((each, at) => fits(children[at], each))) {
    nodes.forEach((each, at) => update(children[at], each));
    return;
  }
  const old = new Map();
  const spare = [];
  for (const child of children) {
    if (child.sceneKey !== undefined) old.set(child.sceneKey, child);
    else spare.push(child);
  }
  const wanted = nodes.map(each => found(each, old, spare) ?? create(each));
  const kept = new Set(wanted);
  for (const child of [...children]) if (!kept.has(child)) child.remove();
  wanted.forEach((element, at) => {
    if (children[at] !== element) parent.insertBefore(element, children[at] ?? null);
    update(element, nodes[at]);
  });
}

// Whether an element can show a node: the same tag, and the same key or none.
function fits(child, each) {
  if (typeof each === "string") return child.nodeType === 3;
  return child.tagName === each.tag && child.sceneKey === each.attributes.key;
}

function found(each, old, spare) {
  const key = typeof each === "string" ? undefined : each.attributes.key;
  if (key !== undefined) return old.has(key) && fits(old.get(key), each) ? old.get(key) : null;
  const at = spare.findIndex(child => fits(child, each));
  return at < 0 ? null : spare.splice(at, 1)[0];
}

function create(each) {
  if (typeof each === "string") return document.createTextNode(each);
  const element = document.createElementNS(SVG, each.tag);
  if (each.attributes.key !== undefined) element.sceneKey = each.attributes.key;
  return element;
}

function update(element, each) {
  if (typeof each === "string") {
    if (element.data !== each) element.data = each;
    return;
  }
  // A board may keep a part that does not change: the same node needs no second look.
  if (element.sceneNode === each) return;
  element.sceneNode = each;
  if (!isSame(element.sceneAttributes, each.attributes)) dress(element, each.attributes);
  paint(element, each.children);
}

function isSame(old, attributes) {
  if (old === undefined) return false;
  const names = Object.keys(attributes);
  return names.length === Object.keys(old).length && names.every(name => isEqual(old[name], attributes[name]));
}

const isEqual = (one, other) => one === other || (Array.isArray(one) && Array.isArray(other) && one.join() === other.join());

function dress(element, attributes) {
  element.sceneAttributes = attributes;
  const { at, tip, spot, key } = attributes;
  const wanted = new Map(Object.entries(attributes).filter(([name, value]) => !OWN.has(name) && value != null && value !== false));
  if (tip) wanted.set("data-tip", tip);
  if (spot) wanted.set("data-spot", spot);
  if (key !== undefined) wanted.set("data-key", key);
  for (const { name } of [...element.attributes]) if (name !== "style" && !wanted.has(name)) element.removeAttribute(name);
  for (const [name, value] of wanted) if (element.getAttribute(name) !== String(value)) element.setAttribute(name, value);
  // Set as a property: the security policy of our pages allows no style in markup. Only as a style is it animated.
  const place = at ? `translate(${at[0]}px, ${at[1]}px)` : "";
  if (element.style.transform !== place) element.style.transform = place;
}
