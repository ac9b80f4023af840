// The picture of Gangsters de Chicago: the city of six by six, what its lines paid, and what each seat has.

import { back, circle, corners, g, line, path, pieceShape, rect, round, seatMark, shortened, text } from "./scene.js";

const SIDE = 6;
const GANG_NAMES = { R: "red", B: "blue", Y: "yellow", G: "green" };
const KINDS = [..."RBYG"].flatMap(gang => [1, 2, 3].map(strength => `${gang}${strength}`));
const LINES = [..."123456abcdef"];
const COLUMNS = "abcdef";
const NUMBERS = ["no", "one", "two", "three", "four", "five", "six"];
// How much higher each tile of a pile lies than the one below it.
const THICKNESS = 1;

export const board = {
  size(view, { narrow } = {}) {
    const { width, height } = places(tidy(view), narrow);
    return [width, height];
  },

  draw(view, { events, names, narrow } = {}) {
    const table = tidy(view);
    const scene = { view: table, events: events ?? [], names: names ?? [], at: places(table, narrow), narrow: Boolean(narrow) };
    scene.paid = payments(table, scene.events);
    return g({ class: "gangsters" },
      headline(scene), city(scene), bands(scene), labels(scene), plates(scene), counts(scene),
      table.scores.map((_, seat) => seatCard(scene, seat)), neutralGangs(scene), market(scene), unseen(scene), order(scene),
      removed(scene), variants(scene), placing(scene), pieces(scene), ban(scene),
      placingHead(scene), moving(scene), shots(scene));
  },

  spots(view, action) {
    const table = tidy(view);
    const [verb, ...words] = String(action).split(" ");
    switch (verb) {
      case "own": return [`own:${table.active}:${words[0]}`, `cell:${words[1]}`];
      case "common": return [`common:${words[0]}`, `cell:${words[1]}`, ...(words[3] ? [`pile:${words[3]}`] : [])];
      case "draw": return [`pile:${words[0]}`];
      case "blind": return [`pile:${words[0]}`, `cell:${words[1]}`];
      case "put": return [`cell:${words[0]}`];
      case "move": return [`cell:${words[0]}`, `cell:${words[1]}`];
      // The cartridge comes first, since a click on the tile alone would begin a move.
      case "shoot": return [`cartridge:${table.active}`, `cell:${words[0]}`];
      case "first": return [`line:${words[0]}`];
      default: return [];
    }
  },

  legend(view) {
    return legendOf(tidy(view));
  },
};

// A view without gaps, so that the drawing need not ask what is missing.
function tidy(view) {
  const given = Object.fromEntries(Object.entries(view ?? {}).filter(([, value]) => value != null));
  const scores = given.scores ?? [];
  const each = value => scores.map(() => value);
  return {
    you: null, turn: null, decisions: null, phase: "", active: null, to_act: [], quiet: 0, quiet_limit: null, barred: false, ban: null,
    board: Array(SIDE * SIDE).fill(""), complete: [], scores, reached: each(0), cartridges: each(0), reserves: each([]), common: [],
    piles: [], unseen: {}, drawn: null, drawn_from: null, pending: [], withdrawn: [], removed: [], ranking: null, reason: null,
    gangs: [], neutral: [], tiles: null, ...given, options: given.options ?? {},
  };
}

// ---- Where everything is ----

// Few seats leave more room beside the city: heights of cards, and sizes of tiles in reserves, open, and in piles.
const PANELS = {
  2: { card: 132, slot: 52, open: 72, pile: 56, air: 22 },
  3: { card: 114, slot: 46, open: 66, pile: 52, air: 19 },
  4: { card: 100, slot: 37, open: 58, pile: 46, air: 10 },
};

function places(view, narrow) {
  const at = narrow
    ? { width: 384, head: [6, 4], headWidth: 374, grid: [18, 88], cell: 52, tile: 45, plateRow: [42, 32], plateColumn: [48, 28], gap: 6,
        strip: [5, 28], panel: [5, 374], columns: 2, card: 94, slot: 29, open: 52, pile: 42, kind: 22 }
    : { width: 984, head: [10, 8], headWidth: 628, grid: [34, 84], cell: 88, tile: 74, plateRow: [66, 42], plateColumn: [74, 34], gap: 10,
        strip: [10, 34], panel: [662, 314], columns: 1, kind: 24, ...PANELS[view.scores.length] ?? PANELS[4] };
  // Three piles and more take room from the common tiles.
  if (view.piles.length > 2) at.open = Math.min(at.open, 56);
  at.pile = Math.min(at.pile, Math.floor((at.panel[1] - 2 * (at.open + 8) - 16) / Math.max(1, view.piles.length)) - 6);
  const side = SIDE * at.cell;
  at.side = side;
  at.columnPlatesY = at.grid[1] + side + at.gap;
  at.stripY = at.columnPlatesY + at.plateColumn[1] + (narrow ? 6 : 10);
  const [x, width] = at.panel;
  let y = narrow ? at.stripY + at.strip[1] + 8 : 8;
  const cardWidth = (width - 6 * (at.columns - 1)) / at.columns;
  at.cards = view.scores.map((_, seat) => ({
    x: x + (seat % at.columns) * (cardWidth + 6), y: y + Math.floor(seat / at.columns) * (at.card + 7), width: cardWidth, height: at.card,
  }));
  y += Math.ceil(view.scores.length / at.columns) * (at.card + 7);
  const next = (height, wanted = true) => {
    const top = y;
    if (wanted) y += height + (at.air ?? 4);
    return wanted ? { x, y: top, width } : null;
  };
  // On a phone three cards leave a place for the neutral gangs.
  const isStacked = at.columns === 2 && view.scores.length === 3;
  const gap = { x: x + cardWidth + 16, y: y - at.card, width: cardWidth, isStacked };
  at.neutral = isStacked ? gap : next(26, view.neutral.length > 0);
  at.market = next(18 + marketHeight(view, at) + 22);
  at.unseen = next(62);
  at.order = next(20 + 22 * view.piles.length * rowsOfPile(tallest(view), width), Boolean(view.tiles));
  at.removed = next(44, view.removed.length > 0);
  at.variants = variantLines(view, width);
  at.variantsAt = next(18 + 15 * at.variants.length, at.variants.length > 0);
  at.height = Math.max(y, at.stripY + at.strip[1]) + 8;
  return at;
}

