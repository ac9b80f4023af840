"""`referee tournament export` and `names`: results as files, and the pseudonyms of bots."""

from collections.abc import Callable
from pathlib import Path

import click
import msgspec

from referee.cli import examples
from referee.cli.options.common import (
    check_no_part,
    file_argument,
    json_option,
    page_option,
    part_option,
    site_option,
    subject_argument,
)
from referee.cli.output.event_tables import event_document, write_public_page, write_public_site
from referee.cli.output.printer import show_json, show_table
from referee.cli.output.results import document, write_page
from referee.errors import ConfigError
from tournaments.config.store_address import Address
from tournaments.event_file import EventPlan, event_at, results_of_event
from tournaments.report.grades import EventGrades, WholeEvent, accounts_enrolled, enrolled_in, grades_csv
from tournaments.report.results_so_far import ResultsSoFar, plan_results, results_of
from tournaments.report.version_history import all_matches
from tournaments.site.notes import is_frozen
from tournaments.site.public_results import public_results
from tournaments.store import ladders


@click.command(
    epilog=examples(
        "referee tournament export spring.toml > matches.csv",
        "referee tournament export spring.toml --all > all.csv",
        "referee tournament export spring.toml --table > table.csv",
        "referee tournament export spring.toml --rounds > rounds.csv",
        "referee tournament export spring.toml --pairs > pairs.csv",
        "referee tournament export spring.toml --grades > grades.csv",
        "referee tournament export spring.toml --json > everything.json",
        "referee tournament export spring.toml --html spring.html",
        "referee tournament export spring.toml --site spring-site",
    )
)
@subject_argument
@click.option("--table", is_flag=True, help="Print the standings as CSV, not the matches.")
@click.option("--rounds", is_flag=True, help="Print the rounds as CSV: groups, points, rests, who goes on.")
@click.option(
    "--pairs", is_flag=True, help="Print every two bots against each other as CSV (100 bots at most)."
)
@click.option(
    "--all",
    "everything",
    is_flag=True,
    help="Print all matches as CSV, also those of earlier versions and of bots that left.",
)
@click.option(
    "--grades",
    is_flag=True,
    help="Print a line for each bot as CSV for a gradebook, in fixed columns. It hides nothing.",
)
@page_option
@site_option
@part_option
@click.option(
    "--organiser",
    is_flag=True,
    help="Hide nothing: neither names under pseudonyms, nor results after a freeze. For CSV and JSON.",
)
@json_option
def export(
    file: Path,
    table: bool,
    rounds: bool,
    pairs: bool,
    everything: bool,
    grades: bool,
    page: Path | None,
    site_folder: Path | None,
    part: str | None,
    organiser: bool,
    as_json: bool,
) -> None:
    """Print the matches of the tournament in FILE as CSV, one line for every match and seat.

    With --json everything: the standings, their history, and the matches. With --site the whole event as
    static files, every replay in a player: open its index.html, or copy the folder to a web server. FILE may
    also be the folder of a ladder (`referee serve`), or its store.

    Of an event of several tournaments, --table prints its combined table or its places, and --html, --site
    and --json write all parts; matches and pairs are those of one --part.

    What is written is for the public: a table that is frozen stays frozen, and bots have their pseudonyms,
    if the file says so. --organiser hides nothing.
    """
    chosen = (table, rounds, pairs, everything, grades, page is not None, site_folder is not None, as_json)
    if sum(chosen) > 1:
        raise ConfigError(
            "--table, --rounds, --pairs, --all, --grades, --html, --site and --json exclude each other"
        )
    if organiser and (page is not None or site_folder is not None):
        raise ConfigError("--organiser is for CSV and JSON: pages are for the public")
    if grades:
        _print_grades(file, part)
        return
    kinds = {"table": table, "rounds": rounds, "pairs": pairs, "all": everything, "json": as_json}
    kind = next((name for name, is_wanted in kinds.items() if is_wanted), "matches")
    if ladders.find(file) is not None:
        check_no_part(file, part)
        _export_ladder(file, kind, page, site_folder)
        return
    event = event_at(file)
    if part is not None:
        event = event.only(part)
    if site_folder is not None:
        write_public_site(event, site_folder, quiet=False)
    elif page is not None:
        write_public_page(event, page)
    elif event.is_single:
        plan = event.plans[0]
        if everything and not organiser and (plan.pseudonyms or is_frozen(plan)):
            raise ConfigError("--all hides no name and no result: add --organiser, and do not publish it")
        shown = plan_results(plan) if organiser else public_results(plan)
        _print_results(shown, kind, plan.store, lambda name: name if organiser else plan.shown(name))
    else:
        _print_event(event, kind, organiser=organiser)


