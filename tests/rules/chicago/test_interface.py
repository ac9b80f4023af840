"""Options, notation, refusals, order of the legal list, leaving, and what is shown to people."""

from typing import Any

import pytest

from referee import registry
from referee.chance import KeyedChance
from referee.errors import OptionError
from referee.game import Event, Options
from referee.games.chicago import GAME
from referee.games.chicago.components import faces_of
from referee.games.chicago.text import describe
from tests.rules.acting import LUCK, play, refusal
from tests.rules.chicago.build import TEN, dice, door, end_of_part, legal, owned, position
from tests.rules.rulebook import PEOPLE, check_described


@pytest.mark.parametrize(
    ("options", "hint"),
    [
        ({"move_die": "1-6"}, "1-12, 11-22, or 12 whole numbers"),
        ({"move_die": "1,2,3"}, "12 whole numbers"),
        ({"move_die": "1,2,3,4,5,6,7,8,9,10,11,23"}, "12 whole numbers"),
        ({"move_die": "01,2,3,4,5,6,7,8,9,10,11,12"}, "12 whole numbers"),
        ({"rings": 15}, "0 .no limit., or a whole number from 16 on"),
        ({"rings": 321}, "from 0 to 320"),
        ({"tokens": 93}, "from 0 to 92"),
        ({"gate_cost": 3}, "from 1 to 2"),
        ({"board": "chicago-23"}, "chicago-22"),
        ({"players": 4}, "no option"),
    ],
)
def test_options_that_cannot_be_are_refused(options: Options, hint: str) -> None:
    with pytest.raises(OptionError, match=hint):
        GAME.new(4, LUCK.clone(), options)


def test_r1_twelve_numbers_are_a_move_die() -> None:
    die = "0,1,2,3,4,5,6,7,8,9,10,22"
    assert faces_of(die) == (*range(11), 22)
    assert GAME.resolve({"move_die": die}, 4)["move_die"] == die
    assert GAME.longest(4, {"move_die": die}) == GAME.longest(4, {"move_die": "11-22"})


def test_the_legal_list_is_in_canonical_order() -> None:
    state = position("Y10:1@k9 Y2:1@g3 Y3:4@k1")
    assert legal(state) == [
        *(f"move Y2 {node}" for node in ("Y1e", "g2", "g4")),
        *(f"move Y3 {node}" for node in ("a11", "a12", "k2", "k22", "l1", "l22", "v11", "v12")),
        *(f"move Y10 {node}" for node in ("j9", "k10", "k8", "l9")),
    ]


REFUSALS = [
    ("jump", "no such verb; the verbs are buy, done, place, move, attack, pick"),
    ("", "no such verb"),
    ("move Y01 g4", "spelt like 'move Y1 d4'"),
    ("move  Y2 g4", "spelt like"),
    ("move Y21 g4", "spelt like"),
    ("move Y2 w4", "spelt like"),
    ("done ", "spelt like 'done'"),
    ("done", "must use all its points (1 left)"),
    ("buy 1", "must use all its points"),
    ("attack", "must use all its points"),
    ("pick R2", "must use all its points"),
    ("place Y2 YK", "must use all its points"),
    ("move Y2 j10", "there is no j10 on this board"),
    ("move Y2 Y4h", "there is no Y4h on this board"),
    ("move R1 g4", "R1 is not of the gang on turn, Y"),
    ("move Y5 g4", "Y5 is not on the board"),
    ("move Y2 g5", "g5 does not border g3; from there steps lead to Y1e, g2, g4"),
]


@pytest.mark.parametrize(("action", "reason"), REFUSALS)
def test_a_refusal_gives_its_reason_and_changes_nothing(action: str, reason: str) -> None:
    state = position("Y2:1@g3 R1:4@RK")
    assert reason in refusal(state, action)


def test_refusals_follow_the_phase() -> None:
    buying = position("Y1:4@YK", phase="turn_buy", cash={"Y": 20_000}, reserve={"Y": 3})
    for action, reason in {
        "buy 2": "it costs 25000 FT and the gang has 20000",
        "move Y1 f4": "may buy before it rolls",
    }.items():
        assert reason in refusal(buying, action)
    placing = position("Y1:4 Y2:1", phase="place")
    for action, reason in {
        "done": "has to place its new members",
        "place Y2 YK": "Y1 has to be placed first",
        "place Y1 RK": "RK does not belong to the gang",
    }.items():
        assert reason in refusal(placing, action)
    first, _ = GAME.new(4, LUCK.clone())
    assert "the yellow gang is buying" in refusal(first, "place Y1 YK")
    assert "not your decision" in refusal(first, "done", 1)
    play(first, "buy 3")
    assert "once in a phase" in refusal(first, "buy 3")
    stacked: Options = {"variant_stack": "yes"}
    picking = position(f"Y1:4@{door('R1a')} R2:1@R1a R3:3@R1a", points=2, options=stacked)
    play(picking, "move Y1 R1a")
    assert "first pick the defender" in refusal(picking, "move Y1 b4")
    over = position("G20:1@k4", gang="G", part="D", round=6)
    play(over, "move G20 k3")
    assert "the game is over" in refusal(over, "done", 0)


