"""Joint attacks: several members enter one building, and both gangs pick who duels (6.6 of RULES.md)."""

from copy import deepcopy

import pytest

from referee.chance import KeyedChance, ScriptedChance
from referee.errors import IllegalActionError, OptionError
from referee.game import Event, Options
from referee.games.chicago import GAME
from referee.games.chicago.components import DUEL_DICE
from referee.games.chicago.follow import ChicagoFollower
from referee.games.chicago.state import State
from tests.rules.acting import LUCK, kinds_of, play, refusal
from tests.rules.chicago.build import beside, door, gang, legal, members, of_kind, position

JOINT: Options = {"variant_stack": "yes", "joint_attack": "yes"}


def duels(*throws: tuple[int, int, int, int]) -> ScriptedChance:
    """Return luck that gives these throws: rings and throw of the attacker, then of the defender."""
    numbers = []
    for mine, attack, yours, defence in throws:
        numbers += [DUEL_DICE[mine].index(attack), DUEL_DICE[yours].index(defence)]
    return ScriptedChance(LUCK.clone(), duel=numbers)


DOOR = door("R1a")
SECOND = beside(DOOR)


def two_attack(points: int = 6, defenders: str = "R2:1@R1a R3:3@R1a", **more: object) -> State:
    """Return a position in which Y1 stands at the door of R1a, and Y2 beside it."""
    return position(f"Y1:4@{DOOR} Y2:2@{SECOND} {defenders}", points=points, options=JOINT, **more)  # type: ignore[arg-type]


def gathered(**more: object) -> State:
    """Return the same after both have entered."""
    state = two_attack(**more)  # type: ignore[arg-type]
    play(state, "move Y1 R1a", f"move Y2 {DOOR}", "move Y2 R1a")
    return state


@pytest.mark.case("C77")
def test_r25_an_attack_on_a_building_waits_for_other_members() -> None:
    state = two_attack()
    events = play(state, "move Y1 R1a")
    assert kinds_of(events) == ["moved", "join_asked"]
    assert events[-1].public == {
        "event": "join_asked",
        "gang": "Y",
        "attackers": ["Y1"],
        "defenders": ["R2", "R3"],
        "at": "R1a",
    }
    view = state.view(None)
    assert (view["phase"], view["points"], view["to_act"]) == ("join", 5, [0])
    assert view["duel"] == {"attackers": ["Y1"], "defenders": ["R2", "R3"], "at": "R1a", "picks": "Y"}
    assert legal(state)[-1] == "attack"
    assert all(action.startswith("move Y2 ") for action in legal(state)[:-1])
    play(state, f"move Y2 {DOOR}")
    events = play(state, "move Y2 R1a")
    assert events[-1].public["event"] == "pick_asked", "no other member could come, so the duels begin"
    assert events[-1].public["attackers"] == ["Y1", "Y2"]


@pytest.mark.case("C77")
def test_r25_the_gang_begins_the_duels_when_it_wants() -> None:
    state = two_attack()
    play(state, "move Y1 R1a")
    events = play(state, "attack")
    assert kinds_of(events) == ["pick_asked"]
    assert legal(state) == ["pick Y1 R2", "pick Y1 R3"]


@pytest.mark.case("C77")
def test_r25_duels_begin_by_themselves_when_no_point_is_left() -> None:
    state = two_attack(points=1)
    assert kinds_of(play(state, "move Y1 R1a")) == ["moved", "pick_asked"]
    late = two_attack(points=2)
    play(late, "move Y1 R1a")
    assert kinds_of(play(late, f"move Y2 {DOOR}")) == ["moved", "pick_asked"]
    alone = position(f"Y1:4@{DOOR} R2:1@R1a", points=4, options=JOINT, chance=duels((4, 5, 1, 1)))
    assert kinds_of(play(alone, "move Y1 R1a"))[:3] == ["moved", "duel_began", "thrown"]


@pytest.mark.case("C78")
def test_r25_who_attacks_stays_and_no_other_duel_begins_meanwhile() -> None:
    state = position(
        f"Y1:4@{DOOR} Y2:2@b4 R2:1@R1a R3:1@c4", points=6, options=JOINT, chance=KeyedChance(bytes(32))
    )
    play(state, "move Y1 R1a")
    assert f"move Y1 {DOOR}" not in legal(state)
    assert "Y1 attacks in R1a and stays there" in refusal(state, f"move Y1 {DOOR}")
    assert "move Y2 c4" not in legal(state)
    assert "the attack in R1a comes first" in refusal(state, "move Y2 c4")
    assert "move another member, or attack" in refusal(state, "done")
    play(state, "move Y2 Y1a")
    assert state.view(None)["phase"] == "join"


def test_refusals_in_a_joint_attack_name_what_is_wrong() -> None:
    far = position(f"Y1:4@{DOOR} Y2:2@b4 Y3:1@Y2a R2:1@R1a", points=3, options={**JOINT, "pass_own": "yes"})
    play(far, "move Y1 R1a")
    assert "R1a cannot be reached with 2 points" in refusal(far, "move Y2 R1a")
    assert "Y2a cannot be reached with 2 points" in refusal(far, "move Y2 Y2a")
    play(far, "attack")
    picking = gathered()
    assert "first pick an attacker and a defender" in refusal(picking, "move Y1 b4")


