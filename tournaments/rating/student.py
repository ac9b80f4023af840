"""Student's t distribution, as far as errors of ratings need it.

Not SciPy's: 35 MB for one function. A test compares the two.
"""

from functools import lru_cache
from math import atan, cos, pi, sin, sqrt
from statistics import NormalDist

_MANY = 1_000
"""From so many degrees of freedom on the normal approximation is good to seven digits."""
_FAR = 1e100
"""No value is as far out; its square is still a number."""


def cdf(t: float, freedom: int) -> float:
    """Return the probability of a value below `t`.

    >>> round(cdf(2.0, 10), 6)
    0.963306
    """
    if freedom > _MANY:
        # An error of 0 makes an infinite value, of which the approximation would make no number.
        t = min(max(t, -_FAR), _FAR)
        return NormalDist().cdf(t * (1 - 1 / (4 * freedom)) / sqrt(1 + t * t / (2 * freedom)))
    # With whole degrees of freedom the integral is a finite sum of powers of a cosine.
    angle = atan(t / sqrt(freedom))
    odd = freedom % 2
    square = cos(angle) ** 2
    total, term = 0.0, cos(angle) if odd else 1.0
    for power in range(odd, freedom - 1, 2):
        total += term
        term *= square * (power + 1) / (power + 2)
    within = 2 / pi * (angle + sin(angle) * total) if odd else sin(angle) * total
    return (1 + within) / 2


@lru_cache(maxsize=1_024)
def quantile(probability: float, freedom: int) -> float:
    """Return the value that is not exceeded with this probability.

    >>> round(quantile(0.975, 29), 4)
    2.0452
    """
    low, high = -1e3, 1e3
    for _ in range(80):
        middle = (low + high) / 2
        if cdf(middle, freedom) < probability:
            low = middle
        else:
            high = middle
    return (low + high) / 2
