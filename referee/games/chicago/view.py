"""What everybody may know: the whole table (section 10 of RULES.md)."""

from typing import Any

from referee.game import View
from referee.games.chicago.components import GANGS, NOBODY, PAWN_NAMES, PHASES
from referee.games.chicago.position import Position


def view_of(table: Position, seat: int | None) -> View:
    """Return the view of a seat, or of the public; they differ in `you` alone."""
    ended = table.ended
    return {
        "you": seat,
        "seats": table.seats,
        "options": dict(table.rules.options),
        "phase": PHASES[table.phase],
        "round": table.round,
        "stage": table.stage,
        "turn": GANGS[table.active],
        "to_act": table.acting[0] if table.acting else None,
        "points": table.points,
        "order": [GANGS[gang] for gang in table.order],
        "ring_bank": table.bank,
        "gangs": {GANGS[gang]: _gang(table, gang) for gang in range(table.gangs)},
        "owner": table.deeds.copy(),
        "duel": None if table.attacker == NOBODY else _duel(table),
        "ranking": None if ended is None else list(ended.ranks),
        "reason": None if ended is None else ended.reason,
    }


def _gang(table: Position, gang: int) -> dict[str, Any]:
    spots, rings, place = table.board.spots, table.rings, table.place
    return {
        "seat": table.seat_of[gang],
        "cash": table.cash[gang],
        "reserve": table.reserve[gang],
        "tokens": table.tokens[gang],
        "bought": table.bought[gang][:],
        "members": [[PAWN_NAMES[pawn], rings[pawn], spots[place[pawn]]] for pawn in table.members[gang]],
    }


def _duel(table: Position) -> dict[str, Any]:
    node = table.place[table.attacker]
    return {
        "attacker": PAWN_NAMES[table.attacker],
        "defenders": [PAWN_NAMES[pawn] for pawn in table.standing_at(table.holder[node], node)],
        "at": table.board.names[node],
        "picks": GANGS[table.chooser],
    }
