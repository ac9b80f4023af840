// What is being played now: the running matches, the queue, the bots, and how the referee does.

import { element, fill } from "./dom.js";
import { cards, cell, head, listed, watchAddress } from "./tables.js";

const host = document.getElementById("live");

document.addEventListener("referee:status", event => show(event.detail));

// A site without a referee that plays sends no state; the interface says so.
fetch("api/v1/status", { credentials: "omit" }).then(answer => answer.json()).then(found => {
  if (host.getAttribute("aria-busy") === "true") show(found.status);
}, () => fill(host, warning("The referee does not answer now; this page tries again by itself.")));

function show(status) {
  host.removeAttribute("aria-busy");
  if (!status) {
    fill(host, element("p", {}, "Nothing is being played here now. ", element("a", { href: "index.html" }, "The standings")));
    return;
  }
  const focused = document.activeElement?.getAttribute?.("href");
  fill(host, notes(status), tiles(status), running(status), queue(status), bots(status));
  const again = focused && [...host.querySelectorAll("a")].find(link => link.getAttribute("href") === focused);
  again?.focus({ preventScroll: true });
}

function notes(status) {
  return [
    status.paused && warning("Paused by the organiser: no more matches begin, those that run are played on."),
    status.draining && warning("Stopping: the matches that run are played to their end, and no more begin."),
    status.frozen && warning("The table is frozen: running matches are not shown until it is revealed."),
    status.late_ms > 500 && warning(`The referee is busy: it was ${status.late_ms} ms late. Bots are not charged for that.`),
  ];
}

function warning(text) {
  return element("p", { class: "warn" }, text);
}

function tiles(status) {
  const tile = (value, name) => element("div", { class: "tile" }, element("dt", {}, name), element("dd", {}, value.toLocaleString("en")));
  return element("dl", { class: "tiles" }, tile(status.playing, "running"), tile(status.waiting, "in the queue"),
    !status.frozen && tile(status.bots.length, "bots here"), tile(status.finished, "finished in this run"), status.void > 0 && tile(status.void, "void"));
}

function running(status) {
  const rows = status.running.map(line => element("tr", {},
    head(line.match, "match-id"), cell("Bots", listed(line.names), "wide"), cell("For", lasting(line.seconds), "number"),
    cell("Look", line.shown ? element("a", { href: watchAddress(line.match) }, "watch")
      : element("span", { class: "self", title: reason(status) }, "not yet"))));
  const hidden = status.running.filter(line => !line.shown).length;
  return element("section", {},
    element("h2", {}, "Running matches"),
    rows.length ? cards("Running matches", ["Match", "Bots", "#For", "Look"], rows)
      : !status.playing && element("p", {}, "No match runs at this moment."),
    status.playing > rows.length && element("p", { class: "fine" }, unlisted(status.playing - rows.length, rows.length)),
    hidden > 0 && element("p", { class: "fine" }, reason(status)));
}

function unlisted(count, shown) {
  return `${count} ${shown ? "more are" : count === 1 ? "match is" : "matches are"} not listed.`;
}

function reason(status) {
  if (status.frozen) return "The organiser has frozen the table.";
  return "A match is shown while it runs if no other match is still to play its deal: "
    + "what a deal holds would help the bots that get it next.";
}

function queue(status) {
  if (!status.waiting) return null;
  const rest = status.waiting - status.coming.length;
  return element("section", {}, element("h2", {}, "Next in the queue"),
    status.coming.length > 0 && element("ol", { class: "coming" }, status.coming.map(names => element("li", {}, listed(names)))),
    rest > 0 && element("p", { class: "fine" }, `${rest} more ${rest === 1 ? "match waits" : "matches wait"}.`));
}

function bots(status) {
  if (!status.bots.length) return null;
  const line = bot => element("li", {}, listed([bot.name]), bot.playing > 0 && element("span", { class: "fine" }, ` plays ${bot.playing}`));
  return element("section", {}, element("h2", {}, "Bots that are here"), element("ul", { class: "here" }, status.bots.map(line)));
}

function lasting(seconds) {
  return seconds < 90 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}
