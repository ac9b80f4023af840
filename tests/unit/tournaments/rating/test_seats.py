"""What a seat is worth, draws, and the note on winners."""

from random import Random

import numpy as np
import pytest

from tests.campaigns.statistics.worlds import World
from tests.unit.tournaments.rows import contest, row
from tournaments.rating.columns import columns
from tournaments.rating.ratings import rate
from tournaments.rating.seats import SeatWorth, draw_ratio, seat_notes, seat_worth


def worth(world: World, seed: int = 1) -> list[SeatWorth]:
    played = world.play(Random(seed))
    return list(seat_worth(columns(played, world.bots), rate(played, world.bots).elo))


def test_a_seat_that_helps_has_an_advantage() -> None:
    first, second = worth(World(2, (0.5, -0.5), 150, first_seat=0.8))
    assert (first.seat, second.seat, first.seats) == (0, 1, 2)
    assert first.percent + second.percent == pytest.approx(100)
    assert first.advantage.value == pytest.approx(-second.advantage.value)
    assert first.advantage.interval is not None
    assert 5 < first.advantage.interval[0] < 19 < first.advantage.interval[1] < 30


def test_equal_seats_have_none() -> None:
    assert all(line.advantage.is_nothing for line in worth(World(3, (0.5, 0.0, -0.5), 60, cards=0.3), 2))


@pytest.mark.parametrize(("ranks", "value"), [((1, 1), 0.0), ((1, 2), 50.0)])
def test_a_seat_that_did_alike_in_all_deals_may_do_otherwise(ranks: tuple[int, int], value: float) -> None:
    played = [row("ab" if n % 2 else "ba", ranks, match=f"m{n}") for n in range(100)]
    (first, _) = seat_worth(columns(played, "ab"), np.full(2, 1500.0))
    assert first.advantage.value == value
    assert first.advantage.error is not None
    assert 0.5 < first.advantage.error < 2


def test_few_deals_have_no_error() -> None:
    made = columns([row("ab", (1, 2))], "ab")
    (first, _) = seat_worth(made, np.full(2, 1500.0))
    assert (first.percent, first.advantage.value, first.advantage.error) == (100.0, 50.0, None)


def test_draws_are_counted_of_the_comparisons() -> None:
    played = [row("ab", (1, 1) if n % 4 == 0 else (1, 2), match=f"m{n}") for n in range(40)]
    found = draw_ratio(columns(played, "ab"))
    assert found is not None
    assert found.value == 25
    assert found.error == pytest.approx(100 * (0.25 * 0.75 / 39) ** 0.5, rel=0.01)
    assert draw_ratio(columns([], "ab")) is None


def test_winners_without_an_order_behind_them_are_noted_with_three_seats_and_more() -> None:
    three = [row("abc", (1, 2, 2), ties="unordered", match=f"m{n}") for n in range(5)]
    (note,) = seat_notes(columns(three, "abc"))
    assert "only with those of 3 seats" in note
    assert not list(seat_notes(columns(contest("abc", 5, seats=3), "abc")))
    assert not list(seat_notes(columns([row("ab", (1, 2), ties="unordered")], "ab")))


def test_draws_that_were_not_seen_are_not_impossible() -> None:
    found = draw_ratio(columns([row("ab", (1, 2), match=f"m{n}") for n in range(100)], "ab"))
    assert found is not None
    assert found.interval is not None
    assert (found.value, found.interval[0]) == (0.0, 0.0)
    # The rule of three.
    assert found.interval[1] == pytest.approx(3.4, abs=0.3)
