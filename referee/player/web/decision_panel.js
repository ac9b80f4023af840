// The decision that is due in the position shown: what was chosen, what else was legal, and how to ask a bot again here.

import { button, copied, element, fill } from "./dom.js";
import { icon } from "./icons.js";
import { duration, faultInWords } from "./recording.js";
import { seatName } from "./seats.js";

const MOST = 400;

export class DecisionPanel {
  // `onLight` is called with the action whose places are to be lit, or with null.
  constructor(onLight) {
    this.onLight = onLight;
    this.element = element("section", { class: "decision", "aria-label": "The decision here" });
  }

  show(recording, viewer, at) {
    const due = recording.decision(viewer, at);
    this.pinned = null;
    this.onLight(null);
    if (at >= recording.last) return fill(this.element, element("p", { class: "decision-none" }, "The match is over here."));
    if (!due) return fill(this.element, element("p", { class: "decision-none" }, unknownDecision(recording, viewer, at)));
    const number = due.decision ? element("span", { class: "decision-number" }, `decision ${due.decision}`) : null;
    const title = element("h2", { class: "decision-title" }, "Next: ", seatName(due.seat, recording.names[due.seat]), number);
    return fill(this.element, title, due.fault ? faultLines(recording, due) : this.choice(due), again(recording, due));
  }

  choice(due) {
    const others = { plan: "as planned before", house: "by the house, for a bot that failed" };
    const how = others[due.by] ?? `after ${duration(due.took_us ?? 0)}`;
    const chose = element("p", { class: "decision-chosen" }, "Chose ", element("code", {}, due.action), ` ${how}`);
    if (!due.legal) return [chose];
    const count = due.legal.length;
    const items = due.legal.slice(0, MOST).map(action => this.item(action, action === due.action));
    const list = element("ul", { class: "legal-list" }, items);
    const more = count > MOST ? element("p", { class: "decision-none" }, `and ${count - MOST} more`) : null;
    const words = count === 1 ? "It was the only legal action:" : `of ${count} legal actions:`;
    return [chose, element("p", { class: "legal-count" }, words), list, more];
  }

  item(action, isChosen) {
    const light = () => this.onLight(action);
    const made = button(action, action, event => this.pin(event.currentTarget, action), {
      class: `legal-action${isChosen ? " is-chosen" : ""}`, "aria-pressed": "false", "aria-label": isChosen ? `${action} (chosen)` : action,
      title: "Show where this belongs on the board", onpointerenter: light, onfocus: light,
      onpointerleave: () => this.onLight(this.pinned), onblur: () => this.onLight(this.pinned),
    });
    return element("li", {}, made);
  }

  // A click keeps an action lit, so that it can be looked at on a phone.
  pin(item, action) {
    const wasPinned = this.pinned === action;
    this.pinned = wasPinned ? null : action;
    for (const other of this.element.querySelectorAll(".legal-action")) {
      other.setAttribute("aria-pressed", String(!wasPinned && other === item));
    }
    this.onLight(this.pinned);
  }
}

function unknownDecision(recording, viewer, at) {
  const due = recording.toAct(viewer, at).map(seat => recording.names[seat]);
  if (!due.length) return `${capital(recording.nameOf(viewer))} knows of no decision here.`;
  return `${due.join(" and ")} decides here; ${recording.nameOf(viewer)} does not see the choice.`;
}

const capital = words => words[0].toUpperCase() + words.slice(1);

function faultLines(recording, due) {
  const { sentence, advice } = faultInWords(recording, due);
  return [element("p", { class: "event-fault" }, sentence), advice ? element("p", { class: "event-advice" }, advice) : null];
}

// The command that asks a bot at this decision again.
export function commandAgain(recording, due) {
  const file = recording.about.file || `${recording.id}.jsonl`;
  return `referee at ${quoted(file)} --seat ${due.seat} --decision ${due.decision} -- COMMAND`;
}

const quoted = word => (/^[\w./:+@%,=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

function again(recording, due) {
  if (!due.decision) return null;
  const command = commandAgain(recording, due);
  const state = element("span", { role: "status", class: "copy-state" });
  const copy = button(icon("copy", 16), "Copy the command", async () => {
    state.textContent = (await copied(command)) ? "copied" : "select the text to copy it";
  }, { class: "plain-button copy-button" });
  return element("details", { class: "again" }, element("summary", {}, "Ask my bot again here"),
    element("p", { class: "again-line" }, element("code", { class: "again-command" }, command), copy, state),
    element("p", { class: "event-advice" }, "Put the command line of your bot, or the name of a sample bot, in place of COMMAND."));
}
