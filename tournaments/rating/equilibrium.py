"""What Elo does not say if bots beat each other in cycles: Nash averaging and alpha-rank. Pure.

Both begin with how often each bot beats each other one. **Nash averaging** is a game of two players: each
chooses a bot, and is paid the log odds of its bot. Its equilibrium with the greatest entropy is a mixture of
bots against which no bot has an advantage; bots outside it lose against the mixture. **Alpha-rank** lets bots
spread in a population: a stronger one takes it over; the rank of a bot is the share of the time it has it.
"""

from math import expm1, sqrt
from typing import Final

import msgspec
import numpy as np

from tournaments.rating.columns import Array, Columns, total
from tournaments.rating.elo import SCALE
from tournaments.rating.ratings import Ratings

MOST_BOTS: Final = 100
"""With more bots neither is computed: a field of so many pairs has too few matches of most of them."""
VIRTUAL: Final = 2.0
"""The weight of the prediction of the ratings in every pair, in matches: no pair has infinite odds."""
POPULATION: Final = 50
INTENSITY: Final = 1.0
"""Of selection: at 60:40 a takeover is nearly certain, at 51:49 it is not."""

_WIDEST: Final = 50.0
"""Of a predicted lead, in log odds: beyond that the result is certain, but no odds are infinite."""
_COOLEST: Final = 1e-8
_COOLING: Final = 0.5
_CLOSE: Final = 1e-7
_MOST_COOLINGS: Final = 1_000
"""Far more than any game of bots takes; a bound on the time of one that is nearly degenerate."""
_MOST_STEPS: Final = 12
_LONGEST_STEP: Final = 2.0
_WARMEST: Final = 10.0
_LEAST_RATE: Final = 1e-290


class EquilibriumLine(msgspec.Struct, frozen=True):
    """What the equilibria say of one bot."""

    name: str
    nash: float
    """Its share of the mixture against which no bot has an advantage."""
    nash_elo: float
    """Its advantage over that mixture: 0 for its members, and less for the others."""
    alpha_rank: float
    """The share of the time that it has the whole population."""


def equilibrium(columns: Columns, ratings: Ratings) -> tuple[EquilibriumLine, ...]:
    """Return the equilibria of bots (by name) with these ratings; empty if there are too many bots.

    They are those of the largest group: against bots that no results connect with it nothing is predicted.
    """
    names = sorted(ratings.groups[0]) if ratings.groups else []
    if not 2 <= len(names) <= MOST_BOTS or len(columns.names) > MOST_BOTS:
        return ()
    group = [columns.names.index(name) for name in names]
    rates = win_rates(columns, ratings.elo)[np.ix_(group, group)]
    odds = np.log(rates / rates.T)
    mixture = nash(odds)
    ahead = SCALE * (odds @ mixture)
    shares = alpha_rank(rates)
    return tuple(
        EquilibriumLine(
            name, _rounded(mixture[bot], 4), min(_rounded(ahead[bot], 1), 0.0), _rounded(shares[bot], 4)
        )
        for bot, name in enumerate(names)
    )


def _rounded(value: float, digits: int) -> float:
    return round(float(value), digits) + 0.0


def win_rates(columns: Columns, elo: Array) -> Array:
    """Return how often the bot of the row beats that of the column.

    Every pair has some virtual matches that end as the ratings predict: two that never met have these alone.
    """
    size = len(elo)
    weight = np.where(columns.compared, 1 / (columns.seats - 1), 0.0)
    games = total(columns.pair(), weight, size**2).reshape(size, size)
    points = total(columns.pair(), weight * columns.points, size**2).reshape(size, size)
    points += np.tril((games - points).T, -1)
    games += games.T
    gap = np.clip((elo[:, None] - elo[None, :]) / SCALE, -_WIDEST, _WIDEST)
    # Not one less the rate of the other side: of a rate near one nothing would be left.
    return np.asarray((points + VIRTUAL / (1 + np.exp(-gap))) / (games + VIRTUAL))


