"""One table of several games: points for places, or the mean of the ratings. Pure.

Places: in a game of n bots the first gets n - 1 points and the last none, that is one for every bot behind
it; bots that share a place share the points of the places that they take. The points of a game are multiplied
by its weight, and added. Bots with equal sums have the same place, in the order of their mean ratings.

Ratings: the mean of a bot's ratings, weighted. Games are independent, so the variances of the weighted
ratings are added; the half of an interval is combined like a standard error, because each already is as wide
as its own game's number of deals requires.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate, groupby
from math import hypot
from statistics import fmean
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from tournaments.config.file_keys import Combine
from tournaments.placing.places import span_text
from tournaments.rating.standings import StandingLine, Standings

_MOST_NAMES: Final = 8


class GameTable(Struct, frozen=True):
    """The standings of one game of an event."""

    name: str
    """Of the game, as the event's tables show it."""
    weight: float
    standings: Standings


class GamePlace(Struct, frozen=True):
    """What a bot came to in one game."""

    place: float
    """From 1; bots that share places have the mean of these."""
    first: int
    last: int
    """The places that it shares; both are its place if it has one alone."""
    points: float
    """One for every bot behind it; before the weight."""
    elo: float | None
    se: float | None
    interval: tuple[float, float] | None
    matches: int

    @property
    def shown(self) -> str:
        """The place, or the places that it shares, for people."""
        return span_text(self.first, self.last)


class CombinedLine(Struct, frozen=True):
    """A bot in the combined table."""

    place: int
    """From 1; bots with the same value have the same place."""
    place_to: int
    """The last of the places that these share; its place if it has one alone."""
    name: str
    value: float | None
    """Points, or the mean of the ratings; None: no rating in one of the games."""
    se: float | None
    interval: tuple[float, float] | None
    """What covers the true mean of the ratings in 95 of 100 events; None for points or with few deals."""
    games: dict[str, GamePlace]
    """By game; games that it did not play are not there."""

    @property
    def shown(self) -> str:
        """The place, or the places that it shares, for people."""
        return span_text(self.place, self.place_to)


class CombinedTable(Struct, frozen=True):
    """The table of all games of an event."""

    rule: Combine
    weights: dict[str, float]
    """By game, in the order of the file."""
    lines: tuple[CombinedLine, ...]
    """Best first."""
    notes: tuple[str, ...] = ()


class WholePlace(Struct, frozen=True):
    """What a bot came to in an event of several tournaments."""

    rank: int
    points: float | None = None
    """None where the tables of the games make no points together."""
    rating: float | None = None
    """The mean of its ratings, where that is the rule."""


def combine(rule: Combine, games: Sequence[GameTable], row: Callable[[str], object] = str) -> CombinedTable:
    """Return the table of several games; `row` says which of two equal bots stands first."""
    names = list(dict.fromkeys(line.name for game in games for line in game.standings.table))
    places = {game.name: _places(game.standings) for game in games}
    weights = {game.name: game.weight for game in games}
    lines = [
        _line(rule, name, weights, {game: found[name] for game, found in places.items() if name in found})
        for name in names
    ]
    return CombinedTable(rule, weights, tuple(_ranked(lines, row)), tuple(_notes(rule, lines, weights)))


def _places(standings: Standings) -> dict[str, GamePlace]:
    """Return the places of the bots that played, equals at the same one.

    Of pools the winners are equals, then the seconds and so on; ties in one pool change nothing in another.
    """
    tables = ([line for line in lines if line.matches] for lines in standings.pools.values())
    pools = [sorted(table, key=_rank) for table in tables]
    playing, longest = sum(map(len, pools)), max(map(len, pools), default=0)
    # How many bots are before the first of each pool, before the seconds and so on.
    before = [0, *accumulate(sum(rank < len(pool) for pool in pools) for rank in range(longest))]
    found: dict[str, GamePlace] = {}
    for pool in pools:
        ahead = 0
        for _, equals in groupby(pool, key=_rank):
            tied = list(equals)
            end = ahead + len(tied)
            place = round(fmean((before[at] + 1 + before[at + 1]) / 2 for at in range(ahead, end)), 6)
            for line in tied:
                found[line.name] = GamePlace(
                    place=place,
                    first=before[ahead] + 1,
                    last=before[end],
                    points=playing - place,
                    elo=line.elo,
                    se=line.se,
                    interval=line.interval,
                    matches=line.matches,
                )
            ahead = end
    return found


