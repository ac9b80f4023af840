"""Positions from a few words, for the tests of Vengeance."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from referee.chance import Chance
from referee.game import Event, Options
from referee.games.vengeance import GAME
from referee.games.vengeance.components import GANG_NUMBERS, GANGS, GONE, HOODS, Rules
from referee.games.vengeance.contents import CODES, COMPACT, EMPTY, Content
from referee.games.vengeance.state import State
from tests.rules.acting import LUCK


class Queue:
    """Luck laid down in advance, dice as they are read and stops of the wheel, in one row for all streams."""

    def __init__(self, numbers: Sequence[int], fallback: Chance = LUCK) -> None:
        self.numbers = list(numbers)
        self._fallback = fallback.clone()

    def below(self, stream: str, n: int) -> int:
        if not self.numbers:
            return self._fallback.below(stream, n)
        number = self.numbers.pop(0) - (stream == "dice")
        assert 0 <= number < n, f"{number} is not below {n}: the queue is out of step at {stream}"
        return number

    def shuffle(self, stream: str, items: list[Any]) -> None:
        raise AssertionError("nothing is shuffled in this game")

    def clone(self) -> "Queue":
        return Queue(self.numbers, self._fallback)


def content(text: str) -> int:
    """Return the content of a text like `O*O` or `Y(O*)`."""
    if not text:
        return EMPTY
    match = re.fullmatch(r"(?P<own>[OYBG][OYBG*]*)(?:\((?P<held>[OYBG])(?P<boss>\*?)\))?", text)
    assert match, text
    letter, boss = match["own"][0], "*" in match["own"]
    hostage = None if match["held"] is None else 2 * GANG_NUMBERS[match["held"]] + bool(match["boss"])
    return CODES[Content(GANG_NUMBERS[letter], match["own"].count(letter) - boss, boss, hostage)]


def position(
    cells: Mapping[int, str] | None = None,
    dice: Sequence[int] = (),
    seats: int = 4,
    *,
    seat: int = 0,
    rounds: int = 1,
    hq: Mapping[str, int] | None = None,
    pool: Mapping[str, int] | None = None,
    options: Options | None = None,
    chance: Chance | None = None,
) -> State:
    """Return a position before the turn of a seat; figures that are nowhere else are in their HQ.

    With `hq` given, the hoods that are nowhere else are in the pool, with `pool` in the HQ. `dice` is the
    luck to come, stops of the wheel among it.
    """
    rules = Rules.of(GAME.resolve(options, seats), seats)
    state = State(rules, chance or Queue(dice), GAME.board)
    seen = dict.fromkeys(GANGS, 0)
    for cell, text in (cells or {}).items():
        state.put(cell, content(text))
        for letter, star in re.findall(r"([OYBG])(\*?)", text):
            if star:
                state.bosses[GANG_NUMBERS[letter]] = cell
            else:
                seen[letter] += 1
    for gang, letter in enumerate(GANGS):
        left = HOODS - seen[letter]
        if state.bosses[gang] == GONE:
            continue
        if letter in (hq or {}):
            state.hq[gang] = (hq or {})[letter]
            state.pool[gang] = left - state.hq[gang]
        else:
            state.pool[gang] = (pool or {}).get(letter, 0)
            state.hq[gang] = left - state.pool[gang]
    state.place, state.round, state.turn = seat, rounds + 1, 10
    return state


def begin(state: State) -> list[Event]:
    """Begin the turn of the place at hand, as far as the next decision."""
    events: list[Event] = []
    state.begin_turn(state.place, events)
    if not state.reaches_decision():
        state.pass_by(events)
    return events


def begun(
    cells: Mapping[int, str] | None = None, dice: Sequence[int] = (), seats: int = 4, **rest: Any
) -> State:
    """Return a position as `position` does, with its turn begun."""
    state = position(cells, dice, seats, **rest)
    begin(state)
    return state


def occupied(state: State) -> dict[int, str]:
    """Return what stands on the circuit, in short."""
    return {cell: COMPACT[code] for cell, code in enumerate(state.cells) if code}


def brief(event: Event) -> str:
    """Return an event in the short form of the cases."""
    seen = event.public
    kind = event.kind
    if kind == "start_rolled":
        return "first " + " ".join(f"{seat}:{total}" for seat, total in seen["totals"].items())
    if kind == "kidnapped":
        return f"hostage {seen['gang']} {seen['figure']} {seen['cell']} by {seen['by']}"
    word, *fields = BRIEF.get(kind, (kind,))
    words = [word]
    for field in fields:
        value = seen[field]
        words += map(str, value if isinstance(value, list) else [value])
    return " ".join(words)


BRIEF = {
    "rolled": ("roll", "seat", "dice"),
    "extra_rolled": ("extra", "seat", "die"),
    "moved": ("move", "gang", "figure", "from", "to"),
    "recruited": ("recruit", "gang", "count"),
    "freed": ("free", "gang", "figure", "cell"),
    "killed": ("kill", "gang", "figure", "cell", "cause"),
    "reformed": ("reform", "gang", "hq"),
    "hired": ("hire", "gang", "cell"),
    "spun": ("spin", "gang", "cells"),
    "eliminated": ("out", "gang", "cause"),
    "lapsed": ("nomove", "seat"),
    "stopped": ("stop",),
}
"""By kind of event: its word in the cases, and the fields that follow."""
