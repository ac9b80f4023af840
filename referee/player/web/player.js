// The player of replays: the board, what happened beside it, one row of controls. Three hosts use it: a page that is one
// file, the static site and the live site. A host gives it a source of matches:
//   matches           [{ match, label }] to choose from; [] if the page shows one
//   others(recording) [{ match, label }] of the same deal, which can be compared
//   moment            what the address may name, where it does not; may be left out
//   load(id)          a promise of { frames, about }; it is rejected with an Error whose message is shown
// The element has the position that is shown as its property `position` ({ match, viewer, step, last, view }), and sends
// the event `referee-step` with the same in `detail` whenever it changes.

import { hasAddress, hashOf, linkTo, moment, writeMoment } from "./address.js";
import { Controls } from "./controls.js";
import { DecisionPanel } from "./decision_panel.js";
import { button, copied, element, fill, isTyping } from "./dom.js";
import { EventList } from "./event_list.js";
import { icon } from "./icons.js";
import { PlayerDialog, keyList, matchFacts } from "./player_dialogs.js";
import { EVERYTHING, PUBLIC, Recording, refusal } from "./recording.js";
import { SeatTable, ending } from "./seat_table.js";
import { seatBadge } from "./seats.js";
import { Stage } from "./stage.js";
import { themeButton, toggleTheme } from "./theme.js";
import { TimeLine } from "./timeline.js";
import { Zoom } from "./zoom.js";

const SECOND = 1000;
const WRITE_AFTER = 300;

const option = ({ match, label }) => element("option", { value: match }, label);

export class Player {
  constructor(source) {
    this.source = source;
    this.at = 0;
    this.isPlaying = false;
    this.loading = 0;
    this.timeLine = new TimeLine(at => this.go(at));
    this.events = new EventList(at => this.go(at));
    this.seats = new SeatTable();
    this.decision = new DecisionPanel(action => this.lightAction(action));
    this.controls = new Controls({
      first: () => this.go(0), back: () => this.step(-1), toggle: () => this.toggle(), forward: () => this.step(1),
      last: () => this.go(Infinity), faultBack: () => this.toFault(-1), faultForward: () => this.toFault(1), share: () => this.share(),
    });
    this.help = new PlayerDialog("Keys");
    this.legend = new PlayerDialog("Legend");
    this.build();
    this.listen();
  }

  build() {
    this.title = element("h1", { class: "player-title" });
    this.chooser = element("select", { class: "chooser", "aria-label": "Match", onchange: () => this.open({ match: this.chooser.value }) });
    this.comparing = element("select", {
      class: "chooser", "aria-label": "Other match of this deal beside it", onchange: () => this.compare(this.comparing.value),
    });
    this.compareLabel = element("label", { class: "compare" }, element("span", {}, "Compare:"), this.comparing);
    this.viewers = element("div", { class: "viewers", role: "group", "aria-label": "Seen by" });
    this.boards = element("div", { class: "boards" });
    this.message = element("div", { class: "player-message", role: "alert", hidden: true });
    this.status = element("p", { class: "off-screen", role: "status", "aria-live": "polite" });
    this.notice = element("p", { class: "notice", role: "status" });
    const tool = (name, meaning, act) => button(icon(name), meaning, act, { class: "plain-button tool" });
    const tools = element("div", { class: "tools" }, tool("legend", "Legend, and facts of the match (l)", () => this.showLegend()),
      tool("help", "Keys (?)", () => this.showHelp()), themeButton({ class: "plain-button tool" }),
      document.fullscreenEnabled ? tool("full", "Full screen (f)", () => this.fullScreen()) : null);
    this.element = element("div", { class: "player" },
      element("header", { class: "player-head" }, this.title, this.chooser, this.compareLabel, tools),
      this.viewers, this.message,
      element("div", { class: "player-board" }, this.boards, this.controls.element, this.timeLine.element),
      element("aside", { class: "player-side", "aria-label": "The match in words" },
        this.seats.element, this.events.element, this.decision.element),
      this.status, this.notice, this.help.element, this.legend.element);
  }

