"""Errors of a fit: the sandwich estimator, clustered by deal. `docs/ratings.md` has the formulas."""

from collections.abc import Iterator, Sequence

import numpy as np

from tournaments.rating.columns import Array, Ints
from tournaments.rating.comparisons import Comparisons
from tournaments.rating.fit import PRIOR, sigmoid
from tournaments.rating.unseen import allowed

_AT_ONCE = 500_000
"""Ints in a stack of matrices: what bounds the memory for deals of many bots."""


def covariance(
    compared: Comparisons,
    theta: Array,
    curvature: Array,
    groups: Sequence[Sequence[int]],
    parts: Sequence[Sequence[int]],
) -> tuple[Array, Array]:
    """Return the covariance of the strengths before the gauge, and how much was seen of each bot's spread.

    It is the sandwich of the deals' slopes between two inverse curvatures. Beside that every part (bots of
    which each took points from each other, directly or in a chain) has an error as a whole against the
    others: no result bounds it, only the prior. With a single part that is the gauge, and falls out.
    """
    inverse: Array = np.asarray(np.linalg.inv(curvature), dtype=np.float64)
    virtual = sigmoid(theta)
    # The prior is a virtual win and a virtual loss; each is a block of its own.
    prior = (PRIOR / 2) ** 2 * ((1 - virtual) ** 2 + virtual**2)
    spread, seen = _spread(compared, theta, inverse, groups)
    members = np.zeros((len(theta), len(parts)))
    for number, part in enumerate(parts):
        members[list(part), number] = 1.0
    apart = members @ np.linalg.inv(members.T @ curvature @ members) @ members.T
    whole = inverse @ (spread + np.diag(prior)) @ inverse + apart
    return np.asarray((whole + whole.T) / 2, dtype=np.float64), seen


class _Deals:
    """The deals with the bots in each: an entry for each deal and bot, in canonical order."""

    def __init__(self, compared: Comparisons, theta: Array) -> None:
        size = compared.bots
        one, other = compared.deal * size + compared.one, compared.deal * size + compared.other
        keys = np.unique(np.concatenate([one, other]))
        self.bot = keys % max(size, 1)
        _, self.start, self.count = np.unique(keys // max(size, 1), return_index=True, return_counts=True)
        self._one, self._other = np.searchsorted(keys, one), np.searchsorted(keys, other)
        expected = sigmoid(theta[compared.one] - theta[compared.other])
        surplus = compared.points - compared.weight * expected
        self._information = compared.weight * expected * (1 - expected)
        self.slope = self._by_entry(surplus, -surplus)
        weight = self._by_entry(compared.weight, compared.weight)
        # The spread of a deal in which one side takes everything, between every two bots.
        whole = self._information * (weight[self._one] + weight[self._other]) / 2
        pair = compared.one * size + compared.other
        half = np.bincount(pair, whole, minlength=size * size).reshape(size, size)
        self.largest = half + half.T

    def _by_entry(self, of_one: Array, of_other: Array) -> Array:
        whole = np.zeros(len(self.bot))
        for entry, of in ((self._one, of_one), (self._other, of_other)):
            whole += np.bincount(entry, of, minlength=len(whole))
        return whole

    def stacks(self) -> Iterator[tuple[Ints, Array]]:
        """Return deals of equally many bots together: their entries, and the curvature of each."""
        place = np.arange(len(self.bot)) - np.repeat(self.start, self.count)
        deal_of = np.repeat(np.arange(len(self.start)), self.count)
        cell_deal = deal_of[self._one]
        a, b = place[self._one], place[self._other]
        for size in np.unique(self.count):
            those = np.flatnonzero(self.count == size)
            step = max(1, _AT_ONCE // int(size) ** 2)
            for since in range(0, len(those), step):
                deals = those[since : since + step]
                number = np.full(len(self.start), -1)
                number[deals] = np.arange(len(deals))
                cells = np.flatnonzero(number[cell_deal] >= 0)
                shape = (len(deals), int(size), int(size))
                yield (
                    self.start[deals][:, None] + np.arange(size),
                    self._curvature(
                        number[cell_deal[cells]], a[cells], b[cells], self._information[cells], shape
                    ),
                )

    @staticmethod
    def _curvature(deal: Ints, a: Ints, b: Ints, of: Array, shape: tuple[int, int, int]) -> Array:
        curvature = np.zeros(shape)
        for one, other, sign in ((a, a, 1), (b, b, 1), (a, b, -1), (b, a, -1)):
            at = (deal * shape[1] + one) * shape[1] + other
            curvature += sign * np.bincount(at, of, minlength=curvature.size).reshape(shape)
        return curvature


def _spread(
    compared: Comparisons, theta: Array, inverse: Array, groups: Sequence[Sequence[int]]
) -> tuple[Array, Array]:
    """Return the sum over deals of the outer square of the deal's slope, and the part of it that was seen.

    Every slope is enlarged by what the deal itself pulled the fit towards it, as if it were left out in
    turn (the jackknife): with two bots that is the factor deals / (deals - 1).
    """
    size = len(theta)
    spread, fourths = np.zeros(size * size), np.zeros(size)
    deals = _Deals(compared, theta)
    for entries, curvature in deals.stacks():
        where = deals.bot[entries]
        lever = np.eye(where.shape[1]) - curvature @ inverse[where[:, :, None], where[:, None, :]]
        slope = np.linalg.solve(lever, deals.slope[entries][:, :, None])
        squares = slope @ slope.transpose(0, 2, 1)
        at = where[:, :, None] * size + where[:, None, :]
        spread += np.bincount(at.ravel(), squares.ravel(), minlength=size * size)
        fourths += np.bincount(where.ravel(), slope.ravel() ** 4, minlength=size)
    whole = spread.reshape(size, size)
    first = np.bincount(deals.bot[deals.start], minlength=size)
    for group in groups:
        total = int(first[list(group)].sum())
        whole[np.ix_(group, group)] *= (total - 1) / total if total else 1.0
    return _with_unseen(whole, fourths, deals)


def _with_unseen(spread: Array, fourths: Array, deals: _Deals) -> tuple[Array, Array]:
    """Return the spread with its allowance for outcomes not seen, and the share of it that was seen.

    The allowance of a bot is spread over the bots it met, in proportion to what the blocks between them could
    have decided: like the spread itself, it moves no common mean.
    """
    squares, largest = np.diag(spread), deals.largest.sum(axis=1)
    played = np.bincount(deals.bot, minlength=len(spread))
    taken = np.array(
        [
            allowed(float(squares[bot]), float(fourths[bot]), float(largest[bot] / max(n, 1)), int(n))
            for bot, n in enumerate(played)
        ]
    ).reshape(len(spread))
    more = np.divide(taken - squares, largest, out=np.zeros(len(spread)), where=largest > 0)
    edges = deals.largest * (more[:, None] + more[None, :]) / 2
    seen = np.divide(squares, taken, out=np.ones(len(spread)), where=taken > 0)
    return spread + np.diag(edges.sum(axis=1)) - edges, seen
