"""Set-up, purchases, placing."""

import pytest

from referee.errors import IllegalActionError
from referee.games.chicago import GAME
from referee.games.chicago.components import order_of
from referee.games.chicago.state import State
from tests.rules.acting import LUCK, kinds_of, play
from tests.rules.chicago.build import (
    TEN,
    dice,
    door,
    end_of_part,
    gang,
    legal,
    members,
    of_kind,
    owned,
    position,
    spots,
)

BUILDINGS = ["Y1a", "Y1b", "Y1c", "Y1d", "Y2a", "Y2b", "Y2c", "Y3b", "YH", "YK"]
ALL = ["buy 1", "buy 2", "buy 3", "done"]


def new(seats: int = 4, **options: str | int) -> State:
    return GAME.new(seats, LUCK.clone(), options)[0]


@pytest.mark.case("C01")
def test_the_table_is_set() -> None:
    state, events = GAME.new(4, LUCK.clone())
    view = state.view(0)
    for colour, seat in zip("YRGB", range(4), strict=True):
        assert view["gangs"][colour] == {
            "seat": seat,
            "cash": 125_000,
            "reserve": 19,
            "tokens": 20,
            "bought": [0, 0, 0],
            "members": [[f"{colour}1", 4, None]],
        }
    assert (view["ring_bank"], view["phase"], view["due"], view["to_act"]) == (134, "part_buy", ["Y"], [0])
    assert kinds_of(events) == ["started", "part_began", "buying_began"]


@pytest.mark.case("C02")
def test_r19_three_seats_leave_the_blue_zone_neutral() -> None:
    view = new(3).view(None)
    assert list(view["gangs"]) == ["Y", "R", "G"]
    assert view["ring_bank"] == 138
    for name, owner in view["owner"].items():
        assert owner == (name[0] if name[1:] in TEN and name[0] != "B" else None)


@pytest.mark.case("C03")
def test_r17_two_seats_run_two_gangs_each_and_take_turns() -> None:
    state = new(2)
    view = state.view(None)
    assert {colour: gang["seat"] for colour, gang in view["gangs"].items()} == {
        "Y": 0,
        "R": 1,
        "G": 0,
        "B": 1,
    }
    assert view["ring_bank"] == 134
    seats = []
    for colour in "YRGB":
        assert state.view(None)["due"][0] == colour
        seats.append(state.to_act()[0])
        play(state, "done")
    assert seats == [0, 1, 0, 1]
    for colour in "YRGB":
        play(state, f"place {colour}1 {colour}K")
    turns: list[tuple[str, int]] = []
    while state.view(None)["round"] == 1:
        if not turns or state.view(None)["due"][0] != turns[-1][0]:
            turns.append((state.view(None)["due"][0], state.to_act()[0]))
        play(state, legal(state)[0])
    assert turns == [("Y", 0), ("R", 1), ("G", 0), ("B", 1)]


@pytest.mark.case("C06")
@pytest.mark.parametrize(
    ("gangs", "orders"), [(4, ["YRGB", "RGBY", "GBYR", "BYRG"]), (3, ["YRG", "RGY", "GYR", "YRG"])]
)
def test_every_phase_begins_with_its_own_colour(gangs: int, orders: list[str]) -> None:
    assert ["".join("YRGB"[gang] for gang in order_of(phase, gangs)) for phase in range(4)] == orders
    seats = gangs
    (begun,) = of_kind(end_of_part(seats=seats, part="A"), "part_began")
    assert (begun["part"], "".join(begun["order"])) == ("B", orders[1])


@pytest.mark.case("C07")
def test_everything_is_for_sale_before_the_first_phase() -> None:
    assert legal(new()) == ALL


@pytest.mark.case("C08")
def test_three_rings_are_sold_once_in_a_phase() -> None:
    state = new()
    events = play(state, "buy 3")
    assert gang(state, "Y")["cash"] == 85_000
    assert state.view(None)["ring_bank"] == 131
    assert members(state)["Y2"] == (3, None)
    assert legal(state) == ["buy 1", "buy 2", "done"]
    bought = {"event": "bought", "gang": "Y", "pawn": "Y2", "rings": 3, "price": 40_000, "at": None}
    assert events[0].public == bought


@pytest.mark.case("C09")
def test_r8_weak_and_third_force_members_are_bought_in_balance() -> None:
    state = new()
    play(state, "buy 1")
    assert legal(state) == ["buy 2", "buy 3", "done"]
    with pytest.raises(IllegalActionError, match="in balance"):
        state.apply(0, "buy 1")


@pytest.mark.case("C10")
def test_four_weak_and_three_third_force_members_can_be_bought() -> None:
    state = new()
    events = play(state, *(f"buy {rings}" for rings in (1, 2, 1, 2, 1, 2, 1)))
    assert gang(state, "Y")["cash"] == 10_000
    assert state.view(None)["due"] == ["R"]
    assert of_kind(events, "buying_began") == [{"event": "buying_began", "gang": "R"}]


