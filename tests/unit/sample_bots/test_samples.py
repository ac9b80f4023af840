"""All sample bots: they start, introduce themselves, answer, leave; those that know a game play it well."""

import subprocess
import sys
from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.codec import Encoding, encode
from protocol.messages import Act, Ask, AskClock, Bye, Hello, Limits, Ready, Start, TimeControl, Welcome
from protocol.untrusted import from_bot
from referee import registry
from referee.chance import KeyedChance
from referee.game import Game
from referee.games.chicago_poker import GAME as POKER
from sample_bots.catalog import samples
from sample_bots.python.random_bot import RandomBot
from tests.contract.walk import settled
from tests.rules.rulebook import FOLDERS
from tests.unit.sample_bots.arena import (
    HEROES,
    First,
    Make,
    actions_of,
    match,
    seated,
    share_of_wins,
    told_in_two_processes,
)

LEGAL = ["draw", *(f"play R{value} 1" for value in range(1, 8))]
# What keeps a match short, or draws numbers that matter to a bot.
NUMBERS: dict[str, Mapping[str, tuple[int, int]]] = {
    "chicago": {"tokens": (0, 20), "phases": (1, 2), "rounds": (1, 4)},
    "gangsters": {"piles": (1, 4), "cartridges": (0, 3), "ply_cap": (1, 150)},
    "poker": {"revolvers": (0, 3), "reinforce_cap": (1, 3), "max_turns": (1, 300)},
    "vengeance": {"lives": (0, 3), "max_rounds": (1, 25)},
}
SHORT: dict[str, dict[str, int]] = {
    "chicago": {"phases": 1, "rounds": 3},
    "gangsters": {},
    "poker": {},
    "vengeance": {"max_rounds": 12},
}
# Who takes his time cannot play several matches at once.
ALONE = {"search"}
every_hero = pytest.mark.parametrize("name", HEROES)


def games_of(name: str) -> list[Game]:
    """Return the games a sample plays: its own, or all."""
    return [HEROES[name].game] if name in HEROES else list(registry.games().values())


@pytest.mark.parametrize(
    ("name", "game"),
    [pytest.param(name, game, id=f"{name}-{game.info.id}") for name in samples() for game in games_of(name)],
)
def test_a_sample_plays_on_pipes(name: str, game: Game) -> None:
    state, events = game.new(2, KeyedChance(bytes(32)))
    seat = state.to_act()[0]
    seen, legal = [event.seen_by(seat) for event in events], state.legal(seat)
    clock = TimeControl(1000, 1000, 1000, 1000, 50)
    said = [
        Welcome(1, "session-1", Limits()),
        Start("m1", game.info.id, {}, seat, 2, ["a", "b"], clock, "00"),
        Ask("m1", 1, AskClock(1000, 1000, 50), seen, state.view(seat), legal),
        Bye(),
    ]
    done = subprocess.run(
        [sys.executable, "-m", samples()[name]],
        input=b"".join(encode(message, Encoding.JSON) + b"\n" for message in said),
        capture_output=True,
        check=True,
    )
    hello, ready, act = [from_bot(line) for line in done.stdout.splitlines()]
    assert isinstance(hello, Hello)
    assert (hello.name, hello.capacity) == (name, 1 if name in ALONE else 64)
    assert hello.games == ([game.info.id] if name in HEROES else [])
    assert ready == Ready("m1")
    assert isinstance(act, Act)
    assert act.action in legal
    assert done.stderr == b""


def test_every_game_of_this_house_has_a_sample() -> None:
    assert {f"referee.games.{folder}" for folder in FOLDERS} == {
        type(hero.game).__module__ for hero in HEROES.values()
    }


# Samples that know no rules.


def test_first_takes_the_first_action() -> None:
    assert First().choose({}, LEGAL) == "draw"


