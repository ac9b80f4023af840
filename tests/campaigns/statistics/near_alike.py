"""Nearly alike bots: blocks that nearly all split. Whether the intervals still cover the true difference."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import comb, log
from typing import NamedTuple

import numpy as np

from tests.campaigns.statistics.claim import Claim, share
from tests.unit.tournaments.rows import row
from tournaments.rating import student
from tournaments.rating.ratings import SCALE, Ratings, rate
from tournaments.results import Played

Kind = tuple[float, int]
"""How often a block comes, and the half points of the first bot in its two matches."""


class Alike(NamedTuple):
    """Two bots whose blocks split, but for a few."""

    blocks: int
    kinds: tuple[Kind, ...]

    def truth(self) -> float:
        """Return the true difference in points."""
        score = 0.5 + sum(often * (halves - 2) for often, halves in self.kinds) / 4
        return SCALE * log(score / (1 - score))


def split(name: str, bots: Sequence[str], halves: int) -> list[Played]:
    """Return a mirrored block of which the first bot took so many half points, of four."""
    ranks = {0: (2, 1), 1: (1, 1), 2: (1, 2)}
    first = min(halves, 2)
    return [
        row(bots, ranks[points], match=f"{name}-{turn}", block=name, deal=name)
        for turn, points in enumerate((first, halves - first))
    ]


def covers(ratings: Ratings, a: str, b: str, truth: float) -> bool:
    """Return whether the interval of a difference contains the truth."""
    gap = ratings.difference(a, b)
    assert gap.se is not None
    deals = min(row.deals for row in ratings.rows if row.bot in (a, b))
    return abs(gap.elo - truth) <= student.quantile(0.975, deals - 1) * gap.se


def exact(world: Alike) -> float:
    """Return how often the interval covers: all numbers of decided blocks, by how likely they are."""
    ((often, halves),) = world.kinds
    whole = 0.0
    for decided in range(world.blocks + 1):
        chance = comb(world.blocks, decided) * often**decided * (1 - often) ** (world.blocks - decided)
        if chance > 1e-7:
            played = [
                match
                for n in range(world.blocks)
                for match in split(str(n), "ab", halves if n < decided else 2)
            ]
            whole += chance * covers(rate(played, "ab"), "a", "b", world.truth())
    return whole


def simulated(world: Alike, times: int) -> Claim:
    """Return how often the interval covers in so many simulated matches of the two."""
    luck = np.random.default_rng(14)
    often = [one for one, _ in world.kinds]
    halves = [halves for _, halves in world.kinds]
    hits = 0
    for _ in range(times):
        drawn = luck.choice([*halves, 2], size=world.blocks, p=[*often, 1 - sum(often)]).tolist()
        played = [match for n, points in enumerate(drawn) for match in split(str(n), "ab", points)]
        hits += covers(rate(played, "ab"), "a", "b", world.truth())
    kinds = ", ".join(f"{100 * one:g} % {points / 2:g}:{2 - points / 2:g}" for one, points in world.kinds)
    return share(f"{world.blocks} blocks, {kinds}", hits, times, *BOUNDS)


BOUNDS = 0.93, 1.0
"""Where few blocks are decided, coverage is a step function, and on the safe side of 95 %."""
EXACT = [
    Alike(blocks, ((often, halves),))
    for halves in (4, 3)
    for often in (0.01, 0.02, 0.05, 0.1, 0.2)
    for blocks in (30, 50, 100, 200)
]
MIXED = [
    Alike(blocks, kinds)
    for kinds in (
        ((0.02, 4), (0.1, 3)),
        ((0.01, 4), (0.01, 0), (0.05, 3), (0.05, 1)),
        ((0.05, 4), (0.05, 0)),
        ((0.1, 3), (0.02, 0)),
    )
    for blocks in (30, 100)
]
