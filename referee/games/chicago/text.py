"""Chicago for people: a position in characters, an event in a sentence."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from referee.game import View
from referee.gamelib.ranking import winners
from referee.gamelib.wording import Names, Seen, Sentences, count, listed, seat_mark, verdict, who
from referee.games.chicago.board import Board
from referee.games.chicago.components import GANG_NAMES, GANGS

CELL = 5
"""Characters of one square: the longest building has three, its owner and its occupant one each."""


def draw(view: View, board: Board) -> str:
    """Draw the map, then what every gang has.

    A building is drawn as its name, its owner (`-`: none) and `*` if it is occupied; a street as `.`, a
    gate as `=`, an island as `#`, and a pawn on the street as itself.
    """
    lines = [_headline(view), "", *_map(view, board), _LEGEND, ""]
    for colour, gang in view["gangs"].items():
        lines += _gang_lines(view, board, colour, gang)
    lines.append(f"  rings in the bank {view['ring_bank']}")
    return "\n".join(lines)


_LEGEND = (
    "     RKG *: building RK, owned by gang G (-: by none), occupied; : more of a building;"
    " . street; = gate; # island"
)


def _headline(view: View) -> str:
    when = f"phase {view['part']}, round {view['round']}" if view["round"] else f"phase {view['part']}"
    if view["phase"] == "over":
        return f"{when}, {verdict(view)}"
    doing = {
        "part_buy": "buys for the phase",
        "turn_buy": "may buy before it rolls",
        "place": "places its members",
        "move": f"moves: {count(view['points'], 'point')} left",
    }
    if view["phase"] == "pick":
        duel = view["duel"]
        among = " ".join(duel["defenders"])
        return f"{when}, {_attack(duel)} in {duel['at']}: {duel['picks']} picks among {among}"
    if view["phase"] == "join":
        duel = view["duel"]
        return f"{when}, {_attack(duel)} in {duel['at']}: {count(view['points'], 'point')} left to join"
    return f"{when}, {view['due'][0]} (@{view['active']}) {doing[view['phase']]}"


def _attack(duel: Mapping[str, Any]) -> str:
    attackers = duel["attackers"]
    return f"{' '.join(attackers)} {'attack' if len(attackers) > 1 else 'attacks'}"


@cache
def _canvas(board: Board) -> tuple[str, tuple[tuple[str, ...], ...], dict[str, tuple[int, int]]]:
    """Return the letters of the columns, the map without buildings and pawns, and where these belong."""
    size = board.file.size
    cells = [[" " * CELL] * size for _ in range(size)]
    where = {}
    for column, row in board.file.islands:
        cells[row][column] = " #   "
    for node in board.file.nodes:
        for column, row in node.squares:
            cells[row][column] = "  :  "
        if node.xy is not None:
            cells[node.xy[1]][node.xy[0]] = " =   " if node.gate else " .   "
        where[node.id] = node.xy or node.squares[0]
    letters = "".join(f" {chr(ord('a') + column):<{CELL - 1}}" for column in range(size))
    return f"     {letters}".rstrip(), tuple(map(tuple, cells)), where


@cache
def _building(name: str, owner: str | None, occupied: bool) -> str:
    return f"{name + (owner or '-'):<{CELL - 1}}{'*' if occupied else ' '}"


def _map(view: View, board: Board) -> list[str]:
    letters, canvas, where = _canvas(board)
    cells = list(map(list, canvas))
    inside = set()
    for gang in view["gangs"].values():
        for name, _, at in gang["members"]:
            if at in view["owner"]:
                inside.add(at)
            elif at is not None:
                column, row = where[at]
                cells[row][column] = f" {name:<{CELL - 1}}"
    for name, owner in view["owner"].items():
        column, row = where[name]
        cells[row][column] = _building(name, owner, name in inside)
    return [letters, *(f"{number:>4} {''.join(row)}".rstrip() for number, row in enumerate(cells, 1))]


def _gang_lines(view: View, board: Board, colour: str, gang: Mapping[str, Any]) -> list[str]:
    mark = ">" if colour in view["due"] else " "
    owned = [name for name, owner in view["owner"].items() if owner == colour]
    worth = sum(board.values[board.numbers[name]] for name in owned)
    members = " ".join(f"{name}:{rings}" + (f"@{at}" if at else "") for name, rings, at in gang["members"])
    return [
        f"{mark} {colour} {seat_mark(view, gang['seat'])}  cash {gang['cash']}  reserve {gang['reserve']}"
        f"  tokens {gang['tokens']}  buildings {len(owned)} worth {worth}",
        f"      {members or 'no member'}",
    ]


_GOALS = {
    "casinos": "enough casinos",
    "place": "all bars of the central place",
    "five": "five members of four rings",
}


def _gang(gang: str, names: Names) -> str:
    """Name a gang by its seat and colour; with two seats the gangs take turns (R17)."""
    return f"{names[GANGS.index(gang) % len(names)]} ({GANG_NAMES[gang]})"


describe = Sentences(
    {
        "part_began": "Phase {part} begins; the order is {order}.",
        "buying_began": "{gang} may buy members for the phase.",
        "placing_began": "{gang} places new members.",
        "placed": "{pawn} is placed in {at}.",
        "round_began": "Round {part}{round} begins.",
        "turn_began": "Turn {turn}: it is the turn of {due}.",
        "rolled": "{gang} rolls {points}.",
        "join_asked": "In {at} {attackers} will fight {defenders}; {gang} may bring more members.",
        "pick_asked": "In {at} {attackers} will fight {defenders}; {gang} picks who is next.",
        "duel_began": "{attacker} and {defender} duel at {at}.",
        "thrown": "{attacker} throws {values[0]}, {defender} throws {values[1]}.",
        "lost_ring": "Both lose a ring: {attacker} has {rings[0]} left, {defender} {rings[1]}.",
        "capture_failed": "{gang} has no token left for {building}.",
        "goal_reached": "{seat} has {goals}.",
    },
    gang=_gang,
    due=lambda due, names: _gang(due[0], names),
    order=lambda order, _names: " ".join(order),
    attackers=lambda attackers, _names: listed(attackers),
    defenders=lambda defenders, _names: listed(defenders),
    goals=lambda goals, _names: listed([_GOALS[goal] for goal in goals]),
)


@describe.add
def _started(event: Seen, names: Names) -> str:
    gangs = listed([_gang(gang, names) for gang in event["gangs"]])
    return f"{gangs} meet on the board {event['board']}."


@describe.add
def _bought(event: Seen, names: Names) -> str:
    where = "" if event["at"] is None else f", who starts from {event['at']}"
    rings = count(event["rings"], "ring")
    return f"{_gang(event['gang'], names)} buys {event['pawn']} with {rings} for {event['price']} FT{where}."


@describe.add
def _skipped(event: Seen, names: Names) -> str:
    why = "has no member" if event["cause"] == "no_member" else "is out of the game"
    return f"{_gang(event['gang'], names)} {why} and is skipped."


@describe.add
def _moved(event: Seen, _names: Names) -> str:
    way = " by way of the gates" if event["gate"] else ""
    left = count(event["left"], "point")
    return f"{event['pawn']} goes from {event['from']} to {event['to']}{way}; {left} left."


@describe.add
def _died(event: Seen, _names: Names) -> str:
    if not event["rings"]:
        return f"{event['pawn']} is dead."
    return f"{event['pawn']} is dead; the bank gets {count(event['rings'], 'ring')} back."


@describe.add
def _won(event: Seen, names: Names) -> str:
    return (
        f"{event['pawn']} is left with {count(event['rings'], 'ring')};"
        f" {_gang(event['pawn'][0], names)} gets {event['reward']} FT."
    )


@describe.add
def _captured(event: Seen, names: Names) -> str:
    former = "" if event["from"] is None else f" from {_gang(event['from'], names)}"
    return f"{_gang(event['to'], names)} takes {event['building']}{former}."


@describe.add
def _lapsed(event: Seen, names: Names) -> str:
    return f"{_gang(event['gang'], names)} cannot use {count(event['points'], 'point')}."


@describe.add
def _paid(event: Seen, names: Names) -> str:
    bonus = f" and {event['bonus']} FT for complete sets" if event["bonus"] else ""
    return (
        f"{_gang(event['gang'], names)} collects {event['base']} FT{bonus}, and now has {event['cash']} FT."
    )


@describe.add
def _ended(event: Seen, names: Names) -> str:
    best = winners(event["ranking"])
    how = "has reached a goal" if event["reason"] == "goal" else "is the richest"
    if len(best) == 1:
        return f"{who(best, names)} {how} and wins."
    return f"The game is a draw of {who(best, names)}, with equal goals and wealth."
