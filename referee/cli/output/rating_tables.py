"""Print the standings of a tournament or a ladder."""

from collections.abc import Sequence

import click

from referee.cli.output.printer import show_table
from referee.wording import clean, in_ms, plural
from tournaments.rating.memory import MemoryLine
from tournaments.rating.standings import Meeting, StandingLine, Standings, Time, times
from tournaments.report.words import memory_warning, percent, rating_text
from tournaments.results import Played

HEADS = ("", "bot", "rating", "points", "%", "w/d/l", "matches", "faults")
NUMBERS = frozenset(HEADS) - {"bot", "faults"}
TIME_TITLE = "Time (measured; the grace of an answer is not charged):"
MOST_CROSSED = 12
"""The largest number of bots in the cross table: more do not fit on a terminal."""


def show_tables(standings: Standings, played: Sequence[Played]) -> None:
    """Print all tables: standings, differences, standings without forfeits, cross table, time used."""
    show_ratings(standings.table)
    for note in standings.notes:
        click.echo(clean(f"Note: {note}."))
    show_memory(standings.memory)
    if standings.gaps:
        _title("Each bot compared with the next one:")
        _show_gaps(standings)
    if standings.forfeited:
        _title(f"Without the {plural(standings.forfeited, 'match')} lost by a fault:")
        show_ratings(standings.without_forfeits)
    if any(standings.cross.values()):
        _title("Percent of comparisons won, row against column:")
        _show_cross(standings)
    if played:
        _title(TIME_TITLE)
        _show_times(times(played, [line.name for line in standings.table]))


def show_memory(lines: Sequence[MemoryLine]) -> None:
    """Print a line for every bot that does better when a deal comes again, and nothing about the others."""
    for line in lines:
        if line.named:
            click.echo(clean(f"Warning: {memory_warning(line)}."))


def show_ratings(table: Sequence[StandingLine]) -> None:
    """Print the table of ratings, each with half its 95 % interval."""
    rows = [_cells(place, line) for place, line in enumerate(table, 1)]
    show_table(HEADS, rows, numbers=NUMBERS, aligned_in_pipes=True)


def _cells(place: int, line: StandingLine) -> list[str]:
    return [
        str(place),
        line.name,
        rating_text(line),
        f"{line.points:g}",
        f"{line.percent:.1f}",
        f"{line.wins}/{line.draws}/{line.losses}",
        str(line.matches),
        ", ".join(f"{count} {code}" for code, count in line.faults.items()),
    ]


def _title(text: str) -> None:
    click.echo()
    click.echo(text)


def _show_gaps(standings: Standings) -> None:
    rows = [
        [
            gap.name,
            gap.other,
            f"{gap.elo:+.0f}",
            "too few" if gap.se is None else f"{gap.se:.0f}",
            "too few" if gap.superior is None else percent(gap.superior),
        ]
        for gap in standings.gaps
    ]
    numbers = ("elo", "error", "likelihood of superiority")
    show_table(("bot", "next", *numbers), rows, numbers=numbers, aligned_in_pipes=True)


def _show_cross(standings: Standings) -> None:
    names = [line.name for line in standings.table][:MOST_CROSSED]
    places = [str(place) for place in range(1, len(names) + 1)]
    rows = [
        [str(place), name, *(_won(standings.cross[name].get(other), name == other) for other in names)]
        for place, name in enumerate(names, 1)
    ]
    show_table(["", "bot", *places], rows, numbers=["", *places], aligned_in_pipes=True)
    if len(names) < len(standings.table):
        click.echo(f"Only the first {len(names)} of {len(standings.table)} bots.")


def _won(meeting: Meeting | None, same: bool) -> str:
    if meeting is None:
        return "" if same else "-"
    return f"{meeting.percent:.0f}"


def _show_times(used: Sequence[Time]) -> None:
    rows = [
        [
            one.name,
            f"{one.took_us / 1e6:.1f} s",
            f"{one.charged_ms / 1000:.1f} s",
            *map(in_ms, (round(one.per_match_us), one.median_us, one.slowest_us)),
        ]
        for one in used
    ]
    numbers = ("used in all", "charged", "used a match", "median answer", "slowest")
    show_table(("bot", *numbers), rows, numbers=numbers, aligned_in_pipes=True)
