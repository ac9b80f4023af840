// The page of a match on a site, static or live. A match is loaded as a script (`replays/ID.js`), because a page from a
// disk may not fetch; the script calls `refereeFrames(id, packed, about)`. Of a match that is not shown, `packed` is null,
// and `about.why` says why.
//
// The site's page has an element with the id `player`. Its `data-replays` is the folder of the scripts (`replays/` if
// there is none), and its text is shown if a match does not load: there the site says why that may be.

import { element } from "./dom.js";
import { unpacked } from "./patches.js";
import { Player } from "./player.js";
import { applyTheme } from "./theme.js";

applyTheme();
const host = document.getElementById("player");
const folder = host.dataset.replays ?? "replays/";
const withheld = host.textContent.trim();
const arrived = new Map();

globalThis.refereeFrames = (id, packed, about = {}) => arrived.set(id, { packed, about });

const source = {
  matches: [],
  others: ({ about }) => about.others ?? [],
  load: async id => {
    if (!/^[\w.~-]+$/.test(id)) throw new Error(`${id} is no id of a match.`);
    if (!arrived.has(id)) await loaded(`${folder}${encodeURIComponent(id)}.js`);
    if (!arrived.has(id)) throw new Error(withheld || `The match ${id} is not here.`);
    const { packed, about } = arrived.get(id);
    if (packed === null) throw new Error(about.why);
    return { frames: await unpacked(id, packed), about };
  },
};

// Load a script; one that is not there ends the wait too.
function loaded(address) {
  return new Promise(resolve => {
    document.head.append(element("script", { src: address, onload: resolve, onerror: resolve }));
  });
}

const player = new Player(source);
host.replaceChildren(player.element);
player.begin();
