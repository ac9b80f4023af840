"""Nearly alike bots: blocks that nearly all split. Whether the intervals still cover the true difference."""

from collections.abc import Iterator, Sequence
from itertools import combinations, product
from math import comb, log
from typing import NamedTuple

import numpy as np

from tests.campaigns.statistics.claim import Claim, share
from tests.unit.tournaments.rows import row
from tournaments.rating import student
from tournaments.rating.elo import SCALE
from tournaments.rating.ratings import Ratings, rate
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
OFTEN, BLOCKS = (0.01, 0.02, 0.05, 0.1, 0.2), (30, 50, 100, 200)
EXACT = [Alike(blocks, ((often, halves),)) for halves in (4, 3) for often in OFTEN for blocks in BLOCKS]
"""Only the first bot ever wins a block, 2:0 or 1.5:0.5."""
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


def two_of_four(luck: np.random.Generator, often: float, blocks: int) -> tuple[list[Played], float]:
    """Return a round robin of two nearly alike bots and two others, and how far `a` is ahead of `b`."""
    ahead = log((1 + often) / (1 - often))
    strength = {"a": ahead, "b": 0.0, "c": -0.5, "d": 0.5}
    played = []
    for one, other in combinations(strength, 2):
        chance = 1 / (1 + np.exp(strength[other] - strength[one]))
        won = 2 * (luck.random((blocks, 2)) < chance).sum(axis=1)
        if (one, other) == ("a", "b"):
            won = np.where(luck.random(blocks) < often, 4, 2)
        for n, halves in enumerate(won.tolist()):
            played += split(f"{one}{other}{n}", (one, other), halves)
    return played, ahead * SCALE


def all_alike(luck: np.random.Generator, often: float, blocks: int) -> tuple[list[Played], float]:
    """Return a round robin of four alike bots, a third of the blocks for each pair; `a` wins a few blocks."""
    played = []
    for one, other in combinations("abcd", 2):
        won = np.where(luck.random(blocks // 3) < often * (one == "a"), 4, 2)
        for n, halves in enumerate(won.tolist()):
            played += split(f"{one}{other}{n}", (one, other), halves)
    return played, SCALE * log((1 + often) / (1 - often))


def four_seats(luck: np.random.Generator, often: float, blocks: int) -> tuple[list[Played], float]:
    """Return blocks of four alike bots in which the seat decides, but for those in which `a` wins all."""
    played = []
    for n in range(blocks):
        worth, better = luck.permutation(4), luck.random() < often
        for turn in range(4):
            order = [int(worth[(bot + turn) % 4]) for bot in range(4)]
            if better:
                order[0] = -1
            ranks = [1 + sum(one < other for one in order) for other in order]
            played.append(row("abcd", ranks, match=f"{n}-{turn}", block=str(n), deal=str(n)))
    return played, SCALE * log((1 + often) / (1 - often))


MORE = {"two of four bots": two_of_four, "four alike bots": all_alike, "four seats": four_seats}


def claims(times: int) -> Iterator[Claim]:
    """Return how often intervals cover."""
    for world in EXACT:
        ((often, halves),) = world.kinds
        title = f"{world.blocks} blocks, {100 * often:g} % {halves / 2:g}:{2 - halves / 2:g}, exact"
        yield Claim(title, exact(world), *BOUNDS)
    for world in MIXED:
        yield simulated(world, times)
    for (title, made), often, blocks in product(MORE.items(), (0.02, 0.1), (30, 100)):
        luck = np.random.default_rng(3)
        events = (made(luck, often, blocks) for _ in range(times))
        hits = sum(covers(rate(played, "abcd"), "a", "b", ahead) for played, ahead in events)
        yield share(f"{title}, {blocks} blocks, {100 * often:g} % decided", hits, times, *BOUNDS)
