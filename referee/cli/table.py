"""The table of standings for a person or a log."""

from collections.abc import Sequence

import click

from referee.cli.output import aligned, clean, is_for_people
from tournaments.tally import Standing

HEADS = ("bot", "matches", "wins", "draws", "losses", "points", "%", "score", "time", "faults")


def show_standings(table: Sequence[Standing]) -> None:
    """Print the table: framed on a terminal, in straight columns otherwise."""
    if is_for_people():
        _show_framed(table)
        return
    for line in aligned(standing_rows(table)):
        click.echo(line)


def _show_framed(table: Sequence[Standing]) -> None:
    # Imported late: a pipe does not need it.
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    framed = Table(box=box.SIMPLE_HEAD, header_style="bold", padding=(0, 1), collapse_padding=True)
    for head in HEADS:
        is_number = head in HEADS[1:-1]
        framed.add_column(head, justify="right" if is_number else "left", no_wrap=is_number, overflow="fold")
    for standing in table:
        framed.add_row(*(Text(clean(cell)) for cell in _cells(standing)))
    Console().print(framed)


def standing_rows(table: Sequence[Standing]) -> list[list[str]]:
    """Return heads and lines; numbers stand right in their columns."""
    rows = [HEADS, *(_cells(standing) for standing in table)]
    columns = [list(column) for column in zip(*rows, strict=True)]
    for column in columns[1:-1]:
        width = max(map(len, column))
        column[:] = [cell.rjust(width) for cell in column]
    return [list(row) for row in zip(*columns, strict=True)]


def _cells(standing: Standing) -> tuple[str, ...]:
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
