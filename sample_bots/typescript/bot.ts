// A bot for every game of the referee, with the typed kit.
import { createInterface } from "node:readline";
import { decode, encode } from "@msgpack/msgpack";
import { run, type View } from "referee-kit";

const mode = process.argv[2] ?? "random";

/** Your idea goes here: return one of the legal actions. `view` is there if `wants` below asks for it. */
function choose(view: View, legal: string[]): string {
  return legal[mode === "first" ? 0 : Math.floor(Math.random() * legal.length)];
}

async function echo(): Promise<void> {
  for await (const line of createInterface({ input: process.stdin })) {
    const message = decode(Buffer.from(line, "hex"));
    console.log(Buffer.from(encode(message)).toString("hex"));
  }
}

await (mode === "echo" ? echo() : run(choose, { name: "typescript", wants: ["legal"], capacity: 64 }));
