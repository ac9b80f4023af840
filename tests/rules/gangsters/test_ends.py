"""Skipping, waiting, every way a game can end, and seats that leave."""

import pytest

from referee.chance import KeyedChance
from referee.game import Event, Outcome
from referee.games.gangsters import GAME
from referee.games.gangsters.components import TILES
from referee.games.gangsters.state import State
from tests.rules.acting import LUCK, kinds_of, only, play
from tests.rules.gangsters.build import column, crowd, legal, position, row

EMPTY = ["", ""]
WAITING = "a1=R1 f6=B1 d1=Y1"
CYCLE = ("move a1 a2", "move f6 f5", "move a2 a1", "move f5 f6")
CROSS = f"{row(3, 'R3 R2 - R1 B1 Y1')} {column('c', 'B3 B2 - B2 Y1 G1')}"


def late(holes: str, held: str, reserves: list[str], **more: object) -> State:
    """Return a position with no tile left but those in the reserves."""
    given = {"cartridges": [0] * len(reserves), **more}
    return position(
        len(reserves),
        crowd(holes, held),
        common="",
        piles=EMPTY,
        reserves=reserves,
        **given,  # type: ignore[arg-type]
    )


def ending(state: State) -> Outcome:
    outcome = state.outcome()
    assert outcome is not None
    assert state.to_act() == ()
    return outcome


@pytest.mark.case("R37")
def test_the_game_ends_when_all_tiles_lie() -> None:
    state = late("f6", "R1", ["1", "", "", ""], scores=[0, 3, 1, 2], reached=[0, 4, 1, 2])
    events = play(state, "own 1 f6")
    assert kinds_of(events)[-1] == "ended"
    assert kinds_of(events).count("scored") == 2
    assert ending(state).reason == "full"


@pytest.mark.case("R38")
def test_a_seat_that_can_do_nothing_is_skipped_a9() -> None:
    state = late("e6 f6", "R1 R2", ["12", ""])
    events = play(state, "own 1 e6")
    assert only(events, "skipped").public == {"event": "skipped", "seat": 1}
    assert state.active == 0
    assert state.view(0)["ban"] == "e6"
    # Row 6 is one tile short, but e6 lies on a complete column: there is nothing to move, only to place.
    assert state.legal(0) == ["own 2 f6"]


def test_the_lone_seat_may_not_move_what_it_has_just_placed_a9() -> None:
    state = late("e5 e6 f6", "R1 R2 R3", ["123", ""])
    play(state, "own 1 f6")
    assert state.active == 0
    assert "f6" not in {text[:2] for text in legal(state, "move")}


@pytest.mark.case("R39")
def test_a_seat_that_can_only_move_must_move_a16() -> None:
    state = late("e5 f6", "B1 B2", ["", "12", "", ""])
    assert state.legal(0) == ["move f5 f6", "move f5 e5", "move e6 e5", "move e6 f6"]


@pytest.mark.case("R40")
def test_a_seat_that_can_only_shoot_must_shoot_a15() -> None:
    state = late("e6 f6", "R1 R2", ["12", ""], cartridges=[0, 1])
    events = play(state, "own 1 e6")
    assert "skipped" not in kinds_of(events)
    assert state.active == 1
    assert state.legal(1)
    assert all(action.startswith("shoot ") for action in state.legal(1))


@pytest.mark.parametrize(
    ("scores", "reached", "ranks"),
    [
        ([7, 9, 9], [1, 6, 4], (3, 2, 1)),
        ([0, 9, 0], [0, 3, 0], (2, 1, 2)),
        ([0, 0], [0, 0], (1, 1)),
        ([5, 5, 5, 0], [3, 1, 2, 0], (3, 1, 2, 4)),
    ],
    ids=["R41", "R42", "R43", "four seats"],
)
def test_ranks_follow_score_and_then_who_was_first_a21(
    scores: list[int], reached: list[int], ranks: tuple[int, ...]
) -> None:
    state = position(len(scores), scores=scores, reached=reached)
    events: list[Event] = []
    state.finish("full", events)
    assert ending(state).ranks == ranks
    assert ending(state).ties == "draw"
    assert only(events, "ended").public["ranking"] == list(ranks)


