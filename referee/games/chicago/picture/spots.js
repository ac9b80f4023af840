// The places of an action, in the order in which people click on them.

export function spots(action) {
  const [verb, first, second] = String(action).split(" ");
  switch (verb) {
    case "move":
    case "place": return [`pawn:${first}`, `node:${second}`];
    case "buy": return [`buy:${first}`];
    case "pick": return [first, second].filter(Boolean).map(pawn => `pawn:${pawn}`);
    default: return [verb];
  }
}
