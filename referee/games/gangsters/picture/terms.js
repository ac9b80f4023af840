// What the rules call and count: gangs, tiles, cells, lines.

export const SIDE = 6;
export const GANG_NAMES = { R: "red", B: "blue", Y: "yellow", G: "green" };
export const KINDS = [..."RBYG"].flatMap(gang => [1, 2, 3].map(strength => `${gang}${strength}`));
export const LINES = [..."123456abcdef"];
export const COLUMNS = "abcdef";
export const NUMBERS = ["no", "one", "two", "three", "four", "five", "six"];
export const gangOf = tile => String(tile)[0];
export const strengthOf = tile => Number(String(tile)[1]) || 0;
export const tileWords = tile => `${GANG_NAMES[gangOf(tile)] ?? gangOf(tile)} ${strengthOf(tile)}`;
export const isRow = name => name >= "1" && name <= "6";
export const lineWords = name => (isRow(name) ? `row ${name}` : `column ${name}`);
export const cellName = number => `${COLUMNS[number % SIDE]}${Math.floor(number / SIDE) + 1}`;
export const cellNumber = name => (Number(name?.[1]) - 1) * SIDE + COLUMNS.indexOf(name?.[0]);

export function cellsOf(name) {
  const index = isRow(name) ? Number(name) - 1 : COLUMNS.indexOf(name);
  return Array.from({ length: SIDE }, (_, n) => (isRow(name) ? index * SIDE + n : n * SIDE + index));
}

export function neighbours(number) {
  const column = number % SIDE;
  return [column > 0 ? number - 1 : -1, column < SIDE - 1 ? number + 1 : -1, number - SIDE, number + SIDE]
    .filter(each => each >= 0 && each < SIDE * SIDE);
}
