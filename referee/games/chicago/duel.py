"""Duels: throw until a duel is decided, then the next one (section 6 of RULES.md)."""

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

    With several defenders and `variant_stack`, it stops for a decision in the phase `pick`.
    """
    if position.holder[node] in (NOBODY, position.gang):
        _stand(position, pawn, node, events)
        return
    position.place[pawn] = node
    position.attacker = pawn
    position.chooser = position.gang
    _fight_on(position, events)


def fight(position: Position, defender: int, events: list[Event]) -> None:
    """Hold the duel that was picked, and go on."""
    position.phase = "move"
    _duel_with(position, defender, events)
    _fight_on(position, events)


def _fight_on(position: Position, events: list[Event]) -> None:
    """Fight until the attacker is dead, or alone, or a gang has to pick."""
    attacker = position.attacker
    while position.rings[attacker]:
        node = position.place[attacker]
        rival = position.holder[node]
        if rival == NOBODY:
            _stand(position, attacker, node, events)
            break
        defenders = position.standing_at(rival, node)
        if len(defenders) > 1 and position.rules.stack:
            _ask(position, defenders, events)
            return
        _duel_with(position, defenders[0], events)
    position.attacker = position.chooser = NOBODY


def _ask(position: Position, defenders: list[int], events: list[Event]) -> None:
    position.phase = "pick"
    position.ask(position.seat_of[position.chooser])
    events.append(
        Event(
            {
                "event": "pick_asked",
                "gang": GANGS[position.chooser],
                "attacker": PAWN_NAMES[position.attacker],
                "defenders": [PAWN_NAMES[pawn] for pawn in defenders],
                "at": position.board.names[position.place[position.attacker]],
            }
        )
    )


def _stand(position: Position, pawn: int, node: int, events: list[Event]) -> None:
    position.put(pawn, node)
    if node < position.board.buildings and position.owner[node] != position.gang:
        position.capture(position.gang, node, events)


def _duel_with(position: Position, defender: int, events: list[Event]) -> None:
    """Hold one duel of the attacker, and let the right to pick pass on (R21)."""
    attacker, node = position.attacker, position.place[position.attacker]
    rival = defender // PAWNS
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
    position.members[pawn // PAWNS].remove(pawn)
    events.append(Event({"event": "died", "pawn": PAWN_NAMES[pawn], "rings": rings}))


def _win(position: Position, pawn: int, reward: int, events: list[Event]) -> None:
    """Give a ring, unless it has four, and money; the bank has just got a ring back, so it can."""
    if position.rings[pawn] < MOST_RINGS:
        position.rings[pawn] += 1
        position.bank -= 1
    position.cash[pawn // PAWNS] += reward
    events.append(
        Event({"event": "won", "pawn": PAWN_NAMES[pawn], "rings": position.rings[pawn], "reward": reward})
    )
