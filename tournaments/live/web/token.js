// The token of a page: it comes in the part of the address that no server sees, and stays in this tab alone.

import { element, fill } from "./dom.js";

function kept(key, value) {
  try {
    if (value !== undefined) sessionStorage.setItem(key, value);
    return sessionStorage.getItem(key) ?? "";
  } catch {
    return value ?? "";
  }
}

// Return the token from the address, or the one that this tab has already; the address is cleaned of it.
export function ownToken(key) {
  const given = decodeURIComponent(location.hash.slice(1));
  if (!given) return kept(key);
  history.replaceState(null, "", location.pathname);
  return kept(key, given);
}

export function forgetToken(key) {
  kept(key, "");
}

// Ask for a token, and call back with it.
export function askForToken(host, key, words, then) {
  const input = element("input", { type: "password", autocomplete: "off", required: true, "aria-label": "Token" });
  const form = element("form", { class: "token-form" },
    element("label", {}, element("span", {}, "Token"), input), element("button", {}, "Open"));
  form.addEventListener("submit", event => {
    event.preventDefault();
    // A whole link may be pasted too.
    then(kept(key, input.value.trim().replace(/^.*#/, "")));
  });
  fill(host, words.map(text => element("p", {}, text)), form);
  input.focus({ preventScroll: true });
}

// Ask the site for something, as the owner of a token. Throws an error with the site's words.
export async function asked(path, token, body = null) {
  const headers = { Authorization: `Bearer ${token}`, ...(body ? { "Content-Type": "application/json" } : {}) };
  const method = body ? "POST" : "GET";
  const answer = await fetch(path, { method, headers, body: body && JSON.stringify(body), credentials: "omit", cache: "no-store" });
  const found = await answer.json();
  if (!answer.ok && found.error) throw Object.assign(new Error(found.error), { status: answer.status });
  return found;
}
