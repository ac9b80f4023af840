"""The board: which squares there are, what borders what, and what buildings are worth.

A board is a JSON file (`BoardFile` is its schema, section 2 of RULES.md describes it) and the rules take
it as data: `load` reads another one as well. Nodes are numbers, in the order of their names in ASCII:
buildings, which begin with a capital, come first, then street squares.
"""

import re
from importlib.resources import files
from typing import Literal

from msgspec import Struct, ValidationError
from msgspec.json import decode

from referee.errors import ConfigError
from referee.games.chicago.components import GANGS, NOBODY, PAWN_NAMES

BUILDING = r"[YRGB](?:[HK]|[1-5][a-h])"
STREET = r"[a-v](?:1[0-9]|2[0-2]|[1-9])"


class NodeFile(Struct):
    """A node of a board file: a street square or a building."""

    id: str
    kind: Literal["street", "bar", "casino"]
    zone: Literal["Y", "R", "G", "B"]
    xy: tuple[int, int] | None = None
    """Streets: column and row, from 0 at the upper left."""
    place: bool = False
    """Streets: whether the square belongs to the central place."""
    gate: bool = False
    """Streets: whether one may leave the board here."""
    arrow: str | None = None
    """Streets: the building whose entrance is here."""
    value: int = 0
    """Buildings: what they pay, in FT."""
    owner: Literal["Y", "R", "G", "B"] | None = None
    """Buildings: the printed colour, if there is one."""
    home: Literal["Y", "R", "G", "B"] | None = None
    """Buildings: the gang whose home bar it is."""
    central: bool = False
    """Buildings: whether it is one of the bars of the central place."""
    entrances: list[str] = []
    """Buildings: the street squares with its arrows."""
    squares: list[tuple[int, int]] = []
    """Buildings: what they cover, for drawing; columns and rows from 0."""


class BoardFile(Struct):
    """A board file."""

    name: str
    note: str
    size: int
    """Squares of one side."""
    nodes: list[NodeFile]
    edges: list[tuple[str, str]]
    """Every door, and every pair of street squares side by side; gates that lie apart are not listed."""
    gates: list[str]
    islands: list[tuple[int, int]]
    """Squares that cannot be entered, for drawing."""
    homes: dict[str, str]
    casinos: list[str]
    central: list[str]
    value_sets: dict[str, dict[str, list[str]]]
    """By gang: the sets of bars of its home zone that pay three times their value if it owns them all."""


class Board:
    """A board as the rules use it: numbers, and every text that names them."""

    def __init__(self, file: BoardFile) -> None:
        self.file = file
        self.name = file.name
        self.names = tuple(sorted(node.id for node in file.nodes))
        self.numbers = {name: number for number, name in enumerate(self.names)}
        self.spots = (*self.names, None)
        """The names, and at the end, where -1 leads, none for what stands nowhere."""
        nodes = {node.id: node for node in file.nodes}
        houses = [nodes[name] for name in self.names if nodes[name].kind != "street"]
        self.buildings = len(houses)
        """Nodes below this number are buildings."""
        self.values = tuple(house.value for house in houses)
        self.printed = tuple(NOBODY if h.owner is None else GANGS.index(h.owner) for h in houses)
        self.homes = tuple(self.numbers[file.homes[colour]] for colour in GANGS)
        self.casinos = self._numbered(file.casinos)
        self.central = self._numbered(file.central)
        self.sets = tuple(
            tuple(self._numbered(names) for names in file.value_sets[colour].values()) for colour in GANGS
        )
        """By gang: the sets of buildings that pay three times their value."""
        self.gates = frozenset(self._numbered(file.gates))
        near: list[set[int]] = [set() for _ in self.names]
        for one, other in file.edges:
            near[self.numbers[one]].add(self.numbers[other])
            near[self.numbers[other]].add(self.numbers[one])
        self.near = tuple(tuple(sorted(bordering)) for bordering in near)
        """By node: its neighbours, in canonical order."""
        self.steps = tuple(
            tuple(sorted({*bordering, *self.gates} - {node})) if node in self.gates else bordering
            for node, bordering in enumerate(self.near)
        )
        """By node: its neighbours, and from gates all other gates (R6)."""
        self.moves = tuple(tuple(f"move {pawn} {name}" for name in self.names) for pawn in PAWN_NAMES)
        """By pawn and node: the action that takes it there."""
        self.placings = tuple(
            tuple(f"place {pawn} {name}" for name in self.names[: self.buildings]) for pawn in PAWN_NAMES
        )
        """By pawn and building: the action that places it there."""

    def _numbered(self, names: list[str]) -> tuple[int, ...]:
        return tuple(self.numbers[name] for name in names)

    def is_jump(self, start: int, end: int) -> bool:
        """Return whether a step leaves the board at one gate and comes back at another that lies apart."""
        return end not in self.near[start]


def load(text: str | bytes) -> Board:
    """Read a board file.

    Raises ConfigError if it does not follow the schema, or names what is not there.
    """
    try:
        file = decode(text, type=BoardFile)
    except ValidationError as error:
        raise ConfigError(f"this is no board of Chicago: {error}") from error
    for problem in _problems(file):
        raise ConfigError(f"this is no board of Chicago: {problem}")
    return Board(file)


def _problems(file: BoardFile) -> list[str]:
    """Return what would make the rules stumble; whether the board is a good one is another matter."""
    spelling = {"street": STREET, "bar": BUILDING, "casino": BUILDING}
    found = [
        f"{node.id!r} is no name of a {node.kind}"
        for node in file.nodes
        if not re.fullmatch(spelling[node.kind], node.id, re.ASCII)
    ]
    houses = {node.id: node for node in file.nodes if node.kind != "street"}
    streets = {node.id for node in file.nodes if node.kind == "street"}
    if len(houses) + len(streets) != len(file.nodes):
        found.append("two nodes have the same name")
    found += [f"there is no street {name!r} for a gate" for name in file.gates if name not in streets]
    for colour in GANGS:
        home = houses.get(file.homes.get(colour, ""))
        if home is None or home.owner != colour:
            found.append(f"gang {colour} needs a home of its own colour")
        if colour not in file.value_sets:
            found.append(f"gang {colour} needs an entry in value_sets, empty or not")
    named = {*file.casinos, *file.central}
    named |= {name for sets in file.value_sets.values() for names in sets.values() for name in names}
    found += [f"there is no building {name!r}" for name in sorted(named - houses.keys())]
    for one, other in file.edges:
        if not {one, other} <= streets | houses.keys() or {one, other} <= houses.keys():
            found.append(f"no edge can join {one!r} and {other!r}")
    return found


HOUSE = load(files("referee.games.chicago").joinpath("board.json").read_bytes())
"""The board of this house: 92 buildings on 22 by 22 squares."""
