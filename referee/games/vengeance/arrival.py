"""A figure moves: it leaves, passes its own door, arrives, and what comes of that (3.7)."""

from referee.game import Event
from referee.games.vengeance.board import Move
from referee.games.vengeance.components import ESCORT, FIGURES, GANGS
from referee.games.vengeance.contents import (
    AMBUSH,
    ARRIVALS,
    CAPTORS,
    EXECUTE,
    HOSTAGES,
    REMOVALS,
    STAND,
    TAKE,
)
from referee.games.vengeance.position import Position


def advance(table: Position, move: Move, points: int, events: list[Event]) -> None:
    """Make a legal move of so many points, with all its consequences but the marksmen's."""
    gang, boss, board = move.gang, move.boss, table.board
    origin = table.bosses[gang] + 1 if boss else move.origin
    left = board.left[gang][origin]
    home = boss and points == left
    cell = board.reach[gang][origin][points]
    events.append(
        Event(
            {
                "event": "move",
                "gang": GANGS[gang],
                "figure": FIGURES[boss],
                "from": origin - 1 if origin else "hq",
                "to": "hq" if home else cell,
                "by": move.die or "sum",
            }
        )
    )
    _depart(table, gang, boss, origin, events)
    if home:  # R31: the exact number always takes him in
        table.bosses[gang] = board.size
        table.finish("home", table.active, events)
        return
    if points >= left:
        _recruit(table, gang, ESCORT if boss else 1, events)
    if boss:
        table.bosses[gang] = cell
        table.boss_moved = True
    stopped = _arrive(table, 2 * gang + boss, cell, events)
    if table.ended is not None or not stopped:
        return
    if not boss:
        table.moved = (gang, cell)
    if board.kinds[cell] == "shoot":
        table.hires.append(gang)
        events.append(Event({"event": "hire", "gang": GANGS[gang], "cell": cell}))


def _depart(table: Position, gang: int, boss: bool, origin: int, events: list[Event]) -> None:
    """Take the figure off where it stands; a hostage it held is free."""
    if not origin:
        if not boss:
            table.hq[gang] -= 1
        return
    content = table.cells[origin - 1]
    table.put(origin - 1, REMOVALS[2 * gang + boss][content])
    hostage = HOSTAGES[content]
    if hostage is not None:
        table.tell_free(hostage, origin - 1, events)


def _recruit(table: Position, gang: int, most: int, events: list[Event]) -> None:
    """Bring hoods from the pool into the HQ, as somebody passes the door (3.10, 3.11; R18: always)."""
    count = min(most, table.pool[gang])
    if count:
        table.pool[gang] -= count
        table.hq[gang] += count
        events.append(Event({"event": "recruit", "gang": GANGS[gang], "count": count}))


def _arrive(table: Position, figure: int, cell: int, events: list[Event]) -> bool:
    """Let a figure arrive on a cell that admits it; tell whether it has stopped there."""
    content = table.cells[cell]
    arrival = ARRIVALS[figure][content]
    assert arrival is not None
    after, effect = arrival
    if effect == AMBUSH:  # R8: no time to do anything
        table.kill(figure, cell, "ambush", None, events)
        return False
    table.put(cell, after)
    if effect == STAND:
        return True
    if effect == TAKE:
        hostage = _some(HOSTAGES[after])
        events.append(
            Event(
                {
                    "event": "hostage",
                    "gang": GANGS[hostage >> 1],
                    "figure": FIGURES[hostage & 1],
                    "cell": cell,
                    "by": GANGS[figure >> 1],
                }
            )
        )
    elif effect == EXECUTE:
        table.kill(_some(HOSTAGES[content]), cell, "gang", None, events)
    else:
        table.kill(_some(CAPTORS[content]), cell, "rescue", HOSTAGES[content], events)
    return True


def _some(figure: int | None) -> int:
    """Return a figure that is certainly there."""
    assert figure is not None
    return figure
