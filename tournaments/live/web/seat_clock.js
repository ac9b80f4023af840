// The clock of a person that plays by a real clock: the time of this decision, then the bank.

import { element } from "./dom.js";

const HURRY_MS = 5000;

export class SeatClock {
  constructor() {
    this.element = element("p", { class: "clock", role: "timer", "aria-live": "off", hidden: true });
    this.warned = element("span", { class: "off-screen", role: "status" });
    this.timer = null;
  }

  // Run for a decision; null stops the clock.
  run(clock) {
    clearInterval(this.timer);
    this.element.hidden = !clock;
    this.warned.textContent = "";
    if (!clock) return;
    this.clock = clock;
    this.began = performance.now() - clock.elapsed_ms;
    this.tick();
    this.timer = setInterval(() => this.tick(), 100);
  }

  tick() {
    const { move_ms: move, bank_ms: bank, grace_ms: grace } = this.clock;
    const used = Math.max(0, performance.now() - this.began - grace);
    const left = Math.max(0, move - used);
    const banked = Math.max(0, bank - Math.max(0, used - move));
    const hurries = left + banked < HURRY_MS;
    const own = left > 0 ? `${time(left)} for this decision` : "The time of this decision is used up";
    this.element.textContent = `${own} · ${time(banked)} in the bank`;
    this.element.classList.toggle("hurry", hurries);
    if (hurries && !this.warned.textContent) this.warned.textContent = "Less than five seconds are left.";
  }
}

function time(ms) {
  if (ms < 10000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.ceil(ms / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
