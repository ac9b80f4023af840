"""Plays matches with the benchmark's bots, and measures while as many run as are asked for."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

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
from referee.process.spec import BotSpec, program

BOT = program([sys.executable, "-m", "benchmarks.bot"], folder=ROOT)


class Cast(Struct, frozen=True):
    """Who plays: how many bot processes, and how they speak."""

    title: str
    transport: Literal["zmq", "stdio"]
    bots: int


class Gauge:
    """Hears of finished matches; measures from one of them to another."""

    def __init__(self) -> None:
        self.cost: Cost | None = None
        self._hub: Hub | None = None
        self._finished = self._decisions = self._before = 0
        self._first = self._last = 0
        self._meter: Meter | None = None

    def attend(self, hub: Hub, first: int, last: int) -> None:
        """Measure from the first of the coming matches that is over to the last."""
        self._hub, self._first, self._last = hub, first, last
        self._finished = self._decisions = 0
        self.cost = None

    def hear(self, finished: Finished) -> None:
        """Hear that a match is over."""
        if any(finished.result.faults) or finished.result.void:
            raise RefereeError(f"a benchmark's match went wrong: {finished.result}")
        self._finished += 1
        self._decisions += finished.result.decisions
        if self._finished == self._first:
            self._before = self._so_far()
            self._meter = Meter()
        elif self._finished == self._last and self._meter is not None:
            self.cost = self._meter.read(self._so_far() - self._before)

    def _so_far(self) -> int:
        """Count decisions, those of running matches too."""
        assert self._hub is not None
        return self._decisions + sum(len(running.match.log) for running in self._hub.running.values())


class Arena:
    """A hub with its bots, on which one measurement after the other is made."""

    def __init__(self, hub: Hub, gauge: Gauge, names: list[str]) -> None:
        self.hub = hub
        self._gauge = gauge
        self._names = names
        self._played = 0

    def measure(self, at_once: int, decisions: int) -> Cost:
        """Play so many matches at once, and measure about so many decisions meanwhile."""
        self.hub.jobs = at_once
        # About 150 decisions in a match. What is measured begins when the first matches end, and ends when
        # there are none to begin; it is long enough for all phases of a match to take part.
        warm = max(1, at_once // 4)
        measured = max(2, at_once, decisions // 150)
        self._gauge.attend(self.hub, warm, warm + measured)
        self.hub.submit(self._pairing() for _ in range(warm + measured + at_once))
        self.hub.run()
        assert self._gauge.cost is not None
        return self._gauge.cost

    def play(self, matches: int, at_once: int) -> None:
        """Play matches and measure nothing."""
        self.hub.jobs = at_once
        self._gauge.attend(self.hub, 0, 0)
        self.hub.submit(self._pairing() for _ in range(matches))
        self.hub.run()

    def _pairing(self) -> Pairing:
        number = self._played
        self._played += 1
        bots = tuple(self._names[(number * SEATS + seat) % len(self._names)] for seat in range(SEATS))
        key = deal_key("benchmarks", str(number))
        return Pairing(f"bench{number}", registry.game(GAME), bots, key, seed="benchmarks", deal=str(number))


@contextmanager
def arena(cast: Cast) -> Iterator[Arena]:
    """Give a hub whose bots are all there; replays are written, as ever, and thrown away."""
    names = [f"bot{number}" for number in range(cast.bots)]
    bots = [BotSpec(name, BOT, cast.transport) for name in names]
    gauge = Gauge()
    with (
        TemporaryDirectory(prefix="bench-") as folder,
        Hub(bots, replays=Path(folder), report=gauge.hear) as hub,
    ):
        hub.preflight([GAME])
        collect_rarely()
        yield Arena(hub, gauge, names)
