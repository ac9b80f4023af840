"""The table of standings for a person or a log."""

from collections.abc import Sequence

import click

from referee.cli.output import aligned, is_for_people, show_table
from tournaments.tally import Standing

HEADS = ("bot", "matches", "wins", "draws", "losses", "points", "%", "score", "time", "faults")


def show_standings(table: Sequence[Standing]) -> None:
    """Print the table: framed on a terminal, in straight columns otherwise."""
    rows = standing_rows(table)
    if is_for_people():
        show_table(rows[0], rows[1:])
        return
    for line in aligned(rows):
        click.echo(line)


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