@pytest.mark.case("C11")
def test_two_weak_and_three_third_force_members_can_be_bought() -> None:
    state = new()
    play(state, *(f"buy {rings}" for rings in (2, 1, 2, 1, 2)))
    assert gang(state, "Y")["cash"] == 30_000
    assert legal(state) == ["buy 1", "done"]


@pytest.mark.case("C12")
def test_a_gang_has_at_most_eight_members_and_ten_buildings_at_first() -> None:
    most = 0
    open_ends = [new()]
    while open_ends:
        state = open_ends.pop()
        if state.view(None)["due"] != ["Y"]:
            most = max(most, len(gang(state, "Y")["members"]))
            continue
        for action in legal(state):
            copy = state.clone()
            play(copy, action)
            open_ends.append(copy)
    assert most == 8
    assert sum(owner == "Y" for owner in new().view(None)["owner"].values()) == 10


@pytest.mark.case("C13")
def test_four_rings_are_not_for_sale() -> None:
    with pytest.raises(IllegalActionError, match="spelt like 'buy 2'"):
        new().apply(0, "buy 4")


@pytest.mark.case("C14")
def test_three_rings_are_not_sold_in_the_middle_of_a_phase() -> None:
    state = position("Y1:4@YK", phase="turn_buy", cash={"Y": 200_000})
    assert legal(state) == ["buy 1", "buy 2", "done"]
    with pytest.raises(IllegalActionError, match="before the first round of a phase only"):
        state.apply(0, "buy 3")


@pytest.mark.case("C15")
def test_the_bank_cannot_sell_rings_it_does_not_have() -> None:
    state = position("Y1:4", phase="part_buy", bank=1, cash={"Y": 100_000})
    assert legal(state) == ["buy 1", "done"]
    with pytest.raises(IllegalActionError, match="the bank has too few rings: 1"):
        state.apply(0, "buy 2")


@pytest.mark.case("C16")
def test_a_gang_without_reserve_is_not_asked_to_buy() -> None:
    state = position(
        "R1:4@k4 Y1:4@YK", gang="R", round=3, part="B", reserve={"G": 0, "Y": 0}, cash={"Y": 10**6}
    )
    play(state, "move R1 k3")  # G is skipped, B has no member but money: it may buy
    assert (state.view(None)["due"][0], state.view(None)["phase"]) == ("B", "turn_buy")
    play(state, "done")
    assert (state.view(None)["due"][0], state.view(None)["phase"]) == ("Y", "move")


@pytest.mark.case("C17")
@pytest.mark.parametrize(
    ("scope", "sold"), [("phase", ["buy 2", "done"]), ("session", ["buy 1", "buy 2", "done"])]
)
def test_r8_the_balance_is_kept_over_a_phase_or_a_session(scope: str, sold: list[str]) -> None:
    state = new(balance_scope=scope)
    play(state, "buy 1", *["done"] * 4)
    for number in (1, 2):
        while (state.view(None)["round"], state.view(None)["phase"]) != (number, "turn_buy"):
            play(state, "done" if "done" in legal(state) else legal(state)[0])
        assert state.view(None)["due"] == ["Y"]
        assert legal(state) == sold
    while state.view(None)["part"] == "A" or state.view(None)["due"] != ["Y"]:
        play(state, "done" if "done" in legal(state) else legal(state)[0])
    assert gang(state, "Y")["bought"] == [0, 0, 0]
    assert legal(state) == ALL


def test_r8_the_balance_can_be_kept_over_the_whole_game() -> None:
    events = end_of_part("Y1:4@YK", bought={"Y": [1, 0, 1]}, options={"balance_scope": "game"})
    assert of_kind(events, "part_began")
    state = position("Y1:4@YK", bought={"Y": [1, 0, 0]}, phase="part_buy", options={"balance_scope": "game"})
    assert legal(state) == ["buy 2", "buy 3", "done"]
    after = position(
        "Y1:4@YK B20:1@k4", round=6, gang="B", bought={"Y": [1, 0, 1]}, options={"balance_scope": "game"}
    )
    play(after, "move B20 k3")
    assert gang(after, "Y")["bought"] == [1, 0, 0]


@pytest.mark.case("C18")
def test_a_lost_home_stops_turn_purchases_and_limits_phase_purchases() -> None:
    lost = {"YH": "R"}
    state = position("B1:4@k4 Y1:4@YK", gang="B", round=3, owner=lost)
    play(state, "move B1 k3")
    assert (state.view(None)["due"][0], state.view(None)["phase"], state.view(None)["round"]) == (
        "Y",
        "move",
        4,
    )
    # Nine buildings are left, YK is occupied, so eight are free.
    rich = position("Y1:4@YK", phase="part_buy", part="B", gang="Y", owner=lost, cash={"Y": 10**6})
    for rings in (1, 2, 1, 2, 1, 2, 1, 2):
        play(rich, f"buy {rings}")
    assert rich.view(None)["phase"] != "part_buy" or rich.view(None)["due"] != ["Y"]
    assert len(gang(rich, "Y")["members"]) == 9


