"""`referee tournament status`, `standings` and `export`: read the results of a tournament."""

import os
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click
import msgspec

from referee.cli import examples
from referee.cli.output.printer import show_facts
from referee.cli.output.rating_tables import show_tables
from referee.cli.output.run_report import in_matches
from referee.errors import ConfigError, RefereeError
from referee.replay.hashchain import Head
from tournaments.config.plan import Plan, load
from tournaments.pairing.schedule import counted, expected, fixtures
from tournaments.rating.standings import Standings, standings
from tournaments.rating.tally import Tally
from tournaments.results import Played
from tournaments.runner import lock_path
from tournaments.store.store import NoResultsError, Store, writer

Command = TypeVar("Command", bound=Callable[..., Any])


def file_argument(command: Command) -> Command:
    """Give a command the argument FILE, a tournament file."""
    return click.argument("file", type=click.Path(dir_okay=False, path_type=Path))(command)


def json_option(command: Command) -> Command:
    """Give a command the option `--json`."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")(command)


class Status(msgspec.Struct, frozen=True):
    """How far a tournament is."""

    name: str
    game: str
    format: str
    bots: tuple[str, ...]
    store: str
    replays: str
    played: int
    left: int
    """Matches that are still to be played."""
    round: int
    complete: bool
    leader: str
    running: int | None
    """The process that plays it now: 0 if its id is not known, None if there is none."""
    last_finished: str
    """When the last match was committed (UTC); empty if none was."""
    chain: Head
    """The head of the chain of all results."""


@click.command(
    epilog=examples("referee tournament status spring.toml", "referee tournament status spring.toml --json")
)
@file_argument
@json_option
def status(file: Path, as_json: bool) -> None:
    """Print how far the tournament in FILE is. It may be running."""
    plan = load(file)
    found = status_of(plan)
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(found)))
        return
    show_facts(_status_rows(found, file))


def status_of(plan: Plan) -> Status:
    """Read the status from the store; without a store nothing is played yet."""
    stored, last, head = _stored(plan)
    wanted = fixtures(plan, stored)
    played = counted(wanted, stored)
    complete = len(wanted) == len(played)
    tally = Tally(bot.name for bot in plan.bots)
    for one in played:
        tally.count(one)
    return Status(
        name=plan.name,
        game=plan.game,
        format=plan.format,
        bots=tuple(bot.name for bot in plan.bots),
        store=str(plan.store),
        replays=str(plan.replays),
        played=len(played),
        left=0 if complete else max(expected(plan), len(wanted)) - len(played),
        round=max((fixture.round for fixture in wanted), default=0),
        complete=complete,
        leader=tally.leader(),
        running=writer(plan.store),
        last_finished=last,
        chain=head,
    )


def _status_rows(found: Status, file: Path) -> list[tuple[str, str]]:
    done = f"{found.played} of {in_matches(found.played + found.left)}, round {found.round}"
    if found.running is not None:
        state = f"being played by process {found.running}" if found.running else "being played"
    elif found.complete:
        state = "complete"
    else:
        state = f"not complete; to continue: referee tournament run {shlex.quote(str(file))}"
    rows = [
        ("tournament", f"{found.name}: {found.game}, {found.format}"),
        ("bots", ", ".join(found.bots)),
        ("played", done),
        ("state", state),
        ("leader", found.leader),
        ("last match", found.last_finished),
        ("store", found.store),
        ("lock", str(lock_path(Path(found.store)))),
        ("replays", found.replays),
    ]
    return [(name, value) for name, value in rows if value]


@click.command(
    "standings",
    epilog=examples(
        "referee tournament standings spring.toml",
        "referee tournament standings spring.toml --json",
    ),
)
@file_argument
@json_option
def show_standings(file: Path, as_json: bool) -> None:
    """Print the current table of the tournament in FILE. It may be running."""
    show(answer_of(load(file)), as_json=as_json)


@click.command(
    epilog=examples(
        "referee tournament export spring.toml > matches.csv",
        "referee tournament export spring.toml --table > table.csv",
        "referee tournament export spring.toml --json > everything.json",
        "referee tournament export spring.toml --html spring.html",
    )
)
@file_argument
@click.option("--table", is_flag=True, help="Print the table as CSV, not the matches.")
@click.option(
    "--html",
    "page",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the HTML report to this file.",
)
@json_option
def export(file: Path, table: bool, page: Path | None, as_json: bool) -> None:
    """Print the matches of the tournament in FILE as CSV, one line for every match and seat.

    --json prints everything: the table, its history, and the matches.
    """
    if sum((table, page is not None, as_json)) > 1:
        raise ConfigError("--table, --html and --json exclude each other")
    from tournaments.report import export

    answer = answer_of(load(file))
    if page is not None:
        write_page(answer, page)
    elif as_json:
        click.echo(document(answer, matches=True))
    elif table:
        click.echo(export.standings_csv(answer.standings), nl=False)
    else:
        click.echo(export.matches_csv(answer.played), nl=False)


class Answer(msgspec.Struct, frozen=True):
    """The results of a tournament, and the standings that follow."""

    plan: Plan
    played: list[Played]
    standings: Standings
    head: Head
    """The head of all results in the store, including those that no longer count."""


def answer_of(plan: Plan) -> Answer:
    """Return the results in the store; without a store, none."""
    stored, _, head = _stored(plan)
    return answer(plan, stored, head)


def answer(plan: Plan, stored: list[Played], head: Head) -> Answer:
    """Return the results that count for the plan, and the standings."""
    played = counted(fixtures(plan, stored), stored)
    return Answer(plan, played, standings(plan, played), head)


def show(answer: Answer, *, as_json: bool) -> None:
    """Print the table."""
    if as_json:
        click.echo(document(answer))
        return
    show_tables(answer.standings, answer.played)


def document(answer: Answer, *, matches: bool = False) -> bytes:
    """Return the answer as JSON, with every match if asked for."""
    from tournaments.report import export

    told = msgspec.json.decode(export.json(answer.standings, answer.played))
    told["chain"] = answer.head
    if matches:
        told["matches"] = answer.played
    return msgspec.json.format(msgspec.json.encode(told))


def write_page(answer: Answer, page: Path) -> None:
    """Write the report as a page."""
    from tournaments.report import export

    make_page(page)
    replays = os.path.relpath(answer.plan.replays, page.parent)
    text = export.html(answer.standings, answer.played, replays=replays, head=answer.head)
    try:
        page.write_text(text, encoding="utf-8")
    except OSError as error:
        raise RefereeError(f"cannot write {page}: {error.strerror}; the results are safe") from error


def make_page(page: Path) -> None:
    """Create the file of a page before the matches, so that an error is reported at once."""
    try:
        page.parent.mkdir(parents=True, exist_ok=True)
        page.touch()
    except OSError as error:
        raise ConfigError(f"cannot write {page}: {error.strerror}") from error


def _stored(plan: Plan) -> tuple[list[Played], str, Head]:
    """Return the results in the store, the time of the last one, and the head of the chain."""
    try:
        with Store(plan.store, write=False) as store:
            return store.played(), store.last_finished(), store.head()
    except NoResultsError:
        return [], "", Head()
