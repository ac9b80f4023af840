// A bot for every game of the referee, on the bare wire: ZeroMQ and msgpack.
import { createInterface } from "node:readline";
import { decode, encode } from "@msgpack/msgpack";
import { Dealer } from "zeromq";

const SILENCE_MS = 5_000; // without a word for so long, the bot asks whether the referee is still there
const mode = process.argv[2] ?? "random";

// Your idea goes here: return one of the legal actions. For more to go by, see `wants` below.
function choose(legal) {
  return mode === "first" ? legal[0] : legal[Math.floor(Math.random() * legal.length)];
}

async function play(address) {
  // Immediate: without a connection, sending waits for one.
  const socket = new Dealer({ linger: 0, immediate: true, receiveTimeout: SILENCE_MS });
  const send = (message) => socket.send(encode(message));
  const hello = { type: "hello", protocol: [1], name: "javascript", wants: ["legal"], capacity: 64 };
  if (process.env.REFEREE_TOKEN) hello.token = process.env.REFEREE_TOKEN;

  socket.connect(address);
  await send(hello);
  for (;;) {
    let frame;
    try {
      [frame] = await socket.receive();
    } catch {
      await send({ type: "ping" });
      continue;
    }
    const message = decode(frame);
    switch (message.type) {
      case "welcome":
        hello.session = message.session; // with it the bot can come back to its matches
        break;
      case "start":
        await send({ type: "ready", match: message.match });
        break;
      case "ask":
        await send({ type: "act", match: message.match, id: message.id, action: choose(message.legal) });
        break;
      case "ping":
        await send({ type: "pong", n: message.n ?? 0 });
        break;
      case "error":
        console.error(`${message.code}: ${message.why}`);
        if (message.code === "no-session") await send(hello); // the connection was lost
        break;
      case "refuse":
        console.error(`refused: ${message.code}: ${message.why}`);
        process.exit(2);
      case "bye":
        process.exit(0);
    }
  }
}

async function echo() {
  for await (const line of createInterface({ input: process.stdin })) {
    console.log(Buffer.from(encode(decode(Buffer.from(line, "hex")))).toString("hex"));
  }
}

process.on("SIGTERM", () => process.exit(0));
if (mode === "echo") {
  await echo();
} else if (process.env.REFEREE_ADDRESS) {
  await play(process.env.REFEREE_ADDRESS);
} else {
  console.error("REFEREE_ADDRESS is not set: the referee starts this bot, for example by `referee play`");
  process.exit(2);
}
