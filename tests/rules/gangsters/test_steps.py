"""How far a tile moves (A8), which seat begins (A20), and tied seconds (A4), each read a second time."""

from collections import Counter
from itertools import combinations_with_replacement
from random import Random

import pytest

from referee.chance import KeyedChance
from referee.errors import OptionError
from referee.game import Options, View
from referee.games.gangsters import GAME
from referee.games.gangsters.components import COPIES, GANGS, KINDS, NAMES
from referee.games.gangsters.counting import NOBODY, count
from tests.rules.acting import LUCK, kinds_of, only, play, refusal
from tests.rules.gangsters.build import entries, legal, position, row
from tests.rules.random_games import by_verb, games

FAR: Options = {"step": "any"}
COLUMNS = "abcdef"


def naive_moves(view: View) -> set[str]:
    """Return the moves of the active seat: of every tile to every cell, tried one by one on the drawing."""
    board = {
        f"{column}{number}": view["board"][6 * (number - 1) + place]
        for number in range(1, 7)
        for place, column in enumerate(COLUMNS)
    }
    frozen = {cell for cell in board if cell[0] in view["complete"] or cell[1] in view["complete"]}
    mine = view["gangs"][view["active"]]
    return {
        f"move {start} {end}"
        for start, tile in board.items()
        for end in board
        if len(tile) == 2 and not view["barred"] and start not in frozen and start != view["ban"]
        if view["options"]["move_whose"] == "any" or tile[0] == mine
        if way_is_free(board, start, end, 5 if view["options"]["step"] == "any" else 1)
    }


def way_is_free(board: dict[str, str], start: str, end: str, most: int) -> bool:
    """Walk from cell to cell, in a row or a column, as long as the next one is free."""
    across, down = COLUMNS.index(end[0]) - COLUMNS.index(start[0]), int(end[1]) - int(start[1])
    distance = max(abs(across), abs(down))
    if (across and down) or not 0 < distance <= most:
        return False
    cells = [
        f"{COLUMNS[COLUMNS.index(start[0]) + across // distance * step]}"
        f"{int(start[1]) + down // distance * step}"
        for step in range(1, distance + 1)
    ]
    return all(not board[cell] for cell in cells)


@pytest.mark.parametrize("step", ["one", "any"])
@pytest.mark.parametrize("seed", range(3))
def test_the_moves_of_every_position_are_those_of_a_naive_reading_a8(seed: int, step: str) -> None:
    for state, dealt in games(GAME.new, GAME.info, 9000 + seed, step=[step], first=["0"]):
        while state.to_act():
            listed = state.legal(state.active)
            if state.phase == "turn":
                found = [action for action in listed if action.startswith("move")]
                assert set(found) == naive_moves(state.view(None))
            state.apply(state.active, by_verb(dealt.random, listed))


@pytest.mark.case("M01")
def test_a_tile_goes_any_way_over_free_cells_a8() -> None:
    state = position(cells="c3=B2 c5=Y1 e3=G1x", options=FAR)
    ends = [move.split(" ")[1] for move in legal(state, "move") if move.startswith("c3")]
    assert ends == ["c2", "c1", "c4", "b3", "a3", "d3"]
    one = position(cells="c3=B2 c5=Y1 e3=G1x")
    assert [move for move in legal(one, "move") if move.startswith("c3")] == [
        "c3 c2",
        "c3 c4",
        "c3 b3",
        "c3 d3",
    ]


@pytest.mark.case("M02")
def test_a_move_from_afar_can_complete_one_line_a8() -> None:
    cells = f"{row(1, 'R3 R2 B1 Y1 G1 -')} f5=R1"
    state = position(cells=cells, options=FAR)
    events = play(state, "move f5 f1")
    assert kinds_of(events)[:3] == ["moved", "completed", "scored"]
    assert only(events, "moved").public["to"] == "f1"
    assert state.view(None)["ban"] == "f1"


