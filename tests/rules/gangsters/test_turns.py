"""Set-up, placing, moving, shooting, the order of two counts."""

from collections import Counter

import pytest

from referee.chance import ScriptedChance
from referee.games.gangsters import GAME
from referee.games.gangsters.components import COPIES, GANGS, KINDS, NAMES
from referee.games.gangsters.grid import CELL_NAMES, CELLS, COLUMN_OF, NEAR, ROW_OF, spread, steps
from tests.rules.acting import LUCK, kinds_of, only, play
from tests.rules.gangsters.build import column, legal, position, row

FULL_ROW = row(1, "R1 B1 Y1 G1 R2 B2")
CROSS = f"{row(3, 'R3 R2 - R1 B1 Y1')} {column('c', 'B3 B2 - B2 Y1 G1')}"


@pytest.mark.parametrize(
    ("seats", "piles", "cartridges"),
    [(2, [14, 14], [2, 2]), (3, [12, 13], [1] * 3), (4, [11, 11], [1] * 4)],
    ids=["R01", "R02", "R03"],
)
def test_the_table_is_set_for_the_number_of_seats_a20(
    seats: int, piles: list[int], cartridges: list[int]
) -> None:
    state, events = GAME.new(seats, LUCK.clone())
    view = state.view(None)
    assert view["piles"] == piles
    assert len(view["common"]) == 2
    assert view["cartridges"] == cartridges
    assert view["reserves"] == [[1, 2, 3]] * seats
    assert view["neutral"] == list(GANGS[seats:])
    assert state.to_act() == (0,)
    assert kinds_of(events) == ["started", "turn_began"]


@pytest.mark.case("R04")
def test_all_36_tiles_take_part_with_any_number_of_seats_a1_a2() -> None:
    state, _ = GAME.new(2, LUCK.clone())
    tiles = Counter(NAMES[kind] for kind in (*state.common, *state.piles[0], *state.piles[1]))
    assert tiles == Counter({name: 2 if name[0] in "RB" else 3 for name in NAMES})


def test_tiles_are_dealt_in_turn_and_the_first_of_a_pile_is_its_top() -> None:
    order = [kind for kind in KINDS.values() for _ in range(COPIES - 1)]
    state, _ = GAME.new(4, ScriptedChance(LUCK.clone(), tiles=[order]))
    assert state.reveal()["common"] == ["R1", "R1"]  # the tops of pile 1 and pile 2
    names = [NAMES[kind] for kind in order[2:]]
    assert state.reveal()["tiles"] == [names[::2], names[1::2]]


@pytest.mark.parametrize("piles", [1, 2, 3, 4])
def test_there_may_be_more_or_fewer_piles(piles: int) -> None:
    state, _ = GAME.new(3, LUCK.clone(), {"piles": piles})
    sizes = state.view(0)["piles"]
    assert (len(sizes), sum(sizes)) == (piles, 25)
    assert max(sizes) - min(sizes) <= 1
    assert legal(state, "draw") == [str(pile + 1) for pile in range(piles)]


def test_the_letters_of_the_gangs_can_be_chosen() -> None:
    state, _ = GAME.new(2, LUCK.clone(), {"gangs": "GYRB"})
    view = state.view(0)
    assert (view["gangs"], view["neutral"]) == (["G", "Y"], ["R", "B"])
    assert only(play(state, "own 3 a1"), "placed").public["tile"] == "G3"


@pytest.mark.case("R05")
def test_on_the_empty_board_one_can_only_place() -> None:
    state = position(common="Y2 B1")
    assert len(state.legal(0)) == 182
    assert not legal(state, "move") + legal(state, "shoot")


@pytest.mark.case("R06")
def test_two_equal_open_tiles_are_one_action() -> None:
    assert len(position(common="Y2 Y2").legal(0)) == 146


@pytest.mark.case("R07")
def test_an_open_tile_is_replaced_from_the_taller_pile_a11() -> None:
    state = position(common="Y2 B1")
    top = state.reveal()["tiles"][0][0]
    events = play(state, "common Y2 c3")
    view = state.view(0)
    assert view["board"][CELL_NAMES.index("c3")] == "Y2"
    assert sorted(view["common"]) == sorted(["B1", top])
    assert view["piles"] == [10, 11]
    assert view["active"] == 1
    assert kinds_of(events) == ["placed", "refilled", "turn_began"]


@pytest.mark.case("R08")
def test_a_tile_of_the_own_reserve_is_not_replaced() -> None:
    state = position()
    play(state, "own 3 a1")
    view = state.view(0)
    assert view["reserves"][0] == [1, 2]
    assert len(view["common"]) == 2
    assert view["active"] == 1