def test_purchases_say_what_is_missing() -> None:
    lost = owned("R", *(f"Y{name}" for name in TEN if name != "K"))
    crowded = position("Y1:4@YK", phase="part_buy", part="B", owner=lost)
    assert "no place where the member could start" in refusal(crowded, "buy 1")
    spent = position("Y1:4@YK", phase="part_buy", part="B", gang="Y", reserve={"Y": 0})
    assert "no pawn is left in the reserve" in refusal(spent, "buy 1")


def test_the_house_plays_a_seat_on_that_has_left() -> None:
    state, _ = GAME.new(3, KeyedChance(bytes(32)))
    assert state.withdraw(1) is None
    assert state.fallback(0) == "done"
    play(state, "done", "done", "done")
    assert state.fallback(0) == "place Y1 Y1a"
    while state.to_act():
        seat = state.to_act()[0]
        action = state.fallback(seat)
        assert action == ("done" if "done" in state.legal(seat) else state.legal(seat)[0])
        state.apply(seat, action)
    outcome = state.outcome()
    assert outcome is not None
    assert sorted(outcome.ranks)[0] == 1


def every_kind_of_event() -> list[Event]:
    """Return events of all kinds."""
    _, events = GAME.new(4, LUCK.clone())
    events += play(position("Y1:4", phase="part_buy"), "buy 3")
    events += play(position("Y1:4 R1:4", phase="place"), "place Y1 YK")
    events += play(position("Y1:4@YK", phase="turn_buy"), "buy 1", "done")
    stack: Options = {"variant_stack": "yes"}
    stacked = position(f"Y1:4@{door('R1a')} R2:1@R1a R3:3@R1a", options=stack, chance=dice(4, 1, (5, 5)))
    events += play(stacked, "move Y1 R1a", "pick R2")
    joint: Options = {**stack, "joint_attack": "yes"}
    events += play(position(f"Y1:4@{door('R1a')} Y2:1@k4 R2:1@R1a", points=2, options=joint), "move Y1 R1a")
    events += play(position("Y1:4@b4 R2:1@c4", chance=dice(4, 1, (6, 1))), "move Y1 c4")
    events += play(position("Y1:1@b4 R2:4@c4", points=9, chance=dice(1, 4, (1, 6))), "move Y1 c4")
    events += play(position("Y1:4@g3", tokens={"Y": 0}), "move Y1 Y1e")
    events += play(position("Y1:4@b4 B1:4@k1", owner={"Y1a": "R"}, points=2), "move Y1 Y1a")
    events += play(position("B1:4@k1", gang="B", round=2, cash={"Y": 0}), "move B1 v12")
    events += end_of_part(owner=owned("Y", "RK", "BK", "Y1e", "Y1f", "Y1g", "Y1h"))
    events += end_of_part(part="D")
    return events


def test_every_kind_of_event_is_plain_and_described_in_a_sentence() -> None:
    events = every_kind_of_event()
    check_described(GAME, events, tuple(describe))
    assert all(event.private is None for event in events)


def test_only_what_luck_decides_is_news() -> None:
    assert {event.kind for event in every_kind_of_event() if event.news} == {"rolled", "thrown"}


