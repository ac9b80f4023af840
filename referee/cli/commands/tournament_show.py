"""`referee tournament status`, `standings` and `export`: the results of a tournament or a ladder so far."""

import shlex
from pathlib import Path

import click
import msgspec

from referee.cli import examples
from referee.cli.options.common import json_option, page_option, site_option, subject_argument
from referee.cli.output.printer import named_lines, show_facts, show_json
from referee.cli.output.results import document, show_results, write_page
from referee.errors import ConfigError
from referee.wording import plural
from tournaments.config.luck import LuckOrigin, origin_of, state_in_words
from tournaments.config.plan import Plan, load
from tournaments.pairing.schedule import counted, expected, fixtures
from tournaments.rating.standings import times
from tournaments.rating.tally import Tally
from tournaments.report.results_so_far import ladder_results, results_of, stored_results
from tournaments.runner import lock_path
from tournaments.store import ladders
from tournaments.store.chain import Head
from tournaments.store.store import Store
from tournaments.store.writer_lock import writer


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
    took_us: int
    """The time that the answers of all bots really took."""
    charged_ms: int
    """What of it was charged to their clocks, after the grace of every answer."""
    void: int = 0
    """Matches of a ladder that came to no verdict."""
    luck: LuckOrigin | None = None
    """Where the luck of a tournament comes from."""


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
    if ladder is None:
        plan = load(file)
        found = status_of(plan)
        rows = _status_rows(found, file, plan)
    else:
        found = ladder_status(ladder)
        rows = _ladder_rows(found)
    if as_json:
        show_json(found)
        return
    show_facts((name, value) for name, value in rows if value)


def status_of(plan: Plan) -> Status:
    """Return how far a tournament is, as its store says; without a store, that nothing was played."""
    stored, last, head = stored_results(plan)
    wanted = fixtures(plan, stored)
    played = counted(wanted, stored)
    complete = plan.is_drawn and len(wanted) == len(played)
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
        took_us=sum(one.took_us for one in tally.table()),
        charged_ms=sum(one.charged_ms for one in tally.table()),
        running=writer(plan.store),
        last_finished=last,
        chain=head,
        luck=origin_of(plan),
    )


def ladder_status(path: Path) -> Status:
    """Return how far the ladder of a store is."""
    with Store(path, write=False) as store:
        terms, last, head = ladders.terms_of(store), store.last_finished(), store.head()
        results = ladder_results(store)
    bots = [line.name for line in results.standings.table]
    return Status(
        name=terms.name,
        game=terms.game,
        format="ladder",
        bots=tuple(bots),
        store=str(path),
        replays=str(results.replays),
        played=len(results.played),
        left=0,
        round=0,
        complete=False,
        leader=bots[0] if bots else "",
        took_us=sum(one.took_us for one in times(results.played, bots)),
        charged_ms=sum(one.charged_ms for one in times(results.played, bots)),
        running=writer(path),
        last_finished=last,
        chain=head,
        void=results.void,
    )


def _ladder_rows(found: Status) -> list[tuple[str, str]]:
    return [
        ("ladder", f"{found.name}: {found.game}"),
        ("bots", ", ".join(found.bots)),
        ("played", plural(found.played, "match")),
        ("void", plural(found.void, "match") if found.void else ""),
        ("state", _running(found) or "not being played"),
        ("leader", found.leader),
        ("time", _time(found)),
        ("last match", found.last_finished),
        ("store", found.store),
        ("replays", found.replays),
    ]


def _time(found: Status) -> str:
    """Return the time of all answers, in words; '' before the first match."""
    if not found.played:
        return ""
    charged = f"{found.charged_ms / 1000:.1f} s charged to their clocks"
    return f"{found.took_us / 1e6:.1f} s used by all bots, {charged}"


def _running(found: Status) -> str:
    """Return which process plays now, in words; '' if none does."""
    if found.running is None:
        return ""
    return f"being played by process {found.running}" if found.running else "being played"


def _status_rows(found: Status, file: Path, plan: Plan) -> list[tuple[str, str]]:
    done = f"{found.played} of {plural(found.played + found.left, 'match')}, round {found.round}"
    rest = f"not complete; to continue: referee tournament run {shlex.quote(str(file))}"
    rest = rest if plan.is_drawn else "not complete; the luck is not drawn yet"
    state = _running(found) or ("complete" if found.complete else rest)
    return [
        ("tournament", f"{found.name}: {found.game}, {found.format}"),
        ("bots", ", ".join(found.bots)),
        ("played", done),
        ("state", state),
        ("leader", found.leader),
        ("time", _time(found)),
        ("last match", found.last_finished),
        *named_lines("luck", state_in_words(plan)),
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
    show_results(results_of(file), as_json=as_json)


@click.command(
    epilog=examples(
        "referee tournament export spring.toml > matches.csv",
        "referee tournament export spring.toml --table > table.csv",
        "referee tournament export spring.toml --pairs > pairs.csv",
        "referee tournament export spring.toml --json > everything.json",
        "referee tournament export spring.toml --html spring.html",
        "referee tournament export spring.toml --site spring-site",
    )
)
@subject_argument
@click.option("--table", is_flag=True, help="Print the standings as CSV, not the matches.")
@click.option(
    "--pairs", is_flag=True, help="Print every two bots against each other as CSV (100 bots at most)."
)
@page_option
@site_option
@json_option
def export(
    file: Path, table: bool, pairs: bool, page: Path | None, site_folder: Path | None, as_json: bool
) -> None:
    """Print the matches of the tournament in FILE as CSV, one line for every match and seat.

    With --json everything: the standings, their history, and the matches. With --site the whole event as
    static files, every replay in a player: open its index.html, or copy the folder to a web server. FILE may
    also be the folder of a ladder (`referee serve`), or its store.
    """
    if sum((table, pairs, page is not None, site_folder is not None, as_json)) > 1:
        raise ConfigError("--table, --pairs, --html, --site and --json exclude each other")
    if site_folder is not None:
        _export_site(file, site_folder)
        return
    from tournaments.report import export

    results = results_of(file)
    if page is not None:
        write_page(results, page)
    elif as_json:
        click.echo(document(results, matches=True))
    elif pairs:
        click.echo(export.pairs_csv(results.standings), nl=False)
    elif table:
        click.echo(export.standings_csv(results.standings), nl=False)
    else:
        click.echo(export.matches_csv(results.played), nl=False)


def _export_site(file: Path, folder: Path) -> None:
    from referee.cli.output.site_progress import write_event_site
    from tournaments.site.events import event_of

    write_event_site(event_of(file), folder, quiet=False)
