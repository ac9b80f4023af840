// The picture of Chicago Poker: a row of businesses, the rows of the seats on both sides of it, hands, deck and discard.

import { PIECE_COLOURS, back, circle, corners, g, path, pieceShape, polygon, rect, round, seatMark, shortened, text } from "./scene.js";

const FULL_ROW = 5;
const HAND_LIMIT = 7;
const COLOURS = "RGBYP";
const VALUES = 15;
const SPECIALS = {
  LQ: { name: "Liquidation", short: "Liquidate", effect: "removes the last card of a row of another seat" },
  PR: { name: "Police Raid", short: "Raid", effect: "shows you the face-down cards of a row of another seat" },
  LM: { name: "Limousine", short: "Limousine", effect: "takes 1 to 4 cards of one of your rows to another business" },
  RV: { name: "Revolver", short: "Revolver", effect: "allows two more actions in this turn" },
  BR: { name: "Bribery", short: "Bribery", effect: "takes a card of your choice from the discard" },
};
const KINDS = {
  S: { name: "speakeasy", pattern: "DDUUU" },
  J: { name: "jazz club", pattern: "UUUDD" },
  D: { name: "distillery", pattern: "UUUUU" },
  H: { name: "gambling house", pattern: "UDUDU" },
};
const REASONS = {
  goal: "has the businesses of the goal",
  last_business: "took the last business",
  stalemate: "no seat can do anything any more",
  cap: "the last turn has been played",
};
const GANGSTERS = [...COLOURS].flatMap(colour => Array.from({ length: VALUES }, (_, n) => `${colour}${n + 1}`));
const CANONICAL = [...GANGSTERS, ...Object.keys(SPECIALS)];

// ---- Reading a view