@pytest.mark.parametrize("case", ["R09", "R10"])
def test_a_drawn_tile_is_seen_by_all_and_must_be_placed_a10(case: str) -> None:
    state = position()
    before = state.view(None)["common"]
    (drawn,) = play(state, "draw 2")
    view = state.view(3)
    assert (view["phase"], view["active"], view["drawn"]) == ("put", 0, drawn.public["tile"])
    assert state.legal(0) == [f"put {cell}" for cell in CELL_NAMES]
    if case == "R10":
        placed = only(play(state, "put f6"), "placed").public
        assert (placed["tile"], placed["from"]) == (drawn.public["tile"], "pile 2")
        view = state.view(None)
        assert view["board"][-1] == drawn.public["tile"]
        assert (view["common"], view["active"], view["phase"]) == (before, 1, "turn")


@pytest.mark.case("R11")
def test_with_empty_piles_the_common_reserve_shrinks() -> None:
    state = position(common="Y2 B1", piles=["", ""])
    assert kinds_of(play(state, "common B1 a1")) == ["placed", "turn_began"]
    assert state.view(0)["common"] == ["Y2"]
    assert not legal(state, "draw")


@pytest.mark.case("R12")
def test_a_tile_may_have_to_be_drawn_for_a_cell_chosen_before_a10() -> None:
    state = position(options={"draw": "commit"})
    assert "blind 1 a1" in state.legal(0)
    assert not legal(state, "draw")
    events = play(state, "blind 1 a1")
    assert kinds_of(events) == ["drawn", "placed", "turn_began"]
    assert (state.view(0)["board"][0], state.active) == (events[0].public["tile"], 1)


def test_the_seat_may_name_the_pile_that_refills_a11() -> None:
    state = position(common="Y2 B1", options={"refill": "actor"})
    assert legal(state, "common")[:3] == ["B1 a1 from 1", "B1 a1 from 2", "B1 b1 from 1"]
    play(state, "common Y2 a1 from 2")
    assert state.view(0)["piles"] == [11, 10]
    empty = position(common="Y2 B1", piles=["", ""], options={"refill": "actor"})
    assert legal(empty, "common")[0] == "B1 a1"
    play(empty, "common Y2 a1")
    assert empty.view(0)["common"] == ["B1"]


@pytest.mark.case("R13")
def test_any_gangs_tile_may_be_moved_one_step_a7_a8() -> None:
    assert legal(position(cells="c3=B2"), "move") == ["c3 c2", "c3 c4", "c3 b3", "c3 d3"]


@pytest.mark.parametrize("case", ["R14", "R15"])
def test_the_tile_of_the_turn_just_before_may_not_be_moved(case: str) -> None:
    state = position(cells="c3=B2 a1=R1")
    play(state, "move c3 c4")
    assert {text[:2] for text in legal(state, "move")} == {"a1"}
    if case == "R15":
        play(state, "own 1 f6")
        assert {text[:2] for text in legal(state, "move")} == {"a1", "c4"}


@pytest.mark.case("R16")
def test_a_dead_tile_is_not_moved() -> None:
    moves = legal(position(cells="c3=B2x c4=R1"), "move")
    assert {text[:2] for text in moves} == {"c4"}


@pytest.mark.case("R17")
def test_the_tiles_of_a_complete_line_are_frozen() -> None:
    assert legal(position(cells=f"{FULL_ROW} b2=Y3"), "move") == ["b2 b3", "b2 a2", "b2 c2"]


@pytest.mark.case("R18")
def test_a_move_may_complete_a_line() -> None:
    state = position(cells="a1=R3 b1=R2 c1=B1 d1=Y1 e1=G1 f2=R1")
    events = play(state, "move f2 f1")
    assert kinds_of(events) == ["moved", "completed", "scored", "turn_began"]
    scored = only(events, "scored").public
    assert (scored["line"], scored["seat"], scored["points"], scored["minus"]) == ("1", 0, 5, 1)
    assert state.scores == [5, 0, 0, 0]
    assert not legal(state, "move")


@pytest.mark.case("R19")
def test_seats_may_be_kept_to_their_own_tiles_a7() -> None:
    cells = "a1=R3 b1=R2 c1=B1 d1=Y1 e1=G1 f2=B3"
    assert "f2 f1" in legal(position(cells=cells), "move")
    own = position(cells=cells, options={"move_whose": "own"})
    assert {text[:2] for text in legal(own, "move")} == {"a1", "b1"}


@pytest.mark.case("R20")
def test_a_shot_needs_a_live_tile_of_ones_own_next_to_it_a14() -> None:
    state = position(cells="c3=R2 d3=B1 c2=G1 e5=Y2")
    assert legal(state, "shoot") == ["c2", "d3"]


