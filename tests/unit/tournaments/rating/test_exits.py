"""Exits of a walk from between two bounds, against simulated walks and closed formulas."""

from math import exp, sqrt

import numpy as np
import pytest
from scipy.stats import norm

from tournaments.rating.exits import Walk, chance_of_higher, drift_at, passage

DRIFTS = [-0.4, 0.0, 0.05, 0.3]


def simulated(drift: float, time: float, lower: float, upper: float) -> np.ndarray:
    """Return the ends of Brownian paths in small steps: 1 above, -1 below, 0 between, with their places."""
    luck, small = np.random.default_rng(2), 0.01
    places, sides = np.zeros(4_000), np.zeros(4_000)
    for _ in range(round(time / small)):
        places += np.where(sides == 0, luck.normal(drift * small, sqrt(small), len(places)), 0.0)
        # A path in steps passes a bound by 0.583 of a step more than one without.
        sides += np.where((sides == 0) & (places > upper - 0.0583), 1, 0)
        sides -= np.where((sides == 0) & (places < lower + 0.0583), 1, 0)
    return np.stack([sides, places])


@pytest.mark.parametrize("drift", [0.0, 0.3])
def test_the_series_agrees_with_simulated_paths(drift: float) -> None:
    time, lower, upper = 6.0, -2.0, 3.0
    sides, places = simulated(drift, time, lower, upper)
    noise = 3 * 0.5 / sqrt(len(sides)) + 0.005
    assert passage(drift, time, upper, -lower) == pytest.approx(np.mean(sides > 0), abs=noise)
    assert passage(-drift, time, -lower, upper) == pytest.approx(np.mean(sides < 0), abs=noise)
    cut = Walk(6, lower, upper, None, 0.5)
    higher = np.mean((sides > 0) | ((sides == 0) & (places >= 0.5)))
    assert chance_of_higher(drift, cut) == pytest.approx(higher, abs=noise)


@pytest.mark.parametrize("drift", DRIFTS)
def test_in_the_end_the_chance_is_that_of_ruin(drift: float) -> None:
    up, down = 3.0, 4.0
    ruin = (1 - exp(2 * drift * down)) / (exp(-2 * drift * up) - exp(2 * drift * down)) if drift else 4 / 7
    assert passage(drift, 2_000, up, down) == pytest.approx(ruin, abs=1e-9)


@pytest.mark.parametrize("drift", DRIFTS)
def test_bounds_far_away_leave_the_normal_distribution(drift: float) -> None:
    walk = Walk(100, -90.0, 90.0, None, 12.0)
    assert chance_of_higher(drift, walk) == pytest.approx(norm.sf((12 - 100 * drift) / 10), abs=1e-9)


@pytest.mark.parametrize(
    "walk",
    [
        Walk(40, -20.0, 15.0, "upper", 15.0),
        Walk(40, -12.0, 25.0, "lower", -12.0),
        Walk(200, -40.0, 40.0, None, 7.0),
        Walk(200, -10.0, 10.0, None, -3.0),
        Walk(60, -11.0, 95.0, "upper", 95.0),
        Walk(10_000, -40.0, 40.0, "upper", 40.0),
    ],
    ids=str,
)
def test_a_drift_is_found_by_its_chance_and_the_chance_rises_with_it(walk: Walk) -> None:
    drifts = [drift_at(chance, walk) for chance in (0.025, 0.5, 0.975)]
    assert drifts == sorted(drifts)
    assert [chance_of_higher(drift, walk) for drift in drifts] == pytest.approx([0.025, 0.5, 0.975], abs=1e-6)


def test_a_walk_that_left_early_was_luckier_than_its_mean_says() -> None:
    high, low = Walk(40, -20.0, 15.0, "upper", 15.0), Walk(40, -15.0, 20.0, "lower", -15.0)
    assert 0 < drift_at(0.5, high) < 15 / 40
    assert drift_at(0.5, low) == pytest.approx(-drift_at(0.5, high), abs=1e-9)
