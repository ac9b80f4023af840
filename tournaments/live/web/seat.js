// A person plays: the board to click on, the list of actions, the last events, hints, the clock and the result. The page
// is sent the whole state of its seat whenever it changes, so it can be closed and opened again at any time.

import { button, element, fill, isTyping } from "./dom.js";
import { ActionList } from "./seat_actions.js";
import { Choice } from "./seat_choice.js";
import { SeatClock } from "./seat_clock.js";
import { SeatNews } from "./seat_news.js";
import { resultPanel } from "./seat_result.js";
import { seatName } from "./seats.js";
import { Wire } from "./seat_wire.js";
import { missingSecret, sentence } from "./seat_words.js";
import { Stage } from "./stage.js";
import { applyTheme, remember, remembered, themeButton } from "./theme.js";
import { Zoom } from "./zoom.js";

const VERSION = 1;
const CONFIRM = "referee-confirm";
const FEW = 8;
const NEXT_S = 15;

class SeatPage {
  constructor(root, secret) {
    this.root = root;
    this.wire = new Wire(secret);
    this.state = null;
    this.shown = null;
    this.choice = new Choice([], () => []);
    this.chosen = null;
    this.hint = null;
    this.build();
    document.addEventListener("keydown", event => this.key(event));
    this.wire.follow("seat/events", {
      onState: state => this.take(state),
      onLost: () => this.lose(),
      onRefused: message => this.refuse(`This link is not valid: ${sentence(message)}`),
    });
  }

  build() {
    this.title = element("h1", {}, "Your seat");
    this.status = element("p", { class: "status", role: "status", "aria-live": "polite" }, "Connecting to the referee …");
    this.notice = element("p", { class: "notice", role: "alert", hidden: true });
    this.clock = new SeatClock();
    this.seats = element("ol", { class: "seat-list" });
    this.board = element("div", { class: "table" });
    this.offer = element("section", { class: "offer", "aria-label": "Your choice" });
    this.result = element("div", {});
    this.zooming = element("div", { class: "zooming" });
    this.list = new ActionList({ onTake: action => this.choose(action), onLook: action => this.look(action) });
    this.news = new SeatNews(match => this.wire.get(`seat/log?match=${encodeURIComponent(match)}`));
    this.legend = element("details", { class: "panel", hidden: true }, element("summary", {}, "What the pictures mean"));
    this.legend.addEventListener("toggle", () => this.drawLegend());
    this.rules = element("a", { class: "plain-button", target: "_blank", rel: "noopener" }, "Rules");
    this.hintButton = button("Hint", "Show what a sample bot would do (h)", () => this.ask(), { class: "plain-button", disabled: true });
    this.confirm = element("input", { type: "checkbox", id: "confirm", onchange: () => this.keepConfirm() });
    this.confirm.checked = remembered(CONFIRM) !== "no";
    this.more = element("details", { class: "panel more" }, element("summary", {}, "Resign, or leave the seat"), this.leaving());
    fill(this.root,
      element("header", { class: "bar" }, this.title, element("div", { class: "tools" }, this.hintButton, this.rules, themeButton())),
      element("main", { id: "main", class: "seat-page" },
        element("div", { class: "left" },
          element("div", { class: "state" }, this.status, this.clock.element, this.clock.warned, this.zooming),
          this.notice, this.result, this.offer, this.board),
        element("div", { class: "right" },
          element("section", { class: "panel", "aria-label": "Seats" }, this.seats), this.list.element,
          element("p", { class: "confirm" }, this.confirm, element("label", { for: "confirm" }, " Ask me before an action is taken")),
          this.news.element, this.legend, this.more)));
  }

  leaving() {
    this.resign = element("button", { type: "button", class: "plain-button", onclick: () => this.giveUp() }, "Resign the match");
    this.leave = element("button", { type: "button", class: "plain-button", onclick: () => this.giveBack() }, "Give the seat back");
    return [
      element("p", {}, this.resign, " The match is lost. Further matches go on."),
      element("p", {}, this.leave, " Another person can take it; this page shows it no longer."),
    ];
  }

  // What the referee sends.

  take(state) {
    this.warn("");
    if (state.version !== VERSION) return this.refuse("The referee has another version than this page. Load the page again.");
    if (state.given_back) return this.refuse("The seat was given back. To play, take a seat again by the link that you were given.");
    const before = this.state;
    this.state = state;
    if (before?.last?.match !== state.last?.match && state.last && before?.now) this.hold(state.last.match);
    this.draw();
  }

  lose() {
    const over = this.state && !this.state.now && this.state.last;
    this.warn(over ? "The referee cannot be reached. If it has ended, this page stays as it is."
      : "The connection is lost. Trying again …");
  }

  refuse(words) {
    this.state = null;
    this.clock.run(null);
    fill(this.root.querySelector("main"), element("p", { class: "notice", role: "alert" }, words));
    this.hintButton.disabled = true;
    document.title = "This seat is closed";
  }

  warn(words) {
    this.notice.textContent = words;
    this.notice.hidden = !words;
  }

