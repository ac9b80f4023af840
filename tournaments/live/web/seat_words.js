// Words that the pages of people share.

import { element } from "./dom.js";

// A text as a sentence.
export function sentence(text) {
  const words = String(text);
  const begun = words.charAt(0).toUpperCase() + words.slice(1);
  return /[.!?]$/.test(begun) ? begun : `${begun}.`;
}

// What is shown for an address without its secret.
export function missingSecret() {
  const words = "The address of this page ends in a secret behind #, and this one has none. Use the whole link that you were given.";
  return element("main", { class: "join-page" }, element("p", { class: "notice", role: "alert" }, words));
}
