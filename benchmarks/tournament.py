"""What a user sees: the command that plays a default round robin, and what a box costs it."""

import os
import resource
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import msgspec
from msgspec import Struct

from benchmarks.echo import ROOT
from benchmarks.samples import GAME
from benchmarks.sheet import Cell, Goal, Sheet, Size
from referee import registry
from referee.match.faults import PROFILES
from referee.process.sandbox.levels import BUBBLEWRAP, gaps
from referee.process.spec import Level

BOTS = 6
_PAIRS = BOTS * (BOTS - 1) // 2
_TICKS_S = os.sysconf("SC_CLK_TCK")


class Event(Struct, frozen=True):
    """One run of the command."""

    matches: int
    wall_s: float
    own_s: float
    """CPU of the command's own process and of what it waits for: neither of gates nor of bots."""
    busy: float
    """The share of the machine's processors that were busy, with all else that runs on it."""
    took_us: int
    """How long 99 of 100 answers of bots took at most, from the ask to the answer."""
    charged_us: int
    """What of it their clocks were charged at most."""

    @property
    def rate(self) -> float:
        """Matches per second."""
        return self.matches / self.wall_s

    def row(self, *what: Cell) -> tuple[Cell, ...]:
        """Return the figures as a row."""
        return (
            *what,
            round(self.rate, 1),
            1e3 * self.wall_s / self.matches,
            1e3 * self.own_s / self.matches,
            round(100 * self.busy),
        )


_COLUMNS = ("matches /s", "ms a match", "CPU ms a match, its process", "% of all cores busy")


def measure(size: Size) -> Sequence[Sheet]:
    """Measure a round robin of samples of every game that brings one, and one at two levels, in turns."""
    games = [game.info.id for game in registry.games().values() if game.info.samples]
    blocks = max(1, size.decisions // 600)
    levels: list[Level] = ["trusted"]
    if not any(gap.name == BUBBLEWRAP for gap in gaps("class")):
        levels.append("class")
    events: dict[str, list[Event]] = {}
    boxed: dict[Level, list[Event]] = {}
    paced: dict[str, list[Event]] = {"as many as is fair": [], "one": []}
    for _ in range(size.repetitions):
        for game in games:
            events.setdefault(game, []).append(play(game, blocks))
        for level in levels:
            boxed.setdefault(level, []).append(play(GAME, max(1, blocks // 2), level))
        for pace, taken in paced.items():
            taken.append(play(GAME, max(1, blocks // 2), jobs=1 if pace == "one" else None))
    rows = [_middle(taken).row(game) for game, taken in events.items()]
    title = f"A default round robin of {BOTS} sample bots, two seats, {2 * blocks * _PAIRS} matches"
    sheets = [Sheet("tournament", title, ("game", *_COLUMNS), rows)]
    rows = [_middle(taken).row(level) for level, taken in boxed.items()]
    goals, remarks = [], []
    if "class" in boxed:
        pairs = zip(boxed["class"], boxed["trusted"], strict=True)
        dearer = median(one.wall_s / other.wall_s for one, other in pairs)
        goals.append(Goal("ms a match, level class / trusted", dearer, "at most", 2))
    else:
        remarks.append("level class: NOT MEASURED, this host has no bubblewrap that works")
    title = f"The same of {GAME}, by level"
    sheets.append(Sheet("levels", title, ("level", *_COLUMNS), rows, goals, remarks))
    return [*sheets, _clocks(paced["as many as is fair"], paced["one"])]


def _clocks(many: Sequence[Event], one: Sequence[Event]) -> Sheet:
    """Return what several matches at once do to the clocks of light bots."""
    found = {"by default": _middle(many), "one": _middle(one)}
    rows = [(*each.row(pace), each.took_us / 1e3, each.charged_us / 1e3) for pace, each in found.items()]
    default = found["by default"]
    grace_us = 1_000 * PROFILES["strict"].clock.grace_ms
    goals = [
        Goal("µs of its clock that 99 of 100 answers use at most", default.charged_us, "at most", 0),
        Goal("the longest time of 99 of 100 answers / grace", default.took_us / grace_us, "at most", 0.5),
        Goal("% of all cores busy, by default", 100 * default.busy, "at least", 85),
    ]
    title = f"The same of {GAME}, by matches at once: 99 of 100 answers of the bots take at most"
    columns = ("matches at once", *_COLUMNS, "ms", "ms of the clock")
    return Sheet("clocks", title, columns, rows, goals)


def play(game: str, blocks: int, level: Level = "trusted", jobs: int | None = None) -> Event:
    """Let the command play a tournament file that says no more than it must."""
    own = registry.game(game).info.samples[0].name
    lines = [
        f'game = "{game}"',
        'seed = "benchmarks"',
        f"blocks = {blocks}",
        "seats = 2",
        f'level = "{level}"',
    ]
    for number, sample in enumerate(("first", "random", own) * (BOTS // 3)):
        lines += ["[[bots]]", f'name = "{sample}{number}"', f'sample = "{sample}"']
    with TemporaryDirectory(prefix="bench-") as folder:
        file = Path(folder) / "event.toml"
        file.write_text("\n".join(lines) + "\n")
        words = [sys.executable, "-m", "referee", "tournament", "run", str(file), "--quiet"]
        words += [] if jobs is None else ["--jobs", str(jobs)]
        own_s, (busy, idle), wall_s = _children_s(), _machine_s(), time.perf_counter()
        subprocess.run(words, cwd=ROOT, check=True, capture_output=True)
        wall_s = time.perf_counter() - wall_s
        busy, idle = (after - before for after, before in zip(_machine_s(), (busy, idle), strict=True))
        times = [_times(path) for path in Path(folder).glob("*-replays/*.jsonl")]
    took, charged = (sorted(us for match in times for us in match[kind]) for kind in (0, 1))
    most = len(took) * 99 // 100
    share = busy / max(busy + idle, 1 / _TICKS_S)
    return Event(len(times), wall_s, _children_s() - own_s, share, took[most], charged[most])


def _times(replay: Path) -> tuple[list[int], list[int]]:
    """Return how long the answers of bots took in a match, and what their clocks were charged."""
    lines = map(msgspec.json.decode, replay.read_text().splitlines())
    acts = [line for line in lines if line.get("type") == "act" and line.get("by") == "bot"]
    return [act.get("took_us", 0) for act in acts], [act["us"] for act in acts]


def _middle(taken: Sequence[Event]) -> Event:
    return sorted(taken, key=lambda one: one.wall_s)[len(taken) // 2]


def _children_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _machine_s() -> tuple[float, float]:
    """Return how long all processors together were busy and idle since the start of the machine."""
    words = Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]
    user, nice, system, idle, iowait, irq, softirq, steal = (int(word) / _TICKS_S for word in words)
    return user + nice + system + irq + softirq + steal, idle + iowait
