// The desk of the organiser: what is played, acts, the true table, and the links of authors.

import { copied, element, fill } from "./dom.js";
import { cards, cell, head, listed } from "./tables.js";
import { askForToken, asked, forgetToken, ownToken } from "./token.js";

const KEY = "referee-organiser";
const WORDS = ["The command that plays prints the organiser's link; so does: referee site token FILE --organiser"];
const EVERY_MS = 5000;
const host = document.getElementById("organiser");
const outcome = element("p", { class: "outcome", role: "status" });
const text = element("textarea", { rows: "2", maxlength: "500", id: "announcement" });
let token = ownToken(KEY);
let frame = null;

async function open() {
  if (!token) {
    askForToken(host, KEY, WORDS, opened);
    return;
  }
  try {
    show(await asked("api/v1/organiser", token));
  } catch (error) {
    if (error.status !== 401) {
      fill(host, element("p", { class: "warn", role: "alert" }, `The site says: ${error.message}.`));
      return;
    }
    forgetToken(KEY);
    token = "";
    askForToken(host, KEY, [`The site says: ${error.message}.`, ...WORDS], opened);
  }
}

function opened(given) {
  token = given;
  frame = null;
  open();
}

// The form stays while the rest is brought up to date: what is being typed is not lost.
function show(desk) {
  if (!frame) {
    frame = { state: element("div", {}), acts: element("div", { class: "desk" }), rest: element("div", {}) };
    text.value = desk.notes.announcement;
    const form = element("form", { class: "token-form" },
      element("label", {}, element("span", {}, "Announcement on all pages (empty: none)"), text), element("button", {}, "Announce"));
    form.addEventListener("submit", event => {
      event.preventDefault();
      act("announce", text.value.trim());
    });
    fill(host, frame.state, element("h2", {}, "Acts"), frame.acts, form, outcome, frame.rest);
    document.addEventListener("referee:updated", open);
    setInterval(() => { if (token && !document.hidden) open(); }, EVERY_MS);
  }
  fill(frame.state, state(desk));
  const focused = document.activeElement?.dataset?.act;
  fill(frame.acts, buttons(desk));
  if (focused) frame.acts.querySelector(`[data-act="${focused}"]`)?.focus();
  const opened = frame.rest.querySelector("details")?.open ?? false;
  fill(frame.rest, entries(desk), table(desk), log(desk), authors(desk, opened));
}

function state({ status, notes, state: event }) {
  return [
    element("p", { class: "state" }, status ? counts(status) : "Nothing is being played by this command now.",
      event.left > 0 && ` ${event.left} matches are left in all.`),
    status?.paused && element("p", { class: "warn" }, "Paused: no more matches begin."),
    status?.draining && element("p", { class: "warn" }, "Stopping: the running matches are played to their end."),
    notes.frozen && element("p", { class: "warn" }, "Frozen: the public sees an older table. The table below is the true one."),
  ];
}

function counts(status) {
  return `${status.playing} running, ${status.waiting} in the queue, ${status.finished} finished in this run`
    + `${status.void ? `, ${status.void} void` : ""}; ${status.bots.length} bots here.`;
}

function buttons({ status, notes }) {
  const made = (name, label, on, meaning, grave = false) => element("button", {
    type: "button", "data-act": name, disabled: !on, title: meaning, class: grave ? "grave" : null, onclick: () => act(name),
  }, label);
  return [
    made("pause", "Pause", status && !status.paused, "No more matches begin; those that run are played on"),
    made("resume", "Resume", status?.paused, "Matches begin again"),
    made("freeze", "Freeze the table", !notes.frozen, "The public sees the table as it is now, until it is revealed"),
    made("reveal", "Reveal", notes.frozen, "The public sees everything", true),
    made("drain", "Stop after the running matches", status && !status.draining, "The command ends after the running matches", true),
  ];
}

const GRAVE = {
  "leave out": "Leave this bot out of the event? It can be taken in again.",
  reveal: "Show the public all results?",
  drain: "Stop the event after the running matches? The same command goes on later.",
};

async function act(name, words = "") {
  if (GRAVE[name] && !confirm(GRAVE[name])) return;
  outcome.textContent = "…";
  try {
    const done = await asked("api/v1/organiser", token, { act: name, text: words });
    outcome.textContent = `${done.ok ? "Done" : "Not done"}: ${done.note}.`;
  } catch (error) {
    outcome.textContent = `Not done: ${error.message}.`;
  }
  open();
}

// Every bot of the event: of a submission or of the file, with what the organiser may decide.
function entries({ entries: lines }) {
  if (!lines.length) return null;
  const button = (name, label, bot, grave = false) => element("button", {
    type: "button", class: grave ? "grave" : null, "aria-label": `${label}: ${bot}`, onclick: () => act(name, bot),
  }, label);
  const rows = lines.map(line => element("tr", {}, head(listed([line.bot])),
    cell("State", [element("span", { class: `entry-${line.state.replace(" ", "-")}` }, line.state), line.why && element("span", { class: "reason" }, line.why)], "wide"),
    cell("Authors", line.authors.length ? listed(line.authors, "; ") : "–", "wide"),
    cell("Decide", element("span", { class: "desk" },
      ["waiting", "left out"].includes(line.state) && button("approve", "Approve", line.bot),
      ["waiting", "entered"].includes(line.state) && button("leave out", "Leave out", line.bot, true)))));
  return element("section", {}, element("h2", {}, "Entries"), cards("Entries", ["Bot", "State", "Authors", "Decide"], rows));
}

function table({ table: lines }) {
  const rows = lines.map(line => element("tr", {}, head([`${line.place}. `, listed([line.name])]),
    cell("Elo", line.elo === null ? "–" : Math.round(line.elo), "number"), cell("Matches", line.matches, "number")));
  return element("section", {}, element("h2", {}, "The true table"), cards("The true table", ["Bot", "#Elo", "#Matches"], rows));
}

function log({ acts }) {
  if (!acts.length) return null;
  const line = ({ at, results, act: name, text: words }) => element("li", {},
    element("time", { datetime: at }, at.replace("T", " ").slice(0, 19)),
    ` UTC, after ${results} results: ${name}`, words && ` “${words}”`);
  const list = element("ol", { class: "said", reversed: true }, acts.toReversed().map(line));
  return element("section", {}, element("h2", {}, "What was done"), list);
}

function authors({ authors: lines }, isOpen) {
  const copy = line => async event => {
    const link = new URL(`author.html#${line.token}`, location.href).href;
    event.target.textContent = (await copied(link)) ? "Copied" : link;
  };
  const rows = lines.map(line => element("tr", {}, head(listed([line.bot])),
    cell("Link", element("button", { type: "button", onclick: copy(line) }, "Copy the link"))));
  const list = cards("Links for authors", ["Bot", "Link"], rows);
  return element("section", {}, element("h2", {}, "Links for authors"),
    element("p", {}, "Each link shows the logs of one bot. It is for the author of that bot alone."),
    element("details", { open: isOpen }, element("summary", {}, `${lines.length} bots`), list));
}

open();
