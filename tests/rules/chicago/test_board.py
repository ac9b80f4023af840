"""The board keeps every promise of the booklet, and another one can take its place."""

import json
from collections import Counter, deque
from collections.abc import Callable
from importlib.resources import files
from typing import Any

import pytest

from referee.chance import KeyedChance
from referee.errors import ConfigError, OptionError
from referee.games.chicago import GAME, Chicago
from referee.games.chicago.board import load
from tests.rules.chicago.build import TEN

TEXT = files("referee.games.chicago").joinpath("board.json").read_text()
BOARD = GAME.board
FILE = BOARD.file
NODES = {node.id: node for node in FILE.nodes}
HOUSES = {name: node for name, node in NODES.items() if node.kind != "street"}
STREETS = {name: node for name, node in NODES.items() if node.kind == "street"}
EDGES = {frozenset(edge) for edge in FILE.edges}
SIZE = FILE.size


def turned(square: tuple[int, int]) -> tuple[int, int]:
    """Return where a quarter turn clockwise takes a square."""
    return SIZE - 1 - square[1], square[0]


def squares(name: str) -> frozenset[tuple[int, int]]:
    node = NODES[name]
    return frozenset([node.xy] if node.xy else node.squares)


AT = {squares(name): name for name in NODES}


def rotated(name: str) -> str:
    """Return the node a quarter turn takes this one to."""
    return AT[frozenset(map(turned, squares(name)))]


@pytest.mark.case("C04")
@pytest.mark.parametrize("colour", "YRGB")
def test_a_zone_has_a_casino_and_22_bars_worth_72_000_together(colour: str) -> None:
    values = Counter(house.value for house in HOUSES.values() if house.zone == colour)
    assert values == {20_000: 1, 1_000: 8, 2_000: 6, 3_000: 3, 4_000: 2, 5_000: 3}
    assert sum(value * count for value, count in values.items()) == 72_000
    kinds = Counter(house.kind for house in HOUSES.values() if house.zone == colour)
    assert kinds == {"casino": 1, "bar": 22}


@pytest.mark.case("C05")
def test_casinos_and_four_bars_of_the_place_have_two_entrances() -> None:
    doors = {name: len(house.entrances) for name, house in HOUSES.items()}
    assert {name for name, count in doors.items() if count == 2} == {
        "YK",
        "RK",
        "GK",
        "BK",
        "Y5a",
        "R5a",
        "G5a",
        "B5a",
    }
    assert Counter(doors.values()) == {1: 84, 2: 8}


@pytest.mark.case("C05")
def test_a_quarter_turn_maps_the_board_onto_itself() -> None:
    colours = dict(zip("YRGB", "RGBY", strict=True))
    for name, node in NODES.items():
        other = NODES[rotated(name)]
        assert (other.kind, other.value, other.gate, other.place, other.central) == (
            node.kind,
            node.value,
            node.gate,
            node.place,
            node.central,
        )
        assert (other.zone, other.owner, other.home) == (
            colours[node.zone],
            colours.get(node.owner or ""),
            colours.get(node.home or ""),
        )
        assert {rotated(door) for door in node.entrances} == set(other.entrances)
        if node.kind != "street":
            assert other.id == colours[node.id[0]] + node.id[1:]
    assert {frozenset(map(rotated, edge)) for edge in EDGES} == EDGES
    assert {turned(square) for square in FILE.islands} == set(FILE.islands)


def test_the_board_has_the_numbers_of_the_rules() -> None:
    assert (len(NODES), len(EDGES), len(HOUSES), len(STREETS)) == (328, 396, 92, 236)
    assert len(FILE.islands) == 4
    assert not {frozenset([island]) for island in FILE.islands} & set(AT)
    assert sum(len(house.entrances) for house in HOUSES.values()) == 100
    assert max(len(BOARD.near[node]) for node in range(328)) == 4
    assert {len(BOARD.steps[gate]) for gate in BOARD.gates} == {8}


def test_names_contain_places_and_values() -> None:
    for name, node in STREETS.items():
        assert node.xy == (ord(name[0]) - ord("a"), int(name[1:]) - 1)
    for name, house in HOUSES.items():
        worth = {"H": 3_000, "K": 20_000}.get(name[1]) or 1_000 * int(name[1])
        assert (name[0], house.value) == (house.zone, worth)


def test_streets_border_streets_and_buildings_their_arrows() -> None:
    where = {node.xy: name for name, node in STREETS.items() if node.xy}
    expected = {frozenset((name, door)) for name, house in HOUSES.items() for door in house.entrances}
    for (x, y), name in where.items():
        expected |= {frozenset((name, where[near])) for near in ((x + 1, y), (x, y + 1)) if near in where}
    assert expected == EDGES
    arrows = [node.arrow for node in STREETS.values() if node.arrow]
    assert len(arrows) == 100
    for name, node in STREETS.items():
        assert node.arrow is None or name in HOUSES[node.arrow].entrances


def test_r4_every_gang_has_a_home_in_the_corner_that_is_one_of_its_bars() -> None:
    corners = {"Y": (0, 0), "R": (21, 0), "G": (21, 21), "B": (0, 21)}
    for colour, corner in corners.items():
        home = HOUSES[FILE.homes[colour]]
        assert (home.kind, home.zone, home.owner, home.home, home.value) == (
            "bar",
            colour,
            colour,
            colour,
            3_000,
        )
        assert corner in home.squares


