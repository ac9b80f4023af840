"""What a seat may know: everything but the order of the face-down tiles (section 7 of RULES.md)."""

from referee.game import View
from referee.games.gangsters.components import NAMES
from referee.games.gangsters.grid import CELL_NAMES, LINE_NAMES
from referee.games.gangsters.position import NONE, Position

_line_name = LINE_NAMES.__getitem__
_tile_name = NAMES.__getitem__


def view_of(position: Position, seat: int | None) -> View:
    """Return the view of a seat, or of the public; they differ in `you` alone."""
    view = position.head(seat)
    view["neutral"] = position.neutral
    view["decisions"] = position.decisions
    view["quiet"] = position.quiet
    view["barred"] = position.barred
    if position.ban != NONE:
        view["ban"] = CELL_NAMES[position.ban]
    view["board"] = position.city[:]
    view["complete"] = list(map(_line_name, position.complete))
    view["scores"] = position.scores
    view["reached"] = position.reached
    view["cartridges"] = position.cartridges
    view["reserves"] = position.reserves
    view["common"] = list(map(_tile_name, position.common))
    view["piles"] = list(map(len, position.piles))
    view["unseen"] = position.unseen.copy()
    if position.drawn != NONE:
        view["drawn"] = NAMES[position.drawn]
        view["drawn_from"] = position.drawn_from + 1
    if position.pending:
        view["pending"] = list(map(_line_name, position.pending))
    view["withdrawn"] = position.withdrawn
    view["removed"] = list(map(_tile_name, position.removed))
    return view


def reveal(position: Position) -> View:
    """Return the public view with the tiles of every pile, the top first."""
    view = view_of(position, None)
    view["tiles"] = [[NAMES[kind] for kind in reversed(pile)] for pile in position.piles]
    return view