@pytest.mark.parametrize("case", ["R44", "R45"])
def test_after_too_many_moves_in_a_row_no_tile_may_move_a19(case: str) -> None:
    state = position(2, WAITING, reserves=["23", "23"])
    events = play(state, *CYCLE, *CYCLE)
    assert only(events, "barred").public == {"event": "barred", "on": True}
    view = state.view(0)
    assert (view["active"], view["quiet"], view["quiet_limit"], view["barred"]) == (0, 8, 8, True)
    assert legal(state, "move") == []
    if case == "R45":
        events = play(state, "own 2 c3")
        assert kinds_of(events) == ["placed", "barred", "turn_began"]
        assert state.view(0)["quiet"] == 0
        assert legal(state, "move")


def test_a_shot_also_ends_the_waiting_a19() -> None:
    state = position(2, "a1=R1 b1=B1 f6=Y1", quiet=7, reserves=["23", "23"])
    play(state, "move f6 f5")
    assert not legal(state, "move")
    events = play(state, "shoot a1")
    assert only(events, "barred").public["on"] is False
    assert legal(state, "move")


def test_moves_stay_barred_until_the_order_of_two_counts_is_chosen() -> None:
    state = position(cells=CROSS, common="G2 Y3", quiet=16)
    state.barred = True
    play(state, "common G2 c3")
    assert state.view(0)["barred"] is True
    assert kinds_of(play(state, "first c")) == ["order_chosen", "scored", "scored", "barred", "turn_began"]
    assert state.view(0)["barred"] is False


@pytest.mark.case("R46")
def test_too_many_moves_may_end_the_game_a19() -> None:
    options: dict[str, str | int] = {"stall": "end", "quiet_per_seat": 1}
    state = position(2, WAITING, reserves=["23", "23"], scores=[1, 2], reached=[1, 2], options=options)
    events = play(state, *CYCLE[:2])
    assert kinds_of(events) == ["moved", "turn_began", "moved", "ended"]
    assert (ending(state).reason, ending(state).ranks) == ("stall", (2, 1))


@pytest.mark.case("R47")
def test_by_the_letter_of_the_booklet_the_game_is_endless_a19() -> None:
    options: dict[str, str | int] = {"stall": "none", "ply_cap": 401}
    state = position(2, WAITING, reserves=["23", "23"], options=options)
    for _ in range(100):
        play(state, *CYCLE)
    assert state.outcome() is None
    assert state.view(0)["quiet_limit"] is None
    assert kinds_of(play(state, CYCLE[0])) == ["moved", "ended"]
    assert (ending(state).reason, ending(state).ranks) == ("cap", (1, 1))


def test_the_cap_may_fall_between_draw_and_put() -> None:
    state = position(2, options={"ply_cap": 1})
    assert kinds_of(play(state, "draw 1")) == ["drawn", "ended"]
    assert ending(state).reason == "cap"
    assert state.view(0)["drawn"] is not None


def test_the_target_may_be_another() -> None:
    state = position(cells=row(1, "R3 R2 B1 Y1 G1 -"), common="R1 Y1", options={"target": 5})
    play(state, "common R1 f1")
    assert ending(state).reason == "goal"
    assert ending(state).ranks == (1, 2, 2, 2)


def test_of_two_seats_the_other_wins_at_once_when_one_leaves() -> None:
    for seat in (0, 1):
        state = position(2, scores=[9, 9], reached=[1, 2])
        events = state.withdraw(seat)
        assert kinds_of(events) == ["withdrawn", "ended"]
        assert ending(state).ranks == ((2, 1) if seat == 0 else (1, 2))
        assert ending(state).reason == "last_seat"


@pytest.mark.case("V5")
def test_a_seat_that_leaves_takes_its_tiles_along_and_ranks_last() -> None:
    state = position(3, common="Y2 B1", piles=["R1 G1", "G2"], reserves=["3", "12", ""])
    play(state, "draw 1")
    events = state.withdraw(0)
    assert kinds_of(events) == ["withdrawn", "turn_began"]
    assert events[0].public == {"event": "withdrawn", "seat": 0, "tiles": ["R3", "R1"]}
    view = state.view(1)
    assert (view["phase"], view["active"], view["drawn"]) == ("turn", 1, None)
    assert (view["neutral"], view["withdrawn"], view["removed"]) == (["R", "G"], [0], ["R3", "R1"])
    assert (view["reserves"], view["cartridges"]) == ([[], [1, 2], []], [0, 1, 1])
    seen = []
    while state.to_act():
        seen.append(state.active)
        state.apply(state.active, state.legal(state.active)[0])
    assert 0 not in seen
    outcome = ending(state)
    assert (outcome.reason, outcome.ranks[0]) == ("exhausted", 3)
    assert state.view(0)["board"].count("") == 36 - 6


