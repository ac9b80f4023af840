"""Why an action is not legal, in words."""

from re import Match

from referee.gamelib.grammar import Grammar
from referee.games.vengeance.actions import origins
from referee.games.vengeance.board import STOP, Move
from referee.games.vengeance.components import GANG_NAMES, GANGS, HQ
from referee.games.vengeance.contents import ADMITS, COMPACT, FREE
from referee.games.vengeance.position import Position

GRAMMAR = Grammar(
    {
        "hood": (r"hood [OYBG] (?:hq|0|[1-9][0-9]?) [1-6]", "hood O 12 5"),
        "sum": (r"sum [OYBG] (?:hq|0|[1-9][0-9]?)", "sum O hq"),
        "boss": (r"boss [OYBG] [1-6]", "boss O 3"),
        "stop": (r"stop", "stop"),
    }
)
"""How each verb is spelt."""


def why_not(position: Position, seat: int, match: Match[str]) -> str:
    """Return why an action of the seat on turn is not legal."""
    del seat
    action = match.string
    if action == STOP:
        return _why_not_stop(position)
    move = position.board.moves.get(action)
    if move is None:
        return f"the cells are numbered from 0 to {position.board.size - 1}"
    return _why_not_gang(position, move.gang) or _why_not_dice(position, move) or _why_not(position, move)


def _name(gang: int) -> str:
    return GANG_NAMES[GANGS[gang]]


def _why_not_stop(position: Position) -> str:
    if position.phase == "second":
        return "the second die can be used and has to be (spare_die=forced)"
    if position.phase == "extra":
        return "the extra die can be used and has to be (extra_die=forced)"
    return "at least one figure has to move"


def _why_not_gang(position: Position, gang: int) -> str | None:
    if gang not in position.due:
        return f"it is the turn of {' and '.join(GANGS[due] for due in position.due)}"
    if not position.alive[gang]:
        return f"the {_name(gang)} gang has left the game"
    if position.locked[gang]:
        return f"the {_name(gang)} boss fell in this turn; his gang waits for your next one"
    return None


def _why_not_dice(position: Position, move: Move) -> str | None:
    left = " and ".join(map(str, position.dice))
    if move.die and move.die not in position.dice:
        return f"you have no {move.die}: the dice left are {left}"
    if not move.die and position.phase != "first":
        return f"the total needs both dice of a roll, and you have only {left}"
    return None


def _why_not(position: Position, move: Move) -> str:
    """Return what keeps a figure from using dice that are there."""
    reason = _why_not_boss(position, move) if move.boss else _why_not_hood(position, move)
    if reason is not None:
        return reason
    origin = position.bosses[move.gang] + 1 if move.boss else move.origin
    cell = position.board.reach[move.gang][origin][move.die or sum(position.dice)]
    if not ADMITS[move.gang][position.cells[cell]]:
        return f"cell {cell} holds {COMPACT[position.cells[cell]]} and admits no {_name(move.gang)} figure"
    return "another first move uses both dice (spare_die=forced)"


def _why_not_hood(position: Position, move: Move) -> str | None:
    if move.origin in origins(position, move.gang):
        return None
    where = f"on cell {move.origin - 1}" if move.origin else "in the HQ"
    if position.moved == (move.gang, move.origin - 1):
        return f"the hood {where} has already used a die of this roll"
    return f"there is no free {_name(move.gang)} hood {where}"


def _why_not_boss(position: Position, move: Move) -> str | None:
    cell = position.bosses[move.gang]
    if position.boss_moved:
        return "a boss has already moved with this roll"
    alone = not position.hq[move.gang] and not position.rules.alone if cell == HQ else None
    if alone or (alone is None and FREE[position.cells[cell]] != move.gang):
        return "a boss cannot leave without a free hood of his gang beside him"
    left = position.board.left[move.gang][cell + 1]
    if move.die > left and not position.rules.overshoot:
        if position.rules.obliged:
            rule = "may pass his HQ only if no other figure can use the die and it has to be used"
            return f"he is {left} from home and {rule} (overshoot=obliged)"
        return f"he is {left} from home and may not pass his HQ (overshoot=never)"
    return None
