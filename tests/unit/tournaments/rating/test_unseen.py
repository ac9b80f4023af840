"""The variance of block scores, with outcomes that have not been seen."""

import numpy as np
import pytest
from scipy.stats import beta

from tournaments.rating.unseen import block_variance


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
    assert block_variance([(1.0, 3)]) == 0.25
    assert block_variance([(0.0, 2), (1.0, 2)]) == 0.25
