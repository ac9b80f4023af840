"""Whether the hub stays as large as it is, match after match. Measured in a process of its own."""

import gc
import subprocess
import sys
from collections.abc import Sequence

import msgspec

from benchmarks.echo import ROOT
from benchmarks.meter import rss_kib
from benchmarks.play import Cast, arena
from benchmarks.sheet import Cell, Goal, Sheet, Size

_WARM = 200
"""Matches after which the hub has all the memory it needs."""

_AT_ONCE = 32


def measure(size: Size) -> Sequence[Sheet]:
    """Let another process play, and report how it grew."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.memory", str(size.lifetime)],
        cwd=ROOT,
        check=True,
        stdout=subprocess.PIPE,
    )
    marks = msgspec.json.decode(done.stdout, type=list[tuple[int, int]])
    rows: list[tuple[Cell, ...]] = [(f"after {matches} matches", kib / 1024) for matches, kib in marks]
    growth = (marks[-1][1] - marks[0][1]) / 1024
    goal = Goal(f"growth of the hub over {size.lifetime} matches, MiB", growth, "at most", 1)
    return [Sheet("memory", "Resident memory of the hub", ("when", "MiB"), rows, [goal])]


def _grow(lifetime: int) -> list[tuple[int, int]]:
    """Play, and return the memory after so many matches."""
    marks: list[tuple[int, int]] = []
    with arena(Cast("memory", "stdio", 2)) as stage:
        stage.play(min(_WARM, lifetime), _AT_ONCE)
        for quarter in range(5):
            if quarter:
                for left in range(lifetime // 4, 0, -_WARM):
                    stage.play(min(_WARM, left), _AT_ONCE)
            gc.collect()
            marks.append((quarter * (lifetime // 4), rss_kib()))
    return marks


if __name__ == "__main__":
    sys.stdout.buffer.write(msgspec.json.encode(_grow(int(sys.argv[1]))))
