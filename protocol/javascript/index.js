// The JavaScript kit: write `choose`, get a bot. README.md shows how, index.d.ts says what is promised.
import { basename, extname } from "node:path";
import { Conversation } from "./conversation.js";
import { pipes, socket } from "./wires.js";

const VERSION = 1;
const KIT = `javascript-kit ${VERSION}`;
const NAME_LENGTH = 64;

export class Bot {
  start(start) {}

  see(events) {}

  choose(view, legal) {
    throw new Error(`${this.constructor.name} has no method choose(view, legal)`);
  }

  end(end) {}
}

export async function run(bot, { name = scriptName(), games = [], wants, capacity = 1, version = "" } = {}) {
  const { make, useful } = maker(bot);
  const hello = { type: "hello", protocol: [VERSION], name, games, wants: wants ?? useful, capacity, kit: KIT };
  if (version) hello.version = version;
  if (process.env.REFEREE_TOKEN) hello.token = process.env.REFEREE_TOKEN;
  process.on("SIGTERM", () => process.exit(0));
  const address = process.env.REFEREE_ADDRESS;
  const wire = address ? await socket(address, process.env.REFEREE_ENCODING || "msgpack") : pipes();
  try {
    await new Conversation(wire, make, hello).hold();
  } finally {
    wire.close();
  }
}

// What makes the bot of one match, and what such a bot can make use of.
function maker(bot) {
  if (bot.prototype instanceof Bot) {
    const useful = ["view", "legal"];
    return { make: () => new bot(), useful: bot.prototype.see === Bot.prototype.see ? useful : [...useful, "events"] };
  }
  if (typeof bot !== "function" || /^class\b/.test(Function.prototype.toString.call(bot))) {
    throw new TypeError(`${bot.name ?? bot} is neither a function nor a subclass of Bot`);
  }
  const make = () => Object.assign(new Bot(), { choose: bot });
  return { make, useful: ["view", "legal"] };
}

function scriptName() {
  const path = process.argv[1] ?? "";
  const name = [...basename(path, extname(path))].slice(0, NAME_LENGTH).join("");
  return /^\P{C}+$/u.test(name) ? name : "bot";
}
