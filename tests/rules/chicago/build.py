"""Positions from a few words, for the tests of Chicago."""

from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any

from referee.chance import Chance, ScriptedChance
from referee.game import Event
from referee.games.chicago import GAME
from referee.games.chicago.components import DUEL_DICE, GANGS, PARTS, PAWNS, gangs_at, order_of
from referee.games.chicago.state import State
from tests.rules.acting import LUCK, play

TEN = ("K", "H", "1a", "1b", "1c", "1d", "2a", "2b", "2c", "3b")
"""The ten buildings of a zone that are printed in its colour."""


def position(
    pawns: str = "",
    *,
    seats: int = 4,
    phase: str = "move",
    gang: str = "Y",
    points: int = 1,
    part: str = "A",
    round: int = 3,
    owner: Mapping[str, str | None] | None = None,
    tokens: Mapping[str, int] | None = None,
    cash: Mapping[str, int] | None = None,
    reserve: Mapping[str, int] | None = None,
    bought: Mapping[str, list[int]] | None = None,
    bank: int | None = None,
    chance: Chance = LUCK,
    options: Mapping[str, str | int] | None = None,
) -> State:
    """Return a position in the middle of a game, where a gang is on turn.

    `pawns` are all members, like `Y3:2@d4` (no `@`: not placed yet). Buildings that `owner` does not name
    belong to the gang of their print; tokens follow from that, the reserve from the highest pawn, the
    bank from the rings, unless given.
    """
    start, _ = GAME.new(seats, LUCK.clone(), options)
    view = deepcopy(start.view(None))
    seat = view["gangs"][gang]["seat"]
    view |= {"phase": phase, "active": seat, "to_act": [seat], "due": [gang], "turn": 9}
    view |= {"points": points if phase == "move" else 0}
    view |= {"part": part, "round": 0 if phase in {"part_buy", "place"} else round}
    view["order"] = [GANGS[number] for number in order_of(PARTS.index(part), gangs_at(seats))]
    view["owner"] |= owner or {}
    for colour, shown in view["gangs"].items():
        shown["members"] = sorted(
            (_member(word) for word in pawns.split() if word[0] == colour),
            key=lambda member: int(member[0][1:]),
        )
        used = max((int(name[1:]) for name, _, _ in shown["members"]), default=1)
        shown["reserve"] = (reserve or {}).get(colour, PAWNS - used)
        laid = sum(o == colour and not is_printed(name, colour) for name, o in view["owner"].items())
        shown["tokens"] = (tokens or {}).get(colour, start.rules.tokens - laid)
        shown["cash"] = (cash or {}).get(colour, shown["cash"])
        shown["bought"] = (bought or {}).get(colour, [0, 0, 0])
    worn = sum(rings for gang in view["gangs"].values() for _, rings, _ in gang["members"])
    view["ring_bank"] = start.rules.rings - worn if bank is None else bank
    return GAME.imagine(view, chance.clone())


def _member(word: str) -> list[Any]:
    name, _, rest = word.partition(":")
    rings, _, at = rest.partition("@")
    return [name, int(rings), at or None]


def is_printed(building: str, colour: str) -> bool:
    """Return whether a building is printed in a gang's colour."""
    return building[0] == colour and building[1:] in TEN


def zone(colour: str, digits: str = "HK12345") -> list[str]:
    """Return the buildings of a zone with these values; H is the home, K the casino."""
    names = GAME.board.names[: GAME.board.buildings]
    return [name for name in names if name[0] == colour and name[1] in digits]


def door(building: str) -> str:
    """Return the first square from which a building is entered."""
    board = GAME.board
    return board.names[board.near[board.numbers[building]][0]]


def beside(street: str) -> str:
    """Return the first street that borders another one."""
    board = GAME.board
    near = board.near[board.numbers[street]]
    return next(board.names[node] for node in near if node >= board.buildings)


def owned(colour: str, *buildings: str) -> dict[str, str | None]:
    """Return these buildings as owned by a gang."""
    return dict.fromkeys(buildings, colour)


def dice(attacker: int, defender: int, *throws: tuple[int, int], rolls: Sequence[int] = ()) -> Chance:
    """Return luck that gives these throws to two members with so many rings, and these rolls from 1 on."""
    numbers = []
    for attack, defence in throws:
        numbers += [DUEL_DICE[attacker].index(attack), DUEL_DICE[defender].index(defence)]
        if attack == defence:
            attacker, defender = attacker - 1, defender - 1
    return ScriptedChance(LUCK.clone(), duel=numbers, dice=[roll - 1 for roll in rolls])


def legal(state: State) -> list[str]:
    """Return the legal actions of the seat that is to act."""
    return state.legal(state.to_act()[0])


def spots(state: State) -> dict[str, str | None]:
    """Return where every member stands."""
    return {name: at for name, (_, at) in members(state).items()}


def members(state: State) -> dict[str, tuple[int, str | None]]:
    """Return the rings and the place of every member."""
    gangs = state.view(None)["gangs"].values()
    return {name: (rings, at) for gang in gangs for name, rings, at in gang["members"]}


def gang(state: State, colour: str) -> dict[str, Any]:
    """Return a gang as views show it."""
    found: dict[str, Any] = state.view(None)["gangs"][colour]
    return found


def of_kind(events: Sequence[Event], kind: str) -> list[dict[str, Any]]:
    """Return the events of a kind, as all see them."""
    return [event.public for event in events if event.kind == kind]


LAST = {4: dict(zip(PARTS, "BYRG", strict=True)), 3: dict(zip(PARTS, "GYRG", strict=True))}
LAST[2] = LAST[4]
"""The gang that is last in each part, by seats."""


def end_of_part(pawns: str = "", *, part: str = "A", seats: int = 4, **more: Any) -> list[Event]:
    """Return what happens with the last step of a part; it is a step in the street and changes nothing."""
    last = LAST[seats][part]
    state = position(f"{pawns} {last}20:1@k4", part=part, round=6, seats=seats, gang=last, **more)
    return play(state, f"move {last}20 k3")
