"""What the end of a phase brings: income, goals, perhaps the end of the game (sections 7, 8 of RULES.md)."""

from referee.game import Event, Outcome
from referee.gamelib.ranking import ranks_of
from referee.games.chicago.components import GANGS, MOST_RINGS, VALUES
from referee.games.chicago.position import Position

FIVE = 5
"""Members of four rings that win."""


def pay_round(table: Position, events: list[Event]) -> None:
    """Pay the plain value of all buildings, in the middle of a phase (R2)."""
    for gang in range(table.gangs):
        base = sum(table.board.values[node] for node, owner in enumerate(table.owner) if owner == gang)
        _pay(table, gang, base, 0, events)


def pay_phase(table: Position, events: list[Event]) -> None:
    """Pay all buildings, and what complete sets of the home zone bring on top (7.2)."""
    values, casinos = table.board.values, table.board.casinos
    for gang in range(table.gangs):
        owned = {node for node, owner in enumerate(table.owner) if owner == gang}
        bonus = sum(
            2 * sum(values[node] for node in nodes)
            for nodes in table.board.sets[gang]
            if owned.issuperset(nodes)
        )
        if table.rules.guarded:
            owned -= {node for node in casinos if table.holder[node] != gang}
        _pay(table, gang, sum(values[node] for node in owned), bonus, events)


def _pay(table: Position, gang: int, base: int, bonus: int, events: list[Event]) -> None:
    table.cash[gang] += base + bonus
    events.append(
        Event(
            {
                "event": "income",
                "gang": GANGS[gang],
                "base": base,
                "bonus": bonus,
                "cash": table.cash[gang],
            }
        )
    )


def goals_of(table: Position, seat: int) -> list[str]:
    """Return the goals a seat has reached (8.1)."""
    board = table.board
    gangs = [gang for gang, holder in enumerate(table.seat_of) if holder == seat]
    found = []
    if sum(table.owner[node] in gangs for node in board.casinos) >= table.rules.casinos:
        found.append("casinos")
    if all(table.owner[node] in gangs for node in board.central):
        found.append("place")
    fours = [sum(table.rings[pawn] == MOST_RINGS for pawn in table.members[gang]) for gang in gangs]
    if (sum(fours) if table.rules.five_by_seat else max(fours)) >= FIVE:  # R18
        found.append("five")
    return found


def wealth_of(table: Position, seat: int) -> int:
    """Return the cash of a seat and the value of its living members; buildings do not count."""
    return sum(
        table.cash[gang] + sum(VALUES[table.rings[pawn]] for pawn in table.members[gang])
        for gang, holder in enumerate(table.seat_of)
        if holder == seat
    )


def end_phase(table: Position, events: list[Event]) -> None:
    """Pay, and end the game if a seat has a goal or this was the last phase."""
    pay_phase(table, events)
    goals = [goals_of(table, seat) for seat in range(table.seats)]
    for seat, found in enumerate(goals):
        if found:
            events.append(Event({"event": "goal", "seat": seat, "goals": found}))
    if any(goals) or table.phase + 1 == table.rules.phases:
        finish(table, goals, events)


def finish(table: Position, goals: list[list[str]], events: list[Event]) -> None:
    """End the game: more goals first, then more wealth; equal in both is a draw (R15)."""
    wealth = [wealth_of(table, seat) for seat in range(table.seats)]
    ranks = ranks_of([(len(found), riches) for found, riches in zip(goals, wealth, strict=True)])
    reason = "goal" if any(goals) else "wealth"
    table.ended = Outcome(ranks, tuple(wealth), reason)
    table.stage = "over"
    table.acting = ()
    table.choices = []
    events.append(Event({"event": "end", "reason": reason, "ranking": list(ranks), "wealth": wealth}))
