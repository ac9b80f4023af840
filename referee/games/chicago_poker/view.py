"""What a seat may know: what lies on the table now, from its side (section 7 of RULES.md)."""

from collections.abc import Sequence
from typing import Any

from referee.game import View
from referee.games.chicago_poker.components import MOST_SEATS, NAMES
from referee.games.chicago_poker.position import Position

# The seats of a set of bits.
_SEATS = [[seat for seat in range(MOST_SEATS) if bits >> seat & 1] for bits in range(1 << MOST_SEATS)]


def view_of(table: Position, seat: int | None) -> View:
    """Return the view of a seat, or of the public."""
    if seat is None:
        return _view(table, None, ())
    view = _view(table, seat, (seat,))
    view["hand"] = [NAMES[card] for card in table.hands[seat]]
    return view


def reveal(table: Position) -> View:
    """Return the public view with nothing face down, and all hands under `cards`."""
    view = _view(table, None, range(table.seats))
    view["cards"] = [[NAMES[card] for card in hand] for hand in table.hands]
    return view


def _view(table: Position, seat: int | None, looking: Sequence[int]) -> View:
    """Return the common part; `looking` are the seats whose face-down cards are seen."""
    slots = []
    for slot, rows in enumerate(table.shown):
        shown = list(map(list, rows))
        for owner in looking:
            shown[owner] = table.known[slot][owner][:]
        slots.append({"kind": table.kinds[slot], "rows": shown, "marks": _SEATS[table.marks[slot]][:]})
    ended = table.ended
    return {
        "you": seat,
        "seats": table.seats,
        "options": dict(table.rules.options),
        "phase": table.phase,
        "active": table.active,
        "turn": table.turn,
        "first": table.first,
        "must": table.must,
        "may": table.may,
        "revolvers": table.revolvers,
        "idle": table.idle,
        "quiet": table.quiet,
        "hands": list(map(len, table.hands)),
        "deck": len(table.deck),
        "discard": table.thrown[:],
        "pile": len(table.pile),
        "slots": slots,
        "won": list(map(list, table.won)),
        "fight": _fight(table) if table.phase == "reinforce" else None,
        "ranking": None if ended is None else list(ended.ranks),
        "reason": None if ended is None else ended.reason,
    }


def _fight(table: Position) -> dict[str, Any]:
    return {"slot": table.fight + 1, "tied": list(table.tied), "round": table.round}
