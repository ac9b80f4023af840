"""The report of a run of matches, for people and as JSON."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click
import msgspec

from referee.cli.output.fault_list import FaultEntry, fault_lines, shortened
from referee.cli.output.printer import show_json, show_table
from referee.game import GameInfo
from referee.hub.capacity import WorkDivision
from referee.hub.pairing import Finished
from referee.match.faults import MEANING, FaultCode, Profile
from referee.match.result import Result
from referee.wording import aligned, clean, in_ms, plural, shell_line
from tournaments.pairing.contest import Contest
from tournaments.rating.memory import MemoryLine
from tournaments.rating.tally import Standing
from tournaments.report.words import TIME_TITLE, memory_warning

HEADS = ("bot", "matches", "wins", "draws", "losses", "points", "%", "score", "faults")
NUMBERS = frozenset(HEADS) - {"bot", "faults"}


class RunReport(msgspec.Struct, frozen=True):
    """A run of matches and its outcome."""

    game: GameInfo
    contest: Contest
    commands: dict[str, str]
    """Command lines by name."""
    people: frozenset[str]
    """Names of people among the bots."""
    profile: Profile
    work: WorkDivision
    replays: Path
    planned: int
    """The number of matches that were planned."""
    finished: list[Finished]
    table: list[Standing]
    memory: tuple[MemoryLine, ...]
    """Whether bots do better when a deal comes again."""
    void: list[str]
    took_s: float
    interrupted: bool


def show(report: RunReport, *, as_json: bool, quiet: bool) -> None:
    """Print the report."""
    if as_json:
        show_json(document(report))
        return
    if not quiet:
        click.echo(clean(_headline(report)))
        click.echo()
    show_table(HEADS, map(cells, report.table), numbers=NUMBERS, aligned_in_pipes=True)
    if not quiet:
        for paragraph in filter(None, _notes(report)):
            click.echo()
            for line in paragraph:
                click.echo(clean(line))


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
        ", ".join(f"{count} {code}" for code, count in standing.faults.items()),
    )


def document(report: RunReport) -> dict[str, Any]:
    """Return the report as a JSON document."""
    contest = report.contest
    return {
        "game": contest.game,
        "settings": {
            "seed": contest.seed,
            "seats": contest.seats,
            "options": contest.options,
            "mirrored": contest.mirrored,
            "profile": report.profile,
            "bots": [{"name": name, "command": command} for name, command in report.commands.items()],
            "jobs": report.work.jobs,
            "light_jobs": report.work.most,
            "replays": str(report.replays),
        },
        "planned": report.planned,
        "interrupted": report.interrupted,
        "matches": [_match(one) for one in report.finished],
        "table": report.table,
        "memory": report.memory,
    }


def _match(one: Finished) -> dict[str, Any]:
    return {
        **one.result.columns(),
        "deal": one.pairing.deal,
        "bots": one.result.names,
        "play": one.play,
        "replay": None if one.replay is None else str(one.replay),
    }


def result_line(result: Result) -> str:
    """Return a result in one line."""
    if result.void:
        return f"void: {result.void_reason}"
    order = sorted(result.seats, key=lambda seat: seat.rank)
    ranking = ", ".join(f"{seat.rank}. {seat.name} {seat.score}" for seat in order)
    faults = "".join(f"; {seat.name} {MEANING[FaultCode(seat.fault)]}" for seat in result.seats if seat.fault)
    return f"{ranking} ({result.reason}){faults}"


def _headline(report: RunReport) -> str:
    contest = report.contest
    deals = len({one.pairing.deal for one in report.finished})
    parts = [
        report.game.title,
        plural(contest.seats, "seat"),
        f"{plural(len(report.finished), 'match')} of {plural(deals, 'deal')}",
        f"seed {contest.seed}",
        f"profile {report.profile.name}",
        f"{report.took_s:.1f} s",
    ]
    return ", ".join(parts)


def _notes(report: RunReport) -> Iterator[list[str]]:
    """Return the remarks below the table, in paragraphs."""
    played = len(report.finished)
    if played < report.planned:
        yield [f"{report.planned - played} of {plural(report.planned, 'match')} were not played."]
    elif report.contest.mirrored and report.planned > 1 and report.planned % report.contest.seats:
        yield ["The last deal was not played in all rotations, so seats are not quite balanced."]
    voids = [f"  {one.result.match}: {one.result.void_reason}" for one in report.finished if one.result.void]
    yield ["Void, and not counted:", *shortened(voids)] if voids else []
    yield fault_lines(_faults(report), report.replays)
    yield [TIME_TITLE, *_times(report.table)] if played else []
    yield [f"Warning: {memory_warning(line)}." for line in report.memory if line.named]
    if played:
        shown = shell_line([str(report.finished[0].replay)])
        yield [
            f"Replays are in {report.replays}; to look at one: referee replay show {shown}",
            f"In a browser: referee replay page {shown} --open",
        ]


def _times(table: Sequence[Standing]) -> list[str]:
    """Return the times apart from the table, which would not fit 80 columns with them."""
    heads = ("bot", "used in all", "charged", "median answer", "slowest")
    rows = [
        (
            line.name,
            f"{line.took_us / 1e6:.1f} s",
            f"{line.charged_ms / 1000:.1f} s",
            in_ms(line.median_us),
            in_ms(line.slowest_us),
        )
        for line in table
    ]
    return aligned([heads, *rows])


def _faults(report: RunReport) -> Iterator[FaultEntry]:
    for one in report.finished:
        for seat, found in enumerate(one.result.seats):
            if found.fault:
                is_person = one.pairing.bots[seat] in report.people
                yield FaultEntry(one.result.match, found.name, seat, found.fault, is_person)
