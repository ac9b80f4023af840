"""How many blocks a question takes: of a sequential test, of a fixed number, for a precision. Pure.

Everything follows from one figure, the standard deviation of a block's score, which a pilot measures or an
assumption states. `docs/compare-versions.md` has the formulas and how well they predict.
"""

from math import ceil, exp, sqrt
from statistics import NormalDist
from typing import Final, NamedTuple

from tournaments.rating.elo import SCALE
from tournaments.rating.exits import OVERSHOOT, passage

_LARGEST: Final = 700.0
"""The largest exponent that has an exponential."""
_CERTAIN: Final = 0.95
_FINEST: Final = 40
"""Differences that are tried between elo0 and elo1 for the one that takes longest."""
_STILL: Final = 1e-4
"""Drift times distance under which a walk is one without drift, as far as numbers can show it."""
_PARTS: Final = 32
"""Of an integral, and halvings of a search."""


class Hypotheses(NamedTuple):
    """What a sequential test decides between, in scores, and the bounds of its log likelihood ratio."""

    low: float
    high: float
    lower: float
    upper: float
    soonest: tuple[float, float] = (0.0, 0.0)
    """The fewest blocks after which the ratio can be at the lower bound, and at the upper one."""


class Length(NamedTuple):
    """The number of blocks of a sequential test: of steps of a walk until it leaves its bounds."""

    drift: float
    up: float
    """The distance of the upper bound."""
    down: float
    """The distance of the lower bound."""
    chance: float
    """To leave by the upper one."""
    soonest: float
    """No test ends before so many blocks."""

    @property
    def mean(self) -> float:
        """The mean number of blocks."""
        waiting = _waiting(self.soonest, self.drift, self.up, self.down)
        return _mean_exit(self.drift, self.up, self.down, self.chance) + waiting

    @property
    def within(self) -> float:
        """19 of 20 tests end within so many blocks."""
        return max(self.soonest, _late_exit(self.drift, self.up, self.down))


def length_of_test(score: float, sd: float, test: Hypotheses, llr: float = 0.0, played: int = 0) -> Length:
    """Return how many blocks a test takes at this true score, or takes still, after some were played.

    The walk of the ratio is taken for Brownian motion between its bounds, moved out by what a walk in steps
    passes them. It cannot end before the fewest blocks that the ratio needs.
    """
    step = (test.high - test.low) / sd
    drift = (score - (test.low + test.high) / 2) / sd
    up = max(0.0, test.upper - llr) / step + OVERSHOOT
    down = max(0.0, llr - test.lower) / step + OVERSHOOT
    chance = _chance_up(drift, up, down)
    not_better, better = test.soonest
    soonest = max(0.0, chance * better + (1 - chance) * not_better - played)
    return Length(drift, up, down, chance, soonest)


def _chance_up(drift: float, up: float, down: float) -> float:
    """Return the probability that a walk leaves by the upper bound."""
    tilt = 2 * drift
    if abs(tilt) * max(up, down) < _STILL:
        return down / (up + down)
    # Exponents are kept where they can be computed.
    falls = exp(min(_LARGEST, tilt * down))
    rises = exp(max(-_LARGEST, min(_LARGEST, -tilt * up)))
    return (1 - falls) / (rises - falls)


def _mean_exit(drift: float, up: float, down: float, chance: float) -> float:
    """Return the mean number of steps until a walk leaves its bounds (Wald)."""
    if abs(2 * drift) * max(up, down) < _STILL:
        return up * down
    return (chance * up - (1 - chance) * down) / drift


def _left_by(steps: float, drift: float, up: float, down: float) -> float:
    """Return the probability that a walk has left its bounds within so many steps."""
    return passage(drift, steps, up, down) + passage(-drift, steps, down, up)


def _waiting(soonest: float, drift: float, up: float, down: float) -> float:
    """Return the mean number of steps from the exit of a walk to the soonest end, where that is later."""
    width = soonest / _PARTS
    inside = sum(_left_by(width * (part + 0.5), drift, up, down) for part in range(_PARTS)) if width else 0.0
    return width * inside


def _late_exit(drift: float, up: float, down: float) -> float:
    """Return the number of steps within which a walk has left its bounds with 95 % certainty."""
    low, high = 0.0, up * down
    while _left_by(high, drift, up, down) < _CERTAIN:
        low, high = high, 2 * high
    for _ in range(_PARTS):
        middle = (low + high) / 2
        low, high = (middle, high) if _left_by(middle, drift, up, down) < _CERTAIN else (low, middle)
    return high


def worst_score(sd: float, test: Hypotheses) -> float:
    """Return the true score at which a test takes longest."""
    width = test.high - test.low
    tried = [test.low + width * part / _FINEST for part in range(_FINEST + 1)]
    return max(tried, key=lambda score: length_of_test(score, sd, test).mean)


def blocks_for_power(low: float, high: float, sd: float, alpha: float, power: float) -> int:
    """Return the blocks of a test of fixed length that says better at `low` with `alpha`, else with `power`.

    >>> blocks_for_power(0.5, 0.55, 0.25, 0.05, 0.95)
    271
    """
    normal = NormalDist()
    return ceil(((normal.inv_cdf(power) - normal.inv_cdf(alpha)) * sd / (high - low)) ** 2)


def blocks_for_precision(elo: float, sd: float, score: float = 0.5) -> int:
    """Return after how many blocks the 95 % interval of a difference is this many Elo to either side.

    >>> blocks_for_precision(10, 0.25)
    1160
    """
    return ceil((elo_error(sd, score) / elo) ** 2)


def elo_error(sd: float, score: float = 0.5) -> float:
    """Return half the 95 % interval, in Elo, of the difference of two bots after one block."""
    return NormalDist().inv_cdf(0.975) * SCALE / (score * (1 - score)) * sd


def coin_sd(seats: int, draws: float = 0.0, *, only_winners: bool = False) -> float:
    """Return the standard deviation of a block's score if all its matches were lots between equal bots.

    In a match of n seats every rank is then equally likely: the score has the variance (n + 1) / 12 (n - 1),
    less what is drawn. If the game does not order the seats behind the winner, a match has the sum of
    n - 1 halves above the mean with probability 1 / n and half a comparison below it otherwise, and on
    average 2 (n - 1) / n comparisons. Blocks of real games differ less, where the deal decides much.

    >>> round(coin_sd(2) ** 2, 4), round(coin_sd(2, draws=0.5) ** 2, 4)
    (0.125, 0.0625)
    >>> round(coin_sd(4) ** 2, 4), round(coin_sd(4, only_winners=True) ** 2, 4)
    (0.0347, 0.0833)
    """
    if only_winners:
        return sqrt((1 - draws) * seats / (16 * (seats - 1)))
    return sqrt((1 - draws) * (seats + 1) / (12 * (seats - 1) * seats))
