"""Steps, points, buildings that change hands."""

import pytest

from referee.errors import IllegalActionError
from referee.game import Options
from tests.rules.acting import kinds_of, play
from tests.rules.chicago.build import dice, door, gang, legal, of_kind, owned, position, spots


def targets(pawns: str, points: int = 1, **more: object) -> list[str]:
    """Return where the first pawn may step."""
    state = position(pawns, points=points, **more)  # type: ignore[arg-type]
    return [action.split()[2] for action in legal(state) if action.split()[1] == pawns.split(":")[0]]


@pytest.mark.case("C23")
def test_a_casino_has_two_doors_and_can_be_walked_through() -> None:
    state = position("Y1:4@YK", points=3)
    assert legal(state) == ["move Y1 e7", "move Y1 f4"]
    play(state, "move Y1 f4")
    play(state, "move Y1 YK")
    assert state.view(None)["points"] == 1
    play(state, "move Y1 e7")
    assert spots(state)["Y1"] == "e7"
    walker = position("Y1:4@f4", points=3)
    play(walker, "move Y1 YK", "move Y1 e7")
    assert walker.view(None)["points"] == 1


@pytest.mark.case("C24")
def test_a_building_is_entered_from_its_arrow_only() -> None:
    assert "Y1c" in targets("Y1:4@e4")
    assert "YK" not in targets("Y1:4@e4")
    assert "YK" in targets("Y1:4@f4")


@pytest.mark.case("C25")
def test_r3_islands_are_no_squares() -> None:
    assert sorted(targets("Y1:4@j9")) == ["Y5a", "i9", "k9"]
    assert sorted(targets("Y1:4@h7")) == ["Y5a", "g7", "i7"]
    state = position("Y1:4@h7", points=3)
    play(state, "move Y1 Y5a", "move Y1 j9")
    assert state.view(None)["points"] == 1


@pytest.mark.case("C26")
def test_r6_from_a_gate_every_other_gate_is_one_step() -> None:
    assert targets("Y1:4@k1") == ["a11", "a12", "k2", "k22", "l1", "l22", "v11", "v12"]
    state = position("Y1:4@k1", points=2)
    (moved,) = play(state, "move Y1 v12")
    assert moved.public == {
        "event": "moved",
        "pawn": "Y1",
        "from": "k1",
        "to": "v12",
        "left": 1,
        "gate": True,
    }


def test_r6_gates_may_cost_two_points_but_not_between_neighbours() -> None:
    dear = {"gate_cost": 2}
    assert targets("Y1:4@k1", 1, options=dear) == ["k2", "l1"]
    assert len(targets("Y1:4@k1", 2, options=dear)) == 8
    state = position("Y1:4@k1", points=4, options=dear)
    events = play(state, "move Y1 l1", "move Y1 v12")
    assert [(event["left"], event["gate"]) for event in of_kind(events, "moved")] == [(3, False), (1, True)]
    with pytest.raises(IllegalActionError, match="gate to gate costs 2 points"):
        state.apply(0, "move Y1 k1")


@pytest.mark.case("C27")
def test_a_square_beside_a_gate_is_an_ordinary_one() -> None:
    assert sorted(targets("Y1:4@k2")) == ["Y5b", "k1", "k3", "l2"]


@pytest.mark.case("C28")
def test_r16_an_own_pawn_blocks_the_way() -> None:
    assert targets("Y2:1@Y1a Y3:1@b4") == []
    with pytest.raises(IllegalActionError, match="a pawn of the gang is on b4"):
        position("Y2:1@Y1a Y3:1@b4").apply(0, "move Y2 b4")


PASS: Options = {"pass_own": "yes"}


@pytest.mark.case("C81")
def test_r16_with_the_option_members_pass_their_own_pawns() -> None:
    row = "Y2:1@Y1a Y3:1@b4"
    assert targets(row, points=1, options=PASS) == []
    assert targets(row, points=2, options=PASS) == ["a4", "c4"]
    state = position(row, points=5, options=PASS)
    events = play(state, "move Y2 c4")
    assert of_kind(events, "moved")[0] == {
        "event": "moved",
        "pawn": "Y2",
        "from": "Y1a",
        "to": "c4",
        "left": 3,
        "gate": False,
    }
    assert "move Y2 b4" not in legal(state), "it may not stop there"


