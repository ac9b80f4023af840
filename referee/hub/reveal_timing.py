"""Hides from a third seat, which can read a clock, what seats that choose at once do not reveal.

A third seat must not see which of several seats was quick, nor when any of them but the last has chosen.
But the seat that is asked first begins first, and a host is quicker if it worked a moment ago; so is the hub.
Therefore the asks go out in a random order, the hub does not sleep for long while seats choose, and what is
left of such differences is small against the random time for which all choices stay hidden.
"""

import time
from collections.abc import Callable
from random import SystemRandom

from referee.hub.event_loop import Callback, EventLoop
from referee.match.clock import MS

draw_random = SystemRandom().random

HIDDEN_NS = 20 * MS
"""For how long choices stay hidden at the most."""
_DOZE_NS = MS // 2
"""How long the loop sleeps while seats choose."""
_AWAKE_NS = 1_000 * MS
"""After this long the loop sleeps as usual."""


class RevealTiming:
    """Draws random orders and times, and keeps the loop awake."""

    def __init__(
        self,
        loop: EventLoop,
        most_ns: int = HIDDEN_NS,
        draw: Callable[[], float] = draw_random,
    ) -> None:
        """Hide choices for at most `most_ns`; `draw` returns a number from 0 to below 1."""
        self._loop = loop
        self._most_ns = most_ns
        self._draw = draw
        self._awake_until_ns = 0

    def order(self, seats: int) -> list[float]:
        """Return a random number for every seat: the seat with the lowest is asked first."""
        return [self._draw() for _ in range(seats)]

    def later(self, show: Callback) -> None:
        """Call back after a random time."""
        self._loop.at(time.monotonic_ns() + int(self._draw() * self._most_ns), show, sharp=True)

    def stay_awake(self, now_ns: int) -> None:
        """Let the loop look every millisecond, for a while."""
        was_awake = self.is_awake
        self._awake_until_ns = now_ns + _AWAKE_NS
        if not was_awake:
            self.doze()

    @property
    def is_awake(self) -> bool:
        """Whether the loop is kept awake."""
        return bool(self._awake_until_ns)

    def doze(self) -> None:
        """Wake the loop again in a moment, or let it sleep."""
        now_ns = time.monotonic_ns()
        if now_ns < self._awake_until_ns:
            self._loop.at(now_ns + _DOZE_NS, self.doze)
        else:
            self._awake_until_ns = 0
