"""A bot that plays Vengeance sensibly, and a model to learn from.

Its strategy in short: the boss walks from escort to escort. It tries the ways to spend the dice, as the rules
would carry them out, and takes the one that leads to the position it likes best. What it likes is written
down as numbers in `vengeance_value`: a boss who is far around and not alone, hoods for him to step on,
hostages, and marksmen that are likely to hit a rival. It looks at nothing but its view, uses neither luck
nor clock, and so does the same again in the same position.
"""

from protocol.client import run
from protocol.messages import View
from referee.chance import KeyedChance
from referee.games.vengeance import GAME
from referee.games.vengeance.actions import moves
from referee.games.vengeance.arrival import advance
from referee.games.vengeance.board import STOP
from referee.games.vengeance.state import State
from sample_bots.python.vengeance_value import value

# The rules want luck to draw from. It is never drawn: the bot stops thinking where luck begins.
NO_LUCK = KeyedChance(bytes(32))
# For how many first moves it looks at all second ones, too.
BREADTH = 4


def choose(view: View, legal: list[str]) -> str:
    """Return the action that leads to the best position."""
    if len(legal) == 1:
        return legal[0]
    return ranked(GAME.imagine(view, NO_LUCK), legal)[0]


def ranked(state: State, legal: list[str]) -> list[str]:
    """Return the actions that the seat on turn likes best, the best first."""
    me = state.active
    after = {action: outcome_of(state, action) for action in legal}
    worth = {action: value(then, me) for action, then in after.items()}
    best = sorted(legal, key=lambda action: worth[action], reverse=True)[:BREADTH]
    if state.phase == "first":
        worth = {action: best_continuation(after[action], worth[action], me) for action in best}
        best.sort(key=lambda action: worth[action], reverse=True)
    return best


def best_continuation(state: State, stopping: float, me: int) -> float:
    """Return the value of the best position after the second die; `stopping` is the value of leaving it."""
    if state.phase != "second":
        return stopping
    return max([stopping, *(value(outcome_of(state, action), me) for action in moves(state))])


def outcome_of(state: State, action: str) -> State:
    """Return the position after an action, before the marksmen shoot or the dice are rolled."""
    then = state.clone()
    if action == STOP:
        return then
    move = then.board.moves[action]
    advance(then, move, move.die or sum(then.dice), [])
    if then.phase == "first" and move.die:
        then.dice = (sum(then.roll) - move.die,)
        then.phase = "second"
    return then


def main() -> None:
    """Play until the referee says goodbye."""
    run(choose, name="vengeance", games=["vengeance"], capacity=64)


if __name__ == "__main__":
    main()
