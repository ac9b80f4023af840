"""Prints tables and lists of facts: framed on a terminal, plain in a pipe. Text of bots is made safe here."""

import sys
from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING

import click
import msgspec

from referee.wording import aligned, clean, clean_lines

if TYPE_CHECKING:
    from rich.console import JustifyMethod

_LEAST_WIDTH = 12
"""The smallest width of a column of words."""


def is_for_people() -> bool:
    """Return whether the output goes to a terminal."""
    return sys.stdout.isatty()


def show_table(
    heads: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    numbers: Collection[str] = (),
    aligned_in_pipes: bool = False,
) -> None:
    """Print a table: framed on a terminal; in a pipe a row per line, cells separated by tabs, without heads.

    Columns of `numbers`, named by their heads, are aligned to the right. A table that is a report rather than
    a list for other programs (these get --json) stays readable in a log: heads, and aligned columns.
    """
    cells = [[clean(cell) for cell in row] for row in rows]
    if is_for_people():
        _show_framed(heads, cells, numbers)
        return
    lines = aligned(_justified(heads, cells, numbers)) if aligned_in_pipes else map("\t".join, cells)
    for line in lines:
        click.echo(line)


def show_json(document: object) -> None:
    """Print a document as JSON that people can read too."""
    click.echo(msgspec.json.format(msgspec.json.encode(document)))


def show_stderr(stderr: str, title: str) -> None:
    """Print what a bot that failed wrote to stderr, if it wrote anything, to our own."""
    lines = clean_lines(stderr)
    for line in [title, *(f"  {line}" for line in lines)] if lines else []:
        click.echo(clean(line), err=True)


def show_facts(rows: Iterable[Sequence[str]]) -> None:
    """Print names and values in straight columns, on a terminal as in a pipe."""
    for line in aligned(rows):
        click.echo(line)


def named_lines(name: str, lines: Sequence[str]) -> list[tuple[str, str]]:
    """Return a value of several lines as rows, of which the first has the name."""
    return [("" if at else name, line) for at, line in enumerate(lines)]


def show_labelled(rows: Iterable[tuple[str, str]], indent: int = 4) -> None:
    """Print labels and texts, indented: folded beside their labels on a terminal, a line each in a pipe."""
    if not is_for_people():
        for label, text in rows:
            click.echo(f"{' ' * indent}{label:9} {clean(text)}")
        return
    from rich.console import Console
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    grid = Table.grid(padding=(0, 1))
    grid.add_column(style="bold", no_wrap=True)
    grid.add_column(overflow="fold")
    for label, text in rows:
        grid.add_row(label, Text(clean(text)))
    Console(highlight=False).print(Padding(grid, (0, 0, 0, indent)))


def _show_framed(heads: Sequence[str], rows: Sequence[Sequence[str]], numbers: Collection[str]) -> None:
    # Imported here: a pipe does not need it.
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    framed = Table(box=box.SIMPLE_HEAD, header_style="bold", padding=(0, 1), collapse_padding=True)
    for at, head in enumerate(heads):
        is_number = head in numbers
        width = None if is_number else min(_LEAST_WIDTH, max(len(row[at]) for row in [heads, *rows]))
        side: JustifyMethod = "right" if is_number else "left"
        framed.add_column(head, justify=side, no_wrap=is_number, overflow="fold", min_width=width)
    for row in rows:
        framed.add_row(*map(Text, row))
    Console().print(framed)


def _justified(
    heads: Sequence[str], rows: Sequence[Sequence[str]], numbers: Collection[str]
) -> list[list[str]]:
    """Return heads and rows with the numbers moved to the right of their columns."""
    columns = [list(column) for column in zip(heads, *rows, strict=True)]
    for column in columns:
        if column[0] in numbers:
            width = max(map(len, column))
            column[:] = [cell.rjust(width) for cell in column]
    return [list(row) for row in zip(*columns, strict=True)]
