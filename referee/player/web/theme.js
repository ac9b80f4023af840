// Light or dark: as the system wants it, until a reader chooses otherwise. The choice is remembered where that is allowed.

import { button } from "./dom.js";
import { icon } from "./icons.js";

const KEY = "referee-theme";

// Read something that an earlier page kept; null where storage is blocked, as in some pages from a disk.
export function remembered(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

// Keep something for later pages, where storage is allowed.
export function remember(key, value) {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {
    // The choice lasts as long as the page.
  }
}

export function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

// Show the page as its reader chose before. Call it once, as early as possible.
export function applyTheme() {
  const chosen = remembered(KEY);
  if (chosen === "dark" || chosen === "light") document.documentElement.dataset.theme = chosen;
}

// Change between light and dark, and remember it.
export function toggleTheme() {
  const chosen = isDark() ? "light" : "dark";
  document.documentElement.dataset.theme = chosen;
  remember(KEY, chosen);
}

export function themeButton(attributes = {}) {
  return button(icon("theme"), "Change between light and dark", toggleTheme, { class: "plain-button", ...attributes });
}