  // A match that has ended stays on the page for a while, also if the next one has begun.
  hold(match) {
    this.held = match;
    this.until = Date.now() + NEXT_S * 1000;
    clearInterval(this.holding);
    this.holding = setInterval(() => this.count(), 1000);
  }

  count() {
    if (!this.state?.now || !this.held) return;
    if (Date.now() >= this.until) this.goOn(); else this.drawResult(this.state.last);
  }

  stay() {
    this.until = Infinity;
    this.draw();
  }

  goOn() {
    this.held = null;
    clearInterval(this.holding);
    this.draw();
  }

  // What is shown.

  current() {
    const { now, last } = this.state;
    if (!now) return last;
    return last && this.held === last.match ? last : now;
  }

  draw() {
    const match = this.current();
    // What the page waits for, for tests and for styles.
    Object.assign(this.root.dataset, { phase: match?.phase ?? "waiting", ask: match?.ask?.id ?? "", match: match?.match ?? "" });
    this.title.textContent = match ? match.title : "Your seat";
    if (match) this.drawMatch(match); else this.drawWaiting();
    this.status.textContent = this.words(match);
    document.title = `${match?.phase === "decide" ? "● Your decision – " : ""}${match?.title ?? "Your seat"} – ${this.state.name}`;
  }

  drawWaiting() {
    this.list.show([], []);
    fill(this.seats, element("li", {}, this.state.name, " (you)"));
    this.resign.disabled = true;
  }

  words(match) {
    const { connected, timed } = this.state;
    if (!match && connected) return "Your seat is ready. The match will begin soon.";
    if (!match) return "The referee has not called this seat yet. Keep the page open.";
    switch (match.phase) {
      case "ready": return "The match is played by the clock.";
      case "decide": return "It is your decision.";
      case "sent": return "Your action is sent.";
      case "others": return `${timed ? "" : "There is no hurry. "}The others decide.`;
      case "out": return `The referee rules: ${match.fault.meaning} (${match.fault.code}). ${sentence(match.fault.why)}`;
      default: return match.result ? "The match is over." : "The referee has closed this seat before the match was over.";
    }
  }

  drawMatch(match) {
    const question = `${match.match} ${match.ask?.id ?? ""}`;
    if (question !== this.question) {
      this.question = question;
      this.begin(match);
    }
    this.rules.href = `rules/${encodeURIComponent(match.game)}.html`;
    const you = element("span", { class: "soft" }, " you");
    fill(this.seats, match.names.map((name, seat) => element("li", {}, seatName(seat, name), seat === match.seat ? you : null)));
    this.drawBoard(match);
    this.news.show(match);
    this.clock.run(match.ask?.clock ?? null);
    this.resign.disabled = match.phase === "over";
    this.hintButton.disabled = match.phase !== "decide";
    this.drawResult(match);
    this.drawChoice();
  }

  // A new question, or none: what was clicked before belongs to the last one.
  begin(match) {
    if (this.shownMatch !== match.match) this.stage = null;
    this.shownMatch = match.match;
    this.chosen = null;
    this.hint = null;
    this.list.reset();
    this.match = match;
    const spotsOf = action => this.stage?.board.spots(match.view, action) ?? [];
    this.makeStage(match);
    this.choice = new Choice(match.ask?.legal ?? [], spotsOf);
  }

  makeStage(match) {
    if (this.stage) return;
    this.stage = new Stage(match.game, match.names, { onSpot: spot => this.pick(spot) });
    this.zoom = new Zoom(this.stage);
    fill(this.board, this.stage.element);
    fill(this.zooming, this.zoom.buttons);
  }

  drawBoard(match) {
    this.match = match;
    this.stage.names = match.names;
    if (!match.view) return;
    const shown = JSON.stringify([match.view, match.names]);
    const label = `The board of ${match.title}, as you may see it`;
    if (shown !== this.shown) this.stage.show(match.view, { events: match.events, before: match.before, label });
    this.shown = shown;
    this.legend.hidden = false;
    this.drawLegend();
  }

  drawLegend() {
    if (!this.legend.open || !this.match?.view) return;
    this.legend.querySelector("dl")?.remove();
    this.legend.append(this.stage.legend(this.match.view));
  }

  drawResult(match) {
    const isHeld = this.held === match.match && this.state.now;
    const seconds = Number.isFinite(this.until) ? Math.max(0, Math.ceil((this.until - Date.now()) / 1000)) : null;
    const next = isHeld ? { seconds, onNext: () => this.goOn(), onStay: () => this.stay() } : null;
    fill(this.result, resultPanel(match, next, this.state.connected));
    if (match.phase === "ready") fill(this.result, this.readiness(match));
  }

  readiness(match) {
    return element("section", { class: "panel verdict" },
      element("p", {}, "As soon as all are ready, the clock runs for every decision. Look at the rules before if you want to."),
      element("button", { type: "button", class: "primary", onclick: () => this.start(match.match) }, "I am ready"));
  }

  // Choosing an action.

  pick(spot) {
    this.chosen = null;
    this.choice.pick(spot);
    if (this.choice.isComplete() && !this.confirm.checked) this.act(this.choice.named().action);
    else this.drawChoice();
  }

