// The wheel with the marksmen, and their lines of fire.

import circuit from "../board.json" with { type: "json" };
import { remembered } from "./remembered.js";
import { circle, g, line, path, rect, round } from "./scene.js";
import { inCell, polar, sector, turnOf } from "./layout.js";
import { label } from "./lettering.js";
import { COUNT, NAMES, opposite } from "./terms.js";

// The stops of the wheel in the last step with those who hired it, if the events say who.
export function spinsOf(view, events) {
  const spun = events.filter(event => event.event === "spun");
  const known = spun.length ? spun.map(({ gang, stop }) => ({ gang, stop })) : (view.luck?.wheel ?? []).map(stop => ({ gang: null, stop }));
  return known.filter(({ stop }) => Number.isInteger(stop) && stop >= 0 && stop < COUNT);
}

export function wheel(L, spins) {
  const last = spins.at(-1);
  // At rest the cars stand towards doors, where they point at no cell.
  const edge = last ? last.stop + 0.5 : circuit.hqs[0].exit;
  const ends = [edge, edge + COUNT / 2].map(each => polar(L, L.car, each));
  const tip = last ? `The wheel has stopped: the rifles point at cells ${last.stop} and ${opposite(last.stop)}.`
    : "The wheel with the marksmen. It has not been spun in the last step.";
  return g({ class: last ? "veng-wheel" : "veng-wheel veng-rest", tip },
    circle(L.half, L.half, round(L.inner - L.carSize), { class: "veng-disc" }),
    circle(L.half, L.half, L.car, { class: "veng-rail" }),
    stops(L),
    line(...ends[0], ...ends[1], { class: "veng-axle" }));
}

const stops = remembered(L => L.narrow, L => circuit.cells.map(({ id }) => {
  const [rim, end] = [1, 1.3].map(depth => inCell(L, L.inner - L.carSize * depth, id));
  return line(...rim, ...end, { class: "veng-stop" });
}));

// The cars glide, so they are pieces of their own.
export function cars(L, spins) {
  const last = spins.at(-1);
  return [0, 1].map(number => {
    const edge = (last ? last.stop + 0.5 : circuit.hqs[0].exit) + (number * COUNT) / 2;
    const turn = (turnOf(edge) * 180) / Math.PI;
    const s = L.carSize;
    return g({
      // At rest they are no news, so they have no key.
      key: last ? `car:${number}` : undefined, at: polar(L, L.car, edge), class: last ? "veng-car" : "veng-car veng-rest",
      state: last ? String(last.stop) : "",
      tip: last ? `Marksmen: they shoot at cell ${number ? opposite(last.stop) : last.stop}.` : "A car with marksmen, at rest.",
    }, g({ transform: `rotate(${round(turn)})` },
      last ? line(0, 0, s * 1.5, 0, { class: "veng-rifle" }) : null,
      rect(-s * 0.55, -s, s * 1.1, s * 2, { rx: s * 0.4, class: "veng-car-body" }),
      rect(-s * 0.36, -s * 0.45, s * 0.72, s * 0.9, { rx: s * 0.16, class: "veng-car-roof" })));
  });
}

// Lines of fire, with a number at each if there was more than one spin.
export function shots(L, spins) {
  return spins.map(({ gang, stop }, number) => {
    const who = gang ? `hired by ${NAMES[gang]}` : "of the last step";
    const name = number === spins.length - 1 ? "veng-spin" : "veng-spin veng-earlier";
    return g({ class: name, tip: `Spin ${number + 1}, ${who}: cells ${stop} and ${opposite(stop)}.` },
      [stop, opposite(stop)].map(cell => {
        const [from, to] = [inCell(L, L.car + L.carSize * 1.5, cell), inCell(L, L.inner - 1, cell)];
        return g({},
          path(sector(L, cell, L.outer + 2, L.inner - 2), { class: "veng-target" }),
          line(...from, ...to, { class: "veng-shot" }),
          spins.length > 1 ? label(...inCell(L, L.inner - (L.narrow ? 8 : 13), cell), number + 1, L.narrow ? 11 : 12) : null);
      }));
  });
}
