"""Every game of this house: its RULES.md, its tests and its code agree."""

import pytest

from sample_bots.python.search import guide_of
from sample_bots.python.search_guide import Guide
from tests.rules.acting import LUCK, refusal
from tests.rules.rulebook import FOLDERS, Rulebook

every_rulebook = pytest.mark.parametrize("book", [Rulebook(folder) for folder in FOLDERS], ids=FOLDERS)


@every_rulebook
def test_every_ruling_has_a_test_and_every_such_test_a_ruling(book: Rulebook) -> None:
    rulings = book.rulings()
    assert {int(name[1:]) for name in rulings} == set(range(1, len(rulings) + 1))
    assert book.tested_rulings() == rulings


@every_rulebook
def test_the_rules_name_every_option_preset_event_verb_and_key(book: Rulebook) -> None:
    view = book.game.new(book.game.info.least_seats, LUCK.clone())[0].view(0)
    options = [option.name for option in book.game.info.options]
    for word in (*options, *book.game.info.presets, *book.events, *book.grammar, *view):
        assert book.names(word), word


@every_rulebook
def test_every_game_of_ours_declares_its_pieces_its_sample_and_its_guide(book: Rulebook) -> None:
    state, _ = book.game.new(2, LUCK.clone())
    assert len(list(book.game.pieces(state.reveal()))) > 30
    assert book.game.info.samples[0].way
    assert issubclass(guide_of(book.game), Guide)


@every_rulebook
def test_every_preset_can_be_played(book: Rulebook) -> None:
    info = book.game.info
    for options in info.presets.values():
        for seats in range(info.least_seats, info.most_seats + 1):
            state, _ = book.game.new(seats, LUCK.clone(), options)
            while state.to_act():
                seat = state.to_act()[0]
                assert all(map(book.grammar.read, state.legal(seat)))
                state.apply(seat, state.legal(seat)[-1])


@every_rulebook
def test_texts_that_are_no_actions_are_refused_in_the_same_words(book: Rulebook) -> None:
    state, _ = book.game.new(2, LUCK.clone())
    (seat,) = state.to_act()
    verb = next(iter(book.grammar))
    assert refusal(state, "jump") == f"there is no such verb; the verbs are {', '.join(book.grammar)}"
    assert refusal(state, f"{verb}  ").startswith("it is spelt like '")
    assert refusal(state, state.legal(seat)[0], 1 - seat) == "it is not your decision"
