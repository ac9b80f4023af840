"""The comparisons of all matches in columns, so that arithmetic over many of them is fast.

Every two seats of a match that different bots have are a row, also seats that the game does not order. Rows
are in a canonical order: the same results give the same columns, in any order of the matches.
"""

from collections.abc import Sequence
from itertools import combinations
from operator import attrgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tournaments.rating.elo import SCALE
from tournaments.results import Played

Array = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


class Columns(NamedTuple):
    """Comparisons of two bots, the first of the two by name always as `one`."""

    names: tuple[str, ...]
    """The bots by name; all columns have their numbers."""
    matches: tuple[str, ...]
    """The ids of the matches in order."""
    match: Ints
    """By its place in `matches`."""
    round: Ints
    deal: Ints
    block: Ints
    one: Ints
    other: Ints
    seat: Ints
    """Of `one`."""
    other_seat: Ints
    seats: Ints
    """How many the match has."""
    points: Array
    """Of `one`: 1, 1/2 or 0; 1/2 also for seats that the game does not order."""
    compared: Bools
    """Whether the game orders the two, or calls them drawn."""

    def where(self, chosen: Bools) -> "Columns":
        """Return only some of the rows."""
        # Mostly that is all of them, and a large event has no room for copies.
        if chosen.all():
            return self
        return Columns._make([self.names, self.matches, *(column[chosen] for column in self[2:])])

    def pair(self) -> Ints:
        """Return a number for the two bots of each row."""
        return self.one * len(self.names) + self.other

    def expected(self, elo: Array) -> Array:
        """Return the points of `one` that these ratings predict."""
        return np.asarray(0.5 * (1 + np.tanh((elo[self.one] - elo[self.other]) / (2 * SCALE))))


def columns(played: Sequence[Played], bots: Sequence[str]) -> Columns:
    """Return the comparisons among these bots."""
    names = tuple(sorted(set(bots)))
    number = {name: place for place, name in enumerate(names)}
    # Bots outside are a number of their own, and their rows are dropped at the end.
    outside = len(names)
    matches = sorted(played, key=attrgetter("result.match", "block"))
    deals = _places([match.deal for match in matches])
    blocks = _places([match.block for match in matches])
    by_seats: dict[int, list[int]] = {}
    for place, match in enumerate(matches):
        by_seats.setdefault(len(match.bots), []).append(place)
    rows: list[list[Ints]] = [[] for _ in range(11)]
    for seats, places in sorted(by_seats.items()):
        those = [matches[place] for place in places]
        bot = np.array([[number.get(name, outside) for name in match.bots] for match in those])
        rank = np.array([[seat.rank for seat in match.result.seats] for match in those])
        is_draw = np.array([match.result.ties == "draw" for match in those])
        shared = [np.array(places), np.array([match.round for match in those]), deals[places], blocks[places]]
        for seat, other_seat in combinations(range(seats), 2):
            lead = np.sign(rank[:, other_seat] - rank[:, seat])
            swap = bot[:, seat] > bot[:, other_seat]
            sides = [
                np.where(swap, bot[:, other_seat], bot[:, seat]),
                np.where(swap, bot[:, seat], bot[:, other_seat]),
                np.where(swap, other_seat, seat),
                np.where(swap, seat, other_seat),
            ]
            result = [np.where(swap, -lead, lead), (lead != 0) | is_draw]
            for column, part in zip(
                rows, [*shared, *sides, np.full(len(those), seats), *result], strict=True
            ):
                column.append(part)
    whole = []
    for column in rows:
        whole.append(np.concatenate(column) if column else np.zeros(0, np.int64))
        # Its parts are of no more use, and a large event has no room for both.
        column.clear()
    ids = tuple(match.result.match for match in matches)
    made = Columns._make([names, ids, *whole[:9], (1 + whole[9]) / 2, whole[10].astype(np.bool_)])
    return made.where((made.one != made.other) & (made.other < outside))


def _places(values: Sequence[str]) -> Ints:
    """Return for every value its place among all of them in order."""
    place = {value: number for number, value in enumerate(sorted(set(values)))}
    return np.array([place[value] for value in values], dtype=np.int64)


def grouped(keys: Ints) -> tuple[Ints, Ints]:
    """Return the different keys in order, and for every row the place of its key among them."""
    found, places = np.unique(keys, return_inverse=True)
    return found, places.reshape(-1)


def total(places: Ints, values: Array, size: int) -> Array:
    """Return the sums of the values at each place."""
    return np.asarray(np.bincount(places, values, minlength=size), dtype=np.float64)
