// Made from messages.schema.json by `python -m protocol.typescript --write`: do not edit.

/** One event as one seat sees it: a map whose `event` names its kind. */
export type Seen = Record<string, any>;

/** What one seat may know of the position; each game describes its own in its RULES.md. */
export type View = Record<string, any>;

/** The first message of a bot: who it is, what it plays, and what it wants to be sent. */
export interface Hello {
  type: "hello";
  protocol: number[];
  name: string;
  games?: string[];
  wants?: string[];
  capacity?: number;
  token?: string | null;
  session?: string | null;
  kit?: string;
  version?: string;
  program?: string;
}

/** The bot is ready to play this match. */
export interface Ready {
  type: "ready";
  match: string;
}

/** An answer to an ask: one action, or a plan of several. */
export interface Act {
  type: "act";
  match: string;
  id: number;
  action?: string | null;
  actions?: string[] | null;
}

/** Answer with a `pong` of the same `n`. */
export interface Ping {
  type: "ping";
  n?: number;
  notice?: string;
}

/** The answer to a `ping`. */
export interface Pong {
  type: "pong";
  n?: number;
}

/** Something was wrong with a message of the other side. */
export interface Error {
  type: "error";
  code: string;
  why: string;
  match?: string | null;
  id?: number | null;
}

/** The sender is about to close. */
export interface Bye {
  type: "bye";
  why?: string;
  back_ms?: number | null;
}

/** The bot is admitted; `session` lets it come back after a lost connection. */
export interface Welcome {
  type: "welcome";
  protocol: number;
  session: string;
  limits: Limits;
  resumed?: boolean;
  site?: string;
}

/** What a bot may send at most. */
export interface Limits {
  message_bytes?: number;
  messages_per_decision?: number;
  plan?: number;
}

/** The bot is not admitted; a `bye` follows. */
export interface Refuse {
  type: "refuse";
  code: string;
  why: string;
}

/** A match begins. The bot prepares and answers `ready`. */
export interface Start {
  type: "start";
  match: string;
  game: string;
  options: Record<string, string | number>;
  seat: number;
  seats: number;
  names: string[];
  clock: TimeControl;
  commit: string;
}

/** The time limits of a match, in milliseconds. */
export interface TimeControl {
  ready_ms: number;
  first_ms: number;
  move_ms: number;
  bank_ms: number;
  grace_ms: number;
}

/** A decision is due. `events` are those since the last message of this match to this seat. */
export interface Ask {
  type: "ask";
  match: string;
  id: number;
  clock: AskClock;
  events?: Record<string, any>[];
  view?: Record<string, any> | null;
  legal?: string[] | null;
}

/** The time for one decision, in milliseconds: late after grace + move + bank. */
export interface AskClock {
  move_ms: number;
  bank_ms: number;
  grace_ms: number;
}

/** Events as they happen, for bots that want `stream`. */
export interface Tell {
  type: "tell";
  match: string;
  events: Record<string, any>[];
}

/** The match is over. Nothing about it follows. */
export interface End {
  type: "end";
  match: string;
  ranks: number[];
  scores: number[];
  reason: string;
  ties: "draw" | "unordered";
  faults: string[];
  reveal: string | null;
  events?: Record<string, any>[];
  void?: boolean;
}

export type FromBot = Hello | Ready | Act | Ping | Pong | Error | Bye;

export type FromReferee = Welcome | Refuse | Start | Ask | Tell | End | Ping | Pong | Error | Bye;
