"""Tables on a terminal and in a pipe."""

import sys
from collections.abc import Iterable, Sequence

import click

from referee.wording import clean


def is_for_people() -> bool:
    """Return whether the output goes to a terminal."""
    return sys.stdout.isatty()


def show_table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table: framed on a terminal; in a pipe one row a line, columns separated by tabs, no heads."""
    cells = [[clean(cell) for cell in row] for row in rows]
    if not is_for_people():
        for row in cells:
            click.echo("\t".join(row))
        return
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, header_style="bold")
    for head in heads:
        table.add_column(head, overflow="fold")
    for row in cells:
        table.add_row(*map(Text, row))
    Console().print(table)
