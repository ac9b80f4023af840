"""Duels: throws, rings, rewards, several defenders, and how likely everything is."""

from fractions import Fraction

import pytest

from referee.chance import KeyedChance, ScriptedChance
from referee.errors import IllegalActionError
from referee.game import Event, Options
from referee.games.chicago.components import DUEL_DICE
from referee.games.chicago.state import State
from tests.rules.acting import LUCK, kinds_of, play
from tests.rules.chicago.build import dice, door, gang, legal, members, of_kind, position

PAIR = Fraction(1, 36)


def attack(
    rings: tuple[int, int], *throws: tuple[int, int], at: str = "c4", options: Options | None = None
) -> tuple[State, list[Event]]:
    """Let Y2 on b4 (or before a building) attack R2, with these rings and throws; Y1 stands by."""
    start = "b4" if at == "c4" else door(at)
    pawns = f"Y1:4@k15 Y2:{rings[0]}@{start} R2:{rings[1]}@{at}"
    state = position(pawns, points=5, chance=dice(*rings, *throws), options=options)
    return state, play(state, f"move Y2 {at}")


def gained(state: State, colour: str) -> int:
    cash: int = gang(state, colour)["cash"]
    return cash - 125_000


def bank(state: State, rings: tuple[int, int]) -> int:
    """Return how many rings the bank has won."""
    return state.bank - (150 - 4 - sum(rings))


@pytest.mark.case("C40")
def test_every_member_throws_the_die_of_its_strength() -> None:
    seen: dict[int, set[int]] = {0: set(), 1: set()}
    for key in range(60):
        state = position("Y1:4@b4 R2:2@c4", points=5, chance=KeyedChance(bytes([key] * 32)))
        first = of_kind(play(state, "move Y1 c4"), "thrown")[0]
        assert first["rings"] == [4, 2]
        for side in seen:
            seen[side].add(first["values"][side])
    assert seen == {0: {5, 6}, 1: {3, 4, 5, 6}}


@pytest.mark.case("C41")
def test_the_winner_gets_the_value_of_the_loser_and_a_ring() -> None:
    state, events = attack((1, 1), (5, 3))
    assert members(state) == {"Y1": (4, "k15"), "Y2": (2, "c4")}
    assert (gained(state, "Y"), bank(state, (1, 1))) == (10_000, 0)
    assert kinds_of(events) == ["moved", "duel_began", "thrown", "died", "won"]
    assert [event.news for event in events] == [False, False, True, False, False]
    assert events[-1].public == {"event": "won", "pawn": "Y2", "rings": 2, "reward": 10_000}


@pytest.mark.case("C42")
def test_no_member_has_more_than_four_rings() -> None:
    state, _ = attack((4, 3), (6, 4))
    assert members(state)["Y2"] == (4, "c4")
    assert (gained(state, "Y"), bank(state, (4, 3))) == (40_000, 3)


@pytest.mark.case("C43")
@pytest.mark.parametrize(("reward", "gain"), [("current", 10_000), ("initial", 25_000)])
def test_r13_a_tie_lowers_the_reward(reward: str, gain: int) -> None:
    state, events = attack((2, 2), (4, 4), (5, 2), options={"duel_reward": reward})
    assert [event["rings"] for event in of_kind(events, "thrown")] == [[2, 2], [1, 1]]
    assert of_kind(events, "lost_ring")[0]["rings"] == [1, 1]
    assert members(state)["Y2"] == (2, "c4")
    assert (gained(state, "Y"), bank(state, (2, 2))) == (gain, 2)


@pytest.mark.case("C44")
@pytest.mark.parametrize("at", ["c4", "R1a", "Y1e"])
def test_a_tie_of_the_weakest_kills_both(at: str) -> None:
    state, events = attack((1, 1), (3, 3), at=at)
    assert members(state) == {"Y1": (4, "k15")}
    assert (gained(state, "Y"), gained(state, "R"), bank(state, (1, 1))) == (0, 0, 2)
    assert state.holder[state.board.numbers[at]] == -1
    assert kinds_of(events) == ["moved", "duel_began", "thrown", "lost_ring", "died", "died"]
    if at != "c4":
        assert state.view(None)["owner"][at] == position().view(None)["owner"][at]


