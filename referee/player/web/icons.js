// Signs on buttons, as drawings: letters for them are not in every font, and some systems colour them.

import { node, paint } from "./scene.js";

const PATHS = {
  first: "M6 5v14M19 5l-9 7 9 7z",
  last: "M18 5v14M5 5l9 7-9 7z",
  back: "M16 5l-9 7 9 7z",
  forward: "M8 5l9 7-9 7z",
  play: "M7 4l13 8-13 8z",
  pause: "M7 5h3.5v14H7zM13.5 5H17v14h-3.5z",
  faultBack: "M10 12l-6-5v10zM16 4l5.5 15h-11zM16 9.5v4M16 16v.6",
  faultForward: "M14 12l6-5v10zM8 4l5.5 15h-11zM8 9.5v4M8 16v.6",
  link: "M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1.5 1.5M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1.5-1.5",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  full: "M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5",
  zoomIn: "M10.5 4a6.5 6.5 0 1 1 0 13a6.5 6.5 0 1 1 0-13M15.5 15.5L21 21M10.5 7.5v6M7.5 10.5h6",
  zoomOut: "M10.5 4a6.5 6.5 0 1 1 0 13a6.5 6.5 0 1 1 0-13M15.5 15.5L21 21M7.5 10.5h6",
  zoomReset: "M10.5 4a6.5 6.5 0 1 1 0 13a6.5 6.5 0 1 1 0-13M15.5 15.5L21 21M9.5 8.5l1.5-1v6",
  theme: "M12 3a9 9 0 1 0 0 18a9 9 0 1 0 0-18M12 3v18",
  help: "M9 9a3 3 0 1 1 4.5 2.6c-1 .6-1.5 1.2-1.5 2.4M12 17.5v.6",
  legend: "M4 6h3M4 12h3M4 18h3M10 6h10M10 12h10M10 18h10",
  close: "M6 6l12 12M18 6L6 18",
};

const FILLED = new Set(["first", "last", "back", "forward", "play", "pause"]);

// A sign for a button; the button says in words what it means.
export function icon(name, size = 20) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("width", size);
  svg.setAttribute("height", size);
  svg.setAttribute("aria-hidden", "true");
  svg.setAttribute("class", `icon${FILLED.has(name) ? " icon-filled" : ""}`);
  const parts = [node("path", { d: PATHS[name] })];
  if (name === "theme") parts.push(node("path", { d: "M12 3a9 9 0 0 1 0 18z", class: "icon-solid" }));
  paint(svg, parts);
  return svg;
}
