// The events in words: those since the person's last decision first, all others below.

import { element, fill } from "./dom.js";

export class SeatNews {
  // `load` returns all sentences of a match.
  constructor(load) {
    this.load = load;
    this.match = null;
    this.latest = element("ol", { class: "news", "aria-live": "polite", "aria-relevant": "additions" });
    this.earlier = element("ol", { class: "news soft" });
    this.whole = element("button", { type: "button", class: "plain-button", onclick: () => this.showAll() }, "Show everything");
    this.past = element("details", {}, element("summary", {}, "Before that"), this.whole, this.earlier);
    this.title = element("h2", {}, "Since your last decision");
    this.element = element("section", { class: "panel" }, this.title, this.latest, this.past);
  }

  show({ match, said, said_before: before, news }) {
    if (match !== this.match) this.all = null;
    this.match = match;
    this.title.textContent = news || before ? "Since your last decision" : "What has happened";
    this.lines(this.latest, said.slice(news));
    const past = [...(this.all ?? []).slice(0, before), ...said.slice(0, news)].reverse();
    this.lines(this.earlier, past);
    this.past.hidden = !past.length && !before;
    this.whole.hidden = !before || Boolean(this.all);
    this.last = arguments[0];
  }

  // Only what is new is added, so that a screen reader reads nothing twice.
  lines(list, sentences) {
    const old = [...list.children].map(each => each.textContent);
    const grows = old.every((text, at) => text === sentences[at]);
    if (grows) list.append(...sentences.slice(old.length).map(text => element("li", {}, text)));
    else fill(list, sentences.map(text => element("li", {}, text)));
    list.scrollTop = list === this.latest ? list.scrollHeight : 0;
  }

  async showAll() {
    try {
      this.all = await this.load(this.match);
      this.show(this.last);
    } catch {
      this.whole.textContent = "It cannot be loaded now: try again";
    }
  }
}
