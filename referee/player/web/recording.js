// A match as the player sees it: the frames that the referee made of a replay, with questions about them.

import { Views } from "./patches.js";

// The version of the frames that this player shows (referee/player/frames.py).
export const FORMAT = 1;

export const PUBLIC = "public";
export const EVERYTHING = "everything";

// Why this player cannot show such a document; "" if it can.
export function refusal(frames) {
  if (frames?.format === FORMAT && frames.tracks) return "";
  if (typeof frames?.format !== "number") return "This is no match that the player can show.";
  return `This match was prepared by referee ${frames.referee ?? "of an unknown version"} in format ${frames.format}; ` +
    `this player shows format ${FORMAT}. Make both with one version of the referee: ` +
    "`referee replay page` makes a page anew from the replay, `referee tournament export --site` a site.";
}

export class Recording {
  // `about` is what the page knows beyond the frames: `file` (the replay, for commands) and `others` (of the same deal).
  constructor(frames, about = {}) {
    this.frames = frames;
    this.about = about;
    this.names = frames.names;
    this.seats = frames.names.map((_, seat) => seat);
    this.viewers = [PUBLIC, ...this.seats.map(String), EVERYTHING].filter(viewer => viewer in frames.tracks);
    this.last = frames.tracks[this.viewers[0]].length - 1;
    this.views = new Map();
  }

  get id() {
    return this.frames.match;
  }

  hasViewer(viewer) {
    return this.viewers.includes(viewer);
  }

  nameOf(viewer) {
    if (viewer === PUBLIC) return "the public";
    return viewer === EVERYTHING ? "the referee" : this.names[Number(viewer)];
  }

  step(viewer, at) {
    return this.frames.tracks[viewer][at] ?? {};
  }

  did(viewer, at) {
    return this.step(viewer, at).did ?? {};
  }

  view(viewer, at) {
    if (!this.views.has(viewer)) this.views.set(viewer, new Views(this.frames.tracks[viewer]));
    return this.views.get(viewer).at(at);
  }

  // Whether a viewer noticed anything of a step. Steps that it did not notice are passed over.
  isNoticed(viewer, at) {
    return at === 0 || at === this.last || Object.keys(this.step(viewer, at)).length > 0;
  }

  // The step in which the action is decided that a viewer at this step waits for: the next one that it notices.
  following(viewer, at) {
    for (let next = at + 1; next <= this.last; next++) if (this.isNoticed(viewer, next)) return next;
    return null;
  }

  faults(viewer) {
    return this.frames.tracks[viewer].flatMap((step, at) => (step.did?.fault ? [{ at, ...step.did }] : []));
  }

  // The decision that is due in the position after a step, as far as the viewer knows it; null at the end.
  decision(viewer, at) {
    const next = this.following(viewer, at);
    if (next === null) return null;
    const did = this.did(viewer, next);
    if (did.seat === undefined) return null;
    const numbers = did.action === undefined ? null : this.frames.legal[next - 1];
    return { ...did, at: next, legal: numbers?.map(number => this.frames.actions[number]) ?? null };
  }

  // By seat: the time it has used up to a step and what is left in its bank; null where the viewer does not know it.
  clocks(viewer, at) {
    const clocks = this.seats.map(seat => (this.knowsClock(viewer, seat) ? { used_us: 0, bank_us: this.frames.banks_us[seat] } : null));
    for (let step = 1; step <= at; step++) {
      const did = this.did(viewer, step);
      if (did.took_us === undefined || !clocks[did.seat]) continue;
      clocks[did.seat].used_us += did.took_us;
      if (did.bank_us !== undefined) clocks[did.seat].bank_us = did.bank_us;
    }
    return clocks;
  }

  knowsClock(viewer, seat) {
    return viewer === EVERYTHING || viewer === String(seat);
  }

  // Every decision of which the viewer knows the time: { at, seat, took_us }.
  times(viewer) {
    const timeOf = (did, at) => (did?.took_us ? [{ at, seat: did.seat, took_us: did.took_us }] : []);
    return this.frames.tracks[viewer].flatMap((step, at) => timeOf(step.did, at));
  }

  // Where the match is, in the words of the game: its round and turn.
  whereabouts(viewer, at) {
    const { round, turn } = this.view(viewer, at);
    const parts = [];
    if (typeof round === "number" || typeof round === "string") parts.push(`round ${round}`);
    if (typeof turn === "number") parts.push(`turn ${turn}`);
    return parts.join(", ");
  }

  // Whose turn it is, as the view says it; [] if it does not.
  toAct(viewer, at) {
    const due = this.view(viewer, at).to_act;
    return Array.isArray(due) ? due.filter(seat => seat in this.names) : [];
  }
}

// A duration for people: "12 ms", "1.2 s", "2:05".
export function duration(us) {
  if (us < 1_000) return `${us} µs`;
  if (us < 1_000_000) return `${us < 10_000 ? (us / 1000).toFixed(1) : Math.round(us / 1000)} ms`;
  if (us < 60_000_000) return `${(us / 1_000_000).toFixed(1)} s`;
  const seconds = Math.floor(us / 1_000_000);
  const [hours, rest] = [Math.floor(seconds / 3600), seconds % 3600];
  const [minutes, last] = [Math.floor(rest / 60), String(rest % 60).padStart(2, "0")];
  return hours ? `${hours}:${String(minutes).padStart(2, "0")}:${last}` : `${minutes}:${last}`;
}

// A fault in a sentence, and what to do about it.
export function faultInWords(recording, did) {
  const known = recording.frames.faults?.[did.fault];
  const verdict = did.final ? "and lost its match" : "which is a strike";
  const why = did.why ? `: ${did.why}` : "";
  return {
    sentence: `${recording.names[did.seat]} ${known?.meaning ?? `made a fault (${did.fault})`}, ${verdict}${why}.`,
    advice: known ? `For its author: ${known.advice}.` : "",
  };
}
