"""The circuit: read from a file, checked as far as the rules need it, and spelt out in lists.

A board file is a JSON object; `board.json` beside this module is the one of this house.

=============  ====================================================================================
name, version  what views and events call it
origin         where it comes from, for people
cell_count     number of cells n, a multiple of 4, from 16 to 100
quarter        n / 4
lap_points     n + 1: a lap from HQ to HQ
capacity       `figures` 3 and `colours` 2, as the rules demand
cells          n objects in clockwise order: `id` 0 to n - 1, `kind` (plain, shoot, safe or danger),
               `letter` (A, B, C, D for these kinds), `next` and `opposite` cell, `hostage_slots` 1
hqs            four objects in clockwise order: `gang` (O, Y, B, G), `name`, `exit` (the cell behind the
               door), `last` (the cell before it), `faces` (the gang on the other side)
wheel          `rifles` 2, `stops` n, `pairs` of opposite cells
=============  ====================================================================================
"""

from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

import msgspec
from msgspec import Struct

from referee.errors import ConfigError
from referee.games.vengeance.components import GANG_NAMES, GANGS, SIDES

KINDS = {"plain": "A", "shoot": "B", "safe": "C", "danger": "D"}
LEAST_CELLS, MOST_CELLS = 16, 100
STOP = "stop"


class Move(Struct, frozen=True, gc=False):
    """What an action asks for: a figure of a gang, where it stands (0: HQ, else its cell + 1), and a die."""

    gang: int
    boss: bool
    origin: int
    """For a boss 0: where he is does not depend on the action."""
    die: int
    """0: the total of both dice."""


