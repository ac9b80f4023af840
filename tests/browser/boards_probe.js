// Draws views of a game and looks for flaws: what a board must never do, for any view.

import { boards } from "./boards.js";
import { keyed, paint } from "./scene.js";

const BAD = /NaN|undefined|\[object|Infinity/;

function freeze(value) {
  if (value && typeof value === "object") {
    Object.values(value).forEach(freeze);
    Object.freeze(value);
  }
  return value;
}

function walk(node, visit) {
  visit(node);
  if (typeof node !== "string") node.children.forEach(child => walk(child, visit));
}

// A board may give the same node again, in which the same attributes need no second look.
const sound = new WeakSet();

function badValues(node) {
  if (sound.has(node)) return [];
  const bad = Object.entries(node.attributes).filter(([, value]) => value !== undefined && BAD.test(String(value)));
  if (!bad.length) sound.add(node);
  return bad.map(([name, value]) => `${name}="${value}"`);
}

function flawsOf(board, { view, events, names, legal }, narrow, leastTips) {
  const found = [];
  const tree = board.draw(view, { events, names, narrow });
  const [width, height] = board.size(view, { narrow, names });
  if (!(width > 0 && height > 0)) found.push(`size ${width} x ${height}`);
  const keys = new Set();
  const spots = new Set();
  let tips = 0;
  walk(tree, node => {
    if (typeof node === "string") {
      if (BAD.test(node)) found.push(`text ${node}`);
      return;
    }
    found.push(...badValues(node));
    const { key, spot, tip } = node.attributes;
    if (key !== undefined && keys.has(key)) found.push(`two nodes have the key ${key}`);
    keys.add(key);
    if (spot) spots.add(spot);
    if (tip) tips += 1;
  });
  if (tips < leastTips) found.push(`only ${tips} tips`);
  if (keyed(tree).size < 2) found.push("no keys");
  for (const action of legal) {
    const places = board.spots(view, action);
    if (!places.length) found.push(`no spot for ${action}`);
    for (const place of places) if (!spots.has(place)) found.push(`${action}: ${place} is not in the picture`);
  }
  // It takes long, so that only the actor's view, which has most in it, is drawn twice.
  if (legal.length && JSON.stringify(tree) !== JSON.stringify(board.draw(view, { events, names, narrow }))) {
    found.push("two drawings of one view differ");
  }
  return found;
}

window.flaws = (game, cases, leastTips) => {
  const board = boards[game];
  const found = [];
  cases.forEach((each, at) => {
    for (const narrow of [false, true]) {
      try {
        const where = `case ${at}, you ${each.view.you}, ${narrow ? "narrow" : "wide"}`;
        found.push(...flawsOf(board, freeze(each), narrow, leastTips).map(flaw => `${where}: ${flaw}`));
      } catch (error) {
        found.push(`case ${at}, you ${each.view.you}: ${error.stack}`);
      }
    }
  });
  return [...new Set(found)].slice(0, 12);
};

// Show a position, and return its picture.
function shown(game, { view, events, names }, narrow) {
  const board = boards[game];
  const svg = document.querySelector("svg");
  const [width, height] = board.size(view, { narrow, names });
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.parentElement.style.width = narrow ? "360px" : "1000px";
  paint(svg, [board.draw(view, { events, names, narrow })]);
  return svg;
}

const textsOf = svg => [...svg.querySelectorAll("text")].filter(text => text.textContent.trim());

// Texts that are not wholly inside the picture.
window.misplaced = (game, position, narrow) => {
  const svg = shown(game, position, narrow);
  const whole = svg.getBoundingClientRect();
  return textsOf(svg).flatMap(text => {
    const box = text.getBoundingClientRect();
    const outside = box.left < whole.left - 2 || box.right > whole.right + 2 || box.top < whole.top - 2 || box.bottom > whole.bottom + 2;
    const [left, right, top, bottom] = [box.left, box.right, box.top, box.bottom].map(Math.round);
    return outside ? [`${text.textContent} (x ${left} to ${right}, y ${top} to ${bottom})`] : [];
  }).slice(0, 8);
};

// A colour as numbers: `rgb(1, 2, 3)`, or `color(srgb 0.1 0.2 0.3)` of a mixture.
function numbersOf(colour) {
  const [red, green, blue, alpha = 1] = (colour.match(/\d[\d.e-]*/g) ?? []).map(Number);
  const whole = colour.startsWith("color(") ? 255 : 1;
  return blue === undefined ? null : [red * whole, green * whole, blue * whole, alpha];
}

const mixed = (top, alpha, ground) => top.slice(0, 3).map((part, at) => part * alpha + ground[at] * (1 - alpha));

function brightness(colour) {
  const [red, green, blue] = colour.map(part => (part / 255 <= 0.03928 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function opacityOf(element) {
  return element.tagName === "svg" ? 1 : Number(getComputedStyle(element).opacity) * opacityOf(element.parentElement);
}

// The colour below a point of the picture, made of all that is painted there before the text.
function groundBelow(text, svg, x, y) {
  const below = document.elementsFromPoint(x, y).reverse().filter(each =>
    svg.contains(each) && each.isPointInFill && text.compareDocumentPosition(each) & Node.DOCUMENT_POSITION_PRECEDING);
  return below.reduce((ground, each) => {
    const { fill, fillOpacity } = getComputedStyle(each);
    const colour = numbersOf(fill);
    const isFilled = colour && each.isPointInFill(new DOMPoint(x, y).matrixTransform(each.getScreenCTM().inverse()));
    return isFilled ? mixed(colour, colour[3] * Number(fillOpacity) * opacityOf(each), ground) : ground;
  }, numbersOf(getComputedStyle(document.body).backgroundColor).slice(0, 3));
}

// Texts whose contrast is under what WCAG 2 AA wants: 4.5 to 1, or 3 to 1 if they are large.
window.faint = (game, position) => {
  const svg = shown(game, position, false);
  // Only what can be pointed at is found below a point.
  for (const each of svg.querySelectorAll("*")) each.style.pointerEvents = each.closest("text") ? "none" : "visiblePainted";
  return [...new Set(textsOf(svg).flatMap(text => {
    const { left, top, width, height } = text.getBoundingClientRect();
    const ground = groundBelow(text, svg, left + width / 2, top + height / 2);
    const { fill, fontSize } = getComputedStyle(text);
    const ink = mixed(numbersOf(fill), opacityOf(text), ground);
    const [high, low] = [brightness(ink), brightness(ground)].sort((one, other) => other - one);
    const contrast = (high + 0.05) / (low + 0.05);
    const isFaint = contrast < (parseFloat(fontSize) >= 24 ? 3 : 4.5);
    return isFaint ? [`${text.textContent} (${text.getAttribute("class")}): ${contrast.toFixed(2)}`] : [];
  }))].slice(0, 8);
};

window.legendOf = (game, view) => boards[game].legend(view).map(({ meaning }) => meaning);
