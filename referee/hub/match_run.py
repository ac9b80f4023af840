"""How matches are stopped: `play`, `sprt`, `tournament run` and the daemon drain and abandon with this."""

import time
from collections.abc import Callable
from types import TracebackType
from typing import Self

from referee.hub.hub import Hub
from referee.hub.signals import Stop
from referee.match.clock import MS

INTERRUPTED = "interrupted by the operator"
"""What a void match says that the operator has abandoned."""


class MatchRun:
    """The matches of a hub, which the operator can stop: first drained, then abandoned.

    `drain` and `abandon` may be called from signal handlers. While the run is entered, the signals of `stop`
    call them; afterwards they do nothing, as the hub may be closed.
    """

    def __init__(
        self,
        hub: Hub,
        note: Callable[[str], None],
        *,
        stop: Stop | None = None,
        drains: bool = True,
        limit_ms: int = 0,
        give_up: Callable[[], None] = lambda: None,
    ) -> None:
        """Prepare to stop a hub; `note` gets a line about every step.

        Without `drains` the first signal abandons. With a limit, matches that run longer are abandoned.
        `give_up` is called at once when matches are abandoned: it ends a wait for the store, if there is one.
        """
        self.abandoned = False
        """Whether the operator has abandoned matches: then a void match is no sign of trouble."""
        self._hub = hub
        self._note = note
        self._stop = stop or Stop()
        self._drains = drains
        self._limit_ms = limit_ms
        self._give_up = give_up
        self.over = False
        """Whether it has been left: the hub is about to be closed, and ends what still runs."""

    def __enter__(self) -> Self:
        self._stop.then(*[self.drain, self.abandon] if self._drains else [self.abandon])
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.over = True

    def drain(self) -> None:
        """Begin no more matches; those that run are played to their end."""
        self._call(self._drain)

    def abandon(self) -> None:
        """End the running matches without a verdict."""
        # Not in the loop: its thread may be the one that waits.
        self._give_up()
        self._call(self._abandon)

    def _call(self, step: Callable[[], None]) -> None:
        if not self.over:
            self._hub.loop.call(step)

    def _drain(self) -> None:
        self._hub.drain()
        running = len(self._hub.in_play)
        if not running:
            self._note("stopping: no match runs")
            return
        those, them = (
            ("the match that runs", "it") if running == 1 else (f"{running} matches that run", "them")
        )
        limit = f", for at most {self._limit_ms // 1_000} s" if self._limit_ms else ""
        self._note(f"stopping: finishing {those}{limit}; Ctrl-C again abandons {them}")
        if self._limit_ms:
            self._hub.loop.at(time.monotonic_ns() + self._limit_ms * MS, self._expire)

    def _expire(self) -> None:
        if self._hub.in_play:
            self._note(f"{self._limit_ms // 1_000} s are over")
        self._abandon()

    def _abandon(self) -> None:
        self.abandoned = True
        if self._hub.in_play:
            self._note("abandoning the running matches")
        self._hub.abandon(INTERRUPTED)