const cellName = number => `${COLUMNS[number % SIDE]}${Math.floor(number / SIDE) + 1}`;
const cellNumber = name => (Number(name?.[1]) - 1) * SIDE + COLUMNS.indexOf(name?.[0]);

function cellAt(at, name) {
  const number = cellNumber(name);
  return [at.grid[0] + (number % SIDE + 0.5) * at.cell, at.grid[1] + (Math.floor(number / SIDE) + 0.5) * at.cell];
}

// The middle of a place in the reserve of a seat; the fourth is for a tile that it has just drawn.
function slotAt(at, seat, strength) {
  const card = at.cards[seat];
  return [card.x + 14 + at.slot / 2 + (strength - 1) * (at.slot + (strength > 3 ? 6 : 4)), card.y + card.height - 12 - at.slot / 2];
}

// How many tiles a pile has at first, at most: the layout stays as it is while the piles shrink.
const tallest = view => Math.ceil((36 - 3 * view.scores.length) / Math.max(1, view.piles.length));
const marketHeight = (view, at) => Math.max(at.open, at.pile + THICKNESS * tallest(view)) + 4;
const marketFloor = (at, view) => at.market.y + 18 + marketHeight(view, at);
const openAt = (at, view, index) => [at.market.x + at.open / 2 + 2 + index * (at.open + 8), marketFloor(at, view) - at.open / 2];

function pileAt(at, view, pile, height) {
  const left = at.market.x + 2 * (at.open + 8) + 16;
  const step = Math.min(at.pile + 16, (at.market.x + at.market.width - left) / Math.max(1, view.piles.length));
  return [left + step * (pile - 0.5), marketFloor(at, view) - at.pile / 2 - THICKNESS * Math.max(0, height - 1)];
}

const isRow = name => name >= "1" && name <= "6";
const lineWords = name => (isRow(name) ? `row ${name}` : `column ${name}`);
const capital = words => words.charAt(0).toUpperCase() + words.slice(1);

function cellsOf(name) {
  const index = isRow(name) ? Number(name) - 1 : COLUMNS.indexOf(name);
  return Array.from({ length: SIDE }, (_, n) => (isRow(name) ? index * SIDE + n : n * SIDE + index));
}

// ---- Words ----

const nameOf = (scene, seat, most = 24) => shortened(scene.names[seat] ?? `Seat ${seat}`, most);
const gangOf = tile => String(tile)[0];
const strengthOf = tile => Number(String(tile)[1]) || 0;
const tileWords = tile => `${GANG_NAMES[gangOf(tile)] ?? gangOf(tile)} ${strengthOf(tile)}`;
const count = (number, noun) => `${number} ${noun}${number === 1 ? "" : "s"}`;
const happened = (scene, kind) => scene.events.filter(event => event?.event === kind);
const label = (x, y, words, size, look = "", anchor = "start") =>
  text(round(x), round(y), words, { class: look, "font-size": size, "text-anchor": anchor });
// How wide letters are, about: there is nothing to measure them with.
const wideBold = (words, size) => wide(words, size) * 1.13;
const wide = (words, size) => [...String(words)].length * size * 0.61;

