"""The sequential test of `referee sprt`: whether a new bot is better than an old one.

It stops as soon as the results decide. The unit is the block: one deal, in which the new bot has every seat
once and copies of the old one have all others. With two seats that is a mirrored pair. So both sit in the
same seats of the same deals, and equally good bots score one half of every block's comparisons on average,
independent of the worth of deal and seat. `docs/compare-versions.md` has the formulas.
"""

from collections import Counter
from collections.abc import Iterator
from math import log, sqrt
from statistics import NormalDist
from typing import Final, Literal

import msgspec

from referee.errors import ConfigError
from tournaments.rating import student
from tournaments.rating.block_scores import (
    NELO,
    BlockScore,
    Sample,
    elo_of,
    expected_score,
    nelo_of,
    sample_of,
    score_of,
    score_of_nelo,
)
from tournaments.rating.exits import OVERSHOOT, Walk, chance_of_higher, drift_at
from tournaments.rating.power import Hypotheses, length_of_test
from tournaments.rating.ratings import CONFIDENCE

Decision = Literal["better", "not better"]
Unit = Literal["Elo", "nElo"]

_EPSILON: Final = 1e-3
"""The weight of a lost and a won block that were never played: any mean is possible from the beginning."""
_FARTHEST: Final = 1_000
"""The largest difference that can be tested for."""
FEWEST: Final = 10
"""Blocks before a difference, its interval or a length is estimated."""
_NARROWEST: Final = 0.5
"""The least distance of the bounds, in standard deviations of the whole walk, that an estimate assumes."""


class SprtState(msgspec.Struct, frozen=True):
    """The state of a test."""

    blocks: int
    unit: Unit
    """The unit of elo0 and elo1."""
    llr: float
    """The logarithm of how much more likely the results are at elo1 than at elo0."""
    lower: float
    """The test ends as `not better` when the ratio falls to this."""
    upper: float
    """The test ends as `better` when the ratio rises to this."""
    decided: Decision | None
    score: float | None
    """The part of its comparisons the new bot won, as it was played."""
    sd: float | None
    """The standard deviation of the score of one block."""
    elo: float | None
    """The difference, corrected for the end of the test: it is too large as often as too small.

    None under 10 blocks, and where it is infinite.
    """
    interval: tuple[float | None, float | None] | None
    """Covers the true difference in 95 of 100 tests; an end may be infinite. None under 10 blocks."""
    nelo: float | None
    """The difference in normalised Elo, corrected likewise."""
    nelo_interval: tuple[float, float] | None
    los: float | None
    """The likelihood that the new bot is better at all, corrected likewise."""
    left: int | None
    """About how many more blocks it will take, if the bots differ as it looks now."""


class _Estimate(msgspec.Struct, frozen=True):
    """Scores, corrected for the end of the test."""

    low: float
    score: float
    high: float
    los: float


