// A stage shows the position of a match as a picture: the board of its game, what has changed, and explanations.

import { boards } from "./boards.js";
import { changes, g, paint, path, round, text } from "./scene.js";

const NARROW = 560;

// A game without a drawing has its board as text, which the referee made beforehand.
const textBoard = {
  size: view => [Math.max(40, ...lines(view).map(line => line.length)) * 8.4 + 20, lines(view).length * 18 + 20],
  draw: view => g({ class: "text-board" },
    lines(view).map((line, row) => text(10, 24 + 18 * row, line, { key: `line:${row}`, state: line }))),
  spots: () => [],
  legend: () => [],
};

const lines = view => String(view.text ?? "").split("\n");

export function boardOf(game) {
  return boards[game] ?? textBoard;
}

export class Stage {
  // `names` are the names of the seats; `onSpot` is called with the name of a place that was clicked.
  constructor(game, names, { onSpot = null } = {}) {
    this.board = boardOf(game);
    this.names = names;
    this.onSpot = onSpot;
    this.zoomed = { scale: 1, x: 0, y: 0 };
    this.lit = new Set();
    this.element = document.createElement("div");
    this.element.className = "stage";
    this.svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    this.svg.setAttribute("role", "img");
    this.svg.classList.add("board");
    // A group of its own, so that a small map can show the same picture.
    this.picture = document.createElementNS("http://www.w3.org/2000/svg", "g");
    this.svg.append(this.picture);
    this.tip = document.createElement("div");
    this.tip.className = "tip";
    this.tip.hidden = true;
    this.tip.setAttribute("role", "status");
    this.element.append(this.svg, this.tip);
    this.listen();
    new ResizeObserver(() => {
      if (this.shown && this.narrow !== this.isNarrow(this.shown[0])) this.show(...this.shown);
    }).observe(this.element);
  }

  // Whether to draw for little width. Where a picture must fit into a height too (`--stage-fits`), a wide one may be larger.
  isNarrow(view) {
    const { clientWidth: width, clientHeight: height } = this.element;
    if (!width || width >= NARROW) return false;
    if (!height || !getComputedStyle(this.element).getPropertyValue("--stage-fits").trim()) return true;
    const covered = narrow => {
      const [wide, high] = this.board.size(view, { narrow, names: this.names });
      return wide * high * Math.min(width / wide, height / high) ** 2;
    };
    return covered(true) >= covered(false);
  }

  // Show a view. `events` are those of the last step as the same viewer saw them, `before` is the view before it.
  show(view, { events = [], before = null, label = "" } = {}) {
    this.shown = [view, { events, before, label }];
    this.narrow = this.isNarrow(view);
    const draw = (position, happened) => this.board.draw(position, { events: happened, names: this.names, narrow: this.narrow });
    const tree = draw(view, events);
    const found = before ? changes(draw(before, []), tree) : [];
    const [width, height] = this.board.size(view, { narrow: this.narrow, names: this.names });
    this.size = [width, height];
    this.frame();
    this.svg.setAttribute("aria-label", label || "The position");
    paint(this.picture, [tree, trails(found)]);
    this.mark(found);
    this.light(this.lit);
    this.hideTip();
  }

  mark(found) {
    const changed = new Set(found.map(change => change.key));
    for (const element of this.svg.querySelectorAll(".changed")) element.classList.remove("changed");
    if (!changed.size) return;
    for (const element of this.svg.querySelectorAll("[data-key]")) {
      if (changed.has(element.sceneKey)) element.classList.add("changed");
    }
  }

  // Light up the places where an action belongs.
  light(spots) {
    const wasLit = this.lit.size > 0;
    this.lit = new Set(spots);
    // A picture has nothing to press in it; a group may.
    this.svg.setAttribute("role", this.onSpot && this.lit.size ? "group" : "img");
    if (!wasLit && !this.lit.size) return;
    for (const element of this.svg.querySelectorAll("[data-spot]")) {
      const on = this.lit.has(element.dataset.spot);
      element.classList.toggle("lit", on);
      if (on && this.onSpot) {
        element.setAttribute("tabindex", "0");
        element.setAttribute("role", "button");
        element.setAttribute("aria-label", element.dataset.tip ?? element.dataset.spot);
      } else {
        element.removeAttribute("tabindex");
        element.removeAttribute("role");
        element.removeAttribute("aria-label");
      }
    }
  }

