"""The tally of results: wins, points, faults and time of every bot. Pure."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from fractions import Fraction
from statistics import median_low

import msgspec

from referee.match.result import Result, SeatResult
from tournaments.results import Played


class SeatCount(msgspec.Struct, frozen=True):
    """What adds up for one bot and repeats whenever the same matches are played."""

    name: str
    matches: int
    wins: int
    """Matches in which it alone was first."""
    draws: int
    """Matches in which it shared the first place."""
    losses: int
    points: float
    """Of each match the first place is worth 1, shared among the bots that have it."""
    percent: float
    """Points of 100 matches."""
    score: int
    """What the game's own scores add up to."""
    faults: dict[str, int]
    """Matches lost by a fault, by its code."""


class Standing(SeatCount, frozen=True):
    """What adds up for one bot, measured time included."""

    charged_ms: int
    """Time charged to its clocks. Times are measured, and so no part of what must repeat."""
    took_us: int
    """The time its answers really took, all together."""
    median_us: int
    """Of the medians of its matches, the one in the middle."""
    slowest_us: int
    """What its slowest answer took."""


class _Sum:
    """What is added up for one bot."""

    def __init__(self) -> None:
        self.wins = self.draws = self.losses = self.score = 0
        self.charged_ms = self.took_us = self.slowest_us = 0
        self.medians_us: list[int] = []
        # Thirds must add up to a whole in every order.
        self.shared = Fraction(0)
        """Parts of first places; whole ones are wins."""
        self.faults: Counter[str] = Counter()

    @property
    def points(self) -> Fraction | int:
        """First places; one that several bots share is divided among them."""
        return self.wins + self.shared if self.shared else self.wins

    def standing(self, name: str) -> Standing:
        matches = self.wins + self.draws + self.losses
        return Standing(
            name=name,
            matches=matches,
            wins=self.wins,
            draws=self.draws,
            losses=self.losses,
            points=round(float(self.points), 3),
            percent=round(float(100 * self.points / matches), 1) if matches else 0.0,
            score=self.score,
            faults=dict(sorted(self.faults.items())),
            charged_ms=self.charged_ms,
            took_us=self.took_us,
            median_us=median_low(self.medians_us) if self.medians_us else 0,
            slowest_us=self.slowest_us,
        )


class Tally:
    """Adds up results as they come."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        """Begin with these bots, which have a standing even if they never play."""
        self._sums: defaultdict[str, _Sum] = defaultdict(_Sum, {name: _Sum() for name in names})
        self.counted = 0
        """Matches that were counted."""
        self.void: list[str] = []
        """Matches without a verdict, which were not."""

    def add(self, result: Result) -> None:
        """Count a match, or list it if it is void."""
        if result.void:
            self.void.append(result.match)
            return
        self._count(result.names, result.seats)

    def count(self, played: Played) -> None:
        """Count a match that a store has kept."""
        self._count(played.bots, played.result.seats)

    def _count(self, names: Sequence[str], seats: Sequence[SeatResult]) -> None:
        self.counted += 1
        winners = [seat.rank for seat in seats].count(1)
        for name, seat in zip(names, seats, strict=True):
            bot = self._sums[name]
            if seat.rank != 1:
                bot.losses += 1
            elif winners == 1:
                bot.wins += 1
            else:
                bot.shared += Fraction(1, winners)
                bot.draws += 1
            bot.score += seat.score
            bot.charged_ms += seat.charged_ms
            bot.took_us += seat.took_us
            if seat.slowest_us > bot.slowest_us:
                bot.slowest_us = seat.slowest_us
            if seat.took_us:
                bot.medians_us.append(seat.median_us)
            if seat.fault:
                bot.faults[seat.fault] += 1

    def table(self) -> list[Standing]:
        """Return the standings: most points first, then by name."""
        order = sorted(self._sums, key=lambda name: (-self._sums[name].points, name))
        return [self._sums[name].standing(name) for name in order]

    def leader(self) -> str:
        """Return the first of the standings, or '' before there is one."""
        ahead = max(self._sums.values(), key=lambda bot: bot.points, default=_Sum()).points
        return (
            min((name for name, bot in self._sums.items() if bot.points == ahead), default="")
            if ahead
            else ""
        )
