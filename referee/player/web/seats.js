// Seats in a page: the mark of a seat (shape, colour, number), and its name. The same marks as on the boards.

import { element } from "./dom.js";
import { paint, seatMark } from "./scene.js";

// The mark of a seat as a small picture. It says nothing to those who do not see it: the name beside it does.
export function seatBadge(seat, size = 20) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("width", size);
  svg.setAttribute("height", size);
  svg.setAttribute("aria-hidden", "true");
  svg.setAttribute("class", "board seat-badge");
  paint(svg, [seatMark(seat, 12, 12, 10)]);
  return svg;
}

// A seat with its mark and its name; a long name is cut by the style, and shown whole by hover.
export function seatName(seat, name, attributes = {}) {
  return element("span", { class: `seat-name seat${seat}`, title: name, ...attributes },
    seatBadge(seat), element("span", { class: "off-screen" }, `seat ${seat}: `), element("span", { class: "seat-text" }, name));
}
