"""A game that is made of the parts of the library: what `TurnGame` does with the parts it is given."""

from re import Match

import pytest

from referee.chance import Chance, KeyedChance
from referee.errors import OptionError
from referee.game import Event, GameInfo, Option, View
from referee.gamelib.cloning import cloneable
from referee.gamelib.follower import Follower
from referee.gamelib.grammar import Grammar
from referee.gamelib.rules import OptionRules
from referee.gamelib.turn_game import TurnGame
from referee.gamelib.turns import TurnState
from referee.gamelib.wording import Seen, Sentences


class Rules(OptionRules, frozen=True):
    heap: int


@cloneable
class Position(TurnState[Rules]):
    left: int = 0
    secret: int = 0


class State(Position):
    __slots__ = ()

    grammar = Grammar({"wait": ("wait", "wait")})

    def choices(self, seat: int) -> list[str]:
        return ["wait"]

    def take(self, seat: int, action: str, events: list[Event]) -> None:
        self.ask(1 - seat)

    def why_not(self, seat: int, match: Match[str]) -> str:
        return ""

    def view(self, seat: int | None) -> View:
        return {**self.head(seat), "left": self.left}


class HeapFollower(Follower):
    def _on_started(self, event: Seen) -> None:
        self._begin(event, "wait", left=event["left"])
        self.view |= {"turn": 1, "to_act": [0]}


def twice(rules: Rules) -> int:
    return 2 * rules.heap


class Heap(TurnGame[Rules, State]):
    info = GameInfo("heap", "Heap", "wait", 2, 2, (Option("heap", 7, "matches", low=1, high=9),))
    rules = Rules
    follower = HeapFollower
    sentences = Sentences({"started": "There are {left} matches."})
    longest_under = staticmethod(twice)
    widest_under = staticmethod(twice)

    def position(self, rules: Rules, chance: Chance) -> State:
        return State(rules, chance, "wait")

    def deal(self, state: State, events: list[Event]) -> None:
        state.left, state.secret, state.turn = state.rules.heap, state.chance.below("secret", 1000), 1
        state.ask(0)
        state.start(events, {1: {"secret": state.secret}}, news=True, left=state.left)

    def fill(self, state: State, view: View) -> None:
        state.left, state.secret = view["left"], state.chance.below("secret", 1000)

    def draw(self, view: View) -> str:
        return f"{view['left']} matches"


LUCK = KeyedChance(bytes(32))


def test_a_new_game_is_dealt_and_reports_its_start() -> None:
    state, (started,) = Heap().new(2, LUCK.clone(), {"heap": 5})
    assert (state.left, state.secret, state.to_act()) == (5, LUCK.clone().below("secret", 1000), (0,))
    assert started.public == {"event": "started", "seats": 2, "options": {"heap": 5}, "left": 5}
    assert (started.private, started.news) == ({1: {"secret": state.secret}}, True)


def test_a_state_is_imagined_from_its_view_and_a_view_from_events() -> None:
    game = Heap()
    state, events = game.new(2, LUCK.clone())
    view = state.view(1)
    imagined = game.imagine(view, KeyedChance(bytes([1] * 32)))
    assert imagined.view(1) == view == game.follow(1, [event.seen_by(1) for event in events])
    assert imagined.secret == KeyedChance(bytes([1] * 32)).below("secret", 1000)
    assert imagined.legal(0) == ["wait"]


def test_bounds_are_asked_for_with_options_and_sentences_with_events() -> None:
    game = Heap()
    assert (game.longest(2), game.widest(2, {"heap": 3})) == (14, 6)
    assert game.describe({"event": "started", "left": 4}, ["Al", "Bugs"]) == "There are 4 matches."
    with pytest.raises(OptionError, match="heap"):
        game.longest(2, {"heap": 10})
