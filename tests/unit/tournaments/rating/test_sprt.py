"""The sequential test against simulations and against scipy's optimiser; which matches it plays."""

import itertools
import random
import sys
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import ndtr

from referee.errors import ConfigError, RefereeError
from referee.match.result import Result
from tests.campaigns.statistics.sprt import (
    CASES,
    Case,
    fours,
    of_estimates,
    of_normalised,
    pairs,
    rare,
    small,
)
from tests.unit.tournaments.rows import result
from tournaments.rating import student
from tournaments.rating.block_scores import BlockScore, block_score, elo_of, expected_score
from tournaments.rating.sprt import Sprt
from tournaments.report import junit

# Simulation.


def share_of_better(
    blocks: Any, elo0: float, elo1: float, elo: float, tests: int
) -> tuple[float, float, float]:
    """Return how many of so many tests say better, their mean length, and what was foretold for it."""
    luck = np.random.default_rng(11)
    better = 0
    lengths, foretold = [], []
    for _ in range(tests):
        test = Sprt(elo0, elo1)
        for block in blocks(luck, expected_score(elo)):
            if (decided := test.add(block)) is not None:
                better += decided == "better"
                break
        lengths.append(test.blocks)
        foretold.append(test.expected_blocks(elo) or 0)
    return better / tests, float(np.mean(lengths)), float(np.mean(foretold))


def check_risks(blocks: Any, elo0: float, elo1: float, tests: int) -> None:
    noise = 3 * np.sqrt(0.05 * 0.95 / tests)
    wrong, short, at_elo0 = share_of_better(blocks, elo0, elo1, elo0, tests)
    right, long, at_elo1 = share_of_better(blocks, elo0, elo1, elo1, tests)
    sys.stdout.write(
        f"\n{blocks.__name__} {elo0:g}..{elo1:g}: better at elo0 {wrong:.3f} after {short:.0f} blocks "
        f"(foretold {at_elo0:.0f}), not better at elo1 {1 - right:.3f} after {long:.0f} "
        f"(foretold {at_elo1:.0f})\n"
    )
    assert wrong <= 0.05 + noise
    assert 1 - right <= 0.05 + noise


@pytest.mark.parametrize(
    ("blocks", "elo0", "elo1"),
    [(pairs, 0, 60), (fours, 0, 50), (rare, 0, 40)],
    ids=lambda v: getattr(v, "__name__", str(v)),
)
def test_the_test_errs_no_more_often_than_it_may(blocks: Any, elo0: float, elo1: float) -> None:
    check_risks(blocks, elo0, elo1, 100)


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize(("elo0", "elo1"), [(0, 20), (-10, 10), (0, 100)])
@pytest.mark.parametrize("blocks", [pairs, fours])
def test_the_risks_are_kept_in_many_tests(blocks: Any, elo0: float, elo1: float) -> None:
    check_risks(blocks, elo0, elo1, 800)


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("elo1", [20, 100])
def test_the_risks_are_kept_by_bots_that_nearly_always_play_alike(elo1: float) -> None:
    check_risks(rare, 0, elo1, 800)


def test_the_length_that_is_foretold_is_about_the_one_that_comes() -> None:
    _, length, foretold = share_of_better(pairs, 0, 30, 0, 60)
    assert foretold == pytest.approx(length, rel=0.35)


# Estimates.


def filled(counts: tuple[int, ...], test: Sprt) -> Sprt:
    """Return a test after so many pairs of every score, in a random order."""
    for halves in np.random.default_rng(1).permutation(np.repeat(np.arange(5), counts)).tolist():
        test.add(BlockScore(halves, 4))
    return test


@pytest.mark.parametrize(
    ("case", "elo"),
    [
        (Case(pairs, (0, 60), (), sides=0.12, widest=1.0), 0),
        (Case(pairs, (0, 60), (), sides=0.12, widest=1.0), 60),
        (Case(fours, (0, 50), (), sides=0.15, widest=1.0), 50),
        (Case(rare, (0, 40), (), sides=0.4, widest=1.0), 10),
        (Case(small, (0, 10), (), most=100, sides=0.4, widest=1.0), 2),
    ],
    ids=["pairs at elo0", "pairs at elo1", "four seats", "nearly alike", "nearly alike, cut"],
)
def test_estimates_are_corrected_for_the_end_of_the_test(case: Case, elo: float) -> None:
    failed = [str(claim) for claim in of_estimates(case, elo, 60) if not claim.holds]
    assert failed == []


def test_a_test_in_normalised_elo_keeps_its_risks() -> None:
    failed = [str(claim) for claim in of_normalised(fours, (0, 90), 60) if not claim.holds]
    assert failed == []


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_estimates_hold_in_many_tests(case: Case) -> None:
    failed = [str(claim) for elo in case.elos for claim in of_estimates(case, elo, 400) if not claim.holds]
    assert failed == []


