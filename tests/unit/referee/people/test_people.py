"""What a person is shown beside the position: what actions mean, hints, rules."""

import random
from collections.abc import Iterator
from typing import Any

import pytest

from protocol.messages import Start, TimeControl
from referee import registry
from referee.chance import KeyedChance, deal_key
from referee.game import Game, State, View
from referee.people.explain import meaning, meanings
from referee.people.hints import Adviser
from referee.people.rulebook import Rulebook

NAMES = ["Ann", "Bob", "Cy", "Di", "Ed", "Flo"]


def decisions(game: Game, seats: int, most: int) -> Iterator[tuple[State, int, View]]:
    """Return decisions of a random game."""
    luck = random.Random(f"{game.info.id} {seats}")
    state, _ = game.new(seats, KeyedChance(deal_key("people", str(seats))), None)
    for _ in range(most):
        if state.outcome() is not None:
            return
        for seat in tuple(state.to_act()):
            yield state, seat, state.view(seat)
            state.apply(seat, luck.choice(state.legal(seat)))


@pytest.mark.parametrize("id_", registry.ids())
def test_what_an_action_means_is_what_will_happen_and_owes_nothing_to_what_is_hidden(id_: str) -> None:
    game = registry.game(id_)
    told = 0
    for state, seat, view in decisions(game, game.info.most_seats, 60):
        other = game.imagine(view, KeyedChance(deal_key("another world", "1")))
        for action in state.legal(seat)[:: 1 + len(state.legal(seat)) // 6]:
            sentence = meaning(game, view, seat, action, NAMES)
            for world in (state, other):
                happened = world.clone().apply(seat, action)
                if sentence and happened:
                    assert sentence == game.describe(happened[0].seen_by(seat), NAMES)
                    assert not happened[0].news
            assert meanings(game, view, seat, [action], NAMES).get(action, "") == sentence
            told += bool(sentence)
    assert told or id_ == "coins"  # where every action is a secret until all have chosen


def start(game: str, seats: int = 2) -> Start:
    clock = TimeControl(1, 1, 1, 1, 1)
    return Start("m", game, {}, 0, seats, NAMES[:seats], clock, "")


@pytest.mark.parametrize(("id_", "sample"), [("chicago-poker", "poker"), ("gangsters", "gangsters")])
def test_a_hint_is_a_legal_action_of_the_sensible_sample_with_a_reason(id_: str, sample: str) -> None:
    game = registry.game(id_)
    adviser = Adviser(start(id_))
    state, events = game.new(2, KeyedChance(deal_key("people", "1")), None)
    adviser.see([event.seen_by(0) for event in events])
    hint = adviser.hint(state.view(0), state.legal(0))
    assert hint.action in state.legal(0)
    assert hint.by == sample
    assert hint.why


@pytest.mark.parametrize("id_", registry.ids())
def test_every_game_has_hints(id_: str) -> None:
    game = registry.game(id_)
    state, _ = game.new(2, KeyedChance(deal_key("people", "1")), None)
    seat = state.to_act()[0]
    assert Adviser(start(id_)).hint(state.view(seat), state.legal(seat)).action in state.legal(seat)


@pytest.mark.parametrize("id_", registry.ids())
def test_rules_are_found_by_number_and_by_title(id_: str) -> None:
    rulebook = Rulebook(registry.rules(registry.game(id_)))
    assert rulebook.introduction
    assert "\n" not in rulebook.introduction
    if rulebook.sections:
        assert rulebook.find("1") == rulebook.sections[0]
        assert rulebook.find("OPTIONS") is not None
        assert len(rulebook.contents()) == len(rulebook.sections)
    nothing: Any = rulebook.find("no such section")
    assert nothing is None
