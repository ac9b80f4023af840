"""Trials: the better action is taken, a lucky one is not, and no more trials are made than allowed."""

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.chance import KeyedChance, deal_key
from sample_bots.python.search_trials import FEWEST, Doubt, best

DOUBT = Doubt(errors=1.5, error=5.0)
ACTIONS = ["favourite", "good", "bad", "worse", "worst"]


class Coins:
    """A purse with a number of coins, and a note of who was tried in which round."""

    def __init__(self, coins: int) -> None:
        self.coins = coins
        self.tried: list[tuple[str, int]] = []

    def spent(self) -> float:
        return len(self.tried) / self.coins if self.coins else 1.0

    def pay(self) -> None:
        """Nothing to do: `trial` keeps the book."""

    def trial(self, action: str, number: int) -> float:
        self.tried.append((action, number))
        chance = KeyedChance(deal_key(action, str(number)))
        return -60.0 * (ACTIONS.index(action) - 2 * (action == "good")) + chance.below("noise", 100)

    def rounds(self, action: str) -> int:
        return sum(tried == action for tried, _ in self.tried)


def test_the_better_action_is_found() -> None:
    coins = Coins(100)
    assert best(ACTIONS, coins.trial, coins, DOUBT) == "good"


def test_all_are_tried_with_the_luck_of_the_same_rounds() -> None:
    coins = Coins(100)
    best(ACTIONS, coins.trial, coins, DOUBT)
    for action in ACTIONS:
        numbers = [number for tried, number in coins.tried if tried == action]
        assert numbers == list(range(len(numbers)))


def test_the_worse_half_is_dropped_and_the_favourite_stays() -> None:
    coins = Coins(100)
    best(ACTIONS, coins.trial, coins, DOUBT)
    assert coins.rounds("favourite") == coins.rounds("good") > 2 * coins.rounds("worst")


def test_the_favourite_is_left_only_for_what_is_better_beyond_chance() -> None:
    purse = Coins(40)

    def trial(action: str, number: int) -> float:
        purse.trial(action, number)
        return (-1) ** number + 0.01 if action == "good" else 0.0

    assert best(["favourite", "good"], trial, purse, DOUBT) == "favourite"


@pytest.mark.parametrize(("better", "taken"), [(4.0, "favourite"), (6.0, "good")])
def test_what_is_always_a_little_better_may_be_an_error_of_judgement(better: float, taken: str) -> None:
    purse = Coins(40)

    def trial(action: str, number: int) -> float:
        purse.trial(action, number)
        return better if action == "good" else 0.0

    assert best(["favourite", "good"], trial, purse, DOUBT) == taken


@pytest.mark.parametrize("coins", [0, 1, 2 * FEWEST - 1])
def test_a_few_trials_decide_nothing(coins: int) -> None:
    purse = Coins(coins)
    assert best(["favourite", "good"], purse.trial, purse, DOUBT) == "favourite"


def test_what_has_no_rival_needs_no_trial() -> None:
    purse = Coins(100)
    assert best(["only"], purse.trial, purse, DOUBT) == "only"
    assert not purse.tried


@given(st.integers(0, 200), st.lists(st.sampled_from(ACTIONS), min_size=1, unique=True))
def test_never_more_is_spent_than_there_is(coins: int, actions: list[str]) -> None:
    purse = Coins(coins)
    assert best(actions, purse.trial, purse, DOUBT) in actions
    assert len(purse.tried) <= coins


def test_a_round_that_cannot_be_finished_does_not_count() -> None:
    """The last trial would make `good` the better one, but the favourite had none to match it."""
    values: Iterator[float] = iter([0.0, 0.0] * FEWEST + [-100.0])
    purse = Coins(2 * FEWEST + 1)

    def trial(action: str, number: int) -> float:
        purse.trial(action, number)
        return next(values)

    assert best(["favourite", "good"], trial, purse, DOUBT) == "favourite"
