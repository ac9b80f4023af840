"""What a seat is worth, how many comparisons are drawn, and when the number of seats matters. Pure."""

from collections.abc import Iterator
from typing import Final

import msgspec
import numpy as np

from tournaments.rating.clustered import Estimate, by_deal, ones, percentage, ratio
from tournaments.rating.columns import Array, Columns

_MANY_UNORDERED: Final = 0.1
"""A forfeit may leave seats without an order in any game; more of them are the game's own way."""

_BETWEEN: Final = (-0.5, 0.5)
"""What a seat is worth if it never wins, or always, among equal bots."""


class SeatWorth(msgspec.Struct, frozen=True):
    """What the bots in one seat scored."""

    seats: int
    """Of the matches: seats of matches with different numbers of seats are apart."""
    seat: int
    percent: float
    """Of 100 comparisons, how many the seat won; a draw is half."""
    advantage: Estimate
    """By how many of 100 comparisons that is more than the ratings of its bots predict."""


def seat_worth(columns: Columns, elo: Array) -> tuple[SeatWorth, ...]:
    """Return what every seat is worth, in matches between bots with these ratings."""
    rows = columns.where(columns.compared)
    surplus = rows.points - rows.expected(elo)
    seats = np.concatenate([rows.seats, rows.seats])
    seat = np.concatenate([rows.seat, rows.other_seat])
    deal = np.concatenate([rows.deal, rows.deal])
    points = np.concatenate([rows.points, 1 - rows.points])
    above = np.concatenate([surplus, -surplus])
    lines = []
    for many in np.unique(rows.seats).tolist():
        for number in range(many):
            chosen = (seats == many) & (seat == number)
            worth = ratio(by_deal(deal[chosen], above[chosen], ones(deal[chosen])), 100, between=_BETWEEN)
            if worth is not None:
                percent = round(100 * float(points[chosen].mean()), 1)
                lines.append(SeatWorth(many, number, percent, worth))
    return tuple(lines)


def draw_ratio(columns: Columns) -> Estimate | None:
    """Return how many of 100 comparisons are drawn; None if there is none."""
    rows = columns.where(columns.compared)
    return percentage(by_deal(rows.deal, (rows.points == 0.5).astype(np.float64), ones(rows.deal)))


def seat_notes(columns: Columns) -> Iterator[str]:
    """Return what a reader of the ratings must know about the number of seats."""
    many = columns.where(columns.seats > 2)
    if not len(many.seats) or np.mean(~many.compared) < _MANY_UNORDERED:
        return
    counts = np.unique(many.seats).tolist()
    seats = f"{' and '.join(map(str, counts))} seats"
    yield (
        f"matches of {seats} have a winner and no order behind it: the same bots would be nearer to each "
        "other or farther apart with another number of seats, so compare these ratings only with those of "
        f"{seats}"
    )