@pytest.mark.case("C81")
def test_r16_with_the_option_every_pawn_passed_costs_its_point() -> None:
    chain = "Y2:1@Y1a Y3:1@b4 Y4:1@c4"
    assert "d4" not in targets(chain, points=2, options=PASS)
    assert "d4" in targets(chain, points=3, options=PASS)
    state = position(chain, points=3, options=PASS)
    play(state, "move Y2 d4")
    assert state.view(None)["due"] != ["Y"]
    with pytest.raises(IllegalActionError, match="cannot be reached with 2 points"):
        position(chain, points=2, options=PASS).apply(0, "move Y2 d4")
    with pytest.raises(IllegalActionError, match="a pawn of the gang is on c4"):
        position(chain, points=2, options=PASS).apply(0, "move Y2 c4")


@pytest.mark.case("C81")
def test_r16_no_member_passes_rivals_or_allies() -> None:
    assert targets("Y2:1@Y1a R3:1@b4", points=3, options=PASS) == ["b4"]
    assert targets("Y2:1@Y1a G3:1@b4", points=3, seats=2, options=PASS) == []
    state = position("Y2:4@Y1a Y3:1@b4 R3:1@c4", points=3, options=PASS, chance=dice(4, 1, (6, 1)))
    assert "duel_began" in kinds_of(play(state, "move Y2 c4"))


@pytest.mark.case("C81")
@pytest.mark.parametrize(("cost", "points", "reached"), [(1, 2, True), (2, 2, False), (2, 3, True)])
def test_r16_a_pawn_on_a_gate_is_passed_at_the_cost_of_gates(cost: int, points: int, reached: bool) -> None:
    options = {**PASS, "gate_cost": cost}
    state = position("Y2:1@k2 Y3:1@k1", points=points, options=options)
    assert ("move Y2 v12" in legal(state)) == reached
    if reached:
        (moved,) = of_kind(play(state, "move Y2 v12"), "moved")
        assert (moved["gate"], moved["left"]) == (True, points - 1 - cost)


def test_with_variant_one_and_passing_members_stop_in_shared_buildings() -> None:
    options = {**PASS, "variant_stack": "yes"}
    assert "b4" not in targets("Y2:1@Y1a Y3:1@b4", points=3, options=options)
    assert "Y1a" in targets("Y2:1@b4 Y3:1@Y1a", points=3, options=options)


@pytest.mark.case("C29")
def test_a_lone_member_with_one_point_must_step_out() -> None:
    assert legal(position("Y1:4@Y1a")) == ["move Y1 b4"]


@pytest.mark.case("C30")
def test_all_points_must_be_used_and_then_the_turn_passes() -> None:
    state = position("Y1:4@Y1a R1:4@RK", points=2, cash={"R": 0})
    play(state, "move Y1 b4")
    assert sorted(action.split()[2] for action in legal(state)) == ["Y1a", "a4", "c4"]
    with pytest.raises(IllegalActionError, match="must use all its points"):
        state.apply(0, "done")
    play(state, "move Y1 c4")
    assert state.view(None)["due"] == ["R"]


@pytest.mark.case("C31")
def test_points_are_shared_among_members_in_any_order() -> None:
    state = position("Y1:4@k5 Y2:1@l18 Y3:1@k18 R1:4@RK", points=7, cash={"R": 0})
    way = ["Y1 k4", "Y2 l17", "Y1 k3", "Y3 k17", "Y1 k2", "Y3 k16", "Y1 k1"]
    lefts = [event["left"] for event in of_kind(play(state, *(f"move {step}" for step in way)), "moved")]
    assert lefts == [6, 5, 4, 3, 2, 1, 0]
    assert state.view(None)["due"] == ["R"]


