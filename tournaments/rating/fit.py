"""The maximum likelihood fit: strengths in log odds that make all results together most likely."""

from typing import Final

import numpy as np

from tournaments.rating.columns import Array

PRIOR: Final = 0.5
"""The weight of the virtual draw of every bot against a bot rated at the centre."""

_MOST_STEPS = 200
_LONGEST_STEP = 2.0


def sigmoid(x: Array) -> Array:
    """Return the probability to win with these log odds."""
    return np.asarray(0.5 * (1 + np.tanh(x / 2)), dtype=np.float64)


def fit(games: Array, points: Array) -> tuple[Array, Array]:
    """Return the most likely strengths, and the curvature of the likelihood there.

    The likelihood with its prior is strictly concave, so Newton's way leads to its only maximum.
    """
    theta = np.zeros(len(games))
    scored = points.sum(axis=1)
    for _ in range(_MOST_STEPS):
        slope, curvature = _slope(theta, games, scored)
        step = np.linalg.solve(curvature, slope)
        longest = float(np.max(np.abs(step), initial=0.0))
        theta = theta + step * min(1.0, _LONGEST_STEP / max(longest, 1e-300))
        if longest < 1e-13 * max(1.0, float(np.max(np.abs(theta), initial=0.0))):
            break
    return theta, _slope(theta, games, scored)[1]


def _slope(theta: Array, games: Array, scored: Array) -> tuple[Array, Array]:
    """Return the first derivative of the log likelihood, and minus the second."""
    expected = sigmoid(theta[:, None] - theta[None, :])
    virtual = sigmoid(theta)
    slope = scored - (games * expected).sum(axis=1) - PRIOR * (virtual - 0.5)
    information = games * expected * expected.T
    own = information.sum(axis=1) + PRIOR * virtual * (1 - virtual)
    return slope, np.diag(own) - information
