"""The Limousine: the one action with too many spellings to list in advance (4.4 of RULES.md)."""

from functools import lru_cache
from itertools import permutations

from referee.game import Event
from referee.games.chicago_poker.components import CARDS, FACE, FACING, FULL, LM, NAMES, UNKNOWN
from referee.games.chicago_poker.position import Position

MOST_RIDERS = 4


@lru_cache(maxsize=4096)  # a row stays the same for many decisions, of many matches
def _orders(row: tuple[int, ...], last: bool) -> list[list[str]]:
    """Return in which orders cards of a row can ride, by their places in it; one list for each number."""
    names = [NAMES[entry & FACE] for entry in row]
    return [
        list(map(" ".join, permutations(names[-count:] if last else names, count)))
        for count in range(1, min(MOST_RIDERS, len(row)) + 1)
    ]


@lru_cache(maxsize=4096)
def _rides(source: int, target: int, row: tuple[int, ...], room: int, last: bool) -> list[str]:
    """Return all ways to move cards of a row: fewer cards before more, then by their places in the row."""
    way = f"limo {source + 1}>{target + 1} "
    return [way + order for orders in _orders(row, last)[:room] for order in orders]


def limousines(position: Position) -> list[str]:
    """Return all rides the active seat may order: from its unmarked rows to where it has room (R14)."""
    seat = position.active
    last = position.rules.last
    targets = [
        (slot, FULL - len(rows[seat]))
        for slot, rows in enumerate(position.rows)
        if position.kinds[slot] is not None and len(rows[seat]) < FULL
    ]
    found: list[str] = []
    if not targets:
        return found
    for source, rows in enumerate(position.rows):
        if rows[seat] and not position.marks[source] >> seat & 1:
            row = tuple(rows[seat])
            for target, room in targets:
                if target != source:
                    found += _rides(source, target, row, room, last)
    return found


def ride(position: Position, action: str, events: list[Event]) -> None:
    """Move cards as a legal text says, and show the others no more than they can see (R8)."""
    _, way, *names = action.split(" ")
    source, target = int(way[0]) - 1, int(way[2]) - 1
    seat = position.active
    row = position.rows[source][seat]
    riders = [CARDS[name] for name in names]
    taken = [place for place, entry in enumerate(row, 1) if entry & FACE in riders]
    # R13: the rest of the row closes up, and nothing in it is turned over.
    position.lay_row(source, seat, [entry for entry in row if entry & FACE not in riders])

    kind = position.kinds[target]
    assert kind is not None
    row = position.rows[target][seat]
    seen = []
    known = []
    for card in riders:
        facing = FACING[kind][len(row)]
        position.lay(target, seat, card, facing)
        seen.append([UNKNOWN if facing else NAMES[card], not facing])
        known.append([NAMES[card], not facing])
    position.spend(LM)
    public = {"event": "limo_played", "seat": seat, "from": source + 1, "to": target + 1}
    events.append(Event({**public, "take": taken, "put": seen}, {seat: {"put": known}}))
    if len(row) == FULL:
        position.mark(target, seat, events)


def blank_limousine(position: Position, _first: int, _second: int, events: list[Event]) -> None:
    """Throw the card away (R12, `blank=yes`)."""
    position.spend(LM)
    public = {"event": "limo_played", "seat": position.active, "from": None, "to": None}
    events.append(Event({**public, "take": [], "put": []}))
