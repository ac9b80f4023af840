"""The results of a tournament or a ladder so far: read from its store, printed, and written as a page."""

import os
from pathlib import Path

import click
import msgspec

from referee.cli.output.rating_tables import show_tables
from referee.errors import ConfigError, RefereeError
from tournaments.config.plan import Plan, load
from tournaments.pairing.schedule import counted, fixtures
from tournaments.rating.standings import Standings, stand, standings
from tournaments.results import Played
from tournaments.store import ladders
from tournaments.store.chain import Head
from tournaments.store.store import NoResultsError, Store


class ResultsSoFar(msgspec.Struct, frozen=True):
    """The results of a tournament or a ladder so far."""

    played: list[Played]
    standings: Standings
    head: Head
    """Of all results in the store, those that do not count included."""
    replays: Path
    void: int = 0
    """Matches in the store that came to no verdict."""


def results_of(file: Path) -> ResultsSoFar:
    """Return the results that the store of a tournament or a ladder has."""
    ladder = ladders.find(file)
    if ladder is not None:
        with Store(ladder, write=False) as store:
            return ladder_results(store)
    plan = load(file)
    stored, _, head = stored_results(plan)
    return tournament_results(plan, stored, head)


def tournament_results(plan: Plan, stored: list[Played], head: Head) -> ResultsSoFar:
    """Return the results that count for the plan, and the standings."""
    played = counted(fixtures(plan, stored), stored)
    return ResultsSoFar(played, standings(plan, played), head, plan.replays)


def ladder_results(store: Store) -> ResultsSoFar:
    """Return the results of a ladder: those of the game that is played on it now."""
    terms, rows, head = ladders.terms_of(store), store.all_played(), store.head()
    played = [one for one in rows if one.result.game == terms.game and not one.result.void]
    bots = list(dict.fromkeys(bot for one in played for bot in one.bots))
    void = sum(one.result.void for one in rows)
    return ResultsSoFar(played, stand(terms.name, terms.game, bots, played), head, store.path.parent, void)


def show_results(results: ResultsSoFar, *, as_json: bool) -> None:
    """Print the standings."""
    if as_json:
        click.echo(document(results))
        return
    show_tables(results.standings, results.played)


def document(results: ResultsSoFar, *, matches: bool = False) -> bytes:
    """Return the results as JSON, with every match if asked for."""
    from tournaments.report import export

    content = msgspec.json.decode(export.json(results.standings, results.played))
    content["chain"] = results.head
    if matches:
        content["matches"] = [one.document() for one in results.played]
    return msgspec.json.format(msgspec.json.encode(content))


def write_page(results: ResultsSoFar, page: Path) -> None:
    """Write the report as a page."""
    from tournaments.report import export

    make_page(page)
    replays = os.path.relpath(results.replays, page.parent)
    text = export.html(results.standings, results.played, replays=replays, head=results.head)
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


def stored_results(plan: Plan) -> tuple[list[Played], str, Head]:
    """Return the results in the store, the time of the last one, and the head of the chain."""
    try:
        with Store(plan.store, write=False) as store:
            return store.played(), store.last_finished(), store.head()
    except NoResultsError:
        return [], "", Head()
