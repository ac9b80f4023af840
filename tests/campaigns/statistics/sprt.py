"""Simulated sequential tests with a known difference: risks, corrected estimates, intervals, likelihoods."""

from collections.abc import Callable, Iterator
from itertools import islice
from math import sqrt
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri

from tests.campaigns.statistics.claim import Claim, share
from tournaments.rating import student
from tournaments.rating.block_scores import BlockScore, expected_score, score_of_nelo
from tournaments.rating.sprt import Sprt, SprtState, Unit

World = Callable[[np.random.Generator, float], Iterator[BlockScore]]
"""Blocks without end, from luck and the true score."""


def pairs(luck: np.random.Generator, score: float) -> Iterator[BlockScore]:
    """Return mirrored pairs without end: the deal decides much, one match in five is drawn."""
    low, high = ndtri(1 - score - 0.1), ndtri(1 - score + 0.1)
    while True:
        deal, own = luck.standard_normal(500), luck.standard_normal((2, 500))
        made = np.sqrt(0.6) * np.stack([deal, -deal]) + np.sqrt(0.4) * own
        halves = np.where(made > high, 2, np.where(made < low, 0, 1)).sum(axis=0)
        for each in halves.tolist():
            yield BlockScore(each, 4)


def fours(luck: np.random.Generator, score: float) -> Iterator[BlockScore]:
    """Return blocks of four seats without end: the new bot against three old ones, the deal decides much."""
    ahead = np.log(score / (1 - score))
    while True:
        deal, own = luck.standard_normal((500, 4)), luck.standard_normal((500, 4, 4))
        mixed = np.sqrt(0.5) * deal[:, None, :] + np.sqrt(0.5) * own
        made = -np.log(-np.log(ndtr(mixed))) + ahead * np.eye(4)
        mine = np.diagonal(made, axis1=1, axis2=2)
        halves = 2 * (mine[:, :, None] > made).sum(axis=(1, 2))
        for each in halves.tolist():
            yield BlockScore(each, 24)


def rare(luck: np.random.Generator, score: float) -> Iterator[BlockScore]:
    """Return blocks of bots that nearly always play alike: one in a hundred is lost, some are won."""
    win = 0.01 + 2 * (score - 0.5)
    while True:
        for each in luck.random(500).tolist():
            yield BlockScore(4 if each < win else 0 if each > 0.99 else 2, 4)


def small(luck: np.random.Generator, score: float) -> Iterator[BlockScore]:
    """Return blocks of bots that nearly always play alike, and then differ by half a match."""
    win = 0.03 + 4 * (score - 0.5)
    while True:
        for each in luck.random(500).tolist():
            yield BlockScore(3 if each < win else 1 if each > 0.97 else 2, 4)


SEATS: dict[World, int] = {fours: 4}
"""Of worlds with more than two."""


class Ended(NamedTuple):
    """A simulated test at its end."""

    state: SprtState
    naive: tuple[float, float, float]
    """The score with its interval, as if the number of blocks had been fixed and no outcome were unseen."""


def deviation(world: World, score: float) -> float:
    """Return the standard deviation of a block's score."""
    blocks = islice(world(np.random.default_rng(1), score), 40_000)
    return float(np.std([block.halves / block.of for block in blocks]))


def simulated(
    world: World,
    bounds: tuple[float, float],
    score: float,
    tests: int,
    *,
    most: int = 100_000,
    unit: Unit = "Elo",
    luck: int = 11,
) -> Iterator[Ended]:
    """Play tests of these bounds at this true score, each up to `most` blocks."""
    chance = np.random.default_rng(luck)
    for _ in range(tests):
        test = Sprt(*bounds, unit=unit, seats=SEATS.get(world, 2))
        for block in islice(world(chance, score), most):
            if test.add(block) is not None:
                break
        yield Ended(test.state, naive(test))


def naive(test: Sprt) -> tuple[float, float, float]:
    """Return score and interval of the blocks that came, without any correction."""
    scores = np.repeat(
        [block.halves / block.of for block in test.counts], np.array(list(test.counts.values()))
    )
    reach = (
        student.quantile(0.975, max(1, len(scores) - 1)) * float(np.std(scores, ddof=1)) / sqrt(len(scores))
    )
    return float(scores.mean()) - reach, float(scores.mean()), float(scores.mean()) + reach


def covers(state: SprtState, elo: float) -> bool:
    """Return whether the interval has the true difference."""
    assert state.interval is not None
    low, high = state.interval
    return (low is None or low <= elo) and (high is None or elo <= high)


def is_above(state: SprtState, elo: float) -> float:
    """Return 1 if the estimate is above the true difference, 1/2 if it is that."""
    found = state.elo
    if found is None:
        return float(state.score is not None and state.score > 0.5)
    return 0.5 + 0.5 * float(np.sign(round(found - elo, 6)))


