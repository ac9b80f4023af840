"""Several workers beside one: matches per second and what a match costs, with bots that cost little."""

from collections.abc import Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Literal

from msgspec import Struct

from benchmarks import overhead
from benchmarks.meter import Cost, Meter
from benchmarks.play import check, play_until
from benchmarks.samples import GAME, SEATS
from benchmarks.sheet import Cell, Goal, Sheet, Size
from referee import registry
from referee.chance import deal_key
from referee.hub.capacity import WorkDivision
from referee.hub.event_loop import collect_rarely
from referee.hub.pairing import Pairing
from referee.match.faults import PROFILES
from referee.process.spec import BotSpec, program
from referee.worker.open_hub import open_hub
from sample_bots.languages import samples

TRANSPORTS: dict[str, Literal["stdio", "zmq"]] = {"c-lines": "stdio", "c": "zmq"}
"""The sample bots in C, by how they speak."""

JOBS = 8
"""Matches at once, in all workers together."""


class Crew(Struct, frozen=True):
    """How matches are played."""

    bot: str
    workers: int

    @property
    def title(self) -> str:
        """What it is called in the table."""
        return f"{TRANSPORTS[self.bot]}, {self.workers} worker{'s' if self.workers > 1 else ''}"


def measure(size: Size) -> Sequence[Sheet]:
    """Measure crews in turns, so that noise hits all alike."""
    crews = [Crew(bot, workers) for bot in TRANSPORTS for workers in (1, 2)]
    for bot in TRANSPORTS:
        language, sample = samples()[bot]
        language.build(sample)
    matches = max(2 * JOBS, size.decisions // 25)
    costs: dict[Crew, list[Cost]] = {}
    for _ in range(size.repetitions):
        for crew in crews:
            costs.setdefault(crew, []).append(_played(crew, matches))
    rows: list[tuple[Cell, ...]] = [(crew.title, _rate(costs[crew]), _cpu_ms(costs[crew])) for crew in crews]
    columns = ("bots in C", "matches /s", "CPU ms a match, all processes")
    title = f"Matches of {GAME} with one worker and with two, {JOBS} at once"
    return [Sheet("workers", title, columns, rows, list(_goals(costs))), overhead.measure(size)]


def _goals(costs: dict[Crew, list[Cost]]) -> list[Goal]:
    least = {"stdio": 1.45, "zmq": 1.5}
    goals = []
    for bot, transport in TRANSPORTS.items():
        one, two = costs[Crew(bot, 1)], costs[Crew(bot, 2)]
        # The two were measured one after the other, so each pair had about the same noise.
        pairs = list(zip(one, two, strict=True))
        faster = median(after.rate / before.rate for before, after in pairs)
        dearer = median(after.all_us / before.all_us for before, after in pairs)
        title = f"two workers against one, {transport}"
        goals.append(Goal(f"{title}: matches per second", faster, "at least", least[transport]))
        goals.append(Goal(f"{title}: CPU a match", dearer, "at most", 1.05))
    return goals


def _played(crew: Crew, matches: int) -> Cost:
    """Play matches, and measure all but the first and the last ones, while bots start and end."""
    language, sample = samples()[crew.bot]
    bots = [
        BotSpec(name, program(language.command(sample)), TRANSPORTS[crew.bot]) for name in ("one", "other")
    ]
    with (
        TemporaryDirectory(prefix="bench-") as folder,
        open_hub(
            bots,
            work=WorkDivision(crew.workers, JOBS),
            replays=Path(folder),
            profile=PROFILES["strict"],
            report=check,
        ) as hub,
    ):
        hub.preflight([GAME])
        collect_rarely()
        hub.submit(map(_pairing, range(matches + 8 * JOBS)))
        # Matches that are over count, not those reported: reports come late and many at once.
        play_until(hub, 4 * JOBS)
        before, meter = hub.counts.ended, Meter()
        play_until(hub, 4 * JOBS + matches)
        cost = meter.read(hub.counts.ended - before)
        hub.run()
    return cost


def _pairing(number: int) -> Pairing:
    bots = ("one", "other")[:SEATS]
    key = deal_key("workers", str(number))
    return Pairing(f"bench{number}", registry.game(GAME), bots, key, seed="workers", deal=str(number))


def _rate(costs: Sequence[Cost]) -> float:
    return round(median(cost.rate for cost in costs), 1)


def _cpu_ms(costs: Sequence[Cost]) -> float:
    return round(median(cost.all_us for cost in costs) / 1_000, 2)
