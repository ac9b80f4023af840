"""How long a game and how wide a decision can get (section 12 of RULES.md)."""

from referee.games.chicago.board import Board
from referee.games.chicago.components import PAWNS, Rules, gangs_at


def longest(rules: Rules) -> int:
    """Return a bound on the number of actions of one game."""
    turns = rules.parts * rules.rounds
    # One `done` for each purchase: before a phase, and before each turn.
    purchases = (PAWNS - 1) + rules.parts + turns
    # Each pick is followed by a death, and so is each `attack`.
    picks = PAWNS * (rules.stack + rules.joint)
    return gangs_at(rules.seats) * (purchases + PAWNS + turns * max(rules.faces) + picks)


def widest(rules: Rules, board: Board) -> int:
    """Return a bound on the number of legal actions at one decision: placings, steps, or picks.

    A member that passes others can step wherever one of them could. A pick of a joint attack names one of
    twenty attackers and one of twenty defenders.
    """
    moves = most_steps(board) * (PAWNS if rules.passes else 1) + rules.joint
    return max(board.buildings, moves, PAWNS * PAWNS if rules.joint else PAWNS)


def most_steps(board: Board) -> int:
    """Return how many steps twenty pawns have at most, with `some` of them on gates.

    From a gate one steps to its neighbours that are no gates, and to every gate where no pawn of the gang is.
    """
    gates = board.gates
    degree = max(len(near) for node, near in enumerate(board.near) if node not in gates)
    inland = max((len(set(board.near[gate]) - gates) for gate in gates), default=0)
    return max(
        some * (inland + len(gates) - some) + (PAWNS - some) * degree
        for some in range(min(PAWNS, len(gates)) + 1)
    )
