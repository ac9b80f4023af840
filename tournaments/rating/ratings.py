"""Ratings: one maximum likelihood fit over all results, with errors.

`docs/ratings.md` has the model and its formulas. Everything is a function of the results as a set: rows are
added up as whole numbers in one canonical order before any arithmetic that rounds, and there are no random
numbers, so the same results give the same bytes in any order.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from math import isnan, nan, sqrt
from typing import Final, NamedTuple

import msgspec
import numpy as np

from referee.errors import ConfigError, nearest
from tournaments.rating import student
from tournaments.rating.columns import Array, Columns, Ints, columns
from tournaments.rating.comparisons import compare
from tournaments.rating.elo import CENTRE, SCALE
from tournaments.rating.errors import covariance
from tournaments.rating.fit import fit
from tournaments.rating.likelihood import far_apart, superiority
from tournaments.rating.linking import Linked, gauge, link
from tournaments.rating.rating_notes import notes
from tournaments.results import Played

LEAST_BLOCKS: Final = 30
"""With fewer blocks the error of an error is too large to print either."""
CONFIDENCE: Final = 0.95
TOO_FEW: Final = "too few"

_LITTLE_SEEN = 0.5
"""Of the spread that errors rest on: if less was seen, too few blocks were decided."""

_DECIMALS = 6
"""Of printed numbers; far below any error, far above what rounding may do."""


class RatingRow(msgspec.Struct, frozen=True):
    """The rating of one bot."""

    bot: str
    elo: float
    se: float | None
    """Of the rating within its gauge; None with too few blocks."""
    interval: tuple[float, float] | None
    """Covers the true rating in 95 of 100 tournaments; None with too few blocks."""
    text: str
    """Why there is no interval, or ''."""
    blocks: int
    """In which it was compared with another bot."""
    deals: int
    """Of these blocks; what the interval rests on. With common deals there are fewer than blocks."""


class Difference(msgspec.Struct, frozen=True):
    """How much higher one bot is rated than another."""

    elo: float
    se: float | None
    """None with too few blocks, or if no chain of results connects the two."""
    los: float | None
    """The likelihood that the first is really the stronger."""


class _Fitted(NamedTuple):
    """The fit behind ratings; bots are numbers, in alphabetical order."""

    names: Sequence[str]
    theta: Array
    curvature: Array
    """Of the likelihood: minus its second derivative."""
    covariance: Array
    linked: Linked
    deals: Ints
    """By bot: in how many deals it was compared."""
    swept: Ints
    """In how many deals the first bot met the second, if it took every point of them."""


class Ratings:
    """The ratings of all bots."""

    def __init__(
        self,
        rows: tuple[RatingRow, ...],
        groups: tuple[tuple[str, ...], ...],
        notes: tuple[str, ...],
        fitted: _Fitted,
    ) -> None:
        self.rows = rows
        """Best first, equals by name."""
        self.groups = groups
        """Bots that results connect, largest group first; ratings of different groups cannot be compared."""
        self.notes = notes
        """What a reader of the table must know."""
        self.prior = f"half a virtual draw of every bot against {CENTRE:.0f}"
        self._rows = {row.bot: row for row in rows}
        self._number = {name: number for number, name in enumerate(fitted.names)}
        self._fitted = fitted

    def difference(self, a: str, b: str) -> Difference:
        """Return how much higher `a` is rated than `b`, with an error of its own.

        It is not made from the errors of the two: what both owe to the same blocks falls out.
        """
        elo = _rounded(self._rows[a].elo - self._rows[b].elo)
        i, j = self._number[a], self._number[b]
        los = float(self._likelihoods[i, j])
        if isnan(los):
            return Difference(elo, None, None)
        spread = self._fitted.covariance
        square = spread[i, i] + spread[j, j] - 2 * spread[i, j]
        return Difference(elo, _rounded(sqrt(square) * SCALE), los)

    @property
    def elo(self) -> Array:
        """The ratings in alphabetical order of the bots."""
        return np.array([self._rows[name].elo for name in self._fitted.names])

    @property
    def curvature(self) -> Array:
        """Minus the second derivative of the likelihood, in alphabetical order of the bots."""
        return self._fitted.curvature

    def likelihoods(self) -> Array:
        """Return for every two bots the likelihood that the first is really the stronger.

        Rows and columns are in the order of `rows`. It is nan where `difference` has None.
        """
        order = [self._number[row.bot] for row in self.rows]
        return self._likelihoods[np.ix_(order, order)]

    @cached_property
    def _likelihoods(self) -> Array:
        """The likelihoods in alphabetical order, computed when the first one is asked for."""
        return _likelihoods(self._fitted)


def rate(played: Sequence[Played], bots: Sequence[str], anchor: str | None = None) -> Ratings:
    """Return the ratings of these bots from the comparisons among them; other bots are left out.

    Without an anchor the mean of every group is 1500, as far as points in both directions link its bots; with
    one, it has 1500 and its group follows.
    """
    return rate_columns(columns(played, bots), anchor)


def rate_columns(compared_seats: Columns, anchor: str | None = None) -> Ratings:
    """Return the ratings of the bots of these columns, as `rate` does."""
    names = compared_seats.names
    if anchor is not None and anchor not in names:
        raise ConfigError(f"the anchor {anchor!r} is no bot of the tournament: {nearest(anchor, names)}")
    compared = compare(compared_seats)
    games, points = compared.sums()
    theta, curvature = fit(games, points)
    linked = link(games, points)
    spread, seen = covariance(compared, theta, curvature, linked.groups, linked.parts)
    information = np.diag(curvature)
    fixed = None if anchor is None else names.index(anchor)
    elo = CENTRE + SCALE * (gauge(linked, information, fixed) @ theta)
    # No result bounds the distance of an anchor outside of the core, and so it must not blur all others.
    inside = fixed if any(fixed in core for core in linked.cores) else None
    against = gauge(linked, information, inside)
    errors = SCALE * np.sqrt(np.maximum(np.diag(against @ spread @ against.T), 0.0))
    deals = compared.dealt()
    rows = [
        _row(name, float(elo[n]), float(errors[n]), int(compared.blocks[n]), int(deals[n]))
        for n, name in enumerate(names)
    ]
    return Ratings(
        rows=tuple(sorted(rows, key=lambda row: (-row.elo, row.bot))),
        groups=tuple(linked.named(names)),
        notes=tuple(notes(linked, names, anchor, _split(linked, seen, deals))),
        fitted=_Fitted(
            names, theta, curvature, spread, linked, deals, np.where(points.T > 0, 0, compared.met())
        ),
    )


def _split(linked: Linked, seen: Array, deals: Ints) -> list[int]:
    """Return the bots of whose blocks nearly none was decided, but for those that won all or lost all."""
    linked_bots = sorted(bot for part in linked.parts if len(part) > 1 for bot in part)
    return [bot for bot in linked_bots if seen[bot] < _LITTLE_SEEN and deals[bot] >= LEAST_BLOCKS]


def course(
    steps: Iterable[Sequence[Played]], bots: Sequence[str], anchor: str | None = None
) -> Iterator[dict[str, float]]:
    """Return after each step the ratings from all results so far, without their errors.

    Bots that have not been compared with another yet are left out.
    """
    names = sorted(set(bots))
    fixed = None if anchor is None else names.index(anchor)
    games, points = compare(columns([], names)).sums()
    for step in steps:
        more_games, more_points = compare(columns(step, names)).sums()
        games, points = games + more_games, points + more_points
        theta, curvature = fit(games, points)
        elo = CENTRE + SCALE * (gauge(link(games, points), np.diag(curvature), fixed) @ theta)
        yield {name: _rounded(elo[n]) for n, name in enumerate(names) if games[n].any()}


def _likelihoods(fitted: _Fitted) -> Array:
    """Return for every two bots the likelihood that the first is the stronger; nan where none is known."""
    theta, spread, deals = fitted.theta, fitted.covariance, fitted.deals
    whole = np.full(spread.shape, nan)
    for group in fitted.linked.groups:
        inside = np.ix_(group, group)
        whole[inside] = far_apart(theta[group], spread[inside], deals[group], fitted.swept[inside])
    for part in fitted.linked.parts:
        inside = np.ix_(part, part)
        whole[inside] = superiority(theta[part], spread[inside], deals[part])
    few = deals < LEAST_BLOCKS
    whole[few, :] = whole[:, few] = nan
    np.fill_diagonal(whole, nan)
    return np.round(whole, _DECIMALS)


def _row(name: str, elo: float, se: float, blocks: int, deals: int) -> RatingRow:
    if deals < LEAST_BLOCKS:
        return RatingRow(name, _rounded(elo), None, None, TOO_FEW, blocks, deals)
    reach = student.quantile((1 + CONFIDENCE) / 2, deals - 1) * se
    return RatingRow(
        name, _rounded(elo), _rounded(se), (_rounded(elo - reach), _rounded(elo + reach)), "", blocks, deals
    )


def _rounded(number: float) -> float:
    """Return a number as it is printed: never minus zero, which would be other bytes."""
    return round(float(number), _DECIMALS) + 0.0
