"""Whether a bot's results change: over the life of a ladder, or from host to host. Pure."""

from collections.abc import Mapping
from math import inf, sqrt
from types import MappingProxyType
from typing import Final, NamedTuple

import msgspec
import numpy as np

from tournaments.rating import student
from tournaments.rating.clustered import LEAST_DEALS, Estimate, estimate
from tournaments.rating.columns import Array, Columns, Ints, grouped, total
from tournaments.rating.elo import SCALE
from tournaments.rating.holm import beyond

LEVEL: Final = 0.01
"""The chance that any bot is named that does not change, at most: in each of the two tests."""
LEAST_ROUNDS: Final = 100
"""An event with fewer rounds has no life to speak of; on a ladder every match is a round."""
LEAST_ON_A_HOST: Final = 10
"""Deals of a bot on a host and elsewhere, against opponents that it met on both."""


NO_HOSTS: Final[Mapping[str, str]] = MappingProxyType({})
"""It is not known where matches were played, or all were on one host."""


class DriftLine(msgspec.Struct, frozen=True):
    """Whether one bot grows stronger or weaker."""

    name: str
    slope: Estimate
    """Elo points in 1,000 matches of the ladder, against what its one rating for all the time predicts."""
    p: float
    """The chance of such a slope, up or down, if it does not change."""
    named: bool
    """Whether `p` is beyond the level, corrected for the number of bots (by Holm's method)."""


class HostLine(msgspec.Struct, frozen=True):
    """Whether one bot does better or worse on a host, against the same opponents."""

    name: str
    host: str
    difference: Estimate
    """In percent of the comparisons won: on this host, less elsewhere."""
    p: float
    """The chance of such a difference, up or down, if hosts do not matter."""
    named: bool
    """Whether `p` is beyond the level, corrected for the number of tests (by Holm's method)."""


class _Rows(NamedTuple):
    """Every comparison from both sides."""

    bot: Ints
    pair: Ints
    """Another number for each bot and opponent."""
    deal: Ints
    match: Ints
    round: Ints
    weight: Array
    points: Array
    expected: Array


class _Slope(NamedTuple):
    value: float
    error: float
    deals: int

    @property
    def chance(self) -> float:
        t = self.value / self.error if self.error else inf
        return min(1.0, 2 * student.cdf(-abs(t), self.deals - 2)) if self.value else 1.0


def _both_sides(columns: Columns, elo: Array) -> _Rows:
    rows = columns.where(columns.compared)
    expected = rows.expected(elo)
    size = len(columns.names)
    return _Rows(
        bot=np.concatenate([rows.one, rows.other]),
        pair=np.concatenate([rows.pair(), rows.other * size + rows.one]),
        deal=np.tile(rows.deal, 2),
        match=np.tile(rows.match, 2),
        round=np.tile(rows.round, 2),
        weight=np.tile(1 / (rows.seats - 1), 2),
        points=np.concatenate([rows.points, 1 - rows.points]),
        expected=np.concatenate([expected, 1 - expected]),
    )


def drift(columns: Columns, elo: Array) -> tuple[DriftLine, ...]:
    """Return how every bot with enough matches changes over the rounds; empty if there are few rounds."""
    if len(np.unique(columns.round)) < LEAST_ROUNDS:
        return ()
    rows = _both_sides(columns, elo)
    _, place = grouped(rows.round)
    time = place / 1_000
    slope = rows.expected * (1 - rows.expected)
    mean = _means(rows.bot, time, rows.weight * slope, len(columns.names))
    found = _slopes(rows, time - mean[rows.bot], rows.points - rows.expected, slope, len(columns.names))
    chances = {bot: one.chance for bot, one in found.items()}
    named = beyond(chances, LEVEL)
    return tuple(
        DriftLine(
            columns.names[bot],
            estimate(SCALE * one.value, SCALE * one.error, one.deals, 1),
            float(f"{one.chance:.3g}"),
            bot in named,
        )
        for bot, one in found.items()
    )


