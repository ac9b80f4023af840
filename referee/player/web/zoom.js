// Looking closer at a picture: buttons, wheel, two fingers and dragging, with a small map of where one is. A swipe over
// a picture that is shown whole is reported instead: it steps through the match. The host puts `buttons` where it wants.

import { button, element } from "./dom.js";
import { icon } from "./icons.js";
import { round } from "./scene.js";

const STEP = 1.5;
const SWIPE = 40;

export class Zoom {
  // `onSwipe` is called with 1 for a swipe to the left (onwards) and -1 for one to the right.
  constructor(stage, { onSwipe = null } = {}) {
    this.stage = stage;
    this.onSwipe = onSwipe;
    this.pointers = new Map();
    this.out = button(icon("zoomOut"), "Show more of the board", () => this.by(1 / STEP), { class: "plain-button zoom-button" });
    this.in = button(icon("zoomIn"), "Look closer at the board", () => this.by(STEP), { class: "plain-button zoom-button" });
    this.buttons = element("div", { class: "zoom-buttons" }, this.in, this.out);
    this.map = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    this.map.setAttribute("class", "board mini-map");
    this.map.setAttribute("aria-hidden", "true");
    this.map.setAttribute("hidden", "");
    this.copy = document.createElementNS("http://www.w3.org/2000/svg", "g");
    this.frame = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    this.frame.setAttribute("class", "mini-frame");
    this.map.append(this.copy, this.frame);
    stage.element.append(this.map);
    this.listen();
    this.show();
  }

  // Come closer by a factor; a point of the picture (in its shares) stays where it is. Without one, a picture that is shown
  // whole is entered at its focus.
  by(factor, fixed = null) {
    const { scale, x, y } = this.stage.zoomed;
    const next = Math.min(8, Math.max(1, scale * factor));
    if (!fixed && scale === 1) {
      this.stage.zoom(next, this.stage.focus());
      return this.show();
    }
    const [px, py] = fixed ?? [x || 0.5, y || 0.5];
    const middle = (share, at) => at + ((share - at) * scale) / next;
    this.stage.zoom(next, [middle(x || 0.5, px), middle(y || 0.5, py)]);
    this.show();
  }

  move(dx, dy) {
    const { scale, x, y } = this.stage.zoomed;
    this.stage.zoom(scale, [x + dx, y + dy]);
    this.show();
  }

  // The point of the picture below a pointer, in shares of the picture.
  share(event) {
    const matrix = this.stage.svg.getScreenCTM();
    if (!matrix) return [0.5, 0.5];
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
    return [point.x / this.stage.size[0], point.y / this.stage.size[1]];
  }

  show() {
    const { scale, x, y } = this.stage.zoomed;
    const isClose = scale > 1;
    this.out.disabled = !isClose;
    this.in.disabled = scale >= 8;
    this.stage.element.classList.toggle("is-close", isClose);
    this.map.toggleAttribute("hidden", !isClose);
    if (!isClose || !this.stage.size) return;
    if (!this.isDrawn) this.drawMap();
    const [width, height] = this.stage.size;
    const frame = { x: width * (x - 0.5 / scale), y: height * (y - 0.5 / scale), width: width / scale, height: height / scale };
    for (const [name, value] of Object.entries(frame)) this.frame.setAttribute(name, round(value));
  }

  // Call this when the stage shows another picture. A map that is not shown is not drawn.
  refresh() {
    this.isDrawn = false;
    this.show();
  }

  drawMap() {
    this.isDrawn = true;
    this.map.setAttribute("viewBox", `0 0 ${this.stage.size.map(round).join(" ")}`);
    this.copy.replaceChildren(...[...this.stage.picture.childNodes].map(child => child.cloneNode(true)));
  }

  listen() {
    const { svg } = this.stage;
    svg.addEventListener("wheel", event => this.wheel(event), { passive: false });
    svg.addEventListener("pointerdown", event => this.down(event));
    svg.addEventListener("pointermove", event => this.drag(event));
    for (const name of ["pointerup", "pointercancel"]) svg.addEventListener(name, event => this.up(event));
    this.map.addEventListener("pointerdown", event => {
      const here = this.map.getBoundingClientRect();
      this.stage.zoom(this.stage.zoomed.scale, [(event.clientX - here.left) / here.width, (event.clientY - here.top) / here.height]);
      this.show();
    });
  }

  // A wheel zooms where the page has nothing to scroll, and everywhere with Ctrl (as two fingers on a pad report it).
  wheel(event) {
    const root = document.documentElement;
    const scrolls = root.scrollHeight > root.clientHeight + 1;
    if (scrolls && !event.ctrlKey && this.stage.zoomed.scale === 1) return;
    event.preventDefault();
    this.by(Math.exp(-Math.max(-60, Math.min(60, event.deltaY)) / (event.ctrlKey ? 60 : 200)), this.share(event));
  }

  down(event) {
    if (event.button > 0) return;
    this.pointers.set(event.pointerId, { x: event.clientX, y: event.clientY, from: [event.clientX, event.clientY] });
    this.pinched ||= this.pointers.size > 1;
  }

  drag(event) {
    const held = this.pointers.get(event.pointerId);
    if (!held) return;
    const before = this.spread();
    const [dx, dy] = [event.clientX - held.x, event.clientY - held.y];
    held.x = event.clientX;
    held.y = event.clientY;
    if (this.pointers.size === 2 && before) {
      this.by(this.spread() / before, this.share({ clientX: this.centre("x"), clientY: this.centre("y") }));
    } else if (this.stage.zoomed.scale > 1) {
      const matrix = this.stage.svg.getScreenCTM();
      this.move(-dx / matrix.a / this.stage.size[0], -dy / matrix.d / this.stage.size[1]);
      if (Math.hypot(event.clientX - held.from[0], event.clientY - held.from[1]) > 4) this.capture(event);
    }
  }

  // A drag that has begun goes on outside the picture. A click is no drag: its target stays what was clicked.
  capture(event) {
    try {
      this.stage.svg.setPointerCapture(event.pointerId);
    } catch {
      // The pointer has gone.
    }
  }

  up(event) {
    const held = this.pointers.get(event.pointerId);
    this.pointers.delete(event.pointerId);
    const wasPinch = this.pinched;
    if (!this.pointers.size) this.pinched = false;
    if (!held || wasPinch || event.type === "pointercancel" || event.pointerType === "mouse" || this.stage.zoomed.scale > 1) return;
    const [dx, dy] = [event.clientX - held.from[0], event.clientY - held.from[1]];
    if (this.onSwipe && Math.abs(dx) > SWIPE && Math.abs(dx) > 2 * Math.abs(dy)) this.onSwipe(dx < 0 ? 1 : -1);
  }

  spread() {
    if (this.pointers.size !== 2) return 0;
    const [a, b] = [...this.pointers.values()];
    return Math.hypot(a.x - b.x, a.y - b.y);
  }

  centre(axis) {
    const all = [...this.pointers.values()];
    return all.reduce((sum, pointer) => sum + pointer[axis], 0) / all.length;
  }
}
