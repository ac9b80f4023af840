"""Ratings: one maximum likelihood fit over all results, with errors.

`docs/ratings.md` has the model and its formulas. Everything is a function of the results as a set: rows are
added up as whole numbers in one canonical order before any arithmetic that rounds, and there are no random
numbers, so the same results give the same bytes in any order.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from math import log, sqrt
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from referee.errors import ConfigError, nearest
from referee.wording import plural
from tournaments.rating import student
from tournaments.results import Played

CENTRE: Final = 1500.0
"""The mean of every group, or the rating of the anchor."""
SCALE: Final = 400 / log(10)
"""Elo points for one unit of log odds."""
PRIOR: Final = 0.5
"""The weight of the virtual draw of every bot against a bot rated at the centre."""
LEAST_BLOCKS: Final = 30
"""With fewer blocks the error of an error is too large to print either."""
CONFIDENCE: Final = 0.95
TOO_FEW: Final = "too few"

_MOST_LISTED, _MOST_NAMES = 3, 6
"""Groups that a note lists, and bots of each."""

_MOST_STEPS = 200
_LONGEST_STEP = 2.0
_DECIMALS = 6
"""Of printed numbers; far below any error, far above what rounding may do."""

Array = NDArray[np.float64]
Cell = tuple[str, int, int, int]
"""A deal, two bots by their numbers, and the seats of the match."""


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


class Ratings:
    """The ratings of all bots."""

    def __init__(
        self,
        rows: tuple[RatingRow, ...],
        groups: tuple[tuple[str, ...], ...],
        notes: tuple[str, ...],
        covariance: Array,
        sweeps: dict[tuple[str, str], int],
    ) -> None:
        self.rows = rows
        """Best first, equals by name."""
        self.groups = groups
        """Bots that results connect, largest group first; ratings of different groups cannot be compared."""
        self.notes = notes
        """What a reader of the table must know."""
        self.prior = f"half a virtual draw of every bot against {CENTRE:.0f}"
        self._rows = {row.bot: row for row in rows}
        self._order = {bot: number for number, bot in enumerate(sorted(self._rows))}
        self._covariance = covariance
        self._sweeps = sweeps

    def difference(self, a: str, b: str) -> Difference:
        """Return how much higher `a` is rated than `b`, with an error of its own.

        It is not made from the errors of the two: what both owe to the same blocks falls out.
        """
        one, other = self._rows[a], self._rows[b]
        elo = _rounded(one.elo - other.elo)
        together = any(a in group and b in group for group in self.groups)
        deals = min(one.deals, other.deals)
        if not together or deals < LEAST_BLOCKS or a == b:
            return Difference(elo, None, None)
        i, j = self._order[a], self._order[b]
        square = self._covariance[i, i] + self._covariance[j, j] - 2 * self._covariance[i, j]
        se = _rounded(sqrt(square) * SCALE)
        los = student.cdf(elo / se, deals - 1)
        # Where one won everything the distance is unknown, but not the sign: were the two equal, each deal
        # would have gone that way with probability one half.
        los = max(los, 1 - 0.5 ** self._sweeps.get((a, b), 0))
        los = min(los, 0.5 ** self._sweeps.get((b, a), 0))
        return Difference(elo, se, _rounded(los))


def rate(played: Sequence[Played], bots: Sequence[str], anchor: str | None = None) -> Ratings:
    """Return the ratings of these bots from the comparisons among them; other bots are left out.

    Without an anchor the mean of every group is 1500; with one, it has 1500 and its group follows.
    """
    if anchor is not None and anchor not in bots:
        raise ConfigError(f"the anchor {anchor!r} is no bot of the tournament: {nearest(anchor, bots)}")
    names = sorted(set(bots))
    cells = _cells(played, {name: number for number, name in enumerate(names)})
    games, points = _sums(cells, len(names))
    theta, curvature = _fit(games, points)
    groups = _partition(_closure(games > 0))
    parts = _partition(_mutual(_closure(points > 0)))
    covariance = _covariance(cells, theta, curvature, groups, parts)
    gauge = _gauge(groups, len(names), None if anchor is None else names.index(anchor))
    elo = CENTRE + SCALE * (gauge @ theta)
    errors = SCALE * np.sqrt(np.maximum(np.diag(gauge @ covariance @ gauge.T), 0.0))
    blocks = _blocks(played, set(names))
    deals = Counter(bot for _, dealt in _by_deal(cells) for bot in dealt)
    rows = [
        _row(name, float(elo[number]), float(errors[number]), blocks[name], deals[number])
        for number, name in enumerate(names)
    ]
    named = sorted(
        (tuple(names[n] for n in group) for group in groups), key=lambda group: (-len(group), group)
    )
    return Ratings(
        rows=tuple(sorted(rows, key=lambda row: (-row.elo, row.bot))),
        groups=tuple(named),
        notes=tuple(_notes(named, [[names[n] for n in part] for part in parts])),
        covariance=covariance,
        sweeps=_sweeps(played),
    )


def _sweeps(played: Sequence[Played]) -> dict[tuple[str, str], int]:
    """Return for every pair of which one won all there was to win, better one first, in how many deals."""
    won: dict[tuple[str, str], set[str]] = {}
    spoilt: set[tuple[str, str]] = set()
    for match in played:
        for better, other, points in match.comparisons():
            won.setdefault((better, other), set()).add(match.deal)
            spoilt.add((other, better))
            if points == 1:
                spoilt.add((better, other))
    return {pair: len(deals) for pair, deals in won.items() if pair not in spoilt}


def course(
    steps: Iterable[Sequence[Played]], bots: Sequence[str], anchor: str | None = None
) -> Iterator[dict[str, float]]:
    """Return after each step the ratings from all results so far, without their errors.

    Bots that have not been compared with another yet are left out.
    """
    names = sorted(set(bots))
    numbers = {name: number for number, name in enumerate(names)}
    fixed = None if anchor is None else numbers[anchor]
    games, points = _sums([], len(names))
    for step in steps:
        more_games, more_points = _sums(_cells(step, numbers), len(names))
        games, points = games + more_games, points + more_points
        theta, _ = _fit(games, points)
        elo = CENTRE + SCALE * (_gauge(_partition(_closure(games > 0)), len(names), fixed) @ theta)
        yield {name: _rounded(elo[number]) for name, number in numbers.items() if games[number].any()}


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


def _notes(groups: Sequence[Sequence[str]], parts: Sequence[Sequence[str]]) -> Iterator[str]:
    if len(groups) > 1:
        yield f"no results connect these groups, so their ratings cannot be compared: {_listed(groups)}"
    split = [sorted(sorted(part) for part in parts if set(part) <= set(group)) for group in groups]
    one_sided = [inside for inside in split if len(inside) > 1]
    for inside in one_sided[:_MOST_LISTED]:
        yield (
            "one side won everything between these, so only the prior bounds their distance: "
            f"{_listed(inside)}"
        )
    if (more := len(one_sided) - _MOST_LISTED) > 0:
        yield f"the same holds in {plural(more, 'more group')}"


def _listed(groups: Sequence[Sequence[str]]) -> str:
    """Return groups of bots as text: the first ones, and the number of the others."""
    texts = []
    for group in groups[:_MOST_LISTED]:
        more = len(group) - _MOST_NAMES
        texts.append(", ".join(group[:_MOST_NAMES]) + (f" and {more} more" if more > 0 else ""))
    rest = groups[_MOST_LISTED:]
    if rest:
        texts.append(f"and {plural(len(rest), 'more group')} of {plural(sum(map(len, rest)), 'bot')}")
    return "; ".join(texts)


# Adding up, in whole numbers.


def _blocks(played: Sequence[Played], bots: set[str]) -> Counter[str]:
    """Return in how many blocks every bot was compared with another of these."""
    compared = {
        (match.block, bot)
        for match in played
        for better, other, _ in match.comparisons()
        if better != other and {better, other} <= bots
        for bot in (better, other)
    }
    return Counter(bot for _, bot in compared)


def _cells(played: Sequence[Played], number: dict[str, int]) -> list[tuple[Cell, tuple[int, int]]]:
    """Return in canonical order how often two bots were compared, and the half points of the first."""
    sums: dict[Cell, list[int]] = defaultdict(lambda: [0, 0])
    for match in played:
        for better, other, halves in match.comparisons():
            if better == other or better not in number or other not in number:
                continue
            i, j = number[better], number[other]
            cell = sums[(match.deal, min(i, j), max(i, j), len(match.bots))]
            cell[0] += 1
            cell[1] += halves if i < j else 2 - halves
    return [(cell, (count, halves)) for cell, (count, halves) in sorted(sums.items())]


def _sums(cells: Sequence[tuple[Cell, tuple[int, int]]], size: int) -> tuple[Array, Array]:
    """Return for every two bots the weight of their comparisons, and the points of the first of them.

    A comparison in a match of n seats weighs 1 / (n - 1), so that every match weighs the same for a bot.
    """
    counts: Counter[tuple[int, int, int]] = Counter()
    halves: Counter[tuple[int, int, int]] = Counter()
    for (_, i, j, seats), (count, points) in cells:
        counts[i, j, seats] += count
        halves[i, j, seats] += points
    games, points_of = np.zeros((size, size)), np.zeros((size, size))
    for (i, j, seats), count in sorted(counts.items()):
        games[i, j] += count / (seats - 1)
        games[j, i] = games[i, j]
        points_of[i, j] += halves[i, j, seats] / (2 * (seats - 1))
        points_of[j, i] += (2 * count - halves[i, j, seats]) / (2 * (seats - 1))
    return games, points_of


def _by_deal(
    cells: Sequence[tuple[Cell, tuple[int, int]]],
) -> Iterator[tuple[list[tuple[Cell, tuple[int, int]]], list[int]]]:
    """Return the cells of every deal, and the bots that were dealt it.

    Without common deals a deal is a block. With them, blocks of one deal are not independent: cards that suit
    a bot suit it against all others.
    """
    for _, of_block in groupby(cells, key=lambda cell: cell[0][0]):
        those = list(of_block)
        yield those, sorted({bot for (_, i, j, _), _ in those for bot in (i, j)})


# Fitting.


def _sigmoid(x: Array) -> Array:
    return np.asarray(0.5 * (1 + np.tanh(x / 2)), dtype=np.float64)


def _fit(games: Array, points: Array) -> tuple[Array, Array]:
    """Return the most likely strengths in log odds, and the curvature of the likelihood there.

    The likelihood with its prior is strictly concave, so Newton's way leads to its only maximum.
    """
    theta = np.zeros(len(games))
    scored = points.sum(axis=1)
    curvature = np.eye(len(games))
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
    expected = _sigmoid(theta[:, None] - theta[None, :])
    virtual = _sigmoid(theta)
    slope = scored - (games * expected).sum(axis=1) - PRIOR * (virtual - 0.5)
    information = games * expected * expected.T
    own = information.sum(axis=1) + PRIOR * virtual * (1 - virtual)
    return slope, np.diag(own) - information


# Errors.


def _covariance(
    cells: Sequence[tuple[Cell, tuple[int, int]]],
    theta: Array,
    curvature: Array,
    groups: Sequence[Sequence[int]],
    parts: Sequence[Sequence[int]],
) -> Array:
    """Return the covariance of the strengths, before the gauge.

    It is the sandwich of the blocks' slopes between two inverse curvatures. Beside that every part (bots of
    which each took points from each other, directly or in a chain) has an error as a whole against the
    others: no result bounds it, only the prior. With a single part that is the gauge, and falls out.
    """
    inverse: Array = np.asarray(np.linalg.inv(curvature), dtype=np.float64)
    virtual = _sigmoid(theta)
    # The prior is a virtual win and a virtual loss; each is a block of its own.
    prior = (PRIOR / 2) ** 2 * ((1 - virtual) ** 2 + virtual**2)
    spread = _spread(cells, theta, inverse, groups) + np.diag(prior)
    members = np.zeros((len(theta), len(parts)))
    for number, part in enumerate(parts):
        members[list(part), number] = 1.0
    apart = members @ np.linalg.inv(members.T @ curvature @ members) @ members.T
    whole = inverse @ spread @ inverse + apart
    return np.asarray((whole + whole.T) / 2, dtype=np.float64)


def _spread(
    cells: Sequence[tuple[Cell, tuple[int, int]]],
    theta: Array,
    inverse: Array,
    groups: Sequence[Sequence[int]],
) -> Array:
    """Return the sum over blocks of the outer square of the block's slope.

    Every slope is enlarged by what the block itself pulled the fit towards it, as if it were left out in
    turn (the jackknife): with two bots that is the factor blocks / (blocks - 1).
    """
    spread = np.zeros((len(theta), len(theta)))
    blocks = list(_by_deal(cells))
    count = Counter(bots[0] for _, bots in blocks)
    for size, alike in groupby(
        sorted(blocks, key=lambda block: len(block[1])), key=lambda block: len(block[1])
    ):
        those = list(alike)
        where = np.array([bots for _, bots in those])
        slope, curvature = _slopes([cells for cells, _ in those], where, theta)
        lever = np.eye(size) - curvature @ inverse[where[:, :, None], where[:, None, :]]
        slope = np.linalg.solve(lever, slope[:, :, None])
        np.add.at(spread, (where[:, :, None], where[:, None, :]), slope @ slope.transpose(0, 2, 1))
    for group in groups:
        total = sum(count[bot] for bot in group)
        spread[np.ix_(group, group)] *= (total - 1) / total if total else 1.0
    return spread


def _slopes(
    blocks: Sequence[Sequence[tuple[Cell, tuple[int, int]]]], where: NDArray[np.intp], theta: Array
) -> tuple[Array, Array]:
    """Return slope and curvature of blocks with equally many bots, each among its own bots."""
    place = [{int(bot): n for n, bot in enumerate(row)} for row in where]
    flat = [
        (number, place[number][i], place[number][j], i, j, count / (seats - 1), halves / (2 * (seats - 1)))
        for number, cells in enumerate(blocks)
        for (_, i, j, seats), (count, halves) in cells
    ]
    block, a, b, i, j = (np.array([row[n] for row in flat], dtype=np.intp) for n in range(5))
    weight, points = (np.array([row[n] for row in flat]) for n in (5, 6))
    expected = _sigmoid(theta[i] - theta[j])
    surplus = points - weight * expected
    information = weight * expected * (1 - expected)
    slope, curvature = np.zeros(where.shape), np.zeros((*where.shape, where.shape[1]))
    np.add.at(slope, (block, a), surplus)
    np.add.at(slope, (block, b), -surplus)
    for one, other, sign in ((a, a, 1), (b, b, 1), (a, b, -1), (b, a, -1)):
        np.add.at(curvature, (block, one, other), sign * information)
    return slope, curvature


def _gauge(groups: Sequence[Sequence[int]], size: int, anchor: int | None) -> Array:
    """Return the matrix that moves every group to the centre: its mean, or the anchor."""
    gauge = np.eye(size)
    for group in groups:
        fixed = [anchor] if anchor is not None and anchor in group else list(group)
        gauge[np.ix_(group, fixed)] -= 1 / len(fixed)
    return gauge


# Who is connected with whom.


def _closure(links: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return who can be reached from whom."""
    reach = links | np.eye(len(links), dtype=np.bool_)
    for _ in range(len(links).bit_length()):
        reach = reach @ reach
    return reach


def _mutual(reach: NDArray[np.bool_]) -> NDArray[np.bool_]:
    return reach & reach.T


def _partition(alike: NDArray[np.bool_]) -> list[list[int]]:
    """Return the classes of an equivalence."""
    return [list(group) for group in sorted({tuple(np.flatnonzero(row).tolist()) for row in alike})]
