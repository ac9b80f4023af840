"""Options, notation, refusals, order of the legal list, and what is shown to people."""

from typing import Any

import pytest

from referee.chance import ScriptedChance
from referee.errors import OptionError
from referee.games.chicago_poker import GAME
from referee.games.chicago_poker.components import NAMES, all_cards
from referee.games.chicago_poker.text import describe
from tests.rules.acting import LUCK, play, refusal
from tests.rules.chicago_poker.build import begin, cards, position
from tests.rules.rulebook import PEOPLE, check_described


def test_the_french_edition_sets_five_defaults_that_can_be_overridden() -> None:
    english = GAME.resolve(None, 2)
    french = GAME.resolve({"edition": "fr", "markers": "each"}, 2)
    assert {name for name in english if english[name] != french[name]} == {
        "edition",
        "actions",
        "limousine",
        "reinforce",
        "replace",
    }
    assert list(french) == [option.name for option in GAME.info.options]


@pytest.mark.parametrize(
    "options",
    [
        {"first": "2"},
        {"goal": "long"},
        {"max_turns": 0},
        {"markers": "some"},
        {"revolvers": "many"},
        {"colour": "red"},
    ],
)
def test_options_that_cannot_be_are_refused(options: dict[str, str | int]) -> None:
    with pytest.raises(OptionError):
        GAME.new(2, LUCK.clone(), options)


def test_luck_is_drawn_in_the_fixed_order() -> None:
    deck = all_cards(position().rules)[::-1]
    tiles = list("SJDH" * 5)
    luck = ScriptedChance(LUCK.clone(), deck=[deck], tiles=[tiles], lots=[1])
    state, events = GAME.new(2, luck)
    names = [NAMES[card] for card in sorted(deck[:5])]
    assert state.view(0)["hand"] == names
    assert state.view(1)["hand"] == [NAMES[card] for card in sorted(deck[5:10])]
    assert [slot["kind"] for slot in state.view(None)["slots"]] == ["S", "J"]
    assert state.first == 1
    start = events[0]
    assert start.seen_by(0)["hand"] == names
    assert "hand" not in start.seen_by(None)
    play(state, "draw")
    assert deck[10] in state.hands[1]


def test_the_legal_list_is_in_canonical_order() -> None:
    state = position(
        3,
        kinds="SJ",
        rows={(1, 1): "Y1", (2, 2): "Y2", (1, 0): "Y3", (2, 1): "Y4"},
        hands=["P2 R10 R9 LQ PR LM BR"],
        discard="G1 B1 RV",
        left=2,
    )
    assert state.legal(0) == [
        "draw",
        "play R9 1",
        "play R9 2",
        "play R10 1",
        "play R10 2",
        "play P2 1",
        "play P2 2",
        "liquidate 1 @1",
        "liquidate 2 @1",
        "liquidate 2 @2",
        "raid 1 @1",
        "raid 2 @1",
        "raid 2 @2",
        "limo 1>2 Y3",
        "bribe G1",
        "bribe B1",
        "bribe RV",
    ]


REFUSALS = [
    ("jump", "no such verb"),
    ("", "no such verb"),
    ("play R07 1", "spelt like 'play R7 2'"),
    ("play  R9 1", "spelt like"),
    ("draw ", "spelt like 'draw'"),
    ("play G9 1", "G9 is not in your hand"),
    ("play R9 3", "no business in slot 3"),
    ("pass", "you still owe 3 actions"),
    ("raid 1 @1", "PR is not in your hand"),
    ("liquidate 1 @1", "no such victim"),
    ("liquidate -", "only with blank=yes"),
    ("bribe B9", "BR is not in your hand"),
    ("limo 1>2 R9", "LM is not in your hand"),
    ("revolver", "RV is not in your hand"),
    ("shootout 1", "no shootout to decide"),
    ("send R9", "no shootout to decide"),
]


@pytest.mark.parametrize(("action", "reason"), REFUSALS)
def test_a_refusal_gives_its_reason_and_changes_nothing(action: str, reason: str) -> None:
    assert reason in refusal(position(hands=["R9 LQ", "G9 PR"]), action)


def test_a_refused_draw_says_why() -> None:
    assert "more than 7 cards" in refusal(position(hands=["R1 R2 R3 R4 R5 R6 R7"], left=1), "draw")
    assert "deck and discard are empty" in refusal(position(hands=["R1"], deck=""), "draw")
    full = position(hands=["R1 R2 R3 R4 R5 R6 R7 R8"], options={"actions": "upto"})
    assert "may not end with more than 7" in refusal(full, "pass")


def test_a_seat_that_owes_nothing_is_refused() -> None:
    state = position(hands=["R9", "G9"])
    assert "not your decision" in refusal(state, "draw", 1)
    assert state.legal(1) == []