@pytest.mark.case("C45")
@pytest.mark.parametrize(
    ("attrition", "rings", "gain"), [("none", 2, 0), ("ring", 3, 0), ("full", 3, 10_000)]
)
def test_r14_who_survives_a_tie_wins_nothing_but_the_place(attrition: str, rings: int, gain: int) -> None:
    state, events = attack((3, 1), (5, 5), at="R1a", options={"attrition": attrition})
    assert members(state)["Y2"] == (rings, "R1a")
    assert (gained(state, "Y"), bank(state, (3, 1))) == (gain, 4 - rings)
    assert state.view(None)["owner"]["R1a"] == "Y"
    assert bool(of_kind(events, "won")) == (attrition != "none")


@pytest.mark.case("C46")
@pytest.mark.parametrize(
    ("attrition", "rings", "gain"), [("none", 3, 0), ("ring", 4, 0), ("full", 4, 10_000)]
)
def test_r14_a_defender_may_survive_a_tie(attrition: str, rings: int, gain: int) -> None:
    state, _ = attack((1, 4), (6, 6), options={"attrition": attrition})
    assert members(state) == {"Y1": (4, "k15"), "R2": (rings, "c4")}
    assert (gained(state, "R"), gained(state, "Y")) == (gain, 0)


@pytest.mark.case("C47")
def test_a_defender_who_wins_is_rewarded_and_the_others_go_on() -> None:
    state, _ = attack((2, 1), (3, 6))
    assert members(state) == {"Y1": (4, "k15"), "R2": (2, "c4")}
    assert gained(state, "R") == 25_000
    assert state.view(None)["points"] == 4
    assert all(action.startswith("move Y1 ") for action in legal(state))


@pytest.mark.case("C48")
def test_four_ties_kill_the_strongest() -> None:
    state, events = attack((4, 4), (5, 5), (5, 5), (3, 3), (2, 2))
    assert members(state) == {"Y1": (4, "k15")}
    assert bank(state, (4, 4)) == 8
    assert len(of_kind(events, "thrown")) == 4


@pytest.mark.case("C49")
def test_r5_stored_members_fight_one_after_the_other() -> None:
    # 5 of die 4 against 1 of die 1, then 6 of die 4 against 3 of die 2.
    luck = ScriptedChance(LUCK.clone(), duel=[0, 0, 3, 0])
    state = position(f"Y1:4@{door('RH')} R5:1@RH R6:2@RH", points=5, chance=luck)
    events = play(state, "move Y1 RH")
    assert [event["defender"] for event in of_kind(events, "duel_began")] == ["R5", "R6"]
    assert gained(state, "Y") == 35_000
    assert state.view(None)["owner"]["RH"] == "Y"
    assert state.view(None)["points"] == 4
    assert members(state) == {"Y1": (4, "RH")}


@pytest.mark.case("C50")
def test_the_winner_may_go_on_at_once() -> None:
    state, _ = attack((1, 1), (5, 3))
    assert state.view(None)["points"] == 4
    assert "move Y2 d4" in legal(state)


@pytest.mark.case("C51")
def test_a_member_whose_only_way_holds_a_rival_must_duel() -> None:
    state = position("Y1:4@Y1a R2:1@b4")
    assert legal(state) == ["move Y1 b4"]
    assert "duel_began" in kinds_of(play(state, "move Y1 b4"))


STACK: Options = {"variant_stack": "yes"}


@pytest.mark.case("C71")
def test_with_variant_one_members_share_buildings_but_not_streets() -> None:
    state = position("Y2:1@Y1a Y3:1@b4 Y4:1@c4", points=3, options=STACK)
    assert "move Y3 Y1a" in legal(state)
    assert "move Y3 c4" not in legal(state)
    play(state, "move Y3 Y1a", "move Y3 b4")
    assert state.holder[state.board.numbers["Y1a"]] == 0
    with pytest.raises(IllegalActionError, match="a pawn of the gang is on c4"):
        state.apply(0, "move Y3 c4")
    assert "move Y3 Y1a" not in legal(position("Y2:1@Y1a Y3:1@b4"))


