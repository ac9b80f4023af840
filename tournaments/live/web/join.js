// The lobby: a class gets one link, and everyone who opens it takes a free seat.

import { button, element, fill } from "./dom.js";
import { missingSecret, sentence } from "./seat_words.js";
import { Wire } from "./seat_wire.js";
import { applyTheme, remember, remembered, themeButton } from "./theme.js";

class LobbyPage {
  constructor(root, secret) {
    this.root = root;
    this.wire = new Wire(secret);
    this.place = `referee-seat ${secret}`;
    this.notice = element("p", { class: "notice", role: "alert", hidden: true });
    this.title = element("h1", {}, "Take a seat");
    this.summary = element("p", { role: "status" }, "Connecting to the referee …");
    this.name = element("input", { id: "name", name: "name", maxlength: 32, required: true, autocomplete: "nickname" });
    this.form = element("form", { class: "join", onsubmit: event => this.submit(event) },
      element("label", { for: "name" }, "Your name, as the others see it"), this.name,
      element("button", { class: "primary", type: "submit" }, "Take a seat"));
    this.seats = element("ul", { class: "seats-free" });
    this.own = element("p", {});
    fill(root, element("header", { class: "bar" }, this.title, element("div", { class: "tools" }, themeButton())),
      element("main", { id: "main", class: "join-page" }, this.summary, this.notice, this.own, this.form, this.seats));
    this.drawOwn();
    this.wire.follow("lobby/events", {
      onState: state => this.show(state),
      onLost: () => this.warn("The connection is lost. Trying again …"),
      onRefused: message => this.refuse(message),
    });
  }

  drawOwn() {
    const own = remembered(this.place);
    const link = element("a", { href: `seat.html#${encodeURIComponent(own ?? "")}` }, "go to your seat");
    fill(this.own, own ? ["This browser has a seat already: ", link, "."] : null);
    this.own.hidden = !own;
  }

  show({ title, seats }) {
    this.warn("");
    const free = seats.filter(seat => seat.free).length;
    this.title.textContent = title ? `${title}: take a seat` : "Take a seat";
    this.summary.textContent = free
      ? `${free} of ${seats.length} seats ${free === 1 ? "is" : "are"} free.`
      : "All seats are taken. Keep this page open: it shows when one is free again.";
    this.form.hidden = !free;
    fill(this.seats, seats.map(seat => this.line(seat)));
  }

  line({ bot, called, free, playing }) {
    const words = called ? `taken by ${called}` : free ? "free" : "taken";
    const does = !playing ? "" : free ? "; its match waits" : "; plays now";
    return element("li", {},
      element("span", { class: "seat-text" }, bot),
      element("span", { class: "soft" }, words, does),
      free ? button("Take this one", `Take the seat ${bot}`, () => this.take(bot), { class: "plain-button" }) : null);
  }

  submit(event) {
    event.preventDefault();
    this.take("");
  }

  async take(seat) {
    if (!this.form.reportValidity()) return;
    try {
      const { token } = await this.wire.post("lobby/take", { name: this.name.value, seat });
      remember(this.place, token);
      location.href = `seat.html#${encodeURIComponent(token)}`;
    } catch (error) {
      this.warn(error.status ? sentence(error.message) : "The referee cannot be reached. Try again.");
    }
  }

  warn(words) {
    this.notice.textContent = words;
    this.notice.hidden = !words;
  }

  refuse(message) {
    this.form.hidden = true;
    this.summary.textContent = "";
    fill(this.seats);
    this.warn(`This link is not valid: ${sentence(message)} Ask for a new one.`);
  }
}

applyTheme();
const secret = decodeURIComponent(location.hash.slice(1));
const root = document.getElementById("join");
window.addEventListener("hashchange", () => location.reload());
if (secret) new LobbyPage(root, secret);
else fill(root, missingSecret());
