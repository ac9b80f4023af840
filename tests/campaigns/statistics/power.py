"""Forecasts against what comes: lengths of tests, power and precision of fixed numbers, errors of ratings."""

from collections.abc import Iterator
from itertools import islice
from math import sqrt
from statistics import NormalDist, fmean

import numpy as np
from msgspec.structs import replace

from tests.campaigns.statistics.claim import Claim, share
from tests.campaigns.statistics.sprt import SEATS, World, deviation, fours, pairs, rare, simulated
from tests.unit.tournaments.plans import plan as planned
from tests.unit.tournaments.plans import played
from tournaments.config.plan import Plan
from tournaments.pairing.schedule import balance, fixtures
from tournaments.rating import student
from tournaments.rating.basis import MatchTime, of_results
from tournaments.rating.block_scores import expected_score
from tournaments.rating.power import blocks_for_power, blocks_for_precision, length_of_test
from tournaments.rating.precision import forecast
from tournaments.rating.ratings import rate
from tournaments.rating.sprt import Sprt
from tournaments.results import Played

LENGTHS: tuple[tuple[World, tuple[float, float], tuple[float, ...]], ...] = (
    (pairs, (0, 20), (0, 10, 20)),
    (pairs, (0, 60), (0, 30, 60, 120)),
    (fours, (0, 20), (0, 20)),
    (fours, (0, 50), (0, 25, 50)),
    (rare, (0, 20), (0, 20)),
)

PLANS = {
    "five bots, two seats": {"bots": 5, "blocks": 12},
    "a gauntlet of five": {"bots": 5, "blocks": 20, "format": "gauntlet", "hero": "bot00"},
    "five bots, four seats": {"bots": 5, "seats": 4, "blocks": 12},
    "eight bots, four rounds of a Swiss tournament": {
        "bots": 8,
        "blocks": 20,
        "format": "swiss",
        "rounds": 4,
    },
    "an anchor, two seats": {"bots": 4, "blocks": 15, "anchor": "bot01"},
}
"""Tournaments of equal bots."""


def claims(times: int) -> Iterator[Claim]:
    """Measure how well forecasts predict."""
    for world, bounds, elos in LENGTHS:
        for elo in elos:
            yield from of_length(world, bounds, elo, times)
    for world in (pairs, fours):
        yield from of_fixed(world, times)
    for name in PLANS:
        yield from of_ratings(name, times)


def of_length(world: World, bounds: tuple[float, float], elo: float, times: int) -> Iterator[Claim]:
    """Measure how long tests take, by what was predicted from the true deviation."""
    score = expected_score(elo)
    test, sd = Sprt(*bounds, seats=SEATS.get(world, 2)), deviation(world, score)
    length = length_of_test(score, sd, test.hypotheses(sd))
    blocks = [ended.state.blocks for ended in simulated(world, bounds, score, times)]
    name = f"{world.__name__} {bounds[0]:g}..{bounds[1]:g} at {elo:g}"
    mean, noise = float(np.mean(blocks)), float(np.std(blocks)) / sqrt(times)
    # Of bots that nearly always play alike few blocks count, each much: such a walk is no Brownian motion.
    longest, least = (1.6, 0.5) if world is rare else (1.3, 0.88)
    yield Claim(f"{name}: blocks by prediction", mean / length.mean, 0.75, longest, noise / length.mean)
    within = sum(count <= length.within for count in blocks)
    yield share(f"{name}: tests that end within what 19 of 20 do", within, times, least, 1.0)


def of_fixed(world: World, times: int) -> Iterator[Claim]:
    """Measure risk and power of a fixed number of blocks, and its precision."""
    low, high = expected_score(0), expected_score(50)
    sd = deviation(world, low)
    blocks, luck = blocks_for_power(low, high, sd, 0.05, 0.9), np.random.default_rng(3)
    for score, least, most in ((low, 0.0, 0.06), (high, 0.88, 1.0)):
        passed = 0
        for _ in range(times):
            mean = fmean(block.halves / block.of for block in islice(world(luck, score), blocks))
            passed += (mean - low) / (sd / sqrt(blocks)) > NormalDist().inv_cdf(0.95)
        yield share(f"{world.__name__}, {blocks} blocks at {score:.3f}: passed", passed, times, least, most)
    enough = blocks_for_precision(30, sd)
    test = Sprt(0, 5, alpha=1e-9, beta=1e-9)
    for block in islice(world(luck, low), enough):
        test.add(block)
    interval = test.state.interval
    assert interval is not None
    width = ((interval[1] or 0) - (interval[0] or 0)) / 2
    yield Claim(f"{world.__name__}: interval after {enough} blocks, for 30", width, 27, 34, 1)


def of_ratings(name: str, times: int) -> Iterator[Claim]:
    """Measure the errors of ratings, by what was predicted from the blocks of the same tournaments."""
    plan = planned(**PLANS[name])  # type: ignore[arg-type]
    luck = np.random.default_rng(5)
    even = None if plan.format == "swiss" else balance(fixtures(replace(plan, blocks=1)))
    squares, foretold = [], []
    for _ in range(max(20, times // 8)):
        rows = tournament(plan, luck)
        elos = {row.bot: row.elo for row in rate(rows, plan.names, plan.anchor).rows}
        squares.append(fmean((elos[bot] - 1500) ** 2 for bot in plan.names if bot != plan.anchor))
        basis = of_results(rows, "results", MatchTime(1.0))
        assert basis is not None
        expects = forecast(plan, even, basis, None)
        assert expects.rating is not None
        foretold.append(expects.rating / _reach(plan, rows))
    measured, noise = sqrt(fmean(squares)), float(np.std(np.sqrt(squares))) / sqrt(len(squares))
    predicted = fmean(foretold)
    yield Claim(f"{name}: error by prediction", measured / predicted, 0.85, 1.15, noise / predicted)


def _reach(plan: Plan, rows: list[Played]) -> float:
    """Return half of an interval in standard errors."""

    blocks = fmean(len({row.block for row in rows if bot in row.bots}) for bot in plan.names)
    return student.quantile(0.975, max(2, round(blocks) - 1))


def tournament(plan: Plan, luck: np.random.Generator) -> list[Played]:
    """Play a tournament of equal bots: cards and form decide."""
    rows: list[Played] = []
    while missing := fixtures(plan, rows)[len(rows) :]:
        worth = {fixture.deal: luck.standard_normal(plan.seats) for fixture in missing}
        for fixture in missing:
            form = worth[fixture.deal] + luck.standard_normal(plan.seats)
            ranks = tuple((1 + (form[:, None] < form[None, :]).sum(axis=1)).tolist())
            rows.append(played(fixture, ranks))
    return rows
