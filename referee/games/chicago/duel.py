"""Duels: throw until a duel is decided, then the next one (section 6 of RULES.md)."""

from bisect import insort

from referee.game import Event
from referee.games.chicago.components import (
    DUEL_DICE,
    GANGS,
    MOST_RINGS,
    NOBODY,
    PAWN_NAMES,
    PAWNS,
    VALUES,
)
from referee.games.chicago.position import OFF, Position


def arrive(position: Position, pawn: int, node: int, events: list[Event]) -> None:
    """Let a member of the active gang enter a node: it fights those it meets, then takes the building.

    With `joint_attack` it stops before the duels in a building, in the phase `join`; with several members on
    a side and `variant_stack`, it stops for a decision in the phase `pick`.
    """
    if position.holder[node] in (NOBODY, position.gang):
        position.put(pawn, node)
        _take(position, node, events)
        return
    position.place[pawn] = node
    position.show(pawn)
    insort(position.attackers, pawn)
    position.chooser = position.gang
    if position.rules.joint and node < position.board.buildings:
        position.phase = "join"
    else:
        _fight_on(position, events)


def attack(position: Position, events: list[Event]) -> None:
    """Begin the duels of an attack that was prepared (6.6)."""
    position.phase = "move"
    _fight_on(position, events)


def fight(position: Position, attacker: int, defender: int, events: list[Event]) -> None:
    """Hold the duel that was picked, and go on."""
    position.phase = "move"
    _duel(position, attacker, defender, events)
    _fight_on(position, events)


def ask_to_join(position: Position, events: list[Event]) -> None:
    """Report an attack that other members may join."""
    _report(position, "join_asked", events)


def _fight_on(position: Position, events: list[Event]) -> None:
    """Fight until one side is gone, or a gang has to pick."""
    attackers = position.attackers
    while attackers:
        node = position.place[attackers[0]]
        rival = position.holder[node]
        if rival == NOBODY:
            for pawn in attackers:
                position.put(pawn, node)
            _take(position, node, events)
            break
        defenders = position.standing_at(rival, node)
        if position.rules.stack and len(attackers) + len(defenders) > 2:
            position.phase = "pick"
            position.ask(position.seat_of[position.chooser])
            _report(position, "pick_asked", events)
            return
        _duel(position, attackers[0], defenders[0], events)
    position.attackers = []
    position.chooser = NOBODY


def _report(position: Position, kind: str, events: list[Event]) -> None:
    node = position.place[position.attackers[0]]
    events.append(
        Event(
            {
                "event": kind,
                "gang": GANGS[position.chooser],
                "attackers": [PAWN_NAMES[pawn] for pawn in position.attackers],
                "defenders": [PAWN_NAMES[pawn] for pawn in position.standing_at(position.holder[node], node)],
                "at": position.board.names[node],
            }
        )
    )


def _take(position: Position, node: int, events: list[Event]) -> None:
    """Give a building to the active gang, which stands in it alone."""
    if node < position.board.buildings and position.owner[node] != position.gang:
        position.capture(position.gang, node, events)


def _duel(position: Position, attacker: int, defender: int, events: list[Event]) -> None:
    """Hold one duel, and let the right to pick pass on (R21)."""
    node, rival = position.place[attacker], defender // PAWNS
    if position.chooser == position.gang or not position.rules.alternate:
        position.chooser = rival
    else:
        position.chooser = position.gang
    names = {"attacker": PAWN_NAMES[attacker], "defender": PAWN_NAMES[defender]}
    events.append(Event({"event": "duel_began", **names, "at": position.board.names[node]}))
    before = {attacker: position.rings[attacker], defender: position.rings[defender]}
    while not _throw(position, attacker, defender, before, names, events):
        pass
    if not position.standing_at(rival, node):
        position.holder[node] = NOBODY


def _throw(
    position: Position,
    attacker: int,
    defender: int,
    before: dict[int, int],
    names: dict[str, str],
    events: list[Event],
) -> bool:
    """Throw once, the attacker first; return whether the duel is decided."""
    rings = position.rings
    mine, yours = rings[attacker], rings[defender]
    attack = DUEL_DICE[mine][position.chance.below("duel", 6)]
    defence = DUEL_DICE[yours][position.chance.below("duel", 6)]
    throw = {"event": "thrown", **names, "values": [attack, defence], "rings": [mine, yours]}
    events.append(Event(throw, None, True))
    if attack != defence:
        winner, loser = (attacker, defender) if attack > defence else (defender, attacker)
        reward = VALUES[before[loser] if position.rules.initial else rings[loser]]  # R13
        _die(position, loser, events)
        _win(position, winner, reward, events)
        return True
    rings[attacker] = mine - 1
    rings[defender] = yours - 1
    position.show(attacker)
    position.show(defender)
    position.bank += 2
    events.append(Event({"event": "lost_ring", **names, "rings": [mine - 1, yours - 1]}))
    if mine > 1 and yours > 1:
        return False
    for pawn in (attacker, defender):
        if not rings[pawn]:
            _die(position, pawn, events)
    survivor = attacker if rings[attacker] else defender
    if rings[survivor] and position.rules.attrition != "none":  # R14
        _win(position, survivor, VALUES[1] if position.rules.attrition == "full" else 0, events)
    return True


def _die(position: Position, pawn: int, events: list[Event]) -> None:
    rings = position.rings[pawn]
    position.bank += rings
    position.rings[pawn] = 0
    position.place[pawn] = OFF
    position.show(pawn)
    position.members[pawn // PAWNS].remove(pawn)
    if pawn in position.attackers:
        position.attackers.remove(pawn)
    events.append(Event({"event": "died", "pawn": PAWN_NAMES[pawn], "rings": rings}))


def _win(position: Position, pawn: int, reward: int, events: list[Event]) -> None:
    """Give a ring, unless it has four, and money; the bank has just got a ring back, so it can."""
    if position.rings[pawn] < MOST_RINGS:
        position.rings[pawn] += 1
        position.bank -= 1
        position.show(pawn)
    position.pay(pawn // PAWNS, reward)
    events.append(
        Event({"event": "won", "pawn": PAWN_NAMES[pawn], "rings": position.rings[pawn], "reward": reward})
    )
