"""The results of a tournament or a ladder so far: printed, and written as a page."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import msgspec

from referee.cli.output.fault_list import FaultEntry, fault_lines
from referee.cli.output.rating_tables import show_tables
from referee.errors import RefereeError
from tournaments.report.facts import ReportFacts
from tournaments.report.results_so_far import ResultsSoFar
from tournaments.results import Played


def show_results(results: ResultsSoFar, *, as_json: bool) -> None:
    """Print the standings."""
    if as_json:
        click.echo(document(results))
        return
    show_tables(results.standings, results.played)
    if lines := fault_lines(_faults(results.played), results.replays):
        click.echo()
        for line in lines:
            click.echo(line)


def document(results: ResultsSoFar, *, matches: bool = False) -> bytes:
    """Return the results as JSON, with every match if asked for."""
    from tournaments.report import export

    content = msgspec.json.decode(export.json(results.standings, results.played))
    content["chain"] = results.head
    if results.luck is not None:
        content["luck"] = results.luck
    if results.facts is not None:
        content["facts"] = facts_document(results.facts)
    content["faults"] = [
        {"match": each.match, "bot": each.bot, "seat": each.seat, "fault": each.fault}
        for each in _faults(results.played)
    ]
    if matches:
        content["matches"] = [one.document() for one in results.played]
    return msgspec.json.format(msgspec.json.encode(content))


def facts_document(facts: ReportFacts) -> dict[str, Any]:
    """Return what was played as JSON."""
    found: dict[str, Any] = msgspec.to_builtins(facts)
    return found | {"terms": [{"name": name, "text": text} for name, text in facts.terms]}


def _faults(played: list[Played]) -> Iterator[FaultEntry]:
    for one in played:
        for seat, (bot, found) in enumerate(one.seats()):
            if found.fault:
                yield FaultEntry(one.match, bot, seat, found.fault)


def write_page(results: ResultsSoFar, page: Path) -> None:
    """Write the report as a page, and the pages of its matches."""
    from tournaments.report import export
    from tournaments.report.match_pages import write_match_pages

    replays = os.path.relpath(results.replays, page.parent)
    pages = write_match_pages(results.played, results.replays, page, hides_commands=results.has_pseudonyms)
    text = export.html(
        results.standings,
        results.played,
        replays=replays,
        pages=pages,
        head=results.head,
        luck=results.luck,
        facts=results.facts,
    )
    try:
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(text, encoding="utf-8")
    except OSError as error:
        raise RefereeError(f"cannot write {page}: {error.strerror}; the results are safe") from error
