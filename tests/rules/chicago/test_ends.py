"""Income, goals, ranks, gangs without members."""

from typing import Any

import pytest

from referee.game import Event, Options
from referee.games.chicago import GAME
from tests.rules.acting import LUCK, kinds_of, play
from tests.rules.chicago.build import end_of_part, gang, legal, of_kind, owned, position, zone

PLACE = [f"{colour}{bar}" for colour in "YRGB" for bar in ("4a", "5a")]


def income(events: list[Event], colour: str = "Y") -> int:
    """Return what a gang got at the end of the phase."""
    (paid,) = [event for event in of_kind(events, "paid") if event["gang"] == colour]
    total: int = paid["base"] + paid["bonus"]
    return total


@pytest.mark.case("C52")
def test_r2_every_gang_is_paid_once_in_a_phase() -> None:
    events = end_of_part()
    assert [income(events, colour) for colour in "YRGB"] == [36_000] * 4
    assert of_kind(events, "paid")[0] == {
        "event": "paid",
        "gang": "Y",
        "base": 36_000,
        "bonus": 0,
        "cash": 161_000,
    }
    early = position("B20:1@k4", gang="B", round=5)
    assert not of_kind(play(early, "move B20 k3"), "paid")


@pytest.mark.case("C53")
def test_all_bars_of_one_thousand_pay_three_times() -> None:
    assert income(end_of_part(owner=owned("Y", *zone("Y", "1")))) == 56_000


@pytest.mark.case("C54")
def test_all_bars_of_two_thousand_pay_three_times() -> None:
    assert income(end_of_part(owner=owned("Y", *zone("Y", "2")))) == 66_000


@pytest.mark.case("C55")
def test_the_two_sets_are_independent() -> None:
    whole = owned("Y", *zone("Y"))
    assert len(whole) == 23
    assert income(end_of_part(owner=whole)) == 112_000
    assert income(end_of_part(owner={**whole, "Y1c": "R"})) == 95_000


@pytest.mark.case("C56")
def test_sets_of_another_zone_pay_their_value_only() -> None:
    assert income(end_of_part(owner=owned("Y", *zone("R", "1")))) == 36_000 + 8_000


@pytest.mark.case("C57")
def test_with_variant_two_an_empty_casino_does_not_pay() -> None:
    guards: Options = {"variant_casino": "yes"}
    assert income(end_of_part("Y1:4@b4", options=guards)) == 16_000
    assert income(end_of_part("Y1:4@YK", options=guards)) == 36_000
    # A rival who has no token is inside: the owner is not.
    assert income(end_of_part("R1:4@YK", options=guards, tokens={"R": 0})) == 16_000


def test_with_variant_two_goals_need_no_pawn_inside() -> None:
    events = end_of_part(owner=owned("Y", "RK", "BK"), options={"variant_casino": "yes"})
    assert of_kind(events, "goal_reached") == [{"event": "goal_reached", "seat": 0, "goals": ["casinos"]}]


@pytest.mark.case("C58")
@pytest.mark.parametrize(("guarded", "paid"), [("no", 36_000), ("yes", 16_000)])
def test_r2_with_the_option_every_round_pays(guarded: str, paid: int) -> None:
    state, events = GAME.new(4, LUCK.clone(), {"income": "round", "variant_casino": guarded, "phases": 1})
    play(state, *["done"] * 4)
    play(state, *(f"place {colour}1 {colour}K" for colour in "YRGB"))
    owners = state.view(None)["owner"]
    while state.to_act():
        spend = "done" if "done" in legal(state) else None
        streets = [a for a in legal(state) if a.split()[-1][0].islower()]
        events += play(state, spend or next(iter(streets)))
        assert state.view(None)["owner"] == owners
    # Every founder left its casino in the first round.
    assert [event["base"] for event in of_kind(events, "paid") if event["gang"] == "Y"] == [paid] * 6


@pytest.mark.case("C73")
@pytest.mark.parametrize(("at", "paid"), [("b4", 16_000), ("YK", 36_000)])
def test_with_variant_two_an_empty_casino_does_not_pay_after_a_round_either(at: str, paid: int) -> None:
    options: Options = {"income": "round", "variant_casino": "yes"}
    state = position(f"Y1:4@{at} B20:1@k4", gang="B", round=3, options=options)
    assert income(play(state, "move B20 k3")) == paid


@pytest.mark.case("C59")
def test_three_casinos_win_if_they_are_held_at_the_end_of_a_phase() -> None:
    three = owned("Y", "RK", "BK")
    events = end_of_part(owner=three)
    assert of_kind(events, "goal_reached") == [{"event": "goal_reached", "seat": 0, "goals": ["casinos"]}]
    assert of_kind(events, "ended")[0]["reason"] == "goal"
    assert of_kind(events, "ended")[0]["ranking"][0] == 1
    state = position("B1:4@k4", gang="B", round=5, owner=three)
    play(state, "move B1 k3")
    assert state.outcome() is None
    door = GAME.board.file.nodes[[n.id for n in GAME.board.file.nodes].index("BK")].entrances[0]
    lost = position(f"B1:4@{door}", gang="B", round=6, owner=three)
    assert not of_kind(play(lost, "move B1 BK"), "goal_reached")
    assert lost.outcome() is None
    assert lost.view(None)["part"] == "B"


