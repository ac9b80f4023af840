"""What a seat may know: everything but the order of the face-down tiles (section 7 of RULES.md)."""

from referee.game import View
from referee.games.gangsters.components import CODES, GANGS, NAMES
from referee.games.gangsters.grid import CELL_NAMES, LINE_NAMES
from referee.games.gangsters.position import NONE, Position


def view_of(table: Position, seat: int | None) -> View:
    """Return the view of a seat, or of the public; they differ in `you` alone."""
    ended = table.ended
    return {
        "you": seat,
        "seats": table.seats,
        "options": dict(table.rules.options),
        "gangs": [GANGS[gang] for gang in table.gangs],
        "neutral": [GANGS[gang] for gang, owner in enumerate(table.owners) if owner == NONE],
        "phase": table.phase,
        "active": table.active if ended is None else None,
        "turn": table.turn,
        "decisions": table.decisions,
        "quiet": table.quiet,
        "quiet_limit": None if table.rules.stall == "none" else table.limit,
        "barred": table.barred,
        "ban": None if table.ban == NONE else CELL_NAMES[table.ban],
        "board": [CODES[entry] for entry in table.board],
        "complete": [LINE_NAMES[line] for line in table.complete],
        "scores": table.scores[:],
        "reached": table.reached[:],
        "cartridges": table.cartridges[:],
        "reserves": list(map(list, table.reserves)),
        "common": [NAMES[kind] for kind in table.common],
        "piles": list(map(len, table.piles)),
        "unseen": dict(zip(NAMES, table.unseen, strict=True)),
        "drawn": None if table.drawn == NONE else NAMES[table.drawn],
        "drawn_from": None if table.drawn == NONE else table.drawn_from + 1,
        "pending": [LINE_NAMES[line] for line in table.pending] or None,
        "withdrawn": table.withdrawn[:],
        "removed": [NAMES[kind] for kind in table.removed],
        "ranking": None if ended is None else list(ended.ranks),
        "reason": None if ended is None else ended.reason,
    }


def reveal(table: Position) -> View:
    """Return the public view with the tiles of every pile, the top first."""
    view = view_of(table, None)
    view["tiles"] = [[NAMES[kind] for kind in reversed(pile)] for pile in table.piles]
    return view
