"""Print tables of results."""

from collections.abc import Container, Sequence
from typing import TYPE_CHECKING

import click

from referee.cli.output.text import is_for_people
from referee.wording import aligned, clean
from tournaments.rating.tally import Standing

if TYPE_CHECKING:
    from rich.console import JustifyMethod

_LEAST_WIDTH = 12
"""The smallest width of a column of words."""

HEADS = ("bot", "matches", "wins", "draws", "losses", "points", "%", "score", "time", "faults")
WORDS = frozenset({"bot", "faults"})
"""Columns that are not numbers."""


def show_standings(table: Sequence[Standing]) -> None:
    """Print the table."""
    show_columns(HEADS, [cells(standing) for standing in table], WORDS)


def show_columns(heads: Sequence[str], rows: Sequence[Sequence[str]], words: Container[str]) -> None:
    """Print a table: framed on a terminal, in aligned columns otherwise.

    Columns whose heads are not in `words` are numbers, aligned to the right.
    """
    if is_for_people():
        _show_framed(heads, rows, words)
        return
    for line in aligned(columns(heads, rows, words)):
        click.echo(line)


def _show_framed(heads: Sequence[str], rows: Sequence[Sequence[str]], words: Container[str]) -> None:
    # Imported here: a pipe does not need it.
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    framed = Table(box=box.SIMPLE_HEAD, header_style="bold", padding=(0, 1), collapse_padding=True)
    for number, head in enumerate(heads):
        is_number = head not in words
        width = None if is_number else min(_LEAST_WIDTH, max(len(row[number]) for row in [heads, *rows]))
        side: JustifyMethod = "right" if is_number else "left"
        framed.add_column(head, justify=side, no_wrap=is_number, overflow="fold", min_width=width)
    for row in rows:
        framed.add_row(*(Text(clean(cell)) for cell in row))
    Console().print(framed)


def columns(heads: Sequence[str], rows: Sequence[Sequence[str]], words: Container[str]) -> list[list[str]]:
    """Return heads and rows, numbers aligned to the right."""
    columns = [list(column) for column in zip(heads, *rows, strict=True)]
    for column in columns:
        if column[0] not in words:
            width = max(map(len, column))
            column[:] = [cell.rjust(width) for cell in column]
    return [list(row) for row in zip(*columns, strict=True)]


def cells(standing: Standing) -> tuple[str, ...]:
    """Return a row of the table."""
    return (
        standing.name,
        str(standing.matches),
        str(standing.wins),
        str(standing.draws),
        str(standing.losses),
        f"{standing.points:g}",
        f"{standing.percent:.1f}",
        str(standing.score),
        f"{standing.used_ms / 1000:.1f} s",
        ", ".join(f"{count} {code}" for code, count in standing.faults.items()),
    )