  choose(action) {
    if (!this.confirm.checked) {
      this.act(action);
      return;
    }
    this.chosen = this.choice.actions.find(each => each.action === action);
    this.choice.picked = [];
    this.drawChoice();
    this.offer.querySelector(".primary")?.focus();
  }

  clear() {
    this.chosen = null;
    this.choice.clear();
    this.drawChoice();
  }

  look(action) {
    if (!this.stage || this.match?.phase !== "decide") return;
    this.light(action === null ? null : this.choice.actions.find(each => each.action === action)?.spots);
  }

  light(spots = null) {
    const picked = new Set(this.chosen ? this.chosen.spots : this.choice.picked);
    this.stage.light(spots ?? (this.match.phase === "decide" ? this.choice.lit() : []));
    const next = new Set(this.choice.remaining().flatMap(each => each.spots));
    for (const each of this.stage.svg.querySelectorAll("[data-spot]")) {
      const { spot } = each.dataset;
      each.classList.toggle("picked", picked.has(spot));
      each.classList.toggle("instead", spots === null && !next.has(spot));
    }
  }

  drawChoice() {
    if (!this.stage) return;
    const deciding = this.match.phase === "decide";
    this.light();
    this.list.show(deciding ? this.choice.actions : [], this.choice.remaining());
    fill(this.offer, deciding ? this.offers() : null);
    this.offer.hidden = !deciding;
  }

  offers() {
    const named = this.chosen ?? this.choice.named();
    const rest = this.choice.remaining();
    const isPicking = this.choice.picked.length > 0;
    const others = this.chosen ? [] : isPicking ? rest.filter(each => each !== named) : this.choice.elsewhere();
    const onBoard = this.choice.actions.some(each => each.spots.length);
    return [
      this.hint ? this.hintWords() : null,
      named ? this.actionButton(named, "primary", () => this.act(named.action))
        : element("p", { class: "prompt" }, this.prompt(isPicking, rest.length, onBoard)),
      others.length <= FEW ? others.map(each => this.actionButton(each, "chip", () => this.choose(each.action))) : null,
      isPicking || this.chosen ? button("Clear", "Choose anew (Escape)", () => this.clear(), { class: "plain-button" }) : null,
    ];
  }

  actionButton({ action, meaning }, kind, onclick) {
    const words = meaning ? element("span", { class: "meaning" }, meaning) : null;
    return element("button", { type: "button", class: kind, onclick }, element("code", {}, action), words);
  }

  prompt(isPicking, left, onBoard) {
    if (isPicking) return `${left} actions are left: click on.`;
    return onBoard ? "Click a lit place on the board, or choose from the list." : "Choose an action from the list.";
  }

  hintWords() {
    const { action, by, why } = this.hint;
    const meaning = this.choice.actions.find(each => each.action === action)?.meaning;
    return element("div", { class: "hint", role: "status" },
      element("p", {}, by ? `The sample bot ${by} would take ` : "A bot would take ", element("code", {}, action),
        meaning ? `: ${meaning}` : ".", why ? ` Why: ${sentence(why)}` : ""),
      element("button", { type: "button", class: "plain-button", onclick: () => this.choose(action) }, "Choose this"));
  }

  // What the person does.

  start(match) {
    this.send("seat/begin", { match });
  }

  async act(action) {
    const { match, ask } = this.match;
    if (this.sending === this.question) return;
    this.sending = this.question;
    this.status.textContent = "Your action is sent.";
    if (!await this.send("seat/act", { match, ask: ask.id, action })) this.sending = null;
  }

  async ask() {
    const { match, ask } = this.match ?? {};
    if (!ask) return;
    const question = this.question;
    this.hintButton.disabled = true;
    const hint = await this.send("seat/hint", { match, ask: ask.id });
    if (question !== this.question) return;
    this.hintButton.disabled = false;
    if (hint) {
      this.hint = hint;
      this.drawChoice();
    }
  }

  giveUp() {
    if (!this.match || !window.confirm("Resign, and lose the match?")) return;
    this.send("seat/resign", { match: this.match.match });
  }

  giveBack() {
    if (window.confirm("Give the seat back? Another person can take it then.")) this.send("seat/leave");
  }

  // Return the answer, or true where there is none; null if it was refused, which is shown.
  async send(path, body = {}) {
    try {
      return await this.wire.post(path, body) ?? true;
    } catch (error) {
      this.warn(error.status ? sentence(error.message) : "The referee cannot be reached. Try again.");
      return null;
    }
  }

  keepConfirm() {
    remember(CONFIRM, this.confirm.checked ? null : "no");
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.state) return;
    if (event.key === "Escape") this.clear();
    else if (isTyping(event.target)) return;
    else if (event.key === "/") {
      event.preventDefault();
      this.list.filter.focus();
    } else if (event.key === "h") this.ask();
  }
}

applyTheme();
const secret = decodeURIComponent(location.hash.slice(1));
const root = document.getElementById("seat");
window.addEventListener("hashchange", () => location.reload());
if (secret) new SeatPage(root, secret);
else fill(root, missingSecret());
