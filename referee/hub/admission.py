"""The admission of one bot: what its hello claims, and the latency of a bot on another host."""

import time
from collections.abc import Callable

from protocol import limits
from referee.gate.records import Greeted, Ponged
from referee.match.clock import MS

_PINGS = 3
"""How often the latency of a remote bot is measured; the best counts."""


class Admission:
    """What is known of a bot before it may play."""

    def __init__(self, latency_cap_ms: int, ping: Callable[[int], None]) -> None:
        """`ping` is called with the number of each ping to be sent."""
        self.wants: frozenset[str] = frozenset()
        self.games: frozenset[str] = frozenset()
        """The games it claims to play; none: all."""
        self.capacity = 1
        """How many matches it can play at once."""
        self.latency_ms = 0
        """The allowance for its latency; a bot on this host has none."""
        self.measured = False
        """Whether the latency of a remote bot is known, so that it may play."""
        self._latency_cap_ms = latency_cap_ms
        self._near = False
        self._ping = ping
        self._pinged_ns = 0
        self._best_ns: int | None = None

    def greet(self, hello: Greeted) -> str | None:
        """Take the claims of a hello; return why it is refused, or None."""
        if limits.VERSION not in hello.protocol:
            return f"this referee speaks protocol {limits.VERSION}, the bot {hello.protocol}"
        self.wants = frozenset(hello.wants)
        self.games = frozenset(hello.games)
        self.capacity = hello.capacity
        self._near = hello.near
        return None

    def plays(self, game: str) -> bool:
        """Return whether it claims to play a game."""
        return not self.games or game in self.games

    def measure(self) -> None:
        """Begin to measure the latency."""
        self._send_ping(1)

    def _send_ping(self, n: int) -> None:
        self._pinged_ns = time.monotonic_ns()
        self._ping(n)

    def pong(self, record: Ponged) -> bool:
        """Take the answer to a ping; return whether the latency is known by it."""
        if not 0 < record.n <= _PINGS or not self._pinged_ns:
            return False
        taken_ns = record.received_ns - self._pinged_ns
        self._best_ns = taken_ns if self._best_ns is None else min(self._best_ns, taken_ns)
        self._pinged_ns = 0
        if record.n < _PINGS:
            self._send_ping(record.n + 1)
            return False
        # A pong that was sent before its ping arrived would give a negative time.
        if not self._near:
            self.latency_ms = max(0, min(self._latency_cap_ms, self._best_ns // MS + 1))
        self.measured = True
        return True
