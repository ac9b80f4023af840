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

function flawsOf(board, { view, events, names, legal }, narrow) {
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
  if (tips < 5) found.push(`only ${tips} tips`);
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

window.flaws = (game, cases) => {
  const board = boards[game];
  const found = [];
  cases.forEach((each, at) => {
    for (const narrow of [false, true]) {
      try {
        found.push(...flawsOf(board, freeze(each), narrow).map(flaw => `case ${at}, you ${each.view.you}, ${narrow ? "narrow" : "wide"}: ${flaw}`));
      } catch (error) {
        found.push(`case ${at}, you ${each.view.you}: ${error.stack}`);
      }
    }
  });
  return [...new Set(found)].slice(0, 12);
};

// Texts that are not wholly inside the picture, or smaller than a reader on a phone can read.
window.misplaced = (game, { view, events, names }, narrow) => {
  const board = boards[game];
  const svg = document.querySelector("svg");
  const [width, height] = board.size(view, { narrow, names });
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.parentElement.style.width = narrow ? "360px" : "1000px";
  paint(svg, [board.draw(view, { events, names, narrow })]);
  const whole = svg.getBoundingClientRect();
  return [...svg.querySelectorAll("text")].filter(text => text.textContent.trim()).flatMap(text => {
    const box = text.getBoundingClientRect();
    const outside = box.left < whole.left - 2 || box.right > whole.right + 2 || box.top < whole.top - 2 || box.bottom > whole.bottom + 2;
    return outside ? [`${text.textContent} (${Math.round(box.left)} to ${Math.round(box.right)} of ${Math.round(whole.width)}, ${Math.round(box.top)} to ${Math.round(box.bottom)} of ${Math.round(whole.height)})`] : [];
  }).slice(0, 8);
};

window.legendOf = (game, view) => boards[game].legend(view).map(({ meaning }) => meaning);
