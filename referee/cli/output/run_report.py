"""The report of a run of matches, for people and as JSON."""

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import msgspec

from referee.cli.output.printer import show_table
from referee.game import GameInfo
from referee.hub.pairing import Finished
from referee.match.faults import MEANING, FaultCode, Profile
from referee.match.result import Result
from referee.wording import clean, plural
from tournaments.pairing.contest import Contest
from tournaments.rating.tally import Standing

MOST_LISTED = 10
"""The largest number of faults, and of void matches, that are listed."""

HEADS = ("bot", "matches", "wins", "draws", "losses", "points", "%", "score", "time", "faults")
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
    jobs: int
    replays: Path
    planned: int
    """The number of matches that were planned."""
    finished: list[Finished]
    table: list[Standing]
    void: list[str]
    took_s: float
    interrupted: bool


def show(report: RunReport, *, as_json: bool, quiet: bool) -> None:
    """Print the report."""
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(document(report))))
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
        f"{standing.used_ms / 1000:.1f} s",
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
            "jobs": report.jobs,
            "replays": str(report.replays),
        },
        "planned": report.planned,
        "interrupted": report.interrupted,
        "matches": [_match(one) for one in report.finished],
        "table": report.table,
    }


def _match(one: Finished) -> dict[str, Any]:
    return {
        **one.result.columns(),
        "deal": one.pairing.deal,
        "bots": one.result.names,
        "play": one.play,
        "replay": None if one.replay is None else str(one.replay),
    }


def in_matches(count: int) -> str:
    """Return a number of matches in words."""
    return "1 match" if count == 1 else f"{count} matches"


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
        f"{in_matches(len(report.finished))} of {plural(deals, 'deal')}",
        f"seed {contest.seed}",
        f"profile {report.profile.name}",
        f"{report.took_s:.1f} s",
    ]
    return ", ".join(parts)


def _notes(report: RunReport) -> Iterator[list[str]]:
    """Return the remarks below the table, in paragraphs."""
    played = len(report.finished)
    if played < report.planned:
        yield [f"{report.planned - played} of {in_matches(report.planned)} were not played."]
    elif report.contest.mirrored and report.planned > 1 and report.planned % report.contest.seats:
        yield ["The last deal was not played in all rotations, so seats are not quite balanced."]
    voids = [f"  {one.result.match}: {one.result.void_reason}" for one in report.finished if one.result.void]
    yield ["Void, and not counted:", *_first(voids)] if voids else []
    faults = list(_faults(report))
    yield ["Lost by a fault:", *_first(faults)] if faults else []
    if played:
        shown = shlex.quote(str(report.finished[0].replay))
        yield [f"Replays are in {report.replays}; to look at one: referee replay show {shown}"]


def _first(lines: list[str]) -> list[str]:
    more = len(lines) - MOST_LISTED
    return [*lines[:MOST_LISTED], f"  and {more} more"] if more > 0 else lines


def _faults(report: RunReport) -> Iterator[str]:
    where = "" if report.replays == Path("replays") else f" --replays {shlex.quote(str(report.replays))}"
    for one in report.finished:
        for seat, code in enumerate(one.result.faults):
            if code:
                bot = f"{one.result.seats[seat].name} (seat {seat})"
                is_person = one.pairing.bots[seat] in report.people
                text = f"{MEANING[FaultCode(code)]} ({code})"
                # A person closes the connection only by resigning.
                text = "resigned" if is_person and code == FaultCode.DISCONNECTED else text
                yield f"  {bot} {text}: referee why {one.result.match}{where}"
