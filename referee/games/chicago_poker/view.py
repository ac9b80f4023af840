"""What a seat may know: the position as that seat sees it (section 7 of RULES.md)."""

from collections.abc import Sequence
from typing import Any

from referee.game import View
from referee.games.chicago_poker.components import MOST_SEATS, NAMES
from referee.games.chicago_poker.position import Position

# The seats of a set of bits.
_SEATS = [[seat for seat in range(MOST_SEATS) if bits >> seat & 1] for bits in range(1 << MOST_SEATS)]


def view_of(position: Position, seat: int | None) -> View:
    """Return the view of a seat, or of the public."""
    if seat is None:
        return _view(position, None, ())
    view = _view(position, seat, (seat,))
    view["hand"] = [NAMES[card] for card in position.hands[seat]]
    return view


def reveal(position: Position) -> View:
    """Return the public view with nothing face down, and all hands under `cards`."""
    view = _view(position, None, range(position.seats))
    view["cards"] = [[NAMES[card] for card in hand] for hand in position.hands]
    return view


def _view(position: Position, seat: int | None, looking: Sequence[int]) -> View:
    """Return the common part; `looking` are the seats whose face-down cards are seen."""
    slots = []
    for slot, rows in enumerate(position.shown):
        shown = list(map(list, rows))
        for owner in looking:
            shown[owner] = position.known[slot][owner][:]
        slots.append({"kind": position.kinds[slot], "rows": shown, "marks": _SEATS[position.marks[slot]][:]})
    return {
        **position.head(seat),
        "first": position.first,
        "must": position.must,
        "may": position.may,
        "revolvers": position.revolvers,
        "idle": position.idle,
        "quiet": position.quiet,
        "hands": list(map(len, position.hands)),
        "deck": len(position.deck),
        "discard": position.thrown[:],
        "pile": len(position.pile),
        "slots": slots,
        "won": list(map(list, position.won)),
        "fight": _fight(position) if position.phase == "reinforce" else None,
    }


def _fight(position: Position) -> dict[str, Any]:
    return {"slot": position.fight + 1, "tied": list(position.asked), "round": position.round}