def test_ten_buildings_of_a_zone_are_printed_and_worth_half_of_it() -> None:
    for colour in "YRGB":
        printed = {name for name, house in HOUSES.items() if house.owner == colour}
        assert printed == {colour + name for name in TEN}
        assert sum(HOUSES[name].value for name in printed) == 36_000


def test_eight_bars_border_the_place_and_are_neutral() -> None:
    central = {name for name, house in HOUSES.items() if house.central}
    assert central == set(FILE.central) == {f"{colour}{bar}" for colour in "YRGB" for bar in ("4a", "5a")}
    for name in central:
        assert HOUSES[name].owner is None
        assert any(STREETS[door].place for door in HOUSES[name].entrances)
    assert sum(node.place for node in STREETS.values()) == 36 - 4


def test_eight_gates_at_the_edge_are_the_ends_of_the_through_roads() -> None:
    assert sorted(FILE.gates) == ["a11", "a12", "k1", "k22", "l1", "l22", "v11", "v12"]
    for name in FILE.gates:
        xy = STREETS[name].xy
        assert xy is not None
        assert set(xy) & {0, SIZE - 1}
    for line in range(SIZE):
        for lane in (10, 11):
            if not 8 <= line <= 13:
                assert frozenset([(lane, line)]) in AT
                assert frozenset([(line, lane)]) in AT


def test_sets_are_the_bars_of_one_and_two_thousand() -> None:
    for gang, colour in enumerate("YRGB"):
        for nodes, value in zip(BOARD.sets[gang], (1_000, 2_000), strict=True):
            names = {BOARD.names[node] for node in nodes}
            assert names == {n for n, h in HOUSES.items() if h.zone == colour and h.value == value}


def distances(start: str, *, gates: bool = True) -> dict[str, int]:
    """Return the points from a node to all others, not walking through buildings."""
    found = {start: 0}
    queue = deque([start])
    while queue:
        name = queue.popleft()
        node = BOARD.numbers[name]
        if name in HOUSES and name != start:
            continue
        for way in BOARD.steps[node] if gates else BOARD.near[node]:
            if BOARD.names[way] not in found:
                found[BOARD.names[way]] = found[name] + 1
                queue.append(BOARD.names[way])
    return found


def test_distances_are_those_of_the_rules() -> None:
    home = distances("YH")
    printed = sorted(home[f"Y{name}"] for name in TEN if name != "H")
    assert (home["YK"], printed[0], printed[-1]) == (6, 5, 10)
    assert max(way for name, way in home.items() if name in HOUSES and name[0] == "Y") == 17
    casino = distances("YK")
    assert (casino["RK"], casino["BK"], casino["GK"]) == (13, 13, 19)
    assert distances("YK", gates=False)["GK"] == 24
    assert sorted((casino["Y4a"], casino["Y5a"])) == [5, 11]
    assert max(max(distances(name).values()) for name in NODES) == 29


def damaged(change: Callable[[dict[str, Any]], object]) -> str:
    board = json.loads(TEXT)
    change(board)
    return json.dumps(board)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda board: board.pop("nodes"), "nodes"),
        (lambda board: board["nodes"][0].update(kind="church"), "church"),
        (lambda board: board["nodes"][0].update(id="Y9z"), "'Y9z' is no name of a bar"),
        (lambda board: board["nodes"].append(board["nodes"][0]), "two nodes have the same name"),
        (lambda board: board["edges"].append(["YK", "YH"]), "no edge can join 'YK' and 'YH'"),
        (lambda board: board["edges"].append(["YK", "c3"]), "no edge can join 'YK' and 'c3'"),
        (lambda board: board["gates"].append("c3"), "no street 'c3' for a gate"),
        (lambda board: board["homes"].update(Y="RH"), "gang Y needs a home of its own colour"),
        (lambda board: board["value_sets"].pop("G"), "gang G needs an entry in value_sets"),
        (lambda board: board["casinos"].append("Y9k"), "no building 'Y9k'"),
    ],
)
def test_a_board_that_cannot_be_played_is_refused(
    change: Callable[[dict[str, Any]], object], problem: str
) -> None:
    with pytest.raises(ConfigError, match=problem):
        load(damaged(change))


def test_another_board_can_take_the_place_of_this_one() -> None:
    def without_gates(board: dict[str, Any]) -> None:
        board["name"] = "walled"
        board["gates"] = []
        for node in board["nodes"]:
            node["gate"] = False

    game = Chicago(load(damaged(without_gates)))
    assert game.resolve(None, 3)["board"] == "walled"
    with pytest.raises(OptionError, match="walled"):
        game.resolve({"board": "chicago-22"}, 3)
    state, events = game.new(3, KeyedChance(bytes(32)), {"phases": 1})
    assert events[0].public["board"] == "walled"
    turn = 0
    while state.to_act():
        seat = state.to_act()[0]
        legal = state.legal(seat)
        turn += 1
        events += state.apply(seat, legal[turn * 7919 % len(legal)])
    assert not any(event.public.get("gate") for event in events)
    assert game.follow(None, [event.public for event in events]) == state.view(None)
    assert game.imagine(state.view(None), KeyedChance(bytes(32))).outcome() == state.outcome()
    assert " =  " not in game.draw(state.view(None))
    assert game.widest(3) == 92
