"""How every bot did against every other one: by their own matches alone, and by all results. Pure."""

from math import isnan, log, sqrt
from typing import Final

import msgspec
import numpy as np

from tournaments.rating.clustered import Estimate, estimate
from tournaments.rating.columns import Columns, grouped, total
from tournaments.rating.elo import SCALE
from tournaments.rating.mirroring import Mirrored
from tournaments.rating.ratings import Ratings
from tournaments.rating.unseen import allowed

MOST_BOTS: Final = 100
"""With more bots there are too many pairs to list; the cross table has all of them."""


class HeadToHead(msgspec.Struct, frozen=True):
    """Two bots against each other, as the first of the two by name sees it."""

    name: str
    other: str
    wins: int
    draws: int
    losses: int
    percent: float
    """Of 100 comparisons, how many it won; a draw is half."""
    elo: Estimate
    """What its rating would be above that of the other by these comparisons alone."""
    block_scores: tuple[int, ...]
    """How many mirrored blocks ended with 0, 1/2, 1 and so on points for it; empty if there is none."""
    saved: Estimate | None
    """By how many percent mirroring made the variance smaller; None if there is no mirrored block."""


def likelihoods(ratings: Ratings) -> dict[str, dict[str, float]]:
    """Return how likely each bot is better than each other one, by all results; none if there are too many.

    Pairs that cannot be compared are not there.
    """
    names = [row.bot for row in ratings.rows]
    if len(names) > MOST_BOTS:
        return {}
    return {
        one: {other: round(los, 4) for other, los in zip(names, row, strict=True) if not isnan(los)}
        for one, row in zip(names, ratings.likelihoods().tolist(), strict=True)
    }


def head_to_head(columns: Columns, mirrored: Mirrored) -> tuple[HeadToHead, ...]:
    """Return all pairs that were compared; none if there are too many bots."""
    if len(columns.names) > MOST_BOTS:
        return ()
    rows = columns.where(columns.compared)
    keys, pair = grouped(rows.pair())
    size = len(keys)
    outcomes = [np.bincount(pair[rows.points == points], minlength=size) for points in (1.0, 0.5, 0.0)]
    compared = total(pair, np.ones(len(pair)), size)
    scored = total(pair, rows.points, size)
    # Half a virtual win and half a virtual loss: no odds are infinite.
    share = (scored + 0.5) / (compared + 1)
    cells, cell = grouped(rows.deal * size + pair)
    apart = total(cell, rows.points - share[pair], len(cells))
    squares, fourths = (total(cells % size, apart**power, size) for power in (2, 4))
    deals = np.bincount(cells % size, minlength=size)
    largest = (compared / deals) ** 2 * share * (1 - share)
    lines = []
    for number, key in enumerate(keys):
        one, other = (columns.names[bot] for bot in divmod(int(key), len(columns.names)))
        p, count = float(share[number]), int(deals[number])
        spread = allowed(float(squares[number]), float(fourths[number]), float(largest[number]), count)
        # The virtual ones too: of a pair in which one won everything only they bound the lead.
        spread += ((1 - p) ** 2 + p**2) / 4
        error = sqrt(spread * count / max(count - 1, 1)) / (float(compared[number]) + 1)
        lines.append(
            HeadToHead(
                name=one,
                other=other,
                wins=int(outcomes[0][number]),
                draws=int(outcomes[1][number]),
                losses=int(outcomes[2][number]),
                percent=round(100 * float(scored[number] / compared[number]), 1),
                elo=estimate(SCALE * log(p / (1 - p)), SCALE * error / (p * (1 - p)), count, 1),
                block_scores=mirrored.scores(int(key)),
                saved=mirrored.saved(int(key)),
            )
        )
    return tuple(lines)