def _print_grades(file: Path, part: str | None) -> None:
    """Print the gradebook of all tournaments of a file, or of a ladder."""
    if ladders.find(file) is not None:
        check_no_part(file, part)
        ladder = results_of(file)
        enrolled = accounts_enrolled(ladder.standings, ladder.played)
        click.echo(grades_csv([EventGrades(ladder.standings, enrolled)]), nl=False)
        return
    event = event_at(file) if part is None else event_at(file).only(part)
    events = [EventGrades(plan_results(plan).standings, enrolled_in(plan)) for plan in event.plans]
    results = results_of_event(event, plan_results)
    whole = None if event.is_single else WholeEvent(results.name, results.whole)
    click.echo(grades_csv(events, whole), nl=False)


def _export_ladder(file: Path, kind: str, page: Path | None, site_folder: Path | None) -> None:
    if site_folder is not None:
        from referee.cli.output.site_progress import write_event_site
        from tournaments.site.events import event_of

        write_event_site(event_of(file), site_folder, quiet=False)
    elif page is not None:
        write_page(results_of(file), page)
    else:
        store = ladders.find(file)
        assert store is not None
        _print_results(results_of(file), kind, store, lambda name: name)


def _print_results(results: ResultsSoFar, kind: str, store: Address, shown: Callable[[str], str]) -> None:
    from tournaments.report import export

    authors = results.facts.authors if results.facts is not None else {}
    if kind == "json":
        click.echo(document(results, matches=True))
    elif kind == "rounds":
        click.echo(export.rounds_csv(results.rounds), nl=False)
    elif kind == "pairs":
        click.echo(export.pairs_csv(results.standings), nl=False)
    elif kind == "table":
        click.echo(export.standings_csv(results.standings, authors), nl=False)
    else:
        rows, by_match = all_matches(store)
        versions = {
            match: {shown(bot): version for bot, version in of.items()} for match, of in by_match.items()
        }
        click.echo(export.matches_csv(rows if kind == "all" else results.played, versions), nl=False)


def _print_event(event: EventPlan, kind: str, *, organiser: bool) -> None:
    """Print what an event of several tournaments has as a whole."""
    from tournaments.site.front import combined_csv, places_csv, public_event_results

    results = results_of_event(event, plan_results) if organiser else public_event_results(event)
    authors = results.authors
    if kind == "json":
        click.echo(msgspec.json.format(msgspec.json.encode(event_document(results, matches=True))))
    elif kind == "table" and results.combined is not None:
        click.echo(combined_csv(results.combined, authors), nl=False)
    elif kind == "table":
        click.echo(places_csv(results.places, authors), nl=False)
    else:
        names = ", ".join(one.part.name for one in event.parts)
        raise ConfigError(f"{event.file.path.name} has several tournaments: name one with --part ({names})")


@click.command(
    epilog=examples("referee tournament names spring.toml", "referee tournament names spring.toml --json")
)
@file_argument
@json_option
def names(file: Path, as_json: bool) -> None:
    """Print the pseudonym of every bot of the tournament in FILE, for the organiser alone.

    With `pseudonyms = true` the public and the bots see these in place of names. They follow from the seed:
    a reader of the seed can compute them.
    """
    plan = event_at(file).plans[0]
    if as_json:
        bots = [{"bot": name, "pseudonym": plan.masks[name]} for name in plan.names]
        show_json({"used": plan.pseudonyms, "bots": bots})
        return
    rows = [(bot.name, plan.masks[bot.name], "; ".join(bot.authors)) for bot in plan.bots]
    show_table(("bot", "pseudonym", "authors"), rows)
    if not plan.pseudonyms:
        click.echo("Names are public: pseudonyms = true in the file puts these in their place.", err=True)
