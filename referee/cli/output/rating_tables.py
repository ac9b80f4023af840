"""Print the standings of a tournament or a ladder."""

from collections.abc import Callable, Sequence
from typing import Final

import click

from referee.cli.output.printer import show_table
from referee.cli.output.round_tables import show_bracket
from referee.wording import clean, in_ms, plural
from tournaments.rating.memory import MemoryLine
from tournaments.rating.standings import Meeting, StandingLine, Standings, Time, times
from tournaments.report.words import (
    TIME_TITLE,
    lot_sentence,
    memory_warning,
    percent,
    place_text,
    rating_text,
)
from tournaments.results import Played

_CELLS: Final[dict[str, Callable[[StandingLine], str]]] = {
    "": place_text,
    "bot": lambda line: line.name,
    "rating": rating_text,
    "points": lambda line: f"{line.points:g}",
    "%": lambda line: f"{line.percent:.1f}",
    "w/d/l": lambda line: f"{line.wins}/{line.draws}/{line.losses}",
    "matches": lambda line: str(line.matches),
    "swiss points": lambda line: str(line.swiss_points),
    "buchholz": lambda line: str(line.buchholz),
    "rests": lambda line: str(line.rests),
    "head to head": lambda line: f"{line.head_to_head:+d}",
    "faults": lambda line: ", ".join(f"{count} {code}" for code, count in line.faults.items()),
}
"""The columns of tables, by their heads."""
_BY_RATING: Final = ("", "bot", "rating", "points", "%", "w/d/l", "matches", "faults")
_BY_POINTS: Final = ("", "bot", "points", "%", "head to head", "w/d/l", "rating", "matches", "faults")
_SWISS: Final = ("", "bot", "swiss points", "buchholz", "w/d/l", "rating", "rests", "faults")
MOST_CROSSED = 12
"""The largest number of bots in the cross table: more do not fit on a terminal."""


def show_tables(standings: Standings, played: Sequence[Played]) -> None:
    """Print all tables: standings, differences, standings without forfeits, cross table, time used."""
    show_places(standings)
    if standings.earlier:
        click.echo("Earlier versions are rated too: `referee tournament history` shows them.")
    for note in standings.notes:
        click.echo(clean(f"Note: {note}."))
    show_field(standings)
    show_memory(standings.memory)
    if standings.gaps:
        _title("Each bot compared with the next one:")
        _show_gaps(standings)
    if standings.forfeited:
        by = ", by rating" if standings.rounds else ""
        _title(f"Without the {plural(standings.forfeited, 'match')} lost by a fault{by}:")
        show_ratings(standings.without_forfeits)
    if any(standings.cross.values()):
        _title("Percent of comparisons won, row against column:")
        _show_cross(standings)
    if played:
        _title(TIME_TITLE)
        _show_times(times(played, [line.name for line in standings.table]))


def show_field(standings: Standings) -> None:
    """Print which bots do not play or do not start, and which are not in their first versions."""
    for name, why in standings.left_out.items():
        click.echo(clean(f"Left out: {name}: {why}."))
    for name, why in standings.forfeits.items():
        click.echo(clean(f"Loses its matches: {name}: {why}."))
    if standings.versions:
        changed = ", ".join(f"{name} {version}" for name, version in standings.versions.items())
        click.echo(clean(f"Versions: {changed}; results of earlier versions do not count."))


def show_memory(lines: Sequence[MemoryLine]) -> None:
    """Print a line for every bot that does better when a deal comes again, and nothing about the others."""
    for line in lines:
        if line.named:
            click.echo(clean(f"Warning: {memory_warning(line)}."))


def show_places(standings: Standings) -> None:
    """Print the table in the official order, one for each pool, and by what it is ordered."""
    for number, (pool, lines) in enumerate(standings.pools.items()):
        if pool:
            click.echo(f"{chr(10) if number else ''}Pool {pool}:")
        show_ratings(lines)
    for sentence in filter(None, (standings.order, lot_sentence(standings))):
        click.echo(clean(sentence))
    if standings.format == "knockout" and standings.rounds:
        click.echo()
        show_bracket(standings.rounds)


def show_ratings(table: Sequence[StandingLine]) -> None:
    """Print a table, each rating with half its 95 % interval; its columns are those that decide its order."""
    heads = _heads(table)
    rows = [[_CELLS[head](line) for head in heads] for line in table]
    show_table(heads, rows, numbers=set(heads) - {"bot", "faults"}, aligned_in_pipes=True)


def _heads(table: Sequence[StandingLine]) -> Sequence[str]:
    if any(line.swiss_points is not None for line in table):
        return _SWISS
    return _BY_POINTS if any(line.head_to_head is not None for line in table) else _BY_RATING


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
