"""All sample bots: they start, introduce themselves, answer, and leave."""

import subprocess
import sys

import pytest

from protocol.codec import Encoding, encode, from_bot
from protocol.messages import Act, Ask, AskClock, Bye, Hello, Limits, Ready, Start, TimeControl, Welcome
from referee.chance import KeyedChance
from referee.games.chicago_poker import GAME
from sample_bots.python import SAMPLES
from sample_bots.python.random_bot import RandomBot
from tests.unit.sample_bots.arena import First, play, seated

LEGAL = ["draw", *(f"play R{value} 1" for value in range(1, 8))]


@pytest.mark.parametrize("name", SAMPLES)
def test_a_sample_plays_on_pipes(name: str) -> None:
    state, events = GAME.new(2, KeyedChance(bytes(32)), {"first": "0"})
    seen = [event.seen_by(0) for event in events]
    legal = state.legal(0)
    clock = TimeControl(1000, 1000, 1000, 1000, 50)
    said = [
        Welcome(1, "session-1", Limits()),
        Start("m1", GAME.info.id, {}, 0, 2, ["a", "b"], clock, "00"),
        Ask("m1", 1, AskClock(1000, 1000, 50), seen, state.view(0), legal),
        Bye(),
    ]
    done = subprocess.run(
        [sys.executable, "-m", SAMPLES[name]],
        input=b"".join(encode(message, Encoding.JSON) + b"\n" for message in said),
        capture_output=True,
        check=True,
    )
    hello, ready, act = [from_bot(line) for line in done.stdout.splitlines()]
    assert isinstance(hello, Hello)
    assert (hello.name, hello.capacity) == (name, 64)
    assert not hello.games or GAME.info.id in hello.games
    assert ready == Ready("m1")
    assert isinstance(act, Act)
    assert act.action in legal
    assert done.stderr == b""


def test_first_takes_the_first_action() -> None:
    assert First().choose({}, LEGAL) == "draw"


def test_random_picks_the_verb_before_the_action() -> None:
    bot = seated(RandomBot)
    chosen = [bot.choose({}, LEGAL) for _ in range(1000)]
    # Half of the choices, give or take six standard errors; among all actions `draw` would be one in eight.
    assert 400 < chosen.count("draw") < 600
    assert set(chosen) == set(LEGAL)


def test_random_has_other_luck_in_every_match_and_at_every_seat() -> None:
    def choices(match: str, seat: int) -> tuple[object, ...]:
        bot = seated(RandomBot, seat, match=match)
        return tuple(bot.choose({}, LEGAL) for _ in range(30))

    assert choices("m1", 0) == choices("m1", 0)
    assert len({choices("m1", 0), choices("m1", 1), choices("m2", 0)}) == 3


@pytest.mark.parametrize("seats", [2, 6])
def test_samples_that_know_no_rules_play_legally_to_the_end(seats: int) -> None:
    assert play([First, RandomBot] * (seats // 2), "legal").outcome.reason == "goal"
