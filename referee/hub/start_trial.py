"""Tries the bots of a hub while no match runs: each is started once, and all failures are known then."""

from collections import deque
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from referee.hub.capacity import starts_at_once
from referee.hub.roster import StartFailure
from referee.process.spec import BotSpec

if TYPE_CHECKING:
    from referee.hub.hub import Hub


def try_bots(hub: "Hub", names: Sequence[str], games: Iterable[str] = ()) -> dict[str, StartFailure]:
    """Start these bots once and wait for their hellos; return by name why some cannot play these games."""
    known = hub.roster.take_in(names, hub.forkserver)
    waiting = deque(name for name in known if not hub.roster.specs[name].awaited)
    most = starts_at_once(hub.jobs)
    while waiting or any(session.is_starting for session in hub.sessions):
        while waiting and sum(session.is_starting for session in hub.sessions) < most:
            hub.start(waiting.popleft())
        hub.loop.turn()
        hub.check_trouble()
    tried = [session for session in hub.sessions if session.is_open and session.name in names]
    found = hub.roster.failed_starts(tried, games)
    return {name: found[name] for name in names if name in found}


def replace_bots(hub: "Hub", bots: Iterable[BotSpec]) -> None:
    """Take other programs, or more bots; processes of the earlier ones are dismissed."""
    specs = list(bots)
    dismiss(hub, [spec.name for spec in specs])
    hub.roster.add(specs)


def dismiss(hub: "Hub", names: Iterable[str]) -> None:
    """Send the processes of these bots away."""
    gone = set(names)
    for session in list(hub.sessions):
        if session.name in gone and session.spec is not None:
            session.dismiss()