const seatsOf = view => view.seats ?? view.hands?.length ?? 0;
const slotsOf = view => view.slots ?? [];
const marksOf = (view, slot) => slotsOf(view)[slot]?.marks ?? [];
const rowOf = (view, slot, seat) => slotsOf(view)[slot]?.rows?.[seat] ?? [];
// The place of a click on a row: one's own row stands for the business, as cards are played there.
const rowSpot = (view, slot, seat) => (view.you === seat ? `business:${slot + 1}` : `row:${slot + 1}:${seat}`);
const isDown = shown => shown.startsWith("(");
const bare = shown => shown.replace(/[()]/g, "");
const isSpecial = name => name in SPECIALS;
const range = count => Array.from({ length: Math.max(0, count) }, (_, n) => n);
const plural = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;
// Names come from bots. Marks that turn the direction of writing would also turn our own words beside them.
const cleaned = name => String(name ?? "").replace(/[\u0000-\u001f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "");
const nameOf = (names, seat, most = 24) => shortened(cleaned(names?.[seat]) || `seat ${seat}`, most);

// About how wide a text is, in units: names are not ours, and pictures cannot measure them.
function widthOf(words, size) {
  const share = letter => {
    if (letter.codePointAt(0) > 0x2e7f) return 1.05;
    if (/[WM@%mw…—]/.test(letter)) return 1;
    if (/[ijlI.,:;'|! ]/.test(letter)) return 0.38;
    return /[A-Z]/.test(letter) ? 0.76 : 0.64;
  };
  return size * [...words].reduce((sum, letter) => sum + share(letter), 0);
}

// The name of a seat, shortened to this width.
function fittedName(names, seat, width, size) {
  let most = 24;
  while (most > 3 && widthOf(nameOf(names, seat, most), size) > width) most -= 1;
  return nameOf(names, seat, most);
}

// The cards of a seat's hand, if the view knows them.
function heldBy(view, seat) {
  if (view.cards) return view.cards[seat] ?? [];
  return view.you === seat ? view.hand ?? [] : null;
}

// An event with what the viewer may know of it; the referee's view has the secrets of single seats apart.
const whole = event => ({ ...event, ...(event.secrets?.[event.seat] ?? {}) });

function cardWords(name) {
  if (isSpecial(name)) return `${SPECIALS[name].name} (${name})`;
  return `the ${PIECE_COLOURS[name[0]] ?? ""} ${name.slice(1)} (${name})`;
}

const capital = words => words.charAt(0).toUpperCase() + words.slice(1);

function kindWords(kind) {
  const down = range(FULL_ROW).filter(n => KINDS[kind].pattern[n] === "D").map(n => n + 1);
  return down.length ? `places ${down.join(" and ")} of a row lie face down, the others face up` : "all places of a row lie face up";
}

// The name of a hand of known gangsters, as the rules rank them.
function category(cards) {
  const values = cards.map(card => Number(card.slice(1))).sort((a, b) => b - a);
  const groups = [...new Set(values)].map(value => values.filter(other => other === value).length).sort((a, b) => b - a).join("");
  const colours = new Set(cards.map(card => card[0])).size;
  const grouped = { 5: "chicago-poker", 41: "four", 4: "four", 32: "full-house", 311: "three", 31: "three", 3: "three", 221: "two-pairs",
    22: "two-pairs" };
  if (grouped[groups]) return grouped[groups];
  if (groups.startsWith("2")) return "pair";
  if (groups !== "11111") return "high-card";
  if (values[0] - values[4] === 4) return { 1: "straight-flush", 5: "rainbow-straight" }[colours] ?? "straight";
  return colours === 1 ? "flush" : "high-card";
}

const handWords = name => (name === "three" || name === "four" ? `${name} of a kind` : String(name ?? "").replaceAll("-", " "));

// ---- Where everything lies

// The seats from top to bottom: in the order of play, with the viewer last, that is nearest to its hand.
function seating(view) {
  const seats = seatsOf(view);
  const first = view.you == null ? 0 : view.you + 1;
  return range(seats).map(n => (first + n) % seats);
}

function layoutOf(view, narrow) {
  return narrow ? narrowLayout(view) : wideLayout(view);
}

// Side by side: the plates of the seats to the left, each in line with the seat's rows.
function wideLayout(view) {
  const [width, margin, gap, plateWidth] = [1000, 8, 7, 128];
  const order = seating(view);
  const count = Math.max(1, slotsOf(view).length);
  const blockWidth = (width - 2 * margin - plateWidth - gap * count) / count;
  const step = Math.min((blockWidth - 26) / FULL_ROW, 66);
  const card = { w: step - 2.5, h: (step - 2.5) * 1.36, step };
  const lane = card.h + 17;
  const header = { x: margin, y: 8, w: width - 2 * margin, h: 40 };
  const top = 68;
  const blocks = range(count).map(slot => block(order, {
    x: margin + plateWidth + gap + slot * (blockWidth + gap), y: top, w: blockWidth, lane, card, band: 62, gutter: 0,
  }));
  const plates = [];
  for (const seat of order) plates[seat] = { x: margin, y: blocks[0].lanes[seat].y + 2, w: plateWidth, h: lane - 4 };
  let y = top + blocks[0].h + 12;
  const hands = handBoxes(view, order, { x: margin, y, w: width - 2 * margin, narrow: false });
  y = hands.bottom;
  const supply = {
    deck: { x: margin + 42, y: y + 51, w: 54, h: 76 }, pile: { x: margin + 122, y: y + 51, w: 70, h: 54 },
    pass: { x: margin + 168, y: y + 32, w: 86, h: 38 }, chips: { x: margin + 182, y: y + 105 },
    label: 111, box: { x: margin, y, w: 262, h: 124 },
  };
  const discard = { x: margin + 270, y, w: width - 2 * margin - 270, h: 124, cell: [38.4, 19.5], special: 46, left: 26, top: 22,
    side: true };
  return { narrow: false, width, height: y + 132, header, plates, blocks, card, hands: hands.boxes, supply, discard, order };
}

// For a phone: one or two businesses beside each other; each row begins with the mark of its seat.
function narrowLayout(view) {
  const [width, margin, gap] = [380, 4, 6];
  const order = seating(view);
  const count = Math.max(1, slotsOf(view).length);
  const columns = count > 2 ? 2 : 1;
  const gutter = 19;
  const header = { x: margin, y: 4, w: width - 2 * margin, h: 50 };
  const plates = [];
  const plateWidth = (width - 2 * margin - gap) / 2;
  order.forEach((seat, n) => { plates[seat] = { x: margin + (n % 2) * (plateWidth + gap), y: 60 + Math.floor(n / 2) * 50, w: plateWidth,
    h: 46 }; });
  const top = 60 + Math.ceil(order.length / 2) * 50 + 22;
  const blockWidth = (width - 2 * margin - gap * (columns - 1)) / columns;
  const step = Math.min((blockWidth - gutter - 5) / FULL_ROW, 54);
  const card = { w: step - 2, h: (step - 2) * 1.34, step };
  const lane = card.h + 8;
  const size = lane * order.length + 58;
  const blocks = range(count).map(slot => block(order, {
    x: margin + (slot % columns) * (blockWidth + gap), y: top + Math.floor(slot / columns) * (size + 22), w: blockWidth, lane, card,
      band: 58, gutter,
  }));
  let y = top + Math.ceil(count / columns) * (size + 22) - 6;
  const hands = handBoxes(view, order, { x: margin, y, w: width - 2 * margin, narrow: true });
  y = hands.bottom;
  const supply = count % columns ? supplyInGap(margin + blockWidth + gap, blocks[count - 1].y, blockWidth, size) : {
    deck: { x: margin + 38, y: y + 37, w: 42, h: 58 }, pile: { x: margin + 118, y: y + 37, w: 60, h: 46 },
    pass: { x: margin + 270, y: y + 26, w: 92, h: 44 }, chips: { x: margin + 174, y: y + 48 },
    label: 87, box: { x: margin, y, w: width - 2 * margin, h: 96 },
  };
  y += count % columns ? 0 : 104;
  const discard = { x: margin, y, w: width - 2 * margin, h: 156, cell: [23, 20], special: 23, left: 22, top: 36, side: false };
  return { narrow: true, width, height: y + 162, header, plates, blocks, card, hands: hands.boxes, supply, discard, order };
}

// With three businesses, deck and pile fill the fourth place.
function supplyInGap(x, y, w, h) {
  return {
    deck: { x: x + 46, y: y + 66, w: 54, h: 76 }, pile: { x: x + 130, y: y + 66, w: 70, h: 54 },
    pass: { x: x + 36, y: y + h - 62, w: w - 72, h: 44 }, chips: { x: x + 56, y: y + 160 },
    label: 128, box: { x, y, w, h },
  };
}

// A business: the tile in the middle, half of the seats above and half below it.
function block(order, { x, y, w, lane, card, band, gutter }) {
  const above = Math.ceil(order.length / 2);
  const lanes = [];
  order.forEach((seat, n) => {
    lanes[seat] = { x, y: y + n * lane + (n < above ? 0 : band), w, h: lane, side: n < above ? -1 : 1 };
  });
  const inner = w - gutter - (gutter ? 0 : 14);
  const left = x + gutter + (inner - FULL_ROW * card.step) / 2 + card.step / 2;
  const columns = range(FULL_ROW).map(place => left + place * card.step);
  return { x, y, w, h: lane * order.length + band, gutter, lanes, columns,
    tile: { x: x + 3, y: y + above * lane + 3, w: w - 6, h: band - 6 } };
}

// Boxes for the hands that the view knows: one large one for a seat, one of each seat for the referee, none for the public.
function handBoxes(view, order, { x, y, w, narrow }) {
  const known = order.filter(seat => heldBy(view, seat));
  if (!known.length) return { boxes: [], bottom: y };
  const boxes = [];
  const single = known.length === 1;
  const columns = narrow || single ? 1 : known.length % 3 === 0 || known.length === 5 ? 3 : 2;
  const high = single ? (narrow ? 86 : 112) : narrow ? 52 : 66;
  const cardWidth = single ? (narrow ? 46 : 66) : narrow ? 31 : 41;
  const wide = (w - 8 * (columns - 1)) / columns;
  [...known].sort((a, b) => a - b).forEach((seat, n) => {
    const box = { seat, x: x + (n % columns) * (wide + 8), y: y + Math.floor(n / columns) * (high + 6), w: wide, h: high };
    boxes[seat] = { ...box, single, card: { w: cardWidth, h: cardWidth * 1.36 } };
  });
  return { boxes, bottom: y + Math.ceil(known.length / columns) * (high + 6) + 4 };
}

// The middle of a place in a row, and how far the card there is turned: rows are fans whose owner sits outside.
function placeOf(layout, slot, seat, place) {
  const box = layout.blocks[slot];
  const { y, h, side } = box.lanes[seat];
  const off = place - (FULL_ROW - 1) / 2;
  const bend = layout.narrow ? 0.3 : 1;
  return { at: [round(box.columns[place]), round(y + h / 2 + side * (off * off - 2) * bend)], turn: layout.narrow ? 0 : side * off * 1.1 };
}

// ---- Small drawings

// Drawings in a square of 24, as lists of [class, path].
const ICONS = {
  S: [
    ["ink", "M2.5 3.5H21.5L13.2 13.3V20H17.5V22H6.5V20H10.8V13.3Z"],
    ["cut", "M6.8 5.5H17.2L15.5 7.5H8.5Z"],
    ["ink", "M17 1.5L18.5 2.3L12 11.5L10.8 10.6Z"],
  ],
  J: [
    ["tube", "M4.5 3.2H7.5L9.5 5.5V15.5A4.2 4.2 0 0 0 17.9 15.5V12"],
    ["ink", "M15.6 13L13.6 8.2H23L20.2 13Z"],
    ["dots", "M6 8.5h.01M6 12h.01M6 15.5h.01"],
  ],
  D: [
    ["ink", "M6.5 2H17.5C20.5 8 20.5 16 17.5 22H6.5C3.5 16 3.5 8 6.5 2Z"],
    ["lines", "M4.8 7.2H19.2M4.8 16.8H19.2M9.7 2.5V6.5M14.3 2.5V6.5M9.7 17.5V21.5M14.3 17.5V21.5"],
    ["cut", "M12 9L14.6 12.6A2.7 2.7 0 1 1 9.4 12.6Z"],
  ],
  H: [
    ["ink", "M3 7.5L11.2 3.6A2 2 0 0 1 13.8 4.6L17.6 12.8A2 2 0 0 1 16.6 15.4L8.5 19.2A2 2 0 0 1 5.9 18.2L2.1 10.1A2 2 0 0 1 3 7.5Z"],
    ["pips", "M6.3 9.7h.01M13.3 13.1h.01M9.8 11.4h.01M11.4 7.3h.01M8.2 15.5h.01"],
    ["ink", "M19.2 11.5L21.7 14.5A1.5 1.5 0 0 1 21.6 16.5L14.6 22.3A1.5 1.5 0 0 1 12.5 22.2L11 20.2L17.6 17.1A3.7 3.7 0 0 0 19.6 12.5Z"],
  ],
  LQ: [
    ["ring", "M12 5A7 7 0 1 1 12 19A7 7 0 1 1 12 5M12 1.5V8.5M12 15.5V22.5M1.5 12H8.5M15.5 12H22.5"],
    ["ink", "M12 10.3A1.7 1.7 0 1 1 12 13.7A1.7 1.7 0 1 1 12 10.3Z"],
  ],
  PR: [
    ["ink", "M12 1.5L21 4.5V12C21 17.5 17 21 12 22.8C7 21 3 17.5 3 12V4.5Z"],
    ["cut", "M12 6L13.4 9.9L17.5 10L14.3 12.5L15.4 16.5L12 14.2L8.6 16.5L9.7 12.5L6.5 10L10.6 9.9Z"],
  ],
  LM: [
    ["ink", "M1.5 16.5V12.8L6 11.5L8.3 7H16.5L18 11.5L22.5 12.5V16.5Z"],
    ["cut", "M8 11.3L9.5 8.5H12V11.3ZM13.5 8.5H15.5L16.4 11.3H13.5Z"],
    ["ink", "M6.5 14A3 3 0 1 1 6.5 20A3 3 0 1 1 6.5 14ZM17.5 14A3 3 0 1 1 17.5 20A3 3 0 1 1 17.5 14Z"],
    ["cut", "M6.5 16A1 1 0 1 1 6.5 18A1 1 0 1 1 6.5 16ZM17.5 16A1 1 0 1 1 17.5 18A1 1 0 1 1 17.5 16Z"],
  ],
  RV: [
    ["ink", "M4 6.5H20.5V5.3H22V10H14.8V12.5A2 2 0 0 1 12.8 14.5H9.9L8.3 20.5H2.8L5 12.5L2.5 9.5Z"],
    ["cut", "M10.8 11.2H13.2V12.5A.7 .7 0 0 1 12.5 13.2H10.3ZM8 7.6H12V9.2H8Z"],
  ],
  BR: [
    ["ink", "M1.5 6H22.5V18H1.5Z"],
    ["cut", "M12 8A4 4 0 1 1 12 16A4 4 0 1 1 12 8ZM3.5 8H5.5V10H3.5ZM18.5 14H20.5V16H18.5Z"],
    ["ring", "M13.5 10.3C12 9.3 10.5 10.5 11.5 11.6C12.5 12.3 14 12.7 13 13.7C12.3 14.3 11 14 10.5 13.6"],
  ],
};

function icon(name, cx, cy, size, attributes = {}) {
  const scale = round(size / 24);
  return g({ class: "cp-icon", transform: `translate(${round(cx - size / 2)} ${round(cy - size / 2)}) scale(${scale})`, ...attributes },
    (ICONS[name] ?? []).map(([kind, d]) => path(d, { class: `cp-icon-${kind}` })));
}

// A gangster: a hat over a face, whose shape and colour are those of its card.
function gangster(colour, cx, cy, r) {
  const at = (...list) => points(cx, cy, r, ...list);
  const hat = `M${at([-1.15, -0.66])}Q${at([0, -0.36], [1.15, -0.66])}L${at([0.68, -0.84], [0.56, -1.5])}`
    + `Q${at([0, -1.22], [-0.56, -1.5])}L${at([-0.68, -0.84])}Z`;
  return g({}, pieceShape(colour, cx, cy + r * 0.2, r, { class: "cp-face" }), path(hat, { class: "cp-hat" }));
}

const points = (cx, cy, r, ...list) => list.map(([x, y]) => `${round(cx + x * r)} ${round(cy + y * r)}`).join(" ");

// The front of a card around (0, 0). A card that lies face down but is known to the viewer has the back as its frame.
function front(name, { w, h }, down = false) {
  const rim = down ? Math.max(3, w * 0.09) : 0;
  const [iw, ih] = [w - 2 * rim, h - 2 * rim];
  const [x, y] = [-iw / 2, -ih / 2];
  const look = isSpecial(name) ? "special" : name[0];
  return g({},
    down ? rect(-w / 2, -h / 2, w, h, { rx: round(w * 0.1), class: "cp-rim" }) : null,
    down ? rect(-w / 2 + 1.2, -h / 2 + 1.2, w - 2.4, h - 2.4, { rx: round(w * 0.08), class: "cp-rim-line" }) : null,
    rect(round(x), round(y), round(iw), round(ih), { rx: round(w * (down ? 0.05 : 0.1)), class: `cp-card cp-card-${look}` }),
    isSpecial(name) ? specialFront(name, x, y, iw, ih) : gangsterFront(name, x, y, iw, ih));
}

function gangsterFront(name, x, y, w, h) {
  const size = Math.max(11, w * 0.5);
  return [
    text(round(x + w * 0.09), round(y + size * 0.9), name.slice(1), { class: "cp-value", "font-size": round(size) }),
    gangster(name[0], w * 0.14, round(y + h * 0.72), w * 0.27),
  ];
}

function specialFront(name, x, y, w, h) {
  const size = Math.max(11, w * 0.27);
  const named = w >= 60;
  return [
    text(round(x + w * 0.09), round(y + size * 1.05), name, { class: "cp-value", "font-size": round(size) }),
    icon(name, 0, round(y + h * (named ? 0.52 : 0.62)), round(w * 0.62)),
    named ? text(0, round(y + h - 6), SPECIALS[name].short, { class: "cp-small", "font-size": 12, "text-anchor": "middle" }) : null,
  ];
}

const centredBack = (w, h, known) => g({ transform: `translate(${round(-w / 2)} ${round(-h / 2)})` }, back(round(w), round(h), known));

// The marker of a shootout: a flash with a bullet hole.
function flash(cx, cy, r) {
  const outer = corners(cx, cy, r, 20);
  const spikes = corners(cx, cy, r * 0.64, 20).map((corner, n) => (n % 2 ? corner : outer[n]));
  return g({}, polygon(spikes, { class: "cp-flash" }), circle(cx, cy, round(r * 0.3), { class: "cp-hole" }));
}

// A cartridge: an action that is owed is full, one that is allowed is an outline.
function cartridge(x, y, owed) {
  return path(`M${x} ${y + 16}V${y + 6}Q${x} ${y + 1} ${x + 4} ${y}Q${x + 8} ${y + 1} ${x + 8} ${y + 6}V${y + 16}Z`,
    { class: owed ? "cp-owed" : "cp-allowed" });
}

function chip(cx, cy, words, look = "plain", size = 12) {
  const width = widthOf(words, size) + 14;
  return g({ class: `cp-chip cp-chip-${look}` },
    rect(round(cx - width / 2), round(cy - size * 0.8), round(width), round(size * 1.6),
      { rx: round(size * 0.8), class: "cp-chip-ground" }),
    text(round(cx), round(cy + size * 0.36), words, { class: "cp-chip-text", "font-size": size, "text-anchor": "middle" }));
}

function arrow(from, to, bend = 0) {
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
  const length = Math.hypot(dx, dy) || 1;
  const middle = [(from[0] + to[0]) / 2 + (dy / length) * bend, (from[1] + to[1]) / 2 - (dx / length) * bend];
  const [ex, ey] = [to[0] - middle[0], to[1] - middle[1]];
  const size = Math.hypot(ex, ey) || 1;
  const [ux, uy] = [ex / size, ey / size];
  const wing = side => `${round(to[0] - 10 * ux + side * 5 * uy)} ${round(to[1] - 10 * uy - side * 5 * ux)}`;
  const at = point => point.map(round).join(" ");
  return g({ class: "cp-arrow" }, path(`M${at(from)}Q${at(middle)} ${at(to)}`), path(`M${wing(1)}L${at(to)}L${wing(-1)}`));
}

// ---- The parts of the picture

function headline(view, names, layout) {
  const { x, y, w, h } = layout.header;
  const { narrow } = layout;
  const middle = narrow ? y + 17 : y + h / 2;
  const goal = view.options?.goal === "short" ? "2 alike, or any 3" : "3 alike, all 4 kinds, or any 5";
  const goalText = { class: "cp-soft", "font-size": narrow ? 11.5 : 13, "text-anchor": narrow ? "start" : "end" };
  return g({},
    rect(x, y, w, h, { rx: 8, class: "cp-strip" }),
    view.turn == null ? null : text(x + 10, middle + 5, `Turn ${view.turn}`,
      { class: "cp-strong", "font-size": narrow ? 14 : 16, tip: turnTip(view, names) }),
    situation(view, names, x + (narrow ? 16 : 26) + widthOf(`Turn ${view.turn ?? ""}`, narrow ? 14 : 16), middle, narrow),
    text(narrow ? x + 10 : x + w - 10, narrow ? y + 41 : middle + 4.5, `Goal: ${goal}`, { ...goalText, tip: optionsTip(view) }),
    remarks(view, narrow ? x + w - 10 : x + w - 280, narrow ? y + 41 : middle + 4.5, narrow));
}

function turnTip(view, names) {
  const began = view.first == null ? "" : ` ${nameOf(names, view.first)} began the game.`;
  const soFar = view.quiet ? " In this turn nothing has happened yet." : " In this turn something has happened already.";
  const quiet = view.phase === "over" ? "" : soFar;
  return `Turn ${view.turn} of the game.${began}${quiet}`;
}

function optionsTip(view) {
  const options = Object.entries(view.options ?? {}).map(([name, value]) => `${name}=${value}`).join(", ");
  return `The first seat with these businesses wins. Options: ${options}.`;
}

// What is counted but seldom matters: idle turns, Revolvers of this turn.
function remarks(view, x, y, narrow) {
  const found = [];
  if (view.idle) found.push(`${plural(view.idle, "idle turn")}`);
  if (view.revolvers) found.push(`${plural(view.revolvers, "Revolver")} played`);
  if (!found.length) return null;
  const tip = "Idle turns in a row in which a seat could do nothing, and Revolvers played in this turn.";
  return text(x, y, found.join(", "), { class: "cp-soft", "font-size": narrow ? 11 : 13, "text-anchor": "end", tip });
}

function situation(view, names, x, y, narrow) {
  const size = narrow ? 13 : 15;
  const say = (left, words) => text(left, y + 5, words, { class: "cp-strong", "font-size": size });
  const seatAt = (seat, left) => seatMark(seat, left + 9, y, 9);
  if (view.phase === "over") return verdict(view, names, x, y, say, seatAt, narrow);
  if (view.phase === "reinforce") {
    const tied = view.fight?.tied ?? view.to_act ?? [];
    const count = `round ${view.fight?.round ?? 1}`;
    const words = narrow ? `Tie, ${count}` : `Tie at business ${view.fight?.slot ?? ""}, ${count}: reinforcements of`;
    const left = x + widthOf(words, size) + 6;
    return g({ tip: "Equal hands: these seats send a gangster from their hand, all at once; the highest value wins." },
      say(x, words), tied.map((seat, n) => seatAt(seat, left + n * 22)));
  }
  const seat = view.active ?? view.to_act?.[0];
  if (seat == null) return null;
  const name = fittedName(names, seat, narrow ? 120 : 160, size);
  const left = x + 34 + widthOf(name, size);
  const chooses = narrow ? "picks a shootout" : "chooses which shootout is next";
  if (view.phase === "order") return g({}, seatAt(seat, x), say(x + 24, `${name} ${chooses}`));
  return g({}, seatAt(seat, x), say(x + 24, name), cartridges(view, left, y));
}

function cartridges(view, x, y) {
  const [must, may] = [view.must ?? 0, view.may ?? 0];
  const owed = Math.min(must, 7);
  const more = Math.min(may, 7);
  const tip = `Actions left in this turn: ${must} must be taken, ${may} more may be taken.`;
  const after = x + (owed + more) * 12 + 6;
  const words = [must ? `${must} owed` : null, may ? `${may} allowed` : null].filter(Boolean).join(", ");
  return g({ key: "actions", at: [0, 0], state: may > 3 ? String(may) : "", tip },
    range(owed).map(n => cartridge(x + n * 12, y - 8, true)),
    range(more).map(n => cartridge(x + (owed + n) * 12, y - 8, false)),
    text(after, y + 5, words, { class: "cp-soft", "font-size": 12.5 }));
}

function verdict(view, names, x, y, say, seatAt, narrow) {
  const ranking = view.ranking ?? [];
  const best = range(ranking.length).filter(seat => ranking[seat] === 1);
  const reason = REASONS[view.reason] ?? "";
  if (best.length === 1) {
    const name = fittedName(names, best[0], narrow ? 160 : 220, 15);
    const words = narrow ? `${name} wins` : `${name} wins: it ${reason}`;
    return g({ tip: `${nameOf(names, best[0])} wins: it ${reason}.` }, seatAt(best[0], x), say(x + 24, words));
  }
  return g({ tip: `A draw of all seats: ${reason}.` }, say(x, narrow ? `A draw: ${view.reason ?? ""}` : `A draw: ${reason}`));
}

// Beside the tiles: what the small cards on them mean.
function facingKey(layout) {
  if (layout.narrow || !layout.blocks.length) return null;
  const { x, w } = layout.plates[layout.order[0]] ?? { x: 8, w: 128 };
  const { y } = layout.blocks[0].tile;
  const entry = (facing, words, top) => [glyph(facing, x + 24, top), text(x + 40, top + 4, words, { class: "cp-soft", "font-size": 12 })];
  return g({ tip: "Each business says which places of a row lie face up and which face down." },
    rect(x, y, w, 56, { rx: 7, class: "cp-none" }), entry("U", "face up", y + 16), entry("D", "face down", y + 40));
}

// The plate of a seat: who it is, how many cards it holds, what it has won, and whether it is to act.
function plate(view, seat, names, layout, happened) {
  const { x, y, w, h } = layout.plates[seat];
  const acts = (view.to_act ?? []).includes(seat);
  const lines = layout.narrow ? [y + 15, y + 15, y + 33] : [y + h / 2 - 18, y + h / 2 + 1, y + h / 2 + 19];
  const you = view.you === seat;
  const letters = layout.narrow ? w - 106 : w - (you ? 70 : 36);
  const won = view.won?.[seat] ?? [];
  const look = `cp-plate${acts ? " cp-acts" : ""}${view.ranking?.[seat] === 1 ? " cp-best" : ""}`;
  const turn = view.active === seat && view.phase !== "over";
  const tip = x + w + (layout.narrow ? 3.5 : 7);
  return g({ class: `seat${seat}`, tip: plateTip(view, seat, names) },
    rect(x, y, w, h, { rx: 7, class: look }),
    rect(x, y + 5, 4, h - 10, { rx: 2, class: "cp-seat-bar" }),
    turn ? polygon([[tip - 8, y + h / 2 - 7], [tip, y + h / 2], [tip - 8, y + h / 2 + 7]], { class: "cp-pointer" }) : null,
    seatMark(seat, x + 17, lines[0], 9),
    text(x + 31, lines[0] + 4.5, fittedName(names, seat, letters, 12.5), { class: "cp-strong", "font-size": 12.5 }),
    you ? tag(x + w - 20, layout.narrow ? lines[2] : lines[0], "you") : null,
    heldCount(view, seat, layout.narrow ? x + w - 70 : x + 12, lines[1], layout.narrow),
    won.length ? wonTiles(won, seat, x + 10, lines[2], x + w) : noTiles(view, seat, x + 13, lines[2]),
    rankMark(view, seat, x + w - (layout.narrow && you ? 42 : 8), (layout.narrow ? lines[2] : lines[1]) + 4.5),
    happened[seat] ? chip(x + w - (layout.narrow ? 64 : 28), layout.narrow ? lines[2] : lines[1], happened[seat], "event", 11) : null);
}

const tag = (cx, cy, words) => g({ class: "cp-tag" },
  rect(cx - 15, cy - 8, 30, 16, { rx: 8, class: "cp-tag-ground" }),
    text(cx, cy + 4, words, { class: "cp-tag-text", "font-size": 11.5, "text-anchor": "middle" }));

function plateTip(view, seat, names) {
  const won = (view.won?.[seat] ?? []).map(kind => KINDS[kind]?.name);
  const first = view.first === seat ? " It began the game." : "";
  return `${nameOf(names, seat)}${view.you === seat ? " (you)" : ""}: ${plural(view.hands?.[seat] ?? 0, "card")} in hand, `
    + `${won.length ? `has taken ${won.join(", ")}` : "has taken no business"}.${first}`;
}

// The hand of a seat as a number, with small backs for cards that this viewer does not know.
function heldCount(view, seat, x, y, narrow) {
  const count = view.hands?.[seat];
  if (count == null) return null;
  const known = heldBy(view, seat);
  const step = narrow ? 4 : 6;
  return g({ tip: `${plural(count, "card")} in hand; at the end of a turn at most ${HAND_LIMIT}.` },
    range(count).map(n => rect(x + n * step, y - 7, 9, 13, { rx: 1.5, class: known ? "cp-mini-known" : "cp-mini-back" })),
    text(x + (count ? (count - 1) * step + 14 : 0), y + 4.5, count, { class: "cp-strong", "font-size": 12.5 }));
}

function noTiles(view, seat, x, y) {
  const begins = view.first === seat && view.turn === 1;
  return text(x, y + 4.5, begins ? "begins the game" : "no business", { class: "cp-soft", "font-size": 11.5 });
}

function wonTiles(won, seat, x, y, right) {
  const step = Math.min(20, (right - x - 22) / Math.max(FULL_ROW, won.length));
  return won.map((kind, n) => g({ key: `won:${seat}:${n}`, at: [round(x + 10 + n * step), y], state: kind,
    tip: `A ${KINDS[kind]?.name} that this seat has taken.` },
    rect(-8.5, -8.5, 17, 17, { rx: 3, class: "cp-won" }), icon(kind, 0, 0, 14)));
}

function rankMark(view, seat, x, y) {
  const rank = view.ranking?.[seat];
  if (rank == null) return null;
  const words = { 1: "1st", 2: "2nd", 3: "3rd" }[rank] ?? `${rank}th`;
  return text(x, y, words, { class: rank === 1 ? "cp-first" : "cp-soft", "font-size": 13, "text-anchor": "end" });
}

// A business with its tile and the places of all rows.
function business(view, slot, names, layout) {
  const box = layout.blocks[slot];
  const { kind } = slotsOf(view)[slot];
  const due = view.phase === "order" && marksOf(view, slot).includes(view.active);
  const fought = view.fight?.slot === slot + 1;
  return g({},
    rect(box.x, box.y, box.w, box.h, { rx: 9, class: `cp-business${due || fought ? " cp-due" : ""}` }),
    range(seatsOf(view)).map(seat => row(view, slot, seat, names, layout)),
    kind ? tile(slot, kind, box) : noTile(box));
}

function tile(slot, kind, box) {
  const { x, y, w, h } = box.tile;
  const { name, pattern } = KINDS[kind];
  const words = `Business ${slot + 1} is a ${name}: ${kindWords(kind)}.`;
  const small = box.gutter && w < 200;
  return g({ key: `tile:${slot}`, at: [round(x + w / 2), round(y + h / 2)], state: kind, spot: `business:${slot + 1}`, tip: words },
    rect(-w / 2, -h / 2, w, h, { rx: 6, class: "cp-tile" }),
    text(round(-w / 2 + 8), -h / 2 + 23, slot + 1, { class: "cp-slot", "font-size": small ? 16 : 20 }),
    icon(kind, round(-w / 2 + (small ? 34 : 42)), -h / 2 + 17, small ? 26 : 28),
    text(round(-w / 2 + (small ? 51 : 62)), -h / 2 + 22, capital(name), { class: "cp-strong", "font-size": small ? 13 : 15 }),
    range(FULL_ROW).map(place => glyph(pattern[place], round(box.columns[place] - x - w / 2), h / 2 - 12)));
}

// A place of the pattern: a small front or a small back.
function glyph(facing, cx, cy) {
  return facing === "U"
    ? g({}, rect(cx - 7, cy - 9, 14, 18, { rx: 2, class: "cp-glyph-up" }), circle(cx, cy, 3, { class: "cp-glyph-dot" }))
    : g({}, rect(cx - 7, cy - 9, 14, 18, { rx: 2, class: "cp-glyph-down" }),
      path(`M${cx - 4} ${cy + 5}l8 -10m-8 4l4 -5m0 12l4 -5`, { class: "cp-glyph-hatch" }));
}

const noTile = box => g({ tip: "There is no business here any more." },
  rect(box.tile.x, box.tile.y, box.tile.w, box.tile.h, { rx: 6, class: "cp-no-tile" }),
  text(box.tile.x + box.tile.w / 2, box.tile.y + box.tile.h / 2 + 5, "no business",
    { class: "cp-soft", "font-size": 13, "text-anchor": "middle" }));

// The row of a seat at a business: the ground, the empty places, and the mark of the seat where it has no plate in line.
function row(view, slot, seat, names, layout) {
  const box = layout.blocks[slot];
  const { x, y, w, h } = box.lanes[seat];
  const { kind } = slotsOf(view)[slot];
  const cards = rowOf(view, slot, seat);
  const acts = (view.to_act ?? []).includes(seat);
  return g({ spot: rowSpot(view, slot, seat), tip: rowTip(view, slot, seat, names) },
    rect(x + 2, y + 1.5, w - 4, h - 3, { rx: 6, class: `cp-row${acts ? " cp-row-acts" : ""}` }),
    box.gutter ? seatMark(seat, x + 11, y + h / 2 - (h > 46 ? 10 : 9), 7.5) : null,
    kind ? range(FULL_ROW - cards.length).map(n => emptyPlace(layout, slot, seat, cards.length + n,
      KINDS[kind].pattern[cards.length + n])) : null);
}

function emptyPlace(layout, slot, seat, place, facing) {
  const { at, turn } = placeOf(layout, slot, seat, place);
  const { w, h } = layout.card;
  return rect(round(-w / 2 + 1), round(-h / 2 + 1), round(w - 2), round(h - 2), {
    rx: round(w * 0.1), class: `cp-place cp-place-${facing}`, transform: `translate(${at[0]} ${at[1]}) rotate(${round(turn)})`,
  });
}

function rowTip(view, slot, seat, names) {
  const cards = rowOf(view, slot, seat);
  const where = `at business ${slot + 1}`;
  if (!cards.length) return `${nameOf(names, seat)} has no card ${where}.`;
  const shown = cards.map(card => (card === "?" ? "a face-down card" : isDown(card) ? `${bare(card)} face down` : card)).join(", ");
  const known = cards.includes("?") ? "" : `; this is ${handWords(category(cards.map(bare)))}`;
  return `${nameOf(names, seat)} ${where}: ${shown}${known}.`;
}

// ---- Pieces that move: one flat layer, always in the same order, so that no element has to be put elsewhere while it glides

function pieces(view, names, layout, events) {
  const found = [...rowCards(view, names, layout, events), ...handCards(view, names, layout, events), ...discarded(view, layout, events)];
  const order = ({ attributes: { key } }) => {
    const at = CANONICAL.indexOf(key.split(":")[1]);
    return at < 0 ? CANONICAL.length : at;
  };
  found.sort((a, b) => order(a) - order(b) || (a.attributes.key < b.attributes.key ? -1 : 1));
  return g({}, found, markers(view, names, layout));
}

function rowCards(view, names, layout, events) {
  const ridden = events.some(event => event.event === "limo_played");
  const rows = slotsOf(view).flatMap((_, slot) => range(seatsOf(view)).map(seat => ({ slot, seat, cards: rowOf(view, slot, seat) })));
  return rows.flatMap(({ slot, seat, cards }) => cards.slice(0, FULL_ROW).map((shown, place) => {
    const { at, turn } = placeOf(layout, slot, seat, place);
    const own = view.you === seat;
    const hidden = shown === "?";
    const name = bare(shown);
    const picture = hidden ? centredBack(layout.card.w, layout.card.h, "other") : front(name, layout.card, isDown(shown));
    const turned = g({ transform: `rotate(${round(turn)})` }, picture);
    const words = hidden ? `A face-down card of ${nameOf(names, seat)}; only this seat knows it.`
      : `${capital(cardWords(name))} of ${nameOf(names, seat)}${isDown(shown) ? ", face down: the other seats do not know it" : ""}.`;
    return g({
      key: hidden ? `hidden:${slot}:${seat}:${place}` : `card:${name}`, at, state: isDown(shown) ? "down" : "up", trail: !hidden && !ridden,
      spot: rowSpot(view, slot, seat), tip: words,
    }, own && !hidden ? g({ spot: `card:${name}`, tip: words }, turned) : turned);
  }));
}

function handCards(view, names, layout, events) {
  const fresh = new Set(events.map(whole).filter(({ event }) => event === "drawn" || event === "bribed").map(({ card }) => card));
  return layout.hands.flatMap(box => {
    const held = heldBy(view, box.seat) ?? [];
    const left = box.x + (box.single ? (layout.narrow ? 6 : 108) : 28);
    const room = box.x + box.w - 6 - left;
    const step = Math.min(box.card.w + 4, held.length > 1 ? (room - box.card.w) / (held.length - 1) : room);
    const start = box.single ? left + (room - step * (held.length - 1)) / 2 : left + box.card.w / 2;
    const cy = box.y + box.h / 2 + (box.single && layout.narrow ? 9 : 0);
    return held.map((name, n) => g({
      key: isSpecial(name) ? `held:${name}:${box.seat}:${n}` : `card:${name}`, at: [round(start + n * step), round(cy)], class: "cp-held",
      spot: view.you === box.seat ? `card:${name}` : null, tip: heldTip(name, box.seat, view, names),
    }, front(name, box.card), fresh.has(name) ? freshFrame(box.card) : null));
  });
}

const freshFrame = ({ w, h }) => rect(round(-w / 2 - 1.5), round(-h / 2 - 1.5), round(w + 3), round(h + 3),
  { rx: round(w * 0.12), class: "cp-fresh" });

function heldTip(name, seat, view, names) {
  const owner = view.you === seat ? "your hand" : `the hand of ${nameOf(names, seat)}`;
  return `${capital(cardWords(name))} in ${owner}${isSpecial(name) ? `: ${SPECIALS[name].effect}` : ""}.`;
}

// Every discarded card has its own place in a table of colours and values: so it is seen at once what is gone.
function discarded(view, layout, events) {
  const { special, cell: [width, h] } = layout.discard;
  const shot = new Set(events.filter(({ event }) => event === "liquidated").map(({ card }) => card));
  const seen = {};
  return (view.discard ?? []).map(name => {
    const nth = seen[name] = (seen[name] ?? -1) + 1;
    const at = discardPlace(layout, name, nth);
    const w = isSpecial(name) ? special : width;
    return g({
      key: isSpecial(name) ? `thrown:${name}:${nth}` : `card:${name}`, at, spot: `discard:${name}`, trail: shot.has(name),
      tip: `${capital(cardWords(name))} lies in the discard.`,
    },
    rect(round(-w / 2 + 1), round(-h / 2 + 1), w - 2, h - 2, { rx: 3, class: `cp-card cp-card-${isSpecial(name) ? "special" : name[0]}` }),
    isSpecial(name)
      ? [text(-w / 2 + 4, 4, layout.narrow ? "" : name, { class: "cp-value", "font-size": 11 }),
        icon(name, layout.narrow ? 0 : w / 2 - 11, 0, 15)]
      : text(0, 4.3, name.slice(1), { class: "cp-value", "font-size": 12.5, "text-anchor": "middle" }));
  });
}

function discardPlace(layout, name, nth = 0) {
  const { x, y, left, top, side, special, cell: [w, h] } = layout.discard;
  if (!isSpecial(name)) return [round(x + left + (Number(name.slice(1)) - 0.5) * w), round(y + top + (COLOURS.indexOf(name[0]) + 0.5) * h)];
  const at = Object.keys(SPECIALS).indexOf(name);
  if (side) return [round(x + left + VALUES * w + 12 + (nth + 0.5) * special), round(y + top + (at + 0.5) * h)];
  return [round(x + left + (at * 2 + nth + 0.5) * w), round(y + top + 5.5 * h)];
}

function markers(view, names, layout) {
  return slotsOf(view).flatMap((_, slot) => marksOf(view, slot).map(seat => {
    const box = layout.blocks[slot];
    const { x, y, h } = box.lanes[seat];
    const at = box.gutter ? [x + 11, y + h / 2 + 11] : [box.columns[FULL_ROW - 1] + layout.card.w / 2 + 11, y + h / 2];
    const tip = `Shootout marker of ${nameOf(names, seat)}: when its next turn begins, there is a shootout at business ${slot + 1}.`;
    return g({ key: `marker:${slot}:${seat}`, at: at.map(round), tip }, flash(0, 0, box.gutter ? 9 : 11));
  }));
}

// ---- Hands, deck, pile, discard

function handPanels(view, names, layout) {
  return layout.hands.map(({ seat, x, y, w, h, single }) => g({},
    rect(x, y, w, h, { rx: 8, class: `cp-panel${(view.to_act ?? []).includes(seat) ? " cp-acts" : ""}` }),
    single ? ownTitle(view, seat, x, y, h, layout.narrow) : seatMark(seat, x + 15, y + h / 2, 9,
      { tip: `The hand of ${nameOf(names, seat)}.` })));
}

function ownTitle(view, seat, x, y, h, narrow) {
  const count = heldBy(view, seat).length;
  const tip = `Your hand. At the end of a turn it may have at most ${HAND_LIMIT} cards.`;
  if (narrow) return g({ tip }, text(x + 10, y + 15, `Your hand: ${count} of ${HAND_LIMIT}`, { class: "cp-soft", "font-size": 12 }));
  return g({ tip }, seatMark(seat, x + 22, y + h / 2 - 14, 11),
    text(x + 38, y + h / 2 - 9, "Your hand", { class: "cp-strong", "font-size": 14 }),
    text(x + 14, y + h / 2 + 16, `${count} of ${HAND_LIMIT} cards`, { class: "cp-soft", "font-size": 12.5 }));
}

function supplies(view, layout) {
  const { deck, pile, pass, chips, label, box } = layout.supply;
  return g({},
    rect(box.x, box.y, box.w, box.h, { rx: 8, class: "cp-panel" }),
    g({ spot: "deck", tip: `The deck: ${plural(view.deck ?? 0, "card")} to come. When it is empty, the discard becomes the deck.` },
      stack(deck, view.deck ?? 0), text(deck.x, box.y + label, `Deck ${view.deck ?? 0}`,
        { class: "cp-strong", "font-size": 13, "text-anchor": "middle" })),
    g({ tip: `The pile: ${plural(view.pile ?? 0, "business tile")} to come, face down.` },
      stack(pile, view.pile ?? 0), text(pile.x, box.y + label, `Tiles ${view.pile ?? 0}`,
        { class: "cp-strong", "font-size": 13, "text-anchor": "middle" })),
    passPlate(view, pass),
    markersLeft(view, chips));
}

// A stack looks as high as it is: an edge for about every twelve cards.
function stack({ x, y, w, h }, count) {
  if (!count) return rect(x - w / 2, y - h / 2, w, h, { rx: round(w * 0.09), class: "cp-place cp-place-U" });
  const under = Math.min(4, Math.ceil(count / 12));
  return range(under).reverse().map(n => g({ transform: `translate(${round(x - w / 2 + n * 1.8)} ${round(y - h / 2 + n * 1.8)})` },
    back(w, h, "none")));
}

function passPlate(view, { x, y, w, h }) {
  const sends = view.phase === "reinforce";
  return g({ spot: "pass", tip: sends ? "Send no gangster." : "Pass: end the turn and give up the actions that are left." },
    rect(x, y, w, h, { rx: 7, class: "cp-button" }),
    text(x + w / 2, y + h / 2 + 4.5, sends ? "Send none" : "Pass", { class: "cp-strong", "font-size": 13, "text-anchor": "middle" }));
}

// How many shootout markers are left, if they can run out.
function markersLeft(view, { x, y }) {
  if (view.options?.markers !== "supply") return null;
  const used = slotsOf(view).reduce((sum, _, slot) => sum + marksOf(view, slot).length, 0);
  const left = (view.options.edition === "fr" ? slotsOf(view).length : 4) - used;
  return g({ tip: `${plural(left, "shootout marker")} left. A row of five takes one as long as there are any.` },
    flash(x + 10, y, 10), text(x + 25, y + 5, `${left} left`, { class: "cp-strong", "font-size": 13 }));
}

function discardTable(view, layout) {
  const { x, y, w, h, left, top, cell: [cw, ch], side } = layout.discard;
  const count = (view.discard ?? []).length;
  const specials = view.options?.specials !== "no";
  const head = { class: "cp-soft", "font-size": 11, "text-anchor": "middle" };
  return g({ spot: "discard", tip: `The discard: ${plural(count, "card")}, open to all. A place is filled when its card is here.` },
    rect(x, y, w, h, { rx: 8, class: "cp-panel" }),
    text(side ? x + w - 10 : x + 10, y + 16, `Discard ${count}`,
      { class: "cp-strong", "font-size": 13, "text-anchor": side ? "end" : "start" }),
    range(VALUES).map(n => text(round(x + left + (n + 0.5) * cw), y + top - 6, n + 1, head)),
    [...COLOURS].map((colour, n) => gangster(colour, x + left / 2 + 1, round(y + top + (n + 0.5) * ch + 1), 6.5)),
    [...COLOURS].flatMap(colour => range(VALUES).map(n => emptyCell(layout, `${colour}${n + 1}`))),
    specials ? [...Object.keys(SPECIALS).map(name => emptyCell(layout, name)), emptyCell(layout, "PR", 1)] : null);
}

function emptyCell(layout, name, nth = 0) {
  const [cx, cy] = discardPlace(layout, name, nth);
  const { special, cell: [width, h] } = layout.discard;
  const w = isSpecial(name) ? special : width;
  const ground = rect(round(cx - w / 2 + 1), round(cy - h / 2 + 1), w - 2, h - 2, { rx: 3, class: "cp-cell" });
  return isSpecial(name) ? g({}, ground, icon(name, cx, cy, 14, { class: "cp-icon cp-faint" })) : ground;
}

// ---- What happened in the last step

function happenings(view, names, layout, events) {
  const all = events.map(whole);
  const of = name => all.filter(({ event }) => event === name);
  return g({ class: "cp-overlay" },
    of("liquidated").map(event => liquidation(event, view, layout)),
    of("raided").map(event => raid(event, view, layout)),
    of("limo_played").map(event => ride(event, layout)),
    layout.narrow ? null : all.filter(({ event }) => event === "drawn" || event === "bribed").map(event => taken(event, layout)),
    of("reshuffled").map(() => chip(layout.supply.deck.x, layout.supply.deck.y, "shuffled", "event", 11)),
    view.fight ? standoff(view, layout) : null,
    shootouts(all).map(fight => shootout(fight, view, layout)));
}

// What each seat did that is seen nowhere else, in a word or two.
function deeds(events) {
  const found = {};
  for (const { event, seat } of events) {
    const words = { passed: "pass", drawn: "draw", bribed: "bribe", revolver_played: "RV +2" }[event];
    if (words) found[seat] = words;
  }
  return found;
}

const rowMiddle = (layout, slot, seat) => {
  const { lanes, columns } = layout.blocks[slot];
  return [columns[2], lanes[seat].y + lanes[seat].h / 2];
};

// The place of a card that was shot, behind the row as it is now.
function liquidation({ slot, target, card }, view, layout) {
  if (!layout.blocks[slot - 1]?.lanes[target]) return null;
  const place = Math.min(rowOf(view, slot - 1, target).length, FULL_ROW - 1);
  const { at: [x, y] } = placeOf(layout, slot - 1, target, place);
  const { w, h } = layout.card;
  return g({ tip: `${capital(cardWords(String(card)))} was removed from here by a Liquidation.` },
    g({ transform: `translate(${x} ${y})`, class: "cp-gone" }, card && card !== "?" ? front(card, { w, h }) : null),
    icon("LQ", x, y, Math.min(w, 44), { class: "cp-icon cp-hot" }));
}

function raid({ seat, slot, target, cards }, view, layout) {
  if (!layout.blocks[slot - 1]?.lanes[target]) return null;
  const { x, y, w, h } = layout.blocks[slot - 1].lanes[target];
  const found = Object.entries(cards ?? {}).filter(([place]) => place >= 1 && place <= FULL_ROW);
  return g({ tip: "A Police Raid: the raider has seen the face-down cards of this row." },
    rect(x + 2, y + 1.5, w - 4, h - 3, { rx: 6, class: "cp-raided" }),
    found.map(([place, card]) => {
      const { at, turn } = placeOf(layout, slot - 1, target, place - 1);
      const { w: cw, h: ch } = layout.card;
      const tip = `${capital(cardWords(card))}: the raid showed it to the raider alone.`;
      return g({ transform: `translate(${at[0]} ${at[1]}) rotate(${round(turn)})`, spot: rowSpot(view, slot - 1, target), tip },
        front(card, layout.card, true),
        rect(round(-cw / 2 - 1), round(-ch / 2 - 1), round(cw + 2), round(ch + 2), { rx: 4, class: "cp-secret" }));
    }),
    circle(x + w - 13, y + 6, 11, { class: "cp-badge" }), icon("PR", x + w - 13, y + 6, 17), seatMark(seat, x + w - 33, y + 5, 8));
}

function ride({ seat, from, to, put = [] }, layout) {
  if (!layout.blocks[from - 1] || !layout.blocks[to - 1]) return null;
  const [start, end] = [rowMiddle(layout, from - 1, seat), rowMiddle(layout, to - 1, seat)];
  const upright = Math.abs(start[0] - end[0]) < 10;
  const middle = upright ? [start[0] + 40, (start[1] + end[1]) / 2] : [(start[0] + end[0]) / 2, (start[1] + end[1]) / 2 - 14];
  const bend = upright ? (end[1] > start[1] ? 80 : -80) : end[0] > start[0] ? 28 : -28;
  return g({ tip: `A Limousine takes ${plural(put.length, "card")} from business ${from} to business ${to}.` },
    arrow(start, end, bend), circle(middle[0], middle[1], 15, { class: "cp-badge" }), icon("LM", middle[0], middle[1], 22));
}

// A line from the deck, or from the discard, to the hand of the seat.
function taken({ event, seat, card }, layout) {
  if (!layout.plates[seat] || (event === "bribed" && card == null)) return null;
  const { deck } = layout.supply;
  const { discard } = layout;
  const from = event === "drawn" ? [deck.x, deck.y - deck.h / 2] : [discard.x + 12, discard.y + 4];
  const box = layout.hands[seat];
  const plate = layout.plates[seat];
  if (!box) return arrow(from, [plate.x + 100, plate.y + plate.h / 2 + 12]);
  return arrow(from, [box.x + (box.single ? 50 : 15), box.y + box.h / 2 + (box.single ? 26 : 14)]);
}

// The shootouts of a step: what their several events say, by slot.
function shootouts(events) {
  const found = new Map();
  const at = slot => found.get(slot) ?? found.set(slot, { slot, hands: [], categories: [], best: [], sent: {} }).get(slot);
  for (const event of events) {
    const { slot } = event;
    if (event.event === "deadlocked") at(slot).forced = true;
    if (event.event === "shootout_held") Object.assign(at(slot), { hands: event.hands, categories: event.categories, best: event.best });
    if (event.event === "reinforced") Object.assign(at(slot), { sent: event.sent, best: event.best });
    if (event.event === "lot_drawn") Object.assign(at(slot), { lot: true, best: [event.seat] });
    if (event.event === "captured") Object.assign(at(slot), { winner: event.seat, kind: event.kind, best: [event.seat] });
  }
  return [...found.values()];
}

// A shootout: all hands with their names, the best one lit, and who takes the tile.
function shootout(fight, view, layout) {
  const box = layout.blocks[fight.slot - 1];
  if (!box) return null;
  const seats = range(seatsOf(view)).filter(seat => fight.hands[seat]?.length || fight.sent[seat] !== undefined);
  return g({},
    rect(box.x, box.y, box.w, box.h, { rx: 9, class: "cp-fight" }),
    seats.map(seat => handInFight(fight, seat, view, layout)),
    seats.map(seat => nameInFight(fight, seat, view, layout)),
    ribbon(fight, box, layout.narrow));
}

// The cards of a seat in a shootout. They are in the discard already, so they are drawn once more where they lay.
function handInFight({ slot, hands, best, sent, winner }, seat, view, layout) {
  const { lanes, gutter } = layout.blocks[slot - 1];
  const lane = lanes[seat];
  const lit = best.includes(seat);
  const cleared = !rowOf(view, slot - 1, seat).length;
  const frame = winner === seat && cleared ? "cp-winner" : "cp-tied";
  return g({ class: lit ? "cp-lit-hand" : "cp-lost-hand" },
    cleared ? rect(lane.x + gutter + 2, lane.y + 2, lane.w - gutter - 4, lane.h - 4, { rx: 6, class: "cp-cover" }) : null,
    lit ? rect(lane.x + 2, lane.y + 1.5, lane.w - 4, lane.h - 3, { rx: 6, class: frame }) : null,
    lit && gutter ? seatMark(seat, lane.x + 11, lane.y + lane.h / 2 - 9, 7.5) : null,
    cleared ? pastCards(slot, seat, hands[seat] ?? [], sent[seat], view, layout) : null);
}

function pastCards(slot, seat, cards, reinforcement, view, layout) {
  // The hand's name lies under its cards, so these are a little smaller than they were where there is room for that.
  const size = layout.narrow ? layout.card : { w: layout.card.w * 0.8, h: Math.min(layout.card.h * 0.78, layout.card.h - 11) };
  const rise = layout.narrow ? 1 : 7;
  const past = (card, place, tip) => {
    const { at, turn } = placeOf(layout, slot - 1, seat, place);
    const transform = `translate(${at[0]} ${round(at[1] - rise)}) rotate(${round(turn)})`;
    // A click on it means the row below: it is drawn over places where people play.
    return g({ class: "cp-past", transform, spot: rowSpot(view, slot - 1, seat), tip }, front(card, size));
  };
  return [
    cards.slice(0, FULL_ROW).map((card, place) => past(card, place,
      `${capital(cardWords(card))} was in this shootout and is discarded now.`)),
    reinforcement ? past(reinforcement, 2, `${capital(cardWords(reinforcement))} was sent as a reinforcement and is discarded now.`) : null,
  ];
}

function nameInFight({ slot, categories, best, sent }, seat, view, layout) {
  const lane = layout.blocks[slot - 1].lanes[seat];
  const cleared = !rowOf(view, slot - 1, seat).length;
  const words = sent[seat] === undefined ? handWords(categories[seat]) : `sends ${sent[seat] ?? "none"}`;
  const up = layout.narrow ? 4 : cleared ? 11 : 6;
  return chip(rowMiddle(layout, slot - 1, seat)[0], lane.y + lane.h - up, words, best.includes(seat) ? "lit" : "plain",
    layout.narrow ? 11.5 : 12.5);
}

// What came of it, on the upper edge of the business.
function ribbon({ winner, kind, forced, sent, lot }, box, narrow) {
  const cause = lot ? "By lot" : Object.keys(sent).length ? "Reinforced" : forced ? "Forced shootout" : "Shootout";
  const words = winner == null ? `${cause}:` : cause;
  const length = widthOf(words, 13);
  const width = length + (winner == null ? 52 : 96);
  const left = box.x + box.w / 2 - width / 2;
  const y = box.y - (narrow ? 11 : 7);
  return g({ class: "cp-ribbon" },
    rect(round(left), y - 12, round(width), 24, { rx: 12, class: "cp-ribbon-ground" }),
    text(round(left + 14), y + 4.5, words, { class: "cp-ribbon-text", "font-size": 13 }),
    winner == null
      ? text(round(left + length + 18), y + 4.5, "tie", { class: "cp-ribbon-text", "font-size": 13 })
      : [seatMark(winner, round(left + length + 30), y, 9),
        path(`M${round(left + length + 45)} ${y}h12m-4 -4l4 4l-4 4`, { class: "cp-ribbon-line" }),
        g({ class: "cp-on-ribbon" }, icon(kind, round(left + length + 73), y, 19))]);
}

// While a tie waits for reinforcements, its hands stay named.
function standoff(view, layout) {
  const { slot, tied = [] } = view.fight;
  if (!layout.blocks[slot - 1]) return null;
  return tied.map(seat => {
    const lane = layout.blocks[slot - 1].lanes[seat];
    const cards = rowOf(view, slot - 1, seat).map(bare);
    const [cx] = rowMiddle(layout, slot - 1, seat);
    const known = cards.length && !cards.includes("?");
    return g({}, rect(lane.x + 2, lane.y + 1.5, lane.w - 4, lane.h - 3, { rx: 6, class: "cp-tied" }),
      known ? chip(cx, lane.y + lane.h - 6, handWords(category(cards)), "lit", layout.narrow ? 11.5 : 12.5) : null);
  });
}

// ---- The board

export const board = {
  size(view, { narrow }) {
    const { width, height } = layoutOf(view ?? {}, narrow);
    return [width, round(height)];
  },

  draw(position, { events = [], names = [], narrow = false }) {
    const view = position ?? {};
    const layout = layoutOf(view, narrow);
    const happened = deeds(events);
    return g({ class: "cp-board" },
      rect(0, 0, layout.width, round(layout.height), { rx: 12, class: "cp-table" }),
      headline(view, names, layout),
      facingKey(layout),
      slotsOf(view).map((_, slot) => business(view, slot, names, layout)),
      layout.order.map(seat => plate(view, seat, names, layout, happened)),
      handPanels(view, names, layout),
      supplies(view, layout),
      discardTable(view, layout),
      pieces(view, names, layout, events),
      happenings(view, names, layout, events));
  },

  // The card comes first, then where it goes. A special card that is thrown away goes to the discard.
  spots(view, action) {
    const [verb, ...rest] = String(action).split(" ");
    const row = () => `row:${rest[0]}:${rest[1]?.slice(1)}`;
    switch (verb) {
      case "draw": return ["deck"];
      case "pass": return ["pass"];
      case "play": return [`card:${rest[0]}`, `business:${rest[1]}`];
      case "shootout": return [`business:${rest[0]}`];
      case "send": return rest[0] === "none" ? ["pass"] : [`card:${rest[0]}`];
      case "revolver": return ["card:RV"];
      case "liquidate": return ["card:LQ", rest[0] === "-" ? "discard" : row()];
      case "raid": return ["card:PR", rest[0] === "-" ? "discard" : row()];
      case "bribe": return ["card:BR", rest[0] === "-" ? "discard" : `discard:${rest[0]}`];
      case "limo":
        if (rest[0] === "-") return ["card:LM", "discard"];
        return ["card:LM", ...rest.slice(1).map(card => `card:${card}`), `business:${rest[0].split(">")[1]}`];
      default: return [];
    }
  },

  legend(view) {
    const card = { w: 30, h: 41 };
    const cardEntry = (picture, meaning) => ({ picture: g({ transform: "translate(17 22)" }, picture), size: [34, 44], meaning });
    const iconEntry = (picture, meaning) => ({ picture, size: [28, 28], meaning });
    return [
      ...[..."RGBYP"].map((colour, n) => cardEntry(front(`${colour}${n + 7}`, card),
        `A ${PIECE_COLOURS[colour]} gangster with its value.`)),
      ...(view?.options?.specials === "no" ? [] : Object.entries(SPECIALS).map(([name, { name: words, effect }]) => cardEntry(front(name,
        card), `${words}: ${effect}.`))),
      cardEntry(front("B9", card, true), "A card that lies face down; its owner, or the referee, sees it."),
      cardEntry(centredBack(card.w, card.h, "other"), "A card that another seat knows, and you do not."),
      cardEntry(centredBack(card.w, card.h, "none"), "A card or tile that no seat knows."),
      ...Object.entries(KINDS).map(([kind, { name }]) => iconEntry(icon(kind, 14, 14, 26), `${capital(name)}: ${kindWords(kind)}.`)),
      iconEntry(glyph("U", 14, 14), "A place of a row where cards lie face up."),
      iconEntry(glyph("D", 14, 14), "A place of a row where cards lie face down."),
      iconEntry(flash(14, 14, 12), "Shootout marker on a row of five: the shootout is at the beginning of that seat's next turn."),
      iconEntry(cartridge(10, 6, true), "An action that must be taken in this turn."),
      iconEntry(cartridge(10, 6, false), "An action that may be taken in this turn."),
    ];
  },
};
