// How clicks on a board become an action. Every legal action names its places on the board; each click leaves the
// actions that have all clicked places. Knows nothing of a page.

export class Choice {
  // `legal` are pairs of an action and its meaning; `spotsOf` returns the places of an action.
  constructor(legal, spotsOf) {
    this.actions = legal.map(([action, meaning]) => ({ action, meaning, spots: [...new Set(spotsOf(action))] }));
    this.picked = [];
  }

  clear() {
    this.picked = [];
  }

  // The actions that have all clicked places.
  remaining() {
    return having(this.actions, this.picked);
  }

  // The places to light up: of the remaining actions, and those that can be taken in place of a clicked one.
  lit() {
    const kinds = new Set(this.picked.map(kind));
    const others = this.actions.flatMap(each => each.spots).filter(spot => kinds.has(kind(spot)));
    return new Set([...this.remaining().flatMap(each => each.spots), ...others]);
  }

  // Click a place: it is added; a clicked one is taken back; one that does not fit replaces those it does not fit.
  pick(spot) {
    if (this.picked.includes(spot)) {
      this.picked = this.picked.filter(each => each !== spot);
      return;
    }
    if (having(this.actions, [...this.picked, spot]).length) {
      this.picked.push(spot);
      return;
    }
    const kept = [];
    for (const each of this.picked) if (having(this.actions, [...kept, each, spot]).length) kept.push(each);
    this.picked = [...kept, spot];
  }

  // The action that the clicks name; null while there are several.
  named() {
    const rest = this.remaining();
    if (rest.length === 1) return rest[0];
    if (!this.picked.length) return null;
    const whole = rest.filter(each => each.spots.length === this.picked.length);
    // A move and the move back have the same places: the order of the clicks decides.
    const inOrder = whole.filter(each => each.spots.every((spot, at) => spot === this.picked[at]));
    return inOrder.length === 1 ? inOrder[0] : whole.length === 1 ? whole[0] : null;
  }

  // Whether the clicks name an action wholly, and no further click could name another.
  isComplete() {
    const named = this.named();
    return named !== null && named.spots.length === this.picked.length
      && this.remaining().every(each => each.spots.length === this.picked.length);
  }

  // Actions that have no place on the board.
  elsewhere() {
    return this.actions.filter(each => !each.spots.length);
  }
}

const having = (actions, picked) => actions.filter(each => picked.every(spot => each.spots.includes(spot)));

// The kind of a place, such as `card` of `card:R9`.
const kind = spot => spot.split(":")[0];

// Whether an action has all the words that were typed, in its text or in its meaning.
export function matches({ action, meaning }, typed) {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const text = `${action} ${meaning}`.toLowerCase();
  return action.toLowerCase() === typed.trim().toLowerCase() || words.every(word => text.includes(word));
}

// Actions by their first word, in the order in which the words come first.
export function byVerb(actions) {
  const groups = new Map();
  for (const each of actions) {
    const verb = each.action.split(" ")[0];
    groups.set(verb, [...groups.get(verb) ?? [], each]);
  }
  return groups;
}
