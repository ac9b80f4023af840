// The row of controls below the board: start, back, play, on, end, faults, speed, and the number of the step.

import { hasAddress } from "./address.js";
import { button, element, fill } from "./dom.js";
import { icon } from "./icons.js";
import { remember, remembered } from "./theme.js";

export const SPEEDS = [0.5, 1, 2, 4, 8, 16];
const KEY = "referee-speed";

export class Controls {
  // `act` has a function for each button: first, back, toggle, forward, last, faultBack, faultForward, share.
  constructor(act) {
    const control = (name, meaning, key, extra = "") =>
      button(icon(name, 22), `${meaning} (${key})`, () => act[name](), { class: `plain-button control ${extra}` });
    this.first = control("first", "To the start", "Home");
    this.faultBack = control("faultBack", "To the fault before", "b");
    this.back = control("back", "One step back", "left arrow");
    this.play = button(icon("play", 22), "Play (space)", () => act.toggle(), { class: "plain-button control control-play" });
    this.forward = control("forward", "One step on", "right arrow");
    this.faultForward = control("faultForward", "To the next fault", "n");
    this.last = control("last", "To the end", "End");
    this.number = element("output", { class: "step-number", "aria-live": "off" });
    this.speeds = element("select", { class: "speed", "aria-label": "Speed", title: "Speed (+ and -)", onchange: () => this.keepSpeed() },
      SPEEDS.map(speed => element("option", { value: speed }, `${speed}×`)));
    this.speeds.value = SPEEDS.includes(Number(remembered(KEY))) ? remembered(KEY) : "1";
    this.share = button(icon("link"), "Copy a link to this moment (c)", () => act.share(), { class: "plain-button control share" });
    this.share.hidden = !hasAddress();
    this.buttons = element("div", { class: "control-buttons", role: "group", "aria-label": "Steps" },
      this.first, this.faultBack, this.back, this.play, this.forward, this.faultForward, this.last);
    this.zooms = element("div", { class: "zooms" });
    this.element = element("div", { class: "controls" }, this.buttons, this.number,
      element("div", { class: "control-extras" }, this.speeds, this.zooms, this.share));
    // A click leaves the focus where it was, so that the space bar still plays and does not repeat the click.
    this.element.addEventListener("mousedown", event => { if (event.target.closest("button")) event.preventDefault(); });
  }

  get speed() {
    return Number(this.speeds.value);
  }

  keepSpeed() {
    remember(KEY, this.speeds.value);
  }

  changeSpeed(by) {
    const next = Math.min(SPEEDS.length - 1, Math.max(0, SPEEDS.indexOf(this.speed) + by));
    this.speeds.value = String(SPEEDS[next]);
    this.keepSpeed();
  }

  showPlaying(isPlaying) {
    const meaning = isPlaying ? "Pause (space)" : "Play (space)";
    this.play.replaceChildren(icon(isPlaying ? "pause" : "play", 22));
    this.play.title = meaning;
    this.play.setAttribute("aria-label", meaning);
  }

  show(at, last, whereabouts, faults) {
    fill(this.number, element("span", {}, `${at} of ${last}`), whereabouts ? element("span", { class: "whereabouts" }, whereabouts) : null);
    for (const each of [this.first, this.back]) each.disabled = at === 0;
    for (const each of [this.forward, this.last]) each.disabled = at === last;
    this.faultBack.hidden = this.faultForward.hidden = !faults.length;
    this.faultBack.disabled = !faults.some(fault => fault.at < at);
    this.faultForward.disabled = !faults.some(fault => fault.at > at);
  }
}
