"""All comparisons of a set of results, added up as whole numbers.

Whole numbers add up to the same sum in any order, and what is left is kept in one canonical order. So
everything that is computed from a `Comparisons` is a function of the results as a set.
"""

from array import array
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tournaments.results import Played

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]


class Comparisons(NamedTuple):
    """How often two bots were compared, by deal.

    One cell for each deal, pair of bots and number of seats, in canonical order; bots are numbers, the
    smaller one first. Without common deals a deal is a block. With them, blocks of one deal are not
    independent: cards that suit a bot suit it against all others. Everything here is therefore by deal.
    """

    bots: int
    deal: Numbers
    one: Numbers
    other: Numbers
    seats: Numbers
    times: Numbers
    halves: Numbers
    """Half points of the first bot."""
    blocks: Numbers
    """By bot: in how many blocks it was compared with another one."""

    @property
    def weight(self) -> Array:
        """The weight of every cell.

        A comparison in a match of n seats weighs 1 / (n - 1), so that every match weighs the same for a bot.
        """
        return self.times / (self.seats - 1)

    @property
    def points(self) -> Array:
        """The points of the first bot in every cell, weighed likewise."""
        return self.halves / (2 * (self.seats - 1))

    def sums(self) -> tuple[Array, Array]:
        """Return for every two bots the weight of their comparisons, and the points of the first of them."""
        size = self.bots
        games, points = np.zeros((size, size)), np.zeros((size, size))
        for seats in np.unique(self.seats):
            those = self.seats == seats
            pair = self.one[those] * size + self.other[those]
            count, halves = (
                np.bincount(pair, numbers[those], minlength=size * size).reshape(size, size)
                for numbers in (self.times, self.halves)
            )
            games += (count + count.T) / (seats - 1)
            points += (halves + (2 * count - halves).T) / (2 * (seats - 1))
        return games, points

    def dealt(self) -> Numbers:
        """Return in how many deals every bot was compared with another one."""
        ends = np.concatenate([self.deal * self.bots + self.one, self.deal * self.bots + self.other])
        return np.bincount(np.unique(ends) % max(self.bots, 1), minlength=self.bots)

    def met(self) -> Numbers:
        """Return for every two bots in how many deals they were compared with each other."""
        pairs = np.unique((self.deal * self.bots + self.one) * self.bots + self.other)
        once = np.bincount(pairs % max(self.bots**2, 1), minlength=self.bots**2)
        square = once.reshape(self.bots, self.bots)
        return square + square.T


def compare(played: Iterable[Played], number: Mapping[str, int]) -> Comparisons:
    """Return the comparisons among these bots, which have the numbers from 0 on; others are left out."""
    deals: dict[str, int] = {}
    blocks: dict[str, int] = {}
    flat = array("q")
    for match in played:
        deal = deals.setdefault(match.deal, len(deals))
        block = blocks.setdefault(match.block, len(blocks))
        seats = len(match.bots)
        for better, other, halves in match.comparisons():
            i, j = number.get(better, -1), number.get(other, -1)
            if i == j or i < 0 or j < 0:
                continue
            if i > j:
                i, j, halves = j, i, 2 - halves
            flat.extend((deal, block, seats, i, j, halves))
    table = np.array(flat, dtype=np.int64).reshape(-1, 6).T
    return _added_up(table, _places(deals), len(number))


def _places(names: Iterable[str]) -> Numbers:
    """Return the place of every name in alphabetical order."""
    listed = list(names)
    places = np.empty(len(listed), dtype=np.int64)
    places[sorted(range(len(listed)), key=listed.__getitem__)] = np.arange(len(listed))
    return places


def _added_up(table: Numbers, places: Numbers, bots: int) -> Comparisons:
    deal, block, seats, one, other, halves = table
    most = int(seats.max(initial=0)) + 1
    keys, cell = np.unique(((places[deal] * bots + one) * bots + other) * most + seats, return_inverse=True)
    keys, seats = np.divmod(keys, most)
    keys, second = np.divmod(keys, max(bots, 1))
    deal, first = np.divmod(keys, max(bots, 1))
    return Comparisons(
        bots=bots,
        deal=deal,
        one=first,
        other=second,
        seats=seats,
        times=np.bincount(cell, minlength=len(keys)),
        halves=np.bincount(cell, halves, minlength=len(keys)).astype(np.int64),
        blocks=np.bincount(
            np.unique(np.concatenate([block * bots + one, block * bots + other])) % max(bots, 1),
            minlength=bots,
        ),
    )
