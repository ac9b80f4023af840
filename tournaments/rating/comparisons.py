"""All comparisons of a set of results, added up as whole numbers.

Whole numbers add up to the same sum in any order, and what is left is kept in one canonical order. So
everything that is computed from a `Comparisons` is a function of the results as a set.
"""

from typing import NamedTuple

import numpy as np

from tournaments.rating.columns import Array, Columns, Ints, grouped, total


class Comparisons(NamedTuple):
    """How often two bots were compared, by deal.

    One cell for each deal, pair of bots and number of seats, in canonical order; bots are numbers, the
    smaller one first. Without common deals a deal is a block. With them, blocks of one deal are not
    independent: cards that suit a bot suit it against all others. Everything here is therefore by deal.
    """

    bots: int
    deal: Ints
    one: Ints
    other: Ints
    seats: Ints
    times: Ints
    halves: Ints
    """Half points of the first bot."""
    blocks: Ints
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

    def dealt(self) -> Ints:
        """Return in how many deals every bot was compared with another one."""
        ends = np.concatenate([self.deal * self.bots + self.one, self.deal * self.bots + self.other])
        return np.bincount(np.unique(ends) % max(self.bots, 1), minlength=self.bots)

    def met(self) -> Ints:
        """Return for every two bots in how many deals they were compared with each other."""
        pairs = np.unique((self.deal * self.bots + self.one) * self.bots + self.other)
        once = np.bincount(pairs % max(self.bots**2, 1), minlength=self.bots**2)
        square = once.reshape(self.bots, self.bots)
        return square + square.T


def compare(columns: Columns) -> Comparisons:
    """Add up the comparisons of these columns."""
    rows = columns.where(columns.compared)
    bots = len(rows.names)
    size, most = max(bots, 1), int(rows.seats.max(initial=0)) + 1
    keys, cell = grouped(((rows.deal * size + rows.one) * size + rows.other) * most + rows.seats)
    by_pair, seats = np.divmod(keys, most)
    by_bot, other = np.divmod(by_pair, size)
    deal, one = np.divmod(by_bot, size)
    in_blocks, _ = grouped(np.concatenate([rows.block * size + rows.one, rows.block * size + rows.other]))
    return Comparisons(
        bots=bots,
        deal=deal,
        one=one,
        other=other,
        seats=seats,
        times=np.bincount(cell, minlength=len(keys)),
        halves=np.rint(total(cell, 2 * rows.points, len(keys))).astype(np.int64),
        blocks=np.bincount(in_blocks % size, minlength=bots),
    )
