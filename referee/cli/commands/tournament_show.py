"""`referee tournament status`, `standings` and `export`: the results of a tournament or a ladder so far."""

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
from tournaments.config.plan import Plan, load
from tournaments.pairing.schedule import counted, expected, fixtures
from tournaments.rating.standings import Standings, stand, standings
from tournaments.rating.tally import Tally
from tournaments.results import Played
from tournaments.runner import lock_path
from tournaments.store import ladders
from tournaments.store.chain import Head
from tournaments.store.store import NoResultsError, Store, writer

Command = TypeVar("Command", bound=Callable[..., Any])


def file_argument(command: Command) -> Command:
    """Give a command the argument FILE, a tournament file."""
    return click.argument("file", type=click.Path(dir_okay=False, path_type=Path))(command)


def subject_argument(command: Command) -> Command:
    """Give a command the argument FILE: a tournament file, the folder of a ladder, or its store."""
    return click.argument("file", type=click.Path(path_type=Path))(command)


def json_option(command: Command) -> Command:
    """Give a command the option `--json`."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")(command)


class Status(msgspec.Struct, frozen=True):
    """How far a tournament or a ladder is."""

    name: str
    game: str
    format: str
    """That of the tournament file, or `ladder`."""
    bots: tuple[str, ...]
    store: str
    replays: str
    played: int
    left: int
    """Matches that are still to be played; a ladder has none."""
    round: int
    complete: bool
    """Whether nothing is left; a ladder is never complete."""
    leader: str
    running: int | None
    """The process that plays it now: 0 if its id is not known, None if there is none."""
    last_finished: str
    """When the last match was committed (UTC); empty if none was."""
    chain: Head
    """The head of the chain of all results."""
    void: int = 0
    """Matches of a ladder that came to no verdict."""


@click.command(
    epilog=examples("referee tournament status spring.toml", "referee tournament status spring.toml --json")
)
@subject_argument
@json_option
def status(file: Path, as_json: bool) -> None:
    """Print how far the tournament in FILE is. It may be running meanwhile.

    FILE may also be the folder of a ladder (`referee serve`), or its store.
    """
    ladder = ladders.find(file)
    found = status_of(load(file)) if ladder is None else ladder_status(ladder)
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(found)))
        return
    rows = _status_rows(found, file) if ladder is None else _ladder_rows(found)
    show_facts((name, value) for name, value in rows if value)


def status_of(plan: Plan) -> Status:
    """Return how far a tournament is, as its store says; without a store, that nothing was played."""
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


def ladder_status(path: Path) -> Status:
    """Return how far the ladder of a store is."""
    with Store(path, write=False) as store:
        terms, last, head = ladders.terms_of(store), store.last_finished(), store.head()
        answer = ladder_answer(store)
    bots = [line.name for line in answer.standings.table]
    return Status(
        name=terms.name,
        game=terms.game,
        format="ladder",
        bots=tuple(bots),
        store=str(path),
        replays=str(answer.replays),
        played=len(answer.played),
        left=0,
        round=0,
        complete=False,
        leader=bots[0] if bots else "",
        running=writer(path),
        last_finished=last,
        chain=head,
        void=answer.void,
    )


def _ladder_rows(found: Status) -> list[tuple[str, str]]:
    return [
        ("ladder", f"{found.name}: {found.game}"),
        ("bots", ", ".join(found.bots)),
        ("played", in_matches(found.played)),
        ("void", in_matches(found.void) if found.void else ""),
        ("state", _running(found) or "not being played"),
        ("leader", found.leader),
        ("last match", found.last_finished),
        ("store", found.store),
        ("replays", found.replays),
    ]


def _running(found: Status) -> str:
    """Return which process plays now, in words; '' if none does."""
    if found.running is None:
        return ""
    return f"being played by process {found.running}" if found.running else "being played"


def _status_rows(found: Status, file: Path) -> list[tuple[str, str]]:
    done = f"{found.played} of {in_matches(found.played + found.left)}, round {found.round}"
    rest = f"not complete; to continue: referee tournament run {shlex.quote(str(file))}"
    state = _running(found) or ("complete" if found.complete else rest)
    return [
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


@click.command(
    "standings",
    epilog=examples(
        "referee tournament standings spring.toml",
        "referee tournament standings spring.toml --json",
    ),
)
@subject_argument
@json_option
def show_standings(file: Path, as_json: bool) -> None:
    """Print the standings of the tournament in FILE as they are now. It may be running meanwhile.

    FILE may also be the folder of a ladder (`referee serve`), or its store.
    """
    show(answer_of(file), as_json=as_json)


@click.command(
    epilog=examples(
        "referee tournament export spring.toml > matches.csv",
        "referee tournament export spring.toml --table > table.csv",
        "referee tournament export spring.toml --json > everything.json",
        "referee tournament export spring.toml --html spring.html",
    )
)
@subject_argument
@click.option("--table", is_flag=True, help="Print the standings as CSV, not the matches.")
@click.option(
    "--html",
    "page",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the HTML report to this file.",
)
@json_option
def export(file: Path, table: bool, page: Path | None, as_json: bool) -> None:
    """Print the matches of the tournament in FILE as CSV, one line for every match and seat.

    With --json everything: the standings, their history, and the matches. FILE may also be the folder of a
    ladder (`referee serve`), or its store.
    """
    if sum((table, page is not None, as_json)) > 1:
        raise ConfigError("--table, --html and --json exclude each other")
    from tournaments.report import export

    answer = answer_of(file)
    if page is not None:
        write_page(answer, page)
    elif as_json:
        click.echo(document(answer, matches=True))
    elif table:
        click.echo(export.standings_csv(answer.standings), nl=False)
    else:
        click.echo(export.matches_csv(answer.played), nl=False)


class Answer(msgspec.Struct, frozen=True):
    """The results of a tournament or a ladder so far."""

    played: list[Played]
    standings: Standings
    head: Head
    """Of all results in the store, those that do not count included."""
    replays: Path
    void: int = 0
    """Matches in the store that came to no verdict."""


def answer_of(file: Path) -> Answer:
    """Return the results that the store of a tournament or a ladder has."""
    ladder = ladders.find(file)
    if ladder is not None:
        with Store(ladder, write=False) as store:
            return ladder_answer(store)
    plan = load(file)
    stored, _, head = _stored(plan)
    return answer(plan, stored, head)


def answer(plan: Plan, stored: list[Played], head: Head) -> Answer:
    """Return the results that count for the plan, and the standings."""
    played = counted(fixtures(plan, stored), stored)
    return Answer(played, standings(plan, played), head, plan.replays)


def ladder_answer(store: Store) -> Answer:
    """Return the results of a ladder: those of the game that is played on it now."""
    terms, rows, head = ladders.terms_of(store), store.all_played(), store.head()
    played = [one for one in rows if one.result.game == terms.game and not one.result.void]
    bots = list(dict.fromkeys(bot for one in played for bot in one.bots))
    void = sum(one.result.void for one in rows)
    return Answer(played, stand(terms.name, terms.game, bots, played), head, store.path.parent, void)


def show(answer: Answer, *, as_json: bool) -> None:
    """Print the standings."""
    if as_json:
        click.echo(document(answer))
        return
    show_tables(answer.standings, answer.played)


def document(answer: Answer, *, matches: bool = False) -> bytes:
    """Return the answer as JSON, with every match if asked for."""
    from tournaments.report import export

    content = msgspec.json.decode(export.json(answer.standings, answer.played))
    content["chain"] = answer.head
    if matches:
        content["matches"] = [one.document() for one in answer.played]
    return msgspec.json.format(msgspec.json.encode(content))


def write_page(answer: Answer, page: Path) -> None:
    """Write the report as a page."""
    from tournaments.report import export

    make_page(page)
    replays = os.path.relpath(answer.replays, page.parent)
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
