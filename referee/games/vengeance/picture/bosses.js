// The bosses, and the chains of hostages.

import { g, line } from "./scene.js";
import { bossToken, cuffs } from "./figures.js";
import { hqPlace, inCell } from "./layout.js";
import { HQ_OF, LAP, NAMES } from "./terms.js";

export function bossPiece(L, view, events, gang) {
  const { boss, progress } = view.gangs[gang];
  if (boss == null || !HQ_OF[gang]) return null;
  const isHome = boss === "hq";
  const goes = event => event.event === "moved" && event.gang === gang && event.figure === "boss";
  const hasMoved = (!isHome || progress === LAP) && events.some(goes);
  const content = isHome ? null : view.cells?.[boss];
  const held = content?.hostage?.gang === gang && content.hostage.boss;
  const at = isHome ? hqPlace(L, gang, 4) : inCell(L, L.slots[held ? 2 : 0], boss);
  const onTheWay = `is on cell ${boss}, ${progress} of ${LAP} points of his way`;
  const where = progress === LAP ? "is home: the lap is done" : isHome ? "is in his HQ" : onTheWay;
  // Two places in one: a click is for the boss if he can move, else for what he stands on.
  return g({
    key: `boss:${gang}`, at, spot: isHome ? `hq:${gang}` : `cell:${boss}`, trail: hasMoved, state: held ? "held" : "free",
    tip: `The boss of the ${NAMES[gang]} gang ${where}${held ? "; he is a hostage and cannot move" : ""}.`,
  }, g({ spot: `boss:${gang}`, class: "veng-leader" }, bossToken(gang, L.boss)), held ? cuffs(L.boss) : null);
}

// The chain between a kidnapper and the hostage below him.
export function chains(L, view) {
  return Object.entries(view.cells ?? {}).filter(([, content]) => content.hostage).map(([cell]) => {
    const [from, to] = [inCell(L, L.slots[0], cell), inCell(L, L.slots[2], cell)];
    return line(...from, ...to, { class: "veng-chain" });
  });
}
