"""How fast this host is while matches run on it: the time of a fixed piece of work, taken again and again.

A host that is measured while it is idle says nothing about the matches that share it later. A sample takes
about a millisecond, and no time of the thread that plays: the work is done outside of the interpreter's lock.
"""

import bz2
import platform
import time
from collections import deque
from hashlib import sha256
from statistics import median
from threading import Lock
from typing import Final

_KEPT: Final = 15
"""The speed is the median of so many samples: a single one may meet anything."""

_EVERY_NS: Final = 500_000_000
"""The time between two samples while matches run."""

_WORK: Final = b"".join(sha256(bytes([number])).hexdigest().encode() for number in range(256))


def host_name() -> str:
    """Return the name of this host."""
    return platform.node() or "this host"


class HostSpeed:
    """The speed of this host: pieces of work in a second. May be asked and sampled by any thread."""

    def __init__(self) -> None:
        self._taken_ns: deque[int] = deque(maxlen=_KEPT)
        self._next_ns = 0
        self._lock = Lock()

    def sample(self) -> None:
        """Measure once."""
        began_ns = time.perf_counter_ns()
        bz2.compress(_WORK, 1)
        self._taken_ns.append(time.perf_counter_ns() - began_ns)

    def sample_now_and_then(self) -> None:
        """Measure once, unless that was done a moment ago."""
        now_ns = time.monotonic_ns()
        with self._lock:
            if now_ns < self._next_ns:
                return
            self._next_ns = now_ns + _EVERY_NS
        self.sample()

    @property
    def is_known(self) -> bool:
        """Whether there are enough samples to judge the host by."""
        return len(self._taken_ns) == _KEPT

    @property
    def per_second(self) -> float:
        """The pieces of work in a second; 0 before the first sample."""
        taken_ns = self._taken_ns.copy()
        return round(1e9 / median(taken_ns), 1) if taken_ns else 0.0
