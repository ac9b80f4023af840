"""Plays matches with the benchmark's bots, and measures while as many run as are asked for.

Decisions are counted where they happen: in the hub, which adds those of a match when it is over.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

from msgspec import Struct

from benchmarks.echo import ROOT
from benchmarks.meter import Cost, Meter
from benchmarks.samples import GAME, SEATS
from referee import registry
from referee.chance import deal_key
from referee.errors import RefereeError
from referee.hub.event_loop import collect_rarely
from referee.hub.hub import Hub
from referee.hub.pairing import Finished, Pairing
from referee.match.result import Acted
from referee.process.spec import BotSpec, Program, program
from sample_bots.languages import samples

BOT = program([sys.executable, "-m", "benchmarks.bot"], folder=ROOT)
"""Written with the Python kit; it is sent views, legal actions and events."""

C_BOTS = {"zmq": "c", "stdio": "c-lines"}
"""The sample bots in C, by how they speak; they are sent legal actions only."""


class Cast(Struct, frozen=True):
    """Who plays: how many bot processes, and how they speak."""

    title: str
    transport: Literal["zmq", "stdio"]
    bots: int
    language: Literal["Python", "C"] = "Python"

    def program(self) -> Program:
        """Return the bots' program, which is built first if need be."""
        if self.language == "Python":
            return BOT
        language, sample = samples()[C_BOTS[self.transport]]
        language.build(sample)
        return program(language.command(sample))


class Gauge:
    """Counts the decisions of a hub and what they cost, from its making to `read`."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._before = decisions_so_far(hub)
        self._meter = Meter()

    def read(self) -> Cost:
        """Return what the decisions since then took."""
        return self._meter.read(decisions_so_far(self._hub) - self._before)


def decisions_so_far(hub: Hub) -> int:
    """Count the decisions of bots in matches that run and in matches that are over, on disk or not."""
    # With --against, this measures revisions too whose counters were their own times.
    times: Any = getattr(hub.counts, "times", hub.counts)
    logs = (running.match.log for running in hub.running.values())
    took: list[int] = times.took
    return sum(took) + sum(isinstance(one, Acted) and one.by == "bot" for log in logs for one in log)


class Arena:
    """A hub with its bots, on which one measurement after the other is made."""

    def __init__(self, hub: Hub, names: list[str]) -> None:
        self.hub = hub
        self._names = names
        self._played = 0

    def measure(self, at_once: int, decisions: int) -> Cost:
        """Play so many matches at once, and measure about so many decisions meanwhile."""
        self.hub.jobs = at_once
        # About 150 decisions in a match. What is measured begins when the first matches are over, and ends
        # when there are none to begin; it is long enough for all phases of a match to take part. Whether a
        # match that is over has reached the disk does not matter: reports come late and many at once.
        warm = max(1, at_once // 4)
        measured = max(2, at_once, decisions // 150)
        over = self.hub.counts.ended
        self.submit(warm + measured + at_once)
        play_until(self.hub, over + warm)
        gauge = Gauge(self.hub)
        play_until(self.hub, over + warm + measured)
        cost = gauge.read()
        self.hub.run()
        return cost

    def play(self, matches: int, at_once: int) -> None:
        """Play matches and measure nothing."""
        self.hub.jobs = at_once
        self.submit(matches)
        self.hub.run()

    def submit(self, matches: int) -> None:
        """Put matches into the hub's queue."""
        self.hub.submit(self._pairing() for _ in range(matches))

    def _pairing(self) -> Pairing:
        number = self._played
        self._played += 1
        bots = tuple(self._names[(number * SEATS + seat) % len(self._names)] for seat in range(SEATS))
        key = deal_key("benchmarks", str(number))
        return Pairing(f"bench{number}", registry.game(GAME), bots, key, seed="benchmarks", deal=str(number))


def play_until(hub: Hub, ended: int) -> None:
    """Play until so many matches are over in all, or until an error keeps more from being played."""
    while not hub.draining and hub.counts.ended < ended:
        hub.turn()


def check(finished: Finished) -> None:
    """Raise RefereeError if a match went wrong: what is measured is matches without faults."""
    if any(finished.result.faults) or finished.result.void:
        raise RefereeError(f"a benchmark's match went wrong: {finished.result}")


@contextmanager
def arena(cast: Cast) -> Iterator[Arena]:
    """Give a hub whose bots are all there; replays are written, as ever, and thrown away."""
    names = [f"bot{number}" for number in range(cast.bots)]
    what = cast.program()
    bots = [BotSpec(name, what, cast.transport) for name in names]
    with (
        TemporaryDirectory(prefix="bench-") as folder,
        Hub(bots, replays=Path(folder), report=check) as hub,
    ):
        hub.preflight([GAME])
        collect_rarely()
        yield Arena(hub, names)
