"""A mean with its error, where values of one deal are not independent."""

from math import sqrt
from typing import Final, NamedTuple

import msgspec
import numpy as np

from tournaments.rating import student
from tournaments.rating.columns import Array, Ints, grouped, total
from tournaments.rating.ratings import LEAST_BLOCKS
from tournaments.rating.unseen import allowed

LEAST_DEALS: Final = LEAST_BLOCKS
"""With fewer deals the error of an error is too large to print either."""


class Estimate(msgspec.Struct, frozen=True):
    """A measured value with its error."""

    value: float
    deals: int
    error: float | None
    """The standard error; None with too few deals."""
    interval: tuple[float, float] | None
    """Covers the true value in 95 of 100 events; None with too few deals."""

    @property
    def is_nothing(self) -> bool:
        """Whether the true value may well be 0."""
        return self.interval is None or self.interval[0] <= 0 <= self.interval[1]


class Sums(NamedTuple):
    """Numerator and denominator of a ratio, by deal."""

    above: Array
    below: Array


def by_deal(deal: Ints, above: Array, below: Array) -> Sums:
    """Add up both parts of a ratio in every deal."""
    keys, place = grouped(deal)
    return Sums(total(place, above, len(keys)), total(place, below, len(keys)))


def percentage(sums: Sums, digits: int = 2) -> Estimate | None:
    """Return how many of 100 are counted; what has not been seen yet is not impossible."""
    found = ratio(sums, 100, digits, between=(0.0, 1.0))
    if found is None or found.interval is None:
        return found
    low, high = found.interval
    return msgspec.structs.replace(found, interval=(max(low, 0.0), min(high, 100.0)))


def ratio(
    sums: Sums, scale: float = 1.0, digits: int = 2, *, between: tuple[float, float] | None = None
) -> Estimate | None:
    """Return the ratio of two sums over deals, with the error that the deals themselves show.

    `between` are the least and the largest ratio of a deal, if there are such: deals that end like that may
    not have been seen yet.
    """
    below = float(sums.below.sum())
    if below <= 0:
        return None
    value = float(sums.above.sum()) / below
    deals = len(sums.below)
    left = sums.above - value * sums.below
    squares = float(left @ left)
    if between is not None:
        whole = below / deals * max(value - between[0], between[1] - value)
        squares = allowed(squares, float((left**4).sum()), whole**2, deals)
    spread = sqrt(squares * deals / max(deals - 1, 1)) / below
    return estimate(scale * value, scale * spread, deals, digits)


def estimate(value: float, error: float, deals: int, digits: int = 2) -> Estimate:
    """Return a value with its error, unless there are too few deals for one."""
    if deals < LEAST_DEALS:
        return Estimate(_rounded(value, digits), deals, None, None)
    reach = student.quantile(0.975, deals - 1) * error
    interval = _rounded(value - reach, digits), _rounded(value + reach, digits)
    return Estimate(_rounded(value, digits), deals, _rounded(error, digits), interval)


def _rounded(value: float, digits: int) -> float:
    return round(float(value), digits) + 0.0


def ones(column: Ints) -> Array:
    """Return a one for every row of a column."""
    return np.ones(len(column))