@pytest.mark.case("C60")
def test_r18_two_seats_need_four_casinos_of_both_gangs() -> None:
    three = {"RK": "Y"}
    assert not of_kind(end_of_part(seats=2, owner=three), "goal_reached")
    goal = {"event": "goal_reached", "seat": 0, "goals": ["casinos"]}
    assert of_kind(end_of_part(seats=2, owner={"RK": "Y", "BK": "G"}), "goal_reached") == [goal]
    assert of_kind(end_of_part(seats=2, owner=three, options={"casinos_needed": 3}), "goal_reached") == [goal]
    assert GAME.resolve(None, 2)["casinos_needed"] == 4
    assert GAME.resolve(None, 3)["casinos_needed"] == 3


@pytest.mark.case("C61")
def test_the_eight_bars_of_the_place_win() -> None:
    events = end_of_part(part="B", owner=owned("Y", *PLACE))
    assert of_kind(events, "goal_reached") == [{"event": "goal_reached", "seat": 0, "goals": ["place"]}]
    assert not of_kind(end_of_part(part="B", owner=owned("Y", *PLACE[1:])), "goal_reached")
    both = {**owned("Y", *PLACE[:3]), **owned("G", *PLACE[3:])}
    assert of_kind(end_of_part(part="B", seats=2, owner=both), "goal_reached")[0]["seat"] == 0


FIVE = "Y1:4@YK Y2:4@Y1a Y3:4@Y1b Y4:4@YH Y5:4@YH"


@pytest.mark.case("C62")
def test_r18_five_members_of_four_rings_win() -> None:
    goal = [{"event": "goal_reached", "seat": 0, "goals": ["five"]}]
    assert of_kind(end_of_part(FIVE), "goal_reached") == goal
    assert not of_kind(end_of_part(FIVE.replace("Y5:4", "Y5:3")), "goal_reached")
    shared = FIVE.replace("Y4:4@YH Y5:4@YH", "G4:4@GH G5:4@GK")
    assert not of_kind(end_of_part(shared, seats=2), "goal_reached")
    assert of_kind(end_of_part(shared, seats=2, options={"five_scope": "seat"}), "goal_reached") == goal


def ranked(*, part: str = "C", **more: Any) -> tuple[list[int], list[int]]:
    """Return ranks and wealth at the end of a part."""
    (end,) = of_kind(end_of_part(part=part, **more), "ended")
    return end["ranking"], end["scores"]


@pytest.mark.case("C63")
def test_r15_of_two_seats_with_a_goal_the_richer_wins() -> None:
    five = "G1:4@GH G2:4@GH G3:4@GH G4:4@GH G5:4@GH"
    casinos = owned("R", "YK", "BK")
    cash = {"Y": 400_000, "R": 214_000, "G": 24_000, "B": 330_000}
    ranks, wealth = ranked(pawns=five, owner=casinos, cash=cash)
    assert wealth[1:3] == [300_000, 310_000]
    assert ranks == [3, 2, 1, 4]
    assert wealth[0] > wealth[3] > wealth[2]


@pytest.mark.case("C64")
def test_r15_two_goals_come_before_one() -> None:
    five = "G1:4@GH G2:4@GH G3:4@GH G4:4@GH G5:4@GH"
    both = {**owned("R", "YK", "BK"), **owned("R", *PLACE)}
    ranks, wealth = ranked(pawns=five, owner=both, cash={"G": 900_000})
    assert ranks[1:3] == [1, 2]
    assert wealth[2] > wealth[1]


@pytest.mark.case("C65")
def test_without_a_goal_wealth_decides_and_equals_share_a_rank() -> None:
    # Every seat gets 36,000; the last member of G is worth 10,000.
    cash = {"Y": 364_000, "R": 314_000, "G": 304_000, "B": 84_000}
    ranks, wealth = ranked(part="D", cash=cash)
    assert wealth == [400_000, 350_000, 350_000, 120_000]
    assert ranks == [1, 2, 2, 4]
    state = position("G20:1@k4", gang="G", part="D", round=6, cash=cash)
    (*_, end) = play(state, "move G20 k3")
    outcome = state.outcome()
    assert outcome is not None
    assert (outcome.ranks, outcome.scores, outcome.reason, outcome.ties) == (
        (1, 2, 2, 4),
        (400_000, 350_000, 350_000, 120_000),
        "wealth",
        "draw",
    )
    assert end.public == {"event": "ended", "reason": "wealth", "ranking": [1, 2, 2, 4], "scores": wealth}
    assert state.to_act() == ()
    assert (state.view(0)["ranking"], state.view(0)["reason"]) == ([1, 2, 2, 4], "wealth")