@pytest.mark.case("C32")
def test_points_lapse_when_the_last_member_dies() -> None:
    state = position("Y1:1@b4 R1:4@a4", points=5, chance=dice(1, 4, (1, 5)), cash={"R": 0})
    events = play(state, "move Y1 a4")
    assert of_kind(events, "lapsed") == [{"event": "lapsed", "gang": "Y", "points": 4}]
    assert state.view(None)["due"] == ["R"]


def test_points_lapse_when_allies_shut_a_gang_in() -> None:
    state = position("Y1:4@Y1a G1:4@b4 B1:1@k4 R1:1@RK", seats=2, gang="B", cash={"Y": 0, "R": 0})
    events = play(state, "move B1 k3")
    (roll,) = [event for event in of_kind(events, "rolled") if event["gang"] == "Y"]
    assert of_kind(events, "lapsed") == [{"event": "lapsed", "gang": "Y", "points": roll["points"]}]
    assert state.view(None)["due"] == ["R"]


def test_r1_the_move_die_has_the_faces_of_its_option() -> None:
    for die, faces in {
        "1-12": range(1, 13),
        "11-22": range(11, 23),
        "0,0,0,0,0,0,5,5,5,5,5,22": (0, 5, 22),
    }.items():
        seen = set()
        for number in range(12):
            luck = dice(1, 1, rolls=[number + 1])
            state = position(
                "B1:1@k4 Y1:1@YK", gang="B", cash={"Y": 0}, chance=luck, options={"move_die": die}
            )
            rolls = of_kind(play(state, "move B1 k3"), "rolled")
            seen.add(rolls[0]["points"])
        assert seen == set(faces)


def test_a_roll_of_nothing_ends_the_turn() -> None:
    nothing = {"move_die": ",".join(["0"] * 11 + ["1"])}
    luck = dice(1, 1, rolls=[1, 12])
    state = position("B1:1@k4 Y1:1@YK R1:1@RK", gang="B", cash={"Y": 0, "R": 0}, chance=luck, options=nothing)
    events = play(state, "move B1 k3")
    assert kinds_of(events) == ["moved", "round_began", "turn_began", "rolled", "turn_began", "rolled"]
    assert (state.view(None)["due"][0], state.view(None)["points"]) == ("R", 1)


def test_r23_the_markers_on_the_tracks_are_fields_of_the_view() -> None:
    view = position("Y1:4@YK", points=9, part="C", round=5).view(None)
    assert (view["part"], view["round"], view["points"]) == ("C", 5, 9)


def test_r24_there_are_no_diagonal_steps() -> None:
    assert sorted(targets("Y1:4@k9")) == ["j9", "k10", "k8", "l9"]
    with pytest.raises(IllegalActionError, match="l10 does not border k9"):
        position("Y1:4@k9").apply(0, "move Y1 l10")


@pytest.mark.case("C33")
def test_a_member_that_enters_a_neutral_building_takes_it_with_a_token() -> None:
    state = position("Y1:4@g3", points=2)
    events = play(state, "move Y1 Y1e")
    captured = {"event": "captured", "building": "Y1e", "from": None, "to": "Y", "tokens": {"Y": 19}}
    assert of_kind(events, "captured") == [captured]
    assert state.view(None)["owner"]["Y1e"] == "Y"
    assert gang(state, "Y")["tokens"] == 19


@pytest.mark.case("C34")
def test_a_token_goes_back_to_who_loses_a_building() -> None:
    state = position(f"R1:4@{door('R1e')}", gang="R", points=2, owner={"R1e": "Y"})
    assert gang(state, "Y")["tokens"] == 19
    events = play(state, "move R1 R1e")
    assert of_kind(events, "captured")[0]["tokens"] == {"R": 19, "Y": 20}
    assert (gang(state, "R")["tokens"], gang(state, "Y")["tokens"]) == (19, 20)