class Sprt:
    """The test of elo1 against elo0, block by block.

    In Elo the likelihood ratio is that of the distribution of block scores that fits the results best among
    those with the mean of elo1, to that of the best among those with the mean of elo0. In normalised Elo it
    is that of the two ratios of mean and standard deviation, the deviation being estimated.
    """

    def __init__(
        self,
        elo0: float = 0,
        elo1: float = 10,
        alpha: float = 0.05,
        beta: float = 0.05,
        *,
        unit: Unit = "Elo",
        seats: int = 2,
    ) -> None:
        """Prepare a test; `seats` is the number of matches in a block, which normalised Elo needs."""
        if not -_FARTHEST <= elo0 < elo1 <= _FARTHEST:
            raise ConfigError(
                f"elo0 must be below elo1, both within {_FARTHEST} of 0, not {elo0:g} and {elo1:g}"
            )
        for name, risk in (("alpha", alpha), ("beta", beta)):
            if not 0 < risk < 0.5:
                raise ConfigError(f"{name} is a probability above 0 and below 0.5, not {risk:g}")
        self.elo0, self.elo1, self.alpha, self.beta = elo0, elo1, alpha, beta
        self.unit: Unit = unit
        self.seats = seats
        self.lower = log(beta / (1 - alpha))
        self.upper = log((1 - beta) / alpha)
        self.counts: Counter[BlockScore] = Counter()
        """How often every block score came."""
        self.blocks = 0
        """How many blocks have been counted."""
        self._means = expected_score(elo0), expected_score(elo1)
        self._multipliers = [0.0, 0.0]
        self._llr = 0.0
        self.decided: Decision | None = None
        """The answer, if there is one."""

    def add(self, block: BlockScore) -> Decision | None:
        """Take the score of the next block and return the decision, if there is one. It is never revised."""
        if self.decided is not None:
            return self.decided
        self.counts[block] += 1
        self.blocks += 1
        self._llr = self._fit(1) - self._fit(0) if self.unit == "Elo" else self._normalised()
        if self._llr >= self.upper:
            self.decided = "better"
        elif self._llr <= self.lower:
            self.decided = "not better"
        return self.decided

    @property
    def sample(self) -> Sample | None:
        """What the blocks say, before any correction; None before there are two."""
        return sample_of(self.counts)

    @property
    def state(self) -> SprtState:
        """The state of the test. The estimates take some milliseconds."""
        score, sample = score_of(self.counts), self.sample
        enough = sample if self.blocks >= FEWEST else None
        found = None if enough is None else self._estimate(enough)
        return SprtState(
            blocks=self.blocks,
            unit=self.unit,
            llr=round(self._llr, 6),
            lower=round(self.lower, 6),
            upper=round(self.upper, 6),
            decided=self.decided,
            score=None if score is None else round(score, 6),
            sd=None if sample is None else round(sample.sd, 6),
            elo=None if found is None else _as_elo(found.score),
            interval=None if found is None else (_as_elo(found.low), _as_elo(found.high)),
            nelo=None if found is None or enough is None else self._as_nelo(found.score, enough),
            nelo_interval=None
            if found is None or enough is None
            else (self._as_nelo(found.low, enough), self._as_nelo(found.high, enough)),
            los=None if found is None else round(found.los, 6),
            left=self._left(sample),
        )

    def hypotheses(self, sd: float) -> Hypotheses:
        """Return what the test decides between, in scores, if blocks have this standard deviation."""
        if self.unit == "nElo":
            low, high = (score_of_nelo(elo, sd, self.seats) for elo in (self.elo0, self.elo1))
            # Of all ratios of mean and deviation 1 gives the largest step.
            step = (high - low) / sd / 2
            return Hypotheses(low, high, self.lower, self.upper, (-self.lower / step, self.upper / step))
        low, high = self._means
        # As long as no block was on the other side of a mean, only virtual ones are.
        soonest = -self.lower / log((1 - low) / (1 - high)), self.upper / log(high / low)
        return Hypotheses(low, high, self.lower, self.upper, soonest)

    def true_score(self, elo: float, sd: float) -> float:
        """Return the score of a difference in the unit of the test."""
        return expected_score(elo) if self.unit == "Elo" else score_of_nelo(elo, sd, self.seats)

    def expected_blocks(self, elo: float) -> int | None:
        """Return about how many blocks a test takes if the bots differ by so much; None: not known yet."""
        sample = self.sample
        if sample is None or self.blocks < FEWEST:
            return None
        score = self.true_score(elo, sample.sd)
        return round(length_of_test(score, sample.sd, self.hypotheses(sample.sd)).mean)

    def _left(self, sample: Sample | None) -> int | None:
        if sample is None or self.blocks < FEWEST or self.decided is not None:
            return None
        test = self.hypotheses(sample.sd)
        return round(length_of_test(sample.score, sample.sd, test, self._llr, self.blocks).mean)

    def _normalised(self) -> float:
        """Return the log likelihood ratio of two ratios of mean and deviation, as of a t statistic."""
        sample = self.sample
        if sample is None:
            return 0.0
        ratio = (sample.score - 0.5) / sample.sd
        low, high = (elo / NELO * sqrt(self.seats) for elo in (self.elo0, self.elo1))
        return sample.blocks / 2 * log((1 + (ratio - low) ** 2) / (1 + (ratio - high) ** 2))

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

    # Estimates.

    def _estimate(self, sample: Sample) -> _Estimate:
        """Return the score with its interval and the likelihood of superiority, given how the test ended.

        The deviation is known from so many blocks only: the level is that of Student's distribution.
        """
        test = self.hypotheses(sample.sd)
        middle = (test.low + test.high) / 2
        walk = self._walk(sample, test, middle)
        sure = NormalDist().cdf(student.quantile((1 + CONFIDENCE) / 2, sample.blocks - 1))
        low, score, high = (middle + sample.sd * drift_at(part, walk) for part in (1 - sure, 0.5, sure))
        return _Estimate(low, score, high, 1 - chance_of_higher((0.5 - middle) / sample.sd, walk))

    def _walk(self, sample: Sample, test: Hypotheses, middle: float) -> Walk:
        """Return the test as a walk with steps of deviation 1, less what the middle predicts.

        The bound by which it left is where it was at the end, so that its overshoot is the real one. The
        other bound is moved out by the usual overshoot.
        """
        step = (test.high - test.low) / sample.sd
        place = sample.blocks * (sample.score - middle) / sample.sd
        lower, upper = test.lower / step - OVERSHOOT, test.upper / step + OVERSHOOT
        # A walk of this length is hardly ever inside narrower bounds: then the deviation was larger before.
        wider = max(1.0, _NARROWEST * sqrt(sample.blocks) / (upper - lower))
        lower, upper = lower * wider, upper * wider
        if self.decided == "better":
            upper = max(place, OVERSHOOT)
        elif self.decided == "not better":
            lower = min(place, -OVERSHOOT)
        side: Literal["lower", "upper"] | None = None
        if self.decided is not None:
            side = "upper" if self.decided == "better" else "lower"
        return Walk(sample.blocks, min(lower, place), max(upper, place), side, place)

    def _as_nelo(self, score: float, sample: Sample) -> float:
        return round(nelo_of(score, sample.sd, self.seats), 2)


def _as_elo(score: float) -> float | None:
    """Return a score as a difference; None where it is infinite."""
    return round(elo_of(score), 2) if 0 < score < 1 else None
