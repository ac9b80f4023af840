// All matches of the event, from `data/matches.js`: a classic script, because a page from a disk may not fetch.

// The version of the data that these pages read (tournaments/site/data.py).
const VERSION = 1;

export const WITHHELD = 2;

const listeners = [];
let known = null;

// Called by the data itself, and again when it is loaded anew.
window.refereeMatches = data => {
  known = data.version === VERSION ? new Matches(data) : { trouble: "The data of this page is of another version: reload the page." };
  for (const listener of listeners) listener(known);
};

// Load the matches, and call with them now and whenever they change.
export function onMatches(listener) {
  listeners.push(listener);
  if (known) listener(known);
  else if (listeners.length === 1) load();
}

let loads = 0;

function load() {
  const script = document.createElement("script");
  // Another address each time: a browser loads one script once.
  script.src = `${document.body.dataset.root}data/matches.js${loads++ ? `?${loads}` : ""}`;
  script.addEventListener("load", () => script.remove());
  script.addEventListener("error", () => {
    if (known) return;
    known = { trouble: "The file data/matches.js is missing: the folder of this site is not whole." };
    for (const listener of listeners) listener(known);
  });
  document.head.append(script);
}

// The live site has new results.
document.addEventListener("referee:updated", load);

class Matches {
  constructor(data) {
    this.data = data;
    this.bots = data.bots;
    this.codes = data.codes;
    this.reasons = data.reasons;
    this.rounds = [...new Set(data.rounds)].sort((a, b) => a - b);
    this.seats = data.seats.reduce((most, bots) => Math.max(most, bots.length), 0);
  }

  // What there is to choose from, as a text: a form is made again only if it differs.
  get choices() {
    return JSON.stringify([this.bots, this.codes, this.reasons, this.rounds, this.seats]);
  }

  get length() {
    return this.data.ids.length;
  }

  // The match at an index; the last one that ended has the highest.
  at(index) {
    const { data } = this;
    return {
      id: data.prefix + data.ids[index],
      round: data.rounds[index],
      block: data.blocks[index],
      seats: data.seats[index].map((bot, seat) => ({
        seat,
        bot: data.bots[bot],
        slug: data.slugs[bot],
        rank: data.ranks[index][seat],
        score: data.scores[index][seat],
        fault: data.codes[data.faults[index]?.[seat] ?? 0],
      })),
      reason: data.reasons[data.reason[index]],
      ordered: data.unordered[index] !== 1,
      actions: data.actions[index],
      shown: data.shown[index],
      hasFault: data.faults[index] !== 0,
    };
  }
}

// Where the pages of a bot, a match and its faults are.
export const botAddress = seat => `bots/${encodeURIComponent(seat.slug)}.html`;
export const whyAddress = match => `why/${encodeURIComponent(match.id)}.html`;

export function playerAddress(match, { other = null, as = null } = {}) {
  const named = new URLSearchParams({ match: match.id });
  if (as !== null) named.set("as", as);
  if (other) named.set("with", other.id);
  return `match.html#${named}`;
}
