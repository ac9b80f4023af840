// The city as the data of the game has it, and the plans of its buildings: outline, doors, places of labels and pawns.

import city from "../board.json" with { type: "json" };

export const NODES = new Map(city.nodes.map(each => [each.id, each]));
export const STREETS = city.nodes.filter(each => each.kind === "street");
export const BUILDINGS = city.nodes.filter(each => each.kind !== "street").map(planned);
export const PLANS = new Map(BUILDINGS.map(each => [each.id, each]));

// A building with its outline, the box of its label and the area of its pawns, all in squares.
function planned(building) {
  const xs = building.squares.map(([x]) => x);
  const ys = building.squares.map(([, y]) => y);
  const [left, top] = [Math.min(...xs), Math.min(...ys)];
  const [width, height] = [Math.max(...xs) - left + 1, Math.max(...ys) - top + 1];
  const isBox = building.squares.length === width * height;
  const [label, area] = isBox ? boxParts(left, top, width, height, building.kind) : cornerParts(building.squares);
  const centre = [left + width / 2, top + height / 2];
  return { ...building, label, area, centre, outline: outline(building.squares), doors: doorsOf(building) };
}

// Label and area of a building that is a rectangle. One square alone has both.
function boxParts(left, top, width, height, kind) {
  if (kind === "casino") return [[left, top, width, 0.8], [left + 0.12, top + 0.76, width - 0.24, height - 0.86]];
  if (width === 1 && height === 1) return [[left, top, 1, 1], [left + 0.46, top + 0.34, 0.54, 0.66]];
  if (height === 1) return [[left, top, 1, 1], [left + 1, top, width - 1, 1]];
  if (width === 1) return [[left, top, 1, 1], [left, top + 1, 1, height - 1]];
  return [[left, top, width, 0.8], [left, top + 0.76, width, height - 0.8]];
}

// A building with a corner: its label is on a square without which the others are a rectangle.
function cornerParts(squares) {
  for (const chosen of squares) {
    const others = squares.filter(each => each !== chosen);
    const [xs, ys] = [others.map(([x]) => x), others.map(([, y]) => y)];
    const [left, top] = [Math.min(...xs), Math.min(...ys)];
    const [width, height] = [Math.max(...xs) - left + 1, Math.max(...ys) - top + 1];
    if (width * height === others.length) return [[...chosen, 1, 1], [left, top, width, height]];
  }
  return [[...squares[0], 1, 1], [...squares.at(-1), 1, 1]];
}

// The corners of the outline of some squares, clockwise, with the way inwards at each: [x, y, dx, dy].
function outline(squares) {
  const sides = new Map();
  for (const [x, y] of squares) {
    const points = [[x, y], [x + 1, y], [x + 1, y + 1], [x, y + 1]];
    points.forEach((from, at) => {
      const to = points[(at + 1) % 4];
      // Two squares side by side have the same side in both directions: it is inside.
      if (!sides.delete(`${to}>${from}`)) sides.set(`${from}>${to}`, [from, to]);
    });
  }
  const next = new Map([...sides.values()].map(([from, to]) => [String(from), to]));
  const first = [...sides.values()][0][0];
  const ring = [first];
  for (let at = next.get(String(first)); String(at) !== String(first) && ring.length < 99; at = next.get(String(at))) ring.push(at);
  return ring.map(([x, y], at) => {
    const [px, py] = ring.at(at - 1);
    const [nx, ny] = ring[(at + 1) % ring.length];
    const [before, after] = [[x - px, y - py], [nx - x, ny - y]];
    return before[0] === after[0] && before[1] === after[1] ? null : [x, y, -before[1] - after[1], before[0] + after[0]];
  }).filter(Boolean);
}

// The square of a building that is nearest to the lower right corner of the city.
export const lastSquare = squares => squares.reduce((last, each) => each[0] + each[1] > last[0] + last[1] ? each : last);

// The doors of a building: the street square, and the way from there into the building.
function doorsOf(building) {
  return building.entrances.flatMap(id => {
    const [x, y] = NODES.get(id)?.xy ?? [];
    const inside = building.squares.find(([bx, by]) => Math.abs(bx - x) + Math.abs(by - y) === 1);
    return inside ? [{ x, y, dx: inside[0] - x, dy: inside[1] - y }] : [];
  });
}
