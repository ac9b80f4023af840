"""What a seat may know: the position as that seat sees it (section 7 of RULES.md)."""

from collections.abc import Sequence
from typing import Any

from referee.game import View
from referee.games.chicago_poker.components import MOST_SEATS, names_of
from referee.games.chicago_poker.position import Position

# The seats of a set of bits; views share them.
_SEATS = [[seat for seat in range(MOST_SEATS) if bits >> seat & 1] for bits in range(1 << MOST_SEATS)]


def view_of(position: Position, seat: int | None) -> View:
    """Return the view of a seat, or of the public."""
    slots = []
    for slot, seen in enumerate(position.seen):
        if seat not in seen:
            seen[seat] = _business(position, slot, () if seat is None else (seat,))
        slots.append(seen[seat])
    view = position.head(seat)
    view["first"] = position.first
    view["must"] = position.must
    view["may"] = position.may
    view["revolvers"] = position.revolvers
    view["idle"] = position.idle
    view["quiet"] = position.quiet
    view["hands"] = list(map(len, position.hands))
    view["deck"] = len(position.deck)
    view["discard"] = position.thrown
    view["pile"] = len(position.pile)
    view["slots"] = slots
    view["won"] = position.won
    if position.phase == "reinforce":
        view["fight"] = _fight(position)
    if seat is not None:
        view["hand"] = names_of(position.hands[seat])
    return view


def reveal(position: Position) -> View:
    """Return the public view with nothing face down, and all hands under `cards`."""
    everyone = range(position.seats)
    slots = [_business(position, slot, everyone) for slot in range(len(position.kinds))]
    return {**view_of(position, None), "slots": slots, "cards": list(map(names_of, position.hands))}


def _business(position: Position, slot: int, looking: Sequence[int]) -> dict[str, Any]:
    """Return what lies in a slot; `looking` are the seats whose face-down cards are seen."""
    rows = position.shown[slot][:]
    for owner in looking:
        rows[owner] = position.known[slot][owner]
    return {"kind": position.kinds[slot], "rows": rows, "marks": _SEATS[position.marks[slot]]}


def _fight(position: Position) -> dict[str, Any]:
    return {"slot": position.fight + 1, "tied": list(position.asked), "round": position.round}
