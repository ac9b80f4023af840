"""Whether ratings predict the results: residuals by pair, and cycles of bots that beat each other. Pure.

A rating is one number for each bot, so it cannot say that a beats b, b beats c and c beats a. The residual of
a pair is what one scored against the other beyond what the ratings predict. Its error is that of whole deals,
because matches of one deal are not independent, less what the fit itself has taken up of it.

`docs/ratings.md` has the formulas, and how often honest events are called badly fitted.
"""

import hashlib
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import msgspec
import numpy as np

from tournaments.rating import student
from tournaments.rating.columns import Array, Columns, Ints, grouped, total
from tournaments.rating.holm import beyond
from tournaments.rating.ratings import Ratings

LEVEL: Final = 0.01
"""The chance that an event of bots that the model describes is called badly fitted, at most."""
LEAST_DEALS: Final = 10
"""Of a pair; with fewer it is not tested."""
MOST_PAIRS: Final = 20
"""Pairs that are listed, those farthest from their prediction first."""
MOST_CYCLES: Final = 10
_MOST_NOTED: Final = 3

_LEAST_DISPERSION: Final = 0.02
"""Of what comparisons would vary if they were independent: deals that all end alike say nothing of chance."""
_LEAST_FREE: Final = 0.05
"""A pair whose residual the fit takes up almost whole has nothing to test."""
_LEAST_IN_EVENT: Final = 30
"""Deals of the event; with fewer the errors of its pairs are wrong together, and are not added up."""
_DRAWS: Final = (399, 1_999)
"""How often the signs of deals are drawn: at least, and at most."""
_WORK: Final = 20_000_000
_CHUNK: Final = 1_000_000


class PairResidual(msgspec.Struct, frozen=True):
    """What one bot scored against another, and what the ratings predict."""

    name: str
    other: str
    deals: int
    percent: float
    """Of 100 comparisons, how many it won; a draw is half."""
    expected: float
    """The same, as the ratings predict it."""
    error: float
    """The standard error of the difference of the two."""
    p: float
    """The chance of such a difference if the ratings predict the results."""
    named: bool
    """Whether the fit is poor, and `p` is beyond the level among all pairs (Holm's method)."""


class BeatingCycle(msgspec.Struct, frozen=True):
    """Bots of which each beats the next, and the last the first; each of these is beyond chance."""

    bots: tuple[str, ...]
    percents: tuple[float, ...]
    """Of 100 comparisons with the next, how many a bot won."""

    def __str__(self) -> str:
        percents = ", ".join(f"{percent:.0f} %" for percent in self.percents)
        return f"{' beats '.join([*self.bots, self.bots[0]])} ({percents})"


class Misfit(msgspec.Struct, frozen=True):
    """Whether the ratings predict the results."""

    pairs_tested: int
    p: float | None
    """The chance of such residuals if they do; None if no pair could be tested."""
    poor: bool
    """Whether `p` is beyond the level."""
    pairs: tuple[PairResidual, ...]
    """The pairs farthest from their prediction, as measured by their errors."""
    cycles: tuple[BeatingCycle, ...]
    level: float = LEVEL


NO_MISFIT: Final = Misfit(0, None, False, (), ())
"""Nothing was compared."""


def misfit_notes(misfit: Misfit) -> Iterator[str]:
    """Return what a reader of the ratings must know: which results they do not predict."""
    cycles = "; ".join(map(str, misfit.cycles[:_MOST_NOTED]))
    named = [pair for pair in misfit.pairs if pair.named][:_MOST_NOTED]
    pairs = "; ".join(
        f"{pair.name} won {pair.percent:.0f} % against {pair.other}, predicted {pair.expected:.0f} %"
        for pair in named
    )
    if misfit.poor and misfit.p is not None:
        chance = "under 0.0001" if misfit.p < 0.0001 else f"{misfit.p:.2g}"
        yield (
            "Elo is only a summary here and does not predict all results "
            f"(chance {chance} if it did)" + (f": {cycles or pairs}" if cycles or pairs else "")
        )
    elif cycles:
        yield f"no ratings can say this: {cycles}"


class _Pairs(NamedTuple):
    """All pairs that were compared, in columns."""

    one: Ints
    other: Ints
    compared: Array
    """How often."""
    weight: Array
    """Of all these together; a comparison in a match of n seats weighs 1 / (n - 1)."""
    scored: Array
    """Points of `one` in these."""
    expected: Array
    deals: Ints
    surplus: Array
    """What `one` scored beyond the prediction, weighed likewise."""
    information: Array
    """The slope of the prediction, in all comparisons together."""
    independent: Array
    """The variance of the surplus, were the comparisons independent."""


