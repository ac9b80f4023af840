"""The search bot: it knows what its seat may know and no more, is never late, and plays every game."""

import subprocess
import sys
from collections.abc import Iterator
from functools import partial

import pytest

from protocol.client import Bot, FunctionBot
from protocol.messages import AskClock, View
from referee import registry
from referee.chance import KeyedChance, deal_key
from referee.game import Game, Options, State
from referee.games.chicago_poker import GAME as POKER
from referee.games.chicago_poker.components import CARDS, DOWN
from sample_bots.catalog import GENERAL
from sample_bots.python import chicago, poker
from sample_bots.python.poker import PokerBot
from sample_bots.python.poker_position import Memory
from sample_bots.python.random_bot import RandomBot
from sample_bots.python.search import SHARE, Budget, Imagined, SearchBot, guide_of
from sample_bots.python.search_chicago import TASTE
from sample_bots.python.search_guide import Guide
from sample_bots.python.search_poker import PATIENT, remembered
from sample_bots.python.search_trials import FEWEST, best
from tests.rules.chicago_poker.build import begin, position
from tests.unit.sample_bots.arena import (
    HEROES,
    UNHURRIED,
    Make,
    answer,
    match,
    searching,
    seated,
    told_in_two_processes,
)

GAMES = list(registry.games().values())
MATCHES = [
    pytest.param(game, seats, id=f"{game.info.id}-{seats}")
    for game in GAMES
    for seats in range(game.info.least_seats, game.info.most_seats + 1)
]
# Positions are looked at after so many actions; matches of all games are longer than the first few.
DEPTHS = (0, 3, 11, 30, 80)
FEW = 6


def positions(game: Game, seats: int) -> Iterator[tuple[State, list[list[dict[str, object]]]]]:
    """Yield positions of a match at random, and the events that each seat has seen."""
    chance = KeyedChance(deal_key("search", f"{game.info.id} {seats}"))
    state, events = game.new(seats, KeyedChance(deal_key("positions", str(seats))))
    seen = [[event.seen_by(seat) for event in events] for seat in range(seats)]
    for step in range(max(DEPTHS) + 1):
        if state.outcome() is not None:
            return
        if step in DEPTHS:
            yield state, seen
        seat = state.to_act()[0]
        legal = state.legal(seat)
        for event in state.apply(seat, legal[chance.below("choice", len(legal))]):
            for watcher in range(seats):
                seen[watcher].append(event.seen_by(watcher))


def asked(game: Game, state: State, seat: int, seen: list[dict[str, object]], trials: int = FEW) -> str:
    """Return what a search bot does that has seen these events."""
    bot = seated(game, searching(trials), seat, state.view(None)["seats"])
    bot.see(seen)
    chosen = bot.choose(state.view(seat), state.legal(seat))
    assert isinstance(chosen, str)
    return chosen


# What it does.


@pytest.mark.parametrize(("game", "seats"), MATCHES)
def test_it_answers_legally_and_by_what_the_seat_may_know(game: Game, seats: int) -> None:
    for state, seen in positions(game, seats):
        for seat in state.to_act():
            chosen = asked(game, state, seat, seen[seat])
            assert chosen in state.legal(seat)
            other = game.imagine(state.view(seat), KeyedChance(deal_key("other", chosen)))
            assert asked(game, other, seat, seen[seat]) == chosen


@pytest.mark.parametrize("options", [{"pass_own": "yes"}, {"variant_casino": "yes", "income": "round"}])
@pytest.mark.parametrize("preset", ["classic", "joint"])
def test_it_plays_chicago_on_with_joint_attacks_and_passing(preset: str, options: Options) -> None:
    game, sample = HEROES["chicago"]
    short: Options = {"phases": 1, "move_die": "11-22"}
    for seats in (2, 4):
        bots = [searching(FEW), *[sample] * (seats - 1)]
        played = match(game, bots, "joint", {**short, **game.info.presets[preset], **options})
        assert 1 in played.outcome.ranks


OPEN_READINGS: dict[str, list[Options]] = {
    "chicago-poker": [
        {"edition": "fr", "blank": "yes", "max_turns": 20},
        {"markers": "supply", "max_turns": 20},
    ],
    "gangsters": [
        {"step": "any", "first": "1", "target": 8},
        {"step": "any", "first": "lot", "draw": "commit"},
    ],
    "vengeance": [
        {"spare_die": "forced", "overshoot": "obliged", "max_rounds": 6},
        {"extra_die": "free", "fallen_hoods": "out", "max_rounds": 6},
    ],
}
"""Options for readings that the booklets leave open, by game, in short games."""


