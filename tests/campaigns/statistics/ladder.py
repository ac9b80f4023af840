"""Simulated ladders: whether published intervals cover, how fast bots are ordered, how long bots wait.

A match orders the sums of strength and luck; luck has the distribution for which the model of the ratings is
exact. So what these figures show is the effect of how opponents are chosen.
"""

from collections.abc import Iterator, Sequence
from math import sqrt
from typing import NamedTuple

import numpy as np

from tests.campaigns.statistics.claim import Claim
from tests.unit.tournaments.rows import row
from tournaments.ladder import PATIENCE, Ladder
from tournaments.rating.columns import columns
from tournaments.rating.comparisons import compare
from tournaments.rating.elo import CENTRE, SCALE
from tournaments.rating.fit import fit
from tournaments.rating.linking import gauge, link

LEAST, MOST = 0.93, 0.97
"""Between these the share of intervals that cover must be."""


class World(NamedTuple):
    """A ladder: how many bots, how different, and how it is run."""

    bots: int
    spread: float
    """The standard deviation of true ratings, in Elo."""
    matches: int
    seats: int = 2
    jobs: int = 1
    """Matches that run at the same time; they end in any order."""
    first: int = 0
    """Bots that are there from the beginning; 0: all."""
    every: int = 0
    """A newcomer comes after so many matches."""
    stays: int = 0
    """For so many matches a bot stays; 0: to the end."""
    winner_only: bool = False

    def here(self, names: Sequence[str], number: int) -> list[str]:
        """Return the bots that are there for a match, counted from 0."""
        first = self.first or self.bots
        began = [max(0, n - first + 1) * self.every for n in range(self.bots)]
        stays = self.stays or self.matches
        return [name for name, at in zip(names, began, strict=True) if at <= number < at + stays]


class Course(NamedTuple):
    """What came of one ladder."""

    ladder: Ladder
    strength: dict[str, float]
    longest_wait: float
    """Of any bot, in matches for each bot that was there."""


def played(world: World, seed: int) -> Course:
    """Play a ladder."""
    luck = np.random.default_rng(seed)
    names = [f"b{n:03}" for n in range(world.bots)]
    strength = dict(zip(names, luck.normal(CENTRE, world.spread, world.bots).tolist(), strict=True))
    ladder = Ladder("simulated", "coins", world.seats, seed=str(seed))
    running: list[tuple[str, ...]] = []
    since: dict[str, int] = {}
    longest = 0.0
    for number in range(world.matches):
        here = world.here(names, number)
        waiting = set(here).difference(*running)
        since = {name: since.get(name, number) for name in waiting}
        longest = max([longest, *((number - at) / len(here) for at in since.values())])
        group = ladder.choose(here, running)
        assert group is not None
        running.append(group)
        if len(running) >= world.jobs:
            over = running.pop(int(luck.integers(len(running))))
            since |= dict.fromkeys(over, number + 1)
            _end(world, ladder, over, strength, luck)
    for group in running:
        _end(world, ladder, group, strength, luck)
    return Course(ladder, strength, longest)


def _end(
    world: World,
    ladder: Ladder,
    group: tuple[str, ...],
    strength: dict[str, float],
    luck: np.random.Generator,
) -> None:
    made = [strength[name] / SCALE + float(luck.gumbel()) for name in group]
    ranks = [1 + sum(other > one for other in made) for one in made]
    if world.winner_only:
        ranks = [min(rank, 2) for rank in ranks]
    number = len(ladder.played) + 1
    ties = "unordered" if world.winner_only else "draw"
    ladder.add(row(group, ranks, match=f"m{number}", block=f"m{number}", deal=f"m{number}", ties=ties))


class Figures(NamedTuple):
    """What ladders of one kind say about the truth."""

    covered: float
    noise: float
    """The standard error of that share."""
    inflation: float
    """By how much a true lead is exaggerated: 1 if it is not."""
    order: float
    """Kendall's tau of the table and the truth; 1 if all bots are in order."""
    order_noise: float
    longest_wait: float


def figures(world: World, times: int, seed: int = 1) -> Figures:
    """Return what so many ladders show."""
    shares, products, squares, orders, waits = [], 0.0, 0.0, [], 0.0
    for number in range(times):
        course = played(world, seed + number)
        waits = max(waits, course.longest_wait)
        lines = [line for line in course.ladder.standings().table if line.elo is not None]
        told = np.array([line.elo for line in lines])
        truth = centred(course.ladder, course.strength)
        true = np.array([truth[line.name] for line in lines])
        rated = [(line.interval, at) for line, at in zip(lines, true, strict=True) if line.interval]
        shares.append(np.mean([low <= at <= high for (low, high), at in rated]))
        products += float((told - CENTRE) @ (true - CENTRE))
        squares += float((true - CENTRE) @ (true - CENTRE))
        a, b = np.triu_indices(len(lines), 1)
        orders.append(np.mean(np.sign(told[a] - told[b]) * np.sign(true[a] - true[b])))
    return Figures(
        float(np.mean(shares)),
        float(np.std(shares)) / sqrt(times),
        products / squares if squares else 1.0,
        float(np.mean(orders)),
        float(np.std(orders)) / sqrt(times),
        waits,
    )


def centred(ladder: Ladder, strength: dict[str, float]) -> dict[str, float]:
    """Return the true ratings of all that have played, with the centre where the table has it."""
    names = sorted({name for match in ladder.played for name in match.bots})
    games, points = compare(columns(ladder.played, names)).sums()
    _, curvature = fit(games, points)
    true = gauge(link(games, points), np.diag(curvature)) @ [strength[name] for name in names]
    return dict(zip(names, (CENTRE + true).tolist(), strict=True))


WORLDS = {
    "12 equal bots, 400 matches": World(12, 0, 400),
    "12 equal bots, 400 matches, 5 at once": World(12, 0, 400, jobs=5),
    "12 bots, sd 100, 1,000 matches": World(12, 100, 1_000),
    "30 bots, sd 200, 1,000 matches": World(30, 200, 1_000),
    "30 bots, sd 200, 1,000 matches, 12 at once": World(30, 200, 1_000, jobs=12),
    "40 bots come and go, sd 150, 2,000 matches": World(
        40, 150, 2_000, jobs=4, first=10, every=40, stays=1_000
    ),
    "12 bots, sd 100, four seats, 400 matches": World(12, 100, 400, seats=4),
    "12 equal bots, four seats, 400 matches": World(12, 0, 400, seats=4),
    "12 bots, sd 100, four seats, winner only, 600 matches": World(12, 100, 600, seats=4, winner_only=True),
}
"""Ladders whose intervals must cover."""

FIELD = World(50, 200, 12_000)
"""The field whose order counts."""


def claims(times: int) -> Iterator[Claim]:
    """Return what the ladder claims."""
    for title, world in WORLDS.items():
        found = figures(world, times)
        yield Claim(f"{title}: intervals that cover", found.covered, LEAST, MOST, found.noise)
        yield Claim(f"{title}: exaggeration of leads", found.inflation)
        yield Claim(f"{title}: longest wait for each bot there", found.longest_wait, most=PATIENCE + 1)
    found = figures(FIELD, max(1, times // 20))
    yield Claim("50 bots, sd 200, 12,000 matches: tau", found.order, least=0.948, noise=found.order_noise)
