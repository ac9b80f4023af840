"""The continuous ladder: who is to meet next, given what has been played. Pure: no clock, no luck.

A match is worth what it teaches. The information of a comparison does not depend on its result, only on how
even the two are, so matches that are running count like those that are over. The bot that is known least
sits down first, and the others are those from whom most is learned together with it: near in rating, and
not met too often.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from math import exp, log, pi, sqrt

from referee.result import Result
from tournaments.blocks import rotated
from tournaments.ratings import CENTRE, course
from tournaments.results import Played
from tournaments.standings import Standings, stand

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
        self._bots: dict[str, None] = {}
        self._met: dict[str, Counter[str]] = {}
        self._sat: Counter[tuple[str, int]] = Counter()
        self._elo: Mapping[str, float] = {}
        self._rated = 0

    def add(self, result: Result, play: str) -> None:
        """Keep a result, unless it is void."""
        if result.reason == "void":
            return
        number = len(self.played) + 1
        self.played.append(_played(number, result, play))
        self._bots.update(dict.fromkeys(result.names))
        _count(result.names, self._met, self._sat)

    def standings(self) -> Standings:
        """Return how the ladder stands: everybody who ever played."""
        return stand(self.name, self.game, list(self._bots), self.played)

    def choose(self, bots: Sequence[str], running: Sequence[tuple[str, ...]]) -> tuple[str, ...] | None:
        """Return which of these bots are to play next, by seat, or None if they are not enough.

        `running` are the tables at which bots play now.
        """
        if len(bots) < self.seats:
            return None
        met = {name: others.copy() for name, others in self._met.items()}
        sat = self._sat.copy()
        for table in running:
            _count(table, met, sat)
        elo = {} if self.even else self._ratings()
        return seated(next_table(bots, self.seats, elo, met), sat)

    def _ratings(self) -> Mapping[str, float]:
        if len(self.played) - self._rated > _STALE * self._rated:
            self._elo = next(course([self.played], list(self._bots)))
            self._rated = len(self.played)
        return self._elo


def next_table(
    bots: Sequence[str],
    seats: int,
    elo: Mapping[str, float],
    met: Mapping[str, Mapping[str, int]],
) -> tuple[str, ...]:
    """Return the bots that are to meet next: the least known, and those that teach most together with it.

    `met` says how often two have met. Bots without a rating are taken for average. Of equals, the first by
    name is taken.
    """
    # A match of n bots weighs the same for each of them as a match of two.
    information = _ELO**2 / (seats - 1)

    def rating(name: str) -> float:
        return elo.get(name, CENTRE)

    def learned(one: str, other: str) -> float:
        return met.get(one, {}).get(other, 0) * information * evenness(rating(one) - rating(other))

    variance = {
        name: 1 / (UNKNOWN**-2 + sum(learned(name, other) for other in met.get(name, {}))) for name in bots
    }

    def worth(one: str, other: str) -> float:
        """Return what the next meeting of the two would teach about their difference."""
        unsure = 1 / (1 / (variance[one] + variance[other]) + learned(one, other))
        # An uncertain difference says less about how even the two are.
        shrunk = (rating(one) - rating(other)) / sqrt(1 + pi * unsure * _ELO**2 / 8)
        return evenness(shrunk) * unsure

    waiting = sorted(bots)
    table = [max(waiting, key=lambda name: variance[name])]
    while len(table) < seats:
        waiting = [name for name in waiting if name not in table]
        table.append(max(waiting, key=lambda name: sum(worth(name, other) for other in table)))
    return tuple(table)


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


def _played(number: int, result: Result, play: str) -> Played:
    """Return the row of a match: on a ladder every match has a deal of its own, and is a round of its own."""
    return Played(
        match=result.match,
        game=result.game,
        round=number,
        block=result.match,
        deal=result.match,
        bots=result.names,
        ranks=result.ranks,
        scores=result.scores,
        ties=result.ties,
        reason=result.reason,
        faults=result.faults,
        used_ms=result.used_ms,
        decisions=result.decisions,
        play=play,
        replay=f"{result.match}.jsonl",
    )
