"""The chain of a store: every result and every note is bound by hash to all that was committed before it.

The body of a link (`referee.replay.hashchain`) is the JSON list of the kind of the entry and its values: of a
match all columns of its row and of its seats' rows, in the order of `tournaments.store.schema`, of a note all
columns; only the column `chain` is left out. The digest of the replay's file is a column, so the chain covers
the replays too.

The last link, the head, stands for everything in the store and its order. A head that was written down shows
later whether anything up to it was changed or taken out: then it is no longer in the chain.
"""

from collections.abc import Iterator, Sequence
from typing import Final

import msgspec
import sqlalchemy as sa

from referee.replay import hashchain
from referee.replay.hashchain import START
from referee.wording import plural
from tournaments.store import schema
from tournaments.store.schema import MatchRows, Values


class Head(msgspec.Struct, frozen=True):
    """A link of a chain, and how many results there are up to it."""

    results: int = 0
    hash: str = START

    def __str__(self) -> str:
        return f"{plural(self.results, 'result')}, head {self.hash}"


class Contents(msgspec.Struct, frozen=True):
    """Everything in a store as it stands in the database, in the order of the commits."""

    matches: Sequence[MatchRows]
    notes: Sequence[Values]

    def entries(self) -> Iterator[MatchRows | Values]:
        """Return matches and notes in the order of the chain: a note names how many results precede it."""
        notes = list(self.notes)
        for count, match in enumerate(self.matches):
            while notes and notes[0]["results"] == count:
                yield notes.pop(0)
            yield match
        yield from notes


def _columns(table: sa.Table) -> tuple[str, ...]:
    return tuple(column.name for column in table.columns if column.name != "chain")


_MATCH: Final = _columns(schema.matches)
_SEAT: Final = _columns(schema.seats)
_NOTE: Final = _columns(schema.notes)


def link(before: str, entry: MatchRows | Values) -> str:
    """Return the link of a match or a note behind another link."""
    if isinstance(entry, MatchRows):
        seats = [[seat[name] for name in _SEAT] for seat in entry.seats]
        body = msgspec.json.encode(("match", [entry.match[name] for name in _MATCH], seats))
    else:
        body = msgspec.json.encode(("note", [entry[name] for name in _NOTE]))
    return hashchain.link(before, body)


def links(contents: Contents) -> list[Head]:
    """Return all links that stand in a store, in order."""
    found: list[Head] = []
    results = 0
    for entry in contents.entries():
        if isinstance(entry, MatchRows):
            results += 1
        found.append(Head(results, str(_values(entry)["chain"])))
    return found


def flaws(contents: Contents) -> Iterator[str]:
    """Return everything that is not as it was committed.

    Behind a flaw the chain is followed from the link that stands there, so that each flaw is named once.
    """
    before = START
    counts = {"result": 0, "note": 0}
    for entry in contents.entries():
        kind, values = "result" if isinstance(entry, MatchRows) else "note", _values(entry)
        counts[kind] += 1
        name = f"match {values['match']}" if kind == "result" else f"{values['name']!r}"
        if values["number"] != counts[kind]:
            yield f"{kind} {values['number']!r} ({name}) is where {counts[kind]} belongs"
        elif not _is_link(before, entry):
            yield f"{kind} {counts[kind]} ({name}): this or the entry before is not as it was committed"
        before = str(values["chain"])


def _values(entry: MatchRows | Values) -> Values:
    return entry.match if isinstance(entry, MatchRows) else entry


def _is_link(before: str, entry: MatchRows | Values) -> bool:
    try:
        return bool(link(before, entry) == _values(entry)["chain"])
    except ValueError:
        # A number or a text that JSON cannot have was not committed by us.
        return False
