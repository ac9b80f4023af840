"""The front page of an event of several tournaments: places, combined tables, and its parts."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from referee.wording import plural
from tournaments.event_file import EventPlan, EventResults, FinalPlace, results_of_event
from tournaments.rating.combined import CombinedTable
from tournaments.report.export import csv_text, safe_cell
from tournaments.report.facts import moment_in_words
from tournaments.site.events import plan_event, waiting_event
from tournaments.site.model import SiteEvent
from tournaments.site.public_results import results_shown


class StageTable(Struct, frozen=True):
    """The combined table of a stage."""

    stage: str
    """'' without stages."""
    table: CombinedTable
    parts: dict[str, str]
    """By game the name of its part."""


class EventFront(Struct, frozen=True):
    """What the front page of an event shows, beside the list of its parts."""

    name: str
    lede: str
    facts: tuple[tuple[str, str], ...]
    places: tuple[FinalPlace, ...]
    """With several stages."""
    tables: tuple[StageTable, ...]
    """With several games: of every stage that has begun, the last one first."""
    authors: dict[str, tuple[str, ...]]
    notices: tuple[str, ...] = ()
    """What the organiser says, and what is hidden."""
    ties: tuple[str, ...] = ()
    """Which bots went on though others were equal, and what decided that."""
    left_out: dict[str, str] = {}
    """By name why bots do not play, or lose their matches without a start."""


def part_events(event: EventPlan) -> list[SiteEvent]:
    """Return all parts of an event as the public sees them, those that wait included."""
    return [plan_event(one.plan) if one.plan is not None else waiting_event(one) for one in event.parts]


def front_of(event: EventPlan, shown: Sequence[SiteEvent]) -> EventFront:
    """Return the front page of an event whose parts are shown like this."""
    by_part = {one.part.name: part for one, part in zip(event.parts, shown, strict=True)}
    # A part may have got its bots since it was read.
    known = [
        replace(one, plan=None, waits=waits) if (waits := by_part[one.part.name].state.waits) else one
        for one in event.parts
    ]
    event = replace(event, parts=tuple(known))
    results = results_of_event(event, lambda plan: results_shown(by_part[plan.part]), public=True)
    return EventFront(
        name=event.name,
        lede=_lede(results),
        facts=tuple(_facts(event)),
        places=results.places,
        tables=tuple(_tables(results)),
        authors={name: authors for one in shown for name, authors in one.authors.items()},
        notices=tuple(dict.fromkeys(_notices(shown))),
        ties=results.ties,
        left_out=_left_out(results),
    )


def public_event_results(event: EventPlan) -> EventResults:
    """Return what came of an event as the public may see it."""
    return results_of_event(event, lambda plan: results_shown(plan_event(plan)), public=True)


def _notices(shown: Iterable[SiteEvent]) -> Iterable[str]:
    for one in shown:
        if one.notes.announcement:
            yield one.notes.announcement
        if one.notes.frozen_after is not None:
            hidden = plural(one.hidden, "later result")
            yield f"The table of {one.name} is frozen: {hidden} will be shown when it is revealed."


def _left_out(results: EventResults) -> dict[str, str]:
    """Return why bots do not play, or lose without a start, and in which parts."""
    why: dict[str, dict[str, str]] = {}
    parts = [
        (one.part, found)
        for stage in results.stages
        for one, found in zip(stage.parts, stage.results, strict=False)
    ]
    for part, found in parts:
        for name, reason in found.standings.left_out.items():
            why.setdefault(name, {})[part.label] = reason
        for name, reason in found.standings.forfeits.items():
            why.setdefault(name, {})[part.label] = f"it loses its matches: {reason}"
    return {
        name: "; ".join(f"{reason} ({label})" for label, reason in reasons.items())
        for name, reasons in why.items()
    }


def _tables(results: EventResults) -> Iterable[StageTable]:
    for stage in reversed(results.stages):
        if stage.combined is not None and stage.order:
            parts = {one.part.game: one.part.name for one in stage.parts}
            yield StageTable(stage.name, stage.combined, parts)


def _lede(results: EventResults) -> str:
    games = max(len(stage.parts) for stage in results.stages)
    bots = max(len(one.plan.names) for stage in results.stages for one in stage.parts if one.plan is not None)
    stages = plural(len(results.stages), "stage") if results.stages[0].name else ""
    return ", ".join(filter(None, (stages, plural(games, "game") if games > 1 else "", plural(bots, "bot"))))


def _facts(event: EventPlan) -> Iterable[tuple[str, str]]:
    first = event.plans[0]
    if first.deadline is not None:
        yield "Bots until", moment_in_words(first.deadline)
    stages = {one.part.stage: one.part.take_text for one in event.parts}
    if len(stages) > 1:
        names = [f"{name} (the best {take})" if take else name for name, take in stages.items()]
        yield "Stages", ", then ".join(names)
    if any(one.part.game for one in event.parts):
        yield "Combined table", combine_in_words(event)


def combine_in_words(event: EventPlan) -> str:
    """Return by which rule the tables of games become one."""
    weights = {one.part.game: one.part.weight for one in event.parts}
    rule = (
        "in each game a bot gets a point for every bot behind it"
        if event.file.combine == "places"
        else "the mean of the ratings in the games"
    )
    if len(set(weights.values())) == 1:
        return rule
    listed = ", ".join(f"{name} counts {weight:g}" for name, weight in weights.items())
    return f"{rule}; {listed}"


def front_document(front: EventFront, parts: Mapping[str, str]) -> dict[str, Any]:
    """Return the front page as JSON; `parts` has by name of a part its address."""
    found: dict[str, Any] = msgspec.to_builtins(front)
    found["facts"] = [{"name": name, "text": text} for name, text in front.facts]
    return {"version": 1, **found, "parts": dict(parts)}


def combined_csv(table: CombinedTable, authors: Mapping[str, Sequence[str]]) -> str:
    """Return a combined table as CSV (RFC 4180): a line for each bot, columns for each game."""
    heads = ["place", "place_to", "bot", "authors", "value", "se", "low", "high"]
    heads += [
        f"{game}_{what}" for game in table.weights for what in ("place", "points", "elo", "se", "matches")
    ]
    rows = []
    for line in table.lines:
        cells: list[object] = [
            line.place,
            line.place_to,
            safe_cell(line.name),
            safe_cell("; ".join(authors.get(line.name, ()))),
        ]
        cells += [line.value, line.se, *(line.interval or (None, None))]
        for game in table.weights:
            found = line.games.get(game)
            cells += (
                [None, None, None, None, 0]
                if found is None
                else [found.place, found.points, found.elo, found.se, found.matches]
            )
        rows.append(cells)
    return csv_text(heads, rows)


def places_csv(places: Sequence[FinalPlace], authors: Mapping[str, Sequence[str]]) -> str:
    """Return the places of an event as CSV (RFC 4180)."""
    rows = [
        [
            *(one.place, one.place_to, safe_cell(one.name)),
            *(safe_cell("; ".join(authors.get(one.name, ()))), one.stage),
        ]
        for one in places
    ]
    return csv_text(["place", "place_to", "bot", "authors", "stage"], rows)
