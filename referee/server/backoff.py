"""How long a client waits before it tries again: longer each time, up to a bound, and never all at once."""

import random

FIRST_S = 1.0
LONGEST_S = 60.0
SPREAD = 0.2
"""By which part of a time a client waits longer, at most."""


class Backoff:
    """The waits of one client."""

    def __init__(self, chance: random.Random | None = None) -> None:
        """Begin with the shortest wait; `chance` spreads the waits of many clients."""
        self._chance = chance or random.Random()  # noqa: S311 - no secret
        self._next_s = FIRST_S

    def next_s(self) -> float:
        """Return how long to wait now."""
        wait_s, self._next_s = self._next_s, min(LONGEST_S, 2 * self._next_s)
        return self.spread(wait_s)

    def spread(self, wait_s: float) -> float:
        """Return a time that is a little longer than this one, by chance."""
        return wait_s * (1 + SPREAD * self._chance.random())

    def reset(self) -> None:
        """Begin again with the shortest wait."""
        self._next_s = FIRST_S