@pytest.mark.case("R21")
def test_a_shot_kills_and_uses_a_cartridge() -> None:
    state = position(cells="c3=R2 d3=B1 c2=G1 e5=Y2", ban="c3")
    shot, _ = play(state, "shoot d3")
    assert shot.public == {"event": "shot", "seat": 0, "cell": "d3", "tile": "B1", "cartridges": 0}
    view = state.view(0)
    assert view["board"][CELL_NAMES.index("d3")] == "B1x"
    assert view["cartridges"] == [0, 1, 1, 1]
    assert (view["ban"], view["scores"], view["active"]) == (None, [0] * 4, 1)


@pytest.mark.parametrize(
    ("cells", "targets"),
    [("c3=R2x d3=B1", []), ("c3=R2 d3=B1x", []), ("c3=R2 d3=R1", ["c3", "d3"]), ("c3=R2 d4=B1", [])],
    ids=["R22", "R23", "R24", "R26"],
)
def test_who_can_shoot_whom_a12_a13(cells: str, targets: list[str]) -> None:
    assert legal(position(cells=cells), "shoot") == targets


@pytest.mark.case("R25")
def test_ones_own_gang_may_be_out_of_bounds_a12() -> None:
    state = position(cells="c3=R2 d3=R1 e3=B1", options={"friendly_fire": "no"})
    assert legal(state, "shoot") == ["e3"]
    assert not legal(position(cells="c3=R2 d3=R1", options={"friendly_fire": "no"}), "shoot")


def test_a_neutral_tile_can_be_shot_but_shoots_for_no_seat() -> None:
    assert legal(position(2, cells="c3=R2 d3=Y1"), "shoot") == ["d3"]
    assert not legal(position(2, cells="c3=G2 d3=Y1"), "shoot")


@pytest.mark.case("R27")
def test_a_shot_into_a_complete_line_changes_no_score() -> None:
    state = position(cells=FULL_ROW, scores=[1, 0, 0, 0], reached=[1, 0, 0, 0])
    assert kinds_of(play(state, "shoot b1")) == ["shot", "turn_began"]
    assert state.view(0)["board"][1] == "B1x"
    assert state.scores == [1, 0, 0, 0]


@pytest.mark.case("R28")
def test_a_dead_tile_still_fills_its_cell() -> None:
    state = position(cells=row(1, "R3 B3x Y1 G1 R2 -"))
    scored = only(play(state, "own 1 f1"), "scored").public
    assert (scored["totals"], scored["points"]) == ({"R": 6, "Y": 1, "G": 1}, 5)


@pytest.mark.case("R29")
def test_a_shot_is_a_whole_turn() -> None:
    state = position(2, cells="c3=R2 d3=B1")
    play(state, "shoot d3")
    assert state.active == 1
    play(state, "own 3 a1")
    assert (state.view(0)["cartridges"], state.active) == ([1, 2], 0)


def test_a_tile_may_be_shot_and_may_shoot_right_after_it_was_placed() -> None:
    state = position(cells="c3=R2 d3=B1", ban="d3")
    assert "d3" in legal(state, "shoot")
    again = position(cells="c3=R2 d3=B1", ban="c3")
    assert "d3" in legal(again, "shoot")


@pytest.mark.case("R30")
def test_the_seat_chooses_the_order_of_two_counts_that_pay_two_seats_a17() -> None:
    state = position(cells=CROSS, common="G2 Y3")
    events = play(state, "common G2 c3")
    assert kinds_of(events) == ["placed", "refilled", "completed", "completed"]
    view = state.view(2)
    assert (view["phase"], view["active"], view["pending"]) == ("order", 0, ["3", "c"])
    assert state.legal(0) == ["first 3", "first c"]


@pytest.mark.parametrize(
    ("first", "scores", "ranks"),
    [("c", [13, 17, 0, 0], (2, 1, 3, 3)), ("3", [17, 13, 0, 0], (1, 2, 3, 3))],
    ids=["R31", "R32"],
)
def test_the_second_line_is_not_counted_once_the_target_is_reached_a18(
    first: str, scores: list[int], ranks: tuple[int, ...]
) -> None:
    state = position(cells=CROSS, common="G2 Y3", scores=[13, 13, 0, 0], reached=[2, 1, 0, 0])
    play(state, "common G2 c3")
    events = play(state, f"first {first}")
    assert kinds_of(events) == ["order_chosen", "scored", "ended"]
    outcome = state.outcome()
    assert outcome is not None
    assert (outcome.reason, list(outcome.scores), outcome.ranks) == ("goal", scores, ranks)
    assert state.to_act() == ()
    assert state.legal(0) == []