class Case(NamedTuple):
    """Tests that are simulated."""

    world: World
    bounds: tuple[float, float]
    elos: tuple[float, ...]
    most: int = 100_000
    sides: float = 0.1
    """By how much the share of estimates above the truth may differ from one half."""
    widest: float = 0.98
    """The most often that intervals may cover: where blocks are few or nearly alike they are wide."""

    def __str__(self) -> str:
        low, high = self.bounds
        return f"{self.world.__name__} {low}..{high}" + (f" up to {self.most}" if self.most < 100_000 else "")


CASES = (
    Case(pairs, (0, 20), (-10, 0, 10, 20, 40)),
    Case(pairs, (0, 60), (-30, 0, 30, 60, 120), widest=0.99),
    Case(pairs, (-10, 10), (0, 10)),
    Case(pairs, (0, 20), (0, 10), most=100),
    Case(fours, (0, 20), (-10, 0, 10, 20, 40), sides=0.13),
    Case(fours, (0, 50), (0, 25, 50, 100), sides=0.15, widest=0.99),
    # Few outcomes, each with a weight: a share of estimates above the truth can not be near one half.
    Case(rare, (0, 20), (0, 5, 10, 20, 40), sides=0.3, widest=1.0),
    Case(rare, (0, 10), (0, 2, 7), most=100, sides=0.4, widest=1.0),
    Case(small, (0, 10), (0, 2, 7), most=30, sides=0.4, widest=1.0),
    Case(small, (0, 10), (0, 10), sides=0.3, widest=1.0),
)


def claims(times: int) -> Iterator[Claim]:
    """Measure risks and estimates of tests in Elo, and the risks in normalised Elo."""
    for case in CASES:
        for elo in case.elos:
            yield from of_estimates(case, elo, times)
    for world, bounds in ((pairs, (0, 40)), (fours, (0, 60)), (rare, (0, 30))):
        yield from of_normalised(world, bounds, times)


def of_estimates(case: Case, elo: float, times: int) -> Iterator[Claim]:
    """Measure the estimates of one kind of test, beside what they would be without correction."""
    score = expected_score(elo)
    tests = [
        ended
        for ended in simulated(case.world, case.bounds, score, times, most=case.most)
        if ended.state.interval is not None
    ]
    cut = f", cut at {case.most}" if case.most < 100_000 else ""
    name = f"{case.world.__name__} {case.bounds[0]:g}..{case.bounds[1]:g}{cut} at {elo:g}"
    low, high = case.bounds
    better = sum(ended.state.decided == "better" for ended in tests)
    if elo <= low:
        yield share(f"{name}: says better", better, len(tests), most=0.05)
    if elo >= high:
        yield share(f"{name}: says better", better, len(tests), least=0.95)
    covered = sum(covers(ended.state, elo) for ended in tests)
    yield share(f"{name}: intervals cover", covered, len(tests), 0.93, case.widest)
    was = sum(ended.naive[0] <= score <= ended.naive[2] for ended in tests)
    yield share(f"{name}:   without correction", was, len(tests))
    above = sum(is_above(ended.state, elo) for ended in tests)
    yield share(f"{name}: estimates above", above, len(tests), 0.5 - case.sides, 0.5 + case.sides)
    was = sum(0.5 + 0.5 * np.sign(ended.naive[1] - score) for ended in tests)
    yield share(f"{name}:   without correction", was, len(tests))
    if elo == 0:
        sure = sum((ended.state.los or 0) > 0.95 for ended in tests)
        yield share(f"{name}: equal, but 95 % likely to be better", sure, len(tests), most=0.05)


def of_normalised(world: World, bounds: tuple[float, float], times: int) -> Iterator[Claim]:
    """Measure the risks of a test in normalised Elo, at a true score that is one of its bounds."""
    seats = SEATS.get(world, 2)
    for nelo, least, most in ((bounds[0], 0.0, 0.05), (bounds[1], 0.95, 1.0)):
        # The deviation depends on the score: a few rounds find the score of this normalised Elo.
        score = 0.5
        for _ in range(4):
            score = score_of_nelo(nelo, deviation(world, score), seats)
        tests = list(simulated(world, bounds, score, times, unit="nElo"))
        better = sum(ended.state.decided == "better" for ended in tests)
        name = f"{world.__name__} {bounds[0]:g}..{bounds[1]:g} nElo at {nelo:g}"
        yield share(f"{name}: says better", better, len(tests), least, most)
        lengths = [ended.state.blocks for ended in tests]
        yield Claim(f"{name}: blocks", float(np.mean(lengths)), noise=float(np.std(lengths) / sqrt(times)))