@pytest.mark.parametrize(
    ("game", "options"),
    [
        pytest.param(game, options, id=f"{game.info.id}-{number}")
        for game in GAMES
        for number, options in enumerate(OPEN_READINGS.get(game.info.id, []))
    ],
)
def test_it_plays_on_with_the_readings_that_the_booklets_leave_open(game: Game, options: Options) -> None:
    sample = next(hero.make for hero in HEROES.values() if hero.game.info.id == game.info.id)
    played = match(game, [searching(2), sample, RandomBot][: game.info.most_seats], "readings", options)
    assert played.outcome.reason


def test_every_game_of_this_house_has_a_guide() -> None:
    assert all(guide_of(hero.game) is not Guide for hero in HEROES.values())
    assert guide_of(registry.game("coins")) is Guide


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.info.id)
def test_a_game_without_a_guide_is_searched_all_the_same(game: Game) -> None:
    for state, _ in positions(game, 2):
        seat = state.to_act()[0]
        guide: Guide[State] = Guide(game, seat, 2)
        actions = guide.candidates(state.view(seat), state.legal(seat))
        imagined = Imagined(guide, state.view(seat), bytes(32))
        budget = Budget(FEWEST * len(actions), UNHURRIED, lambda: 0.0)
        assert best(actions, imagined.trial, budget, guide.doubt) in state.legal(seat)


def test_seats_that_choose_at_once_each_search_alone() -> None:
    rows = {(1, 0): "R9 G9 B5 R3 Y2", (1, 1): "B9 Y9 R5 G3 P2"}
    state = position(rows=rows, hands=["R1 G14 R8", "B1 Y13 Y4"])
    begin(state)
    assert state.to_act() == (0, 1)
    for seat in (0, 1):
        assert asked(POKER, state, seat, []) in state.legal(seat)


def test_at_poker_it_has_more_patience_than_the_sample() -> None:
    """With few rivals. One trial teaches nothing, so this is what it does without a search."""
    hands = ["R4 R5 R6 R7 R8", "B1", "B2", "B3"]
    for seats, waits in ((2, True), (3, True), (4, False)):
        state = position(seats, hands=hands[:seats])
        assert answer(HEROES["poker"], state).startswith("play")
        assert (asked(POKER, state, 0, [], trials=1) == "draw") == waits


def test_luck_is_that_of_match_and_seat() -> None:
    """Trials see other imagined in every match, so that one bad guess is not made again and again."""
    view = POKER.new(2, KeyedChance(bytes(32)))[0].view(0)
    keys = {("m1", 0), ("m1", 1), ("m2", 0)}
    lucks = {seated(POKER, SearchBot, seat, name=match).luck for match, seat in keys}  # type: ignore[attr-defined]
    assert len(lucks) == 3
    dealt = [Imagined(Guide(POKER, 0, 2), view, luck).imagine(0)[0].reveal()["cards"] for luck in lucks]
    assert dealt[0] != dealt[1] != dealt[2]


def test_it_does_the_same_in_every_process() -> None:
    script = (
        f"from {__name__} import GAMES, asked, positions\n"
        "for game in GAMES:\n"
        "    for state, seen in positions(game, 3):\n"
        "        seat = state.to_act()[0]\n"
        "        print(asked(game, state, seat, seen[seat]))\n"
    )
    told = told_in_two_processes(script)
    assert len(told) == 1
    assert len(told.pop().splitlines()) > len(GAMES)


# What it remembers.


def raided() -> tuple[State, Memory]:
    """Return a position in which seat 0 has looked at two cards of seat 1, and what seat 0 remembers."""
    rows = {(1, 1): "R7 G7 B2"}
    state = position(kinds="SD", rows=rows, hands=["PR R1", "B1"])
    memory = Memory()
    for card in ("?", "?", "B2"):
        memory.note({"event": "played", "seat": 1, "slot": 1, "card": card})
    for event in state.apply(0, "raid 1 @1"):
        memory.note(event.seen_by(0))
    return state, memory


