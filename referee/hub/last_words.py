"""Waits until what bots wrote to stderr has come: it travels another way than their messages.

A bot that writes to stderr and then sends a bad message has written first, and yet its fault is known first.
What explains the fault is therefore put together a moment later.
"""

import time
from collections.abc import Callable, Iterable

from referee.hub.event_loop import EventLoop
from referee.hub.session import Session
from referee.match.clock import MS

_MOST_NS = 2_000 * MS
"""How long a result waits at the most. A supervisor answers at once, unless its host is overloaded."""


class LastWords:
    """Calls back when the stderr of some bots has come, or after a time that is not long."""

    def __init__(self, loop: EventLoop) -> None:
        self._loop = loop
        self._waiting: set[Callable[[], None]] = set()

    @property
    def waiting(self) -> int:
        """How many are waited for."""
        return len(self._waiting)

    def when_heard(self, sessions: Iterable[Session | None], then: Callable[[], None]) -> None:
        """Call `then` once, when all that these bots have written so far is known."""
        started = [session.local for session in sessions if session is not None and session.local is not None]
        # A person has no supervisor, and nothing that could be read.
        processes = [own.process for own in started if own.process is not None and own.process.pid]
        missing = len(processes)

        def go_on() -> None:
            if go_on in self._waiting:
                self._waiting.remove(go_on)
                then()

        def heard() -> None:
            nonlocal missing
            missing -= 1
            if not missing:
                go_on()

        if not processes:
            then()
            return
        self._waiting.add(go_on)
        self._loop.at(time.monotonic_ns() + _MOST_NS, go_on)
        for process in processes:
            process.drain(heard)

    def end(self) -> None:
        """Wait no longer."""
        for go_on in list(self._waiting):
            go_on()
