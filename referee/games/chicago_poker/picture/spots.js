// The places of an action, in the order in which people click on them.

// The card comes first, then where it goes. A special card that is thrown away goes to the discard.
export function spots(view, action) {
  const [verb, ...rest] = String(action).split(" ");
  const row = () => `row:${rest[0]}:${rest[1]?.slice(1)}`;
  switch (verb) {
    case "draw": return ["deck"];
    case "pass": return ["pass"];
    case "play": return [`card:${rest[0]}`, `business:${rest[1]}`];
    case "shootout": return [`business:${rest[0]}`];
    case "send": return rest[0] === "none" ? ["pass"] : [`card:${rest[0]}`];
    case "revolver": return ["card:RV"];
    case "liquidate": return ["card:LQ", rest[0] === "-" ? "discard" : row()];
    case "raid": return ["card:PR", rest[0] === "-" ? "discard" : row()];
    case "bribe": return ["card:BR", rest[0] === "-" ? "discard" : `discard:${rest[0]}`];
    case "limo":
      if (rest[0] === "-") return ["card:LM", "discard"];
      return ["card:LM", ...rest.slice(1).map(card => `card:${card}`), `business:${rest[0].split(">")[1]}`];
    default: return [];
  }
}
