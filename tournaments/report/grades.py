"""The results of events for a gradebook, as CSV: a line for each author, and columns that never change."""

from collections.abc import Iterable, Sequence
from typing import Final

from msgspec import Struct

from referee.match.faults import ADVICE, MEANING, FaultCode
from referee.wording import plural
from tournaments.config.entry_record import read_record
from tournaments.config.plan import Plan
from tournaments.rating.combined import WholePlace
from tournaments.rating.standings import StandingLine, Standings
from tournaments.report.export import csv_text, safe_cell
from tournaments.results import Played
from tournaments.store.ladder_versions import accounts_of

HEADS: Final = ("id", "name", "authors", "event", "rank", "points", "rating", "faults", "comment")


class Enrolled(Struct, frozen=True):
    """A bot that was entered, as the gradebook knows it."""

    name: str
    ids: tuple[str, ...] = ()
    """The ids of its authors in the roster; if there are none, its name stands for them."""
    authors: tuple[str, ...] = ()
    why_not: str = ""
    """Why what was submitted is not entered; '' if it is."""


class EventGrades(Struct, frozen=True):
    """The standings of one event, with the bots that were entered."""

    standings: Standings
    enrolled: tuple[Enrolled, ...] = ()
    """Those that are not in the table were left out. Bots of the table need not be here."""


class WholeEvent(Struct, frozen=True):
    """What all tournaments of an event make together."""

    name: str
    places: dict[str, WholePlace]
    """By bot, best first; those that have not played are not there."""


def enrolled_in(plan: Plan) -> tuple[Enrolled, ...]:
    """Return the bots of a tournament, and those that were submitted and are not entered."""
    record = read_record(plan.entries)
    submitted = [one for bot in record.bots() if (one := record.standing(bot)) is not None]
    known = {
        one.bot: Enrolled(
            one.bot, one.ids or (one.id,), one.authors, "" if one.state == "entered" else one.why
        )
        for one in submitted
    }
    playing = {bot.name: Enrolled(bot.name, authors=bot.authors) for bot in plan.bots}
    return tuple((playing | known).values())


def accounts_enrolled(standings: Standings, rows: Iterable[Played]) -> tuple[Enrolled, ...]:
    """Return the bots in the table of a ladder: the id of a version is its account."""
    accounts = accounts_of(rows)
    return tuple(Enrolled(line.name, (accounts[line.name],)) for line in standings.shown)


def grades_csv(events: Sequence[EventGrades], whole: WholeEvent | None = None) -> str:
    """Return the lines of every event in the order of its table: one for a bot, or for each author.

    Where the events are the parts of one, the lines of the whole come first.
    """
    rows = [row for event in events for row in _rows(event)]
    return csv_text(HEADS, [*(_whole_rows(whole, events) if whole is not None else ()), *rows])


def _whole_rows(whole: WholeEvent, parts: Sequence[EventGrades]) -> Iterable[Sequence[object]]:
    enrolled = {one.name: one for part in parts for one in part.enrolled}
    left_out = {name: why for part in parts for name, why in part.standings.left_out.items()}
    lines: dict[str, list[StandingLine]] = {}
    for part in parts:
        for line in part.standings.shown:
            lines.setdefault(line.name, []).append(line)
    for name in dict.fromkeys([*whole.places, *lines, *enrolled, *left_out]):
        known, place = enrolled.get(name, Enrolled(name)), whole.places.get(name)
        matches = sum(line.matches for line in lines.get(name, ()))
        faults = sum(sum(line.faults.values()) for line in lines.get(name, ()))
        if place is None or not matches:
            numbers: list[object] = [None] * 3
            comment = _comment(next(iter(lines.get(name, ())), None), known, left_out.get(name))
        else:
            numbers = [place.rank, place.points, place.rating]
            comment = (
                f"Place {place.rank} of {len(whole.places)} in the whole event; "
                f"lost {faults or 'none'} of {plural(matches, 'match')} by a fault."
            )
        yield from _lines_of(known, whole.name, numbers, faults, comment)


def _rows(event: EventGrades) -> Iterable[Sequence[object]]:
    enrolled = {one.name: one for one in event.enrolled}
    lines = {line.name: line for line in event.standings.shown}
    left_out = event.standings.left_out
    for name in dict.fromkeys([*lines, *enrolled, *left_out]):
        known = enrolled.get(name, Enrolled(name))
        line = lines.get(name)
        played = line is not None and line.matches > 0
        numbers: list[object] = [None] * 3
        if line is not None and played:
            points = line.points if line.swiss_points is None else float(line.swiss_points)
            numbers = [line.place or None, points, line.elo]
        faults = sum(line.faults.values()) if line is not None else 0
        comment = _comment(line, known, left_out.get(name))
        yield from _lines_of(known, event.standings.name, numbers, faults, comment)


def _lines_of(
    known: Enrolled, event: str, numbers: Sequence[object], faults: int, comment: str
) -> Iterable[Sequence[object]]:
    """Return the line of a bot, or one for each of its authors."""
    cells = (known.name, "; ".join(known.authors), event)
    for id in known.ids or (known.name,):
        yield [*map(safe_cell, (id or known.name, *cells)), *numbers, faults, safe_cell(comment)]


def _comment(line: StandingLine | None, known: Enrolled, left_out: str | None) -> str:
    """Return one plain sentence about a result."""
    if left_out is not None:
        return f"Left out: {left_out}."
    if line is None:
        return f"Not entered: {known.why_not}." if known.why_not else "It took no part."
    if not line.matches:
        return "It has not played."
    if not line.faults:
        return f"First in {plural(line.wins, 'match')} of {line.matches}, and lost none by a fault."
    lost = sum(line.faults.values())
    code = max(line.faults, key=lambda each: line.faults[each])
    fault = FaultCode(code)
    often = "it" if len(line.faults) == 1 else f"{_times(line.faults[code])} it"
    sentence = f"Lost {lost} of {plural(line.matches, 'match')} by a fault: {often} {MEANING[fault]}"
    return f"{sentence}; {ADVICE[fault]}."


def _times(count: int) -> str:
    """Return how often something happened.

    >>> _times(1), _times(2), _times(3)
    ('once', 'twice', '3 times')
    """
    return {1: "once", 2: "twice"}.get(count, f"{count} times")