def host_effects(columns: Columns, elo: Array, hosts: Mapping[str, str]) -> tuple[HostLine, ...]:
    """Return how the results of bots differ between hosts; `hosts` has by id of a match where it was played.

    Only results against the same opponent are compared, so the ratings do not matter. With two hosts there
    is one line for each bot, with the host that is later by name.
    """
    names = sorted(set(hosts.values()))
    if len(names) < 2:
        return ()
    rows = _both_sides(columns, elo)
    of_match = np.array([names.index(hosts[match]) if match in hosts else -1 for match in columns.matches])
    host = of_match[rows.match] if len(rows.match) else rows.match
    known = host >= 0
    rows, host = _Rows._make(column[known] for column in rows), host[known]
    _, pair = grouped(rows.pair)
    found: dict[tuple[int, int], _Slope] = {}
    for number in range(1 if len(names) == 2 else 0, len(names)):
        here = (host == number).astype(np.float64)
        size = int(pair.max(initial=-1)) + 1
        share = here - _means(pair, here, rows.weight, size)[pair]
        points = rows.points - _means(pair, rows.points, rows.weight, size)[pair]
        enough = _with_both(rows, here, share, len(columns.names))
        slopes = _slopes(rows, share, points, np.ones(len(points)), len(columns.names))
        found |= {(bot, number): one for bot, one in slopes.items() if bot in enough}
    chances = {key: one.chance for key, one in found.items()}
    named = beyond(chances, LEVEL)
    return tuple(
        HostLine(
            columns.names[bot],
            names[number],
            estimate(100 * one.value, 100 * one.error, one.deals, 1),
            float(f"{one.chance:.3g}"),
            (bot, number) in named,
        )
        for (bot, number), one in sorted(found.items())
    )


def _means(place: Ints, values: Array, weight: Array, size: int) -> Array:
    return np.asarray(total(place, weight * values, size) / np.maximum(total(place, weight, size), 1e-300))


def _with_both(rows: _Rows, here: Array, share: Array, size: int) -> set[int]:
    """Return the bots with enough deals on a host and elsewhere, against opponents that they met on both."""
    enough = np.ones(size, np.bool_)
    for side in (here == 1, here == 0):
        keys, _ = grouped((rows.deal * size + rows.bot)[side & (share != 0)])
        enough &= np.bincount(keys % size, minlength=size) >= LEAST_ON_A_HOST
    return {int(bot) for bot in np.flatnonzero(enough)}


def _slopes(rows: _Rows, centred: Array, surplus: Array, slope: Array, size: int) -> dict[int, _Slope]:
    """Return by bot how its surplus goes with a centred value, with the error that deals show.

    `slope` is what the surplus changes by for one unit of what is estimated. Few deals may weigh most, as
    those on a host that was hardly used, and may have ended alike by luck: so the error is never less than it
    would be if these varied as all deals of the bot do.
    """
    below = total(rows.bot, rows.weight * centred**2 * slope, size)
    value = total(rows.bot, rows.weight * centred * surplus, size) / np.maximum(below, 1e-300)
    left = rows.weight * (surplus - value[rows.bot] * centred * slope)
    keys, cell = grouped(rows.deal * size + rows.bot)
    varied, square = (
        total(keys % size, total(cell, each, len(keys)) ** 2, size) for each in (left, centred * left)
    )
    alike, weighed = (
        total(rows.bot, rows.weight**2 * slope * each, size) for each in (np.ones(len(slope)), centred**2)
    )
    square = np.maximum(square, varied * weighed / np.maximum(alike, 1e-300))
    used, _ = grouped((rows.deal * size + rows.bot)[centred != 0])
    deals = np.bincount(used % size, minlength=size)
    return {
        int(bot): _Slope(
            float(value[bot]),
            sqrt(float(square[bot]) * float(deals[bot]) / float(deals[bot] - 2)) / float(below[bot]),
            int(deals[bot]),
        )
        for bot in np.flatnonzero((deals >= LEAST_DEALS) & (below > 0))
    }
