"""What every seat may know: the whole position (section 10 of RULES.md)."""

from typing import Any

from referee.game import View
from referee.games.chicago.components import GANGS, LEAST_SEATS, MOST_SEATS, PARTS, PAWN_NAMES, gangs_at, order_of
from referee.games.chicago.position import Position

# What views share: not to be changed.
_DUE = [[colour] for colour in GANGS]
_ORDERS = {
    order: [GANGS[gang] for gang in order]
    for seats in range(LEAST_SEATS, MOST_SEATS + 1)
    for part in range(len(PARTS))
    for order in [order_of(part, gangs_at(seats))]
}


def view_of(position: Position, seat: int | None) -> View:
    """Return the view of a seat, or of the public; they differ in `you` alone."""
    if None in position.seen.values():
        _look_again(position)
    view = position.head(seat)
    view["part"] = PARTS[position.part]
    view["round"] = position.round
    view["due"] = _DUE[position.gang] if position.ended is None else []
    view["points"] = position.points
    view["order"] = _ORDERS[position.order]
    view["ring_bank"] = position.bank
    view["gangs"] = position.seen.copy()
    view["owner"] = position.deeds
    if position.attackers:
        view["duel"] = _duel(position)
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
