// The part of the address behind `#`, which names a moment: `match=ID&as=2&at=17&with=ID2`. It never goes to a server.

// Return what the address names: { match, as, at, with, embed, play }, without what it does not name.
export function moment(hash = location.hash) {
  const found = new URLSearchParams(hash.replace(/^#/, ""));
  const text = name => found.get(name) ?? undefined;
  const at = text("at");
  const named = {
    match: text("match"),
    as: text("as"),
    at: at === "end" ? Infinity : /^\d{1,9}$/.test(at ?? "") ? Number(at) : undefined,
    with: text("with"),
    embed: found.has("embed") && text("embed") !== "0",
    play: found.has("play") && text("play") !== "0",
  };
  return Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined));
}

// Return the part of an address that names a moment.
export function hashOf({ match, as, at, with: other, embed }) {
  const named = new URLSearchParams();
  if (match !== undefined) named.set("match", match);
  if (as !== undefined) named.set("as", as);
  if (at !== undefined) named.set("at", at);
  if (other) named.set("with", other);
  if (embed) named.set("embed", "1");
  return `#${named}`;
}

// Put a moment into the address without a new entry in the history. A frame without an address of its own has none.
export function writeMoment(named) {
  try {
    history.replaceState(null, "", hashOf(named));
  } catch {
    // Only the address stays as it was; a browser also refuses very many changes in short time.
  }
}

// Whether this page has an address that leads to it: a frame whose content was handed over has none.
export function hasAddress() {
  return !location.href.startsWith("about:");
}

// Return the link to a moment of this page.
export function linkTo(named) {
  return location.href.split("#")[0] + hashOf({ ...named, embed: false });
}
