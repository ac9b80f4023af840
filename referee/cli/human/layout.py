"""Fits text and boards into the width of a terminal. Pure.

A board that is too wide is drawn in parts, one below the other: a terminal would wrap each of its lines, and
no column could be followed.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from textwrap import wrap

_LEAST_ROWS = 4
"""Fewer wide lines below each other are text, which is wrapped."""

_MOST_LABEL = 6
"""The largest width of the names of rows."""

_BEGINNING = re.compile(r" *(- |[\d-]+\) )?")
"""What a wrapped line is indented by: blanks, the mark of an event, the number of an action."""


def wrapped(line: str, width: int) -> list[str]:
    """Return a line in lines that fit, broken between words."""
    if len(line) <= width:
        return [line]
    found = _BEGINNING.match(line)
    indent = " " * min(len(found[0]) if found else 0, width // 2)
    return wrap(line, width, subsequent_indent=indent, break_on_hyphens=False)


def fit_board(board: str, width: int) -> list[str]:
    """Return the lines of a board that fit: a wide grid in parts, each with the names of its rows."""
    fitted: list[str] = []
    for lines, cut in _runs(board, width):
        fitted += _parts(lines, cut, width) if cut else _as_text(lines, width)
    return fitted


def is_cut(board: str, width: int) -> bool:
    """Return whether a board is too wide to be drawn in one piece."""
    return any(cut for _, cut in _runs(board, width))


def _runs(board: str, width: int) -> Iterator[tuple[list[str], int]]:
    """Return runs of lines of one kind, each with the column where it is cut, or 0."""
    for kind, run in groupby(board.splitlines(), lambda line: (len(line) > width, _has_columns(line))):
        lines = list(run)
        yield lines, _cut(lines, width) if kind == (True, True) and len(lines) >= _LEAST_ROWS else 0


def _has_columns(line: str) -> bool:
    """Return whether a line is a row of a grid: a sentence has no two blanks in it."""
    return "  " in line.strip()


def _as_text(lines: Sequence[str], width: int) -> list[str]:
    return [piece for line in lines for piece in wrapped(line, width)]


def _parts(grid: list[str], cut: int, width: int) -> list[str]:
    label = _label(grid)
    right = [f"{line[:label]}{line[cut:]}" for line in grid]
    left = [line[:cut].rstrip() for line in grid]
    return [*left, "", *(fit_board("\n".join(right), width) if cut > label else right)]


def _cut(grid: Sequence[str], width: int) -> int:
    """Return the last column in the right half of the width that is blank in all rows; 0 if there is none."""
    return next((at for at in range(width, width // 2, -1) if _is_blank(grid, at)), 0)


def _label(grid: Sequence[str]) -> int:
    """Return the width of the names of the rows, with a blank behind; 0 if there are none."""
    for at in range(1, _MOST_LABEL):
        if _is_blank(grid, at) and any(line[:at].strip() for line in grid):
            return at + 1
    return 0


def _is_blank(grid: Sequence[str], at: int) -> bool:
    return all(line[at : at + 1] in ("", " ") for line in grid)
