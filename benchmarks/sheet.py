"""What a part of the benchmarks hands over: rows, goals and remarks, for people and for machines."""

from collections.abc import Callable, Sequence
from typing import Literal

from msgspec import Struct
from rich.console import Console
from rich.table import Table

Cell = str | int | float


class Size(Struct, frozen=True):
    """How much is measured."""

    repetitions: int
    """How often each measurement is taken; the median counts."""
    decisions: int
    """Decisions, or round trips, of one measurement at least."""
    matches: tuple[int, ...]
    """Matches at once."""
    crowded: int
    """Matches at once where there are very many."""
    bots: int
    """Bot processes where there are many."""
    steps: int
    """Steps of the rules, replayed actions, coded messages."""
    starts: int
    """Processes of each kind that are started."""
    lifetime: int
    """Matches over which the memory of the hub is watched."""


FULL = Size(3, 6_000, (1, 4, 16, 64), 500, 16, 40_000, 16, 1_000)
QUICK = Size(1, 1_500, (1, 64), 200, 16, 5_000, 4, 200)
TINY = Size(1, 20, (1, 2), 3, 2, 100, 1, 2)
"""Proves that everything runs; measures nothing."""


class Goal(Struct, frozen=True):
    """A figure that was promised."""

    figure: str
    value: float
    sense: Literal["at most", "at least"]
    bound: float

    @property
    def reached(self) -> bool:
        """Whether the promise is kept."""
        return self.value <= self.bound if self.sense == "at most" else self.value >= self.bound


class Sheet(Struct, frozen=True):
    """The figures of one part."""

    name: str
    title: str
    columns: tuple[str, ...]
    rows: list[tuple[Cell, ...]]
    goals: list[Goal] = []
    remarks: list[str] = []


Part = Callable[[Size], Sequence[Sheet]]


def show(sheet: Sheet, console: Console) -> None:
    """Print a sheet as a table, its goals and its remarks."""
    table = Table(title=sheet.title, title_justify="left", title_style="bold")
    for index, column in enumerate(sheet.columns):
        table.add_column(column, justify="right" if index else "left")
    for row in sheet.rows:
        table.add_row(*(_spelled(cell) for cell in row))
    console.print(table)
    for goal in sheet.goals:
        verdict = "[green]reached[/]" if goal.reached else "[red]not reached[/]"
        console.print(f"  {goal.figure}: {_spelled(goal.value)}, {goal.sense} {goal.bound:g}: {verdict}")
    for remark in sheet.remarks:
        console.print(f"  {remark}", style="dim")
    console.print()


def plain(sheet: Sheet) -> dict[str, object]:
    """Return a sheet as values for JSON: every row a map."""
    return {
        "name": sheet.name,
        "title": sheet.title,
        "rows": [dict(zip(sheet.columns, row, strict=True)) for row in sheet.rows],
        "goals": [
            {
                "figure": goal.figure,
                "value": goal.value,
                "sense": goal.sense,
                "bound": goal.bound,
                "reached": goal.reached,
            }
            for goal in sheet.goals
        ],
        "remarks": sheet.remarks,
    }


def _spelled(cell: Cell) -> str:
    if isinstance(cell, str):
        return cell
    if isinstance(cell, int) or abs(cell) >= 1_000:
        return f"{cell:,.0f}"
    return f"{cell:.2f}" if abs(cell) < 10 else f"{cell:.1f}"
