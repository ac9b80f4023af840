"""Keys that are suspended for a while, because their bots harmed others. Each suspension is longer."""

import threading

FIRST_S = 10.0
"""How long the first time takes; every further one takes twice as long."""

LONGEST_S = 640.0


class Cooldown:
    """Who may not enter now, by key or account; any thread may ask."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._until: dict[str, float] = {}
        self._last_s: dict[str, float] = {}

    def send(self, key: str, now_s: float) -> float:
        """Suspend a key from now on, and return for how many seconds."""
        with self._lock:
            pause_s = min(LONGEST_S, 2 * self._last_s.get(key, FIRST_S / 2))
            self._last_s[key] = pause_s
            self._until[key] = now_s + pause_s
            return pause_s

    def has(self, key: str, now_s: float) -> bool:
        """Return whether a key is suspended."""
        with self._lock:
            return now_s < self._until.get(key, now_s)

    def forgive(self, key: str) -> None:
        """Let the next time be as short as the first."""
        with self._lock:
            self._last_s.pop(key, None)
