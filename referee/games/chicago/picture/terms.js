// What the rules call and count: gangs, forces, values of members, money.

import { round } from "./scene.js";

export const GANGS = { Y: "yellow", R: "red", G: "green", B: "blue" };
export const FORCES = ["", "weak", "third force", "second force", "first force"];
export const VALUES = [0, 10000, 25000, 40000, 50000];
export const DICE = ["", "1 2 3 4 5 6", "3 3 4 4 5 6", "4 4 5 5 6 6", "5 5 5 6 6 6"];
export const money = value => `${round((value ?? 0) / 1000)}k`;
export const inFull = value => `${String(Math.round(value ?? 0)).replace(/\B(?=(\d{3})+$)/g, ",")} FT`;
export const gangName = letter => GANGS[letter] ?? "no gang";
export const sum = values => values.reduce((total, value) => total + value, 0);
export const number = pawn => String(pawn).slice(1);
