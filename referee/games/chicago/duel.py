"""Duels: throw until somebody is left, then the next one (section 6 of RULES.md)."""

from referee.game import Event
from referee.games.chicago.actions import picks
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


def arrive(table: Position, pawn: int, node: int, events: list[Event]) -> None:
    """Let a member of the active gang enter a node: it fights whom it meets, then takes the building.

    With several defenders and `variant_stack`, it stops for a decision in the stage `pick`.
    """
    if table.holder[node] in (NOBODY, table.active):
        _stand(table, pawn, node, events)
        return
    table.place[pawn] = node
    table.attacker = pawn
    table.chooser = table.active
    _fight_on(table, events)


def fight(table: Position, defender: int, events: list[Event]) -> None:
    """Hold the duel that was picked, and go on."""
    table.stage = "move"
    _duel_with(table, defender, events)
    _fight_on(table, events)


def _fight_on(table: Position, events: list[Event]) -> None:
    """Fight until the attacker is dead, or alone, or somebody has to pick."""
    attacker = table.attacker
    while table.rings[attacker]:
        node = table.place[attacker]
        rival = table.holder[node]
        if rival == NOBODY:
            _stand(table, attacker, node, events)
            break
        defenders = table.standing_at(rival, node)
        if len(defenders) > 1 and table.rules.stack:
            _ask(table, defenders, events)
            return
        _duel_with(table, defenders[0], events)
    table.attacker = table.chooser = NOBODY


def _ask(table: Position, defenders: list[int], events: list[Event]) -> None:
    table.stage = "pick"
    table.ask(table.chooser, picks(defenders))
    events.append(
        Event(
            {
                "event": "picking",
                "gang": GANGS[table.chooser],
                "attacker": PAWN_NAMES[table.attacker],
                "defenders": [PAWN_NAMES[pawn] for pawn in defenders],
                "at": table.board.names[table.place[table.attacker]],
            }
        )
    )


def _stand(table: Position, pawn: int, node: int, events: list[Event]) -> None:
    table.put(pawn, node)
    if node < table.board.buildings and table.owner[node] != table.active:
        table.capture(table.active, node, events)


def _duel_with(table: Position, defender: int, events: list[Event]) -> None:
    """Hold one duel of the attacker, and let the right to pick pass on (R21)."""
    attacker, node = table.attacker, table.place[table.attacker]
    rival = defender // PAWNS
    if table.chooser == table.active or not table.rules.alternate:
        table.chooser = rival
    else:
        table.chooser = table.active
    names = {"attacker": PAWN_NAMES[attacker], "defender": PAWN_NAMES[defender]}
    events.append(Event({"event": "duel", **names, "at": table.board.names[node]}))
    before = {attacker: table.rings[attacker], defender: table.rings[defender]}
    while not _throw(table, attacker, defender, before, names, events):
        pass
    if not table.standing_at(rival, node):
        table.holder[node] = NOBODY


def _throw(
    table: Position,
    attacker: int,
    defender: int,
    before: dict[int, int],
    names: dict[str, str],
    events: list[Event],
) -> bool:
    """Throw once, the attacker first; tell whether the duel is decided."""
    rings = table.rings
    mine, yours = rings[attacker], rings[defender]
    attack = DUEL_DICE[mine][table.chance.below("duel", 6)]
    defence = DUEL_DICE[yours][table.chance.below("duel", 6)]
    throw = {"event": "throw", **names, "values": [attack, defence], "rings": [mine, yours]}
    events.append(Event(throw, None, True))
    if attack != defence:
        winner, loser = (attacker, defender) if attack > defence else (defender, attacker)
        reward = VALUES[before[loser] if table.rules.initial else rings[loser]]  # R13
        _die(table, loser, events)
        _win(table, winner, reward, events)
        return True
    rings[attacker] = mine - 1
    rings[defender] = yours - 1
    table.bank += 2
    events.append(Event({"event": "lost_ring", **names, "rings": [mine - 1, yours - 1]}))
    if mine > 1 and yours > 1:
        return False
    for pawn in (attacker, defender):
        if not rings[pawn]:
            _die(table, pawn, events)
    survivor = attacker if rings[attacker] else defender
    if rings[survivor] and table.rules.attrition != "none":  # R14
        _win(table, survivor, VALUES[1] if table.rules.attrition == "full" else 0, events)
    return True


def _die(table: Position, pawn: int, events: list[Event]) -> None:
    rings = table.rings[pawn]
    table.bank += rings
    table.rings[pawn] = 0
    table.place[pawn] = OFF
    table.members[pawn // PAWNS].remove(pawn)
    events.append(Event({"event": "died", "pawn": PAWN_NAMES[pawn], "rings": rings}))


def _win(table: Position, pawn: int, reward: int, events: list[Event]) -> None:
    """Give a ring, unless it has four, and money; the bank has just got a ring back, so it can."""
    if table.rings[pawn] < MOST_RINGS:
        table.rings[pawn] += 1
        table.bank -= 1
    table.cash[pawn // PAWNS] += reward
    events.append(
        Event({"event": "won", "pawn": PAWN_NAMES[pawn], "rings": table.rings[pawn], "reward": reward})
    )
