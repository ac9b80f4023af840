"""What a seat may know: everything but the order of the face-down tiles (section 7 of RULES.md)."""

from referee.game import View
from referee.games.gangsters.components import CODES, GANGS, NAMES
from referee.games.gangsters.grid import CELL_NAMES, LINE_NAMES
from referee.games.gangsters.position import NONE, Position


def view_of(position: Position, seat: int | None) -> View:
    """Return the view of a seat, or of the public; they differ in `you` alone."""
    return {
        **position.head(seat),
        "gangs": [GANGS[gang] for gang in position.gangs],
        "neutral": [GANGS[gang] for gang, owner in enumerate(position.owners) if owner == NONE],
        "decisions": position.decisions,
        "quiet": position.quiet,
        "quiet_limit": None if position.rules.stall == "none" else position.limit,
        "barred": position.barred,
        "ban": None if position.ban == NONE else CELL_NAMES[position.ban],
        "board": [CODES[entry] for entry in position.board],
        "complete": [LINE_NAMES[line] for line in position.complete],
        "scores": position.scores[:],
        "reached": position.reached[:],
        "cartridges": position.cartridges[:],
        "reserves": list(map(list, position.reserves)),
        "common": [NAMES[kind] for kind in position.common],
        "piles": list(map(len, position.piles)),
        "unseen": dict(zip(NAMES, position.unseen, strict=True)),
        "drawn": None if position.drawn == NONE else NAMES[position.drawn],
        "drawn_from": None if position.drawn == NONE else position.drawn_from + 1,
        "pending": [LINE_NAMES[line] for line in position.pending] or None,
        "withdrawn": position.withdrawn[:],
        "removed": [NAMES[kind] for kind in position.removed],
    }


def reveal(position: Position) -> View:
    """Return the public view with the tiles of every pile, the top first."""
    view = view_of(position, None)
    view["tiles"] = [[NAMES[kind] for kind in reversed(pile)] for pile in position.piles]
    return view
