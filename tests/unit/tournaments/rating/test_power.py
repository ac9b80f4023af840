"""Forecasts of lengths and errors against simulations; the long form is `make statistics`."""

from statistics import fmean

import numpy as np
import pytest
from msgspec.structs import replace

from tests.campaigns.statistics.power import PLANS, of_length, of_ratings
from tests.campaigns.statistics.sprt import pairs
from tests.unit.tournaments.plans import plan, played
from tests.unit.tournaments.rows import contest
from tournaments.pairing.schedule import balance, fixtures
from tournaments.rating.basis import MatchTime, assumed, match_time, of_results, stored_time
from tournaments.rating.power import Hypotheses, coin_sd, length_of_test, worst_score
from tournaments.rating.precision import forecast
from tournaments.rating.ratings import rate
from tournaments.rating.sprt import Sprt
from tournaments.rating.sprt_plan import plan_of

EVEN = Hypotheses(0.5, 0.52, -2.944, 2.944)


def test_the_length_of_a_test_is_the_one_that_was_predicted() -> None:
    failed = [str(claim) for claim in of_length(pairs, (0, 60), 60, 80) if not claim.holds]
    assert failed == []


@pytest.mark.parametrize("name", PLANS)
def test_the_errors_of_ratings_are_those_that_were_predicted(name: str) -> None:
    failed = [str(claim) for claim in of_ratings(name, 240) if not claim.holds]
    assert failed == []


def test_a_test_takes_longest_in_the_middle_and_is_shorter_the_more_is_certain() -> None:
    assert worst_score(0.2, EVEN) == pytest.approx(0.51)
    lengths = [length_of_test(score, 0.2, EVEN) for score in (0.48, 0.5, 0.51, 0.52, 0.54)]
    means = [length.mean for length in lengths]
    assert means[0] < means[1] < means[2] > means[3] > means[4]
    assert means[1] == pytest.approx(means[3])
    assert all(length.mean < length.within for length in lengths)


def test_a_test_that_is_nearly_decided_is_nearly_over() -> None:
    begins, near = (length_of_test(0.52, 0.2, EVEN, llr).mean for llr in (0.0, 2.8))
    assert near < begins / 5


def test_four_times_as_precise_takes_sixteen_times_as_many_blocks() -> None:
    test, basis = Sprt(0, 10), assumed(2, 0.3, None, 0.5)
    fine, coarse = (plan_of(test, basis, 0.95, precision).lines[-1] for precision in (5, 20))
    assert fine.blocks == pytest.approx(16 * coarse.blocks, rel=0.01)
    assert (fine.matches, fine.seconds) == (2 * fine.blocks, fine.blocks)
    assert fine.within is None


def test_matches_that_are_lots_have_the_deviation_of_lots() -> None:
    luck = np.random.default_rng(4)
    for seats in (2, 3, 6):
        ranks = luck.integers(0, seats, (20_000, seats)) / (seats - 1)
        assert coin_sd(seats) == pytest.approx(ranks.mean(axis=1).std(), rel=0.02)


def test_results_are_compared_with_those_of_the_same_bots() -> None:
    # Bots of very different strength: differences between pairings are no luck.
    basis = of_results(contest("abc", 40), "results", MatchTime(1.0))
    assert basis is not None
    assert basis.sd == pytest.approx(coin_sd(2), rel=0.15)
    assert (basis.blocks, basis.drawn) == (120, 0.0)
    assert 0.1 < basis.error < 0.5
    assert of_results(contest("ab", 1), "results", MatchTime(1.0)) is None


def test_the_time_of_a_match_is_shared_by_the_matches_at_once() -> None:
    rows = contest("ab", 5)
    assert match_time(rows, 20.0) == MatchTime(2.0, 0.0)
    alone, four = (stored_time(rows, 0.2, jobs).seconds for jobs in (1, 4))
    assert alone == pytest.approx(0.080 + 7 * 0.0002)
    assert four == pytest.approx(alone / 4)


@pytest.mark.parametrize("seats", [3, 5])
def test_errors_of_games_with_only_a_winner_are_as_assumed(seats: int) -> None:
    planned, luck = plan(6, seats=seats, blocks=12), np.random.default_rng(5)
    even = balance(fixtures(plan(6, seats=seats, blocks=1)))
    squares = []
    for _ in range(8):
        rows = []
        for fixture in fixtures(planned):
            winner = luck.integers(seats)
            won = played(fixture, tuple(1 if seat == winner else 2 for seat in range(seats)))
            rows.append(replace(won, result=replace(won.result, ties="unordered")))
        squares += [(row.elo - 1500) ** 2 for row in rate(rows, planned.names).rows]
    expects = forecast(planned, even, assumed(seats, 0.0, None, None, only_winners=True), None)
    assert expects.rating is not None
    assert 1.96 * fmean(squares) ** 0.5 == pytest.approx(expects.rating, rel=0.2)


def test_a_wished_precision_takes_blocks_with_the_square() -> None:
    planned = plan(4, blocks=10)
    even, basis = balance(fixtures(plan(4, blocks=1))), assumed(2, 0.0, None, 2.0)
    expects = forecast(planned, even, basis, 10)
    assert expects.wished is not None
    assert expects.rating is not None
    assert expects.difference is not None
    assert expects.wished.blocks == pytest.approx(10 * (expects.rating / 10) ** 2, abs=2)
    assert expects.wished.matches == 12 * expects.wished.blocks
    assert expects.seconds == 2.0 * 120
    assert expects.difference > expects.rating


def test_the_time_of_a_knockout_is_foretold_and_its_errors_are_not() -> None:
    expects = forecast(plan(4, format="knockout", blocks=10), None, assumed(2, 0.0, None, 2.0), None)
    assert (expects.rating, expects.difference, expects.wished) == (None, None, None)
    assert expects.seconds == 2.0 * 60
