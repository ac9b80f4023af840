// Who the bot is, for a referee elsewhere that wants proof: CURVE, as SPEC.md 2.8 has it.
import { readFileSync, statSync } from "node:fs";

const KEY = /^[0-9a-zA-Z.\-:+=^!/*?&<>()[\]{}@%$#]{40}$/;

// The options of a socket that is to prove it, from REFEREE_KEY (a file) and REFEREE_SERVER_KEY; none without them.
export function curve(path, server) {
  if (!path && !server) return {};
  if (!path || !KEY.test(server ?? "")) {
    throw new Error("REFEREE_KEY (a file) and REFEREE_SERVER_KEY (40 characters) go together");
  }
  const mode = statSync(path).mode & 0o777;
  if (mode & 0o077) {
    throw new Error(`${path} has mode ${mode.toString(8)}, so that others can reach it: chmod 600 ${path}`);
  }
  const text = readFileSync(path, "utf8");
  const said = (name) => new RegExp(`^\\s*${name}\\s*=\\s*"([^"]*)"`, "m").exec(text)?.[1] ?? "";
  const keys = { curveServerKey: server, curvePublicKey: said("public"), curveSecretKey: said("secret") };
  if (!KEY.test(keys.curvePublicKey) || !KEY.test(keys.curveSecretKey)) {
    throw new Error(`${path} is no key file: it needs lines public = "…" and secret = "…"`);
  }
  return keys;
}
