"""The allowance for outcomes not seen yet: what it leaves alone, and whether intervals cover with it."""

import numpy as np
import pytest
from scipy.stats import beta

from tests.campaigns.statistics.near_alike import EXACT, MORE, Alike, covers, exact
from tournaments.rating.ratings import rate
from tournaments.rating.unseen import allowed, block_variance


@pytest.mark.parametrize(
    "world", [world for world in EXACT if world.blocks == 30 or world.kinds[0][0] > 0.05], ids=str
)
def test_intervals_of_nearly_alike_bots_cover_the_truth_93_times_in_100_or_more(world: Alike) -> None:
    assert exact(world) >= 0.93


@pytest.mark.parametrize("title", MORE)
def test_nearly_alike_bots_among_others_have_intervals_that_cover(title: str) -> None:
    luck, times = np.random.default_rng(1), 60
    events = [MORE[title](luck, 0.05, 45) for _ in range(times)]
    hits = sum(covers(rate(played, "abcd"), "a", "b", truth) for played, truth in events)
    # Four standard errors of a share of 95 in 100.
    assert hits / times > 0.95 - 4 * np.sqrt(0.95 * 0.05 / times)


@pytest.mark.parametrize("blocks", [30, 100, 1_000])
def test_blocks_that_vary_as_usual_are_taken_as_they_are(blocks: int) -> None:
    # Matches of a block that are independent decide every second one.
    decided = blocks / 2
    assert allowed(decided, decided, 1.0, blocks) == pytest.approx(decided, rel=0.005)
    assert allowed(blocks, blocks, 1.0, blocks) == blocks


def test_nothing_played_is_allowed_nothing() -> None:
    assert allowed(0.0, 0.0, 0.0, 0) == 0
    assert allowed(0.0, 0.0, 1.0, 0) == 0


def test_virtual_blocks_are_as_large_as_those_that_were_seen() -> None:
    small = allowed(10 * 0.25, 10 * 0.25**2, 1.0, 100)
    assert small == pytest.approx(0.25 * allowed(10, 10, 1.0, 100), rel=0.05)


@pytest.mark.parametrize("blocks", [30, 100, 1_000])
def test_without_a_decided_block_the_interval_is_about_the_exact_one(blocks: int) -> None:
    reach = 1.96 * np.sqrt(block_variance([(0.5, blocks)]) / blocks)
    # All decided blocks might have been won: half of their share is the lead.
    exact = float(beta.ppf(0.975, 1, blocks)) / 2
    assert reach == pytest.approx(exact, rel=0.12)


def test_scores_that_differ_have_the_variance_they_have() -> None:
    scores = np.random.default_rng(1).integers(0, 25, 200) / 24
    values, counts = np.unique(scores, return_counts=True)
    found = block_variance(list(zip(values.tolist(), counts.tolist(), strict=True)))
    assert found == pytest.approx(scores.var(ddof=1), rel=0.02)


def test_rare_outcomes_raise_the_variance_by_less_the_more_of_them_came() -> None:
    few, many = ([(0.0, k), (0.5, 98 * k), (1.0, k)] for k in (1, 50))
    plain = 0.25 * 2 / 100
    assert block_variance(few) > 2 * plain
    assert block_variance(many) == pytest.approx(plain, rel=0.05)


def test_no_variance_is_larger_than_that_of_a_lot() -> None:
    assert block_variance([(1.0, 2)]) < 0.25
    assert block_variance([(0.0, 2), (1.0, 2)]) == 0.25
