"""The results of an event of several tournaments: printed, and what the public may see of it as files."""

from pathlib import Path
from typing import Any

import click
import msgspec

from referee.cli.output.printer import show_table
from referee.cli.output.rating_tables import show_field, show_places
from referee.cli.output.results import document, write_page
from referee.errors import RefereeError
from referee.wording import clean, plural
from tournaments.event_file import EventPart, EventPlan, EventResults, StageResults
from tournaments.rating.combined import CombinedLine, CombinedTable


def show_event(results: EventResults, *, as_json: bool = False) -> None:
    """Print the places, the combined tables and a short table of every part."""
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(event_document(results))))
        return
    if results.places:
        click.echo(clean(f"{results.name}: places"))
        rows = [(one.shown, one.name, one.stage) for one in results.places]
        show_table(("", "bot", "last stage"), rows, numbers=[""], aligned_in_pipes=True)
    for sentence in results.ties:
        click.echo(clean(sentence))
    for stage in reversed(results.stages):
        if results.places:
            click.echo()
        _show_stage(results.name, stage)


def _show_stage(name: str, stage: StageResults) -> None:
    title = f"Stage {stage.name}" if stage.name else name
    if stage.waits:
        click.echo(clean(f"{title}: {stage.waits}"))
        return
    if stage.combined is not None:
        click.echo(clean(f"{title}: all games"))
        show_combined(stage.combined)
        title = stage.name
    for one, found in zip(stage.parts, stage.results, strict=True):
        if stage.combined is not None:
            click.echo()
        label = ", ".join(filter(None, (title, one.part.game)))
        click.echo(
            clean(f"{label}: {plural(len(found.played), 'match')} (--part {one.part.name} shows more)")
        )
        show_places(found.standings)
        for note in found.standings.notes:
            click.echo(clean(f"Note: {note}."))
        show_field(found.standings)


def show_combined(table: CombinedTable) -> None:
    """Print a combined table: the value, and what each game gave."""
    by_places = table.rule == "places"
    games = list(table.weights)
    heads = ("", "bot", "points" if by_places else "mean rating", *games)
    rows = [
        [line.shown, line.name, _value(line, by_places), *(_cell(line, game, table) for game in games)]
        for line in table.lines
    ]
    show_table(heads, rows, numbers=["", heads[2], *games], aligned_in_pipes=True)
    rule = (
        "a point for every bot behind; place and points of each game" if by_places else "ratings of each game"
    )
    weights = ", ".join(f"{game} counts {weight:g}" for game, weight in table.weights.items())
    click.echo(clean(f"({rule}{'; ' + weights if len(set(table.weights.values())) > 1 else ''})"))
    for note in table.notes:
        click.echo(clean(f"Note: {note}."))


def _value(line: CombinedLine, by_places: bool) -> str:
    if line.value is None:
        return "none"
    if by_places:
        return f"{line.value:g}"
    if line.interval is None:
        return f"{line.value:.0f}, too few"
    return f"{line.value:.0f} ± {(line.interval[1] - line.interval[0]) / 2:.0f}"


def _cell(line: CombinedLine, game: str, table: CombinedTable) -> str:
    found = line.games.get(game)
    if found is None:
        return "-"
    if table.rule == "places":
        return f"{found.shown}. ({found.points * table.weights[game]:g})"
    return "none" if found.elo is None else f"{found.elo:.0f}"


def event_document(results: EventResults, *, matches: bool = False) -> dict[str, Any]:
    """Return the results of an event as a JSON document, those of its parts included."""
    return {
        "event": results.name,
        "places": results.places,
        "ties": results.ties,
        "stages": [_stage_document(stage, matches=matches) for stage in results.stages],
    }


def _stage_document(stage: StageResults, *, matches: bool) -> dict[str, Any]:
    parts = [
        {
            "part": one.part.name,
            "game": one.part.file.game,
            "weight": one.part.weight,
            **msgspec.json.decode(document(found, matches=matches)),
        }
        for one, found in zip(stage.parts, stage.results, strict=False)
    ]
    return {
        "stage": stage.name,
        "waits": stage.waits,
        "take": stage.take,
        "combined": stage.combined,
        "parts": parts,
    }


# For the public.


def write_public_page(event: EventPlan, page: Path) -> None:
    """Write the report of an event as the public may see it: a page, or one for each part and one for all."""
    from tournaments.site.public_results import public_results

    if event.is_single:
        write_page(public_results(event.plans[0]), page)
        return
    for one in event.parts:
        if one.plan is not None:
            write_page(public_results(one.plan), _page_of(page, one))
    _write_front(event, page)


def _page_of(page: Path, one: EventPart) -> Path:
    return page.with_name(f"{page.stem}-{one.part.name}{page.suffix}")


def _write_front(event: EventPlan, page: Path) -> None:
    from tournaments.report.markup import render
    from tournaments.report.page import digest, report_style
    from tournaments.site.front import front_of, part_events
    from tournaments.site.pages import state_sentence
    from tournaments.site.several import stage_columns

    shown = part_events(event)
    parts = [
        {
            "name": each.name,
            "state": state_sentence(each),
            "address": _page_of(page, one).name if one.plan is not None else "",
        }
        for one, each in zip(event.parts, shown, strict=True)
    ]
    text = render(
        "event_report.html",
        style=report_style(),
        digest=digest,
        front=front_of(event, shown),
        parts=parts,
        stage_columns=stage_columns,
    )
    try:
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(text, encoding="utf-8")
    except OSError as error:
        raise RefereeError(f"cannot write {page}: {error.strerror}; the results are safe") from error


def write_public_site(event: EventPlan, folder: Path, *, quiet: bool) -> None:
    """Write the site of an event: one tournament, or a front page with a folder for each part."""
    from referee.cli.output.site_progress import write_event_site
    from tournaments.site.events import plan_event
    from tournaments.site.front import front_of, part_events
    from tournaments.site.several import write_sites

    if event.is_single:
        write_event_site(plan_event(event.plans[0]), folder, quiet=quiet)
        return
    parts = part_events(event)
    write_sites(
        [(front_of(event, parts), parts)], folder, lambda part, own: write_event_site(part, own, quiet=True)
    )
    if not quiet:
        click.echo(f"{plural(len(parts), 'part')}: open {folder / 'index.html'} in a browser", err=True)
