// The places of an action, in the order in which people click on them.

import { tidy } from "./reading.js";

export function spots(view, action) {
  const { active } = tidy(view);
  const [verb, ...words] = String(action).split(" ");
  switch (verb) {
    case "own": return [`own:${active}:${words[0]}`, `cell:${words[1]}`];
    case "common": return [`common:${words[0]}`, `cell:${words[1]}`, ...(words[3] ? [`pile:${words[3]}`] : [])];
    case "draw": return [`pile:${words[0]}`];
    case "blind": return [`pile:${words[0]}`, `cell:${words[1]}`];
    case "put": return [`cell:${words[0]}`];
    case "move": return [`cell:${words[0]}`, `cell:${words[1]}`];
    // The cartridge comes first, since a click on the tile alone would begin a move.
    case "shoot": return [`cartridge:${active}`, `cell:${words[0]}`];
    case "first": return [`line:${words[0]}`];
    default: return [];
  }
}
