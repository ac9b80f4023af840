// One position as a picture, without the rest of the player: for notebooks.

import { Stage } from "./stage.js";

const { game, names, view, before, events, fits } = JSON.parse(document.getElementById("position").textContent);
const stage = new Stage(game, names);
document.querySelector("main").append(stage.element);
stage.element.classList.toggle("fits", fits);
stage.show(view, { events, before });