def test_refusals_follow_the_phase() -> None:
    due = position(rows={(1, 0): "R1 R3 R5 R7 R9", (2, 0): "G1 G3 G5 G7 G9"})
    begin(due)
    assert refusal(due, "draw") == "first choose the next shootout: shootout 1 or shootout 2"
    tied = position(rows={(1, 0): "R1 R3 R5 R7 R9", (1, 1): "G1 G3 G5 G7 G9"}, hands=["R2 LQ", "B2"])
    begin(tied)
    for action, reason in {
        "draw": "send a gangster",
        "send none": "must send one",
        "send G4": "G4 is not in your hand",
        "send LQ": "spelt like 'send P15'",
    }.items():
        assert reason in refusal(tied, action, 0)
    tied.apply(0, "send R2")
    assert "already answered" in refusal(tied, "send R2", 0)
    over = position(hands=["", ""], deck="")
    play(over, "pass", "pass")
    assert refusal(over, "pass", 0) == "the game is over"


def test_every_kind_of_event_is_plain_and_described_in_a_sentence() -> None:
    state = position(
        3,
        kinds="SJ",
        rows={(1, 0): "R1 R2 R3 R4", (1, 1): "G1 G2"},
        hands=["LQ PR LM RV R5", "BR", "Y1"],
        deck="B1 B2 B3 B4 B5 B6 B7 B8 B9",
        options={"blank": "yes"},
    )
    _, events = GAME.new(3, LUCK.clone())
    events += play(state, "revolver", "raid 1 @1", "liquidate 1 @1", "limo 1>2 R4", "draw")
    events += play(state, "bribe LQ", "draw", "draw", "play Y1 1", "draw", "draw")
    reshuffled = position(hands=[""], deck="", discard="R1")
    events += play(reshuffled, "draw")
    due = position(rows={(1, 0): "R1 R3 R5 R7", (2, 0): "G1 G3 G5 G7 G9"}, hands=["R9 R10", "Y2"])
    due.lay_row(0, 1, cards("B1 B3 B5 B7 B9"))
    events += play(due, "play R9 1", "draw", "draw", "draw", "draw", "draw")
    events += play(due, "shootout 1", "send R10", "send Y2")
    dead = position(rows={(1, 0): "Y9", (1, 1): "P9"}, hands=["", ""], deck="", options={"goal": "short"})
    dead.won = [["J", "S"], ["J", "S"]]
    events += play(dead, "pass", "pass", "send none", "send none")
    blank = position(hands=["LQ PR LM BR"], left=5, options={"blank": "yes"})
    events += play(blank, "bribe -", "liquidate -", "raid -", "limo -")
    check_described(GAME, events, tuple(describe))


@pytest.mark.parametrize(
    ("event", "sentence"),
    [
        (
            {"event": "played", "seat": 0, "slot": 1, "up": False, "card": "?"},
            "Al plays a card face down in slot 1.",
        ),
        ({"event": "drawn", "seat": 1, "card": "LQ", "cause": "replace"}, "Bugs draws LQ as a replacement."),
        (
            {"event": "turn_began", "seat": 0, "turn": 1, "must": 1, "may": 0},
            "Turn 1: Al has 1 action to take.",
        ),
        (
            {"event": "raided", "seat": 0, "slot": 1, "target": 1, "cards": {"2": "R9"}},
            "Al raids Bugs in slot 1 and finds R9 in place 2.",
        ),
        (
            {"event": "ended", "reason": "goal", "ranking": [2, 1]},
            "Bugs wins with the businesses the goal asks for.",
        ),
    ],
)
def test_events_are_described_in_plain_words(event: dict[str, Any], sentence: str) -> None:
    assert GAME.describe(event, PEOPLE) == sentence


def test_a_position_is_drawn_as_its_seat_sees_it() -> None:
    state = position(
        kinds="S-", rows={(1, 0): "R1 R3 R5 R7 R9", (1, 1): "G1 G3 G5"}, hands=["R2", "B2 B3"], won=["SJ"]
    )
    mine, theirs, open_table = (
        GAME.draw(state.view(0)),
        GAME.draw(state.view(None)),
        GAME.draw(state.reveal()),
    )
    assert "(R1)  (R3)  R5" in mine
    assert "* shootout" in mine
    assert "(G1)" not in mine
    assert "hand R2" in mine
    assert "no business" in mine
    assert "tiles S J" in mine
    assert "(R1)" not in theirs
    assert "R2" not in theirs
    assert "(G1)" in open_table
    assert "hand B2 B3" in open_table


def test_every_phase_is_drawn() -> None:
    order = position(rows={(1, 0): "R1 R3 R5 R7 R9", (2, 0): "G1 G3 G5 G7 G9"})
    begin(order)
    tied = position(rows={(1, 0): "R1 R3 R5 R7 R9", (1, 1): "G1 G3 G5 G7 G9"})
    begin(tied)
    over = position(hands=["", ""], deck="")
    play(over, "pass", "pass")
    assert "chooses the next shootout" in GAME.draw(order.view(1))
    assert "tie in slot 1, round 1: @0 @1" in GAME.draw(tied.view(1))
    assert "over (stalemate): ranks 1 1" in GAME.draw(over.view(1))
