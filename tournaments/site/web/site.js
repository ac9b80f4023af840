// What every page of a site has: the colours that its reader chose, tables that can be sorted, a button for both schemes.
// The live site replaces regions of a page (`data-live`) and then sends `referee:updated` to the document.

import { applyTheme, themeButton } from "./theme.js";
import { makeSortable } from "./sorting.js";

applyTheme();

document.addEventListener("DOMContentLoaded", () => {
  // The player has such a button of its own.
  if (!document.getElementById("player")) document.querySelector(".site-head")?.append(themeButton());
  makeSortable(document);
  document.addEventListener("referee:updated", () => makeSortable(document));
});
