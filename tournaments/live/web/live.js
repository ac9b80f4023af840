// Every page of a live site: when results change, the regions with `data-live` are fetched again and replaced. What a
// reader does meanwhile stays: the place in the page, the focus, and regions that have not changed.

import { element } from "./dom.js";

const LEAST_MS = 4000;
const SPREAD_MS = 1500;
const root = document.body.dataset.root ?? "";

class Refresher {
  constructor() {
    this.reading = new Map();
    this.last = performance.now();
    this.timer = null;
    this.sign = element("span", { class: "live-sign", role: "status" });
    document.querySelector(".site-head")?.append(this.sign);
    this.connect();
    // A browser opens few connections to one host: pages that are not looked at leave theirs to the others.
    document.addEventListener("visibilitychange", () => (document.hidden ? this.source.close() : this.connect()));
    addEventListener("pagehide", () => this.source.close());
    addEventListener("pageshow", event => {
      if (event.persisted) this.connect();
    });
  }

  connect() {
    this.source?.close();
    this.source = new EventSource(`${root}events`);
    this.source.addEventListener("open", () => this.show("live", "This page updates itself"));
    this.source.addEventListener("error", () => this.show("waiting", "The connection is lost; it is tried again"));
    this.source.addEventListener("results", event => this.heard(JSON.parse(event.data)));
    this.source.addEventListener("status", event => this.heardStatus(JSON.parse(event.data)));
  }

  heardStatus(status) {
    if (status?.paused) this.show("paused", "Paused by the organiser: no more matches begin");
    else this.show("live", "This page updates itself");
    document.dispatchEvent(new CustomEvent("referee:status", { detail: status }));
  }

  show(state, meaning) {
    this.sign.dataset.state = state;
    this.sign.textContent = state === "waiting" ? "offline" : state;
    this.sign.title = meaning;
  }

  heard({ event, reading }) {
    const before = this.reading.get(event);
    this.reading.set(event, reading);
    if (before !== reading) this.schedule();
  }

  // Not at once, and not all browsers at the same moment: many watch, and results may come in crowds.
  schedule() {
    if (this.timer !== null) return;
    const wait = Math.max(0, this.last + LEAST_MS - performance.now()) + Math.random() * SPREAD_MS;
    this.timer = setTimeout(() => this.refresh(), wait);
  }

  async refresh() {
    this.timer = null;
    this.last = performance.now();
    try {
      const answer = await fetch(location.pathname, { credentials: "omit" });
      if (!answer.ok) return;
      replaceRegions(new DOMParser().parseFromString(await answer.text(), "text/html"));
      document.dispatchEvent(new CustomEvent("referee:updated"));
    } catch {
      // The next news come with the next connection.
    }
  }
}

function regionsOf(page) {
  return new Map([...page.querySelectorAll("[data-live]")].map(region => [region.dataset.live, region]));
}

// Put the regions of a page that was fetched in place of those that are shown, where their texts differ.
function replaceRegions(fetched) {
  const [shown, fresh] = [regionsOf(document), regionsOf(fetched)];
  if ([...shown.keys()].join() !== [...fresh.keys()].join()) {
    replaceKeepingPlace(document.querySelector("main"), fetched.querySelector("main"));
    return;
  }
  for (const [name, region] of shown) {
    if (region.textContent !== fresh.get(name).textContent && !region.closest("[data-live] [data-live]")) {
      replaceKeepingPlace(region, fresh.get(name));
    }
  }
}

function replaceKeepingPlace(region, fresh) {
  if (!region || !fresh) return;
  const focus = focusIn(region);
  region.replaceChildren(...document.importNode(fresh, true).childNodes);
  focus?.();
}

// Return what gives the focus back to the element that has it, or rather to the one in its place; null if none has it.
function focusIn(region) {
  const active = document.activeElement;
  if (!region.contains(active) || active === region) return null;
  const kind = active.localName;
  const place = [...region.querySelectorAll(kind)].indexOf(active);
  return () => region.querySelectorAll(kind)[place]?.focus({ preventScroll: true });
}

new Refresher();