def test_what_a_raid_showed_is_where_it_was_in_every_imagined_state() -> None:
    state, memory = raided()
    view = state.view(0)
    known = remembered(view, memory)
    assert view["slots"][0]["rows"][1] == ["?", "?", "B2"], "the view itself has not changed"
    assert known["slots"][0]["rows"][1] == ["(R7)", "(G7)", "B2"]
    for deal in range(5):
        imagined = POKER.imagine(known, KeyedChance(deal_key("imagined", str(deal))))
        assert imagined.rows[0][1] == [CARDS["R7"] + DOWN, CARDS["G7"] + DOWN, CARDS["B2"]]
        assert imagined.view(0) == view


def test_a_memory_that_cannot_be_true_is_left_out() -> None:
    state, memory = raided()
    view = state.view(0)
    assert remembered(view | {"discard": ["G7"]}, memory)["slots"][0]["rows"][1] == ["(R7)", "?", "B2"]
    assert remembered(view | {"hand": ["R7"]}, memory)["slots"][0]["rows"][1] == ["?", "(G7)", "B2"]


# How it spends its time.


class Watch:
    """A clock that is looked at: each look takes some time."""

    def __init__(self, step: float) -> None:
        self.step = step
        self.now = 0.0

    def __call__(self) -> float:
        self.now += self.step
        return self.now


def hurried(game: Game, seat: int, clock: AskClock, watch: Watch) -> Bot:
    class Hurried(SearchBot):
        timer = watch

    bot = seated(game, Hurried, seat)
    bot.clock = clock
    return bot


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.info.id)
@pytest.mark.parametrize("move_ms", [0, 1, 50, 400, 2000])
def test_it_keeps_to_its_share_of_the_time_for_a_move(game: Game, move_ms: int) -> None:
    state, events = game.new(2, KeyedChance(bytes(32)))
    seat = state.to_act()[0]
    watch = Watch(0.007)
    bot = hurried(game, seat, AskClock(move_ms, 600_000, 50), watch)
    bot.see([event.seen_by(seat) for event in events])
    assert bot.choose(state.view(seat), state.legal(seat)) in state.legal(seat)
    # The first look and the last are no part of it.
    assert watch.now - 2 * watch.step <= SHARE * move_ms / 1000


class PatientBot(PokerBot):
    """The sample with the patience of the search bot."""

    def choose(self, view: View, legal: list[str]) -> str:
        return poker.choose(view, legal, self._memory, PATIENT)


SENSIBLE: dict[str, Make] = {name: hero.make for name, hero in HEROES.items()} | {
    "chicago": partial(FunctionBot, partial(chicago.choose, taste=TASTE)),
    "poker": PatientBot,
}
"""What it does without a search: what the samples do, in some games with a taste or patience of its own."""


@pytest.mark.parametrize("name", HEROES)
def test_without_time_it_does_what_it_takes_for_sensible(name: str) -> None:
    game = HEROES[name].game
    for state, seen in positions(game, 2):
        seat = state.to_act()[0]
        sensible = seated(game, SENSIBLE[name], seat)
        sensible.see(seen[seat])
        bot = hurried(game, seat, AskClock(0, 0, 0), Watch(0.0))
        bot.see(seen[seat])
        view, legal = state.view(seat), state.legal(seat)
        assert bot.choose(view, legal) == sensible.choose(view, legal)


def test_a_single_action_needs_no_search() -> None:
    watch = Watch(1.0)
    assert hurried(POKER, 0, UNHURRIED, watch).choose({}, ["pass"]) == "pass"
    assert watch.now == 0


def test_the_number_of_trials_is_a_bound() -> None:
    made = Budget(7, UNHURRIED, lambda: 0.0)
    for number in range(7):
        assert made.spent() == pytest.approx(number / 7)
        made.pay()
    assert made.spent() == 1


def test_a_long_trial_is_not_begun_when_little_time_is_left() -> None:
    times = iter([0.0, 0.0, 0.06, 0.06])
    budget = Budget(100, AskClock(round(0.1 / SHARE * 1000), 0, 0), lambda: next(times))
    assert budget.spent() < 1
    budget.pay()
    assert budget.spent() > 1, "six of ten hundredths are gone, and the next trial may take as long"


@pytest.mark.parametrize("words", [["0"], ["many"], ["10", "20"], ["-5"]])
def test_a_wrong_number_of_trials_is_reported(words: list[str]) -> None:
    command = [sys.executable, "-m", GENERAL["search"], *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert "number of trials" in done.stderr
