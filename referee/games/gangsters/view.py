"""What a seat may know: everything but the order of the face-down tiles (section 7 of RULES.md)."""

from referee.game import View
from referee.games.gangsters.components import NAMES
from referee.games.gangsters.grid import CELL_NAMES, LINE_NAMES
from referee.games.gangsters.position import NONE, Position

_line_name = LINE_NAMES.__getitem__
_tile_name = NAMES.__getitem__


def view_of(position: Position, seat: int | None) -> View:
    """Return the view of a seat, or of the public; they differ in `you` alone."""
    ban, drawn = position.ban, position.drawn
    view = position.head(seat)
    view["gangs"] = position.letters
    view["neutral"] = position.neutral
    view["decisions"] = position.decisions
    view["quiet"] = position.quiet
    view["quiet_limit"] = None if position.rules.stall == "none" else position.limit
    view["barred"] = position.barred
    view["ban"] = None if ban == NONE else CELL_NAMES[ban]
    view["board"] = position.city[:]
    view["complete"] = list(map(_line_name, position.complete))
    view["scores"] = position.scores[:]
    view["reached"] = position.reached[:]
    view["cartridges"] = position.cartridges[:]
    view["reserves"] = position.reserves[:]
    view["common"] = list(map(_tile_name, position.common))
    view["piles"] = list(map(len, position.piles))
    view["unseen"] = position.unseen.copy()
    view["drawn"] = None if drawn == NONE else NAMES[drawn]
    view["drawn_from"] = None if drawn == NONE else position.drawn_from + 1
    view["pending"] = list(map(_line_name, position.pending)) or None
    view["withdrawn"] = position.withdrawn[:]
    view["removed"] = list(map(_tile_name, position.removed))
    return view


def reveal(position: Position) -> View:
    """Return the public view with the tiles of every pile, the top first."""
    view = view_of(position, None)
    view["tiles"] = [[NAMES[kind] for kind in reversed(pile)] for pile in position.piles]
    return view