function wrapped(words, width, size) {
  const lines = [];
  for (const word of words.split(" ")) {
    const longer = lines.length ? `${lines.at(-1)} ${word}` : word;
    if (lines.length && wide(longer, size) <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

// ---- What lines pay ----

// Section 4 of the rules: the best gang that is alone with its total gets the difference to the next lower one.
function settle(tiles, options, ignored) {
  const totals = {};
  for (const tile of tiles) if (!ignored.includes(gangOf(tile))) totals[gangOf(tile)] = (totals[gangOf(tile)] ?? 0) + strengthOf(tile);
  const present = Object.values(totals).sort((one, other) => other - one);
  const alone = present.filter(total => present.indexOf(total) === present.lastIndexOf(total));
  if (!alone.length) return { totals, winner: null, points: 0 };
  const lower = options.tie_below === "cancels" ? alone.slice(1) : present.filter(total => total < alone[0]);
  const winner = Object.keys(totals).find(gang => totals[gang] === alone[0]);
  return { totals, winner, points: alone[0] - (lower[0] ?? 0) };
}

// The gangs that never had a seat.
const unled = view => Object.keys(GANG_NAMES).filter(gang => !view.gangs.includes(gang));
const ignoredNow = view => (view.options.neutral === "ignored" ? view.neutral : []);
const liveTiles = (view, name) => cellsOf(name).map(cell => view.board[cell]).filter(code => code && !code.endsWith("x"));

// A result of a line: who won, what the seat got, and which of its tiles that are dead now were alive, or dead, at the count.
const UNCOUNTED = { counted: false, winner: null, seat: null, points: 0, alive: [], dead: [] };

// What each complete line paid: its name -> the possible results, mostly one. A view has no record of payments. Tiles of
// complete lines stay, but one of them may have been shot after the count, or a seat may have left; the scores decide between
// the possibilities as far as they can. What the last events say is certain.
function payments(view, events) {
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
  const search = (rest, chosen, { scores, reached, paid, dead }) => {
    if (patience-- <= 0) return;
    if (!rest.length) {
      if (same(scores, view.scores) && same(reached, view.reached)) chosen.forEach(([name, result]) => fitting.get(name).add(result));
      return;
    }
    // Two lines that one tile completes, row and column, stand in this order but may have been counted in the other.
    const mayCome = isRow(rest[0]) && rest.length > 1 && !isRow(rest[1]) ? [0, 1] : [0];
    for (const turn of mayCome) {
      const [name, ...others] = turn ? [rest[1], rest[0], ...rest.slice(2)] : rest;
      for (const result of possible.get(name)) {
        const then = { scores: [...scores], reached: [...reached], paid, dead: [...dead, ...result.dead] };
        if (result.seat !== null) {
          then.scores[result.seat] += result.points;
          then.reached[result.seat] = ++then.paid;
        }
        // No seat was paid more than it has, or later than at the count that brought it there.
        const isWrong = view.scores.some((points, seat) => then.scores[seat] > points || then.reached[seat] > view.reached[seat]
          || (then.paid >= view.reached[seat] && then.scores[seat] < points));
        if (!isWrong && !result.alive.some(cell => dead.includes(cell))) search(others, [...chosen, [name, result]], then);
      }
    }
  };
  const zeros = view.scores.map(() => 0);
  search(names, [], { scores: zeros, reached: zeros, paid: 0, dead: [] });
  // A search that was given up proves nothing.
  if (patience < 0) return possible;
  return new Map(names.map(name => [name, fitting.get(name).size ? [...fitting.get(name)] : possible.get(name)]));
}

const same = (one, other) => one.every((value, index) => value === other[index]);

function resultWords(scene, { counted, winner, seat, points }) {
  if (!counted) return "it was not counted";
  if (winner === null) return "it paid no gang";
  if (seat === null) return `the ${GANG_NAMES[winner]} gang won ${count(points, "point")}, which no seat got`;
  return `it paid ${count(points, "point")} to ${nameOf(scene, seat)}, the ${GANG_NAMES[winner]} gang`;
}

// ---- The tiles ----

// A tile with its middle at (0, 0). A live gangster wears a hat; strength is the number of pips, and their shape is the gang's.
function tile(code, size) {
  const gang = gangOf(code);
  const isDead = code.endsWith("x");
  const isSmall = size < 32;
  const half = size / 2;
  const body = look => rect(-half, -half, size, size, { rx: round(size * 0.13), class: look });
  return g({ class: `gang-${gang}${isSmall ? " gang-small" : ""}` },
    isSmall ? null : rect(-half + 1, -half + 2.5, size, size, { rx: round(size * 0.13), class: "gang-shadow" }),
    isDead ? [body("gang-dead"), body("gang-dead-tint")] : body("gang-tile"),
    isSmall || isDead ? null : hat(size),
    pips(gang, strengthOf(code), size, isSmall, isDead),
    isDead ? cross(size) : null);
}

function hat(size) {
  const unit = size / 80;
  const points = numbers => numbers.map((number, n) => round((n % 2 ? number - 5 : number) * unit)).join(" ");
  return g({},
    path(`M${points([-15, -9])}C${points([-14, -22, -11, -30, -6, -29])}C${points([-3, -28, -2, -26, 1, -26])}`
      + `C${points([4, -26, 5, -29, 8, -28])}C${points([12, -26, 14, -18, 15, -9])}Z`, { class: "gang-hat" }),
    path(`M${points([-28, -11])}C${points([-20, -5, 20, -5, 28, -11])}C${points([24, -1, -24, -1, -28, -11])}Z`, { class: "gang-hat" }),
    path(`M${points([-14.6, -14])}C${points([-8, -10.5, 8, -10.5, 14.6, -14])}L${points([14.9, -10.5])}`
      + `C${points([8, -7, -8, -7, -14.9, -10.5])}Z`, { class: "gang-ribbon" }));
}

function pips(gang, strength, size, isSmall, isDead) {
  const step = size * 0.3;
  const y = isSmall ? 0 : size * 0.22;
  const look = isDead ? "gang-dead-pip" : "gang-pip";
  const r = size * (isSmall ? 0.135 : 0.125);
  return Array.from({ length: strength }, (_, n) => shape(gang, (n - (strength - 1) / 2) * step, y, r, look));
}

// The shape of a gang; scene.js also colours it, but here the class decides.
function shape(gang, x, y, r, look) {
  const drawn = pieceShape(gang, round(x), round(y), round(r), {});
  drawn.attributes.class = look;
  return drawn;
}

function cross(size) {
  const far = size * 0.33;
  return g({},
    line(-far, -far, far, far, { class: "gang-cross" }), line(-far, far, far, -far, { class: "gang-cross" }),
    circle(0, 0, round(size * 0.085), { class: "gang-hole" }));
}

function faceDown(size) {
  return g({ transform: `translate(${-size / 2} ${-size / 2})` }, back(size, size, "none"));
}

const gangBadge = (gang, x, y, r, look = "gang-shape") => g({ class: `gang-${gang}` }, shape(gang, x, y, r, look));

// ---- The headline ----

function headline(scene) {
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

const winnersOf = view => (view.ranking ?? []).flatMap((rank, seat) => (rank === 1 ? [seat] : []));

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

// ---- The city ----

function city({ view, at }) {
  const inset = at.cell > 60 ? 3 : 2;
  const [x, y] = at.grid;
  return g({},
    rect(x - 4, y - 4, at.side + 8, at.side + 8, { rx: 8, class: "gang-city" }),
    view.board.map((code, number) => {
      const name = cellName(number);
      const [cx, cy] = cellAt(at, name);
      // A tile has the name of its cell itself, and lies above it.
      const place = code ? {} : { spot: `cell:${name}`, tip: `Cell ${name} is free.` };
      const size = at.cell - 2 * inset;
      return g(place, rect(cx - size / 2, cy - size / 2, size, size, { rx: 6, class: "gang-cell" }));
    }));
}

// The shade of complete lines, in the colour of the gang that won them.
function bands(scene) {
  const { view, at, paid } = scene;
  const [x, y] = at.grid;
  const rim = at.cell > 60 ? 2.5 : 1.5;
  return g({}, view.complete.map(name => {
    const index = isRow(name) ? Number(name) - 1 : COLUMNS.indexOf(name);
    const [left, top] = isRow(name) ? [x, y + index * at.cell] : [x + index * at.cell, y];
    const [width, height] = isRow(name) ? [at.side, at.cell] : [at.cell, at.side];
    const winner = onlyOne(paid.get(name))?.winner;
    const look = view.pending.includes(name) ? "gang-band-pending" : "gang-band";
    return g({ class: winner ? `gang-${winner}` : "" },
      rect(left + rim, top + rim, width - 2 * rim, height - 2 * rim, { rx: 7, class: look }));
  }));
}

const onlyOne = results => (results?.length === 1 ? results[0] : null);

function labels({ view, at }) {
  const [x, y] = at.grid;
  const size = at.cell > 60 ? 15 : 12;
  return g({}, LINES.map(name => {
    const look = view.complete.includes(name) ? "gang-strong" : "gang-soft";
    const index = isRow(name) ? Number(name) - 1 : COLUMNS.indexOf(name);
    return isRow(name) ? label(x - size * 0.5 - 5, y + (index + 0.5) * at.cell + size * 0.36, name, size, look, "middle")
      : label(x + (index + 0.5) * at.cell, y - size * 0.6, name, size, look, "middle");
  }));
}

// ---- What lines paid, at their ends ----

function plates(scene) {
  return g({}, LINES.map(name => {
    const { at, view } = scene;
    const [width, height] = isRow(name) ? at.plateRow : at.plateColumn;
    const index = isRow(name) ? Number(name) - 1 : COLUMNS.indexOf(name);
    const middle = isRow(name) ? [at.grid[0] + at.side + at.gap + width / 2, at.grid[1] + (index + 0.5) * at.cell]
      : [at.grid[0] + (index + 0.5) * at.cell, at.columnPlatesY + height / 2];
    const isComplete = view.complete.includes(name);
    const isPending = view.pending.includes(name);
    // The ring says that a line was counted; a state would make a second mark.
    return g({ key: `line:${name}`, at: middle, spot: `line:${name}`, tip: plateTip(scene, name) },
      isPending ? pendingPlate(width, height) : isComplete ? paidPlate(scene, name, width, height) : openPlate(scene, name, width, height),
      happened(scene, "scored").some(event => event.line === name)
        ? rect(-width / 2 - 3, -height / 2 - 3, width + 6, height + 6, { rx: 9, class: "gang-flash" }) : null);
  }));
}

const plate = (width, height, look) => rect(-width / 2, -height / 2, width, height, { rx: 6, class: look });

function pendingPlate(width, height) {
  return [plate(width, height, "gang-plate-pending"), label(0, 4.5, "first?", width > 60 ? 15 : 12, "gang-plate-pending-text", "middle")];
}

function paidPlate(scene, name, width, height) {
  const size = width > 60 ? 18 : 13;
  const result = onlyOne(scene.paid.get(name));
  const plain = (value, look) => [plate(width, height, "gang-plate"), label(0, size * 0.36, value, size, look, "middle")];
  // Which neutral gang won may be lost, but not that no seat was paid.
  if (!result && scene.paid.get(name)?.every(({ seat }) => seat === null)) return plain("0", "gang-soft");
  if (!result) return plain("?", "gang-strong");
  if (!result.counted || result.winner === null) return plain(result.counted ? "0" : "–", "gang-soft");
  const r = size * 0.61;
  const value = result.seat === null ? String(result.points) : `+${result.points}`;
  const total = 2 * r + 4 + wide(value, size);
  const textX = -total / 2 + 2 * r + 4;
  return g({ class: `gang-${result.winner}` },
    plate(width, height, "gang-plate"),
    result.seat === null ? shape(result.winner, -total / 2 + r, 0, r * 0.9, "gang-shape") : seatMark(result.seat, -total / 2 + r, 0, r),
    label(textX, size * 0.36, value, size, result.seat === null ? "gang-soft" : "gang-strong"),
    // Points that no seat got are struck out.
    result.seat === null ? line(textX - 2, 0, textX + wide(value, size) + 2, 0, { class: "gang-strike" }) : null);
}

// What the line would pay if it were counted as it is.
function openPlate(scene, name, width, height) {
  const { view } = scene;
  const { winner, points } = settle(liveTiles(view, name), view.options, ignoredNow(view));
  const size = width > 60 ? 15 : 12;
  if (!winner) return plate(width, height, "gang-plate-open");
  const r = size * 0.42;
  const total = 2 * r + 5 + wide(points, size);
  return g({ class: `gang-${winner}` },
    plate(width, height, "gang-plate-open"),
    shape(winner, -total / 2 + r, 0, r, "gang-shape"),
    label(-total / 2 + 2 * r + 5, size * 0.36, points, size, "gang-soft"));
}

function plateTip(scene, name) {
  const { view } = scene;
  const line = capital(lineWords(name));
  if (view.pending.includes(name)) return `${line} is complete. Which of two lines is counted first is chosen now.`;
  const { totals, winner, points } = settle(liveTiles(view, name), view.options, ignoredNow(view));
  const strengths = Object.keys(GANG_NAMES).filter(gang => totals[gang]).map(gang => `${GANG_NAMES[gang]} ${totals[gang]}`).join(", ");
  if (view.complete.includes(name)) {
    const results = scene.paid.get(name) ?? [];
    const when = `${line} is complete (number ${view.complete.indexOf(name) + 1} of ${view.complete.length})`;
    if (results.length === 1) return `${when}: ${resultWords(scene, results[0])}. Live strengths now: ${strengths || "none"}.`;
    const either = results.map(result => resultWords(scene, result)).join(", or ");
    return `${when}. A later shot or a seat that left hides what it paid: ${either}.`;
  }
  const free = cellsOf(name).filter(cell => !view.board[cell]).length;
  const now = winner ? `${count(points, "point")} to the ${GANG_NAMES[winner]} gang` : "no gang";
  const cells = `${NUMBERS[free]} free cell${free === 1 ? "" : "s"}`;
  return `${line} has ${cells}. Live strengths: ${strengths || "none"}. As it is, it would pay ${now}.`;
}

// ---- The counts of the last step, or where the game stands ----

function counts(scene) {
  const { view, at, narrow } = scene;
  const [x, height] = at.strip;
  const scored = happened(scene, "scored").slice(0, 2);
  if (!scored.length) {
    const goal = view.options.target == null ? null : `first to ${view.options.target} points wins`;
    const where = [view.turn === null ? null : `Turn ${view.turn}`, view.decisions === null ? null : count(view.decisions, "action"), goal];
    return label(x + (narrow ? 2 : 0), at.stripY + height * 0.62, where.filter(Boolean).join(" · "), narrow ? 12 : 14, "gang-soft");
  }
  const width = narrow && scored.length === 1 ? at.headWidth : (at.headWidth - 6) / 2;
  return g({}, scored.map((event, n) =>
    g({ transform: `translate(${x + n * (width + 6)} ${at.stripY})` }, countBox(scene, event, width, height))));
}

function countBox(scene, event, width, height) {
  const size = scene.narrow ? 12 : 15;
  const middle = height / 2;
  const baseline = middle + size * 0.36;
  const title = width < 200 ? String(event.line) : capital(lineWords(String(event.line)));
  const start = width < 200 ? 24 : scene.narrow ? 76 : 98;
  const step = width < 200 ? 27 : 40;
  const gangs = Object.keys(event.totals ?? {});
  const name = String(event.line);
  const result = { counted: true, winner: event.winner ?? null, seat: event.seat ?? null, points: event.points ?? 0 };
  const totals = gangs.map((gang, n) => {
    const x = start + n * step;
    const isOut = (event.neutralised ?? []).includes(gang);
    return g({ class: `gang-${gang}` },
      shape(gang, x + size * 0.4, middle, size * 0.4, "gang-shape"),
      label(x + size * 0.95, baseline, event.totals[gang], size, gang === event.winner ? "gang-strong" : ""),
      isOut ? line(x - 1, middle, x + size * 1.8, middle, { class: "gang-strike" }) : null);
  });
  const won = result.winner === null ? "0" : result.seat === null ? `${result.points} lost` : `+${result.points}`;
  const tip = `${capital(lineWords(name))} was counted: ${resultWords(scene, result)}.`;
  return g({ tip, class: result.winner ? `gang-${result.winner}` : "" },
    rect(0, 0, width, height, { rx: 6, class: "gang-plate" }),
    label(8, baseline, title, size, "gang-strong"),
    totals,
    label(width - 8, baseline, won, size, result.seat === null ? "gang-soft" : "gang-strong", "end"),
    result.seat === null ? null : seatMark(result.seat, width - 14 - wide(won, size) - size * 0.5, middle, size * 0.5));
}

// ---- The seats ----

function seatCard(scene, seat) {
  const { view, at, narrow } = scene;
  const { x, y, width, height } = at.cards[seat];
  const acts = view.to_act.includes(seat);
  const hasLeft = view.withdrawn.includes(seat);
  const wins = winnersOf(view).includes(seat);
  const chip = acts ? ["to act", "gang-chip-acts"] : hasLeft ? ["left", "gang-chip"] : wins ? ["wins", "gang-chip"] : null;
  const score = String(view.scores[seat]);
  const scoreSize = narrow ? 24 : 32;
  const nameSize = narrow ? 14 : 16;
  const room = width - 39 - wide(score, scoreSize) - 16 - (seat === view.you ? 40 : 0);
  const name = nameOf(scene, seat, Math.max(5, Math.floor(room / wideBold("n", nameSize))));
  return g({ class: `seat${seat}`, tip: seatTip(scene, seat) },
    rect(x, y, width, height, { rx: 8, class: acts ? "gang-card-acts" : wins ? "gang-card-wins" : "gang-card" }),
    path(`M${x + 8} ${y}h-2a6 6 0 0 0 -6 6v${height - 12}a6 6 0 0 0 6 6h2z`, { class: "gang-stripe" }),
    seatMark(seat, x + 24, y + 18, narrow ? 9 : 10),
    label(x + 39, y + 23, name, nameSize, "gang-strong"),
    seat === view.you ? chipOf(x + 39 + wideBold(name, nameSize) + 5, y + 9, "you", "gang-chip") : null,
    g({ key: `score:${seat}`, at: [x + width - 10, y + scoreSize * 0.85 + 2], state: score },
      label(0, 0, score, scoreSize, "gang-strong", "end")),
    standing(scene, seat, chip),
    reserveSlots(scene, seat), cartridges(scene, seat), track(scene, seat));
}

function chipOf(x, y, words, look) {
  const width = wide(words, 12) + 10;
  return g({}, rect(x, y, width, 17, { rx: 8, class: look }), label(x + width / 2, y + 12.5, words, 12, `${look}-text`, "middle"));
}

// The gang of a seat, its rank, and at which count it reached its score.
function standing({ view, at, narrow }, seat, chip) {
  const { x, y, width } = at.cards[seat];
  const gang = view.gangs[seat];
  const rank = view.ranking?.[seat];
  const words = [gang ? `${GANG_NAMES[gang]}${narrow ? "" : " gang"}` : null, rank ? `rank ${rank}` : null,
    !narrow && view.reached[seat] ? `since count ${view.reached[seat]}` : null].filter(Boolean).join(" · ");
  const chipWidth = chip ? wide(chip[0], 12) + 10 : 0;
  return [
    gang ? gangBadge(gang, x + 24, y + 39, narrow ? 5.5 : 6.5) : null,
    label(x + 39, y + 43.5, words, narrow ? 12 : 13, "gang-soft"),
    chip ? chipOf(x + width - 10 - chipWidth, y + (narrow ? 32 : 48), ...chip) : null,
  ];
}

function seatTip(scene, seat) {
  const { view } = scene;
  const gang = view.gangs[seat] ? ` leads the ${GANG_NAMES[view.gangs[seat]]} gang and` : "";
  const since = !view.reached[seat] ? ""
    : `, reached at count ${view.reached[seat]} of those that paid a seat; of equal scores the earlier one is better`;
  const left = view.withdrawn.includes(seat) ? " It has left the game." : "";
  return `${nameOf(scene, seat)}${seat === view.you ? " (you)" : ""}${gang} has ${count(view.scores[seat], "point")}${since}.${left}`;
}

function reserveSlots({ view, at }, seat) {
  if (view.withdrawn.includes(seat)) return null;
  return [1, 2, 3].map(strength => {
    const [x, y] = slotAt(at, seat, strength);
    return rect(x - at.slot / 2, y - at.slot / 2, at.slot, at.slot, { rx: 5, class: "gang-slot" });
  });
}

function cartridges({ view, at, narrow }, seat) {
  if (view.withdrawn.includes(seat)) return null;
  const left = view.cartridges[seat] ?? 0;
  const [x, y] = slotAt(at, seat, 4);
  const start = x + at.slot / 2 + (narrow ? 4 : 14);
  const shown = left > (narrow ? 2 : 3) ? 1 : left;
  return g({ key: `cartridges:${seat}`, at: [start, y], state: String(left), spot: left ? `cartridge:${seat}` : null,
    tip: `${count(left, "cartridge")} left: each is one shot at a tile next to a live one of the own gang.` },
    // An area to click on, since cartridges are slim.
    left ? rect(-3, -17, 13 * shown + (shown < left ? 26 : 4), 34, { "fill-opacity": 0 }) : cartridge(0, "gang-spent", "gang-spent"),
    Array.from({ length: shown }, (_, n) => cartridge(n * 13, "gang-shell", "gang-bullet")),
    shown < left ? label(13, 5, `×${left}`, 14, "gang-strong") : null);
}

function cartridge(x, shell, bullet) {
  return g({ transform: `translate(${x} 0)` },
    path("M0.5 -3C0.5 -9 2.5 -13 5 -13.5C7.5 -13 9.5 -9 9.5 -3Z", { class: bullet }),
    path("M0.5 -3H9.5V10H0.5Z M-0.5 10H10.5V13H-0.5Z", { class: shell }));
}

// The way to the goal.
function track({ view, at }, seat) {
  const { x, y, width, height } = at.cards[seat];
  const goal = view.options.target;
  if (!goal) return null;
  const [left, long] = [x + 14, width - 24];
  const share = Math.min(1, (view.scores[seat] ?? 0) / goal);
  return [
    rect(left, y + height - 8, long, 4.5, { rx: 2, class: "gang-track" }),
    share > 0 ? rect(left, y + height - 8, round(long * share), 4.5, { rx: 2, class: "gang-track-score" }) : null,
    goal <= 30 ? Array.from({ length: goal - 1 }, (_, n) => {
      const tick = round(left + (long * (n + 1)) / goal);
      return line(tick, y + height - 8, tick, y + height - 3.5, { class: "gang-track-tick" });
    }) : null,
  ];
}

function neutralGangs({ view, at }) {
  if (!at.neutral) return null;
  const { x, y, isStacked } = at.neutral;
  const place = n => (isStacked ? [x + 8, y + 36 + 22 * n] : [x + 116 + n * 76, y + 13.5]);
  const tip = view.options.neutral === "ignored" ? "Gangs that no seat leads. They are left out of counts."
    : "Gangs that no seat leads. They take part in counts, and points that they win are lost.";
  return g({ tip },
    label(x + 2, y + 18, "Neutral gangs", 13, "gang-soft"),
    view.neutral.map((gang, n) => {
      const [cx, cy] = place(n);
      return [gangBadge(gang, cx, cy, 6), label(cx + 11, cy + 4.5, GANG_NAMES[gang] ?? gang, 13)];
    }));
}

// ---- The tiles to come ----

function market({ view, at }) {
  const { x, y } = at.market;
  const floor = marketFloor(at, view);
  return g({},
    label(x + 2, y + 14, "Common tiles", 13, "gang-soft"),
    view.piles.length ? label(pileAt(at, view, 1, 0)[0] - at.pile / 2, y + 14, "Face down", 13, "gang-soft") : null,
    [0, 1].map(n => {
      const [cx, cy] = openAt(at, view, n);
      return rect(cx - at.open / 2, cy - at.open / 2, at.open, at.open, { rx: 6, class: "gang-slot" });
    }),
    view.piles.map((size, n) => {
      const [cx, cy] = pileAt(at, view, n + 1, 0);
      return g({ tip: `Pile ${n + 1} has ${count(size, "tile")}.` },
        rect(cx - at.pile / 2, cy - at.pile / 2, at.pile, at.pile, { rx: 4, class: "gang-slot" }),
        label(cx, floor + 17, size, 15, "gang-strong", "middle"));
    }));
}

// How many of each tile lie face down: known to all, since all other tiles lie open.
function unseen({ view, at }) {
  const { x, y, width } = at.unseen;
  const total = view.piles.reduce((sum, size) => sum + size, 0);
  const step = width / KINDS.length;
  return g({},
    label(x + 2, y + 12, total ? `Among the ${count(total, "face-down tile")}` : "No tile is face down", 13, "gang-soft"),
    KINDS.map((kind, n) => {
      const left = view.unseen[kind] ?? 0;
      const cx = round(x + step * (n + 0.5));
      return g({ tip: `${left} of the tiles ${kind} (${tileWords(kind)}) lie${left === 1 ? "s" : ""} face down.` },
        g({ transform: `translate(${cx} ${y + 32})`, class: left ? "" : "gang-dim" }, tile(kind, at.kind)),
        label(cx, y + 58, left, 13, left ? "gang-strong" : "gang-soft", "middle"));
    }));
}

// The order of the piles, which only the referee's view has: rows of tiles, the top first.
const STEP_IN_ROW = 21;
const tilesInRow = width => Math.max(1, Math.floor((width - 18) / STEP_IN_ROW));
const rowsOfPile = (size, width) => Math.max(1, Math.ceil(size / tilesInRow(width)));

function orderRows(view, width) {
  const most = tilesInRow(width);
  return (view.tiles ?? []).flatMap((pile, n) => {
    const rows = Array.from({ length: rowsOfPile(pile.length, width) }, (_, row) => pile.slice(row * most, (row + 1) * most));
    return rows.map((tiles, row) => ({ pile: n + 1, tiles, isFirst: row === 0 }));
  });
}

function order({ view, at }) {
  if (!at.order) return null;
  const { x, y, width } = at.order;
  return g({},
    label(x + 2, y + 12, "Piles in order, the next tile first", 13, "gang-soft"),
    orderRows(view, width).map(({ pile, tiles, isFirst }, row) => [
      isFirst ? label(x + 2, y + 33 + row * 22, pile, 12, "gang-strong") : null,
      tiles.map((each, n) => {
        const transform = `translate(${x + 28 + n * STEP_IN_ROW} ${y + 29 + row * 22})`;
        return g({ transform, tip: `Face down in pile ${pile}: ${each} (${tileWords(each)}).` }, tile(each, 19));
      }),
    ]));
}

// Tiles that left the game with a seat.
function removed({ view, at }) {
  if (!at.removed) return null;
  const { x, y } = at.removed;
  return g({ tip: "Tiles that left the game with a seat." },
    label(x + 2, y + 12, "Out of the game", 13, "gang-soft"),
    view.removed.map((each, n) => g({ transform: `translate(${x + 13 + n * 26} ${y + 30})` }, tile(each, 22))));
}

const VARIANTS = {
  draw: { commit: "the cell is chosen before a drawn tile is seen" },
  refill: { actor: "the seat chooses the pile that refills the common tiles" },
  move_whose: { own: "only tiles of the own gang move" },
  step: { any: "tiles move any number of free cells" },
  friendly_fire: { no: "no shot at the own gang" },
  tie_below: { cancels: "tied gangs below the winner do not subtract" },
  neutral: { ignored: "neutral gangs do not count" },
  order: { always: "the order of two counts is always chosen" },
  stall: { end: "too many moves in a row end the game", none: "no limit of moves in a row" },
};

// The options that differ from the usual rules, in lines of text.
function variantLines(view, width) {
  const found = Object.entries(VARIANTS).map(([option, words]) => words[view.options[option]]).filter(Boolean);
  return found.length ? wrapped(`Variant: ${found.join("; ")}.`, width - 4, 12) : [];
}

function variants({ at }) {
  if (!at.variantsAt) return null;
  return at.variants.map((words, n) => label(at.variantsAt.x + 2, at.variantsAt.y + 16 + 15 * n, words, 12, "gang-soft"));
}

// ---- All tiles that can move, in one layer ----

// Tiles of one kind are alike, so a tile is known by its place: a cell, a reserve, its height in a pile. A tile that the last
// step has moved keeps the key of the place from which it came; that is how it glides, and no other tile with it.
function pieces(scene) {
  const { view, at } = scene;
  const before = cameFrom(scene);
  const found = [...pileTiles(scene), ...reserveTiles(scene), ...commonTiles(scene)];
  if (view.drawn && view.active !== null) found.push(drawnTile(scene));
  const onBoard = view.board.flatMap((code, number) => (code ? [boardTile(scene, code, cellName(number), before)] : []));
  // What has moved is above all others.
  const moved = onBoard.filter(piece => piece.attributes.key === before.key);
  return g({}, found, onBoard.filter(piece => !moved.includes(piece)), moved);
}

// The cell of the tile that was placed or moved in the last step, with its key and its middle before that.
function cameFrom({ view, at, events }) {
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
      tip: `Pile ${n + 1}: ${count(size, "tile")} face down, which no seat has seen.` }, faceDown(at.pile));
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

// Brackets around the tile that may not be moved now.
function ban({ view, at }) {
  if (!view.ban) return null;
  return g({ transform: `translate(${cellAt(at, view.ban).join(" ")})`, "pointer-events": "none" }, brackets(at.cell * 0.47));
}

function brackets(far) {
  const arm = far * 0.3;
  return [[-1, -1], [1, -1], [1, 1], [-1, 1]].map(([dx, dy]) =>
    path(`M${round(dx * (far - arm))} ${round(dy * far)}H${round(dx * far)}V${round(dy * (far - arm))}`, { class: "gang-bracket" }));
}

// ---- What happened in the last step ----

// The way of a tile from its place outside the city. It is long, so it is dotted and runs below the tiles: nothing is hidden.
function placing(scene) {
  const way = farWay(scene);
  return way ? path(way.shaft, { class: "gang-arrow gang-dotted" }) : null;
}

function placingHead(scene) {
  const way = farWay(scene);
  return way ? [path(way.head, { class: "gang-halo" }), path(way.head, { class: "gang-arrow" })] : null;
}

function farWay(scene) {
  const { cell, from } = cameFrom(scene);
  if (!cell || !from || !happened(scene, "placed").length) return null;
  return arrowPaths(from, cellAt(scene.at, cell), scene.at.tile / 2 - 4);
}

// The way of a tile within the city, and the outline of where it was.
function moving(scene) {
  const { at } = scene;
  return happened(scene, "moved").map(({ from, to }) => {
    const [x, y] = cellAt(at, from);
    return [
      rect(x - at.tile / 2, y - at.tile / 2, at.tile, at.tile, { rx: 9, class: "gang-ghost" }),
      arrow([x, y], cellAt(at, to), at.tile / 2 - 7),
    ];
  });
}

function arrow(from, to, rim) {
  const way = arrowPaths(from, to, rim);
  return way ? g({}, path(way.shaft + way.head, { class: "gang-halo" }), path(way.shaft + way.head, { class: "gang-arrow" })) : null;
}

// The two parts of an arrow that ends at the rim of the tile to which it points.
function arrowPaths(from, to, rim) {
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
  const length = Math.hypot(dx, dy);
  if (!(length > rim)) return null;
  const [ux, uy] = [dx / length, dy / length];
  const reach = rim / Math.max(Math.abs(ux), Math.abs(uy)) + 1;
  const end = [to[0] - ux * reach, to[1] - uy * reach];
  const wing = side => [end[0] - 11 * ux + side * 7 * uy, end[1] - 11 * uy - side * 7 * ux].map(round).join(" ");
  const [start, tip] = [from, end].map(point => point.map(round).join(" "));
  return { shaft: `M${start}L${tip}`, head: `M${wing(1)}L${tip}L${wing(-1)}` };
}

// A shot: from each tile that can have fired it. The rules do not ask which one did.
function shots(scene) {
  const { view, at } = scene;
  return happened(scene, "shot").map(({ seat, cell }) => {
    const target = cellNumber(cell);
    const gang = view.gangs[seat];
    const shooters = neighbours(target).filter(number => gangOf(view.board[number]) === gang && !view.board[number].endsWith("x"));
    const [tx, ty] = cellAt(at, cell);
    const look = shooters.length > 1 ? "gang-shot gang-shot-maybe" : "gang-shot";
    return g({ "pointer-events": "none" },
      shooters.map(number => {
        const [x, y] = cellAt(at, cellName(number));
        const ends = [x + (tx - x) * 0.15, y + (ty - y) * 0.15, x + (tx - x) * 0.82, y + (ty - y) * 0.82].map(round);
        return [line(...ends, { class: "gang-halo" }), line(...ends, { class: look })];
      }),
      burst(tx, ty, at.tile * 0.42));
  });
}

function neighbours(number) {
  const [column, row] = [number % SIDE, Math.floor(number / SIDE)];
  return [column > 0 ? number - 1 : -1, column < SIDE - 1 ? number + 1 : -1, number - SIDE, number + SIDE]
    .filter(each => each >= 0 && each < SIDE * SIDE && row >= 0);
}

function burst(x, y, r) {
  const outer = corners(x, y, r * 1.2, 12);
  const inner = corners(x, y, r * 0.92, 12);
  return outer.map((point, n) => line(...inner[n], ...point, { class: "gang-burst" }));
}

// ---- The legend ----

function legendOf(view) {
  const scene = { view, events: [], names: [], at: places(view, false), narrow: false, paid: new Map() };
  const centred = (size, ...children) => g({ transform: `translate(${size[0] / 2} ${size[1] / 2})` }, children);
  const entry = (size, meaning, ...children) => ({ picture: centred(size, ...children), size, meaning });
  const paid = result => {
    const shown = { ...scene, paid: new Map([["1", [result]]]) };
    return paidPlate(shown, "1", 62, 30);
  };
  const someGang = view.gangs[0] ?? "R";
  const lone = unled(view)[0] ?? "G";
  return [
    ...Object.keys(GANG_NAMES).map((gang, n) => {
      const strength = n % 3 + 1;
      const pips = `${NUMBERS[strength]} pip${strength === 1 ? "" : "s"}`;
      const meaning = `A gangster of the ${GANG_NAMES[gang]} gang with ${pips}: strength ${strength}.`;
      return entry([46, 46], meaning, tile(`${gang}${strength}`, 40));
    }),
    entry([46, 46], "A dead tile: it fills its cell, but has no strength.", tile(`${someGang}2x`, 40)),
    entry([52, 52], "This tile was placed or moved in the last turn. It may not be moved now.", tile(`${someGang}1`, 40), brackets(24)),
    entry([62, 30], "The shade of a complete line, in the colour of the gang that won it. Its tiles move no more.",
      g({ class: `gang-${someGang}` }, rect(-29, -13, 58, 26, { rx: 6, class: "gang-band" }))),
    entry([66, 34], "At the end of a complete line: the seat that was paid, and its points.",
      paid({ counted: true, winner: someGang, seat: 0, points: 3 })),
    entry([66, 34], "Points that a neutral gang won: no seat got them.", paid({ counted: true, winner: lone, seat: null, points: 2 })),
    entry([66, 34], "A complete line that paid no seat.", paid({ counted: true, winner: null, seat: null, points: 0 })),
    entry([66, 34], "A complete line that was not counted, since the game was over before.", paid(UNCOUNTED)),
    entry([66, 34], "A later shot, or a seat that left, hides what this line paid.",
      plate(62, 30, "gang-plate"), label(0, 6, "?", 18, "gang-strong", "middle")),
    entry([66, 34], "A line with free cells: the gang that would win it as it is, and the points.",
      plate(62, 30, "gang-plate-open"), gangBadge(someGang, -8, 0, 6), label(5, 5, "2", 15, "gang-soft")),
    entry([66, 34], "Two lines are complete: the seat chooses which is counted first.", pendingPlate(62, 30)),
    entry([24, 34], "A cartridge: one shot that is left.", g({ transform: "translate(-5 0)" }, cartridge(0, "gang-shell", "gang-bullet"))),
    entry([44, 44], "A tile that lies face down. No seat has seen it.", faceDown(38)),
    entry([30, 44], "How many of these tiles are among those face down.",
      g({ transform: "translate(0 -9)" }, tile(`${someGang}3`, 24)), label(0, 18, "2", 13, "gang-strong", "middle")),
    entry([44, 44], "An empty place of a reserve.", rect(-18, -18, 36, 36, { rx: 5, class: "gang-slot" })),
    entry([60, 22], "The seat that decides now.", g({ transform: "translate(-27 -9)" }, chipOf(0, 0, "to act", "gang-chip-acts"))),
    entry([60, 22], "The way of a tile that was placed, from a reserve or a pile.",
      line(-24, 0, 24, 0, { class: "gang-arrow gang-dotted" })),
    entry([60, 22], "The way of a tile that was moved.", arrow([-26, 0], [26, 0], 2)),
    entry([60, 22], "A shot. If more than one tile can have fired it, the lines are dotted.", line(-24, 0, 24, 0, { class: "gang-shot" })),
  ];
}
