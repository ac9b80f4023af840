"""What the contract suite asks of the game: its pieces, what views do not keep, and a rare position."""

from collections.abc import Iterator
from copy import deepcopy

from referee.chance import KeyedChance
from referee.game import Game, Options, Seen, View
from referee.games.chicago.board import Board
from referee.games.chicago.components import GANGS, PAWNS, VALUES


def pieces(revealed: View, board: Board) -> Iterator[str]:
    """Yield rings, tokens in reserve and on buildings, and the buildings; pawns do die."""
    gangs, owner = revealed["gangs"], revealed["owner"]
    worn = sum(rings for gang in gangs.values() for _, rings, _ in gang["members"])
    yield from ["ring"] * (revealed["ring_bank"] + worn)
    for colour, gang in gangs.items():
        printed = {name for name in owner if board.printed[board.numbers[name]] == GANGS.index(colour)}
        laid = sum(holder == colour and name not in printed for name, holder in owner.items())
        yield from [f"token {colour}"] * (gang["tokens"] + laid)
    yield from owner


def wealth(view: View) -> list[int]:
    """Return what 8.2 counts at the end, by seat: cash, and the value of living members."""
    found = [0] * view["seats"]
    for gang in view["gangs"].values():
        if gang["seat"] is not None:
            found[gang["seat"]] += gang["cash"] + sum(VALUES[rings] for _, rings, _ in gang["members"])
    return found


def lasting(event: Seen, seat: int | None) -> Seen | None:
    """Leave out how duels went: the view shows the survivors, their rings and the money."""
    del seat
    return None if event["event"] in {"thrown", "lost_ring", "died", "won"} else event


def attack(game: Game) -> View:
    """Return an attack on three members in one building: a gang has to pick the first of them."""
    options: Options = {"variant_stack": "yes", "phases": 1, "rounds": 1}
    view = deepcopy(game.new(3, KeyedChance(bytes(32)), options)[0].view(None))
    view |= {"phase": "pick", "turn": 1, "round": 1, "points": 4, "ring_bank": 138 - 7}
    view["gangs"]["Y"]["members"] = [["Y1", 4, "R1a"], ["Y2", 2, "k4"]]
    view["gangs"]["R"]["members"] = [["R1", 4, "R1a"], ["R2", 2, "R1a"], ["R3", 1, "R1a"], ["R4", 1, "RK"]]
    view["gangs"]["G"]["members"] = [["G1", 4, "GK"], ["G2", 1, "k5"]]
    for gang in view["gangs"].values():
        gang["reserve"] = PAWNS - len(gang["members"])
    return view | {
        "duel": {"attackers": ["Y1"], "defenders": ["R1", "R2", "R3"], "at": "R1a", "picks": "Y"},
    }


def joint_attack(game: Game) -> View:
    """Return the same attack while other members may still join it."""
    view = attack(game)
    return view | {"phase": "join", "options": view["options"] | {"joint_attack": "yes"}}
