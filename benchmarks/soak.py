"""`python -m benchmarks.soak`: a hub plays for an hour, and nothing of it may grow.

Bots that live on and bots that are started for every match, over pipes and over ZeroMQ, one that dies in
mid-match now and then, replays on disk and rows in a store: what a tournament does, again and again. Once a
minute, when no match runs, the figures are printed; at the end, the verdict.
"""

import gc
import os
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import click
from msgspec import Struct

from benchmarks.echo import ROOT
from benchmarks.meter import descendants, pss_kib, rss_kib
from benchmarks.play import BOT
from benchmarks.samples import GAME
from referee import registry
from referee.chance import deal_key
from referee.hub.event_loop import allow_many_files, collect_rarely
from referee.hub.hub import Hub
from referee.hub.pairing import Finished, Pairing
from referee.process.spec import BotSpec, program
from tournaments.results import played
from tournaments.store.store import Store

_MORTAL = """
from protocol.client import run
count = 0
def choose(view, legal):
    global count
    count += 1
    if count > 900:
        raise SystemExit("my time has come")
    return legal[0]
run(choose, name="mortal", capacity=64)
"""

_GROWTH_KIB = 2_048
"""By how much the most of the second half may exceed that of the first: what grows steadily does so twice."""

_LEAST_LOOKS = 10
"""With fewer there are no halves to compare."""

_WARM_MINUTES = 2
"""What Python and SQLite take for themselves is taken by then."""


class Figures(Struct, frozen=True):
    """What is looked at, when no match runs."""

    minute: float
    matches: int
    rss_kib: int
    descriptors: int
    threads: int
    processes: int
    others_kib: int
    """Memory of gates, supervisors, bots and the forkserver."""

    def line(self) -> str:
        """Return them as a line of the table."""
        return (
            f"{self.minute:7.1f} {self.matches:9,} {self.rss_kib / 1024:9.1f} {self.others_kib / 1024:9.1f} "
            f"{self.descriptors:6} {self.threads:8} {self.processes:10}"
        )


HEADING = " minute   matches   hub MiB  rest MiB    fds  threads  processes"


class Soak:
    """Plays batches of matches, for ever, and counts."""

    def __init__(self, hub: Hub, names: Sequence[str]) -> None:
        self._hub = hub
        self._names = names
        self._begun = 0
        self._began = time.monotonic()

    def play(self, until: float) -> None:
        """Play until a moment of the monotonic clock has passed, and to the end of what runs then."""
        while time.monotonic() < until:
            self._hub.submit(self._pairings(50))
            self._hub.run()
            # One of every bot that lives on is what a quiet moment has; those started for one match must go.
            while any(session.retiring for session in self._hub.sessions):
                self._hub.loop.turn()

    def _pairings(self, count: int) -> Iterator[Pairing]:
        game = registry.game(GAME)
        for number in range(self._begun, self._begun + count):
            bots = tuple(self._names[(number + seat) % len(self._names)] for seat in range(2))
            key = deal_key("soak", str(number))
            yield Pairing(f"soak{number}", game, bots, key, seed="soak", deal=str(number))
        self._begun += count

    def look(self) -> Figures:
        """Return the figures of now."""
        gc.collect()
        family = descendants(os.getpid())
        return Figures(
            (time.monotonic() - self._began) / 60,
            self._begun,
            rss_kib(),
            len(os.listdir("/proc/self/fd")),
            len(os.listdir("/proc/self/task")),
            len(family),
            sum(map(_pss_kib, family)),
        )


def _pss_kib(pid: int) -> int:
    try:
        return pss_kib(pid)
    except OSError:
        return 0  # It has just ended.


def complaints(figures: Sequence[Figures]) -> list[str]:
    """Return what has grown from the first half of the time to the second, without the warm-up.

    That is the first tenth of the time, and two minutes at least.
    """
    warm = [one for one in figures[len(figures) // 10 :] if one.minute >= _WARM_MINUTES]
    if len(warm) < 2:
        return ["too few looks to tell whether anything grows"]
    first, second = warm[: (len(warm) + 1) // 2], warm[len(warm) // 2 :]
    found = []
    # A bot that has just died is not there in a quiet moment: so the most of many looks is compared.
    for name, spare in (("rss_kib", _GROWTH_KIB), ("descriptors", 0), ("threads", 0), ("processes", 0)):
        before, after = (max(getattr(one, name) for one in half) for half in (first, second))
        if after > before + spare:
            found.append(f"{name}: at most {before} in the first half, {after} in the second")
    return found


@click.command()
@click.option("--minutes", type=click.FloatRange(min=2 * _WARM_MINUTES), default=60.0, show_default=True)
@click.option("--every", type=float, default=60.0, show_default=True, help="Most seconds between two looks.")
def main(minutes: float, every: float) -> None:
    """Play for some time, print the figures once a minute, and say whether anything has grown.

    Exits with 1 if something has.
    """
    every = min(every, 60 * minutes / _LEAST_LOOKS)
    mortal = program([sys.executable, "-c", _MORTAL], ROOT)
    bots = [
        BotSpec("pipes", BOT, "stdio"),
        BotSpec("socket", BOT, "zmq"),
        BotSpec("fresh", BOT, "auto", fresh=True),
        BotSpec("mortal", mortal, "stdio"),
    ]
    faults = [0]
    allow_many_files()
    with TemporaryDirectory(prefix="soak-") as folder, Store(Path(folder) / "soak.db") as store:

        def report(one: Finished) -> None:
            faults[0] += any(one.result.faults)
            # An hour of replays is a lot of disk; that they are written is what matters here.
            for path in Path(folder).glob(f"{one.result.match}.*"):
                path.unlink()

        def keep(matches: Sequence[Finished]) -> None:
            store.add([played(one, 1, one.result.match) for one in matches])

        with Hub(bots, jobs=4, replays=Path(folder), keep=keep, report=report) as hub:
            hub.preflight([GAME])
            collect_rarely()
            soak = Soak(hub, [bot.name for bot in bots])
            figures: list[Figures] = []
            print(HEADING, flush=True)
            end = time.monotonic() + 60 * minutes
            while time.monotonic() < end:
                soak.play(min(end, time.monotonic() + every))
                figures.append(soak.look())
                print(figures[-1].line(), flush=True)
        wrong = complaints(figures)
        kept = len(store.played())
    last = figures[-1]
    rate = last.matches / last.minute / 60
    print(f"{last.matches:,} matches, {rate:.1f} a second, {faults[0]} lost by a fault")
    if kept != last.matches:
        wrong.append(f"{kept} rows for {last.matches} matches")
    print("\n".join(wrong) if wrong else "flat: memory, descriptors, threads and processes", flush=True)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
