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


def advance(position: Position, move: Move, points: int, events: list[Event]) -> None:
    """Make a legal move of so many points, with all its consequences but the marksmen's."""
    gang, boss, board = move.gang, move.boss, position.board
    origin = position.bosses[gang] + 1 if boss else move.origin
    left = board.left[gang][origin]
    home = boss and points == left
    cell = board.reach[gang][origin][points]
    events.append(
        Event(
            {
                "event": "moved",
                "gang": GANGS[gang],
                "figure": FIGURES[boss],
                "from": origin - 1 if origin else "hq",
                "to": "hq" if home else cell,
                "by": move.die or "sum",
            }
        )
    )
    _depart(position, gang, boss, origin, events)
    if boss or not origin:
        position.changed.add(gang)
    if home:  # R31: the exact number always takes him in
        position.bosses[gang] = board.size
        position.finish("goal", position.active, events)
        return
    if points >= left:
        _recruit(position, gang, ESCORT if boss else 1, events)
    if boss:
        position.bosses[gang] = cell
        position.boss_moved = True
    stopped = _arrive(position, 2 * gang + boss, cell, events)
    if position.ended is not None or not stopped:
        return
    if not boss:
        position.moved = (gang, cell)
    if board.kinds[cell] == "shoot":
        position.hires.append(gang)
        events.append(Event({"event": "hired", "gang": GANGS[gang], "cell": cell}))


def _depart(position: Position, gang: int, boss: bool, origin: int, events: list[Event]) -> None:
    """Take the figure off where it stands; a hostage it held is free."""
    if not origin:
        if not boss:
            position.hq[gang] -= 1
        return
    content = position.cells[origin - 1]
    position.put(origin - 1, REMOVALS[2 * gang + boss][content])
    hostage = HOSTAGES[content]
    if hostage is not None:
        position.report_free(hostage, origin - 1, events)


def _recruit(position: Position, gang: int, most: int, events: list[Event]) -> None:
    """Bring hoods from the pool into the HQ, as a figure passes the door (3.10, 3.11; R18: always)."""
    count = min(most, position.pool[gang])
    if count:
        position.pool[gang] -= count
        position.hq[gang] += count
        position.changed.add(gang)
        events.append(Event({"event": "recruited", "gang": GANGS[gang], "count": count}))


def _arrive(position: Position, figure: int, cell: int, events: list[Event]) -> bool:
    """Let a figure arrive on a cell that admits it; return whether it has stopped there."""
    content = position.cells[cell]
    arrival = ARRIVALS[figure][content]
    assert arrival is not None
    after, effect = arrival
    if effect == AMBUSH:  # R8: no time to do anything
        position.kill(figure, cell, "ambush", None, events)
        return False
    position.put(cell, after)
    if effect == STAND:
        return True
    if effect == TAKE:
        hostage = _some(HOSTAGES[after])
        events.append(
            Event(
                {
                    "event": "kidnapped",
                    "gang": GANGS[hostage >> 1],
                    "figure": FIGURES[hostage & 1],
                    "cell": cell,
                    "by": GANGS[figure >> 1],
                }
            )
        )
    elif effect == EXECUTE:
        position.kill(_some(HOSTAGES[content]), cell, "gang", None, events)
    else:
        position.kill(_some(CAPTORS[content]), cell, "rescue", HOSTAGES[content], events)
    return True


def _some(figure: int | None) -> int:
    """Return a figure that is certainly there."""
    assert figure is not None
    return figure
