"""Keeps bots out for a while after conduct that harms others; each time for longer."""

import threading

FIRST_S = 10.0
"""The length of the first suspension; each further one is twice as long."""

LONGEST_S = 640.0


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
