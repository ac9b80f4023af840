"""Whether a bot remembers deals: it does better when a deal comes again than the first time. Pure.

A deal is played once for every rotation of the seats, and a lot decides which rotation comes first. To a bot
that remembers nothing the rotations come in no particular order, independent of the game, the worth of the
seats and the strength of the bots. So each of its results in a deal was equally likely to be the first one,
and the test is exact: it asks how likely it is that the lot gives first matches as bad as these, or worse.
It is one-sided, because the opponent of a bot that remembers does worse in later matches.

`docs/ratings.md` explains the figures, and what the test cannot see.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from math import fsum, sqrt
from statistics import NormalDist, fmean
from typing import Final, NamedTuple

import msgspec

from tournaments.rating import student
from tournaments.rating.holm import beyond
from tournaments.results import Played

LEVEL: Final = 0.01
"""The chance that a tournament of honest bots names any of them, at most."""

_LEAST_DEALS: Final = 10
"""In which matches ended differently; with fewer no growth from rotation to rotation is tested."""


class MemoryLine(msgspec.Struct, frozen=True):
    """How one bot did in the first match of its deals, and in the later ones."""

    name: str
    deals: int
    """Deals that it played in all rotations. Of a deal that several groups play its first group counts."""
    first: float
    """Of 100 comparisons in first matches, how many it won; a draw is half."""
    later: float
    """The same in later matches."""
    interval: tuple[float, float] | None
    """What covers the true `later - first` in 95 of 100 tournaments; None before there are two deals."""
    p: float
    """The chance of such first matches, or worse ones, if it remembers nothing."""
    named: bool
    """Whether `p` is beyond the level, corrected for the number of bots (by Holm's method)."""
    a_rotation: float | None = None
    """Of 100 comparisons, how many more it wins from each match of a deal to the next; with three and more
    seats, because with two that is `later - first`."""
    a_rotation_interval: tuple[float, float] | None = None
    """Covers the true value in 95 of 100 tournaments."""
    rotation_p: float | None = None
    """The chance of such a gain, or a larger one, if it remembers nothing."""
    rotation_named: bool = False
    """Whether `rotation_p` is beyond the level, corrected for the number of bots."""


class _Deal(NamedTuple):
    """The matches of one bot in one deal."""

    leads: tuple[int, ...]
    """By match, in the order of play: the comparisons it won less those it lost."""
    most: int
    """The largest possible lead."""


def memory(played: Iterable[Played], order: Iterable[str], bots: Iterable[str]) -> tuple[MemoryLine, ...]:
    """Compare the first match of every deal with the later ones, for each of these bots.

    `order` has the ids of the matches in the order of play (`tournaments.pairing.play_order`), in which a lot
    has decided which rotation of a deal comes first. Not the order in which they ended: this depends on the
    results. Bots without a deal that they played in all rotations have no line.
    """
    deals = _deals(played, order)
    tested = {bot: deals[bot] for bot in bots if bot in deals}
    chances = {bot: _chance(own) for bot, own in tested.items()}
    named = beyond(chances, LEVEL)
    trends = {bot: chance for bot, own in tested.items() if (chance := _trend_chance(own)) is not None}
    growing = beyond(trends, LEVEL)
    return tuple(
        _line(bot, own, chances[bot], bot in named, trends.get(bot), bot in growing)
        for bot, own in tested.items()
    )


def _deals(played: Iterable[Played], order: Iterable[str]) -> dict[str, list[_Deal]]:
    """Return by bot the deals that it played in all rotations."""
    there = {one.result.match: one for one in played}
    blocks: dict[str, list[Played]] = {}
    for match in order:
        if (one := there.get(match)) is not None:
            blocks.setdefault(one.block, []).append(one)
    found: dict[str, list[_Deal]] = {}
    known: set[tuple[str, str]] = set()
    # In the order of their first matches. A bot knows a deal from its first block on: in further blocks of
    # the same deal (`common_deals`) all of its matches are later ones, so there is nothing to compare.
    for block in blocks.values():
        bots, name = dict.fromkeys(block[0].bots), block[0].deal
        if _is_complete(block):
            for bot, deal in zip(bots, _of_block(block), strict=True):
                if (bot, name) not in known:
                    found.setdefault(bot, []).append(deal)
        known.update([(bot, name) for bot in bots])
    return found


def _is_complete(block: Sequence[Played]) -> bool:
    """Return whether a deal was played in all rotations, of which there is more than one."""
    return len(block) == len(block[0].bots) > 1


def _of_block(block: Sequence[Played]) -> tuple[_Deal, ...]:
    """Return the deal as each bot of a block played it, the bots in the order of the first match."""
    first = block[0].bots
    return _played_deal(
        tuple([tuple(map(first.index, match.bots)) for match in block]),
        tuple([tuple([seat.rank for seat in match.result.seats]) for match in block]),
    )


# Blocks end in a few ways only, and a large event has very many blocks.
@lru_cache(maxsize=4_096)
def _played_deal(bots: tuple[tuple[int, ...], ...], ranks: tuple[tuple[int, ...], ...]) -> tuple[_Deal, ...]:
    """Return the deal as each bot played it; by match, of every seat its bot as a number and its rank."""
    found = []
    for bot in dict.fromkeys(bots[0]):
        seats = bots[0].count(bot)
        # Copies of a bot cancel each other out.
        leads = tuple(
            sum(_lead(rank, by) for one, rank in zip(of, by, strict=True) if one == bot)
            for of, by in zip(bots, ranks, strict=True)
        )
        found.append(_Deal(leads, seats * (len(bots[0]) - seats)))
    return tuple(found)


def _lead(own: int, ranks: Sequence[int]) -> int:
    return sum((rank > own) - (rank < own) for rank in ranks)


def _chance(deals: Sequence[_Deal]) -> float:
    """Return the probability that a lot makes the sum of the first leads as low as it is, or lower."""
    # Imported late: `play` starts in half the time without it.
    import numpy as np

    # Many deals end alike, so their distributions are multiplied at once.
    alike: Counter[tuple[int, ...]] = Counter()
    above_least = 0
    for (leads, _), times in Counter(deals).items():
        least = min(leads)
        if least == max(leads):
            continue
        alike[tuple(sorted(lead - least for lead in leads))] += times
        above_least += times * (leads[0] - least)
    spread = np.ones(1)
    for leads, count in sorted(alike.items()):
        power = np.bincount(leads) / len(leads)
        while count:
            if count % 2:
                spread = np.convolve(spread, power)
            power, count = np.convolve(power, power) if count > 1 else power, count // 2
    # Rounding must not make a certain event a little more than certain.
    return min(1.0, float(spread[: above_least + 1].sum()))


def _trend_chance(deals: Sequence[_Deal]) -> float | None:
    """Return the probability that a lot makes results grow from rotation to rotation as they do, or more.

    The lot decides the whole order, so mean and variance of the sum of (number of the rotation * lead) are
    known exactly; the sum over deals is nearly normal, with thinner ends. None with two seats, where it is
    the test of first matches, and with too few deals.
    """
    rotations = len(deals[0].leads)
    varied = [deal.leads for deal in deals if len(set(deal.leads)) > 1 and len(deal.leads) == rotations]
    if rotations < 3 or len(varied) < _LEAST_DEALS:
        return None
    middle = (rotations - 1) / 2
    above = sum((turn - middle) * lead for leads in varied for turn, lead in enumerate(leads))
    squares = sum((turn - middle) ** 2 for turn in range(rotations))
    spread = squares * sum(_variance(leads) for leads in varied)
    return NormalDist().cdf(-above / sqrt(spread))


# Deals end in a few ways only, and a large event has very many deals.
@lru_cache(maxsize=4_096)
def _variance(leads: tuple[int, ...]) -> float:
    mean = sum(leads) / len(leads)
    return sum((lead - mean) ** 2 for lead in leads) / (len(leads) - 1)


def _line(
    bot: str, deals: Sequence[_Deal], chance: float, named: bool, trend: float | None, growing: bool
) -> MemoryLine:
    first, later = zip(*map(_percents, deals), strict=True)
    slopes = [] if trend is None else [_slope(deal) for deal in deals]
    return MemoryLine(
        name=bot,
        deals=len(deals),
        first=round(fmean(first), 1),
        later=round(fmean(later), 1),
        interval=_interval([two - one for one, two in zip(first, later, strict=True)]),
        p=float(f"{chance:.3g}"),
        named=named,
        a_rotation=None if trend is None else round(fmean(slopes), 1) + 0.0,
        a_rotation_interval=_interval(slopes),
        rotation_p=None if trend is None else float(f"{trend:.3g}"),
        rotation_named=growing,
    )


@lru_cache(maxsize=4_096)
def _slope(deal: _Deal) -> float:
    """Return by how many percent of the comparisons a bot gains from each match of a deal to the next."""
    middle = (len(deal.leads) - 1) / 2
    above = sum((turn - middle) * _percent(lead, deal.most) for turn, lead in enumerate(deal.leads))
    return above / sum((turn - middle) ** 2 for turn in range(len(deal.leads)))


@lru_cache(maxsize=4_096)
def _percents(deal: _Deal) -> tuple[float, float]:
    """Return how many of 100 comparisons a bot won in the first match of a deal, and in the later ones."""
    leads, most = deal
    return _percent(leads[0], most), _percent(sum(leads[1:]) / (len(leads) - 1), most)


def _percent(lead: float, most: int) -> float:
    """Return a lead as percent of the comparisons won."""
    return 50 * (1 + lead / most) if most else 50.0


def _interval(gains: Sequence[float]) -> tuple[float, float] | None:
    if len(gains) < 2:
        return None
    mean = fmean(gains)
    # Not `stdev`: it is exact to the last digit, and takes a hundred times as long.
    square = fsum((gain - mean) ** 2 for gain in gains) / (len(gains) - 1)
    reach = student.quantile(0.975, len(gains) - 1) * sqrt(square / len(gains))
    return round(mean - reach, 1) + 0.0, round(mean + reach, 1) + 0.0
