"""A whole state that fits a view: the face-down tiles are dealt anew."""

from referee.game import Outcome, View
from referee.gamelib.turns import OVER
from referee.games.gangsters.components import DEAD, EMPTY, ENTRIES, KINDS, TILES
from referee.games.gangsters.grid import CELL_NUMBERS, LINE_NAMES
from referee.games.gangsters.position import NONE
from referee.games.gangsters.state import State


def fill(state: State, view: View) -> None:
    """Take over what the view shows; every order of the unseen tiles is equally likely."""
    _lay_board(state, view)
    hidden = [KINDS[name] for name, number in view["unseen"].items() for _ in range(number)]
    state.unseen = dict(view["unseen"])
    state.chance.shuffle("imagine", hidden)
    state.piles = [[hidden.pop() for _ in range(size)] for size in view["piles"]]
    state.common = [KINDS[name] for name in view["common"]]
    state.reserves = list(map(list, view["reserves"]))
    state.cartridges = list(view["cartridges"])
    state.scores, state.reached = list(view["scores"]), list(view["reached"])
    state.removed = [KINDS[name] for name in view["removed"]]
    state.withdrawn = list(view["withdrawn"])
    for seat in state.withdrawn:
        state.disown(state.gangs[seat])
    state.left = TILES - sum(code != "" for code in view["board"]) - len(state.removed)
    _resume(state, view)


def _lay_board(state: State, view: View) -> None:
    for cell, code in enumerate(view["board"]):
        entry = ENTRIES[code]
        if entry != EMPTY:
            state.lay(cell, entry % DEAD)
            if entry >= DEAD:
                state.kill(cell)
    for line in view["complete"]:
        state.freeze(LINE_NAMES.index(line))


def _resume(state: State, view: View) -> None:
    """Go on where the view stands."""
    state.decisions, state.quiet, state.barred = view["decisions"], view["quiet"], view["barred"]
    state.ban = NONE if view["ban"] is None else CELL_NUMBERS[view["ban"]]
    state.pending = tuple(LINE_NAMES.index(line) for line in view["pending"] or ())
    if view["drawn"] is not None:
        state.drawn, state.drawn_from = KINDS[view["drawn"]], view["drawn_from"] - 1
    if state.phase == OVER:
        state.settle(Outcome(tuple(view["ranking"]), tuple(state.scores), view["reason"]))
