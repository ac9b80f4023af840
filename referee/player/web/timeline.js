// The time line: a slider over the steps of a match, marks for faults, and below it how long each seat took to decide.

import { element, fill } from "./dom.js";
import { node, paint, round } from "./scene.js";
import { duration, faultInWords } from "./recording.js";
import { seatBadge } from "./seats.js";

const LANE = 16;

export class TimeLine {
  // `onMove` is called with the step that a reader points at.
  constructor(onMove) {
    this.onMove = onMove;
    this.progress = element("div", { class: "line-progress" });
    this.thumb = element("div", { class: "line-thumb" });
    this.marks = element("div", { class: "line-marks" });
    const asSlider = { role: "slider", tabindex: "0", "aria-label": "Step of the match", "aria-valuemin": "0" };
    this.slider = element("div", { class: "line-slider", ...asSlider },
      element("div", { class: "line-track" }, this.progress), this.thumb);
    this.lanes = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    this.lanes.setAttribute("class", "line-lanes");
    this.lanes.setAttribute("preserveAspectRatio", "none");
    this.lanes.setAttribute("aria-hidden", "true");
    this.labels = element("div", { class: "line-labels" });
    this.hint = element("p", { class: "line-hint" });
    this.cursor = element("div", { class: "line-cursor" });
    this.area = element("div", { class: "line-area" }, this.marks, this.slider, this.lanes, this.cursor);
    this.element = element("div", { class: "time-line" }, this.labels, this.area, this.hint);
    this.listen();
  }

  // Show a match as a viewer knows it.
  load(recording, viewer) {
    this.recording = recording;
    this.viewer = viewer;
    this.slider.setAttribute("aria-valuemax", recording.last);
    this.showFaults();
    this.showTimes();
  }

  share(at) {
    return this.recording.last ? (100 * at) / this.recording.last : 0;
  }

  show(at, words) {
    const share = this.share(at);
    this.progress.style.width = `${share}%`;
    this.thumb.style.left = `${share}%`;
    this.cursor.style.left = `${share}%`;
    this.slider.setAttribute("aria-valuenow", at);
    this.slider.setAttribute("aria-valuetext", words);
    for (const mark of this.marks.children) mark.classList.toggle("is-current", Number(mark.dataset.at) === at);
  }

  showFaults() {
    fill(this.marks, this.recording.faults(this.viewer).map(did => {
      const { sentence } = faultInWords(this.recording, did);
      const mark = element("button", {
        type: "button", class: `fault-mark${did.final ? " is-final" : ""}`, title: `Step ${did.at}: ${sentence}`,
        "aria-label": `Fault at step ${did.at}: ${sentence}`, "data-at": did.at, onclick: () => this.onMove(did.at),
      });
      mark.style.left = `${this.share(did.at)}%`;
      return mark;
    }));
  }

  // One lane for each seat whose clock the viewer knows: colour and mark are those of the seat, height is time.
  showTimes() {
    const times = this.recording.times(this.viewer);
    const seats = this.recording.seats.filter(seat => this.recording.knowsClock(this.viewer, seat));
    const most = Math.max(1, ...times.map(each => each.took_us));
    this.times = new Map(times.map(each => [each.at, each]));
    this.lanes.toggleAttribute("hidden", !seats.length);
    this.hint.textContent = seats.length ? `Time of each decision; the longest took ${duration(times.length ? most : 0)}`
      : "The public does not see how long bots take. Choose a seat or everything above to see it.";
    this.hint.hidden = !this.recording.hasViewer("everything") && !seats.length;
    fill(this.labels, seats.map(seat => seatBadge(seat, 14)));
    if (!seats.length) return;
    const width = Math.max(1, this.recording.last);
    this.lanes.setAttribute("viewBox", `0 0 ${width} ${seats.length * LANE}`);
    this.lanes.style.height = `${seats.length * LANE}px`;
    paint(this.lanes, seats.map((seat, row) => {
      const own = times.filter(each => each.seat === seat);
      const bars = own.map(each => `M${each.at} ${(row + 1) * LANE}v-${round(1 + (LANE - 3) * Math.sqrt(each.took_us / most))}`);
      return node("g", { class: `seat${seat}` },
        node("path", { d: `M0 ${(row + 1) * LANE}h${width}`, class: "lane-ground" }),
        node("path", { d: bars.join(""), class: width > 250 ? "lane-bars is-thin" : "lane-bars" }));
    }));
  }

  listen() {
    const stepAt = event => {
      const here = this.area.getBoundingClientRect();
      const share = Math.min(1, Math.max(0, (event.clientX - here.left) / Math.max(1, here.width)));
      return Math.round(share * this.recording.last);
    };
    this.area.addEventListener("pointerdown", event => {
      if (event.button > 0 || event.target.closest("button")) return;
      this.held = event.pointerId;
      this.area.setPointerCapture(event.pointerId);
      this.slider.focus({ preventScroll: true });
      this.onMove(stepAt(event));
    });
    this.area.addEventListener("pointermove", event => {
      if (this.held === event.pointerId) this.onMove(stepAt(event));
      else this.describe(stepAt(event));
    });
    for (const name of ["pointerup", "pointercancel"]) this.area.addEventListener(name, () => { this.held = null; });
  }

  describe(at) {
    const found = this.times.get(at);
    this.area.title = found ? `Step ${at}: ${this.recording.names[found.seat]} took ${duration(found.took_us)}` : `Step ${at}`;
  }
}
