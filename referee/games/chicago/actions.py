"""What the gang on turn may do: buy, place, step (sections 3 to 5 of RULES.md).

The one place where legality is decided. Every function returns texts in canonical order.
"""

from collections.abc import Callable

from referee.games.chicago.components import MOST_RINGS, NOBODY, PAWN_NAMES, PAWN_NUMBERS, PRICES
from referee.games.chicago.passing import passages
from referee.games.chicago.position import Position

DONE = "done"
ATTACK = "attack"
BUYS = tuple(f"buy {rings}" for rings in range(MOST_RINGS))
PICKS = tuple(f"pick {name}" for name in PAWN_NAMES)


def purchases(position: Position) -> list[str]:
    """Return what the active gang may buy now and, if there is anything, `done`."""
    most = MOST_RINGS if position.phase == "part_buy" else 3
    if position.cash[position.gang] < PRICES[1]:
        return []
    found = [BUYS[rings] for rings in range(1, most) if why_not_buy(position, rings) is None]
    return [*found, DONE] if found else []


def why_not_buy(position: Position, rings: int) -> str | None:
    """Return why the active gang may not buy a member of so many rings, or None if it may."""
    gang = position.gang
    weak, third, second = position.bought[gang]
    if not position.reserve[gang]:
        return "no pawn is left in the reserve"
    if position.cash[gang] < PRICES[rings]:
        return f"it costs {PRICES[rings]} FT and the gang has {position.cash[gang]}"
    if position.bank < rings:
        return f"the bank has too few rings: {position.bank}"
    if rings == 3:
        if position.phase != "part_buy":
            return "three rings are sold before the first round of a phase only"
        if second:
            return "three rings are sold to a gang once in a phase"
    elif abs(weak - third + (1 if rings == 1 else -1)) > 1:  # R8
        return "weak and third-force members must be bought in balance: they may differ by one"
    return None if has_room(position) else "there is no place where the member could start"


def has_room(position: Position) -> bool:
    """Return whether one more member would have a place to start from (3.2)."""
    gang = position.gang
    if position.home_usable(gang):
        return True
    if position.phase != "part_buy" or sent_home(position):
        return False
    taken = 0 if position.rules.stack else len(position.unplaced(gang))
    return taken < len(free(position))


def sent_home(position: Position) -> bool:
    """Return whether all new members start from their home (R10)."""
    return position.rules.all_home and position.part > 0


def free(position: Position) -> list[int]:
    """Return the buildings of the active gang that take a new member; its home takes any number (R5)."""
    gang, holder = position.gang, position.holder
    inside = (NOBODY, gang) if position.rules.stack else (NOBODY,)
    return [node for node, owner in enumerate(position.owner) if owner == gang and holder[node] in inside]


def placings(position: Position) -> list[str]:
    """Return where the first unplaced member of the active gang may be placed; empty if there is none."""
    waiting = position.unplaced(position.gang)
    if not waiting:
        return []
    texts = position.board.placings[waiting[0]]
    nodes = [] if sent_home(position) else free(position)
    return [texts[node] for node in nodes or [position.board.homes[position.gang]]]


def steps(position: Position) -> list[str]:
    """Return the steps of the active gang: to a neighbour that holds none of its own (R16, R17)."""
    gang = position.gang
    holder, place, moves, board = position.holder, position.place, position.board.moves, position.board
    if position.rules.passes:
        return [
            moves[pawn][node] for pawn in position.members[gang] for node in sorted(passages(position, pawn))
        ]
    # A step from gate to gate may cost more than is left.
    ways = board.steps if position.points >= position.rules.gate_cost else board.near
    enters = position.open_to[gang]
    # With variant I members share buildings.
    shared = board.buildings if position.rules.stack else 0
    found: list[str] = []
    add = found.append
    for pawn in position.members[gang]:
        texts = moves[pawn]
        for node in ways[place[pawn]]:
            if enters[holder[node]] or (node < shared and holder[node] == gang):
                add(texts[node])
    return found


def joins(position: Position) -> list[str]:
    """Return the steps while an attack is prepared, and `attack`; nothing if there is no step (6.6)."""
    holder, numbers = position.holder, position.board.numbers
    attackers, at = position.attackers, position.place[position.attackers[0]]
    peaceful = (NOBODY, position.gang)
    found = []
    for text in steps(position):
        _, pawn, name = text.split(" ")
        node = numbers[name]
        if PAWN_NUMBERS[pawn] not in attackers and (node == at or holder[node] in peaceful):
            found.append(text)
    return [*found, ATTACK] if found else []


def picks(position: Position) -> list[str]:
    """Return the duels that may be picked next: a defender, in a joint attack also an attacker (R21)."""
    node = position.place[position.attackers[0]]
    defenders = position.standing_at(position.holder[node], node)
    if position.rules.joint:
        return [f"{PICKS[one]} {PAWN_NAMES[other]}" for one in position.attackers for other in defenders]
    return [PICKS[pawn] for pawn in defenders]


CHOICES: dict[str, Callable[[Position], list[str]]] = {
    "part_buy": purchases,
    "turn_buy": purchases,
    "place": placings,
    "move": steps,
    "join": joins,
    "pick": picks,
}
"""By phase: what finds the legal actions."""
