"""A tournament on a simulated cluster from its first match to its last, and what came of it."""

import resource
import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from hashlib import sha256
from math import ceil
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from referee.match.faults import PROFILES
from tests.campaigns.cluster_simulation.faults import Cause
from tests.campaigns.cluster_simulation.organiser import MakeHub, SimulatedHub, SimulatedRunner
from tests.campaigns.cluster_simulation.world import OrganiserKilled, Setting, World
from tournaments.config.entrants import Entrant
from tournaments.config.plan import Plan
from tournaments.results import Played
from tournaments.store.store import Store

BOTS: Final = ("ann", "bob", "cleo", "dora", "eve")
_A_DEAL: Final = len(BOTS) * (len(BOTS) - 1)
"""Matches of one deal of all pairs, in both rotations."""

Progress = Callable[[World, int, int], None]
"""Takes the world, and how many matches of how many are committed."""


class Outcome(Struct, frozen=True):
    """What came of a simulated run."""

    hours: float
    """Simulated ones."""
    matches: int
    """In the store."""
    left: int
    digest: str
    """Of all matches in the store, in the order of their ids, without hosts and times."""
    capacity: float
    """How many matches an hour sound hosts play that never wait and never fail."""
    begun: int
    twice: dict[Cause, int]
    at_most: dict[Cause, int]
    happened: dict[str, int]
    refused: dict[str, int]
    """Hosts that were refused, each time that they joined, by what is wrong with them."""
    void: int
    """Matches that were void once, and were played again."""
    odd: tuple[str, ...]
    """What no fault explains."""
    seconds: float
    """Real ones."""
    memory_mb: float
    """The most memory of this process, so far."""

    @property
    def an_hour(self) -> float:
        """Matches in a simulated hour."""
        return self.matches / self.hours

    @property
    def efficiency(self) -> float:
        """What came of the time of all hosts."""
        return self.an_hour / self.capacity


class _Log:
    """Listens to a runner."""

    def __init__(self, world: World, progress: Progress) -> None:
        self.voids: Counter[str] = Counter()
        self.seconds = 0
        """Notes of a result that came a second time."""
        self._world = world
        self._progress = progress
        self._there = 0
        self._total = 0

    def begins(self, kept: Sequence[Played], total: int) -> None:
        self._there, self._total = len(kept), total

    def expects(self, total: int) -> None:
        self._total = total

    def finished(self, played: Played) -> None:
        self._there += 1
        self._progress(self._world, self._there, self._total)

    def void(self, match: str, why: str, *, again: bool) -> None:
        self.voids[match] += 1

    def note(self, text: str) -> None:
        self.seconds += "came a second time" in text


def simulate(
    setting: Setting,
    folder: Path,
    *,
    make: MakeHub = SimulatedHub,
    progress: Progress = lambda *_: None,
) -> Outcome:
    """Play a tournament; its store is left in the folder."""
    began = time.monotonic()
    world = World(setting)
    plan = plan_of(setting, folder / "store.sqlite")
    log = _Log(world, progress)
    while True:
        with Store(plan.store) as store:
            try:
                ran = SimulatedRunner(plan, store, log, world, make).run()
            except OrganiserKilled:
                ran = None
        if ran is not None:
            break
        world.wait(world.restart_s())
    world.end()
    hours = world.now / 3600
    ledger = world.ledger
    return Outcome(
        hours=hours,
        matches=_count(folder),
        left=ran.left + len(ran.void),
        digest=digest_of(folder),
        capacity=3600 * world.capacity / world.length_s,
        begun=ledger.begun,
        twice=dict(ledger.twice),
        at_most=dict(ledger.at_most),
        happened=dict(sorted(ledger.happened.items())),
        refused=dict(Counter(host.flaw for host in world.refused)),
        void=log.voids.total(),
        odd=tuple(_odd(world, log)),
        seconds=time.monotonic() - began,
        memory_mb=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3,
    )


def plan_of(setting: Setting, store: Path) -> Plan:
    """Return a round robin with as many matches as are asked for, or a few more."""
    return Plan(
        file=store.with_name("simulated.toml"),
        name="simulated",
        game="chicago",
        seed=f"simulated-{setting.seed}",
        seats=2,
        profile=PROFILES["strict"],
        options={},
        bots=tuple(
            Entrant(name, store.parent, sample="first") for name in ("ann", "bob", "cleo", "dora", "eve")
        ),
        store=store,
        replays=store.with_name("replays"),
        blocks=ceil(setting.matches / _A_DEAL),
    )


def flaws(outcome: Outcome, calm: Outcome) -> list[str]:
    """Return what is wrong with a run, by the one of the same tournament without faults."""
    found = list(outcome.odd)
    if outcome.left:
        found.append(f"{outcome.left} matches were not played")
    if outcome.matches != calm.matches:
        found.append(f"{outcome.matches} matches are in the store, and {calm.matches} without faults")
    if outcome.digest != calm.digest:
        found.append("the store is not equal to that of the run without faults")
    if outcome.begun - sum(outcome.twice.values()) != outcome.matches:
        found.append("matches begun, less those played twice, are not those in the store")
    for cause, count in outcome.twice.items():
        if count > outcome.at_most.get(cause, 0):
            most = outcome.at_most.get(cause, 0)
            found.append(f"{count} matches were begun once more because: {cause}; at most {most} should be")
    return found


def _odd(world: World, log: _Log) -> list[str]:
    """Return what no fault explains, but for matches that were played twice."""
    voids = [match for match, count in log.voids.items() if world.killed[match] < 2 * count]
    found = [f"match {match} was void" for match in voids]
    found += [
        f"{host.name} was refused, and is sound"
        for host in world.refused
        if host.is_sound and host.deaths < 3
    ]
    echoes = world.ledger.happened["a result came a second time"]
    if echoes != log.seconds:
        found.append(f"{echoes} results came a second time, and {log.seconds} were noted")
    return found


_ROWS: Final = (
    "SELECT m.match, game, round, block, deal, reason, ties, decisions, void, play, seat, bot, name, rank, "
    "score, fault FROM matches m JOIN seats USING (number) ORDER BY m.match, seat"
)


def digest_of(folder: Path) -> str:
    """Return a hash of all results in a store, row by row: there may be too many to hold them."""
    found = sha256()
    with closing(sqlite3.connect(folder / "store.sqlite")) as database:
        for row in database.execute(_ROWS):
            found.update(msgspec.json.encode(row))
    return found.hexdigest()


def _count(folder: Path) -> int:
    with closing(sqlite3.connect(folder / "store.sqlite")) as database:
        (count,) = database.execute("SELECT count(*) FROM matches").fetchone()
    return int(count)
