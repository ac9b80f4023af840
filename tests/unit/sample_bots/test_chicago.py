"""The chicago bot: it buys, takes what pays, picks its duels, goes for goals, and wins."""

import pytest

from referee.chance import KeyedChance
from referee.game import Options
from referee.games.chicago import GAME
from sample_bots.python import chicago
from sample_bots.python.chicago_position import Position, duel_worth, odds, ways_to
from tests.rules.acting import play
from tests.rules.chicago.build import beside, door, owned, position, zone
from tests.unit.sample_bots.arena import HEROES, answer

HERO = HEROES["chicago"]


# What it knows.


def test_it_knows_the_odds_of_duels() -> None:
    assert odds(1, 1) == pytest.approx((5 / 12, 5 / 12))
    assert odds(4, 3) == pytest.approx((367 / 486, 119 / 486))
    assert duel_worth(4, 1, 1.0) > 0 > duel_worth(1, 4, 1.0)
    assert duel_worth(2, 2, 1.0) == pytest.approx(0)


def test_it_knows_the_ways_gates_and_doors_included() -> None:
    assert ways_to("YK")["YH"] == 6
    assert ways_to("k1")["v12"] == 1
    assert ways_to("Y4a")["YK"] == 9, "by way of Y5a"


def test_it_knows_what_will_still_pay() -> None:
    assert Position(position("Y1:4@YK").view(0)).payments() == 4
    assert Position(position("Y1:4@YK", part="D").view(0)).payments() == 1
    rounds: Options = {"income": "round"}
    assert Position(position("Y1:4@YK", part="D", round=5, options=rounds).view(0)).payments() == 2
    assert Position(position("Y1:4@YK", part="D", round=6).view(0)).is_last_turn()


# What it does.


def test_it_buys_the_strongest_until_it_has_enough() -> None:
    state, _ = GAME.new(4, KeyedChance(bytes(32)))
    assert answer(HERO, state) == "buy 3"
    crowd = " ".join(f"Y{number}:1@YH" for number in range(1, chicago.ENOUGH + 1))
    assert answer(HERO, position(crowd, phase="turn_buy")) == "done"
    assert answer(HERO, position("Y1:4@YK", phase="turn_buy", part="D", round=6)) == "done"


def test_it_guards_its_casino_from_the_start() -> None:
    state, _ = GAME.new(4, KeyedChance(bytes(32)))
    play(state, "done", "done", "done", "done")
    assert answer(HERO, state) == "place Y1 YK"


def test_it_takes_a_building_that_is_near() -> None:
    assert answer(HERO, position("Y1:4@k2")) == "move Y1 Y5b"


def test_it_takes_a_casino_rather_than_a_bar() -> None:
    state = position(f"Y1:4@{door('RK')}", owner={"R1e": None})
    assert answer(HERO, state) == "move Y1 RK"


def test_it_completes_a_set_of_its_zone() -> None:
    almost = owned("Y", *(name for name in zone("Y", "1") if name != "Y1e"))
    bare = dict.fromkeys(almost)
    complete, plain = position("Y1:4@g3", owner=almost), position("Y1:4@g3", owner=bare)
    worths = [chicago.building_worth(Position(state.view(0)), "Y1e") for state in (complete, plain)]
    assert worths[0] > 10 * worths[1]


def test_it_completes_a_goal_and_spoils_a_rivals() -> None:
    mine, yours = owned("Y", "RK"), owned("R", "BK")
    worth = {
        name: chicago.building_worth(Position(position("Y1:4@k4", owner=owner).view(0)), "GK")
        for name, owner in {"far": {}, "near": mine, "spoil": {**yours, "GK": "R"}}.items()
    }
    assert worth["near"] > 2 * worth["far"]
    assert worth["spoil"] > worth["far"]


def test_it_attacks_the_weak_and_avoids_the_strong() -> None:
    assert answer(HERO, position("Y1:4@b4 R2:1@c4", owner=owned("Y", *zone("Y")))) == "move Y1 c4"
    assert answer(HERO, position("Y1:1@b4 R2:4@c4")) != "move Y1 c4"


