// The conversation of one bot with the referee, the same on every transport.

const SILENCES = 12; // after so many silences in a row the referee is given up
const RETURN_SPREAD = 0.2; // by which part of the announced time bots come back later, at most
const REFUSED = 2; // the exit status of a bot the referee does not admit

export class Conversation {
  // A hello is under way: complaints that there was none are of the past.
  #greeting = false;
  #over = false;
  // By match: the bot, the last ask, the answer to it, and whether that was refused.
  #places = new Map();

  constructor(wire, make, hello) {
    this.wire = wire;
    this.make = make;
    this.hello = hello;
  }

  async hold() {
    await this.#greet();
    for (let silences = 0; !this.#over; ) {
      const message = await this.wire.receive();
      if (message === undefined) return;
      if (message !== null) {
        silences = 0;
        await this.#hear(message);
      } else if (++silences > SILENCES) {
        leave(1, "no word for a long time, giving up");
      } else {
        // If the hello was lost, the answer to the ping will say so.
        this.#greeting = false;
        await this.wire.send({ type: "ping" });
      }
    }
  }

  async #greet() {
    this.#greeting = true;
    await this.wire.send(this.hello);
  }

  #hear(message) {
    switch (message.type) {
      case "ask":
        return this.#ask(message);
      case "tell":
        return this.#place(message.match).bot.see(message.events);
      case "start":
        return this.#start(message);
      case "end":
        return this.#end(message);
      case "ping":
        if (message.notice) log(message.notice);
        return this.wire.send({ type: "pong", n: message.n ?? 0 });
      case "error":
        return this.#error(message);
      case "welcome":
        return this.#welcome(message);
      case "refuse":
        return leave(REFUSED, `refused: ${message.code}: ${message.why}`);
      case "bye":
        return this.#bye(message);
    }
  }

  async #bye({ why = "", back_ms: back = null }) {
    if (back === null || !this.wire.lasts) {
      this.#over = true;
      return;
    }
    log(`${why}; back in ${Math.round(back / 1000)} s`);
    await new Promise((resume) => setTimeout(resume, back * (1 + RETURN_SPREAD * Math.random())));
    await this.#greet();
  }

  #welcome(welcome) {
    this.#greeting = false;
    this.hello = { ...this.hello, session: welcome.session };
    if (!welcome.resumed) this.#places.clear();
  }

  async #start(start) {
    // After a resumed session the same start may come again, because our ready was lost.
    if (!this.#places.has(start.match)) {
      const bot = this.make();
      this.#places.set(start.match, { bot, ask: null, answer: null, refused: false });
      await bot.start(start);
    }
    await this.wire.send({ type: "ready", match: start.match });
  }

  async #ask(ask) {
    const place = this.#place(ask.match);
    const again = place.ask?.id === ask.id;
    // Again and not refused: a resumed session. Our answer was lost, and the bot has already seen these events.
    if (!again || place.refused) {
      place.ask = ask;
      place.refused = false;
      if (ask.events?.length) await place.bot.see(ask.events);
      place.bot.clock = ask.clock;
      place.answer = act(ask, await place.bot.choose(ask.view ?? {}, ask.legal ?? []));
    }
    await this.wire.send(place.answer);
  }

  #place(match) {
    const place = this.#places.get(match);
    if (!place) throw new Error(`the referee speaks of match ${match}, which it has not started here`);
    return place;
  }

  async #end(end) {
    const place = this.#places.get(end.match);
    if (!place) return;
    this.#places.delete(end.match);
    if (end.events?.length) await place.bot.see(end.events);
    await place.bot.end(end);
  }

  async #error(error) {
    if (error.code === "no-session") {
      if (!this.#greeting) await this.#greet();
      return;
    }
    const where = error.match ? ` (match ${error.match})` : "";
    log(`error: ${error.code}: ${error.why}${where}`);
    const place = this.#places.get(error.match);
    // A strike: the same ask comes again, and the bot has another try within the same time.
    if (place?.ask && place.ask.id === error.id && ["illegal", "malformed"].includes(error.code)) place.refused = true;
  }
}

function act({ match, id }, chosen) {
  if (typeof chosen === "string") return { type: "act", match, id, action: chosen };
  if (Array.isArray(chosen) && chosen.length) return { type: "act", match, id, actions: chosen };
  throw new TypeError(`choose returned ${JSON.stringify(chosen)}, which is neither an action nor a list of actions`);
}

function leave(status, why) {
  log(why);
  process.exit(status);
}

function log(text) {
  process.stderr.write(`referee: ${text}\n`);
}
