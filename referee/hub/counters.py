"""What a hub has done so far, in numbers, for metrics.

Written in the hub's thread, a few additions for each match; any thread may read at any time.
"""

from bisect import bisect_left
from collections.abc import Iterable
from typing import Final

import msgspec
from msgspec import Struct

from referee.match.faults import FaultCode
from referee.match.result import Acted, Entry, Result

BOUNDS_US: Final = tuple(1_000 * ms for ms in (1, 3, 10, 30, 100, 300, 1_000, 3_000, 10_000, 30_000))
"""Upper bounds of the buckets into which the times of decisions fall."""


class DecisionTimes(Struct, array_like=True):
    """The times of decisions."""

    took: list[int] = msgspec.field(default_factory=lambda: [0] * (len(BOUNDS_US) + 1))
    """Decisions of bots by the time they really took: up to each bound, and beyond the last."""
    took_us: int = 0
    charged_us: int = 0
    """What of it was charged to clocks, after grace."""

    def add(self, log: Iterable[Entry]) -> None:
        """Count the times of a match's decisions."""
        for entry in log:
            if isinstance(entry, Acted) and entry.by == "bot":
                self.took[bisect_left(BOUNDS_US, entry.took_us)] += 1
                self.took_us += entry.took_us
                self.charged_us += entry.us

    def add_all(self, others: "DecisionTimes") -> None:
        """Count what was counted elsewhere."""
        self.took = [mine + theirs for mine, theirs in zip(self.took, others.took, strict=True)]
        self.took_us += others.took_us
        self.charged_us += others.charged_us


class Counters:
    """Counts since the hub was made; they only grow."""

    def __init__(self) -> None:
        self.submitted = 0
        self.begun = 0
        self.ended = 0
        """Matches that are on their way to the disk, or there."""
        self.finished = 0
        """Matches that are on disk and reported, void ones included."""
        self.void = 0
        self.decisions = 0
        self.faults = {code.value: 0 for code in FaultCode}
        """Matches lost by a fault, by its code."""
        self.times = DecisionTimes()

    def finish(self, result: Result) -> None:
        """Count a match that is reported."""
        self.finished += 1
        self.void += result.void
        self.decisions += result.decisions
        for code in filter(None, result.faults):
            self.faults[code] += 1
