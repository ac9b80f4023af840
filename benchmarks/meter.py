"""CPU and memory of processes, as the kernel counts them."""

import os
import time
from pathlib import Path
from statistics import median
from typing import Self

from msgspec import Struct


class Cost(Struct, frozen=True):
    """What a number of round trips (or decisions) took."""

    count: int
    wall_s: float
    own_s: float
    """CPU of this process, with all its threads."""
    referee_s: float
    """CPU of this process, and of its gates, supervisors and forkserver."""
    all_s: float
    """CPU of this process and of all its descendants."""

    @property
    def rate(self) -> float:
        """Round trips per second."""
        return self.count / self.wall_s

    @property
    def own_us(self) -> float:
        """Microseconds of this process for one."""
        return self.own_s / self.count * 1e6

    @property
    def referee_us(self) -> float:
        """Microseconds of the referee's processes for one."""
        return self.referee_s / self.count * 1e6

    @property
    def all_us(self) -> float:
        """Microseconds of all processes for one."""
        return self.all_s / self.count * 1e6


class Meter:
    """Counts from its making to `read`."""

    def __init__(self) -> None:
        self._others = _Others.now()
        self._own_s = time.process_time()
        self._wall_s = time.perf_counter()

    def read(self, count: int) -> Cost:
        """Return what has been used since the meter was made."""
        wall_s = time.perf_counter() - self._wall_s
        own_s = time.process_time() - self._own_s
        others = _Others.now()
        referee_s = own_s + others.referee_s - self._others.referee_s
        return Cost(count, wall_s, own_s, referee_s, own_s + others.all_s - self._others.all_s)


class _Others(Struct, frozen=True):
    """The CPU of all living processes that descend from this one, with all their threads."""

    referee_s: float
    all_s: float

    @classmethod
    def now(cls) -> Self:
        """Look."""
        referee_s = all_s = 0.0
        for pid in descendants(os.getpid()):
            cpu_s = _cpu_s(pid)
            all_s += cpu_s
            if _is_referee(pid):
                referee_s += cpu_s
        return cls(referee_s, all_s)


class Medians(Struct, frozen=True):
    """The medians of several measurements of the same thing, each figure by itself."""

    rate: float
    own_us: float
    referee_us: float
    all_us: float

    @classmethod
    def of(cls, costs: list[Cost]) -> Self:
        """Take the medians."""
        return cls(
            median(cost.rate for cost in costs),
            median(cost.own_us for cost in costs),
            median(cost.referee_us for cost in costs),
            median(cost.all_us for cost in costs),
        )


def descendants(root: int) -> list[int]:
    """Return the processes that descend from this one."""
    children: dict[int, list[int]] = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit() and (parent := parent_of(int(entry))) is not None:
            children.setdefault(parent, []).append(int(entry))
    found: list[int] = []
    waiting = [root]
    while waiting:
        below = children.get(waiting.pop(), [])
        found += below
        waiting += below
    return found


def pss_kib(pid: int) -> int:
    """Return the memory of a process, with its share of the pages it has in common with others."""
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1])
    return 0


def rss_kib() -> int:
    """Return the resident memory of this process."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") // 1024


def parent_of(pid: int) -> int | None:
    """Return the parent of a process, None if it is gone."""
    try:
        # The name, in parentheses, may hold anything: what counts comes after it.
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return None


def _is_referee(pid: int) -> bool:
    """Return whether a process runs a module of the referee: gates and supervisors are forked from one."""
    try:
        return b"\0-m\0referee." in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False  # It has ended.


def _cpu_s(pid: int) -> float:
    total_ns = 0
    try:
        for thread in Path(f"/proc/{pid}/task").iterdir():
            total_ns += int((thread / "schedstat").read_text().split()[0])
    except OSError:
        pass  # It has ended: its share is lost, and small.
    return total_ns / 1e9