  // Open the moment that the address names. Called once by the host.
  async begin() {
    const named = { ...this.source.moment, ...moment() };
    this.element.classList.toggle("is-embedded", named.embed);
    this.isEmbedded = named.embed;
    fill(this.chooser, this.source.matches.map(option));
    this.chooser.hidden = this.source.matches.length < 2;
    await this.open(named);
    if (named.play) this.toggle(true);
  }

  // Open a match at a moment; what is not named is kept, or begins at the start.
  async open(named) {
    const ticket = ++this.loading;
    const id = named.match ?? this.source.matches[0]?.match;
    this.toggle(false);
    try {
      if (id === undefined) throw new Error("The address of this page names no match: it ends in #match= and the id of one.");
      const beside = named.with ? this.recordingOf(named.with).catch(() => null) : null;
      const [recording, other] = await Promise.all([this.recordingOf(id), beside]);
      // A reader may have chosen another match in the meantime.
      if (ticket !== this.loading) return;
      this.load(recording, other, named);
    } catch (error) {
      if (ticket === this.loading) this.fail(error.message);
    }
  }

  async recordingOf(id) {
    if (this.recording?.asked === id) return this.recording;
    const { frames, about } = await this.source.load(id);
    const reason = refusal(frames);
    if (reason) throw new Error(reason);
    const recording = new Recording(frames, about);
    recording.asked = id;
    return recording;
  }

  fail(reason) {
    this.message.textContent = reason;
    this.message.hidden = false;
    this.element.classList.add("is-failed");
  }

  load(recording, other, named) {
    this.message.hidden = true;
    this.element.classList.remove("is-failed");
    const isNew = recording !== this.recording;
    this.recording = recording;
    this.other = other && other.frames.game === recording.frames.game ? other : null;
    this.chooser.value = recording.asked;
    this.title.replaceChildren(element("span", { class: "title-game" }, recording.frames.title), " ",
      element("span", { class: "title-match", title: recording.id }, recording.id));
    document.title = `${recording.names.join(" – ")}, ${recording.frames.title}`;
    this.showOthers();
    this.showStages();
    this.viewer = this.wanted(named.as) ?? (isNew || !this.viewer ? this.wanted(this.viewer) ?? this.preferred() : this.viewer);
    this.at = Math.min(named.at ?? (isNew ? 0 : this.at), recording.last);
    this.loadTrack();
  }

  wanted(viewer) {
    return viewer !== undefined && this.recording.hasViewer(viewer) ? viewer : undefined;
  }

  preferred() {
    return [EVERYTHING, PUBLIC].find(viewer => this.recording.hasViewer(viewer)) ?? this.recording.viewers[0];
  }

  showOthers() {
    const others = this.source.others(this.recording);
    fill(this.comparing, [{ match: "", label: "with no other" }, ...others].map(option));
    this.comparing.value = this.other?.asked ?? "";
    this.compareLabel.hidden = !others.length;
  }

  // The stages stay from step to step, so that pieces move; another match has others.
  showStages() {
    const shown = [this.recording, this.other].filter(Boolean);
    if (shown.length === this.stages?.length && shown.every((recording, n) => recording === this.stages[n].recording)) return;
    this.stages = shown.map(recording => this.stageOf(recording));
    fill(this.boards, this.stages.map(({ figure }) => figure));
    fill(this.controls.zooms, this.stages.length === 1 ? this.stages[0].zoom.buttons : null);
    this.boards.classList.toggle("is-double", shown.length > 1);
    this.element.classList.toggle("is-comparing", shown.length > 1);
  }

  stageOf(recording) {
    const stage = new Stage(recording.frames.game, recording.names);
    const zoom = new Zoom(stage, { onSwipe: by => this.step(by) });
    const caption = element("figcaption", { class: "board-caption", hidden: !this.other });
    const figure = element("figure", { class: "board-figure" }, stage.element, caption);
    return { recording, stage, zoom, caption, figure };
  }

  async compare(id) {
    await this.open({ match: this.recording.asked, with: id, as: this.viewer, at: this.at });
    this.writeAddress();
  }

  see(viewer) {
    if (!this.wanted(viewer) || viewer === this.viewer) return;
    this.viewer = viewer;
    this.loadTrack();
  }

