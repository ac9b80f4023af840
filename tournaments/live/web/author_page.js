// The page of an author: the own entry, the matches of the bot, and of those with a fault its logs. Logs are texts, never markup.

import { element, fill } from "./dom.js";
import { entry } from "./entry_upload.js";
import { cards, cell, head, listed, replayAddress } from "./tables.js";
import { askForToken, asked, forgetToken, ownToken } from "./token.js";

const KEY = "referee-author";
const host = document.getElementById("author");
const WORDS = [
  "The organiser gives the author of a bot a link with a token.",
  "With the key of your bot you can make one yourself: referee site login ADDRESS --key FILE --server-key KEY",
];

let token = ownToken(KEY);

async function open() {
  if (!token) {
    askForToken(host, KEY, WORDS, given => { token = given; open(); });
    return;
  }
  try {
    const [own, found] = await Promise.all([entry(token), asked("api/v1/author", token)]);
    show(found, own);
  } catch (error) {
    refused(error);
  }
}

function refused(error) {
  if (error.status === 401) {
    forgetToken(KEY);
    token = "";
    askForToken(host, KEY, [`The site says: ${error.message}.`, ...WORDS], given => { token = given; open(); });
  } else {
    fill(host, element("p", { class: "warn", role: "alert" }, `The site says: ${error.message}.`));
  }
}

function show({ bot, matches, left_out: leftOut, start }, own) {
  const faults = matches.filter(match => match.dossier);
  fill(host,
    element("div", { class: "desk" }, element("span", {}, "Signed in for ", element("bdi", {}, bot)),
      element("button", { type: "button", onclick: () => { forgetToken(KEY); token = ""; open(); } }, "Sign out")),
    own, failedStart(leftOut, start),
    element("h2", {}, `Logs (${faults.length})`),
    faults.length ? faults.map(dossier) : element("p", {}, "Logs are kept of matches with a fault; it has none."),
    element("h2", {}, `Its matches (${matches.length})`),
    matches.length ? table(matches) : element("p", {}, "No match of it is over yet."));
}

function failedStart(leftOut, start) {
  if (!leftOut && !start) return null;
  return element("section", { "aria-labelledby": "start-title" },
    element("h2", { id: "start-title" }, leftOut ? "It was left out" : "It did not start"),
    element("p", { class: "warn" }, leftOut ? `Left out of the event: ${leftOut}.` : "It did not start, so it lost its matches."),
    start && [
      element("p", {}, element("code", {}, start.fault), `: ${start.why}`),
      start.exit && start.exit !== start.why && element("p", {}, `Its process: ${start.exit}.`),
      start.advice && element("p", {}, `What to do: ${start.advice}.`),
      element("h3", {}, "stderr"),
      log("stderr of its start", start.stderr || "(nothing)"),
    ]);
}

function dossier(match) {
  const body = element("div", {});
  const codes = match.seats.map(seat => match.faults[seat] && element("span", { class: "fault" }, match.faults[seat]));
  const summary = element("summary", {}, element("span", { class: "match-id" }, match.match), " ",
    listed(match.bots, " – "), " ", codes);
  const made = element("details", { class: "dossier" }, summary, body);
  made.addEventListener("toggle", async () => {
    if (!made.open || body.childElementCount) return;
    try {
      const { seats } = await asked(`api/v1/author/${encodeURIComponent(match.match)}`, token);
      fill(body, seats.length ? seats.map(logs) : element("p", {}, "Its logs are no longer there."));
    } catch (error) {
      fill(body, element("p", { class: "warn" }, `The site says: ${error.message}.`));
    }
  });
  return made;
}

function logs(own) {
  const clock = `Clock: answers took ${ms(own.took_us)} in all, ${own.charged_ms} ms were charged; `
    + `median ${ms(own.median_us)}, slowest ${ms(own.slowest_us)}.`;
  return element("div", {},
    own.why && element("p", {}, own.why), own.exit && element("p", {}, `Its process: ${own.exit}.`),
    element("p", { class: "fine" }, clock),
    element("h3", {}, "stderr"),
    own.dropped_bytes > 0 && element("p", { class: "fine" }, `${own.dropped_bytes} bytes before this were not kept.`),
    log("stderr", own.stderr || "(nothing)"),
    element("h3", {}, "Its last messages"),
    log("Its last messages", own.messages.map(line).join("\n") || "(none)"));
}

function log(label, text) {
  return element("pre", { class: "log", tabindex: "0", role: "region", "aria-label": label }, text);
}

function line({ ms: at, way, line: said }) {
  return `${String(at).padStart(7)} ms ${way === "to" ? "→" : "←"} ${said}`;
}

function ms(us) {
  return `${(us / 1000).toLocaleString("en", { maximumFractionDigits: 1 })} ms`;
}

function table(matches) {
  const rows = matches.map(match => element("tr", {},
    head(match.match, "match-id"),
    cell("Opponents", listed(match.bots.filter((_, seat) => !match.seats.includes(seat)), ", "), "wide"),
    cell("Rank", match.seats.map(seat => match.ranks[seat]).join(", "), "number"),
    cell("Took", match.times.map(time => ms(time.took_us)).join(", "), "number"),
    cell("Look", match.replay === "shown" && element("a", { href: replayAddress(match.match, match.seats[0]) }, "replay"))));
  return cards("Its matches", ["Match", "Opponents", "#Rank", "#Took", "Look"], rows);
}

open();