class _Cells(NamedTuple):
    """What a pair did in a deal."""

    pair: Ints
    deal: Ints
    surplus: Array
    lead: Array
    """Points of `one` beyond one half."""


def misfit(columns: Columns, ratings: Ratings) -> Misfit:
    """Test whether the ratings from these comparisons predict them, and find cycles."""
    compared = columns.where(columns.compared)
    if not len(compared.one):
        return NO_MISFIT
    pairs, cells = _added_up(compared, ratings.elo)
    fit = _Fit(ratings.curvature, pairs, cells)
    tested = np.flatnonzero((pairs.deals >= LEAST_DEALS) & fit.testable)
    away = pairs.surplus[tested] / fit.error[tested]
    chances = {
        int(pair): _two_sided(float(t), int(pairs.deals[pair]) - 1)
        for pair, t in zip(tested, away, strict=True)
    }
    p = _overall(chances, fit, tested, away)
    poor = p is not None and p <= LEVEL
    named = beyond(chances, LEVEL) if poor else set()
    # Rounded, because equal pairs stay in their order then: last digits depend on the processor.
    farthest = tested[np.argsort(-np.abs(away).round(9), kind="stable")][:MOST_PAIRS]
    return Misfit(
        pairs_tested=len(tested),
        p=None if p is None else float(f"{p:.3g}"),
        poor=poor,
        pairs=tuple(
            _line(columns.names, pairs, fit, int(pair), chances[int(pair)], int(pair) in named)
            for pair in farthest
        ),
        cycles=_cycles(columns.names, pairs, cells, fit.dispersion),
    )


def _added_up(compared: Columns, elo: Array) -> tuple[_Pairs, _Cells]:
    keys, pair = grouped(compared.pair())
    size, bots = len(keys), len(compared.names)
    weight = 1 / (compared.seats - 1)
    expected = compared.expected(elo)
    slope = expected * (1 - expected)
    cell_keys, cell = grouped(compared.deal * size + pair)
    cells = _Cells(
        pair=cell_keys % size,
        deal=cell_keys // size,
        surplus=total(cell, weight * (compared.points - expected), len(cell_keys)),
        lead=total(cell, compared.points - 0.5, len(cell_keys)),
    )
    pairs = _Pairs(
        one=keys // bots,
        other=keys % bots,
        compared=total(pair, np.ones(len(pair)), size),
        weight=total(pair, weight, size),
        scored=total(pair, compared.points, size),
        expected=total(pair, expected, size),
        deals=np.bincount(cells.pair, minlength=size),
        surplus=total(cells.pair, cells.surplus, size),
        information=total(pair, weight * slope, size),
        independent=total(pair, weight**2 * slope, size),
    )
    return pairs, cells


