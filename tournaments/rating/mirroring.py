"""What it gained to play every deal in all rotations of the seats, and how blocks ended. Pure.

If the cards decide more than the bots, the two matches of a mirrored deal cancel each other's luck, and the
sum of a block varies less than as many matches with a deal of their own would. If a deal suits a bot in every
seat, it varies more. Both are seen in the results: by how much the square of a block's sum differs from the
sum of the squares of its matches, each less the mean of its pair in these seats.
"""

from typing import NamedTuple

import numpy as np

from tournaments.rating.clustered import Estimate, by_deal, ratio
from tournaments.rating.columns import Array, Columns, Ints, grouped, total


class _Blocks(NamedTuple):
    """What one bot of a pair did in a block that was played in all rotations."""

    pair: Ints
    deal: Ints
    seats: Ints
    points: Array
    square_of_sum: Array
    """Of the deviations of the single matches."""
    sum_of_squares: Array


class Mirrored:
    """Blocks that were played in all rotations."""

    def __init__(self, columns: Columns) -> None:
        blocks = _whole_blocks(columns)
        order = np.argsort(blocks.pair, kind="stable")
        self._blocks = _chosen(blocks, order)

    def _of(self, pair: int) -> _Blocks:
        since, end = np.searchsorted(self._blocks.pair, [pair, pair + 1])
        return _chosen(self._blocks, slice(int(since), int(end)))

    def saved(self, pair: int | None = None) -> Estimate | None:
        """Return by how many percent the variance of a mean is smaller than without mirroring.

        Of all pairs together, or of one; None if nothing varied.
        """
        blocks = self._blocks if pair is None else self._of(pair)
        less = blocks.sum_of_squares - blocks.square_of_sum
        return ratio(by_deal(blocks.deal, less, blocks.sum_of_squares), 100, 1)

    def scores(self, pair: int) -> tuple[int, ...]:
        """Return how many blocks ended with 0, 1/2, 1 and so on for the first of the pair.

        With two seats there are five numbers (the pentanomial counts). Two that the game does not order
        have half a point each.
        """
        blocks = self._of(pair)
        if not len(blocks.pair):
            return ()
        halves = np.rint(2 * blocks.points).astype(np.int64)
        most = 2 * int(blocks.seats.max())
        return tuple(int(count) for count in np.bincount(halves, minlength=most + 1))


def _chosen(blocks: _Blocks, rows: Ints | slice) -> _Blocks:
    return _Blocks._make(column[rows] for column in blocks)


def _whole_blocks(columns: Columns) -> _Blocks:
    """Return by block and pair what happened, of blocks in which each match has another rotation."""
    bots = len(columns.names)
    # One number for a pair in its two seats; no match has more than a few.
    most = 1 + int(columns.seats.max(initial=0))
    _, arrangement = grouped((columns.pair() * most + columns.seat) * most + columns.other_seat)
    count = np.bincount(arrangement)
    mean = total(arrangement, columns.points, len(count)) / np.maximum(count, 1)
    apart = columns.points - mean[arrangement]
    keys, cell = grouped(columns.block * bots**2 + columns.pair())
    first = np.zeros(len(keys), np.int64)
    first[cell[::-1]] = np.arange(len(cell))[::-1]
    seats = columns.seats[first]
    whole = (np.bincount(cell, minlength=len(keys)) == seats) & (seats > 1)
    return _Blocks(
        pair=(keys % bots**2)[whole],
        deal=columns.deal[first][whole],
        seats=seats[whole],
        points=total(cell, columns.points, len(keys))[whole],
        square_of_sum=(total(cell, apart, len(keys)) ** 2)[whole],
        sum_of_squares=total(cell, apart**2, len(keys))[whole],
    )
