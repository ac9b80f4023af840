"""Nash averaging and alpha-rank: games with known solutions, and a linear program as reference."""

from itertools import pairwise
from math import isfinite

import numpy as np
import pytest
from scipy.optimize import linprog, minimize

from tests.unit.tournaments.rows import contest, row
from tournaments.rating.columns import Array, columns
from tournaments.rating.equilibrium import MOST_BOTS, alpha_rank, equilibrium, nash, win_rates
from tournaments.rating.ratings import rate

ROCK_PAPER_SCISSORS = np.array([[0.0, 1, -1], [-1, 0, 1], [1, -1, 0]])
DOMINATED = np.array([[0.0, 2, 2], [-2, 0, 1], [-2, -1, 0]])


def drawn(size: int, seed: int, slope: float = 0.0) -> Array:
    luck = np.random.default_rng(seed)
    half, strength = luck.normal(size=(size, size)), slope * luck.normal(size=size)
    return np.asarray(half - half.T + strength[:, None] - strength[None, :])


def test_rock_paper_scissors_is_shared_equally() -> None:
    assert nash(ROCK_PAPER_SCISSORS) == pytest.approx([1 / 3] * 3)
    assert alpha_rank(0.5 + 0.4 * ROCK_PAPER_SCISSORS) == pytest.approx([1 / 3] * 3)


def test_unequal_cycles_have_the_known_mixture() -> None:
    game = ROCK_PAPER_SCISSORS * [[0, 2, 1], [2, 0, 3], [1, 3, 0]]
    assert nash(game) == pytest.approx([1 / 2, 1 / 6, 1 / 3], abs=1e-4)


def test_a_bot_that_beats_all_takes_all() -> None:
    assert nash(DOMINATED) == pytest.approx([1, 0, 0], abs=1e-9)
    assert alpha_rank(1 / (1 + np.exp(-DOMINATED))) == pytest.approx([1, 0, 0], abs=1e-6)


def test_bots_that_are_alike_share() -> None:
    copied = ROCK_PAPER_SCISSORS[np.ix_([0, 0, 1, 2], [0, 0, 1, 2])]
    assert nash(copied) == pytest.approx([1 / 6, 1 / 6, 1 / 3, 1 / 3], abs=1e-4)
    shares = alpha_rank(0.5 + 0.4 * copied)
    assert shares[0] == pytest.approx(shares[1])
    assert nash(np.zeros((4, 4))) == pytest.approx([0.25] * 4)


@pytest.mark.parametrize("size", [2, 5, 20, 60])
@pytest.mark.parametrize("slope", [0.0, 0.5, 5.0])
def test_the_mixture_is_that_of_a_linear_program(size: int, slope: float) -> None:
    for seed in range(2):
        game = drawn(size, seed, slope)
        found = nash(game)
        assert found.sum() == pytest.approx(1)
        assert found.min() >= 0
        # No bot has an advantage.
        assert (game @ found).max() < 2e-5 * np.abs(game).max()
        known = linprog(np.zeros(size), game, np.zeros(size), np.ones((1, size)), [1.0]).x
        assert found == pytest.approx(known, abs=1e-3)


def test_of_many_equilibria_it_is_that_with_the_greatest_entropy() -> None:
    # Two cycles of which neither beats the other.
    game = np.kron(np.eye(2), ROCK_PAPER_SCISSORS)
    game[0, 3], game[3, 0] = 0.0, 0.0
    known = minimize(
        lambda x: float((x * np.log(x)).sum()),
        np.array([0.19, 0.14, 0.17, 0.16, 0.18, 0.16]),
        bounds=[(1e-9, 1)] * 6,
        constraints=[
            {"type": "eq", "fun": lambda x: x.sum() - 1},
            {"type": "ineq", "fun": lambda x: -game @ x},
        ],
    ).x
    assert nash(game) == pytest.approx(known, abs=1e-3)


def test_the_shares_of_alpha_rank_are_stationary() -> None:
    rates = 1 / (1 + np.exp(-drawn(7, 3)))
    lead = rates.T - rates
    with np.errstate(invalid="ignore", divide="ignore"):
        takeover = np.where(np.eye(7) > 0, 0, np.expm1(-lead) / np.expm1(-50 * lead)) / 6
    chain = takeover + np.diag(1 - takeover.sum(axis=1))
    shares = alpha_rank(rates)
    assert shares @ chain == pytest.approx(shares, abs=1e-12)


def test_pairs_that_never_met_count_as_the_ratings_predict() -> None:
    played = [*contest("ab", 20), *contest("bc", 20)]
    elo = {line.bot: line.elo for line in rate(played, "abc").rows}
    rates = win_rates(columns(played, "abc"), rate(played, "abc").elo)
    assert rates[0, 2] == pytest.approx(1 / (1 + 10 ** ((elo["c"] - elo["a"]) / 400)))
    assert rates + rates.T == pytest.approx(np.ones((3, 3)))


def test_the_best_bot_of_an_ordered_field_takes_all() -> None:
    played = contest("abc", 60)
    first, second, third = equilibrium(columns(played, "abc"), rate(played, "abc"))
    assert (first.name, first.nash, first.nash_elo) == ("a", 1.0, 0.0)
    assert 0 > second.nash_elo > third.nash_elo
    assert first.alpha_rank > second.alpha_rank > third.alpha_rank


def test_too_many_bots_have_none() -> None:
    bots = [f"b{number:03}" for number in range(MOST_BOTS + 1)]
    made = columns(contest(bots[:3], 2), bots)
    assert equilibrium(made, rate(contest(bots[:3], 2), bots)) == ()


@pytest.mark.filterwarnings("error")
def test_no_odds_are_infinite_in_a_long_chain_of_sweeps() -> None:
    bots = [f"b{number:02}" for number in range(20)]
    played = [
        row((better, other), (1, 2), match=f"{better}-{number}")
        for better, other in pairwise(bots)
        for number in range(60)
    ]
    lines = equilibrium(columns(played, bots), rate(played, bots))
    assert [line.name for line in lines if line.nash > 0.01] == ["b00"]
    assert all(isfinite(line.nash_elo) and isfinite(line.alpha_rank) for line in lines)
    assert sum(line.alpha_rank for line in lines) == pytest.approx(1, abs=0.01)


def test_bots_that_no_results_connect_are_not_in_one_equilibrium() -> None:
    played = [*contest("abc", 20), *(row("xy", (1, 2), match=f"xy-{number}") for number in range(40))]
    bots = "abcnxy"
    lines = equilibrium(columns(played, bots), rate(played, bots))
    assert lines == equilibrium(columns(contest("abc", 20), "abc"), rate(contest("abc", 20), "abc"))