  // Explain a thing, and report a click on a place that is lit.
  listen() {
    const over = event => {
      const thing = event.target.closest?.("[data-tip]");
      if (thing) this.showTip(thing); else this.hideTip();
    };
    this.svg.addEventListener("pointerover", over);
    this.svg.addEventListener("focusin", over);
    this.svg.addEventListener("pointerleave", () => this.hideTip());
    this.svg.addEventListener("click", event => {
      over(event);
      // A thing that lies on a lit place, such as a card, hides the place from the pointer, but not from the reader.
      this.choose(event.target, ...document.elementsFromPoint(event.clientX, event.clientY));
    });
    this.svg.addEventListener("keydown", event => {
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        event.stopPropagation();
        this.choose(event.target);
      }
    });
  }

  // Report the first lit place of these elements, each with what it is part of.
  choose(...targets) {
    for (const target of this.onSpot ? targets : []) {
      if (!this.svg.contains(target)) continue;
      let thing = target.closest("[data-spot]");
      while (thing && !this.lit.has(thing.dataset.spot)) thing = thing.parentElement?.closest("[data-spot]");
      if (thing) return this.onSpot(thing.dataset.spot);
    }
  }

  showTip(thing) {
    this.tip.textContent = thing.dataset.tip;
    this.tip.hidden = false;
    const here = this.element.getBoundingClientRect();
    const there = thing.getBoundingClientRect();
    const left = Math.min(Math.max(4, there.left - here.left), Math.max(4, here.width - this.tip.offsetWidth - 4));
    const below = there.bottom - here.top + 6;
    const fits = below + this.tip.offsetHeight < here.height;
    this.tip.style.left = `${left}px`;
    this.tip.style.top = `${fits ? below : Math.max(4, there.top - here.top - this.tip.offsetHeight - 6)}px`;
  }

  hideTip() {
    this.tip.hidden = true;
  }

  // Zoom into the picture: 1 shows all of it. The middle is in shares of the picture.
  zoom(scale, middle = [0.5, 0.5]) {
    const kept = Math.min(8, Math.max(1, scale));
    const clamp = share => Math.min(1 - 0.5 / kept, Math.max(0.5 / kept, share));
    this.zoomed = { scale: kept, x: clamp(middle[0]), y: clamp(middle[1]) };
    this.frame();
  }

  // What a closer look begins with, in shares of the picture. A board may name a point; otherwise it is the middle.
  focus() {
    if (!this.shown || !this.board.focus) return [0.5, 0.5];
    const point = this.board.focus(this.shown[0], { narrow: this.narrow, names: this.names });
    return point.map((value, axis) => value / this.size[axis]);
  }

  frame() {
    const [width, height] = this.size ?? [100, 100];
    const { scale, x, y } = this.zoomed;
    const [left, top] = scale === 1 ? [0, 0] : [width * (x - 0.5 / scale), height * (y - 0.5 / scale)];
    this.svg.setAttribute("viewBox", [left, top, width / scale, height / scale].map(round).join(" "));
  }

  // The legend of the game, as a list of pictures with their meanings.
  legend(view) {
    const list = document.createElement("dl");
    list.className = "legend-list";
    for (const { picture, size = [28, 28], meaning } of this.board.legend(view)) {
      const term = document.createElement("dt");
      const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
      svg.setAttribute("viewBox", `0 0 ${size[0]} ${size[1]}`);
      svg.setAttribute("width", size[0]);
      svg.setAttribute("height", size[1]);
      svg.setAttribute("aria-hidden", "true");
      svg.classList.add("board");
      paint(svg, [picture]);
      term.append(svg);
      const words = document.createElement("dd");
      words.textContent = meaning;
      list.append(term, words);
    }
    return list;
  }
}

// Arrows from where things came.
function trails(found) {
  const moved = found.filter(change => change.from);
  return g({ class: "trails", "aria-hidden": "true" }, moved.map(({ key, from, to }) => {
    const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
    const length = Math.hypot(dx, dy);
    const [ux, uy] = [dx / length, dy / length];
    const end = [to[0] - 9 * ux, to[1] - 9 * uy];
    const wing = side => [end[0] - 7 * ux + side * 4.5 * uy, end[1] - 7 * uy - side * 4.5 * ux].map(round).join(" ");
    return g({ key: `trail:${key}` },
      path(`M${from.map(round).join(" ")}L${end.map(round).join(" ")}`, { class: "trail" }),
      path(`M${wing(1)}L${end.map(round).join(" ")}L${wing(-1)}`, { class: "trail" }));
  }));
}