class Board(Struct, frozen=True):
    """A circuit. An origin is 0 for the HQ, or a cell plus one."""

    name: str
    version: int
    size: int
    kinds: tuple[str, ...]
    exits: tuple[int, ...]
    """By gang: the cell behind the door of its HQ."""
    reach: tuple[tuple[tuple[int, ...], ...], ...]
    """By gang, origin and number of points: the cell of arrival (3.2)."""
    left: tuple[tuple[int, ...], ...]
    """By gang and origin: the points to go from there into the HQ (3.11)."""
    come: tuple[tuple[int, ...], ...]
    """By gang and place of its boss: how far he has come; HQ and GONE count from the end."""
    places: tuple[int | str | None, ...]
    """By place of a boss: what views call it; HQ and GONE count from the end."""
    hood_texts: tuple[tuple[tuple[str, ...], ...], ...]
    """By gang, origin and die: the action of a hood."""
    sum_texts: tuple[tuple[str, ...], ...]
    """By gang and origin: the action of a hood with both dice."""
    boss_texts: tuple[tuple[str, ...], ...]
    """By gang and die: the action of the boss."""
    moves: dict[str, Move]
    """Every action but `stop`, legal anywhere or not."""

    def opposite(self, cell: int) -> int:
        """Return the cell the second rifle points at when the first one points at this cell."""
        return (cell + self.size // 2) % self.size

    def progress(self, gang: int, boss: int) -> int:
        """Return how far a boss has come (1.2); at home he is as far as can be."""
        return self.come[gang][boss]

    def shown(self) -> dict[str, Any]:
        """Return what the event `started` shows of the board."""
        letters = "".join(KINDS[kind] for kind in self.kinds)
        exits = {letter: self.exits[gang] for gang, letter in enumerate(GANGS)}
        return {"name": self.name, "version": self.version, "cells": letters, "exits": exits}


def load(text: str) -> Board:
    """Read a board file; ConfigError says what is wrong with it."""
    try:
        data = msgspec.json.decode(text)
        problem = _problem(data)
        if problem is None:
            return _board(data)
    except (msgspec.DecodeError, KeyError, TypeError, IndexError) as error:
        problem = f"it lacks something or is no board at all ({error!r})"
    raise ConfigError(f"this board cannot be played on: {problem}")


def _problem(data: Mapping[str, Any]) -> str | None:
    """Return what the rules cannot do without, or None."""
    size, cells = data["cell_count"], data["cells"]
    if size % 4 or not LEAST_CELLS <= size <= MOST_CELLS or len(cells) != size:
        return (
            f"it needs a multiple of 4 from {LEAST_CELLS} to {MOST_CELLS} cells, and cell_count must be right"
        )
    if data["quarter"] * 4 != size or data["lap_points"] != size + 1:
        return "quarter is cell_count / 4, and lap_points is cell_count + 1"
    if data["capacity"] != {"figures": 3, "colours": 2}:
        return "the rules are for three figures of two colours on a cell"
    for number, cell in enumerate(cells):
        ways = {"id": number, "next": (number + 1) % size, "opposite": (number + size // 2) % size}
        if any(cell[key] != value for key, value in ways.items()) or cell["hostage_slots"] != 1:
            return f"cell {number} must be numbered clockwise, face half a turn away, and have a hostage slot"
        if cell["letter"] != KINDS.get(cell["kind"]):
            return f"cell {number} has a kind or letter that does not exist"
    return _problem_of_hqs(data["hqs"], size) or _problem_of_wheel(data["wheel"], size)


def _problem_of_hqs(hqs: Sequence[Mapping[str, Any]], size: int) -> str | None:
    if [(hq["gang"], hq["name"]) for hq in hqs] != list(GANG_NAMES.items()):
        return f"the HQs are those of {', '.join(GANGS)}, in this order"
    exits = [hq["exit"] for hq in hqs]
    if [(door - exits[0]) % size for door in exits] != [size // 4 * number for number in range(len(GANGS))]:
        return "the doors must lie a quarter of the circuit apart, clockwise"
    for number, hq in enumerate(hqs):
        if hq["last"] != (hq["exit"] - 1) % size or hq["faces"] != GANGS[(number + 2) % len(GANGS)]:
            return f"the HQ of {hq['gang']} has a wrong last cell, or faces the wrong gang"
    return None


def _problem_of_wheel(wheel: Mapping[str, Any], size: int) -> str | None:
    pairs = [[cell, cell + size // 2] for cell in range(size // 2)]
    if wheel != {"rifles": 2, "stops": size, "pairs": pairs}:
        return "the wheel has two rifles that point at opposite cells, and can stop at every cell"
    return None


def _board(data: Mapping[str, Any]) -> Board:
    size: int = data["cell_count"]
    exits = tuple(hq["exit"] for hq in data["hqs"])
    origins = ["hq", *map(str, range(size))]
    dice = range(SIDES + 1)
    hood = tuple(
        tuple(tuple(f"hood {gang} {origin} {die}" for die in dice) for origin in origins) for gang in GANGS
    )
    sums = tuple(tuple(f"sum {gang} {origin}" for origin in origins) for gang in GANGS)
    boss = tuple(tuple(f"boss {gang} {die}" for die in dice) for gang in GANGS)
    left = tuple((size + 1, *(size - (cell - door) % size for cell in range(size))) for door in exits)
    moves: dict[str, Move] = {}
    for gang in range(len(GANGS)):
        for origin in range(size + 1):
            moves[sums[gang][origin]] = Move(gang, False, origin, 0)
            moves |= {hood[gang][origin][die]: Move(gang, False, origin, die) for die in dice if die}
        moves |= {boss[gang][die]: Move(gang, True, 0, die) for die in dice if die}
    return Board(
        name=data["name"],
        version=data["version"],
        size=size,
        kinds=tuple(cell["kind"] for cell in data["cells"]),
        exits=exits,
        reach=tuple(_reach(door, size) for door in exits),
        left=left,
        come=tuple((*(size + 1 - points for points in ahead[1:]), size + 1, 0, 0) for ahead in left),
        places=(*range(size), "hq", None, "hq"),
        hood_texts=hood,
        sum_texts=sums,
        boss_texts=boss,
        moves=moves,
    )


def _reach(door: int, size: int) -> tuple[tuple[int, ...], ...]:
    """Return the cells that can be reached, by origin and number of points."""
    before = [(door - 1) % size, *range(size)]
    return tuple(tuple((cell + points) % size for points in range(2 * SIDES + 1)) for cell in before)


HOUSE = load(files("referee.games.vengeance").joinpath("board.json").read_text("utf-8"))
"""The circuit of this house: 36 cells."""
