"""What every seat may know: the whole position (section 10 of RULES.md)."""

from typing import Any

from referee.game import View
from referee.games.chicago.components import GANGS, PARTS, PAWN_NAMES
from referee.games.chicago.position import Position


def view_of(position: Position, seat: int | None) -> View:
    """Return the view of a seat, or of the public; they differ in `you` alone."""
    return {
        **position.head(seat),
        "part": PARTS[position.part],
        "round": position.round,
        "due": [GANGS[position.gang]] if position.ended is None else [],
        "points": position.points,
        "order": [GANGS[gang] for gang in position.order],
        "ring_bank": position.bank,
        "gangs": {GANGS[gang]: _gang(position, gang) for gang in range(position.gangs)},
        "owner": position.deeds.copy(),
        "duel": _duel(position) if position.attackers else None,
    }


def _gang(position: Position, gang: int) -> dict[str, Any]:
    spots, rings, place = position.board.spots, position.rings, position.place
    return {
        "seat": position.seat_of[gang],
        "cash": position.cash[gang],
        "reserve": position.reserve[gang],
        "tokens": position.tokens[gang],
        "bought": position.bought[gang][:],
        "members": [[PAWN_NAMES[pawn], rings[pawn], spots[place[pawn]]] for pawn in position.members[gang]],
    }


def _duel(position: Position) -> dict[str, Any]:
    node = position.place[position.attackers[0]]
    return {
        "attackers": [PAWN_NAMES[pawn] for pawn in position.attackers],
        "defenders": [PAWN_NAMES[pawn] for pawn in position.standing_at(position.holder[node], node)],
        "at": position.board.names[node],
        "picks": GANGS[position.chooser],
    }