@pytest.mark.case("C79")
def test_r21_the_gang_that_picks_chooses_attacker_and_defender() -> None:
    state = gathered(chance=duels((2, 6, 1, 1), (4, 6, 3, 4)))
    assert legal(state) == ["pick Y1 R2", "pick Y1 R3", "pick Y2 R2", "pick Y2 R3"]
    assert state.to_act() == (0,)
    with pytest.raises(IllegalActionError, match=r"an attacker .Y1, Y2. and a defender .R2, R3."):
        state.apply(0, "pick R2")
    events = play(state, "pick Y2 R2")
    assert of_kind(events, "duel_began")[0]["attacker"] == "Y2"
    # The right to pick passes to the other gang: it picks who of the attackers fights.
    assert state.to_act() == (1,)
    assert legal(state) == ["pick Y1 R3", "pick Y2 R3"]
    play(state, "pick Y1 R3")
    assert members(state) == {"Y1": (4, "R1a"), "Y2": (3, "R1a")}
    assert state.view(None)["owner"]["R1a"] == "Y"
    assert gang(state, "Y")["cash"] == 125_000 + 10_000 + 40_000
    assert state.view(None)["duel"] is None
    assert state.view(None)["points"] == 3


@pytest.mark.case("C80")
def test_r21_the_attack_goes_on_after_the_death_of_one_attacker() -> None:
    luck = duels((2, 3, 3, 6), (4, 6, 4, 5))
    state = gathered(defenders="R3:3@R1a", chance=luck)
    assert legal(state) == ["pick Y1 R3", "pick Y2 R3"]
    events = play(state, "pick Y2 R3")
    # One against one is left: there is nothing to pick.
    assert [event["attacker"] for event in of_kind(events, "duel_began")] == ["Y2", "Y1"]
    assert members(state) == {"Y1": (4, "R1a")}
    assert state.view(None)["owner"]["R1a"] == "Y"


@pytest.mark.case("C80")
def test_an_attack_that_fails_leaves_the_building_to_its_defenders() -> None:
    luck = duels((2, 3, 4, 6), (4, 5, 4, 6))
    state = gathered(defenders="R3:4@R1a", chance=luck, cash={"R": 0})
    play(state, "pick Y2 R3")
    assert members(state) == {"R3": (4, "R1a")}
    assert state.view(None)["owner"]["R1a"] == "R"
    assert state.view(None)["due"] == ["R"]


@pytest.mark.case("C80")
def test_a_tie_may_leave_no_one_in_the_building() -> None:
    state = position(
        f"Y1:1@{DOOR} Y2:1@{SECOND} R2:1@R1a R3:1@R1a",
        points=4,
        options=JOINT,
        chance=duels((1, 3, 1, 3), (1, 2, 1, 2)),
        cash={"R": 0},
    )
    play(state, "move Y1 R1a", f"move Y2 {DOOR}", "move Y2 R1a", "pick Y1 R2")
    assert members(state) == {}
    assert state.holder[state.board.numbers["R1a"]] == -1
    assert state.view(None)["owner"]["R1a"] == "R"


def test_streets_are_attacked_by_one_member_as_always() -> None:
    state = position("Y1:4@b4 Y2:1@k4 R2:1@c4", points=4, options=JOINT, chance=duels((4, 6, 1, 1)))
    assert kinds_of(play(state, "move Y1 c4"))[:2] == ["moved", "duel_began"]


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_joint_attacks_bring_the_first_variant_with_them(seats: int) -> None:
    alone: Options = {"joint_attack": "yes"}
    assert GAME.resolve(alone, seats) == GAME.resolve(JOINT, seats)
    assert GAME.resolve(None, seats)["variant_stack"] == "no"
    state = position(f"Y1:4@{DOOR} Y2:2@{SECOND} R2:1@R1a", points=4, options=alone)
    assert kinds_of(play(state, "move Y1 R1a")) == ["moved", "join_asked"]


def test_joint_attacks_without_the_first_variant_are_refused() -> None:
    with pytest.raises(OptionError, match="joint_attack cannot be 'yes' with variant_stack=no") as refused:
        GAME.resolve({"joint_attack": "yes", "variant_stack": "no"}, 4)
    assert refused.value.option == "joint_attack"


@pytest.mark.parametrize("choice", ["alternate", "defender"])
def test_joint_attacks_are_reported_and_imagined(choice: str) -> None:
    options = {**JOINT, "stack_choice": choice}
    pawns = f"Y1:4@{DOOR} Y2:2@{SECOND} R2:1@R1a R3:3@R1a R4:2@R1a"
    for key in range(8):
        state = position(pawns, points=6, options=options, chance=KeyedChance(bytes([key] * 32)))
        follower = ChicagoFollower(1, GAME.board)
        follower.view = deepcopy(state.view(1))
        events: list[Event] = []
        for wanted in ("move Y1 R1a", f"move Y2 {DOOR}", "move Y2 R1a", "last", "last", "last"):
            choices = legal(state)
            events = play(state, choices[-1] if wanted == "last" else wanted)
            for event in events:
                follower.hear(event.seen_by(1))
            assert follower.view == state.view(1)
            assert GAME.imagine(state.view(1), KeyedChance(bytes(32))).view(1) == state.view(1)
            if not state.view(None)["duel"]:
                break


def test_bounds_allow_for_joint_attacks() -> None:
    stacked: Options = {"variant_stack": "yes"}
    assert GAME.longest(4, JOINT) == GAME.longest(4, stacked) + 4 * 20
    assert GAME.widest(4, JOINT) == 400
    assert GAME.widest(4, stacked) == 92
