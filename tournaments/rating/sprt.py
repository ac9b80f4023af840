"""The sequential test of `referee sprt`: whether a new bot is better than an old one.

It stops as soon as the results decide. The unit is the block: one deal, in which the new bot has every seat
once and copies of the old one have all others. With two seats that is a mirrored pair. So both sit in the
same seats of the same deals, and equally good bots score one half of every block's comparisons on average,
independent of the worth of deal and seat. `docs/ratings.md` has the formulas.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from math import exp, log, log10, sqrt
from typing import Final, Literal, NamedTuple

import msgspec

from referee.errors import ConfigError
from referee.match.result import Result
from tournaments.rating.elo import SCALE
from tournaments.rating.ratings import LEAST_BLOCKS

Decision = Literal["better", "not better"]

_EPSILON: Final = 1e-3
"""The weight of a lost and a won block that were never played: any mean is possible from the beginning."""
_FARTHEST: Final = 1_000
"""The largest difference that can be tested for."""
_FEWEST: Final = 10
"""Blocks before a length is estimated."""


class BlockScore(NamedTuple):
    """The score of the new bot in one block."""

    halves: int
    """Its half points: two for every old bot it was ranked before, one for a draw."""
    of: int
    """Two for every comparison with an old bot. Seats the game does not order are not compared."""


class SprtState(msgspec.Struct, frozen=True):
    """The state of a test."""

    blocks: int
    llr: float
    """The logarithm of how much more likely the results are at elo1 than at elo0."""
    lower: float
    """The test ends as `not better` when the ratio falls to this."""
    upper: float
    """The test ends as `better` when the ratio rises to this."""
    decided: Decision | None
    score: float | None
    """The part of its comparisons the new bot won."""
    elo: float | None
    """The score on the Elo scale; None if it is unknown or infinite."""
    se: float | None
    """The error of `elo`; None under 30 blocks. It takes no account of the early end of the test."""
    left: int | None
    """About how many more blocks it will take, if the bots differ as it looks now."""


class Sprt:
    """The test of elo1 against elo0, block by block.

    The likelihood ratio is that of the distribution of block scores that fits the results best among those
    with the mean of elo1, to that of the best among those with the mean of elo0.
    """

    def __init__(self, elo0: float = 0, elo1: float = 10, alpha: float = 0.05, beta: float = 0.05) -> None:
        if not -_FARTHEST <= elo0 < elo1 <= _FARTHEST:
            raise ConfigError(
                f"elo0 must be below elo1, both within {_FARTHEST} of 0, not {elo0:g} and {elo1:g}"
            )
        for name, risk in (("alpha", alpha), ("beta", beta)):
            if not 0 < risk < 0.5:
                raise ConfigError(f"{name} is a probability above 0 and below 0.5, not {risk:g}")
        self.elo0, self.elo1, self.alpha, self.beta = elo0, elo1, alpha, beta
        self.lower = log(beta / (1 - alpha))
        self.upper = log((1 - beta) / alpha)
        self.counts: Counter[BlockScore] = Counter()
        """How often every block score came."""
        self._means = expected_score(elo0), expected_score(elo1)
        self._multipliers = [0.0, 0.0]
        self._llr = 0.0
        self._decided: Decision | None = None

    def add(self, block: BlockScore) -> Decision | None:
        """Take the score of the next block and return the decision, if there is one. It is never revised."""
        if self._decided is not None:
            return self._decided
        self.counts[block] += 1
        self._llr = self._fit(1) - self._fit(0)
        if self._llr >= self.upper:
            self._decided = "better"
        elif self._llr <= self.lower:
            self._decided = "not better"
        return self._decided

    @property
    def blocks(self) -> int:
        """How many blocks have been counted."""
        return sum(self.counts.values())

    @property
    def state(self) -> SprtState:
        """The state of the test."""
        score, se = self._score()
        open_ = score is not None and 0 < score < 1
        slope = SCALE / (score * (1 - score)) if score is not None and open_ else 0.0
        return SprtState(
            blocks=self.blocks,
            llr=round(self._llr, 6),
            lower=round(self.lower, 6),
            upper=round(self.upper, 6),
            decided=self._decided,
            score=None if score is None else round(score, 6),
            elo=round(elo_of(score), 2) if score is not None and open_ else None,
            se=round(slope * se, 2) if se is not None and open_ and self.blocks >= LEAST_BLOCKS else None,
            left=self._left(score),
        )

    def expected_blocks(self, elo: float) -> int | None:
        """Return about how many blocks a test takes if the bots differ by so much; None: not known yet."""
        return self._length(expected_score(elo), 0.0)

    def _fit(self, which: int) -> float:
        """Return the log likelihood of the best distribution with this mean, but for a common constant.

        The best distribution gives a score of weight n and surplus g the probability n / (1 + m g), with the
        multiplier m for which its mean surplus is 0: a falling function of m, so Newton finds it.
        """
        mean = self._means[which]
        surplus = [(halves / of_most - mean * of / of_most, n) for halves, of, of_most, n in self._weights()]
        low = -1 / max(g for g, _ in surplus)
        high = -1 / min(g for g, _ in surplus)
        m = self._multipliers[which]
        for _ in range(100):
            value = sum(n * g / (1 + m * g) for g, n in surplus)
            fall = sum(n * (g / (1 + m * g)) ** 2 for g, n in surplus)
            low, high = (m, high) if value > 0 else (low, m)
            better = m + value / fall
            if not low < better < high:
                better = (low + high) / 2
            if abs(better - m) <= 1e-13 * max(1.0, abs(m)):
                break
            m = better
        self._multipliers[which] = m
        return -sum(n * log(1 + m * g) for g, n in surplus)

    def _weights(self) -> Iterator[tuple[int, int, int, float]]:
        """Return half points, of how many, of how many at most, and weight of every block score."""
        most = max(block.of for block in self.counts) or 1
        yield 0, most, most, _EPSILON
        yield most, most, most, _EPSILON
        for (halves, of), count in sorted(self.counts.items()):
            yield halves, of, most, count

    def _score(self) -> tuple[float | None, float | None]:
        """Return the score with its error, as far as they are known."""
        halves = sum(block.halves * count for block, count in self.counts.items())
        of = sum(block.of * count for block, count in self.counts.items())
        if not of:
            return None, None
        score, blocks = halves / of, self.blocks
        if blocks < 2:
            return score, None
        square = sum(count * (block.halves - score * block.of) ** 2 for block, count in self.counts.items())
        return score, sqrt(square * blocks / (blocks - 1)) / of

    def _left(self, score: float | None) -> int | None:
        return None if score is None or self._decided is not None else self._length(score, self._llr)

    def _length(self, score: float, llr: float) -> int | None:
        """Return Wald's estimate of the blocks until a bound is met, from this ratio, at this true score."""
        _, se = self._score()
        if se is None or not se or self.blocks < _FEWEST:
            return None
        low, high = self._means
        variance = se * se * self.blocks
        drift = (high - low) * (2 * score - low - high) / (2 * variance)
        noise = (high - low) ** 2 / variance
        up, down = self.upper - llr, llr - self.lower
        tilt = 2 * drift / noise
        if abs(tilt) * max(up, down) < 1e-6:
            return round(up * down / noise)
        # The chance to meet the upper bound first; the exponent is kept where it can be computed.
        falls, rises = exp(min(700.0, tilt * down)), exp(max(-700.0, min(700.0, -tilt * up)))
        chance = (1 - falls) / (rises - falls)
        return round((chance * up - (1 - chance) * down) / drift)


def expected_score(elo: float) -> float:
    """Return the score that this difference leads to.

    >>> expected_score(0), round(expected_score(200), 3)
    (0.5, 0.76)
    """
    return 1 / (1 + 10 ** (-elo / 400))


def elo_of(score: float) -> float:
    """Return the difference that leads to this score, which is above 0 and below 1.

    >>> round(elo_of(0.76))
    200
    """
    return 400 * log10(score / (1 - score))


def block_score(results: Iterable[tuple[int, Result]]) -> BlockScore:
    """Return the score of the new bot in a block, given the matches with the seat it had in each."""
    halves = of = 0
    for seat, result in results:
        own = result.seats[seat].rank
        for other, rank in enumerate(result.ranks):
            if other == seat or (rank == own and result.ties == "unordered"):
                continue
            of += 2
            halves += 2 if own < rank else int(own == rank)
    return BlockScore(halves, of)
