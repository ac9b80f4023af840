"""Which bot gets which seat, and how many more bots must be started for that."""

from collections.abc import Collection, Iterable, Mapping, Sequence

from referee.hub.session import Session, SessionState


def free_by_name(sessions: Iterable[Session]) -> dict[str, list[Session]]:
    """Return the sessions that can begin one more match, by the name of their bot."""
    free: dict[str, list[Session]] = {}
    for session in sessions:
        if session.is_free:
            free.setdefault(session.name, []).append(session)
    return free


def seats_for(
    bots: Iterable[str], free: Mapping[str, Sequence[Session]], failures: Mapping[str, Collection[object]]
) -> list[Session | None] | None:
    """Return a free bot for every seat, or None if there is none for some.

    A seat is left empty for each of the failed starts of its bot.
    """
    seats: list[Session | None] = []
    charged: list[str] = []
    for name in bots:
        ours = [session for session in free.get(name, ()) if session not in seats]
        if ours:
            # The one with the fewest matches, so that all cores get work.
            seats.append(min(ours, key=lambda session: len(session.matches)))
        elif charged.count(name) < len(failures[name]):
            charged.append(name)
            seats.append(None)
        else:
            return None
    return seats


def lacking(ours: Iterable[Session], failed: int, capacity: int | None, wanted: int, at_once: int) -> int:
    """Return how many more processes of a bot are needed: for all its seats, and within one match.

    `ours` are the sessions of the bot, `failed` counts its failed starts, and `capacity` is how many matches
    one of its processes can play at once; None if that is not known yet.
    """
    staying = [session for session in ours if not session.retiring]
    coming = sum(session.is_starting for session in staying)
    useful = sum(session.is_free for session in staying) + coming + failed
    if capacity is None:
        return at_once - useful
    free = sum(s.admission.capacity - len(s.matches) for s in staying if s.state is SessionState.OPEN)
    return max(at_once - useful, -((free + coming * capacity + failed - wanted) // capacity))
