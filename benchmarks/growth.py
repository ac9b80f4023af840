"""Large events: what a run with nothing to play, the standings and the schedule take."""

import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.echo import ROOT
from benchmarks.sheet import Cell, Goal, Sheet, Size
from referee.match.result import Result, SeatResult
from tournaments.config.plan import Plan, load
from tournaments.pairing.schedule import fixtures
from tournaments.results import Played
from tournaments.store import terms
from tournaments.store.store import Store

_BOTS, _BLOCKS = 100, 10
"""A round robin of 4,950 pairs: 99,000 matches."""
_MANY = 500

_SCHEDULE = """
import resource, sys, time
from pathlib import Path
from tournaments.config.plan import load
from tournaments.pairing.play_order import order_of_play
from tournaments.pairing.schedule import fixtures
plan = load(Path(sys.argv[1]))
began = time.perf_counter()
planned = order_of_play(fixtures(plan, []), plan.seed)
took = time.perf_counter() - began
print(len(planned), took, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""
"""In a process of its own: how much memory the schedule takes."""


def measure(size: Size) -> Sequence[Sheet]:
    """Measure a round robin of 100 bots that is played to the end, and the schedule of one of 500."""
    part = min(1.0, size.steps / 40_000)
    bots, many = max(4, round(_BOTS * part)), max(4, round(_MANY * part))
    with TemporaryDirectory(prefix="bench-") as folder:
        file = _event(Path(folder) / "event.toml", bots, _BLOCKS)
        matches = _fill(load(file))
        run = _seconds("tournament", "run", str(file), "--quiet")
        standings = _seconds("tournament", "standings", str(file))
        large = _event(Path(folder) / "large.toml", many, 1)
        planned, schedule, mib = _scheduled(large)
    rows: list[tuple[Cell, ...]] = [
        (f"run with nothing to play, {bots} bots, {matches} matches", round(run, 4), ""),
        ("standings of the same", round(standings, 4), ""),
        (f"schedule of {many} bots, {planned} matches", round(schedule, 4), round(mib)),
    ]
    goals = [
        Goal("seconds of a run with nothing to play", run, "at most", 5),
        Goal("seconds of the standings", standings, "at most", 3),
        Goal("seconds of a large schedule", schedule, "at most", 10),
        Goal("MiB of a large schedule", mib, "at most", 500),
    ]
    return [Sheet("growth", "Large events", ("what", "s", "MiB"), rows, goals)]


def _event(file: Path, bots: int, blocks: int) -> Path:
    lines = ['game = "gangsters"', 'seed = "growth"', f"blocks = {blocks}", "seats = 2"]
    for number in range(bots):
        lines += ["[[bots]]", f'name = "bot{number:03}"', 'sample = "random"']
    file.write_text("\n".join(lines) + "\n")
    return file


def _fill(plan: Plan) -> int:
    """Commit a result of every match, without playing it; return how many there are."""
    planned = list(fixtures(plan, []))
    rows = [
        Played(
            one.round,
            one.block,
            one.deal,
            one.bots,
            Result(
                one.match,
                plan.game,
                tuple(
                    SeatResult(bot, 1 + (bot > other))
                    for bot, other in zip(one.bots, one.bots[::-1], strict=True)
                ),
                "goal",
                "draw",
                20,
            ),
            play="",
            replay="",
            host="benchmark",
        )
        for one in planned
    ]
    with Store(plan.store) as store:
        store.note(terms.NOTE, terms.text_of(plan))
        for first in range(0, len(rows), 1_000):
            store.add(rows[first : first + 1_000])
    return len(rows)


def _seconds(*words: str) -> float:
    began = time.perf_counter()
    subprocess.run([sys.executable, "-m", "referee", *words], cwd=ROOT, check=True, capture_output=True)
    return time.perf_counter() - began


def _scheduled(file: Path) -> tuple[int, float, float]:
    ended = subprocess.run(
        [sys.executable, "-c", _SCHEDULE, str(file)], cwd=ROOT, check=True, capture_output=True, text=True
    )
    count, took, mib = ended.stdout.split()
    return int(count), float(took), float(mib)
