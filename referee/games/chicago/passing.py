"""Where a member can go if it may pass pawns of its own gang (`pass_own`, 5.3 of RULES.md)."""

from heapq import heappop, heappush
from typing import NamedTuple

from referee.games.chicago.position import Position


class Passage(NamedTuple):
    """What the cheapest way to a node costs; of two, the one that uses no gates."""

    points: int
    gate: bool


def passages(position: Position, pawn: int) -> dict[int, Passage]:
    """Return the nodes a member can step to with the points left, past any number of its own pawns."""
    board, start = position.board, position.place[pawn]
    best = {start: Passage(0, False)}
    found: dict[int, Passage] = {}
    queue = [(best[start], start)]
    while queue:
        way, node = heappop(queue)
        for near in board.steps[node]:
            longer = _longer(position, way, node, near)
            if longer.points > position.points or (near in best and best[near] <= longer):
                continue
            best[near] = longer
            if _may_stop(position, near):
                found[near] = longer
            elif position.holder[near] == position.gang:
                heappush(queue, (longer, near))
    return found


def _longer(position: Position, way: Passage, node: int, near: int) -> Passage:
    jump = position.board.is_jump(node, near)
    return Passage(way.points + (position.rules.gate_cost if jump else 1), way.gate or jump)


def _may_stop(position: Position, node: int) -> bool:
    holder = position.holder[node]
    shared = position.rules.stack and node < position.board.buildings and holder == position.gang
    return shared or position.open_to[position.gang][holder]
