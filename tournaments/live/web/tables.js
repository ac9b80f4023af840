// Tables as the other pages of a site have them: on a phone every row is a card.

import { element } from "./dom.js";

// Make a table. A column is a name; with "#" before it, it has numbers.
export function cards(label, columns, rows) {
  const heads = columns.map(name => element("th", { scope: "col", class: name.startsWith("#") ? "number" : null }, name.replace("#", "")));
  return element("div", { class: "scroll cards", tabindex: "0", role: "region", "aria-label": label },
    element("table", {}, element("caption", {}, label), element("thead", {}, element("tr", {}, heads)), element("tbody", {}, rows)));
}

// Make a cell; its label is shown on phones.
export function cell(label, content, kind = null) {
  return element("td", { class: kind, "data-label": label }, content);
}

// Make the head of a row.
export function head(content, kind = null) {
  return element("th", { scope: "row", class: kind }, content);
}

// Names beside each other; each is isolated, so that one written from right to left does not turn the others.
export function listed(names, separator = " · ") {
  return names.flatMap((name, at) => [at > 0 && separator, element("bdi", {}, name)]);
}

export function watchAddress(match) {
  return `watch.html#match=${encodeURIComponent(match)}`;
}

export function replayAddress(match, seat = null) {
  return `match.html#match=${encodeURIComponent(match)}${seat === null ? "" : `&as=${seat}`}`;
}
