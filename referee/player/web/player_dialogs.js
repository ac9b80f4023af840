// What opens over the player: help on its keys, and the legend with the facts of the match.

import { button, element, fill } from "./dom.js";
import { icon } from "./icons.js";

const KEYS = [
  [["Space"], "play and pause"],
  [["←", "→"], "one step back, one step on"],
  [["Page up", "Page down"], "ten steps back, ten steps on"],
  [["Home", "End"], "to the start, to the end"],
  [["b", "n"], "to the fault before, to the next fault"],
  [["+", "-"], "faster, slower"],
  [["0", "…", "5"], "see what this seat saw"],
  [["p"], "see what the public saw"],
  [["e"], "see everything, as the referee"],
  [["i", "o"], "look closer at the board, show more of it"],
  [["c"], "copy a link to this moment"],
  [["l"], "legend, and facts of the match"],
  [["d"], "dark or light"],
  [["f"], "full screen"],
  [["?"], "this help"],
];

export class PlayerDialog {
  constructor(title) {
    this.body = element("div", { class: "dialog-body" });
    const close = button(icon("close"), "Close", () => this.element.close(), { class: "plain-button dialog-close" });
    this.element = element("dialog", { class: "dialog", "aria-label": title },
      element("div", { class: "dialog-head" }, element("h2", {}, title), close), this.body);
    this.element.addEventListener("click", event => { if (event.target === this.element) this.element.close(); });
  }

  get isOpen() {
    return this.element.open;
  }

  toggle(...content) {
    if (this.isOpen) return this.element.close();
    fill(this.body, ...content);
    this.element.showModal();
    return undefined;
  }
}

export function keyList() {
  return [
    element("dl", { class: "key-list" }, KEYS.map(([keys, meaning]) => [
      element("dt", {}, keys.map(key => (key === "…" ? " … " : [element("kbd", {}, key), " "]))), element("dd", {}, meaning)])),
    element("p", { class: "event-advice" },
      "On a touch screen: swipe over the board to step, two fingers to look closer. Wheel and drag do the same with a mouse. " +
      "Point at an action in the list to see where it belongs. The address of the page names the moment that is shown."),
  ];
}

export function matchFacts(recording) {
  const { frames } = recording;
  const options = Object.entries(frames.changed_options ?? {}).map(([name, value]) => `${name}=${value}`).join(" ");
  const facts = [["Game", frames.title], ["Match", frames.match], ["Played", frames.started], ["Deal", frames.deal],
    ["Options", options || "the defaults"], ["Profile", frames.profile], ["Replay", recording.about.file],
    ["Page made by", `referee ${frames.referee}`]];
  const known = facts.filter(([, value]) => value);
  return element("dl", { class: "fact-list" }, known.map(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]));
}
