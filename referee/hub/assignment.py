"""Who sits down where, and how many more bots must be started for that."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping

from referee.hub.session import Session


def seats_for(
    bots: Iterable[str], sessions: Iterable[Session], debts: Mapping[str, Collection[object]]
) -> list[Session | None] | None:
    """Find a free bot for every seat, None if there is none for some.

    A seat whose bot failed to start, which is a debt of that bot's, is left empty.
    """
    seats: list[Session | None] = []
    owing: Counter[str] = Counter()
    for name in bots:
        free = [s for s in sessions if s.name == name and _is_free(s) and s not in seats]
        if free:
            # The one with the fewest matches, so that all cores get work.
            seats.append(min(free, key=lambda session: len(session.tables)))
        elif owing[name] < len(debts[name]):
            owing[name] += 1
            seats.append(None)
        else:
            return None
    return seats


def lacking(ours: Iterable[Session], debts: int, capacity: int | None, wanted: int, at_once: int) -> int:
    """Return how many more processes of a bot are needed: for all its seats, and within one match.

    `ours` are the sessions of the bot, and `capacity` is what one of its processes can play at once; None:
    nobody knows yet.
    """
    staying = [session for session in ours if not session.retiring]
    coming = sum(session.state == "starting" for session in staying)
    useful = sum(map(_is_free, staying)) + coming + debts
    if capacity is None:
        return at_once - useful
    room = sum(s.capacity - len(s.tables) for s in staying if s.state == "open") + coming * capacity
    return max(at_once - useful, -((room + debts - wanted) // capacity))


def _is_free(session: Session) -> bool:
    return session.state == "open" and not session.retiring and len(session.tables) < session.capacity
