"""The gauge: a bot of which little is known must not blur the others, and intervals cover in every gauge."""

from collections.abc import Iterator, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np

from tests.campaigns.statistics.claim import Claim, share
from tests.campaigns.statistics.likelihoods import Floats, names, play
from tournaments.rating.columns import columns
from tournaments.rating.comparisons import compare
from tournaments.rating.elo import SCALE
from tournaments.rating.fit import fit
from tournaments.rating.linking import gauge, link
from tournaments.rating.ratings import rate
from tournaments.results import Played

FIELD = (0.4, 0.1, -0.1, -0.4)
OUTLIERS = {"hopeless": -12.0, "wins 1 in 300": -5.7, "unbeaten": 12.0}
"""Strengths in log odds of one more bot."""


class Seen(NamedTuple):
    """What simulated events of one kind show."""

    covered: float
    """Of the intervals of the field, the share that contains the truth."""
    reach: float
    """Half the median interval of the field, in points."""


def centred(played: Sequence[Played], strengths: Sequence[float]) -> Floats:
    """Return true strengths in the gauge that these results lead to, in points."""
    games, points = compare(columns(played, names(len(strengths)))).sums()
    _, curvature = fit(games, points)
    return np.asarray(SCALE * gauge(link(games, points), np.diag(curvature)) @ np.asarray(strengths))


def seen(strengths: Sequence[float], blocks: int, seats: int, times: int) -> Seen:
    """Return what the intervals of the first bots, the field, are like."""
    luck = np.random.default_rng(14)
    covered, reaches = 0, []
    for _ in range(times):
        played = play(luck, strengths, blocks, seats)
        truth = 1500 + centred(played, strengths)
        rows = {row.bot: row for row in rate(played, names(len(strengths))).rows}
        for n, name in enumerate(names(len(FIELD))):
            interval = rows[name].interval
            assert interval is not None
            covered += interval[0] <= truth[n] <= interval[1]
            reaches.append((interval[1] - interval[0]) / 2)
    return Seen(covered / times / len(FIELD), float(np.median(reaches)))


def claims(times: int) -> Iterator[Claim]:
    """Return how intervals of a field change with one more bot, and how often they cover."""
    for (title, strength), seats in product(OUTLIERS.items(), (2, 4)):
        blocks = 20 if seats == 2 else 40
        alone = seen(FIELD, blocks, seats, times)
        # With a fifth bot there are four tables more of four seats: as many blocks of the field in all.
        more = seen((*FIELD, strength), blocks if seats == 2 else blocks // 3, seats, times)
        yield Claim(
            f"{seats} seats, one {title}: interval of the others, ratio", more.reach / alone.reach, 0.7, 1.15
        )
        yield share(
            f"{seats} seats, one {title}: covered",
            more.covered * times,
            times,
            0.93,
            0.975,
            independent=times,
        )