@pytest.mark.case("C19")
def test_r5_the_home_stores_all_members_bought_in_a_turn() -> None:
    state = position("Y4:1@YK", phase="turn_buy", round=2)
    events = play(state, "buy 1", "buy 2")
    assert [event["at"] for event in of_kind(events, "bought")] == ["YH", "YH"]
    assert spots(state) == {"Y4": "YK", "Y5": "YH", "Y6": "YH"}


@pytest.mark.case("C76")
def test_r7_a_gang_may_buy_before_its_turn_in_the_first_round_too() -> None:
    state = new()
    play(state, "buy 1", *["done"] * 4, "place Y1 YK", "place Y2 Y1a", "place R1 RK", "place G1 GK")
    play(state, "place B1 BK")
    assert (state.view(None)["round"], state.view(None)["phase"]) == (1, "turn_buy")
    # One weak member was bought for the phase: the balance asks for one of two rings.
    assert legal(state) == ["buy 2", "done"]
    play(state, "buy 2")
    assert members(state)["Y3"] == (2, "YH")


@pytest.mark.case("C76")
def test_r7_the_reward_of_a_duel_can_be_spent_in_the_first_round() -> None:
    pawns = f"B1:1@{door('YK')} Y1:4@YK"
    state = position(pawns, gang="B", round=1, cash={"Y": 0}, part="D", chance=dice(1, 4, (1, 6)))
    play(state, "move B1 YK")
    assert (state.view(None)["due"], gang(state, "Y")["cash"]) == (["Y"], 10_000)
    assert legal(state) == ["buy 1", "done"]


def test_r9_a_purchase_makes_a_new_member_and_adds_no_ring_to_a_living_one() -> None:
    state = position("Y1:2@YK", phase="turn_buy")
    play(state, "buy 1")
    assert members(state) == {"Y1": (2, "YK"), "Y2": (1, "YH")}


def test_a_gang_too_poor_to_buy_is_not_asked() -> None:
    state = position("B1:4@k4 Y1:4@YK", gang="B", cash={"Y": 9_999})
    play(state, "move B1 k3")
    assert state.view(None)["phase"] == "move"


@pytest.mark.case("C20")
def test_the_founder_is_placed_in_any_owned_building() -> None:
    state = new()
    play(state, *["done"] * 4)
    assert legal(state) == [f"place Y1 {name}" for name in BUILDINGS]


@pytest.mark.case("C21")
def test_the_next_member_finds_one_building_less() -> None:
    state = new()
    play(state, "buy 1", *["done"] * 4, "place Y1 YK")
    assert legal(state) == [f"place Y2 {name}" for name in BUILDINGS[:-1]]
    with pytest.raises(IllegalActionError, match="YK is occupied"):
        state.apply(0, "place Y2 YK")


@pytest.mark.case("C22")
def test_r5_who_finds_no_free_building_is_stored_in_the_home() -> None:
    taken = owned("R", *(f"Y{name}" for name in TEN if name not in {"H", "1a"}))
    state = position("Y1:4@YH Y2:1 Y3:1 Y4:2", phase="place", part="B", owner=taken)
    assert legal(state) == ["place Y2 Y1a"]
    play(state, "place Y2 Y1a")
    assert legal(state) == ["place Y3 YH"]
    with pytest.raises(IllegalActionError, match="new members start from YH"):
        state.apply(0, "place Y3 Y1a")
    play(state, "place Y3 YH")
    assert legal(state) == ["place Y4 YH"]
    play(state, "place Y4 YH")
    assert spots(state) == {"Y1": "YH", "Y2": "Y1a", "Y3": "YH", "Y4": "YH"}


def test_r10_members_of_later_phases_are_placed_in_owned_buildings() -> None:
    state = position("Y1:4@YK Y2:1", phase="place", part="B", owner={"R5a": "Y"})
    assert "place Y2 R5a" in legal(state)


def test_r10_with_the_option_members_of_later_phases_start_from_the_home() -> None:
    home = {"phase_placement": "home"}
    state = position("Y1:4@YK Y2:1", phase="place", part="B", owner={"R5a": "Y"}, options=home)
    assert legal(state) == ["place Y2 YH"]
    first = new(phase_placement="home")
    play(first, *["done"] * 4)
    assert len(legal(first)) == 10
    lost = position("Y1:4@YK", phase="part_buy", part="B", gang="R", owner={"YH": "R"}, options=home)
    play(lost, "done", "done", "done")
    assert lost.view(None)["due"] != ["Y"] or lost.view(None)["phase"] != "part_buy"


def test_a_home_with_a_rival_inside_is_of_no_use() -> None:
    # The rival had no token left and could not take it.
    state = position("B1:4@k4 Y1:4@YK R1:4@YH", gang="B", tokens={"R": 0})
    play(state, "move B1 k3")
    assert (state.view(None)["due"][0], state.view(None)["phase"]) == ("Y", "move")


def test_r22_the_bank_always_has_money() -> None:
    events = end_of_part("Y1:4@YK", cash={"Y": 5_000_000})
    income = next(event for event in of_kind(events, "paid") if event["gang"] == "Y")
    assert income["cash"] == 5_036_000
