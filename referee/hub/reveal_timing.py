"""What keeps a third seat from reading off its clock what seats that choose at once did not tell.

Where a third seat looks on, it must not see who of several was quick, nor when any of them has chosen but
the last. But who is asked first begins first, and a host is quicker if it has been at work a moment ago; so
are we. Therefore the asks go out in an order drawn by lot, we do not sleep for long while they choose, and
what is left of such differences is small against the time for which all choices stay hidden.
"""

import time
from random import SystemRandom

from referee.hub.event_loop import Callback, EventLoop
from referee.match.clock import MS

_lot = SystemRandom().random

_HIDDEN_NS = 20 * MS
"""For how long choices stay hidden at the most."""
_DOZE_NS = MS // 2
"""How long we sleep while they choose."""
_AWAKE_NS = 1_000 * MS
"""When they have been at it for so long, we go to sleep nevertheless."""


class RevealTiming:
    """Where a hub draws its lots and stays awake."""

    def __init__(self, loop: EventLoop) -> None:
        self._loop = loop
        self._awake_until_ns = 0

    def order(self, seats: int) -> list[float]:
        """Return for every seat a number drawn by lot: who has a lower one is asked before others."""
        return [_lot() for _ in range(seats)]

    def later(self, show: Callback) -> None:
        """Call back after a time drawn by lot."""
        self._loop.at(time.monotonic_ns() + int(_lot() * _HIDDEN_NS), show, sharp=True)

    def stay_awake(self, now_ns: int) -> None:
        """Look every millisecond, for a while."""
        asleep = not self._awake_until_ns
        self._awake_until_ns = now_ns + _AWAKE_NS
        if asleep:
            self._doze()

    def _doze(self) -> None:
        now_ns = time.monotonic_ns()
        if now_ns < self._awake_until_ns:
            self._loop.at(now_ns + _DOZE_NS, self._doze)
        else:
            self._awake_until_ns = 0