def test_with_variant_one_members_are_placed_together() -> None:
    state = position("Y1:4@Y1a Y2:1", phase="place", part="B", options=STACK)
    assert len(legal(state)) == 10
    lost = {f"Y{name}": "R" for name in ("H", "K", "1b", "1c", "1d", "2a", "2b", "2c", "3b")}
    rich = position("Y1:4@Y1a", phase="part_buy", part="B", gang="Y", owner=lost, options=STACK)
    play(rich, "buy 1", "buy 2")
    assert "buy 1" in legal(rich)
    full = position(
        "Y1:4@Y1a", phase="part_buy", part="B", gang="Y", owner=lost, cash={"Y": 0}, options=STACK
    )
    assert legal(full) == []


@pytest.mark.case("C72")
def test_r21_the_right_to_pick_passes_from_side_to_side() -> None:
    pair = position(
        f"Y1:4@{door('R1a')} R2:1@R1a R3:3@R1a", points=2, options=STACK, chance=dice(4, 3, (6, 4))
    )
    events = play(pair, "move Y1 R1a")
    assert legal(pair) == ["pick R2", "pick R3"]
    assert pair.to_act() == (0,)
    duel = {"attackers": ["Y1"], "defenders": ["R2", "R3"], "at": "R1a", "picks": "Y"}
    assert pair.view(None)["duel"] == duel
    assert kinds_of(events)[-1] == "pick_asked"
    with pytest.raises(IllegalActionError, match="none of the defenders: R2, R3"):
        pair.apply(0, "pick R4")
    events = play(pair, "pick R3")
    assert [event["defender"] for event in of_kind(events, "duel_began")] == ["R3", "R2"]
    assert not of_kind(events, "pick_asked")


@pytest.mark.parametrize(("choice", "seats"), [("alternate", [0, 1, 0]), ("defender", [0, 1, 1])])
def test_r21_who_picks_from_the_second_duel_on_is_an_option(choice: str, seats: list[int]) -> None:
    defenders = "R2:1@R1a R3:1@R1a R4:1@R1a R5:1@R1a"
    options = {**STACK, "stack_choice": choice}
    luck = dice(4, 1, (6, 1), (6, 1), (6, 1), (6, 1))
    state = position(f"Y1:4@{door('R1a')} {defenders}", points=2, options=options, chance=luck)
    events = play(state, "move Y1 R1a")
    asked = []
    while state.view(None)["phase"] == "pick":
        asked.append(state.to_act()[0])
        assert state.legal(1 - asked[-1]) == []
        events += play(state, legal(state)[-1])
    assert asked == seats
    assert [event["defender"] for event in of_kind(events, "duel_began")] == ["R5", "R4", "R3", "R2"]
    assert members(state) == {"Y1": (4, "R1a")}
    assert state.view(None)["owner"]["R1a"] == "Y"


def test_an_attacker_who_dies_among_several_leaves_them_the_building() -> None:
    luck = dice(1, 4, (1, 6))
    state = position(
        f"Y1:1@{door('R1a')} R2:4@R1a R3:1@R1a", points=2, options=STACK, chance=luck, cash={"R": 0}
    )
    events = play(state, "move Y1 R1a", "pick R2")
    assert of_kind(events, "lapsed") == [{"event": "lapsed", "gang": "Y", "points": 1}]
    assert state.view(None)["owner"]["R1a"] == "R"
    assert state.view(None)["duel"] is None
    assert state.view(None)["due"] == ["R"]