def test_it_does_not_leave_its_casino_to_a_rival_who_is_near() -> None:
    own = owned("Y", *zone("Y"))
    state = position("Y1:4@YK Y2:1@k4 R2:4@g7", points=1, owner=own)
    assert answer(HERO, state).startswith("move Y2")


def test_it_picks_whom_it_can_beat_and_defends_with_its_best() -> None:
    stack: Options = {"variant_stack": "yes"}
    state = position(f"Y1:2@{door('R1a')} R2:3@R1a R3:1@R1a", options=stack)
    play(state, "move Y1 R1a")
    assert answer(HERO, state) == "pick R3"
    view = state.view(1)
    view |= {"to_act": [1], "duel": view["duel"] | {"picks": "R"}}
    assert chicago.choose(view, state.legal(0)) == "pick R2"


JOINT: Options = {"variant_stack": "yes", "joint_attack": "yes"}


def test_it_brings_help_to_an_attack_that_needs_it() -> None:
    pawns = f"Y1:2@{door('R1a')} Y2:3@{beside(door('R1a'))} Y3:4@b4 R2:3@R1a R3:1@R1a"
    state = position(pawns, points=5, options=JOINT)
    play(state, "move Y1 R1a")
    for step in (door("R1a"), "R1a"):
        action = answer(HERO, state)
        assert action == f"move Y2 {step}"
        play(state, action)
    assert answer(HERO, state) == "attack", "Y3 is too far away"


def test_it_attacks_at_once_when_it_is_strong_enough() -> None:
    state = position(f"Y1:4@{door('R1a')} Y2:3@{beside(door('R1a'))} R2:1@R1a", points=5, options=JOINT)
    play(state, "move Y1 R1a")
    assert answer(HERO, state) == "attack"


def test_in_a_joint_attack_it_picks_the_pair_that_suits_it() -> None:
    pawns = f"Y1:4@{door('R1a')} Y2:1@{beside(door('R1a'))} R2:3@R1a R3:1@R1a"
    state = position(pawns, points=3, options=JOINT)
    play(state, "move Y1 R1a", f"move Y2 {door('R1a')}", "move Y2 R1a")
    assert answer(HERO, state) == "pick Y1 R2", "a duel of 4 rings against 3 brings most"
    view = state.view(1)
    view |= {"to_act": [1], "duel": view["duel"] | {"picks": "R"}}
    assert chicago.choose(view, state.legal(0)) == "pick Y2 R2"


# What it does with another taste.


def late_and_early(members: str) -> list[Position]:
    """Return what is seen in the last round of a phase and in the first."""
    return [Position(position(members, round=number).view(0)) for number in (6, 1)]


def test_goals_that_wait_count_more_when_a_phase_ends() -> None:
    waiting = chicago.Taste(goals_wait=1)
    late, early = (chicago.building_worth(seen, "GK", waiting) for seen in late_and_early("Y1:4@k4"))
    assert late == chicago.building_worth(late_and_early("Y1:4@k4")[1], "GK")
    assert late > early


def test_guards_that_wait_may_leave_while_a_phase_is_young() -> None:
    late, early = late_and_early("Y1:4@YK R2:4@g7")
    guard = late.members[0]
    waiting = chicago.Taste(guards_wait=4)
    cost = chicago.leaving_cost(late, guard, waiting)
    assert cost == chicago.leaving_cost(early, guard, chicago.TASTE)
    assert chicago.leaving_cost(early, guard, waiting) == pytest.approx(cost / 6**4)


def test_who_never_has_enough_buys_on() -> None:
    crowd = " ".join(f"Y{number}:1@YH" for number in range(1, chicago.ENOUGH + 1))
    state = position(crowd, phase="turn_buy")
    view, legal = state.view(0), state.legal(0)
    assert chicago.choose(view, legal, chicago.Taste(enough=20)) == legal[-2] != "done"


# How it fares.
