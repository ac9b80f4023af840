"""How precise the ratings of a planned tournament will be. Pure.

With bots of about equal strength the covariance of the ratings follows from the schedule and from one figure,
the standard deviation of a block's score; `docs/tournaments.md` has the formula.
"""

import hashlib
import json
from collections import Counter
from itertools import combinations
from math import ceil
from statistics import fmean

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tournaments.config.plan import Plan
from tournaments.pairing.schedule import Balance, expected, pools_of
from tournaments.rating import student
from tournaments.rating.basis import Basis
from tournaments.rating.elo import SCALE
from tournaments.rating.ratings import CONFIDENCE


class WishedPrecision(Struct, frozen=True):
    """What it takes until ratings are as precise as wished."""

    elo: float
    """Half the interval of a rating."""
    blocks: int
    """The key `blocks` of the file."""
    matches: int
    seconds: float | None


class Forecast(Struct, frozen=True):
    """How precise a tournament will be, and how long it takes here."""

    basis: Basis
    rating: float | None
    """Half the 95 % interval of a rating, in Elo, on average over the bots.

    None for a knockout, in which the bots that lose are hardly rated.
    """
    difference: float | None
    """Half the 95 % interval of the difference of two bots, in Elo, on average over all pairs; or None."""
    seconds: float | None
    """All matches; None if it is not known how long one takes."""
    wished: WishedPrecision | None


def forecast(plan: Plan, even: Balance | None, basis: Basis, wished: float | None) -> Forecast:
    """Return the forecast. A knockout has one of its time only."""
    matches = expected(plan)
    seconds = None if basis.time is None else basis.time.seconds
    if plan.format == "knockout":
        return Forecast(basis, None, None, _product(matches, seconds), None)
    rating, difference = _errors(plan, even, basis.sd)
    enough = None
    if wished is not None:
        # Errors fall with the root of the number of blocks.
        blocks = max(1, ceil(plan.blocks * (rating / wished) ** 2))
        needed = matches // plan.blocks * blocks
        enough = WishedPrecision(wished, blocks, needed, _product(needed, seconds))
    return Forecast(basis, round(rating, 1), round(difference, 1), _product(matches, seconds), enough)


def _product(count: int, seconds: float | None) -> float | None:
    return None if seconds is None else round(count * seconds, 1)


def _errors(plan: Plan, even: Balance | None, sd: float) -> tuple[float, float]:
    """Return half the interval of a rating and of a difference, on average.

    A block of n bots adds n on the diagonal less 1 everywhere, among its bots, to a matrix L. Slopes of the
    likelihood and its curvature are both proportional to it, so the covariance of the ratings is so to its
    inverse.
    """
    meetings = _swiss_meetings(plan) if even is None else _meetings(even, plan.seats)
    together = _matrix(plan, meetings) * plan.blocks
    covariance = 16 * (plan.seats - 1) * sd**2 * SCALE**2 * np.linalg.pinv(together, hermitian=True)
    own = np.diag(covariance)
    between = np.maximum(own[:, None] + own[None, :] - 2 * covariance, 0.0)
    # Ratings of different pools cannot be compared.
    pool = {name: number for number, names in enumerate(pools_of(plan)) for name in names}
    pools = np.array([pool[name] for name in plan.names])
    together_in = pools[:, None] == pools[None, :]
    if plan.anchor is not None:
        at = plan.names.index(plan.anchor)
        own = np.delete(np.where(together_in[at], between[at], own), at)
    blocks = fmean(np.diag(together)) / (plan.seats - 1)
    reach = student.quantile((1 + CONFIDENCE) / 2, max(2, round(blocks) - 1))
    pairs = between[np.triu(together_in, 1)]
    return reach * float(np.mean(np.sqrt(np.maximum(own, 0.0)))), reach * float(np.mean(np.sqrt(pairs)))


def _matrix(plan: Plan, meetings: Counter[tuple[str, str]]) -> NDArray[np.float64]:
    number = {name: at for at, name in enumerate(plan.names)}
    together = np.zeros((len(number), len(number)))
    for (one, other), count in meetings.items():
        together[number[one], number[other]] -= count
        together[number[other], number[one]] -= count
    np.fill_diagonal(together, -together.sum(axis=1))
    return together


def _meetings(even: Balance, seats: int) -> Counter[tuple[str, str]]:
    """Return in how many blocks every two bots meet, given how often they meet in a deal of every group."""
    return Counter({pair: count // seats for pair, count in even.pairs.items()})


def _swiss_meetings(plan: Plan) -> Counter[tuple[str, str]]:
    """Return which bots might meet in a Swiss tournament: that depends on results, so lots decide here."""
    meetings: Counter[tuple[str, str]] = Counter()
    for of_round in range(plan.rounds):
        order = sorted(plan.names, key=lambda name: _lot(of_round, name))
        for first in range(0, len(order) - plan.seats + 1, plan.seats):
            meetings.update(combinations(sorted(order[first : first + plan.seats]), 2))
    return meetings


def _lot(of_round: int, name: str) -> str:
    return hashlib.sha256(json.dumps(["forecast", of_round, name]).encode()).hexdigest()