@pytest.mark.case("C35")
def test_r12_a_printed_building_needs_no_token() -> None:
    state = position(f"Y1:4@{door('R1a')}", points=2)
    play(state, "move Y1 R1a")
    assert (gang(state, "Y")["tokens"], gang(state, "R")["tokens"]) == (19, 20)
    back = position(f"R1:4@{door('R1a')}", gang="R", points=2, owner={"R1a": "Y"})
    play(back, "move R1 R1a")
    assert back.view(None)["owner"]["R1a"] == "R"
    assert (gang(back, "Y")["tokens"], gang(back, "R")["tokens"]) == (20, 20)


@pytest.mark.case("C36")
def test_entering_an_own_building_changes_nothing() -> None:
    state = position("Y1:4@b4", points=2)
    assert kinds_of(play(state, "move Y1 Y1a")) == ["moved"]


@pytest.mark.case("C37")
def test_a_building_stays_taken_when_the_member_leaves_again() -> None:
    state = position("Y1:4@g4", points=4)
    play(state, "move Y1 g3", "move Y1 Y1e", "move Y1 g3")
    assert state.view(None)["owner"]["Y1e"] == "Y"
    assert spots(state)["Y1"] == "g3"


@pytest.mark.case("C38")
def test_r11_without_a_token_only_printed_buildings_can_be_taken() -> None:
    state = position(f"Y1:4@{door('G2d')} Y2:1@b4", points=3, tokens={"Y": 0, "R": 19}, owner={"Y1a": "R"})
    events = play(state, "move Y1 G2d")
    assert of_kind(events, "capture_failed") == [{"event": "capture_failed", "gang": "Y", "building": "G2d"}]
    assert state.view(None)["owner"]["G2d"] is None
    play(state, "move Y2 Y1a")
    assert state.view(None)["owner"]["Y1a"] == "Y"
    assert (gang(state, "Y")["tokens"], gang(state, "R")["tokens"]) == (0, 20)


def test_r11_without_a_limit_there_is_a_token_for_every_building() -> None:
    everything = owned("Y", *(name for name in position().view(None)["owner"] if name != "G2d"))
    state = position(f"Y1:4@{door('G2d')}", points=2, owner=everything, options={"tokens": 0})
    play(state, "move Y1 G2d")
    assert set(state.view(None)["owner"].values()) == {"Y"}


@pytest.mark.case("C39")
def test_a_home_can_be_lost_and_won_back() -> None:
    taking = position("R1:4@d2 Y2:1@YK", gang="R", points=2)
    play(taking, "move R1 YH")
    assert taking.view(None)["owner"]["YH"] == "R"
    assert not taking.home_usable(0)
    lost = position(
        "R1:4@RK Y1:1@d2 B1:1@k4", gang="Y", points=1, owner={"YH": "R"}, cash={"R": 0, "G": 0, "B": 0}
    )
    assert not lost.home_usable(0)
    play(lost, "move Y1 YH")
    assert lost.view(None)["owner"]["YH"] == "Y"
    while lost.view(None)["due"] != ["Y"]:
        play(lost, legal(lost)[0])
    assert lost.view(None)["phase"] == "turn_buy"


@pytest.mark.case("C69")
def test_r17_an_allied_pawn_blocks_the_way() -> None:
    state = position("Y1:4@Y1a Y2:1@k4 G2:1@b4", seats=2)
    assert all(action.startswith("move Y2") for action in legal(state))
    with pytest.raises(IllegalActionError, match="your other gang is on b4"):
        state.apply(0, "move Y1 b4")
    foes = position(
        "Y1:4@Y1a Y2:1@k4 G2:1@b4", seats=2, options={"allied": "duel"}, chance=dice(4, 1, (5, 1))
    )
    events = play(foes, "move Y1 b4")
    assert "duel_began" in kinds_of(events)


@pytest.mark.case("C70")
def test_r17_an_allied_building_is_taken_over() -> None:
    state = position("G1:4@b4", seats=2, gang="G", points=2)
    play(state, "move G1 Y1a")
    assert state.view(None)["owner"]["Y1a"] == "G"
