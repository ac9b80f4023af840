// What the kit promises. The messages are in messages.d.ts, which is made from messages.schema.json.
import type { AskClock, End, Hello, Seen, Start, View } from "./messages.js";

export type * from "./messages.js";

/** One word of `wants`: what the referee sends. */
export type Want = "events" | "legal" | "stream" | "view";

/** One action, or a plan of several. */
export type Decision = string | string[];

/** A bot without memory: it decides by what it may know and what it may do. */
export type Choose = (view: View, legal: string[]) => Decision | Promise<Decision>;

/** A bot with memory: make a subclass, and the kit makes one object of it for each match. */
export class Bot {
  /** The time for the decision at hand; there when `choose` is called. */
  clock: AskClock;

  /** Prepare for a match; the time limit is `start.clock.ready_ms`. */
  start(start: Start): void | Promise<void>;

  /** Take note of what happened since the last call. */
  see(events: Seen[]): void | Promise<void>;

  /** Return one of the legal actions, or a plan of several. */
  choose(view: View, legal: string[]): Decision | Promise<Decision>;

  /** Take note of how the match ended. */
  end(end: End): void | Promise<void>;
}

export interface Options {
  /** What the bot is called; by default its script's name. */
  name?: string;
  /** The ids of the games it plays; none: all. */
  games?: string[];
  /** What it is sent; by default what it can make use of: view and legal actions, and events if it has a method `see`. */
  wants?: Want[];
  /** Matches it can play at once; they take turns, also while `choose` is being awaited. */
  capacity?: number;
  /** The version of the bot: a ladder rates every version by itself. */
  version?: string;
}

/**
 * Play the matches that the referee starts, until it says goodbye.
 *
 * A bot that does not want its view, or the legal actions, gets empty ones. The process exits with status 2 if the
 * referee refuses the bot.
 */
export function run(bot: Choose | (new () => Bot), options?: Options): Promise<void>;