  loadTrack() {
    this.faults = this.recording.faults(this.viewer);
    this.timeLine.load(this.recording, this.viewer);
    this.events.load(this.recording, this.viewer);
    this.showViewers();
    this.render();
  }

  showViewers() {
    const chip = (viewer, content, meaning) => element("button", {
      type: "button", class: "plain-button viewer", "data-viewer": viewer, title: meaning, "aria-pressed": String(viewer === this.viewer),
      onclick: () => this.see(viewer),
    }, content);
    const focused = document.activeElement?.dataset?.viewer;
    fill(this.viewers, element("span", { class: "viewers-label", "aria-hidden": "true" }, "Seen by"), this.recording.viewers.map(viewer => {
      if (viewer === PUBLIC) return chip(viewer, "Public", "What all may know (p)");
      if (viewer === EVERYTHING) return chip(viewer, "Everything", "All secrets, as the referee (e)");
      const name = this.recording.names[Number(viewer)];
      const content = [seatBadge(Number(viewer)), element("span", { class: "seat-text" }, name)];
      return chip(viewer, content, `What ${name} could know (${viewer})`);
    }));
    if (focused !== undefined) this.viewers.querySelector(`[data-viewer="${CSS.escape(focused)}"]`)?.focus();
  }

  // Go to a step.
  go(at) {
    const next = Math.min(this.recording.last, Math.max(0, at));
    if (next === this.at) return;
    this.at = next;
    this.render();
    this.announce();
  }

  // Go to the next step, or back to the one before, of which the viewer noticed something.
  step(by) {
    const isNoticed = (recording, at) => at <= recording.last && recording.isNoticed(this.viewerOf(recording), at);
    const isOfInterest = at => this.stages.some(({ recording }) => isNoticed(recording, at));
    let at = this.at + by;
    while (at > 0 && at < this.recording.last && !isOfInterest(at)) at += by;
    this.go(at);
  }

  toFault(by) {
    const found = by > 0 ? this.faults.find(fault => fault.at > this.at) : this.faults.findLast(fault => fault.at < this.at);
    if (found) this.go(found.at);
  }

  viewerOf(recording) {
    return recording.hasViewer(this.viewer) ? this.viewer : PUBLIC;
  }

  render() {
    const { recording, viewer, at } = this;
    for (const shown of this.stages) this.showBoard(shown);
    const whereabouts = recording.whereabouts(viewer, at);
    this.controls.show(at, recording.last, whereabouts, this.faults);
    this.timeLine.show(at, `Step ${at} of ${recording.last}${whereabouts ? `, ${whereabouts}` : ""}`);
    this.seats.show(recording, viewer, at);
    this.decision.show(recording, viewer, at);
    // Last, because the others decide how much room the list has.
    this.events.show(at);
    this.report();
    clearTimeout(this.writing);
    this.writing = setTimeout(() => this.writeAddress(), WRITE_AFTER);
  }

  showBoard({ recording, stage, zoom, caption }) {
    const viewer = this.viewerOf(recording);
    const at = Math.min(this.at, recording.last);
    const { events = [] } = recording.step(viewer, at);
    const label = `${recording.frames.title}, position after step ${at}, as seen by ${recording.nameOf(viewer)}`;
    stage.show(recording.view(viewer, at), { events, before: at ? recording.view(viewer, at - 1) : null, label });
    zoom.refresh();
    if (!caption.hidden) fill(caption, this.caption(recording, viewer, at));
  }

  caption(recording, viewer, at) {
    const words = recording.step(viewer, at).said?.join(" ") ?? "";
    const end = at === recording.last ? ending(recording, viewer) : "";
    const seats = recording.seats.map(seat => [seatBadge(seat, 16), element("span", { class: "seat-text" }, recording.names[seat])]);
    return [element("span", { class: "caption-seats" }, seats), element("span", { class: "caption-words" }, end || words)];
  }

  // Make the position known to the page around: tests, and pages that embed the player, read it.
  report() {
    const { recording, viewer, at } = this;
    this.element.position = { match: recording.id, viewer, step: at, last: recording.last, view: recording.view(viewer, at) };
    Object.assign(this.element.dataset, { match: recording.id, viewer, step: at, last: recording.last });
    this.element.dispatchEvent(new CustomEvent("referee-step", { bubbles: true, detail: this.element.position }));
  }

