"""How the distance of the same bots depends on the number of seats, if only winners are known."""

from collections.abc import Iterator
from random import Random

import numpy as np

from tests.campaigns.statistics.claim import Claim
from tests.unit.tournaments.rows import row
from tournaments.rating.ratings import rate

STRENGTHS = (1.0, 0.6, 0.2, -0.2, -0.6, -1.0)
"""Of six bots; own luck is normal with standard deviation 1 (Thurstone's model)."""


def spread(
    seats: int, matches: int, luck: np.random.Generator
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return the ratings of the six bots after so many matches of random bots, by strength."""
    names = "abcdef"
    order = Random(4)
    played = []
    for number in range(matches):
        group = order.sample(range(6), seats)
        sums = np.array([STRENGTHS[bot] for bot in group]) + luck.normal(size=seats)
        ranks = [1 if one == sums.max() else 2 for one in sums]
        played.append(row([names[bot] for bot in group], ranks, match=f"m{number}", ties="unordered"))
    elo = {line.bot: line.elo for line in rate(played, names).rows}
    return np.array([elo[bot] for bot in names])


def claims(times: int) -> Iterator[Claim]:
    """Return by how much ratings are farther apart than with two seats."""
    luck = np.random.default_rng(14)
    two = spread(2, 40 * times, luck)
    for seats in range(3, 7):
        found = spread(seats, 40 * times, luck)
        slope = float(np.polyfit(two, found, 1)[0])
        # The error of both spreads, from what a comparison of even bots says.
        noise = 2.5 / np.sqrt(40 * times)
        yield Claim(f"{seats} seats, only the winner: spread against two seats", slope, 0.8, 1.5, noise)
