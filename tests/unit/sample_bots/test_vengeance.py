"""The vengeance bot: it escorts its boss, takes hostages, knows the wheel's odds, and wins."""

import pytest

from referee.games.vengeance import GAME
from sample_bots.python.vengeance_value import REACHED, hire_value, missed, value
from tests.rules.vengeance.build import begun, position
from tests.unit.sample_bots.arena import HEROES, answer, match

HERO = HEROES["vengeance"]


# What it knows.


def test_it_knows_how_likely_a_hood_can_go_so_far() -> None:
    # A 1 is on one of two dice in 11 of 36 rolls; 7 needs the total, 12 the double six.
    assert [REACHED[points] * 36 for points in (1, 2, 7, 12)] == [11, 12, 6, 1]
    state = position({0: "Y", 1: "Y"}, hq={"Y": 0, "O": 0, "B": 0, "G": 0})
    assert missed(state, 1, 2) == pytest.approx((1 - 12 / 36) * (1 - 11 / 36))
    assert missed(state, 2, 2) == 1


def test_it_knows_what_a_spin_is_worth() -> None:
    nobody = position({2: "Y", 12: "O"})
    hood, group = position({3: "Y"}), position({4: "YYY"})
    assert hire_value(nobody, 0, 0) == 0, "safe cells and the hirer's own"
    assert hire_value(group, 0, 0) == pytest.approx(3 * hire_value(hood, 0, 0))
    assert hire_value(position({3: "B"}, seats=2), 0, 0) < 0, "its other gang"


def test_a_boss_alone_is_worth_less_than_one_in_company() -> None:
    assert value(position({20: "O*O"}), 0) > value(position({20: "O*", 21: "O"}), 0)


# What it does.


def test_it_goes_home() -> None:
    assert answer(HERO, begun({33: "O*O", 12: "O"}, [3, 1])) == "boss O 3"


def test_its_boss_goes_where_a_hood_is() -> None:
    state = begun({20: "O*O", 23: "O", 10: "Y", 14: "Y"}, [3, 5])
    assert answer(HERO, state) == "boss O 3"


def test_boss_and_hood_meet_on_one_cell_with_two_dice() -> None:
    state = begun({20: "O*O", 19: "O", 10: "Y", 14: "Y"}, [4, 5], hq={"O": 0})
    actions = [answer(HERO, state)]
    state.apply(0, actions[0])
    actions.append(answer(HERO, state))
    assert sorted(actions) == ["boss O 4", "hood O 19 5"]


def test_it_takes_a_boss_hostage_and_kills_him() -> None:
    state = begun({0: "O", 2: "Y*", 33: "O"}, [2, 5], hq={"O": 0})
    first = answer(HERO, state)
    state.apply(0, first)
    second = answer(HERO, state)
    assert {first, second} == {"hood O 0 2", "hood O 33 5"}
    assert state.falls[1] == 0
    state.apply(0, second)
    assert state.falls[1] == 1


def test_it_does_not_walk_into_an_ambush_if_it_can_help_it() -> None:
    assert answer(HERO, begun({12: "O", 14: "YY", 15: "B"}, [2, 3], hq={"O": 0})) != "hood O 12 2"


# How it fares.


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_among_its_like_a_boss_comes_home(seats: int) -> None:
    assert match(GAME, [HERO.make] * seats, "like").outcome.reason == "goal"