  announce() {
    const words = this.recording.step(this.viewer, this.at).said ?? [];
    const end = this.at === this.recording.last ? ` ${ending(this.recording, this.viewer)}` : "";
    this.status.textContent = `Step ${this.at}. ${words.join(" ")}${end}`;
  }

  lightAction(action) {
    const first = this.stages?.[0];
    if (!first) return;
    first.stage.light(action === null ? [] : first.stage.board.spots(this.recording.view(this.viewer, this.at), action) ?? []);
  }

  toggle(wanted = !this.isPlaying) {
    if (wanted === this.isPlaying || (wanted && !this.recording)) return;
    this.isPlaying = wanted;
    clearTimeout(this.playing);
    this.element.toggleAttribute("data-playing", wanted);
    this.controls.showPlaying(wanted);
    if (!wanted) return;
    if (this.at === this.recording.last) this.go(0);
    this.playOn();
  }

  playOn() {
    this.playing = setTimeout(() => {
      this.step(1);
      if (this.at >= this.recording.last) this.toggle(false);
      else if (this.isPlaying) this.playOn();
    }, SECOND / this.controls.speed);
  }

  get named() {
    return { match: this.recording.asked, as: this.viewer, at: this.at, with: this.other?.asked, embed: this.isEmbedded };
  }

  writeAddress() {
    if (hasAddress() && hashOf(this.named) !== location.hash) writeMoment(this.named);
  }

  async share() {
    if (!hasAddress()) return;
    this.writeAddress();
    const link = linkTo(this.named);
    this.say((await copied(link)) ? "The link to this moment is copied." : `The link to this moment: ${link}`);
  }

  // Show a sentence for a while.
  say(words) {
    this.notice.textContent = words;
    clearTimeout(this.noticed);
    this.noticed = setTimeout(() => { this.notice.textContent = ""; }, 4 * SECOND);
  }

  showHelp() {
    this.help.toggle(keyList());
  }

  showLegend() {
    if (!this.recording) return;
    const { stage } = this.stages[0];
    this.legend.toggle(stage.legend(this.recording.view(this.viewer, this.at)), matchFacts(this.recording));
  }

  async fullScreen() {
    try {
      await (document.fullscreenElement ? document.exitFullscreen() : this.element.requestFullscreen());
    } catch {
      this.say("This browser does not allow full screen here.");
    }
  }

  listen() {
    document.addEventListener("keydown", event => this.press(event));
    addEventListener("hashchange", ({ newURL }) => {
      // Not what the address is by now: it may just have been written, for the step before.
      const named = moment(new URL(newURL).hash);
      this.open({ ...named, match: named.match ?? this.recording?.asked });
    });
  }

  press(event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || !this.recording) return;
    const isOnButton = Boolean(event.target.closest?.("button, a, summary"));
    if (this.help.isOpen || this.legend.isOpen || (isOnButton && event.key === " ")) return;
    const act = this.keys()[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }

  keys() {
    const zoom = by => this.stages.forEach(each => each.zoom.by(by));
    const seats = Object.fromEntries(this.recording.seats.map(seat => [String(seat), () => this.see(String(seat))]));
    return {
      ...seats, p: () => this.see(PUBLIC), e: () => this.see(EVERYTHING),
      " ": () => this.toggle(), ArrowLeft: () => this.step(-1), ArrowRight: () => this.step(1),
      PageUp: () => this.go(this.at - 10), PageDown: () => this.go(this.at + 10), Home: () => this.go(0), End: () => this.go(Infinity),
      b: () => this.toFault(-1), n: () => this.toFault(1), "+": () => this.controls.changeSpeed(1), "=": () => this.controls.changeSpeed(1),
      "-": () => this.controls.changeSpeed(-1), i: () => zoom(1.5), o: () => zoom(1 / 1.5), c: () => this.share(),
      l: () => this.showLegend(), d: () => toggleTheme(), f: () => this.fullScreen(), "?": () => this.showHelp(),
    };
  }
}
