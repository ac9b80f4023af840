"""Where a sequential test ends: the exit of a random walk from between two bounds. Pure.

The sum of block scores, less what the middle of the two hypotheses predicts, is a walk: one step for each
block, of standard deviation 1 in the unit used here. The test ends where the walk leaves the bounds. So a
walk that ended high did so partly by luck, and its mean step is too large an estimate. The distribution of
the exit is that of Brownian motion with drift, a series of mirror images; drifts are estimated from it.

Ends are ordered as Siegmund does: the earlier a walk left by the upper bound, the higher; then walks that
were cut off between the bounds, by their place; then those that left by the lower bound, the later ones
higher.
"""

from math import ceil, erfc, exp, log, pi, sqrt
from typing import Final, Literal, NamedTuple

OVERSHOOT: Final = 0.583
"""By how many standard deviations of a step a walk passes a bound, on average (Siegmund)."""

_STEPS: Final = 40
"""Halvings: enough for a drift to be exact to the last printed digit."""
_REACH: Final = 8.0
"""Standard deviations beyond which a mirror image contributes nothing."""
_LARGEST: Final = 700.0
"""The largest exponent that has an exponential."""


class Walk(NamedTuple):
    """A walk from 0, as it ended."""

    steps: int
    lower: float
    """Below 0."""
    upper: float
    """Above 0."""
    side: Literal["lower", "upper"] | None
    """The bound by which it left; None if it was cut off between them."""
    place: float
    """Where it was at the end."""


def chance_of_higher(drift: float, walk: Walk) -> float:
    """Return the probability that a walk with this drift ends as high as this one did, or higher.

    It rises with the drift, from 0 to 1.
    """
    if walk.side == "lower":
        return 1 - passage(-drift, walk.steps, -walk.lower, walk.upper)
    by_upper = passage(drift, walk.steps, walk.upper, -walk.lower)
    if walk.side == "upper":
        return by_upper
    return min(1.0, by_upper + _between(drift, walk))


def drift_at(chance: float, walk: Walk) -> float:
    """Return the drift with which a walk ends as high as this one with this probability.

    At 1/2 that is the median-unbiased estimate: it is too high as often as too low.
    """
    middle, width = walk.place / walk.steps, 1 / sqrt(walk.steps)
    low, high = middle - width, middle + width
    while chance_of_higher(low, walk) > chance and width < _LARGEST:
        width *= 2
        low -= width
    while chance_of_higher(high, walk) < chance and width < _LARGEST:
        width *= 2
        high += width
    for _ in range(_STEPS):
        drift = (low + high) / 2
        low, high = (drift, high) if chance_of_higher(drift, walk) < chance else (low, drift)
    return (low + high) / 2


def passage(drift: float, steps: float, near: float, far: float) -> float:
    """Return the probability to be past the bound at distance `near` within so many steps.

    `drift` is towards that bound; the other one is at distance `far` on the other side, and must not be
    passed before.
    """
    root, total = sqrt(steps), 0.0
    for image in _images(root, near + far):
        away = near + 2 * image * (near + far)
        sign, away = (1, away) if away > 0 else (-1, -away)
        total += sign * _power(drift * (near - away) + _log_below((drift * steps - away) / root))
        total += sign * _power(drift * (near + away) + _log_below((-drift * steps - away) / root))
    return min(1.0, max(0.0, total))


def _between(drift: float, walk: Walk) -> float:
    """Return the probability to be between the bounds all the time, and at the end no lower than the walk."""
    root, total = sqrt(walk.steps), 0.0
    for image in _images(root, walk.upper - walk.lower):
        shift = 2 * image * (walk.upper - walk.lower)
        for sign, source in ((1, shift), (-1, 2 * walk.upper - shift)):
            middle = source + drift * walk.steps
            part = _part((walk.place - middle) / root, (walk.upper - middle) / root)
            total += sign * _power(drift * source) * part
    return min(1.0, max(0.0, total))


def _images(root: float, width: float) -> range:
    reach = ceil(_REACH * root / (2 * width)) + 2
    return range(-reach, reach + 1)


def _power(exponent: float) -> float:
    return exp(min(_LARGEST, max(-_LARGEST, exponent)))


def _log_below(z: float) -> float:
    """Return the logarithm of the normal distribution, also where that is too small for a number."""
    if z > -30:
        return log(erfc(-z / sqrt(2)) / 2)
    return -z * z / 2 - log(-z * sqrt(2 * pi))


def _part(low: float, high: float) -> float:
    """Return the normal probability between two values, with all its digits also far from 0."""
    if low > 0:
        low, high = -high, -low
    return (erfc(-high / sqrt(2)) - erfc(-low / sqrt(2))) / 2
