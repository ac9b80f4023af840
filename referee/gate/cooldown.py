"""Keeps bots out for a while after conduct that harms others; each time for longer."""

import threading
from collections.abc import Mapping

from msgspec import Struct

FIRST_S = 10.0
"""The length of the first suspension; each further one is twice as long."""

LONGEST_S = 640.0


class Suspension(Struct, frozen=True):
    """The suspension of a key or an account, as it is kept over a restart."""

    left_s: float
    """For how long it is still kept out; 0 if that is over."""
    last_s: float
    """The length of the last suspension, from which the next one follows; 0 if that is forgiven."""


class Cooldown:
    """The keys or accounts that may not enter now; any thread may ask."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._until: dict[str, float] = {}
        self._last_s: dict[str, float] = {}

    def send(self, key: str, now_s: float) -> float:
        """Keep a key out from now on, and return for how many seconds."""
        with self._lock:
            pause_s = min(LONGEST_S, 2 * self._last_s.get(key, FIRST_S / 2))
            self._last_s[key] = pause_s
            self._until[key] = now_s + pause_s
            return pause_s

    def has(self, key: str, now_s: float) -> bool:
        """Return whether a key is kept out."""
        with self._lock:
            return now_s < self._until.get(key, now_s)

    def forgive(self, key: str) -> None:
        """Make the next suspension as short as the first."""
        with self._lock:
            self._last_s.pop(key, None)

    def suspensions(self, now_s: float) -> dict[str, Suspension]:
        """Return all that is known of keys, to be restored later."""
        with self._lock:
            return {
                key: Suspension(max(0.0, self._until.get(key, now_s) - now_s), self._last_s.get(key, 0.0))
                for key in self._until.keys() | self._last_s.keys()
                if key in self._last_s or self._until[key] > now_s
            }

    def restore(self, kept: Mapping[str, Suspension], now_s: float) -> None:
        """Go on with suspensions of before; none is longer than the longest."""
        with self._lock:
            for key, suspension in kept.items():
                self._until[key] = now_s + min(max(0.0, suspension.left_s), LONGEST_S)
                if suspension.last_s > 0:
                    self._last_s[key] = min(suspension.last_s, LONGEST_S)