def test_blocks_that_all_split_leave_a_difference_of_a_few_points_possible() -> None:
    test = Sprt(0, 5, alpha=1e-6, beta=1e-6)
    for _ in range(100):
        test.add(BlockScore(2, 4))
    state = test.state
    assert state.interval is not None
    low, high = state.interval
    assert low is not None
    assert high is not None
    # An exact interval of the share of decided blocks reaches to 3.6 %, which is 12.6 Elo if all were won.
    assert [low, high] == pytest.approx([-12, 12], abs=0.7)
    assert state.elo == pytest.approx(0, abs=0.05)
    assert state.los == pytest.approx(0.5, abs=0.01)


def test_normalised_elo_is_the_lead_in_deviations_of_a_match() -> None:
    for split in (0, 300):
        test = filled((40, 0, split, 0, 60), Sprt(0, 1, alpha=1e-9, beta=1e-9))
        scores = np.repeat(np.arange(5) / 4, (40, 0, split, 0, 60))
        expected = 800 / np.log(10) * (scores.mean() - 0.5) / (scores.std() * np.sqrt(2))
        assert test.state.nelo == pytest.approx(expected, rel=0.05)  # virtual blocks, too


def test_a_ratio_in_normalised_elo_is_that_of_a_t_statistic() -> None:
    counts = (200, 900, 2_000, 950, 250)
    test = filled(counts, Sprt(0, 20, unit="nElo", alpha=1e-9, beta=1e-9))
    scores = np.repeat(np.arange(5) / 4, counts)
    t, high = (scores.mean() - 0.5) / scores.std(), 20 * np.log(10) / 800 * np.sqrt(2)
    expected = len(scores) / 2 * np.log((1 + t**2) / (1 + (t - high) ** 2))
    assert test.state.llr == pytest.approx(expected, rel=0.01)


def test_few_blocks_have_no_estimates() -> None:
    test = Sprt()
    for halves in (4, 2, 3):
        test.add(BlockScore(halves, 4))
    state = test.state
    assert (state.elo, state.interval, state.nelo, state.los, state.left) == (None,) * 5


# The ratio.


def best(counts: dict[float, float], mean: float) -> float:
    """Return the log likelihood of the best distribution with this mean, by a general optimiser."""
    scores, weights = np.array(list(counts)), np.array(list(counts.values()))
    found = minimize(
        lambda p: -(weights * np.log(p)).sum(),
        weights / weights.sum(),
        jac=lambda p: -weights / p,
        method="SLSQP",
        bounds=[(1e-9, 1)] * len(scores),
        constraints=[
            {"type": "eq", "fun": lambda p: p.sum() - 1},
            {"type": "eq", "fun": lambda p: (p * scores).sum() - mean},
        ],
        options={"maxiter": 500, "ftol": 1e-14},
    )
    assert found.success
    return -float(found.fun)


@pytest.mark.parametrize(
    "counts", [(3, 10, 30, 14, 5), (30, 20, 10, 5, 1), (0, 1, 60, 3, 0), (1, 0, 0, 0, 4)]
)
def test_the_ratio_is_that_of_the_best_distributions_with_either_mean(counts: tuple[int, ...]) -> None:
    test = Sprt(0, 40, alpha=1e-9, beta=1e-9)
    for halves, count in enumerate(counts):
        for _ in range(count):
            test.add(BlockScore(halves, 4))
    weights = {0.0: 1e-3, 1.0: 1e-3}
    for halves, count in enumerate(counts):
        if count:
            weights[halves / 4] = weights.get(halves / 4, 0) + count
    expected = best(weights, expected_score(40)) - best(weights, 0.5)
    assert test.state.llr == pytest.approx(expected, abs=1e-4)


def test_many_blocks_come_near_the_normal_approximation() -> None:
    counts = (200, 900, 2_000, 950, 250)
    scores = np.repeat(np.arange(5) / 4, counts)
    test = filled(counts, Sprt(0, 10, alpha=1e-9, beta=1e-9))
    high = expected_score(10)
    expected = len(scores) * (high - 0.5) * (2 * scores.mean() - 0.5 - high) / (2 * scores.var())
    assert test.state.llr == pytest.approx(expected, rel=0.02)
    # So far from its bounds the end of a test corrects nothing.
    assert test.state.elo == pytest.approx(elo_of(float(scores.mean())), abs=0.01)
    reach = student.quantile(0.975, len(scores) - 1) * scores.std(ddof=1) / np.sqrt(len(scores))
    ends = [elo_of(float(scores.mean() + sign * reach)) for sign in (-1, 1)]
    assert test.state.interval == pytest.approx(ends, abs=0.02)
    assert test.state.los == pytest.approx(float(ndtr((scores.mean() - 0.5) / reach * 1.96)), abs=1e-3)


