"""What every seat may know: the whole position (section 7 of RULES.md)."""

from itertools import product

from referee.game import View
from referee.games.vengeance.components import GANGS, GONE, HQ, LETTERS, SIDES
from referee.games.vengeance.position import Position

_DICE = {dice: list(dice) for count in range(3) for dice in product(range(1, SIDES + 1), repeat=count)}


def view_of(position: Position, seat: int | None) -> View:
    """Return the view of a seat, or of the public; they differ in `you` alone."""
    moved, rules = position.moved, position.rules
    if position.changed:
        _look_again(position)
    view = position.head(seat)
    view["due"] = LETTERS[position.due]
    view["round"] = position.round
    view["first"] = rules.seat_of[rules.places[position.first][0]]
    view["roll"] = _DICE[position.roll]
    view["dice"] = _DICE[position.dice]
    if moved is not None:
        view["moved"] = {"gang": GANGS[moved[0]], "cell": moved[1]}
    view["boss_moved"] = position.boss_moved
    view["hires"] = [GANGS[gang] for gang in position.hires] if position.hires else []
    view["luck"] = {"dice": position.rolled, "wheel": position.spun}
    view["cells"] = dict(filter(None, position.shown))
    view["gangs"] = position.fortunes.copy()
    view["out"] = [{"gang": GANGS[gang], "cause": cause} for gang, cause in position.departed]
    return view


def _look_again(position: Position) -> None:
    """See what views show of the gangs that have changed."""
    for gang in position.changed:
        position.fortunes[GANGS[gang]] = _fortune(position, gang)
    position.changed.clear()


def _fortune(position: Position, gang: int) -> View:
    board, boss = position.board, position.bosses[gang]
    return {
        "seat": position.rules.seat_of[gang],
        "boss": board.places[boss],
        "progress": board.progress(gang, boss),
        "hq": position.hq[gang],
        "pool": position.pool[gang],
        "falls": position.falls[gang],
        "locked": position.locked[gang],
        "state": standing(boss == GONE, boss == HQ, position.in_play(gang), position.rules.alone),
    }


def standing(out: bool, in_hq: bool, hoods: int, alone: bool) -> str:
    """Return the state of a gang in a word (5.1): `hoods` are those in play.

    `alone`: a boss may leave his HQ without company.
    """
    if out:
        return "out"
    if hoods:
        return "active"
    if not in_hq:
        return "stranded"
    return "active" if alone else "ruined"
