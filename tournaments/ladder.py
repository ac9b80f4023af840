"""The continuous ladder: who is to meet next, given what has been played. Pure: no clock, no luck.

A match is worth what it teaches. That does not depend on its result, so matches that are running count like
those that are over. First sits down who is known least and has waited longest; the others are those from whom
most is learned together with it: near in rating, and badly known against it.

How well bots are known goes by how often they have met. To go by what their matches have taught would be a
trap: those of a hopeless bot teach next to nothing, so it would be the least known for ever, and always play.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from math import exp, log, pi, sqrt

import numpy as np

from tournaments.pairing.blocks import rotated
from tournaments.rating.ratings import CENTRE, course
from tournaments.rating.standings import Standings, stand
from tournaments.results import Played

UNKNOWN = 350.0
"""The standard deviation, in Elo, of a bot nobody has seen play."""

_ELO = log(10) / 400
"""Log odds of one Elo point."""

_STALE = 0.02
"""Ratings are made anew when this share of the results is not in them."""


class Ladder:
    """Keeps the results of a ladder, chooses tables, and says how it stands.

    Ratings come from all results each time they are made, never from earlier ratings.
    """

    def __init__(self, name: str, game: str, seats: int, *, even: bool = False) -> None:
        """Begin with no results; on an `even` ladder all meet equally often, whatever their ratings."""
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
        """Return how the ladder stands: everybody who ever played."""
        return stand(self.name, self.game, list(self._last), self.played)

    def choose(self, bots: Sequence[str], running: Sequence[tuple[str, ...]]) -> tuple[str, ...] | None:
        """Return which of these bots are to play next, by seat, or None if they are not enough.

        `running` are the tables at which bots play now.
        """
        if len(bots) < self.seats:
            return None
        met = {name: others.copy() for name, others in self._met.items()}
        sat = self._sat.copy()
        last = self._last.copy()
        for number, table in enumerate(running, len(self.played) + 1):
            _count(table, met, sat)
            last.update(dict.fromkeys(table, number))
        now = len(self.played) + len(running) + 1
        if self.even:
            return seated(next_table(dict.fromkeys(bots, 1), self.seats, {}, met), sat)
        waited = {name: now - last.get(name, 0) for name in bots}
        return seated(next_table(waited, self.seats, self._ratings(), met), sat)

    def _ratings(self) -> Mapping[str, float]:
        if len(self.played) - self._rated > _STALE * self._rated:
            self._elo = next(course([self.played], list(self._last)))
            self._rated = len(self.played)
        return self._elo


def next_table(
    waited: Mapping[str, int], seats: int, elo: Mapping[str, float], met: Mapping[str, Mapping[str, int]]
) -> tuple[str, ...]:
    """Return which of the bots that have waited are to meet next.

    `waited` says for how many matches, at least 1: it weighs, so that nobody waits for ever. `met` says how
    often two have met. Bots without a rating are taken for average. Of equals, the first by name is taken.
    """
    names = sorted({*waited, *met})
    number = {name: n for n, name in enumerate(names)}
    covariance = _covariance(met, number, seats)

    def unsure(one: str, other: str) -> float:
        """Return the variance of the difference of two."""
        i, j = number[one], number[other]
        return covariance[i][i] + covariance[j][j] - 2 * covariance[i][j]

    def worth(one: str, other: str) -> float:
        """Return what the next meeting of two would teach about their difference."""
        # An uncertain difference says less about how even the two are.
        variance = unsure(one, other)
        gap = elo.get(one, CENTRE) - elo.get(other, CENTRE)
        return variance * evenness(gap / sqrt(1 + pi * variance * _ELO**2 / 8))

    free = sorted(waited)
    table = [max(free, key=lambda name: waited[name] * sqrt(covariance[number[name]][number[name]]))]
    while len(table) < seats:
        free = [name for name in free if name not in table]
        # Who has just played counts half, or a newcomer would be in every match until it is known like all.
        table.append(
            max(free, key=lambda name: min(waited[name], 2) * sum(worth(name, other) for other in table))
        )
    return tuple(table)


def _covariance(
    met: Mapping[str, Mapping[str, int]], number: Mapping[str, int], seats: int
) -> list[list[float]]:
    """Return how well bots that met so often are known, as if all had been even; each has its number.

    Two that are known well among themselves may be known badly against the others: that is why it takes a
    matrix, and what brings groups together that seldom meet.
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
    """Return how much a result between two teaches: a quarter between equals, less the more they differ.

    >>> evenness(0), round(evenness(400), 3)
    (0.25, 0.083)
    """
    chance = 1 / (1 + exp(-abs(difference) * _ELO))
    return chance * (1 - chance)


def seated(table: Sequence[str], sat: Mapping[tuple[str, int], int]) -> tuple[str, ...]:
    """Return the rotation in which the bots sit where they have sat least."""
    return min(
        (rotated(table, by) for by in range(len(table))),
        key=lambda order: sum(sat.get((name, seat), 0) for seat, name in enumerate(order)),
    )


def _count(table: Sequence[str], met: dict[str, Counter[str]], sat: Counter[tuple[str, int]]) -> None:
    for seat, name in enumerate(table):
        sat[name, seat] += 1
        met.setdefault(name, Counter()).update(other for other in table if other != name)
