// What happened, step by step, in words: beside the board. The step that is shown is marked, and a click goes to one.

import { element, fill } from "./dom.js";
import { duration, faultInWords } from "./recording.js";
import { seatName } from "./seats.js";

export class EventList {
  constructor(onMove) {
    this.onMove = onMove;
    this.items = new Map();
    this.list = element("ol", { class: "event-list", "aria-label": "What happened" });
    this.element = element("section", { class: "events", "aria-label": "Events" }, this.list);
  }

  load(recording, viewer) {
    this.items.clear();
    const items = [];
    for (let at = 0; at <= recording.last; at++) {
      const words = this.words(recording, viewer, at);
      if (!words.length) continue;
      const item = element("button", { type: "button", tabindex: "-1", class: "event", "data-at": at, onclick: () => this.onMove(at) },
        element("span", { class: "event-number" }, at), element("span", { class: "event-words" }, words));
      this.items.set(at, item);
      items.push(element("li", {}, item));
    }
    fill(this.list, items);
    this.current = null;
  }

  words(recording, viewer, at) {
    const step = recording.step(viewer, at);
    const words = [];
    if (at === 0) words.push(element("span", { class: "event-said" }, "The match begins"));
    if (step.did) words.push(...this.deed(recording, step.did));
    for (const sentence of step.said ?? []) words.push(element("span", { class: "event-said" }, sentence));
    return words;
  }

  deed(recording, did) {
    if (did.fault) {
      const { sentence, advice } = faultInWords(recording, did);
      return [element("span", { class: "event-fault" }, sentence), advice ? element("span", { class: "event-advice" }, advice) : null];
    }
    if (did.action === undefined) return [];
    const how = { plan: "planned before", house: "played by the house" }[did.by] ?? duration(did.took_us ?? 0);
    return [element("span", { class: "event-deed" }, seatName(did.seat, recording.names[did.seat]), " ",
      element("code", { class: "event-action" }, did.action), " ", element("span", { class: "event-time" }, how))];
  }

  // Mark a step, or the last one before it that has words.
  show(at) {
    let step = at;
    while (step > 0 && !this.items.has(step)) step--;
    const item = this.items.get(step);
    if (item === this.current) return;
    if (this.current) {
      this.current.removeAttribute("aria-current");
      this.current.tabIndex = -1;
    }
    this.current = item ?? null;
    if (!item) return;
    item.setAttribute("aria-current", "step");
    item.tabIndex = 0;
    // With the next picture: to measure at once would lay out the page twice.
    requestAnimationFrame(() => { if (item === this.current) this.reveal(item); });
  }

  // Scroll the list, and nothing else: the page stays where it is.
  reveal(item) {
    const [top, bottom] = [item.offsetTop, item.offsetTop + item.offsetHeight];
    const { scrollTop, clientHeight } = this.list;
    if (top < scrollTop + 24 || bottom > scrollTop + clientHeight - 24) this.list.scrollTop = top - (clientHeight - item.offsetHeight) / 2;
  }
}
