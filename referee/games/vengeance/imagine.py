"""A whole state that fits a view: all of it is seen but the luck to come."""

from typing import Any

from referee.game import View
from referee.gamelib.ranking import winners
from referee.gamelib.turns import OVER
from referee.games.vengeance.components import GANG_NUMBERS, GONE, HQ
from referee.games.vengeance.contents import CODES, Content
from referee.games.vengeance.state import State


def fill(state: State, view: View) -> None:
    """Take over what the view shows."""
    for cell, shown in view["cells"].items():
        state.put(int(cell), _content(shown))
    for letter, shown in view["gangs"].items():
        _copy_gang(state, GANG_NUMBERS[letter], shown)
    state.departed = [(GANG_NUMBERS[left["gang"]], left["cause"]) for left in view["out"]]
    state.round, state.first = view["round"], view["first"]
    state.due = tuple(GANG_NUMBERS[letter] for letter in view["due"])
    state.roll, state.dice = tuple(view["roll"]), tuple(view["dice"])
    moved = view["moved"]
    state.moved = None if moved is None else (GANG_NUMBERS[moved["gang"]], moved["cell"])
    state.boss_moved = view["boss_moved"]
    state.rolled = [list(dice) for dice in view["luck"]["dice"]]
    state.spun = list(view["luck"]["wheel"])
    state.hires = [GANG_NUMBERS[letter] for letter in view["hires"]]
    if state.phase == OVER:
        won = view["reason"] in {"goal", "last_seat"}
        state.settle(state.result(view["reason"], winners(view["ranking"])[0] if won else None))
    else:
        state.place = state.rules.places.index(state.due)


def _content(shown: dict[str, Any]) -> int:
    held = shown["hostage"]
    hostage = None if held is None else 2 * GANG_NUMBERS[held["gang"]] + held["boss"]
    return CODES[Content(GANG_NUMBERS[shown["gang"]], shown["hoods"], shown["boss"], hostage)]


def _copy_gang(state: State, gang: int, shown: dict[str, Any]) -> None:
    if shown["boss"] is None:
        boss = GONE
    elif shown["boss"] != "hq":
        boss = shown["boss"]
    else:
        boss = state.board.size if shown["progress"] else HQ
    state.bosses[gang] = boss
    state.alive[gang] = boss != GONE
    state.hq[gang], state.pool[gang] = shown["hq"], shown["pool"]
    state.falls[gang], state.locked[gang] = shown["falls"], shown["locked"]
