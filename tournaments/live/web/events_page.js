// The list of events: the colours that a reader chose, and a list that brings itself up to date.

import { applyTheme, themeButton } from "./theme.js";

applyTheme();
document.addEventListener("DOMContentLoaded", () => {
  document.querySelector(".site-head")?.append(themeButton());
  const source = new EventSource("events");
  let known = "";
  source.addEventListener("results", async event => {
    if (known && known !== event.data) {
      const answer = await fetch(location.pathname, { credentials: "omit" });
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const fresh = page.querySelector("[data-live]");
      document.querySelector("[data-live]").replaceChildren(...document.importNode(fresh, true).childNodes);
    }
    known = event.data;
  });
});