@pytest.mark.parametrize(
    ("event", "sentence"),
    [
        (
            {"event": "bought", "gang": "G", "pawn": "G2", "rings": 1, "price": 10_000, "at": "GH"},
            "Cleo (green) buys G2 with 1 ring for 10000 FT, who starts from GH.",
        ),
        (
            {"event": "moved", "pawn": "Y1", "from": "k1", "to": "v12", "left": 1, "gate": True},
            "Y1 goes from k1 to v12 by way of the gates; 1 point left.",
        ),
        ({"event": "skipped", "gang": "Y", "cause": "out"}, "Al (yellow) is out of the game and is skipped."),
        (
            {"event": "join_asked", "gang": "Y", "attackers": ["Y1"], "defenders": ["R2"], "at": "R1a"},
            "In R1a Y1 will fight R2; Al (yellow) may bring more members.",
        ),
        (
            {"event": "pick_asked", "gang": "R", "attackers": ["Y1", "Y2"], "defenders": ["R2"], "at": "R1a"},
            "In R1a Y1 and Y2 will fight R2; Bugs (red) picks who is next.",
        ),
        ({"event": "died", "pawn": "Y1", "rings": 0}, "Y1 is dead."),
        (
            {"event": "captured", "building": "R1a", "from": "R", "to": "Y", "tokens": {}},
            "Al (yellow) takes R1a from Bugs (red).",
        ),
        (
            {"event": "goal_reached", "seat": 1, "goals": ["casinos", "place"]},
            "Bugs has enough casinos and all bars of the central place.",
        ),
        (
            {"event": "ended", "reason": "wealth", "ranking": [1, 1, 3, 4], "scores": [1, 1, 0, 0]},
            "The game is a draw of Al and Bugs, with equal goals and wealth.",
        ),
        (
            {"event": "ended", "reason": "goal", "ranking": [2, 1, 3, 4], "scores": [1, 1, 0, 0]},
            "Bugs has reached a goal and wins.",
        ),
    ],
)
def test_events_are_described_in_plain_words(event: dict[str, Any], sentence: str) -> None:
    assert GAME.describe(event, PEOPLE) == sentence


def test_with_two_seats_a_gang_is_named_by_its_seat() -> None:
    event = {"event": "turn_began", "seat": 0, "turn": 7, "due": ["G"]}
    assert GAME.describe(event, ["Al", "Bugs"]) == "Turn 7: it is the turn of Al (green)."


def test_a_position_is_drawn_with_pawns_and_owners() -> None:
    state = position("Y1:4@YK Y2:1@d4 R1:2@v12 R2:3", points=5, owner={"Y1e": "R", "R5a": "Y"})
    drawn = GAME.draw(state.view(0))
    lines = drawn.split("\n")
    assert lines[0] == "phase A, round 3, Y (@0) moves: 5 points left"
    assert lines[2].split() == list("abcdefghijklmnopqrstuv")
    row = {int(line.split()[0]): line for line in lines[3:25]}
    assert row[4][5 + 5 * 3 :].startswith(" Y2 ")
    assert "YKY *" in row[5]
    assert "Y1eR " in drawn
    assert "R5aY " in drawn
    assert row[12].endswith(" R1")
    assert row[10].count("#") == row[13].count("#") == 2
    assert row[1].count("=") == row[22].count("=") == 2
    assert "> Y @0 (you)  cash 125000  reserve 18  tokens 19  buildings 11 worth 41000" in drawn
    assert "R1:2@v12 R2:3\n" in drawn
    assert "no member" in drawn
    assert "rings in the bank 140" in drawn


def test_every_phase_is_drawn() -> None:
    stack: Options = {"variant_stack": "yes"}
    picking = position(f"Y1:4@{door('R1a')} R2:1@R1a R3:3@R1a", options=stack)
    play(picking, "move Y1 R1a")
    joint: Options = {**stack, "joint_attack": "yes"}
    joining = position(f"Y1:4@{door('R1a')} Y2:1@k4 R2:1@R1a", points=4, options=joint)
    play(joining, "move Y1 R1a")
    over = position("G20:1@k4", gang="G", part="D", round=6)
    play(over, "move G20 k3")
    first, _ = GAME.new(4, LUCK.clone())
    for state, words in [
        (first, "phase A, Y (@0) buys for the phase"),
        (position("Y1:4", phase="place"), "phase A, Y (@0) places its members"),
        (position("Y1:4@YK", phase="turn_buy"), "phase A, round 3, Y (@0) may buy before it rolls"),
        (picking, "phase A, round 3, Y1 attacks in R1a: Y picks among R2 R3"),
        (joining, "phase A, round 3, Y1 attacks in R1a: 3 points left to join"),
        (over, "phase D, round 6, over (wealth): ranks"),
    ]:
        assert GAME.draw(state.view(None)).startswith(words)


def test_the_rules_name_the_buildings_that_are_printed() -> None:
    printed = "K, H, 1a, 1b, 1c, 1d, 2a, 2b, 2c, 3b"
    assert printed in registry.rules(GAME)
    assert {f"Y{name}" for name in printed.split(", ")} == {
        name for name, owner in position("Y1:4@YK").view(None)["owner"].items() if owner == "Y"
    }
