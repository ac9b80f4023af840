"""The continuous ladder: which bots meet next, given what has been played. Pure: no clock; a lot by the seed.

The bot that has waited longest for its uncertainty is chosen first; then its opponents, by a lot in which
each counts by what a meeting would teach: more if the two are near in rating and have seldom met.

A lot and not the best opponent, because ratings contain luck. A bot that was lucky would meet strong bots
only, and never again the ones it beat by luck, so chance differences would stay: ratings spread too far, and
their errors too small. Therefore the preference for near opponents is never narrower than a multiple of the
uncertainty, and what is chosen hardly depends on luck. `docs/ratings.md` has the figures.

The certainty of a rating is estimated from how often bots have met, running matches included, and not from
results. A hopeless bot whose results teach almost nothing would otherwise play all the time.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import median
from typing import Final

import numpy as np
from numpy.typing import NDArray

from referee.chance import KeyedChance
from referee.hub.fixture import is_rated, rotated
from tournaments.rating.elo import CENTRE, SCALE
from tournaments.rating.ratings import course
from tournaments.rating.standings import Standings, stand
from tournaments.results import Played

UNKNOWN: Final = 350.0
"""The standard deviation, in Elo, of a bot that has not played yet."""

REACH: Final = 4.0
"""Opponents are preferred within so many errors of the difference. With fewer, luck would choose them."""

URGENCY: Final = 4.0
"""How much faster than that of a typical bot the turn of an uncertain one comes, at most."""

PATIENCE: Final = 2
"""A bot that has waited for so many matches for each bot that is here comes before all others."""

_STALE = 0.02
"""Ratings are computed again when this share of the results is not in them."""

_FINE = 2**30
"""Into how many parts a lot divides what it decides."""

Array = NDArray[np.float64]
Lot = Callable[[Array], int]
"""Returns an index, each with a probability in proportion to its weight."""


class Ladder:
    """Keeps the results of a ladder, chooses the bots of the next match, and returns the standings.

    Ratings come from all results each time they are made, never from earlier ratings.
    """

    def __init__(self, name: str, game: str, seats: int, *, seed: str = "", even: bool = False) -> None:
        """Begin with no results; on an `even` ladder all meet equally often, independent of their ratings.

        Lots follow from the seed. With one that bots cannot know, no bot can foresee its opponent.
        """
        self.name, self.game, self.seats, self.even = name, game, seats, even
        self.played: list[Played] = []
        self._seed = seed
        self._met: dict[str, Counter[str]] = {}
        self._sat: Counter[tuple[str, int]] = Counter()
        self._last: dict[str, int] = {}
        """By name of the bot: the number of its last match."""
        self._ended = 0
        """Matches that are over, void ones included."""
        self._elo: Mapping[str, float] = {}
        self._rated = 0

    def add(self, played: Played) -> None:
        """Count a match; of one that is void or not rated only that its bots had their turn."""
        self._ended += 1
        self._last.update(dict.fromkeys(played.bots, self._ended))
        if played.result.void or not is_rated(played.deal):
            return
        self.played.append(played)
        _count(played.bots, self._met, self._sat)

    def standings(self) -> Standings:
        """Return the standings of all bots that ever played."""
        return stand(self.name, self.game, list(self._met), self.played)

    def rating(self, bot: str) -> float | None:
        """Return the rating of a bot, which may be a few matches old; None if it has none yet."""
        return self._ratings().get(bot)

    def choose(self, bots: Sequence[str], running: Sequence[tuple[str, ...]]) -> tuple[str, ...] | None:
        """Return which of these bots play next, by seat, or None if they are not enough.

        `running` are the bots of each match that is being played.
        """
        if len(bots) < self.seats:
            return None
        met = {name: others.copy() for name, others in self._met.items()}
        sat = self._sat.copy()
        last = self._last.copy()
        for number, group in enumerate(running, self._ended + 1):
            _count(group, met, sat)
            last.update(dict.fromkeys(group, number))
        unsure = Uncertainty(bots, self.seats, met)
        if self.even:
            return seated(even_group(bots, self.seats, unsure), sat)
        now = self._ended + len(running) + 1
        waited = {name: now - last.get(name, 0) for name in bots}
        here = len({*bots, *(name for group in running for name in group)})
        first = next_bot(waited, unsure, PATIENCE * here)
        others = opponents(first, waited, self.seats, self._ratings(), unsure, self._lot(now))
        return seated((first, *others), sat)

    def _ratings(self) -> Mapping[str, float]:
        if len(self.played) - self._rated > _STALE * self._rated:
            self._elo = next(course([self.played], list(self._met)))
            self._rated = len(self.played)
        return self._elo

    def _lot(self, number: int) -> Lot:
        """Return the lot of one match: unpredictable without the seed, and always the same."""
        key = hashlib.sha256(json.dumps(["meeting", self._seed, number]).encode()).digest()
        chance = KeyedChance(key)

        def drawn(weights: Array) -> int:
            sums = np.cumsum(weights)
            at = chance.below("meeting", _FINE) / _FINE * float(sums[-1])
            return int(np.searchsorted(sums[:-1], at, side="right"))

        return drawn


class Uncertainty:
    """How unsure ratings and their differences are, in log odds, as if all bots were equally strong.

    The difference of two bots may be certain while that to all others is not: this takes a matrix, and it
    brings sets of bots together that seldom meet.
    """

    def __init__(self, bots: Iterable[str], seats: int, met: Mapping[str, Mapping[str, int]]) -> None:
        """Take the bots, and how often two have met."""
        names = sorted({*bots, *met})
        self._number = {name: n for n, name in enumerate(names)}
        # A match of n bots weighs the same for each of them as a match of two.
        weight = 0.25 / (seats - 1)
        links = np.zeros((len(names), len(names)))
        for name, others in met.items():
            row = [self._number[other] for other in others]
            links[self._number[name], row] = [weight * count for count in others.values()]
        known = np.diag((SCALE / UNKNOWN) ** 2 + links.sum(axis=1)) - links
        covariance = np.linalg.inv(known)
        own = np.diag(covariance)
        self._variance = own + own[:, None] - 2 * covariance
        # Against most others, so that a newcomer does not make all bots less certain.
        self._error = np.sqrt(_middle(self._variance) / 2)

    def error(self, name: str) -> float:
        """Return the error of the rating of a bot among the others."""
        return float(self._error[self._number[name]])

    def variances(self, name: str, others: Sequence[str]) -> Array:
        """Return the variances of the differences between a bot and others."""
        return np.asarray(self._variance[self._number[name], [self._number[other] for other in others]])


def next_bot(waited: Mapping[str, int], unsure: Uncertainty, patience: int) -> str:
    """Return the bot whose turn it is.

    `waited` gives the number of matches that each bot has waited, at least 1. A bot that was in the last
    match rests if there is another one. Of equals the first by name is chosen.
    """
    typical = median(unsure.error(name) for name in waited)
    free = _rested(waited)
    longest = max(free, key=lambda name: waited[name])
    # Of bots beyond this none comes twice before all others of them have come: so the wait has a bound.
    if waited[longest] > patience:
        return longest
    return max(free, key=lambda name: waited[name] * min(unsure.error(name) / typical, URGENCY))


def opponents(
    first: str,
    waited: Mapping[str, int],
    seats: int,
    elo: Mapping[str, float],
    unsure: Uncertainty,
    lot: Lot,
) -> list[str]:
    """Draw the opponents of a bot, one by one, each by what it would teach to meet the bots chosen so far.

    A bot without a rating counts as average. A bot that was in the last match plays only if there is no
    other: a newcomer would else be in every match. But if there are just as many others as seats, it may be
    drawn, if not more often than others: two groups would else take turns for ever, and never meet.
    """
    group = [first]
    while len(group) < seats:
        others = {name: waited[name] for name in waited if name not in group}
        rested = _rested(others)
        is_forced = len(rested) == seats - len(group)
        free = sorted(others) if is_forced else rested
        total = np.logaddexp.reduce([_log_worth(name, free, elo, unsure) for name in group])
        if is_forced:
            total = np.minimum(total, np.median(total))
        group.append(free[lot(np.exp(total - total.max()))])
    return group[1:]


def even_group(bots: Sequence[str], seats: int, unsure: Uncertainty) -> tuple[str, ...]:
    """Return the bots that have met least: the least certain one, and then those least certain against it."""
    free = sorted(bots)
    group = [max(free, key=unsure.error)]
    while len(group) < seats:
        free = [name for name in free if name not in group]
        total = np.sum([unsure.variances(name, free) for name in group], axis=0)
        group.append(free[int(np.argmax(total))])
    return tuple(group)


def _rested(waited: Mapping[str, int]) -> list[str]:
    """Return the bots that were not in the last match, by name; all, if these are none."""
    return sorted(name for name in waited if waited[name] > 1) or sorted(waited)


def _log_worth(name: str, others: Sequence[str], elo: Mapping[str, float], unsure: Uncertainty) -> Array:
    """Return the logarithm of how much a meeting of a bot with each of these others is worth.

    That is by how much the variance of their difference would fall, and less for opponents that are farther
    away than the error of the difference explains. As a logarithm, because it may be very small.
    """
    variance = unsure.variances(name, others)
    gap = np.array([elo.get(other, CENTRE) - elo.get(name, CENTRE) for other in others]) / SCALE
    # Against a newcomer all differences are unsure. Without a limit it would be the opponent of all.
    counted = np.minimum(variance, URGENCY * _middle(variance))
    taught = counted * evenness(gap)
    return np.asarray(np.log(counted * taught / (1 + taught)) - gap**2 / (2 * REACH**2 * variance))


def _middle(values: Array) -> Array:
    """Return the median along the last axis, of two in the middle the larger one."""
    # A third of the time of `np.median`, and a match is chosen for every one that ends.
    half = values.shape[-1] // 2
    return np.asarray(np.partition(values, half, axis=-1)[..., half])


def evenness(gap: Array) -> Array:
    """Return how much a result of two bots teaches: a quarter between equals, less the more they differ.

    >>> [round(float(one), 3) for one in evenness(np.array([0, 400]) / SCALE)]
    [0.25, 0.083]
    """
    # Beyond a gap of 50 the result is certain; the number stays above 0, because its logarithm is taken.
    return np.asarray(1 / (2 + 2 * np.cosh(np.minimum(np.abs(gap), 50.0))))


def seated(group: Sequence[str], sat: Mapping[tuple[str, int], int]) -> tuple[str, ...]:
    """Return the rotation in which the bots sit where they have sat least."""
    return min(
        (rotated(group, by) for by in range(len(group))),
        key=lambda order: sum(sat.get((name, seat), 0) for seat, name in enumerate(order)),
    )


def _count(group: Sequence[str], met: dict[str, Counter[str]], sat: Counter[tuple[str, int]]) -> None:
    for seat, name in enumerate(group):
        sat[name, seat] += 1
        met.setdefault(name, Counter()).update(other for other in group if other != name)