def _rank(line: StandingLine) -> int:
    return line.place


def _line(
    rule: Combine, name: str, weights: Mapping[str, float], games: dict[str, GamePlace]
) -> CombinedLine:
    if rule == "places":
        points = sum(weights[game] * place.points for game, place in games.items())
        return CombinedLine(0, 0, name, round(points, 6), None, None, games)
    return _mean_of_ratings(name, weights, games)


def _mean_of_ratings(name: str, weights: Mapping[str, float], games: dict[str, GamePlace]) -> CombinedLine:
    """Return the line of a bot by its ratings; without a value if a game has none of it."""
    total = sum(weights.values())
    rated = [(weights[game] / total, found) for game, found in games.items()]
    if len(games) < len(weights) or any(found.elo is None for _, found in rated):
        return CombinedLine(0, 0, name, None, None, None, games)
    mean = sum(share * (found.elo or 0) for share, found in rated)
    errors = [share * found.se for share, found in rated if found.se is not None]
    ends = [(share, found.elo or 0, found.interval) for share, found in rated if found.interval is not None]
    return CombinedLine(
        place=0,
        place_to=0,
        name=name,
        value=_rounded(mean),
        se=_rounded(hypot(*errors)) if len(errors) == len(rated) else None,
        interval=(
            _rounded(mean - hypot(*(share * (elo - low) for share, elo, (low, _) in ends))),
            _rounded(mean + hypot(*(share * (high - elo) for share, elo, (_, high) in ends))),
        )
        if len(ends) == len(rated)
        else None,
        games=games,
    )


def _rounded(elo: float) -> float:
    """Return the digits that mean something; never minus zero, which would be other bytes."""
    return round(elo, 1) + 0.0


def _ranked(lines: Sequence[CombinedLine], row: Callable[[str], object]) -> list[CombinedLine]:
    """Return the lines with their places, the best first; those without a value come last."""
    ordered = sorted(lines, key=lambda line: (level(line), row(line.name)))
    found: list[CombinedLine] = []
    for number, line in enumerate(ordered, 1):
        is_equal = bool(found) and found[-1].value == line.value is not None
        found.append(replace(line, place=found[-1].place if is_equal else number))
    sharing = Counter(line.place for line in found)
    return [replace(line, place_to=line.place + sharing[line.place] - 1) for line in found]


def level(line: CombinedLine) -> tuple[object, ...]:
    """Return what decides which bots go on; only the lot parts those of one level."""
    return line.value is None, -(line.value or 0), -len(line.games), -_strength(line)


def _strength(line: CombinedLine) -> float:
    """Return what orders bots of one place, which matters where only some of them go on: their ratings."""
    rated = [found.elo for found in line.games.values() if found.elo is not None]
    return sum(rated) / len(rated) if rated else 0.0


def _notes(rule: Combine, lines: Sequence[CombinedLine], weights: Mapping[str, float]) -> list[str]:
    lacking = sorted(line.name for line in lines if len(line.games) < len(weights))
    if not lacking or not any(line.games for line in lines):
        return []
    names = ", ".join(lacking[:_MOST_NAMES]) + (" and others" if len(lacking) > _MOST_NAMES else "")
    meaning = "a game without a match gives no points" if rule == "places" else "so no mean is shown"
    return [f"not all games have results of {names}: {meaning}"]
