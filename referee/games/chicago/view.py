"""What every seat may know: the whole position (section 10 of RULES.md)."""

from typing import Any

from referee.game import View
from referee.games.chicago.components import GANGS, PARTS, PAWN_NAMES
from referee.games.chicago.position import Position


def view_of(position: Position, seat: int | None) -> View:
    """Return the view of a seat, or of the public; they differ in `you` alone."""
    if None in position.seen.values():
        _look_again(position)
    view = position.head(seat)
    view |= {
        "part": PARTS[position.part],
        "round": position.round,
        "due": [GANGS[position.gang]] if position.ended is None else [],
        "points": position.points,
        "order": list(map(GANGS.__getitem__, position.order)),
        "ring_bank": position.bank,
        "gangs": position.seen.copy(),
        "owner": position.deeds,
        "duel": _duel(position) if position.attackers else None,
    }
    return view


def _look_again(position: Position) -> None:
    """See what views show of the gangs that have changed."""
    for gang, (colour, seen) in enumerate(position.seen.items()):
        if seen is None:
            position.seen[colour] = _gang(position, gang)


def _gang(position: Position, gang: int) -> dict[str, Any]:
    return {
        "seat": position.seat_of[gang],
        "cash": position.cash[gang],
        "reserve": position.reserve[gang],
        "tokens": position.tokens[gang],
        "bought": position.bought[gang][:],
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
