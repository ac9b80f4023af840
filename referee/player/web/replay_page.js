// A page that is one file: its matches are in it.

import { unpacked } from "./patches.js";
import { Player } from "./player.js";
import { applyTheme } from "./theme.js";

applyTheme();
const matches = JSON.parse(document.getElementById("matches").textContent);

const source = {
  matches,
  moment: JSON.parse(document.getElementById("moment").textContent),
  others: ({ asked }) => {
    const shown = matches.find(each => each.match === asked);
    return matches.filter(each => each !== shown && each.deal === shown.deal);
  },
  load: async id => {
    const number = matches.findIndex(each => each.match === id);
    if (number < 0) throw new Error(`This page has no match ${id}. It has ${matches.map(each => each.match).join(", ")}.`);
    return { frames: await unpacked(id, document.getElementById(`frames-${number}`).textContent), about: { file: matches[number].file } };
  },
};

export const player = new Player(source);
document.getElementById("main").append(player.element);
player.begin();
