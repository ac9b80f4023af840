// The author's own entry: upload a submission, see build and test as they go, and what came of each submission.

import { element, fill } from "./dom.js";
import { asked } from "./token.js";

const EVERY_MS = 1000;
const STAGES = { queued: "Queued", unpacking: "Unpacking", building: "Building", testing: "Testing" };
const STATES = {
  entered: "Entered: it plays.", replaced: "Replaced by a newer one.", failed: "Not entered.",
  waiting: "Waiting for the organiser.",
};

// Show the entry of the bot whose author has this token; return null if the event takes no uploads.
export async function entry(token) {
  const first = await asked("api/v1/entry", token);
  if (!first.open) return null;
  const host = { trial: element("div", { role: "status" }), list: element("div", {}) };
  const outcome = element("p", { class: "outcome", role: "status" });
  const follow = async known => {
    const now = known ?? await asked("api/v1/entry", token);
    fill(host.trial, trial(now.trial));
    const opened = new Set([...host.list.querySelectorAll("details[open]")].map(one => one.dataset.number));
    fill(host.list, submissions(now, opened));
    if (now.trial && now.trial.stage !== "not tried") setTimeout(() => follow().catch(() => {}), EVERY_MS);
  };
  const form = uploadForm(first.most_bytes, async file => {
    outcome.textContent = `Sending ${file.name}…`;
    try {
      await send(file, token);
      outcome.textContent = `${file.name} is here.`;
    } catch (error) {
      outcome.textContent = `Not taken: ${error.message}.`;
    }
    await follow();
  });
  await follow(first);
  return element("section", { class: "entry" }, element("h2", {}, "Your submission"),
    first.deadline && element("p", { class: "fine" }, `Deadline: ${first.deadline.replace("T", " ")}. Later ones wait for the organiser.`),
    first.left_out && element("p", { class: "warn" }, "The organiser has left this bot out of the event."),
    form, outcome, host.trial, host.list);
}

function uploadForm(most, then) {
  const input = element("input", { type: "file", required: true, id: "submission" });
  const hint = element("span", { class: "fine" }, `A zip, a tar or a single file of at most ${Math.floor(most / 2 ** 20)} MiB`);
  const label = element("label", { class: "drop", for: "submission" }, element("span", {}, "Choose a file, or drop it here"), hint, input);
  const form = element("form", { class: "token-form" }, label, element("button", {}, "Submit"));
  for (const kind of ["dragover", "dragleave", "drop"]) {
    label.addEventListener(kind, event => {
      event.preventDefault();
      label.classList.toggle("over", kind === "dragover");
      if (kind === "drop" && event.dataTransfer.files.length) input.files = event.dataTransfer.files;
    });
  }
  form.addEventListener("submit", async event => {
    event.preventDefault();
    const [file] = input.files;
    if (!file) return;
    const button = form.querySelector("button");
    button.disabled = true;
    await then(file);
    button.disabled = false;
    form.reset();
  });
  return form;
}

async function send(file, token) {
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/octet-stream" };
  const path = `api/v1/entry/${encodeURIComponent(file.name)}`;
  const answer = await fetch(path, { method: "POST", headers, body: file, credentials: "omit", cache: "no-store" });
  const found = await answer.json();
  if (!answer.ok) throw new Error(found.error ?? `the site answers ${answer.status}`);
}

function trial(now) {
  if (!now) return null;
  const words = now.stage === "not tried"
    ? "It could not be tried: the organiser's log says why."
    : `${STAGES[now.stage] ?? now.stage} ${now.file}…${now.before ? ` (${now.before} before it)` : ""}`;
  const order = Object.keys(STAGES);
  const steps = order.map(stage => element("li", {
    class: order.indexOf(stage) < order.indexOf(now.stage) ? "done" : null,
    "aria-current": stage === now.stage ? "step" : null,
  }, STAGES[stage]));
  return [element("p", { class: "state" }, words), element("ol", { class: "steps" }, steps), now.text && log("Its build", now.text)];
}

function submissions({ submissions: all }, opened) {
  if (!all.length) return element("p", {}, "Nothing was submitted yet.");
  return all.map(one => element("details", { class: "dossier", "data-number": one.number, open: opened.has(String(one.number)) },
    element("summary", {}, element("strong", { class: `entry-${one.state}` }, STATES[one.state] ?? one.state), " ",
      element("bdi", {}, one.file), " ", element("span", { class: "fine" }, one.received.replace("T", " ").slice(0, 19), " UTC"),
      one.why && element("span", { class: "reason" }, one.why)),
    [...one.notes, ...(one.ignored.length ? [`Ignored: ${one.ignored.join(", ")}`] : [])].map(text => element("p", { class: "fine" }, text)),
    element("p", { class: "fine" }, `${one.language || "Language not recognised"} · SHA-256 ${one.digest.slice(0, 16)}…`),
    one.log && log("Build and test", one.log)));
}

function log(label, text) {
  return element("pre", { class: "log", tabindex: "0", role: "region", "aria-label": label }, text);
}
