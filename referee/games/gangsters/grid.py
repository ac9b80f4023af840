"""The city: 36 cells in six rows and six columns, and which of them are neighbours.

Cells are numbers from 0, row by row: a1, b1, … f1, a2, … f6. A set of cells is a number with a bit for each.
Lines are numbers too: 0 to 5 are the rows `1` to `6`, 6 to 11 the columns `a` to `f`.
"""

from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")

SIDE = 6
CELLS = SIDE * SIDE
CELL_NAMES = tuple(f"{column}{row + 1}" for row in range(SIDE) for column in "abcdef")
CELL_NUMBERS = {name: cell for cell, name in enumerate(CELL_NAMES)}

LINE_NAMES = (*"123456", *"abcdef")
LINE_CELLS = (
    *(tuple(range(SIDE * row, SIDE * row + SIDE)) for row in range(SIDE)),
    *(tuple(range(column, CELLS, SIDE)) for column in range(SIDE)),
)
LINE_MASKS = tuple(sum(1 << cell for cell in cells) for cells in LINE_CELLS)

ROW_OF = tuple(cell // SIDE for cell in range(CELLS))
COLUMN_OF = tuple(SIDE + cell % SIDE for cell in range(CELLS))
ROW_MASK = tuple(LINE_MASKS[line] for line in ROW_OF)
COLUMN_MASK = tuple(LINE_MASKS[line] for line in COLUMN_OF)

BIT = tuple(1 << cell for cell in range(CELLS))
WHOLE = (1 << CELLS) - 1
_NOT_FIRST = WHOLE & ~LINE_MASKS[SIDE]
_NOT_LAST = WHOLE & ~LINE_MASKS[-1]


def spread(cells: int) -> int:
    """Return the cells that are next to one of these, in their row or column."""
    return (cells << SIDE | cells >> SIDE | (cells & _NOT_LAST) << 1 | (cells & _NOT_FIRST) >> 1) & WHOLE


def ways(cell: int) -> list[list[int]]:
    """Return the cells in each of the four directions, the nearest first, in the order of `steps`."""
    row, column = divmod(cell, SIDE)
    return [
        [SIDE * other + column for other in range(row - 1, -1, -1)],
        [SIDE * other + column for other in range(row + 1, SIDE)],
        [SIDE * row + other for other in range(column - 1, -1, -1)],
        [SIDE * row + other for other in range(column + 1, SIDE)],
    ]


def steps(cell: int) -> list[int]:
    """Return the neighbours of a cell in canonical order: row - 1, row + 1, column - 1, column + 1."""
    return [way[0] for way in ways(cell) if way]


ROWS = [
    [tuple(SIDE * row + place for place in range(SIDE) if cells >> place & 1) for cells in range(1 << SIDE)]
    for row in range(SIDE)
]
"""By row and by set of its cells: the cells."""


def gathered(cells: int, rows: Sequence[Sequence[tuple[T, ...]]]) -> tuple[T, ...]:
    """Return what the rows have for a set of cells, in canonical order."""
    first, second, third, fourth, fifth, sixth = rows
    return (
        first[cells & 63]
        + second[cells >> 6 & 63]
        + third[cells >> 12 & 63]
        + fourth[cells >> 18 & 63]
        + fifth[cells >> 24 & 63]
        + sixth[cells >> 30]
    )


def listed(cells: int) -> tuple[int, ...]:
    """Return the cells of a set in canonical order."""
    return gathered(cells, ROWS)


STEPS = tuple(tuple(steps(cell)) for cell in range(CELLS))
"""By cell: its neighbours."""
AROUND = tuple((cell, *near) for cell, near in enumerate(STEPS))
"""By cell: itself and its neighbours."""
NEAR = tuple(spread(bit) for bit in BIT)
"""By cell: its neighbours as a set."""
