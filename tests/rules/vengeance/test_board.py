"""The circuit: what the booklet demands, what this house has chosen, and what a board file may not be."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import referee.games.vengeance as package
from referee.chance import KeyedChance
from referee.errors import ConfigError
from referee.games.vengeance import GAME, Vengeance
from referee.games.vengeance.board import HOUSE, KINDS, load
from referee.games.vengeance.components import GANGS

TEXT = (Path(package.__file__).parent / "board.json").read_text()
BOARD: dict[str, Any] = json.loads(TEXT)
CELLS, SIZE = BOARD["cells"], BOARD["cell_count"]
KIND = [cell["kind"] for cell in CELLS]


def test_the_cells_are_one_clockwise_ring() -> None:
    way = [0]
    while len(way) < SIZE:
        way.append(CELLS[way[-1]]["next"])
    assert sorted(way) == list(range(SIZE))
    assert CELLS[way[-1]]["next"] == 0


def test_there_are_four_kinds_in_the_numbers_of_the_rules() -> None:
    assert {kind: KIND.count(kind) for kind in KINDS} == {"plain": 12, "shoot": 8, "safe": 8, "danger": 8}
    letters = "".join(cell["letter"] for cell in CELLS)
    assert letters == "ABCADABCD" * 4


def test_four_hqs_lie_a_quarter_apart_in_two_facing_pairs() -> None:
    doors = {hq["gang"]: hq["exit"] for hq in BOARD["hqs"]}
    assert doors == {"O": 0, "Y": 9, "B": 18, "G": 27}
    for hq in BOARD["hqs"]:
        assert (doors[hq["faces"]] - hq["exit"]) % SIZE == SIZE // 2
        assert CELLS[hq["last"]]["next"] == hq["exit"]
    assert {frozenset((hq["gang"], hq["faces"])) for hq in BOARD["hqs"]} == {frozenset("OB"), frozenset("YG")}


@pytest.mark.parametrize("quarters", [1, 2, 3])
def test_the_board_looks_the_same_after_a_quarter_turn(quarters: int) -> None:
    turn = quarters * SIZE // 4
    assert KIND[turn:] + KIND[:turn] == KIND
    doors = {hq["exit"] for hq in BOARD["hqs"]}
    assert doors == {(door + turn) % SIZE for door in doors}


def test_every_gang_has_the_same_road() -> None:
    for gang in range(len(GANGS)):
        road = [HOUSE.kinds[HOUSE.reach[gang][0][points]] for points in range(1, 13)]
        assert road == [HOUSE.kinds[HOUSE.reach[0][0][points]] for points in range(1, 13)]
        assert sorted(HOUSE.left[gang]) == list(range(1, SIZE + 2))


def test_the_wheel_pairs_every_cell_with_the_opposite_one() -> None:
    pairs = BOARD["wheel"]["pairs"]
    assert sorted(cell for pair in pairs for cell in pair) == list(range(SIZE))
    for first, second in pairs:
        assert CELLS[first]["opposite"] == second == HOUSE.opposite(first)
        assert CELLS[second]["opposite"] == first == HOUSE.opposite(second)
        assert KIND[first] == KIND[second]


def test_r33_six_cells_in_a_row_hold_all_kinds_and_no_special_kind_is_doubled() -> None:
    for cell in range(SIZE):
        assert {KIND[(cell + step) % SIZE] for step in range(1, 7)} == set(KINDS)
        assert KIND[cell] == "plain" or KIND[cell] != KIND[(cell + 1) % SIZE]
    for hq in BOARD["hqs"]:
        before = [KIND[(hq["exit"] - step) % SIZE] for step in (0, 1, 2)]
        assert before == ["plain", "danger", "safe"]


def test_a_lap_is_one_point_longer_than_the_circuit_and_no_move_crosses_a_door_twice() -> None:
    assert BOARD["lap_points"] == SIZE + 1
    assert SIZE > 12
    assert BOARD["capacity"] == {"figures": 3, "colours": 2}
    assert all(cell["hostage_slots"] == 1 for cell in CELLS)


def test_progress_counts_from_the_own_door() -> None:
    assert HOUSE.progress(1, -1) == HOUSE.progress(1, -2) == 0
    assert HOUSE.progress(1, 9) == 1
    assert HOUSE.progress(1, 8) == 36
    assert HOUSE.progress(1, SIZE) == 37


def small_board() -> dict[str, Any]:
    """Return another circuit: 16 cells, whose first door is not on cell 0."""
    quarter, size = "ABCD", 16
    names = {letter: kind for kind, letter in KINDS.items()}
    cells = [
        {
            "id": cell,
            "kind": names[quarter[cell % 4]],
            "letter": quarter[cell % 4],
            "next": (cell + 1) % size,
            "opposite": (cell + 8) % size,
            "hostage_slots": 1,
        }
        for cell in range(size)
    ]
    hqs = [
        {
            "gang": gang,
            "name": hq["name"],
            "exit": (4 * place + 2) % size,
            "last": 4 * place + 1,
            "faces": hq["faces"],
        }
        for place, (gang, hq) in enumerate(zip(GANGS, BOARD["hqs"], strict=True))
    ]
    wheel = {"rifles": 2, "stops": size, "pairs": [[cell, cell + 8] for cell in range(8)]}
    board = {"name": "small", "version": 3, "origin": "a test", "cell_count": size, "quarter": 4}
    return board | {
        "lap_points": size + 1,
        "capacity": BOARD["capacity"],
        "cells": cells,
        "hqs": hqs,
        "wheel": wheel,
    }


def test_another_board_can_be_played_on() -> None:
    game = Vengeance(load(json.dumps(small_board())))
    state, events = game.new(4, KeyedChance(bytes(32)), {"max_rounds": 20})
    assert events[0].public["board"] == {
        "name": "small",
        "version": 3,
        "cells": "ABCD" * 4,
        "exits": {"O": 2, "Y": 6, "B": 10, "G": 14},
    }
    while state.to_act():
        view = state.view(None)
        assert view["board"] == "small"
        assert game.imagine(view, KeyedChance(bytes(32))).view(None) == view
        assert "15" in game.draw(view)
        assert "16" not in game.draw(view).splitlines()[1]
        events += state.apply(
            state.active, state.legal(state.active)[len(events) % len(state.legal(state.active))]
        )
    assert game.follow(0, [event.public for event in events]) == state.view(0)
    assert GAME.board is HOUSE


def change(*path: str | int, to: Any) -> Callable[[dict[str, Any]], None]:
    def apply(board: dict[str, Any]) -> None:
        inner: Any = board
        for key in path[:-1]:
            inner = inner[key]
        inner[path[-1]] = to

    return apply


@pytest.mark.parametrize(
    ("spoil", "problem"),
    [
        (change("cell_count", to=18), "multiple of 4"),
        (change("cells", to=[]), "cell_count must be right"),
        (change("quarter", to=8), "quarter"),
        (change("lap_points", to=36), "lap_points"),
        (change("capacity", "figures", to=4), "three figures"),
        (change("cells", 5, "next", to=7), "cell 5"),
        (change("cells", 5, "opposite", to=6), "cell 5"),
        (change("cells", 7, "hostage_slots", to=2), "cell 7"),
        (change("cells", 7, "kind", to="park"), "cell 7 has a kind"),
        (change("hqs", 1, "gang", to="G"), "HQs are those of"),
        (change("hqs", 1, "exit", to=10), "a quarter"),
        (change("hqs", 1, "last", to=10), "HQ of Y"),
        (change("hqs", 2, "faces", to="G"), "HQ of B"),
        (change("wheel", "rifles", to=1), "wheel"),
        (change("wheel", to=None), "wheel"),
        (change("cells", 3, to=None), "lacks something"),
        (dict.clear, "lacks something"),
    ],
)
def test_a_board_the_rules_cannot_be_played_on_is_refused(
    spoil: Callable[[dict[str, Any]], None], problem: str
) -> None:
    board = json.loads(TEXT)
    spoil(board)
    with pytest.raises(ConfigError, match=problem):
        load(json.dumps(board))


@pytest.mark.parametrize("text", ["", "[]", "3", '{"cell_count": "many"}'])
def test_what_is_no_board_at_all_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="lacks something"):
        load(text)
