"""The vengeance bot: it escorts its boss, takes hostages, knows the wheel's odds, and wins."""

import os
import subprocess
import sys
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.client import Bot
from protocol.codec import Encoding, encode, from_bot
from protocol.messages import Act, Ask, AskClock, Bye, Hello, Limits, Ready, Start, TimeControl, View, Welcome
from referee.chance import KeyedChance, deal_key
from referee.game import Options, Outcome
from referee.games.vengeance import GAME
from referee.games.vengeance.state import State
from sample_bots.python import SAMPLES, vengeance
from sample_bots.python.random_bot import RandomBot
from sample_bots.python.vengeance_value import REACHED, hire_value, missed, value
from tests.rules.vengeance.build import begun, table

CLOCK = TimeControl(1, 1, 1, 1, 1)
Choose = Callable[[View, list[str]], str | list[str]]


def at_random(seat: int, seats: int, match: str) -> Choose:
    """Return the random bot, told of a match."""
    bot: Bot = RandomBot()
    bot.start(Start(match, GAME.info.id, {}, seat, seats, [""] * seats, CLOCK, ""))
    return bot.choose


def play(heroes: Sequence[bool], deal: str, options: Options | None = None) -> tuple[Outcome, list[str]]:
    """Play a match of the bot and of random ones; every answer must be legal."""
    seats = len(heroes)
    bots = [vengeance.choose if hero else at_random(seat, seats, deal) for seat, hero in enumerate(heroes)]
    state, _ = GAME.new(seats, KeyedChance(deal_key("vengeance", deal)), options)
    actions: list[str] = []
    while state.to_act():
        seat = state.active
        action = bots[seat](state.view(seat), state.legal(seat)[:])
        assert isinstance(action, str)
        assert action in state.legal(seat)
        state.apply(seat, action)
        actions.append(action)
    outcome = state.outcome()
    assert outcome is not None
    return outcome, actions


def answer(state: State) -> str:
    action = vengeance.choose(state.view(state.active), state.legal(state.active)[:])
    assert action in state.legal(state.active)
    return action


# What it knows.


def test_it_knows_how_likely_a_hood_can_go_so_far() -> None:
    # A 1 is on one of two dice in 11 of 36 rolls; 7 needs the total, 12 the double six.
    assert [REACHED[points] * 36 for points in (1, 2, 7, 12)] == [11, 12, 6, 1]
    state = table({0: "Y", 1: "Y"}, hq={"Y": 0, "O": 0, "B": 0, "G": 0})
    assert missed(state, 1, 2) == pytest.approx((1 - 12 / 36) * (1 - 11 / 36))
    assert missed(state, 2, 2) == 1


def test_it_knows_what_a_spin_is_worth() -> None:
    nobody = table({2: "Y", 12: "O"})
    hood, group = table({3: "Y"}), table({4: "YYY"})
    assert hire_value(nobody, 0, 0) == 0, "safe cells and the hirer's own"
    assert hire_value(group, 0, 0) == pytest.approx(3 * hire_value(hood, 0, 0))
    assert hire_value(table({3: "B"}, seats=2), 0, 0) < 0, "its other gang"


def test_a_boss_alone_is_worth_less_than_one_in_company() -> None:
    assert value(table({20: "O*O"}), 0) > value(table({20: "O*", 21: "O"}), 0)


# What it does.


def test_it_goes_home() -> None:
    assert answer(begun({33: "O*O", 12: "O"}, [3, 1])) == "boss O 3"


def test_its_boss_goes_where_a_hood_is() -> None:
    state = begun({20: "O*O", 23: "O", 10: "Y", 14: "Y"}, [3, 5])
    assert answer(state) == "boss O 3"


def test_boss_and_hood_meet_on_one_cell_with_two_dice() -> None:
    state = begun({20: "O*O", 19: "O", 10: "Y", 14: "Y"}, [4, 5], hq={"O": 0})
    actions = [answer(state)]
    state.apply(0, actions[0])
    actions.append(answer(state))
    assert sorted(actions) == ["boss O 4", "hood O 19 5"]


def test_it_takes_a_boss_hostage_and_kills_him() -> None:
    state = begun({0: "O", 2: "Y*", 33: "O"}, [2, 5], hq={"O": 0})
    first = answer(state)
    state.apply(0, first)
    second = answer(state)
    assert {first, second} == {"hood O 0 2", "hood O 33 5"}
    assert state.falls[1] == 0
    state.apply(0, second)
    assert state.falls[1] == 1


def test_it_does_not_walk_into_an_ambush_if_it_can_help_it() -> None:
    assert answer(begun({12: "O", 14: "YY", 15: "B"}, [2, 3], hq={"O": 0})) != "hood O 12 2"


# How it fares.

OPTIONS = st.fixed_dictionaries(
    {},
    optional={option.name: st.sampled_from(option.choices) for option in GAME.info.options if option.choices}
    | {"lives": st.integers(0, 3), "max_rounds": st.integers(1, 25)},
)


@settings(max_examples=15)
@given(st.lists(st.booleans(), min_size=1, max_size=3), OPTIONS, st.integers(0, 10**6))
def test_every_answer_is_legal_whatever_the_options(others: list[bool], options: Options, deal: int) -> None:
    play([True, *others], str(deal), options)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_among_its_like_somebody_comes_home(seats: int) -> None:
    outcome, _ = play([True] * seats, "like")
    assert outcome.reason == "home"


def test_it_does_the_same_in_every_process() -> None:
    """Hashes of texts differ from process to process; nothing may depend on them."""
    code = (
        "from tests.unit.sample_bots.test_vengeance import play;"
        "print(play([True] * 4, 'hash', {'max_rounds': 12}))"
    )
    told = {
        subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(told) == 1


# It wins nearly always, each deal being played from every seat; with equal bots it would be one in `seats`.
@pytest.mark.parametrize(("seats", "deals", "bound"), [(2, 5, 0.9), (3, 3, 0.75), (4, 3, 0.75)])
def test_it_wins_against_random_bots(seats: int, deals: int, bound: float) -> None:
    won = sum(
        play([seat == hero for seat in range(seats)], f"deal {deal}")[0].ranks[hero] == 1
        for deal in range(deals)
        for hero in range(seats)
    )
    assert won / (seats * deals) >= bound, f"{won} of {seats * deals} matches"


def test_it_plays_on_pipes() -> None:
    state = begun({}, [2, 5])
    said = [
        Welcome(1, "session-1", Limits()),
        Start("m1", GAME.info.id, {}, 0, 4, list("abcd"), CLOCK, "00"),
        Ask("m1", 1, AskClock(1000, 1000, 50), [], state.view(0), state.legal(0)),
        Bye(),
    ]
    done = subprocess.run(
        [sys.executable, "-m", SAMPLES["vengeance"]],
        input=b"".join(encode(message, Encoding.JSON) + b"\n" for message in said),
        capture_output=True,
        check=True,
    )
    hello, ready, act = [from_bot(line) for line in done.stdout.splitlines()]
    assert isinstance(hello, Hello)
    assert (hello.name, hello.capacity, hello.games) == ("vengeance", 64, ["vengeance"])
    assert ready == Ready("m1")
    assert isinstance(act, Act)
    assert act.action in state.legal(0)
