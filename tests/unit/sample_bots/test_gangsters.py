"""The gangsters bot: it takes points, denies them, knows who must stop waiting, and wins."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from random import Random

import pytest

from protocol.client import Bot
from protocol.codec import Encoding, encode, from_bot
from protocol.messages import Act, Ask, AskClock, Bye, Hello, Limits, Ready, Start, TimeControl, View, Welcome
from referee.chance import KeyedChance, deal_key
from referee.game import Options, Outcome
from referee.games.gangsters import GAME
from referee.games.gangsters.state import State
from sample_bots.python import SAMPLES, gangsters
from sample_bots.python.random_bot import RandomBot
from tests.rules.gangsters.build import column, play, row, table

CLOCK = TimeControl(1000, 1000, 1000, 1000, 50)
Choose = Callable[[View, list[str]], str | list[str]]
CROSS = f"{row(3, 'R3 R2 - R1 B1 Y1')} {column('c', 'B3 B2 - B2 Y1 G1')}"


def at_random(seat: int, seats: int, match: str) -> Choose:
    """Return the random bot, told of a match."""
    bot: Bot = RandomBot()
    bot.start(Start(match, GAME.info.id, {}, seat, seats, [""] * seats, CLOCK, ""))
    return bot.choose


def match(heroes: Sequence[bool], deal: str, options: Options | None = None) -> tuple[Outcome, list[str]]:
    """Play a match of the bot and of random ones; every answer must be legal."""
    seats = len(heroes)
    bots = [gangsters.choose if hero else at_random(seat, seats, deal) for seat, hero in enumerate(heroes)]
    state, _ = GAME.new(seats, KeyedChance(deal_key("gangsters", deal)), options)
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
    action = gangsters.choose(state.view(state.active), state.legal(state.active)[:])
    assert action in state.legal(state.active)
    return action


# What it does.


def test_it_takes_the_line_that_pays_most() -> None:
    cells = f"{row(1, 'R3 R2 B1 Y1 G1 -')} {row(6, 'R1 Y2 B2 G2 Y1 -')}"
    assert answer(table(cells=cells, common="R2 G1", reserves=["12", "3", "3", "3"])).endswith(" f1")


def test_it_completes_a_line_with_a_foreign_tile_if_that_pays() -> None:
    cells = row(1, "R3 R3 R2 B1 Y2 -")
    state = table(2, cells, common="G1 B3", piles=["", ""], reserves=["", "1"], cartridges=[0, 0])
    assert answer(state) == "common G1 f1"


def test_it_ends_the_game_when_it_can() -> None:
    cells = f"{row(1, 'R3 R2 B1 Y1 G1 -')} {row(6, 'R3 Y2 B2 G2 Y1 -')}"
    state = table(
        cells=cells, common="Y3 G1", reserves=["1", "3", "3", "3"], scores=[12, 0, 0, 0], reached=[1, 0, 0, 0]
    )
    assert answer(state) == "own 1 f1"


def test_it_does_not_lay_the_fifth_tile_of_a_line_that_the_next_seat_can_take() -> None:
    state = table(2, row(1, "B3 B2 Y1 G1 - -"), common="Y1 G2", reserves=["123", "3"])
    assert answer(state)[-1] != "1"


def test_it_spoils_a_line_that_the_next_seat_can_take() -> None:
    state = table(2, row(1, "B3 B2 B1 G1 Y1 -"), common="Y3 G1", reserves=["3", "3"], cartridges=[0, 2])
    before = gangsters.Table(state.view(0)).risks[0]
    play(state, answer(state))
    view = state.view(0)
    assert before > 5
    assert "1" in view["complete"] or gangsters.Table(view).risks[0] < before
    assert view["scores"][1] < 7


def test_it_chooses_the_order_that_wins() -> None:
    state = table(cells=CROSS, common="G2 Y3", scores=[13, 13, 0, 0], reached=[1, 2, 0, 0])
    play(state, "common G2 c3")
    assert answer(state) == "first 3"
    rival = table(cells=CROSS, common="G2 Y3", scores=[13, 13, 0, 0], reached=[1, 2, 0, 0], active=1)
    play(rival, "common G2 c3")
    assert answer(rival) == "first c"


def test_it_waits_only_if_another_seat_must_stop_waiting() -> None:
    began, joined = table(2, "a1=R1 f6=B1", quiet=2), table(2, "a1=R1 f6=B1", quiet=3)
    assert gangsters.Table(began.view(0)).waiting() < 0 < gangsters.Table(joined.view(0)).waiting()


def test_it_waits_for_the_end_if_it_is_ahead() -> None:
    options: Options = {"stall": "end"}
    ahead, level = table(2, scores=[3, 1], options=options), table(2, scores=[3, 3], options=options)
    assert gangsters.Table(ahead.view(0)).waiting() > 0 > gangsters.Table(level.view(0)).waiting()


def test_it_shoots_where_it_turns_a_line() -> None:
    cells = f"{row(1, 'R3 B3 B3 Y1 G1 -')} a2=R2"
    state = table(2, cells, common="Y1 Y1", piles=["", ""], reserves=["", "3"], cartridges=[1, 0])
    judged = gangsters.Table(state.view(0))
    assert judged.shooting(1) > max(judged.shooting(0), judged.shooting(6))


def test_it_changes_nothing_of_what_it_is_sent() -> None:
    state, _ = GAME.new(3, KeyedChance(bytes(32)))
    view, legal = state.view(0), state.legal(0)[:]
    gangsters.choose(view, legal)
    assert (view, legal) == (state.view(0), state.legal(0))


# How it plays.


@pytest.mark.parametrize(("seats", "deals", "least"), [(2, 20, 0.85), (3, 10, 0.8), (4, 7, 0.8)])
def test_it_beats_random_bots(seats: int, deals: int, least: float) -> None:
    """Each deal is played from every seat; it wins nearly all, and random bots would win one in `seats`."""
    won = 0.0
    for deal in range(deals):
        for seat in range(seats):
            ranks = match([other == seat for other in range(seats)], f"deal {deal}")[0].ranks
            won += (ranks[seat] == 1) / ranks.count(1)
    assert won / (deals * seats) >= least


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_it_plays_legally_with_all_options(seats: int) -> None:
    random = Random(seats)
    choices = {option.name: option.choices for option in GAME.info.options if option.choices}
    for deal in range(8):
        options: Options = {name: random.choice(values) for name, values in choices.items()}
        options |= {"piles": random.randint(1, 4), "cartridges": random.randint(0, 3), "ply_cap": 150}
        match([seat % 2 == deal % 2 for seat in range(seats)], f"options {deal}", options)


def test_it_plays_on_when_a_seat_has_left() -> None:
    state, _ = GAME.new(3, KeyedChance(bytes(32)))
    state.withdraw(1)
    while state.to_act():
        state.apply(state.active, answer(state))
    assert state.outcome()


def test_it_plays_the_same_match_again_whatever_the_hash_seed() -> None:
    code = (
        "from tests.unit.sample_bots.test_gangsters import match; print(match([True, True], 'again', {})[1])"
    )
    played = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert played == {f"{match([True, True], 'again', {})[1]}\n".encode()}


def test_it_is_quick() -> None:
    began = time.process_time()
    actions = match([True, True], "quick")[1]
    assert (time.process_time() - began) / len(actions) < 0.01


def test_it_plays_on_pipes() -> None:
    state, events = GAME.new(2, KeyedChance(bytes(32)))
    legal = state.legal(0)
    said = [
        Welcome(1, "session-1", Limits()),
        Start("m1", GAME.info.id, {}, 0, 2, ["a", "b"], CLOCK, "00"),
        Ask("m1", 1, AskClock(1000, 1000, 50), [events[0].public], state.view(0), legal),
        Bye(),
    ]
    done = subprocess.run(
        [sys.executable, "-m", SAMPLES["gangsters"]],
        input=b"".join(encode(message, Encoding.JSON) + b"\n" for message in said),
        capture_output=True,
        check=True,
    )
    hello, ready, act = [from_bot(line) for line in done.stdout.splitlines()]
    assert isinstance(hello, Hello)
    assert (hello.name, hello.capacity, hello.games) == ("gangsters", 64, ["gangsters"])
    assert ready == Ready("m1")
    assert isinstance(act, Act)
    assert act.action in legal
    assert done.stderr == b""
