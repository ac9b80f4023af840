// Plays a match on the page of a seat, by clicks on the board and on what the page then offers. Returns what was done.

async ({ seed, most }) => {
  let state = seed;
  const below = count => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 4294967296) * count);
  };
  const any = list => list[below(list.length)];
  const page = document.getElementById("seat");
  const all = selector => [...document.querySelectorAll(selector)];
  const click = element => element.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
  const until = holds => new Promise((done, fail) => {
    const end = performance.now() + 30000;
    const look = () => {
      if (holds()) done();
      else if (performance.now() > end) fail(new Error(`nothing happens: ${page.dataset.phase} ${document.querySelector("main").textContent}`));
      else setTimeout(look, 4);
    };
    look();
  });
  const question = () => `${page.dataset.match} ${page.dataset.ask}`;
  const isOver = () => ["over", "out"].includes(page.dataset.phase);
  const counts = { decisions: 0, places: 0, elsewhere: 0 };
  while (counts.decisions < most) {
    await until(() => page.dataset.phase === "decide" || isOver());
    if (isOver()) break;
    for (let tries = 0; !document.querySelector(".offer .primary"); tries++) {
      if (tries > 12) throw new Error(`clicks lead to no action: ${document.querySelector(".offer").textContent}`);
      const lit = all(".board .lit:not(.picked):not(.instead)");
      const chips = all(".offer .chip");
      const use = lit.length && (!chips.length || below(2)) ? lit : chips;
      if (!use.length) throw new Error(`there is nothing to click: ${document.querySelector(".offer").textContent}`);
      counts[use === lit ? "places" : "elsewhere"]++;
      click(any(use));
    }
    const asked = question();
    click(document.querySelector(".offer .primary"));
    counts.decisions++;
    await until(() => question() !== asked || page.dataset.phase !== "decide" || isOver());
  }
  return counts;
}
