// A running match as the public knows it: the board, the events in words, and at the end the way to the replay.

import { element, fill } from "./dom.js";
import { seatName } from "./seats.js";
import { Stage } from "./stage.js";
import { listed, replayAddress } from "./tables.js";

const MOST = 200;
const host = document.getElementById("watch");
const title = document.getElementById("watch-title");

class Watch {
  constructor(match) {
    this.match = match;
    this.stage = null;
    this.before = null;
    this.step = -1;
    this.source = null;
    this.connect();
    document.addEventListener("visibilitychange", () => {
      if (document.hidden) this.source?.close();
      else if (!this.over) this.connect();
    });
  }

  connect() {
    this.source?.close();
    this.source = new EventSource(`events/match/${encodeURIComponent(this.match)}`);
    this.source.addEventListener("moment", event => this.show(JSON.parse(event.data)));
    this.source.addEventListener("hidden", event => this.refused(JSON.parse(event.data)));
  }

  build(moment) {
    title.replaceChildren(moment.title, " ", element("span", { class: "match-id" }, moment.match));
    this.stage = new Stage(moment.game, moment.names);
    this.players = element("p", { class: "watch-names" }, moment.names.map((name, seat) => seatName(seat, name)));
    this.state = element("p", { class: "state", role: "status" });
    this.list = element("ol", { class: "said", "aria-label": "What happened", tabindex: "0" });
    this.legend = element("details", {}, element("summary", {}, "Legend"));
    this.legend.addEventListener("toggle", () => {
      if (this.legend.open && this.legend.childElementCount === 1) this.legend.append(this.stage.legend(this.before));
    });
    fill(host, element("div", { class: "watching" },
      element("div", { class: "watch-board" }, this.players, this.stage.element, this.legend),
      element("div", { class: "watch-side" }, this.state, element("h2", {}, "What happened"), this.list)),
    element("p", { class: "fine" }, "Shown is what the public may know. What is hidden from the other seats is hidden here too, "
      + "and nothing is shown before the seats are sent it."));
  }

  show(moment) {
    if (!this.stage) this.build(moment);
    if (moment.step < this.step) return;
    const isNew = moment.step !== this.step;
    this.step = moment.step;
    this.say(moment.said);
    if (Object.keys(moment.view).length) {
      const label = `The position after ${moment.step} events`;
      this.stage.show(moment.view, { events: moment.events, before: isNew ? this.before : null, label });
      this.before = moment.view;
    }
    host.dataset.step = moment.step;
    if (moment.result) this.end(moment.result);
    else this.state.textContent = describe(moment);
  }

  say(sentences) {
    for (const sentence of sentences) this.list.prepend(element("li", {}, sentence));
    while (this.list.childElementCount > MOST) this.list.lastElementChild.remove();
  }

  end(result) {
    this.over = true;
    this.source.close();
    if (result.void) {
      fill(this.state, "The match came to no verdict, through no fault of a bot. It may be played again.");
      return;
    }
    const places = result.seats.map((seat, at) => ({ ...seat, at })).sort((a, b) => a.rank - b.rank);
    fill(this.state, "The match is over. ", places.map(seat => element("span", { class: "placed" },
      `${seat.rank}. `, listed([seat.name]), ` ${seat.score}`, seat.fault && element("span", { class: "fault" }, ` ${seat.fault}`))),
    " ", element("a", { href: replayAddress(this.match) }, "Replay"));
    this.offerReplay();
  }

  // The replay is on disk a moment later; then the page goes over to it, unless its reader has turned to something else.
  async offerReplay() {
    for (let tries = 0; tries < 20; tries++) {
      await new Promise(resolve => setTimeout(resolve, 1500));
      const answer = await fetch(`api/v1/matches/${encodeURIComponent(this.match)}`, { credentials: "omit" }).catch(() => null);
      if (answer?.ok) {
        const { replay } = await answer.json();
        if (replay === "withheld") this.state.append(" Its replay is shown when the last match of its deal is over.");
        host.dataset.replay = replay;
        return;
      }
    }
  }

  refused({ why, text }) {
    if (this.stage && why !== "frozen") return;
    this.stage = null;
    fill(host, element("p", { class: "warn" }, `Not shown: ${text}.`),
      element("p", {}, element("a", { href: "live.html" }, "What runs now"), " · ",
        element("a", { href: replayAddress(this.match) }, "Its replay, if it is over")));
    host.dataset.why = why;
  }
}

function describe(moment) {
  const { turn, to_act: toAct = [] } = moment.view;
  const names = toAct.map(seat => moment.names[seat]).join(" and ");
  return `${turn ? `Turn ${turn}. ` : ""}${names ? `To act: ${names}.` : ""}`;
}

function begin() {
  const match = new URLSearchParams(location.hash.slice(1)).get("match");
  if (match) new Watch(match);
  else fill(host, element("p", {}, "No match is named. ", element("a", { href: "live.html" }, "What runs now")));
}

addEventListener("hashchange", () => location.reload());
begin();