@pytest.mark.case("R33")
def test_who_is_counted_first_has_reached_the_score_first() -> None:
    state = position(cells=CROSS, common="G2 Y3")
    play(state, "common G2 c3", "first 3")
    assert state.scores == [4, 4, 0, 0]
    assert state.reached == [1, 2, 0, 0]
    assert state.active == 1


@pytest.mark.case("R34")
def test_two_lines_for_the_same_seat_need_no_order_a17() -> None:
    cells = f"{row(3, 'R3 R2 - R1 B1 Y1')} {column('c', 'R3 R2 - B2 Y1 G1')}"
    state = position(cells=cells, reserves=["1", "123", "123", "123"])
    events = play(state, "own 1 c3")
    assert kinds_of(events)[:4] == ["placed", "completed", "completed", "order_chosen"]
    assert kinds_of(events)[4:] == ["scored", "scored", "turn_began"]
    assert only(events, "order_chosen").public == {"event": "order_chosen", "seat": None, "first": "3"}
    assert [event.public["points"] for event in events[-3:-1]] == [6, 4]
    assert state.scores == [10, 0, 0, 0]


@pytest.mark.case("R35")
def test_a_neutral_win_needs_no_order_a3_a17() -> None:
    cells = f"{row(3, 'R3 R2 - R1 B1 Y1')} {column('c', 'Y3 Y2 - B2 Y1 G1')}"
    state = position(2, cells=cells, common="G2 Y3")
    events = play(state, "common G2 c3")
    assert [event.public["seat"] for event in events if event.kind == "scored"] == [0, None]
    assert state.scores == [4, 0]


def test_the_order_may_be_asked_for_at_every_double_completion_a17() -> None:
    cells = f"{row(3, 'R3 R2 - R1 B1 Y1')} {column('c', 'Y3 Y2 - B2 Y1 G1')}"
    state = position(2, cells=cells, common="G2 Y3", options={"order": "always"})
    play(state, "common G2 c3")
    assert state.legal(0) == ["first 3", "first c"]
    assert [event.public["seat"] for event in play(state, "first c")[:-1]] == [0, None, 0]


@pytest.mark.case("R36")
def test_a_seat_may_win_on_anothers_turn() -> None:
    state = position(
        cells=row(1, "R3 R2 B1 Y1 G1 -"), common="R1 Y1", scores=[14, 0, 0, 0], reached=[1, 0, 0, 0], active=2
    )
    events = play(state, "common R1 f1")
    assert kinds_of(events) == ["placed", "refilled", "completed", "scored", "ended"]
    outcome = state.outcome()
    assert outcome is not None
    assert (outcome.ranks, outcome.scores, outcome.reason) == ((1, 2, 2, 2), (19, 0, 0, 0), "goal")


def test_the_common_reserve_is_refilled_before_the_count_a22() -> None:
    state = position(cells=row(1, "R3 R2 B1 Y1 G1 -"), common="R1 Y1")
    kinds = kinds_of(play(state, "common R1 f1"))
    assert kinds.index("refilled") < kinds.index("completed") < kinds.index("scored")


@pytest.mark.case("R48")
def test_a_step_adds_to_one_line_only() -> None:
    pairs = [(cell, to) for cell in range(CELLS) for to in steps(cell)]
    assert len(pairs) == 120
    for cell, to in pairs:
        assert (ROW_OF[cell] == ROW_OF[to]) != (COLUMN_OF[cell] == COLUMN_OF[to])
        assert (to, cell) in pairs
        assert NEAR[cell] >> to & 1


def test_neighbours_are_next_to_each_other_in_a_row_or_a_column() -> None:
    for cell, name in enumerate(CELL_NAMES):
        near = {other for other in range(CELLS) if spread(1 << cell) >> other & 1}
        expected = {
            other
            for other, there in enumerate(CELL_NAMES)
            if abs(ord(name[0]) - ord(there[0])) + abs(int(name[1]) - int(there[1])) == 1
        }
        assert near == expected == set(steps(cell))


@pytest.mark.case("R49")
def test_a_move_within_a_line_completes_nothing_in_it() -> None:
    state = position(cells=f"{row(1, 'R3 R2 B1 Y1 - G1')} e2=R1")
    assert kinds_of(play(state, "move f1 e1")) == ["moved", "turn_began"]
    assert state.view(0)["complete"] == []


@pytest.mark.case("R50")
def test_a_tile_just_placed_may_not_be_moved() -> None:
    state = position()
    play(state, "own 1 a1")
    assert state.view(1)["ban"] == "a1"
    assert legal(state, "move") == []