def test_the_order_of_blocks_does_not_matter() -> None:
    blocks = [BlockScore(halves, 4) for halves in [4, 3, 3, 2, 2, 2, 1, 0, 4, 3]]
    ratios = []
    for seed in range(4):
        random.Random(seed).shuffle(blocks)
        test = Sprt(0, 20, alpha=0.001, beta=0.001)
        for block in blocks:
            test.add(block)
        ratios.append(test.state.llr)
    assert ratios == pytest.approx([ratios[0]] * 4, abs=1e-6)


def test_a_block_without_comparisons_says_nothing() -> None:
    test = Sprt()
    test.add(BlockScore(3, 4))
    before = test.state
    test.add(BlockScore(0, 0))
    assert test.state.llr == before.llr
    assert Sprt().state.score is None


def test_wins_alone_decide_and_a_decision_is_never_revised() -> None:
    test = Sprt(0, 100)
    decided = None
    while decided is None:
        decided = test.add(BlockScore(4, 4))
    assert decided == "better"
    blocks = test.blocks
    for _ in range(500):
        assert test.add(BlockScore(0, 4)) == "better"
    assert test.blocks == blocks
    assert (test.state.score, test.state.left) == (1.0, None)
    # How much better it is has no upper bound; that it is much better is certain.
    assert test.state.interval is not None
    low, high = test.state.interval
    assert low is not None
    assert (low > 100, high) == (True, None)


def test_the_bounds_are_those_of_the_risks() -> None:
    state = Sprt(0, 10, alpha=0.01, beta=0.2).state
    assert (state.lower, state.upper) == pytest.approx((np.log(0.2 / 0.99), np.log(0.8 / 0.01)), abs=1e-6)


@pytest.mark.parametrize(
    "asked", [(10, 0), (5, 5), (float("nan"), 1), (0, 1_001), (0, 10, 0), (0, 10, 0.05, 0.5)], ids=str
)
def test_a_test_that_cannot_be_is_refused(asked: Sequence[float]) -> None:
    with pytest.raises(ConfigError, match=r"elo0 must be below|is a probability"):
        Sprt(*asked)


# What is played.


def ended(ranks: Sequence[int], ties: Any = "draw") -> Result:
    return result("x" * len(ranks), ranks, ties=ties)


def test_a_block_is_scored_by_its_comparisons_with_the_old_bot() -> None:
    assert block_score([(0, ended((1, 2))), (1, ended((1, 2)))]) == BlockScore(2, 4)
    assert block_score([(0, ended((1, 1))), (1, ended((2, 1)))]) == BlockScore(3, 4)
    assert block_score([(1, ended((3, 2, 1, 3)))]) == BlockScore(4, 6)
    assert block_score([(1, ended((2, 2, 1, 2), "unordered"))]) == BlockScore(0, 2)
    assert block_score([(0, ended((1, 1), "unordered"))]) == BlockScore(0, 0)


def test_equal_bots_score_half_of_a_block_for_every_deal() -> None:
    # Four equal bots: the deal alone ranks the seats.
    for ranks in itertools.permutations((1, 2, 3, 4)):
        halves, of = block_score((seat, ended(ranks)) for seat in range(4))
        assert 2 * halves == of


# JUnit.


def test_verdicts_with_any_text_are_xml(tmp_path: Path) -> None:
    awkward = "a<b> & \"c\" 'd' \x1b[2J \x00 ü\n]]>"
    cases = [
        junit.TestCase("fine", seconds=0.5),
        junit.TestCase(awkward, "failed", awkward, awkward, 1.0),
        junit.TestCase("broken", "error", "why"),
        junit.TestCase("left out", "skipped", awkward),
    ]
    junit.write(tmp_path / "out.xml", "suite & co", cases)
    suite = ET.parse(tmp_path / "out.xml").getroot()[0]
    assert suite.attrib | {"name": ""} == {
        "name": "",
        "tests": "4",
        "failures": "1",
        "errors": "1",
        "skipped": "1",
        "time": "1.500",
    }
    assert suite.attrib["name"] == "suite & co"
    tags = [Counter(child.tag for child in case) for case in suite]
    assert tags == [{}, {"failure": 1}, {"error": 1}, {"skipped": 1}]
    failure = suite[1][0]
    assert failure.text == awkward.replace("\x1b", r"\x1b").replace("\x00", r"\x00")


def test_a_file_that_cannot_be_written_is_reported(tmp_path: Path) -> None:
    with pytest.raises(RefereeError, match="cannot write"):
        junit.write(tmp_path / "no" / "out.xml", "suite", [])