# What the exact results of a duel are, from the faces of the dice alone: a recursion over ties.
def odds(attacker: int, defender: int) -> tuple[Fraction, Fraction, Fraction]:
    """Return how likely the attacker, the defender, and none is left alone."""
    if not attacker or not defender:
        return Fraction(attacker > 0), Fraction(defender > 0), Fraction(attacker == defender)
    pairs = [(a, d) for a in DUEL_DICE[attacker] for d in DUEL_DICE[defender]]
    wins, losses = sum(a > d for a, d in pairs), sum(a < d for a, d in pairs)
    again = odds(attacker - 1, defender - 1)
    ties = 36 - wins - losses
    return (
        wins * PAIR + ties * PAIR * again[0],
        losses * PAIR + ties * PAIR * again[1],
        ties * PAIR * again[2],
    )


EXACT = {
    (1, 1): ("5/12", "5/12", "1/6"),
    (1, 2): ("11/36", "25/36", "0"),
    (1, 3): ("1/6", "5/6", "0"),
    (1, 4): ("1/12", "11/12", "0"),
    (2, 2): ("103/216", "103/216", "5/108"),
    (2, 3): ("19/81", "62/81", "0"),
    (2, 4): ("1/9", "8/9", "0"),
    (3, 3): ("319/648", "319/648", "5/324"),
    (3, 4): ("119/486", "367/486", "0"),
    (4, 4): ("643/1296", "643/1296", "5/648"),
}
SINGLE = {
    (1, 1): (15, 15, 6),
    (1, 2): (11, 19, 6),
    (1, 3): (6, 24, 6),
    (1, 4): (3, 27, 6),
    (2, 2): (13, 13, 10),
    (2, 3): (6, 22, 8),
    (2, 4): (3, 27, 6),
    (3, 3): (12, 12, 12),
    (3, 4): (6, 18, 12),
    (4, 4): (9, 9, 18),
}


@pytest.mark.parametrize("rings", EXACT)
def test_the_dice_give_the_exact_odds_of_the_rules(rings: tuple[int, int]) -> None:
    assert odds(*rings) == tuple(map(Fraction, EXACT[rings]))
    mine, yours, nobody = odds(*rings)
    assert odds(*rings[::-1]) == (yours, mine, nobody)
    pairs = [(a, d) for a in DUEL_DICE[rings[0]] for d in DUEL_DICE[rings[1]]]
    wins, losses = sum(a > d for a, d in pairs), sum(a < d for a, d in pairs)
    assert (wins, losses, 36 - wins - losses) == SINGLE[rings]


DUELS = 4000
# Chi-square with two degrees of freedom exceeds 13.8 once in a thousand; the keys are fixed.
LIMIT = Fraction(138, 10)


@pytest.mark.parametrize("rings", [(a, d) for a in range(1, 5) for d in range(1, 5)])
def test_many_duels_end_as_often_as_they_should(rings: tuple[int, int]) -> None:
    counts = [0, 0, 0]
    luck = KeyedChance(bytes([*rings, 7] + [0] * 29))
    start = position(f"Y1:4@k15 Y2:{rings[0]}@b4 R2:{rings[1]}@c4", points=5)
    for _ in range(DUELS):
        state = start.clone()
        state.chance = luck
        state.apply(0, "move Y2 c4")
        left = members(state).keys()
        counts[0 if "Y2" in left else 1 if "R2" in left else 2] += 1
    expected = [DUELS * share for share in odds(*rings)]
    assert all(count == 0 for count, mean in zip(counts, expected, strict=True) if not mean)
    chi = sum((count - mean) ** 2 / mean for count, mean in zip(counts, expected, strict=True) if mean)
    assert chi < LIMIT, counts


def test_the_move_die_is_fair() -> None:
    luck = KeyedChance(bytes([5] * 32))
    start = position("B1:1@k4 Y1:1@YK", gang="B", cash={"Y": 0})
    counts = dict.fromkeys(range(1, 13), 0)
    for _ in range(2400):
        state = start.clone()
        state.chance = luck
        state.apply(3, "move B1 k3")
        counts[state.points] += 1
    # Eleven degrees of freedom: 31.3 once in a thousand.
    assert sum(Fraction((count - 200) ** 2, 200) for count in counts.values()) < Fraction(313, 10), counts