class _Fit:
    """How the fit takes up surpluses: what is left of them varies less than they did."""

    def __init__(self, curvature: Array, pairs: _Pairs, cells: _Cells) -> None:
        self._pairs, self._cells = pairs, cells
        self._bots = len(curvature)
        self._inverse: Array = np.asarray(np.linalg.inv(curvature), dtype=np.float64)
        self._around = _around_the_mean(pairs, cells, cells.surplus)
        varied = total(cells.pair, self._around**2, len(pairs.deals))
        self.dispersion = max(_LEAST_DISPERSION, float(varied.sum() / max(pairs.independent.sum(), 1e-300)))
        """How much deals vary, as a share of what independent comparisons would."""
        inverse = self._inverse
        own = inverse.diagonal()
        taken = own[pairs.one] + own[pairs.other] - 2 * inverse[pairs.one, pairs.other]
        self.free: Array = 1 - pairs.information * taken
        """The share of a pair's surplus that the fit does not take up."""
        floor = self.dispersion * pairs.independent * np.maximum(self.free, 0.0)
        left = self._variance(varied)
        self.error: Array = np.sqrt(np.maximum(np.maximum(left, floor), 1e-300))
        """Of the surplus of each pair. The floor is for pairs whose few deals happened to end alike."""
        # If only winners are known and all bots play in all matches, the fit takes up everything.
        self.testable = (self.free > _LEAST_FREE) & (left >= _LEAST_FREE * varied)

    def _variance(self, varied: Array) -> Array:
        """Return by pair the sum over deals of the square of what is left of the deal's surplus."""
        pairs, cells = self._pairs, self._cells
        slopes = _Slopes(cells, pairs, self._around, self._bots)
        moved, spread = slopes.through(self._inverse)
        crossed = total(cells.pair, self._around * moved, len(pairs.deals))
        both = self._inverse @ spread @ self._inverse
        own = both.diagonal()
        square = own[pairs.one] + own[pairs.other] - 2 * both[pairs.one, pairs.other]
        return np.asarray(varied - 2 * pairs.information * crossed + pairs.information**2 * square)

    def drawn(self, tested: Ints, times: int) -> Array:
        """Return sums of squares of standardised residuals with a sign for each deal drawn by lot.

        Deals of a well fitted event are as likely to deviate one way as the other. The lots are always the
        same ones.
        """
        pairs, cells = self._pairs, self._cells
        deals, deal = grouped(cells.deal)
        size = len(pairs.deals)
        at_once = max(1, _CHUNK // max(len(cells.pair), size, self._bots))
        parts = []
        for since in range(0, times, at_once):
            count = min(at_once, times - since)
            surplus = _signs(since, count, len(deals))[:, deal] * self._around
            raw = _by_row(cells.pair, surplus, size)
            slope = _by_row(pairs.one, raw, self._bots) - _by_row(pairs.other, raw, self._bots)
            step = slope @ self._inverse
            left = raw - pairs.information * (step[:, pairs.one] - step[:, pairs.other])
            parts.append(((left[:, tested] / self.error[tested]) ** 2).sum(axis=1))
        return np.concatenate(parts)

    @property
    def deals(self) -> int:
        """How many deals the event has."""
        return len(np.unique(self._cells.deal))

    @property
    def work(self) -> int:
        """How much one drawing of lots costs."""
        return len(self._cells.pair) + self._bots**2


class _Slopes:
    """What the deals pull each of their bots by, in columns."""

    def __init__(self, cells: _Cells, pairs: _Pairs, surplus: Array, bots: int) -> None:
        one, other = (cells.deal * bots + side[cells.pair] for side in (pairs.one, pairs.other))
        keys, place = grouped(np.concatenate([one, other]))
        self._one, self._other = place[: len(one)], place[len(one) :]
        self._bot = keys % bots
        self._slope = total(place, np.concatenate([surplus, -surplus]), len(keys))
        _, self._deal = grouped(keys // bots)

    def through(self, inverse: Array) -> tuple[Array, Array]:
        """Return by cell how the pull of its deal moves the fit of the pair, and the spread of all pulls."""
        moved = np.zeros(len(self._bot))
        spread = np.zeros_like(inverse)
        sizes = np.bincount(self._deal)
        starts = np.cumsum(sizes) - sizes
        for size in np.unique(sizes):
            those = starts[sizes == size]
            at_once = max(1, _CHUNK // int(size) ** 2)
            for since in range(0, len(those), at_once):
                entries = those[since : since + at_once, None] + np.arange(size)
                bot, slope = self._bot[entries], self._slope[entries]
                rows, sides = bot[:, :, None], bot[:, None, :]
                moved[entries] = (inverse[rows, sides] @ slope[:, :, None])[:, :, 0]
                outer = (slope[:, :, None] * slope[:, None, :]).ravel()
                spread += total((rows * len(inverse) + sides).ravel(), outer, spread.size).reshape(
                    spread.shape
                )
        return moved[self._one] - moved[self._other], spread


def _signs(since: int, count: int, size: int) -> Array:
    """Return rows of signs from lots that are always the same, each row from its own number."""
    width = size // 8 + 1
    lots = b"".join(hashlib.shake_256(f"{since + row}".encode()).digest(width) for row in range(count))
    bits = np.unpackbits(np.frombuffer(lots, np.uint8).reshape(count, width), axis=1, count=size)
    return np.asarray(2.0 * bits - 1)


def _by_row(places: Ints, values: Array, size: int) -> Array:
    """Return in every row the sums of the values at each place."""
    rows = np.arange(len(values))[:, None] * size + places
    return total(rows.ravel(), values.ravel(), len(values) * size).reshape(len(values), size)


def _around_the_mean(pairs: _Pairs, cells: _Cells, values: Array) -> Array:
    """Return the values of deals less the mean of their pair, as much as they vary around the true one.

    A pair with too few deals to be tested keeps its values: they vary around the prediction.
    """
    sums = total(cells.pair, values, len(pairs.deals))
    enough = pairs.deals >= LEAST_DEALS
    mean = np.where(enough, sums / pairs.deals, 0.0)
    scale = np.where(enough, np.sqrt(pairs.deals / np.maximum(pairs.deals - 1, 1)), 1.0)
    return np.asarray((values - mean[cells.pair]) * scale[cells.pair])


def _two_sided(t: float, freedom: int) -> float:
    return min(1.0, 2 * student.cdf(-abs(t), freedom))


def _overall(chances: dict[int, float], fit: _Fit, tested: Ints, away: Array) -> float | None:
    """Return the chance of all residuals together: the smaller one of two tests, twice.

    The sum of squares finds many pairs that are a little off, the smallest chance finds one that is far off.
    With few deals in the event only the second one is made.
    """
    if not chances:
        return None
    farthest = len(chances) * min(chances.values())
    if fit.deals < _LEAST_IN_EVENT:
        return min(1.0, farthest)
    times = min(max(_WORK // fit.work, _DRAWS[0]), _DRAWS[1])
    drawn = fit.drawn(tested, times)
    of_sum = (1 + int((drawn >= float((away**2).sum()) * (1 - 1e-9)).sum())) / (1 + times)
    return min(1.0, 2 * min(of_sum, farthest))


def _line(
    names: Sequence[str], pairs: _Pairs, fit: _Fit, pair: int, chance: float, named: bool
) -> PairResidual:
    one, other = names[pairs.one[pair]], names[pairs.other[pair]]
    compared = float(pairs.compared[pair])
    scored, expected = 100 * pairs.scored[pair] / compared, 100 * pairs.expected[pair] / compared
    if scored < expected:
        one, other, scored, expected = other, one, 100 - scored, 100 - expected
    return PairResidual(
        name=one,
        other=other,
        deals=int(pairs.deals[pair]),
        percent=round(float(scored), 1),
        expected=round(float(expected), 1),
        error=round(float(100 * fit.error[pair] / pairs.weight[pair]), 1),
        p=float(f"{chance:.3g}"),
        named=named,
    )


# Cycles.


def _cycles(
    names: Sequence[str], pairs: _Pairs, cells: _Cells, dispersion: float
) -> tuple[BeatingCycle, ...]:
    """Return short cycles of bots that beat each other, the clearest first.

    That a bot beats another is judged by their own comparisons and not by the fit: in an event that the
    model describes a cycle needs a wrong judgement.
    """
    lead = total(cells.pair, cells.lead, len(pairs.deals))
    varied = total(cells.pair, _around_the_mean(pairs, cells, cells.lead) ** 2, len(pairs.deals))
    error = np.sqrt(np.maximum(varied, dispersion * pairs.compared / 4))
    chances = {
        int(pair): _two_sided(float(lead[pair] / error[pair]), int(pairs.deals[pair]) - 1)
        for pair in np.flatnonzero(pairs.deals >= LEAST_DEALS)
    }
    beats: dict[int, dict[int, float]] = {}
    for pair in sorted(beyond(chances, LEVEL)):
        one, other = int(pairs.one[pair]), int(pairs.other[pair])
        percent = 100 * float(pairs.scored[pair] / pairs.compared[pair])
        if percent < 50:
            one, other, percent = other, one, 100 - percent
        beats.setdefault(one, {})[other] = percent
    found = {cycle for bot in _in_cycles(beats) for cycle in [_shortest(beats, bot)] if cycle}
    made = [
        BeatingCycle(
            tuple(names[bot] for bot in cycle),
            tuple(round(beats[a][b], 1) for a, b in zip(cycle, (*cycle[1:], cycle[0]), strict=True)),
        )
        for cycle in found
    ]
    made.sort(key=lambda cycle: (len(cycle.bots), -min(cycle.percents), cycle.bots))
    return tuple(made[:MOST_CYCLES])


def _in_cycles(beats: dict[int, dict[int, float]]) -> list[int]:
    """Return bots that may be in a cycle: those left when bots without a win or a loss are taken out."""
    left = set(beats)
    while True:
        beaten = {other for bot in left for other in beats[bot] if other in left}
        keep = {bot for bot in left & beaten if any(other in left for other in beats[bot])}
        if keep == left:
            return sorted(left)
        left = keep


def _shortest(beats: dict[int, dict[int, float]], start: int) -> tuple[int, ...] | None:
    """Return the shortest cycle through a bot, its smallest number first; of equals the clearest wins."""
    before: dict[int, int] = {}
    level = [start]
    while level:
        following: list[int] = []
        for bot in level:
            for other in sorted(beats.get(bot, {}), key=lambda other: (-beats[bot][other], other)):
                if other == start:
                    return _from_smallest(_path(before, start, bot))
                if other not in before:
                    before[other] = bot
                    following.append(other)
        level = following
    return None


def _path(before: dict[int, int], start: int, end: int) -> list[int]:
    path = [end]
    while path[-1] != start:
        path.append(before[path[-1]])
    return path[::-1]


def _from_smallest(cycle: list[int]) -> tuple[int, ...]:
    at = cycle.index(min(cycle))
    return (*cycle[at:], *cycle[:at])
