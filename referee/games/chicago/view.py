"""What every seat may know: the whole position (section 10 of RULES.md)."""

from typing import Any

from referee.game import View
from referee.games.chicago.components import GANGS, PAWN_NAMES
from referee.games.chicago.position import Position

_DUE = [[colour] for colour in GANGS]
"""The gang that is due, as all views show it; not to be changed."""


def view_of(position: Position, seat: int | None) -> View:
    """Return the view of a seat, or of the public; they differ in `you` alone."""
    if position.changed:
        _look_again(position)
    view = position.head(seat)
    view["round"] = position.round
    view["due"] = _DUE[position.gang] if position.ended is None else []
    view["points"] = position.points
    view["ring_bank"] = position.bank
    view["gangs"] = position.seen.copy()
    view["owner"] = position.deeds
    if position.attackers:
        view["duel"] = _duel(position)
    return view


def _look_again(position: Position) -> None:
    """See what views show of the gangs that have changed."""
    for gang in position.changed:
        position.seen[GANGS[gang]] = _gang(position, gang)
    position.changed.clear()


def _gang(position: Position, gang: int) -> dict[str, Any]:
    return {
        "seat": position.seat_of[gang],
        "cash": position.cash[gang],
        "reserve": position.reserve[gang],
        "tokens": position.tokens[gang],
        "bought": position.bought[gang],
        "members": list(map(position.shown.__getitem__, position.members[gang])),
    }


def _duel(position: Position) -> dict[str, Any]:
    node = position.place[position.attackers[0]]
    return {
        "attackers": [PAWN_NAMES[pawn] for pawn in position.attackers],
        "defenders": [PAWN_NAMES[pawn] for pawn in position.standing_at(position.holder[node], node)],
        "at": position.board.names[node],
        "picks": GANGS[position.chooser],
    }
