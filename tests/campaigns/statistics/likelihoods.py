"""Likelihoods of superiority: of all statements that a bot is better with likelihood x, a share x is true."""

from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise, product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tests.campaigns.statistics.claim import Claim, share
from tests.unit.tournaments.rows import row
from tournaments.rating.elo import SCALE
from tournaments.rating.ratings import rate
from tournaments.results import Played

Floats = NDArray[np.float64]


class Field(NamedTuple):
    """A round robin of bots whose strengths are drawn with a known width."""

    bots: int
    blocks: int
    """Of every group of bots that can sit together."""
    width: float
    """The standard deviation of strengths, in points."""
    seats: int = 2

    def strengths(self, luck: np.random.Generator) -> Floats:
        """Return strengths in log odds."""
        return luck.standard_normal(self.bots) * self.width / SCALE


def names(bots: int) -> list[str]:
    """Return the names of so many bots."""
    return [f"b{n}" for n in range(bots)]


def play(
    luck: np.random.Generator, strengths: Sequence[float] | Floats, blocks: int, seats: int = 2
) -> list[Played]:
    """Return a round robin of these strengths; the model is exact, and matches are independent."""
    named, made = names(len(strengths)), np.asarray(strengths)
    played = []
    for number, group in enumerate(combinations(range(len(named)), seats)):
        bots = [named[bot] for bot in group]
        form = made[list(group)] + luck.gumbel(size=(blocks, seats, seats))
        ranks = (1 + (form[..., None, :] > form[..., :, None]).sum(axis=-1)).tolist()
        for block, turn in product(range(blocks), range(seats)):
            name = f"t{number}-{block}"
            played.append(row(bots, ranks[block][turn], match=f"{name}-{turn}", block=name, deal=name))
    return played


def stated(field: Field, luck: np.random.Generator) -> Iterator[tuple[float, bool]]:
    """Return what one simulated event says of every two bots, and whether it is true.

    Each pair is stated from the side that the likelihood favours.
    """
    strengths = field.strengths(luck)
    named = names(field.bots)
    ratings = rate(play(luck, strengths, field.blocks, field.seats), named)
    for i, j in combinations(range(field.bots), 2):
        los = ratings.difference(named[i], named[j]).los
        assert los is not None
        better = bool(strengths[i] > strengths[j])
        yield (los, better) if los >= 0.5 else (1 - los, not better)


BINS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0)
WIDTHS = (10, 20, 50, 100, 200, 400)
SIZES = ((2, 40), (4, 15), (6, 10), (8, 8))
"""Bots, and blocks of every two."""


class Stated(NamedTuple):
    """What was stated in simulated events, pair by pair."""

    event: NDArray[np.int64]
    stated: Floats
    true: NDArray[np.bool_]

    def gap(self, least: float = 0.5, most: float = 2.0) -> tuple[float, float, int]:
        """Return how much truer than stated the statements between these are, its error, and their number.

        Pairs of one event are not independent, so the error is that over events.
        """
        those = (self.stated >= least) & (self.stated < most)
        count = int(those.sum())
        surplus = np.bincount(self.event[those], (self.true - self.stated)[those])
        return (
            (float(surplus.sum() / count), float(np.sqrt((surplus**2).sum()) / count), count)
            if count
            else (0.0, 1.0, 0)
        )


def gathered(fields: Sequence[Field], times: int) -> Stated:
    """Return what so many events of each of these fields say."""
    luck = np.random.default_rng(14)
    rows = [
        (number, los, true)
        for number, field in enumerate(field for field in fields for _ in range(times))
        for los, true in stated(field, luck)
    ]
    event, los, true = zip(*rows, strict=True)
    return Stated(np.array(event), np.array(los), np.array(true))


def claims(times: int) -> Iterator[Claim]:
    """Return how much likelihoods and truth differ."""
    for bots, blocks in SIZES:
        for width in WIDTHS:
            gap, noise, _ = gathered([Field(bots, blocks, width)], times).gap()
            title = f"{bots} bots, width {width}: truer than stated"
            # With a width of a third of the errors only a field of many bots can show how narrow it is.
            yield Claim(title, gap, -0.08 if width < 20 else -0.04, 0.06, noise)
        whole = gathered([Field(bots, blocks, width) for width in WIDTHS], times)
        for least, most in pairwise(BINS):
            gap, noise, count = whole.gap(least, most + (most == 1))
            title = f"{bots} bots, all widths, stated {least:g} to {most:g} ({count}): truer than stated"
            yield Claim(title, gap, -0.04, 0.04, noise)
        alike = gathered([Field(bots, blocks, 0)], times)
        yield share(
            f"{bots} equal bots: stated 0.95 or more",
            int((alike.stated >= 0.95).sum()),
            len(alike.stated),
            most=0.05,
            independent=times,
        )