@pytest.mark.parametrize(
    ("action", "reason"),
    [
        ("move c3 c3", "c3 is not another cell of the row or column of c3"),
        ("move c3 d4", "d4 is not another cell of the row or column of c3"),
        ("move c3 c6", "the way from c3 to c6 is not free"),
        ("move c3 c5", "the way from c3 to c5 is not free"),
        ("move c5 c4", "the tile on c5 is dead"),
    ],
)
def test_refusals_name_the_way_with_step_any(action: str, reason: str) -> None:
    assert refusal(position(cells="c3=B2 c5=Y1x", options=FAR), action) == reason


@pytest.mark.parametrize("options", [{}, {"draw": "commit"}, {"refill": "actor"}, {"piles": 4}])
def test_no_position_offers_more_than_the_widest_list_with_step_any(options: dict[str, str | int]) -> None:
    """Tiles spread over the city, none in another's way, have the most moves."""
    given: Options = {**options, "step": "any"}
    widest, most = GAME.widest(4, given), 0
    random = Random(1)
    cells = [f"{column}{number}" for column in COLUMNS for number in range(1, 7)]
    for _ in range(300):
        tiles = random.sample([name for name in NAMES for _ in range(2)], random.randint(4, 14))
        lying = " ".join(
            f"{cell}={tile}" for cell, tile in zip(random.sample(cells, 36), tiles, strict=False)
        )
        state = position(4, lying, options=given)
        most = max(most, len(state.legal(0)))
    assert GAME.widest(4, dict(options)) < most <= widest


@pytest.mark.case("M03")
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_the_seat_that_begins_can_be_named_a20(seats: int) -> None:
    for first in range(seats):
        state, events = GAME.new(seats, LUCK.clone(), {"first": str(first)})
        assert events[0].public["first"] == first
        assert state.to_act() == (first,)
        order = []
        for _ in range(seats):
            order.append(state.active)
            state.apply(state.active, state.legal(state.active)[0])
        assert order == [(first + place) % seats for place in range(seats)]
    with pytest.raises(OptionError):
        GAME.new(seats, LUCK.clone(), {"first": str(seats)})


@pytest.mark.case("M04")
def test_a_lot_lets_every_seat_begin_and_the_tiles_are_the_same_a20() -> None:
    first: Counter[int] = Counter()
    for deal in range(60):
        key = bytes([deal] * 32)
        lot, _ = GAME.new(3, KeyedChance(key), {"first": "lot"})
        named, _ = GAME.new(3, KeyedChance(key))
        first[lot.active] += 1
        assert lot.reveal()["tiles"] == named.reveal()["tiles"]
    assert min(first[seat] for seat in range(3)) > 8


def naive_count(totals: dict[int, int], cancels: bool) -> tuple[int, int]:
    """Return winner and points; with `cancels` all gangs that have an equal are struck out first."""
    alone = {gang: total for gang, total in totals.items() if list(totals.values()).count(total) == 1}
    if not alone:
        return NOBODY, 0
    winner = max(alone, key=lambda gang: alone[gang])
    below = [total for total in (alone if cancels else totals).values() if total < alone[winner]]
    return winner, alone[winner] - max(below, default=0)


@pytest.mark.parametrize("cancels", [False, True])
def test_every_line_of_the_box_pays_as_a_naive_reading_says_a4_a5_a6(cancels: bool) -> None:
    for kinds in combinations_with_replacement(KINDS.values(), 6):
        if max(Counter(kinds).values()) <= COPIES:
            totals: dict[int, int] = {}
            for kind in kinds:
                totals[kind // 3] = totals.get(kind // 3, 0) + kind % 3 + 1
            result = count(kinds, cancels)
            assert (result.winner, result.points) == naive_count(totals, cancels)


def test_tied_seconds_subtract_unless_the_note_on_ties_is_read_alone_a4() -> None:
    line = entries("R3 R3 B2 B1 Y3 G1")
    assert {cancels: count(line, cancels)[2:] for cancels in (False, True)} == {
        False: (GANGS.index("R"), 3, 3),
        True: (GANGS.index("R"), 1, 5),
    }
