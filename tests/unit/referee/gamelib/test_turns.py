"""Positions of all games: fields, clones, guards, and the keys that all views have."""

from dataclasses import field
from re import Match
from typing import Annotated

import pytest

from referee.chance import Chance, KeyedChance
from referee.errors import IllegalActionError
from referee.game import Event, Outcome, View
from referee.gamelib.cloning import Shared, cloneable
from referee.gamelib.grammar import Grammar
from referee.gamelib.rules import Is, Named, OptionRules
from referee.gamelib.turns import TurnState


class NimRules(OptionRules, frozen=True):
    most: int
    misere: Annotated[bool, Is("last", "loses")]
    matches: Annotated[int, Named("heap")]


def nim_rules() -> NimRules:
    return NimRules.of({"most": 3, "last": "loses", "heap": 7}, 2)


@cloneable
class NimPosition(TurnState[NimRules]):
    heap: int
    taken: list[list[int]]
    notes: dict[str, list[int]] = field(default_factory=dict)
    constant: Shared[list[str]] = field(default_factory=list)
    flags: bytearray
    marked: set[int]
    last: tuple[int, str] | None = None

    def __init__(self, rules: NimRules, chance: Chance) -> None:
        TurnState.__init__(self, rules, chance, "take")
        self.heap = rules.matches
        self.taken = [[] for _ in range(rules.seats)]
        self.flags = bytearray(2)
        self.marked = {1}


class Nim(NimPosition):
    """Take 1 to `most` matches; the seat that takes the last one loses."""

    __slots__ = ()

    grammar = Grammar({"take": (r"take (?P<number>[1-9])", "take 2")})

    def choices(self, seat: int) -> list[str]:
        return [f"take {number}" for number in range(1, min(self.heap, self.rules.most) + 1)]

    def why_not(self, seat: int, match: Match[str]) -> str:
        return f"there are {self.heap} matches, and {match['number']} is too many"

    def take(self, seat: int, action: str, events: list[Event]) -> None:
        number = int(action.split()[1])
        self.heap -= number
        self.taken[seat].append(number)
        self.ask(1 - seat)
        if not self.heap:
            self.end(Outcome((1, 2) if seat else (2, 1), (0, 0), "last_match"), events, loser=seat)

    def view(self, seat: int | None) -> View:
        return {**self.head(seat), "heap": self.heap}


def nim() -> Nim:
    state = Nim(nim_rules(), KeyedChance(bytes(32)))
    state.turn = 1
    state.ask(0)
    return state


def test_rules_are_read_from_options() -> None:
    rules = nim_rules()
    assert (rules.most, rules.misere, rules.matches, rules.seats) == (3, True, 7, 2)
    assert not NimRules.of({"most": 1, "last": "wins", "heap": 2}, 2).misere


def test_a_clone_shares_nothing_that_changes_and_is_of_the_same_class() -> None:
    state = nim()
    state.notes["a"] = [1]
    state.legal(0)
    copy = state.clone()
    assert type(copy) is Nim
    assert copy.view(0) == state.view(0)
    for cls in (TurnState, NimPosition):
        names: tuple[str, ...] = cls.__slots__
        for name in names:
            assert getattr(copy, name) == getattr(state, name) or name == "chance", name
    copy.taken[0].append(3)
    copy.notes["a"].append(2)
    copy.flags[0] = 1
    copy.marked.add(2)
    copy.apply(0, "take 2")
    assert (state.taken, state.notes, state.flags[0], state.heap) == ([[], []], {"a": [1]}, 0, 7)
    assert state.marked == {1}
    assert state.legal(0) == ["take 1", "take 2", "take 3"]
    assert copy.constant is state.constant
    luck = state.chance.below("x", 1000), copy.chance.below("x", 1000)
    assert luck[0] == luck[1]


def test_fields_have_no_dictionary_and_first_values_of_their_own() -> None:
    one, other = nim(), nim()
    assert not hasattr(one, "__dict__")
    assert one.last is None
    assert one.notes is not other.notes


def test_a_field_that_cannot_be_copied_is_an_error_when_the_class_is_made() -> None:
    class Broken:
        things: object

    with pytest.raises(TypeError, match=r"Broken\.things: no rule says how to copy .*declare it Shared"):
        cloneable(Broken)


@pytest.mark.parametrize(
    ("seat", "action", "reason"),
    [
        (1, "take 1", "it is not your decision"),
        (0, "grab 1", "there is no such verb; the verbs are take"),
        (0, "take x", "it is spelt like 'take 2', with single blanks and no leading zeros"),
        (0, "take 9", "there are 7 matches, and 9 is too many"),
    ],
)
def test_what_is_not_legal_is_refused_with_a_reason(seat: int, action: str, reason: str) -> None:
    state = nim()
    with pytest.raises(IllegalActionError) as refused:
        state.apply(seat, action)
    assert refused.value.reason == reason


def test_a_seat_answers_once_and_not_after_the_end() -> None:
    state = nim()
    state.ask(0, 1)
    assert not state.hold(0)
    assert state.view(None)["to_act"] == [0, 1]
    with pytest.raises(IllegalActionError, match="you have already answered"):
        state.apply(0, "take 1")
    assert state.hold(1)
    state.settle(Outcome((1, 1), (0, 0), "draw"))
    with pytest.raises(IllegalActionError, match="the game is over"):
        state.apply(0, "take 1")


def test_the_end_is_reported_and_shown() -> None:
    state = nim()
    state.apply(0, "take 3")
    state.apply(1, "take 3")
    assert [event.public for event in state.apply(0, "take 1")] == [
        {"event": "ended", "reason": "last_match", "ranking": [2, 1], "scores": [0, 0], "loser": 0}
    ]
    view = state.view(1)
    assert (view["phase"], view["active"], view["to_act"]) == ("over", None, [])
    assert (view["ranking"], view["reason"], view["turn"]) == ([2, 1], "last_match", 1)


def test_a_position_goes_on_where_a_view_stands() -> None:
    state, other = nim(), nim()
    state.turn, state.active = 4, 1
    state.ask(1)
    other.resume(state.view(None))
    assert other.view(None) == state.view(None)


def test_a_seat_without_an_action_is_not_asked() -> None:
    state = nim()
    assert not state.offer(1, [])
    assert state.to_act() == (0,)
    assert state.offer(1, ["take 1"])
    assert (state.to_act(), state.legal(1), state.legal(0)) == ((1,), ["take 1"], [])
