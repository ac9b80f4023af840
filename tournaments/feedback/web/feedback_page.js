// The page of feedback: words first, and below them the player with the matches of one bot.

import { player } from "./replay_page.js";

// Keys belong to the player only inside of it: elsewhere they scroll the page.
addEventListener("keydown", event => {
  if (!player.element.contains(event.target)) event.stopPropagation();
}, true);

function show() {
  if (location.hash.includes("match=")) document.getElementById("replays").scrollIntoView();
}

// A link to a moment that is already in the address changes nothing, and still leads to the player.
document.addEventListener("click", event => {
  if (event.target.closest?.("a[href^='#match=']")) requestAnimationFrame(show);
});
show();

// The end of a log is what matters.
for (const log of document.querySelectorAll("pre.log")) log.scrollTop = log.scrollHeight;