def test_random_picks_the_verb_before_the_action() -> None:
    bot = seated(POKER, RandomBot)
    chosen = [bot.choose({}, LEGAL) for _ in range(1000)]
    # Half of the choices, give or take six standard errors; among all actions `draw` would be one in eight.
    assert 400 < chosen.count("draw") < 600
    assert set(chosen) == set(LEGAL)


def test_random_has_other_luck_in_every_match_and_at_every_seat() -> None:
    def choices(match: str, seat: int) -> tuple[object, ...]:
        bot = seated(POKER, RandomBot, seat, name=match)
        return tuple(bot.choose({}, LEGAL) for _ in range(30))

    assert choices("m1", 0) == choices("m1", 0)
    assert len({choices("m1", 0), choices("m1", 1), choices("m2", 0)}) == 3


@pytest.mark.parametrize("seats", [2, 6])
def test_samples_that_know_no_rules_play_legally_to_the_end(seats: int) -> None:
    assert match(POKER, [First, RandomBot] * (seats // 2), "legal").outcome.reason == "goal"


# Samples that know a game.


@every_hero
def test_every_answer_is_legal_with_all_options(name: str) -> None:
    game, make = HEROES[name]
    drawn: dict[str, st.SearchStrategy[str | int]] = {
        option.name: st.sampled_from(option.choices) for option in game.info.options if option.choices
    }
    drawn |= {option: st.integers(*bounds) for option, bounds in NUMBERS[name].items()}

    @settings(max_examples=round(settings().max_examples * 0.6))
    @given(
        st.lists(st.sampled_from([make, RandomBot]), min_size=1, max_size=game.info.most_seats - 1),
        st.fixed_dictionaries({}, optional=drawn),
        st.integers(0, 10**6),
    )
    def look(others: list[Make], options: dict[str, str | int], deal: int) -> None:
        match(game, [make, *others], str(deal), settled(game, 1 + len(others), options))

    look()


@every_hero
def test_it_does_the_same_in_every_process(name: str) -> None:
    """Hashes of texts differ from process to process; nothing may depend on them."""
    script = f"from {actions_of.__module__} import actions_of; print(actions_of({name!r}, {SHORT[name]!r}))"
    told = told_in_two_processes(script)
    assert told == {f"{actions_of(name, SHORT[name])}\n"}


# The bounds are several standard errors below what the bots win: nearly all. Equal bots win one in `seats`.
WINS: list[tuple[str, Make, int, int, float]] = [
    ("chicago", RandomBot, 2, 10, 0.8),
    ("chicago", RandomBot, 3, 5, 0.8),
    ("chicago", RandomBot, 4, 4, 0.8),
    ("gangsters", RandomBot, 2, 20, 0.85),
    ("gangsters", RandomBot, 3, 10, 0.8),
    ("gangsters", RandomBot, 4, 7, 0.8),
    ("poker", RandomBot, 2, 40, 0.9),
    ("poker", RandomBot, 4, 6, 0.75),
    ("poker", First, 2, 20, 0.85),
    ("vengeance", RandomBot, 2, 5, 0.9),
    ("vengeance", RandomBot, 3, 3, 0.75),
    ("vengeance", RandomBot, 4, 3, 0.75),
]
MORE_WINS: list[tuple[str, Make, int, int, float]] = [
    ("chicago", RandomBot, 2, 20, 0.9),
    ("gangsters", RandomBot, 2, 100, 0.9),
    ("poker", RandomBot, 2, 200, 0.93),
    ("poker", RandomBot, 4, 50, 0.9),
    ("poker", First, 4, 25, 0.9),
    ("vengeance", RandomBot, 2, 20, 0.9),
]


@pytest.mark.parametrize(
    ("name", "other", "seats", "deals", "bound"),
    [*WINS, *(pytest.param(*wins, marks=pytest.mark.slow) for wins in MORE_WINS)],
)
def test_it_wins(name: str, other: Make, seats: int, deals: int, bound: float) -> None:
    game, make = HEROES[name]
    share = share_of_wins(game, make, other, seats, deals)
    assert share >= bound, f"{share:.1%} of {deals * seats} matches"
