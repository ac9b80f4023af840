// The list of all legal actions: grouped by their first word, narrowed by clicks on the board and by typing.

import { element, fill } from "./dom.js";
import { byVerb, matches } from "./seat_choice.js";

const OPEN = 14;

export class ActionList {
  // `onTake` is called with an action that was chosen, `onLook` with one that is pointed at, or null.
  constructor({ onTake, onLook }) {
    this.onTake = onTake;
    this.onLook = onLook;
    this.closed = new Set();
    this.filter = element("input", {
      type: "search", id: "filter", autocomplete: "off", spellcheck: "false", placeholder: "Type to search  ( / )",
      "aria-describedby": "action-count", oninput: () => this.draw(), onkeydown: event => this.typed(event),
    });
    this.count = element("p", { id: "action-count", class: "soft", role: "status" });
    this.groups = element("div", { class: "action-groups", onkeydown: event => this.move(event) });
    this.element = element("section", { class: "panel actions", "aria-labelledby": "actions-title" },
      element("h2", { id: "actions-title" }, "All your actions"),
      element("label", { class: "off-screen", for: "filter" }, "Search the actions"), this.filter, this.count, this.groups);
  }

  // Show the actions of a decision; `remaining` are those that the clicks on the board leave.
  show(actions, remaining) {
    this.actions = actions;
    this.remaining = remaining;
    this.draw();
  }

  reset() {
    this.filter.value = "";
    this.closed.clear();
  }

  found() {
    const typed = this.filter.value;
    return typed.trim() ? this.remaining.filter(each => matches(each, typed)) : this.remaining;
  }

  draw() {
    const found = this.found();
    const all = this.actions.length;
    this.element.hidden = all === 0;
    this.count.textContent = found.length === all ? `${all} ${all === 1 ? "action" : "actions"}` : `${found.length} of ${all} actions`;
    const groups = [...byVerb(found)];
    const few = found.length <= OPEN || groups.length === 1 || found.length < all;
    fill(this.groups, groups.map(([verb, actions]) => this.group(verb, actions, few || actions.length <= 3)));
  }

  group(verb, actions, few) {
    const buttons = actions.map(each => element("button", {
      type: "button", class: "action", onclick: () => this.onTake(each.action),
      onpointerenter: () => this.onLook(each.action), onpointerleave: () => this.onLook(null),
      onfocus: () => this.onLook(each.action), onblur: () => this.onLook(null),
    }, element("code", {}, each.action), each.meaning ? element("span", { class: "meaning" }, each.meaning) : null));
    if (actions.length === 1) return element("div", { class: "action-group" }, buttons);
    const head = element("summary", {}, verb, element("span", { class: "soft" }, ` ${actions.length}`));
    return element("details", { class: "action-group", open: few }, head, buttons);
  }

  visible() {
    return [...this.groups.querySelectorAll("button.action, summary")].filter(each => each.offsetParent !== null);
  }

  // Enter takes the only action that is left; the arrow goes into the list.
  typed(event) {
    if (event.key === "Enter") {
      event.preventDefault();
      const found = this.found();
      const exact = found.filter(each => each.action.toLowerCase() === this.filter.value.trim().toLowerCase());
      const chosen = exact.length === 1 ? exact[0] : found.length === 1 ? found[0] : null;
      if (chosen) this.onTake(chosen.action); else this.visible()[0]?.focus();
    } else if (event.key === "ArrowDown") {
      event.preventDefault();
      this.visible()[0]?.focus();
    } else if (event.key === "Escape" && this.filter.value) {
      event.preventDefault();
      event.stopPropagation();
      this.filter.value = "";
      this.draw();
    }
  }

  move(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const all = this.visible();
    const next = all.indexOf(document.activeElement) + step;
    if (next < 0) this.filter.focus(); else all[Math.min(next, all.length - 1)]?.focus();
  }
}
