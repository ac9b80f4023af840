"""What the end of a phase brings: income, goals, perhaps the end of the game (sections 7, 8 of RULES.md)."""

from referee.game import Event, Outcome
from referee.gamelib.ranking import ranks_of
from referee.games.chicago.components import GANGS, MOST_RINGS, VALUES
from referee.games.chicago.position import Position

FIVE = 5
"""Members of four rings that win."""


def pay_round(position: Position, events: list[Event]) -> None:
    """Pay the plain value of all buildings, in the middle of a phase (R2)."""
    for gang in range(position.gangs):
        _pay(position, gang, _base(position, gang), 0, events)


def pay_part(position: Position, events: list[Event]) -> None:
    """Pay all buildings, and what complete sets of the home zone bring on top (7.2)."""
    values = position.board.values
    for gang in range(position.gangs):
        owned = {node for node, owner in enumerate(position.owner) if owner == gang}
        bonus = sum(
            2 * sum(values[node] for node in nodes)
            for nodes in position.board.sets[gang]
            if owned.issuperset(nodes)
        )
        _pay(position, gang, _base(position, gang), bonus, events)


def _base(position: Position, gang: int) -> int:
    """Return the plain value of what a gang owns; with variant II an empty casino pays nothing (7.3)."""
    owned = {node for node, owner in enumerate(position.owner) if owner == gang}
    if position.rules.guarded:
        owned -= {node for node in position.board.casinos if position.holder[node] != gang}
    return sum(position.board.values[node] for node in owned)


def _pay(position: Position, gang: int, base: int, bonus: int, events: list[Event]) -> None:
    position.pay(gang, base + bonus)
    events.append(
        Event(
            {
                "event": "paid",
                "gang": GANGS[gang],
                "base": base,
                "bonus": bonus,
                "cash": position.cash[gang],
            }
        )
    )


def goals_of(position: Position, seat: int) -> list[str]:
    """Return the goals a seat has reached (8.1); of a gang that is out only the cash counts (R20)."""
    board = position.board
    gangs = [
        gang for gang, holder in enumerate(position.seat_of) if holder == seat and not position.is_out(gang)
    ]
    found: list[str] = []
    if not gangs:
        return found
    if sum(position.owner[node] in gangs for node in board.casinos) >= position.rules.casinos:
        found.append("casinos")
    if all(position.owner[node] in gangs for node in board.central):
        found.append("place")
    fours = [sum(position.rings[pawn] == MOST_RINGS for pawn in position.members[gang]) for gang in gangs]
    if (sum(fours) if position.rules.five_by_seat else max(fours)) >= FIVE:  # R18
        found.append("five")
    return found


def wealth_of(position: Position, seat: int) -> int:
    """Return the cash of a seat and the value of its living members; buildings do not count."""
    return sum(
        position.cash[gang] + sum(VALUES[position.rings[pawn]] for pawn in position.members[gang])
        for gang, holder in enumerate(position.seat_of)
        if holder == seat
    )


def end_part(position: Position, events: list[Event]) -> None:
    """Pay, and end the game if a seat has a goal or this was the last phase."""
    pay_part(position, events)
    goals = [goals_of(position, seat) for seat in range(position.seats)]
    for seat, found in enumerate(goals):
        if found:
            events.append(Event({"event": "goal_reached", "seat": seat, "goals": found}))
    if any(goals) or position.part + 1 == position.rules.parts:
        finish(position, goals, events)


def finish(position: Position, goals: list[list[str]], events: list[Event]) -> None:
    """End the game: more goals first, then more wealth; equal in both is a draw (R15)."""
    wealth = [wealth_of(position, seat) for seat in range(position.seats)]
    ranks = ranks_of([(len(found), riches) for found, riches in zip(goals, wealth, strict=True)])
    reason = "goal" if any(goals) else "wealth"
    position.end(Outcome(ranks, tuple(wealth), reason), events)