def test_later_leavers_rank_higher_and_the_last_seat_wins() -> None:
    state = position(4, scores=[9, 0, 5, 1], reached=[1, 0, 2, 3])
    assert kinds_of(state.withdraw(0)) == ["withdrawn", "turn_began"]
    assert kinds_of(state.withdraw(2)) == ["withdrawn"]
    assert kinds_of(state.withdraw(1)) == ["withdrawn", "ended"]
    assert ending(state).ranks == (4, 2, 3, 1)
    assert state.withdraw(3) == []
    assert ending(state).reason == "last_seat"


def test_a_seat_that_is_not_to_act_may_leave_too() -> None:
    state = position(3)
    play(state, "draw 1")
    state.withdraw(1)
    assert (state.phase, state.to_act()) == ("put", (0,))
    play(state, "put a1")
    assert state.to_act() == (2,)
    assert state.withdraw(1) == []


def test_a_gang_whose_seat_has_left_wins_for_no_seat() -> None:
    state = position(3, row(1, "R3 R2 B1 Y1 G1 -"), common="R1 Y1")
    state.withdraw(0)
    scored = only(play(state, "common R1 f1"), "scored").public
    assert (scored["winner"], scored["seat"], scored["points"]) == ("R", None, 5)
    assert state.scores == [0, 0, 0]


def test_who_leaves_before_the_order_is_chosen_has_the_row_counted_first() -> None:
    state = position(cells=CROSS, common="G2 Y3")
    play(state, "common G2 c3")
    events = state.withdraw(0)
    assert kinds_of(events) == ["withdrawn", "order_chosen", "scored", "scored", "turn_began"]
    assert events[1].public == {"event": "order_chosen", "seat": None, "first": "3"}
    assert state.scores == [0, 4, 0, 0]
    assert (state.phase, state.to_act()) == ("turn", (1,))


def test_an_order_that_was_asked_for_is_still_asked_when_the_other_seat_leaves() -> None:
    state = position(cells=CROSS, common="G2 Y3")
    play(state, "common G2 c3")
    state.withdraw(1)
    assert state.legal(0) == ["first 3", "first c"]
    play(state, "first c")
    assert state.scores == [4, 0, 0, 0]


def test_an_order_is_still_asked_for_when_the_last_tiles_have_left() -> None:
    state = position(cells=CROSS, common="G2", piles=EMPTY, reserves=["", "", "1", ""])
    play(state, "common G2 c3")
    assert kinds_of(state.withdraw(2)) == ["withdrawn"]
    events = play(state, "first c")
    assert kinds_of(events) == ["order_chosen", "scored", "scored", "ended"]
    assert (ending(state).reason, ending(state).ranks) == ("exhausted", (2, 1, 4, 3))


def test_the_game_ends_when_the_last_tiles_leave_with_a_seat() -> None:
    state = late("e6 f6", "B1 B2", ["", "12", ""], scores=[1, 5, 2], reached=[1, 3, 2])
    events = state.withdraw(1)
    assert kinds_of(events) == ["withdrawn", "ended"]
    assert (ending(state).reason, ending(state).ranks) == ("exhausted", (2, 3, 1))


def test_a_leaving_seat_that_is_to_act_may_end_the_game() -> None:
    state = late("e6 f6", "B1 B2", ["", "12", ""], active=1)
    assert kinds_of(state.withdraw(1)) == ["withdrawn", "ended"]
    assert ending(state).reason == "exhausted"


def test_a_game_played_by_the_house_ends_full_and_counts_every_line() -> None:
    for seats in (2, 3, 4):
        state, events = GAME.new(seats, KeyedChance(bytes([seats]) * 32), {"target": 200})
        while state.to_act():
            events += state.apply(state.active, state.fallback(state.active))
        assert ending(state).reason == "full"
        lines = [event.public["line"] for event in events if event.kind == "scored"]
        assert sorted(lines) == sorted("123456abcdef")
        assert kinds_of(events).count("placed") == TILES


def test_nothing_is_left_to_luck_after_the_deal() -> None:
    state, _ = GAME.new(2, LUCK.clone())
    twin = state.clone()
    twin.chance = KeyedChance(bytes([1]) * 32)
    while state.to_act():
        action = state.legal(state.active)[-1]
        assert twin.apply(twin.active, action) == state.apply(state.active, action)
    assert twin.reveal() == state.reveal()
