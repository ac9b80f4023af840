"""The texts of all actions, made once, when this module is loaded."""

from referee.games.gangsters.components import MOST_PILES, NAMES, STRENGTHS
from referee.games.gangsters.grid import BIT, CELL_NAMES, CELLS, LINE_NAMES, ROWS, STEPS, ways

PILES = range(MOST_PILES)
OWN = [[f"own {strength} {name}" for name in CELL_NAMES] for strength in (0, *STRENGTHS)]
COMMON = [[f"common {tile} {name}" for name in CELL_NAMES] for tile in NAMES]
COMMON_FROM = [[[f"{text} from {pile + 1}" for pile in PILES] for text in texts] for texts in COMMON]
DRAW = [f"draw {pile + 1}" for pile in PILES]
BLIND = [[f"blind {pile + 1} {name}" for name in CELL_NAMES] for pile in PILES]
PUT = [f"put {name}" for name in CELL_NAMES]
MOVE = [
    {to: f"move {name} {CELL_NAMES[to]}" for way in ways(cell) for to in way}
    for cell, name in enumerate(CELL_NAMES)
]
SHOOT = [f"shoot {name}" for name in CELL_NAMES]
FIRST = [f"first {line}" for line in LINE_NAMES]

OPEN_TILE = len(STRENGTHS)
LAYING = [*OWN[1:], *COMMON]
"""By source, then by cell: the actions that lay a tile.

A source is one less than the strength of a tile of one's own, or OPEN_TILE plus the kind of an open tile.
"""


def _steps_by_free(cell: int) -> dict[int, tuple[str, ...]]:
    """Return the moves from a cell for every set of its neighbours that may be free."""
    near = STEPS[cell]
    sets = [[to for place, to in enumerate(near) if chosen >> place & 1] for chosen in range(1 << len(near))]
    return {sum(BIT[to] for to in free): tuple(MOVE[cell][to] for to in free) for free in sets}


STEPS_TO = [_steps_by_free(cell) for cell in range(CELLS)]
"""By cell, and by which of its neighbours are free: the moves to them."""
SHOTS = [[tuple(SHOOT[cell] for cell in cells) for cells in row] for row in ROWS]
"""By row and by set of its cells: the shots at them."""