def test_a_goal_is_the_reason_of_an_outcome() -> None:
    state = position("B20:1@k4", gang="B", round=6, owner=owned("R", "YK", "BK"))
    play(state, "move B20 k3")
    outcome = state.outcome()
    assert outcome is not None
    assert (outcome.reason, outcome.ranks[1]) == ("goal", 1)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_all_equal_is_a_draw_of_all(seats: int) -> None:
    cash = {"G": 115_000, "B": 115_000} if seats == 2 else {"G": 115_000}
    pawns = "B1:1@k15" if seats == 2 else ""
    ranks, wealth = ranked(part="D", seats=seats, cash=cash, pawns=pawns)
    assert ranks == [1] * seats
    assert len(set(wealth)) == 1


@pytest.mark.case("C66")
def test_wealth_is_cash_and_members_and_no_buildings() -> None:
    pawns = "Y1:4@YK Y2:2@b4 Y3:1@YH"
    _, wealth = ranked(part="D", pawns=pawns, cash={"Y": 90_000 - 36_000})
    assert wealth[0] == 175_000


@pytest.mark.case("C67")
def test_r20_a_gang_that_is_out_is_skipped_and_still_paid() -> None:
    state = position("B1:1@k4 R1:4@RK", gang="B", part="C", round=2, reserve={"Y": 0}, cash={"R": 0})
    events = play(state, "move B1 k3")
    assert kinds_of(events)[:3] == ["moved", "turn_began", "skipped"]
    assert of_kind(events, "skipped") == [{"event": "skipped", "gang": "Y", "cause": "out"}]
    assert state.view(None)["due"] == ["R"]
    assert income(end_of_part(part="C", reserve={"Y": 0})) == 36_000
    _, wealth = ranked(part="D", reserve={"Y": 0}, cash={"Y": 50_000})
    assert wealth[0] == 86_000


@pytest.mark.case("C74")
@pytest.mark.parametrize("buildings", [["RK", "BK"], PLACE], ids=["casinos", "place"])
def test_r20_a_gang_that_is_out_has_no_goal(buildings: list[str]) -> None:
    held = owned("Y", *buildings)
    events = end_of_part(owner=held, reserve={"Y": 0})
    assert not of_kind(events, "goal_reached")
    assert of_kind(events, "part_began")[0]["part"] == "B"
    assert of_kind(end_of_part(owner=held, reserve={"Y": 1}), "goal_reached")
    assert of_kind(end_of_part("Y20:1@b4", owner=held, reserve={"Y": 0}), "goal_reached")
    (end,) = of_kind(end_of_part(owner=held, reserve={"Y": 0}, part="D", cash={"Y": 0}), "ended")
    assert (end["reason"], end["ranking"][0]) == ("wealth", 4)


@pytest.mark.case("C75")
def test_r20_with_two_seats_the_buildings_of_a_gang_that_is_out_count_for_no_goal() -> None:
    four = {"RK": "Y", "BK": "G"}
    assert of_kind(end_of_part(seats=2, owner=four), "goal_reached")
    assert not of_kind(end_of_part(seats=2, owner=four, reserve={"Y": 0}), "goal_reached")
    all_of_green = owned("G", "YK", "RK", "BK")
    assert of_kind(end_of_part(seats=2, owner=all_of_green, reserve={"Y": 0}), "goal_reached")


@pytest.mark.case("C68")
def test_a_gang_without_members_may_come_back() -> None:
    poor = {"Y": 9_000, "R": 0}
    state = position("B1:1@k4 R1:4@RK", gang="B", part="A", round=1, reserve={"Y": 5}, cash=poor)
    events = play(state, "move B1 k3")
    assert of_kind(events, "skipped") == [{"event": "skipped", "gang": "Y", "cause": "no_member"}]
    late = position("Y20:1@k4", gang="Y", part="B", round=6, reserve={"Y": 5}, cash=poor)
    play(late, "move Y20 k3")
    while late.view(None)["due"] != ["Y"]:
        play(late, "done")
    assert (late.view(None)["part"], late.view(None)["phase"]) == ("C", "part_buy")
    assert gang(late, "Y")["cash"] == 45_000
    assert legal(late) == ["buy 1", "buy 2", "buy 3", "done"]


def test_if_no_member_is_left_the_game_runs_to_its_end_by_itself() -> None:
    broke = dict.fromkeys("YRGB", 0)
    none = dict.fromkeys("YRGB", 0)
    state = position("Y1:1@b4 R1:1@c4", points=3, part="A", reserve=none, cash=broke, owner=owned("R", "Y1a"))
    while state.to_act():
        play(state, legal(state)[0])
    outcome = state.outcome()
    assert outcome is not None
    assert outcome.reason == "wealth"
    assert min(outcome.scores) >= 4 * 35_000


def test_shorter_games_end_as_the_last_phase_does() -> None:
    events = end_of_part(options={"phases": 1})
    assert of_kind(events, "ended")[0]["reason"] == "wealth"
    short = position("B20:1@k4", gang="B", round=2, options={"rounds": 2})
    assert of_kind(play(short, "move B20 k3"), "part_began")[0]["part"] == "B"
