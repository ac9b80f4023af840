"""A whole state that fits a view: what cannot be seen is dealt anew."""

from collections.abc import Iterable
from typing import TypeVar

from referee.game import Event, View
from referee.gamelib.ranking import winners
from referee.gamelib.turns import OVER
from referee.games.chicago_poker.actions import can_end
from referee.games.chicago_poker.components import (
    CARDS,
    DOWN,
    ENTRIES,
    FACE,
    GANGSTERS,
    UNKNOWN,
    all_cards,
    all_tiles,
)
from referee.games.chicago_poker.state import State

T = TypeVar("T")

# R3: a hand of more than seven cards holds one that leads back to seven. About one deal in ten has it; a view
# that no game can come to has none.
_DEALS = 500


def fill(state: State, view: View) -> None:
    """Take over what the view shows and deal the rest; in a reinforcement no seat has answered yet."""
    _copy_public(state, view)
    hidden = all_cards(state.rules)
    _remove(hidden, state.discard)
    if view["you"] is not None:
        state.hands[view["you"]] = [CARDS[name] for name in view["hand"]]
        _remove(hidden, state.hands[view["you"]])
    for slot in view["slots"]:
        _remove(hidden, (ENTRIES[shown] & FACE for row in slot["rows"] for shown in row if shown != UNKNOWN))
    for _ in range(_DEALS):
        _deal(state, view, hidden[:])
        if state.active == view["you"] or can_end(state):
            break
    state.pile = all_tiles()
    _remove(state.pile, (kind for kind in state.kinds if kind is not None))
    _remove(state.pile, (kind for kinds in state.won for kind in kinds))
    state.chance.shuffle("imagine", state.pile)
    _resume(state, view)


def _deal(state: State, view: View, hidden: list[int]) -> None:
    """Deal what the view does not show: face-down cards, hands, and the deck."""
    state.chance.shuffle("imagine", hidden)
    _lay_rows(state, view, hidden)
    for seat, size in enumerate(view["hands"]):
        if seat != view["you"]:
            state.hands[seat] = sorted(hidden.pop() for _ in range(size))
    state.deck = hidden


def _remove(items: list[T], gone: Iterable[T]) -> None:
    for item in gone:
        items.remove(item)


def _copy_public(state: State, view: View) -> None:
    state.first = view["first"]
    state.must, state.may, state.revolvers = view["must"], view["may"], view["revolvers"]
    state.idle, state.quiet = view["idle"], view["quiet"]
    for name in view["discard"]:
        state.throw(CARDS[name])
    state.marks = [sum(1 << seat for seat in slot["marks"]) for slot in view["slots"]]
    state.won = [list(kinds) for kinds in view["won"]]


def _lay_rows(state: State, view: View, hidden: list[int]) -> None:
    """Lay all rows; only a gangster can lie face down."""
    gangsters = (card for card in hidden[:] if card < GANGSTERS)
    for slot, business in enumerate(view["slots"]):
        if business["kind"] is None:
            continue
        state.open_business(slot, business["kind"])
        for seat, row in enumerate(business["rows"]):
            entries = []
            for shown in row:
                if shown == UNKNOWN:
                    card = next(gangsters)
                    hidden.remove(card)
                    entries.append(card + DOWN)
                else:
                    entries.append(ENTRIES[shown])
            state.lay_row(slot, seat, entries)


def _resume(state: State, view: View) -> None:
    """Go on where the view stands."""
    if state.phase == OVER:
        best = winners(view["ranking"])
        unseen: list[Event] = []
        state.finish(view["reason"], best[0] if len(best) == 1 else None, unseen)
    elif state.phase == "reinforce":
        state.fight, state.round = view["fight"]["slot"] - 1, view["fight"]["round"]
