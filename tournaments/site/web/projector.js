// The projector: one slide after the other by itself, and a reveal of the places, one by one from the last to the first.

import { button, element, isTyping } from "./dom.js";
import { toggleTheme } from "./theme.js";

const SECONDS = 12;

const keys = document.querySelector(".projector-keys");
let shown = 0;
let paused = false;
let revealing = false;
let revealed = 0;
let timer = 0;

const slides = () => [...document.querySelectorAll(".slide:not(.reveal)")];
const reveal = () => document.querySelector(".slide.reveal");
const places = () => [...document.querySelectorAll(".reveal-list li")];

// Seconds for each slide: from the address (`#every=20`).
function every() {
  const asked = Number(new URLSearchParams(location.hash.slice(1)).get("every"));
  return asked > 0 ? Math.max(0.2, asked) : SECONDS;
}

function show() {
  slides().forEach((slide, at) => { slide.hidden = revealing || at !== shown; });
  reveal().hidden = !revealing;
  places().forEach((place, at) => {
    place.classList.toggle("unrevealed", at >= revealed);
    place.classList.toggle("just-revealed", at === revealed - 1);
  });
  pauseButton.setAttribute("aria-pressed", String(paused));
  revealButton.setAttribute("aria-pressed", String(revealing));
}

function turn(by) {
  const count = slides().length;
  shown = (shown + by + count) % count;
  show();
  wait();
}

function wait() {
  clearTimeout(timer);
  if (!paused && !revealing) timer = setTimeout(() => turn(1), every() * 1000);
}

function pause() {
  paused = !paused;
  show();
  wait();
}

function beginReveal() {
  revealing = !revealing;
  revealed = 0;
  show();
  wait();
}

// Reveal one place more, or take it back.
function revealMore(by) {
  revealed = Math.min(places().length, Math.max(0, revealed + by));
  show();
  places()[revealed - 1]?.scrollIntoView({ block: "nearest" });
}

const forward = () => (revealing ? revealMore(1) : turn(1));
const back = () => (revealing ? revealMore(-1) : turn(-1));

function fullScreen() {
  if (document.fullscreenElement) document.exitFullscreen();
  else document.documentElement.requestFullscreen?.().catch(() => {});
}

const KEYS = {
  ArrowRight: forward, " ": forward, Enter: forward, PageDown: forward, ArrowLeft: back, PageUp: back,
  p: pause, r: beginReveal, f: fullScreen, d: toggleTheme,
};

const pauseButton = button("Pause", "Pause or go on (P)", pause, { class: "plain-button" });
const revealButton = button("Reveal", "Reveal the places one by one (R)", beginReveal, { class: "plain-button" });
keys.append(
  button("‹", "Back (left arrow)", back, { class: "plain-button" }), pauseButton,
  button("›", "Next (right arrow, space)", forward, { class: "plain-button" }), revealButton,
  button("Full screen", "Full screen (F)", fullScreen, { class: "plain-button" }),
  element("a", { href: "index.html" }, "All pages"));

addEventListener("keydown", event => {
  if (event.ctrlKey || event.altKey || event.metaKey || isTyping(event.target)) return;
  // A button or link that has the focus takes space and Enter itself.
  if ((event.key === " " || event.key === "Enter") && event.target.closest("button, a")) return;
  const act = KEYS[event.key] ?? KEYS[event.key.toLowerCase()];
  if (!act) return;
  event.preventDefault();
  act();
});
document.querySelector("main").addEventListener("click", event => {
  if (revealing && !event.target.closest("button, a")) forward();
});
document.addEventListener("referee:updated", show);
document.body.classList.add("cycling");
show();
wait();
