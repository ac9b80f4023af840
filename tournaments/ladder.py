"""The continuous ladder: which bots meet next, given what has been played. Pure: no clock, no luck.

A match is worth the information it gives about ratings. That does not depend on its result, so matches that
are running count like those that are over. The bot with the least certain rating that has waited longest is
chosen first; then those that give most information together with it: near in rating, and seldom met.

The certainty of a rating is estimated from how often bots have met, not from the information their matches
gave: matches of a hopeless bot give almost none, so it would stay the least certain and play all the time.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from math import exp, log, pi, sqrt

import numpy as np

from referee.hub.fixture import rotated
from tournaments.rating.ratings import CENTRE, course
from tournaments.rating.standings import Standings, stand
from tournaments.results import Played

UNKNOWN = 350.0
"""The standard deviation, in Elo, of a bot that has not played yet."""

_ELO = log(10) / 400
"""Log odds of one Elo point."""

_STALE = 0.02
"""Ratings are computed again when this share of the results is not in them."""


class Ladder:
    """Keeps the results of a ladder, chooses the bots of the next match, and returns the standings.

    Ratings come from all results each time they are made, never from earlier ratings.
    """

    def __init__(self, name: str, game: str, seats: int, *, even: bool = False) -> None:
        """Begin with no results; on an `even` ladder all meet equally often, independent of their ratings."""
        self.name, self.game, self.seats, self.even = name, game, seats, even
        self.played: list[Played] = []
        self._met: dict[str, Counter[str]] = {}
        self._sat: Counter[tuple[str, int]] = Counter()
        self._last: dict[str, int] = {}
        """By name of the bot: the number of its last match."""
        self._elo: Mapping[str, float] = {}
        self._rated = 0

    def add(self, played: Played) -> None:
        """Count a match, unless it is void."""
        if played.result.void:
            return
        self.played.append(played)
        self._last.update(dict.fromkeys(played.bots, len(self.played)))
        _count(played.bots, self._met, self._sat)

    def standings(self) -> Standings:
        """Return the standings of all bots that ever played."""
        return stand(self.name, self.game, list(self._last), self.played)

    def choose(self, bots: Sequence[str], running: Sequence[tuple[str, ...]]) -> tuple[str, ...] | None:
        """Return which of these bots play next, by seat, or None if they are not enough.

        `running` are the bots of each match that is being played.
        """
        if len(bots) < self.seats:
            return None
        met = {name: others.copy() for name, others in self._met.items()}
        sat = self._sat.copy()
        last = self._last.copy()
        for number, group in enumerate(running, len(self.played) + 1):
            _count(group, met, sat)
            last.update(dict.fromkeys(group, number))
        now = len(self.played) + len(running) + 1
        if self.even:
            return seated(next_group(dict.fromkeys(bots, 1), self.seats, {}, met), sat)
        waited = {name: now - last.get(name, 0) for name in bots}
        return seated(next_group(waited, self.seats, self._ratings(), met), sat)

    def _ratings(self) -> Mapping[str, float]:
        if len(self.played) - self._rated > _STALE * self._rated:
            self._elo = next(course([self.played], list(self._last)))
            self._rated = len(self.played)
        return self._elo


def next_group(
    waited: Mapping[str, int], seats: int, elo: Mapping[str, float], met: Mapping[str, Mapping[str, int]]
) -> tuple[str, ...]:
    """Return which of the bots that have waited meet next.

    `waited` gives the number of matches a bot has waited, at least 1: it has weight, so that no bot waits for
    ever. `met` gives how often two have met. A bot without a rating counts as average. Of equals, the first
    by name is chosen.
    """
    names = sorted({*waited, *met})
    number = {name: n for n, name in enumerate(names)}
    covariance = _covariance(met, number, seats)

    def unsure(one: str, other: str) -> float:
        """Return the variance of the difference of two."""
        i, j = number[one], number[other]
        return covariance[i][i] + covariance[j][j] - 2 * covariance[i][j]

    def worth(one: str, other: str) -> float:
        """Return how much the next meeting of two would teach about their difference."""
        # The less certain the difference is, the less it says about how even the two are.
        variance = unsure(one, other)
        gap = elo.get(one, CENTRE) - elo.get(other, CENTRE)
        return variance * evenness(gap / sqrt(1 + pi * variance * _ELO**2 / 8))

    free = sorted(waited)
    group = [max(free, key=lambda name: waited[name] * sqrt(covariance[number[name]][number[name]]))]
    while len(group) < seats:
        free = [name for name in free if name not in group]
        # A bot that has just played counts half: a newcomer would be in every match until it is as certain.
        group.append(
            max(free, key=lambda name: min(waited[name], 2) * sum(worth(name, other) for other in group))
        )
    return tuple(group)


def _covariance(
    met: Mapping[str, Mapping[str, int]], number: Mapping[str, int], seats: int
) -> list[list[float]]:
    """Return the covariance of the ratings of bots that met so often, as if all had been equally strong.

    `number` gives the row of each bot. The difference of two bots may be certain while that to all others is
    not: this takes a matrix, and it brings sets of bots together that seldom meet.
    """
    # A match of n bots weighs the same for each of them as a match of two.
    weight = evenness(0) * _ELO**2 / (seats - 1)
    links = np.zeros((len(number), len(number)))
    for name, others in met.items():
        links[number[name], [number[other] for other in others]] = [
            weight * count for count in others.values()
        ]
    known = np.diag(UNKNOWN**-2 + links.sum(axis=1)) - links
    covariance: list[list[float]] = np.linalg.inv(known).tolist()
    return covariance


def evenness(difference: float) -> float:
    """Return how much a result of two bots teaches: a quarter between equals, less the more they differ.

    >>> evenness(0), round(evenness(400), 3)
    (0.25, 0.083)
    """
    chance = 1 / (1 + exp(-abs(difference) * _ELO))
    return chance * (1 - chance)


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
