// The two ways to the referee; `lasts` says whether one is still there after the referee has closed.
// `receive` gives a message, null after a time of silence, undefined when the referee has gone.
import { createInterface } from "node:readline";
import { curve } from "./keys.js";

const SILENCE_MS = 5_000; // after so long without a word, the bot asks whether the referee is still there
const PATIENCE_MS = 60_000; // how long sending waits for a connection

// JSON lines on stdin and stdout.
export function pipes() {
  // The protocol keeps the real stdout for itself: everything that the bot prints goes to its log.
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = process.stderr.write.bind(process.stderr);
  // If the other end is closed, there is nothing left to do.
  process.stdout.on("error", () => process.exit(0));
  const input = createInterface({ input: process.stdin });
  const lines = input[Symbol.asyncIterator]();
  return {
    lasts: false,
    send: (message) => void write(`${JSON.stringify(message)}\n`),
    receive: async () => {
      const { done, value } = await lines.next();
      return done ? undefined : JSON.parse(value);
    },
    close: () => {
      input.close();
      process.stdin.destroy();
    },
  };
}

// A DEALER socket that is connected to the referee's ROUTER; its libraries are loaded only here.
export async function socket(address, encoding) {
  const { Dealer } = await import("zeromq");
  const { encode, decode } = await codec(encoding);
  // Immediate: while there is no connection nothing piles up to be delivered in a heap later, sending waits.
  const options = { linger: 0, immediate: true, receiveTimeout: SILENCE_MS, sendTimeout: PATIENCE_MS };
  const { REFEREE_KEY, REFEREE_SERVER_KEY } = process.env;
  const dealer = new Dealer({ ...options, ...curve(REFEREE_KEY, REFEREE_SERVER_KEY) });
  dealer.connect(address);
  return {
    lasts: true,
    send: async (message) => {
      try {
        await dealer.send(encode(message));
      } catch (cause) {
        throw new Error("no connection for a long time, giving up", { cause });
      }
    },
    receive: async () => {
      try {
        const [frame] = await dealer.receive();
        return decode(frame);
      } catch (error) {
        if (error.code === "EAGAIN") return null;
        throw error;
      }
    },
    close: () => dealer.close(),
  };
}

async function codec(encoding) {
  if (encoding === "msgpack") return import("@msgpack/msgpack");
  if (encoding === "json") return { encode: JSON.stringify, decode: (frame) => JSON.parse(frame.toString()) };
  throw new Error(`REFEREE_ENCODING is ${JSON.stringify(encoding)}, which is neither msgpack nor json`);
}