def nash(payoffs: Array) -> Array:
    """Return the equilibrium of a game of two players with these antisymmetric payoffs.

    There may be many; this one has the greatest entropy, so bots that are alike share equally. It is the end
    of a path: if choices are a little random, x(i) is proportional to exp(payoff(i) / temperature), there is
    exactly one equilibrium, and Newton's method follows it while the temperature falls. The matrix of its
    steps is the unit matrix plus an antisymmetric one, up to scale, so it is never singular.
    """
    size = len(payoffs)
    scale = float(np.abs(payoffs).max())
    logs = np.full(size, -np.log(size))
    if scale == 0:
        return np.full(size, 1 / size)
    game = payoffs / scale
    # So warm that all shares are nearly equal: Newton's method needs no nearer beginning.
    temperature, cooling = _WARMEST, _COOLING
    for _ in range(_MOST_COOLINGS):
        if temperature <= _COOLEST:
            break
        # Bots that lose against the mixture leave it as fast as the temperature falls.
        begin = logs + game @ np.exp(logs) * (1 / cooling - 1) / temperature
        found = _settled(game, begin - _log_sum(begin), cooling * temperature)
        if found is None:
            # The path bends here: shorter steps.
            cooling = sqrt(cooling)
            continue
        logs, temperature, cooling = found, cooling * temperature, max(cooling**2, _COOLING)
    return np.asarray(np.exp(logs - _log_sum(logs)))


def _log_sum(logs: Array) -> float:
    most = float(logs.max())
    return most + float(np.log(np.exp(logs - most).sum()))


def _settled(game: Array, logs: Array, temperature: float) -> Array | None:
    """Return the logarithms of the shares at a temperature, from those near them; None if none are near."""
    size = len(logs)
    for _ in range(_MOST_STEPS):
        shares = np.exp(logs)
        wrong = np.append(game @ shares / temperature - logs, 1 - shares.sum())
        # Unknowns: the logarithms, and the constant that makes the shares add up to one.
        jacobian = np.zeros((size + 1, size + 1))
        jacobian[:size, :size] = np.eye(size) - game * shares / temperature
        jacobian[:size, size] = 1.0
        jacobian[size, :size] = shares
        step = np.linalg.solve(jacobian, wrong)[:size]
        longest = float(np.abs(step).max())
        logs = logs + step * min(1.0, _LONGEST_STEP / max(longest, 1e-300))
        if longest < _CLOSE:
            return logs
    return None


def alpha_rank(rates: Array) -> Array:
    """Return the shares of the time that a population consists of one bot (Fermi process, small mutation).

    A mutant takes over a population of m with probability (1 - e^-ad) / (1 - e^-mad), where d is its win rate
    less that of the residents between the two, and a the intensity of selection.
    """
    size = len(rates)
    lead = INTENSITY * (rates.T - rates)
    takeover = np.array([[_takeover(float(value)) for value in row] for row in lead])
    return _stationary(takeover / max(size - 1, 1))


def _takeover(lead: float) -> float:
    if abs(lead) < 1e-12:
        return 1 / POPULATION
    return max(expm1(-lead) / expm1(-POPULATION * lead), _LEAST_RATE)


def _stationary(rates: Array) -> Array:
    """Return the stationary distribution of a chain (Grassmann, Taksar and Heyman).

    It never subtracts, so that very small rates keep all their digits.
    """
    chain = rates.copy()
    np.fill_diagonal(chain, 0.0)
    size = len(chain)
    for last in range(size - 1, 0, -1):
        chain[:last, last] /= max(float(chain[last, :last].sum()), _LEAST_RATE)
        chain[:last, :last] += np.outer(chain[:last, last], chain[last, :last])
    shares = np.ones(size)
    for bot in range(1, size):
        shares[bot] = shares[:bot] @ chain[:bot, bot]
    return np.asarray(shares / shares.sum())
