"""The chain of a store: every result and every note is bound by hash to all that was committed before it.

The body of a link (`referee.replay.hashchain`) is the JSON list of the kind of the entry and its values: of a
match all columns of its row and of its seats' rows, in the order of `tournaments.store.schema`, of a note all
columns; only the column `chain` is left out. The digest of the replay's file is a column, so the chain covers
the replays too.

The last link, the head, stands for everything in the store and its order. A head that was written down shows
later whether anything up to it was changed or taken out: then it is no longer in the chain.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple, TypeVar

import msgspec
import sqlalchemy as sa

from referee.replay import hashchain
from referee.replay.hashchain import START
from referee.wording import plural
from tournaments.store import schema
from tournaments.store.schema import MatchRows, Values

Match = TypeVar("Match")
Note = TypeVar("Note")


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
        return _in_order(self.matches, self.notes, lambda note: note["results"])


def _in_order(
    matches: Iterable[Match], notes: Iterable[Note], results: Callable[[Note], object]
) -> Iterator[Match | Note]:
    waiting = deque(notes)
    for count, match in enumerate(matches):
        while waiting and results(waiting[0]) == count:
            yield waiting.popleft()
        yield match
    yield from waiting


def _columns(table: sa.Table) -> tuple[sa.Column[Any], ...]:
    return tuple(column for column in table.columns if column.name != "chain")


MATCH_COLUMNS: Final = _columns(schema.matches)
SEAT_COLUMNS: Final = _columns(schema.seats)
NOTE_COLUMNS: Final = _columns(schema.notes)
"""What a link is made of; the rows of matches and notes end with the link itself."""

_MATCH: Final = tuple(column.name for column in MATCH_COLUMNS)
_SEAT: Final = tuple(column.name for column in SEAT_COLUMNS)
_NOTE: Final = tuple(column.name for column in NOTE_COLUMNS)
_VOID: Final = _MATCH.index("void")


class Row(NamedTuple):
    """A match or a note as values in the order of the columns."""

    values: Sequence[Any]
    seats: Sequence[Sequence[Any]] | None
    """None for a note."""
    chain: Any
    """The link that stands there."""

    @property
    def name(self) -> str:
        """What the row is called among the flaws."""
        return f"({self.values[2]!r})" if self.seats is None else f"(match {self.values[1]})"

    def link(self, before: str) -> str:
        """Return the link of the row behind another link."""
        body = ("note", self.values) if self.seats is None else ("match", self.values, self.seats)
        return hashchain.link(before, msgspec.json.encode(body))


class Rows(msgspec.Struct, frozen=True):
    """Everything in a store as the driver of the database gives it, in the order of the commits.

    A large store is read so in half the time and half the room of its `Contents`.
    """

    matches: Sequence[Sequence[Any]]
    """MATCH_COLUMNS and the link."""
    seats: Sequence[Sequence[Any]]
    """SEAT_COLUMNS, in the order of matches and seats."""
    notes: Sequence[Sequence[Any]]
    """NOTE_COLUMNS and the link."""

    def in_order(self) -> Iterator[Row]:
        """Return matches and notes in the order of the chain."""
        places = schema.spans([seat[0] for seat in self.seats])
        matches = (
            # SQLite has no truth values.
            Row(
                (*row[:_VOID], bool(row[_VOID]), *row[_VOID + 1 : -1]),
                self.seats[places.get(row[0], schema.NO_SEATS)],
                row[-1],
            )
            for row in self.matches
        )
        notes = (Row(row[:-1], None, row[-1]) for row in self.notes)
        return _in_order(matches, notes, lambda note: note.values[1])


def _row(entry: MatchRows | Values) -> Row:
    if isinstance(entry, MatchRows):
        seats = [[seat[name] for name in _SEAT] for seat in entry.seats]
        return Row([entry.match[name] for name in _MATCH], seats, entry.match.get("chain"))
    return Row([entry[name] for name in _NOTE], None, entry.get("chain"))


def link(before: str, entry: MatchRows | Values) -> str:
    """Return the link of a match or a note behind another link."""
    return _row(entry).link(before)


def links(contents: Contents) -> list[Head]:
    """Return all links that stand in a store, in order."""
    found: list[Head] = []
    results = 0
    for entry in contents.entries():
        if isinstance(entry, MatchRows):
            results += 1
        values = entry.match if isinstance(entry, MatchRows) else entry
        found.append(Head(results, str(values["chain"])))
    return found


def flaws(found: Contents | Rows) -> Iterator[str]:
    """Return everything that is not as it was committed.

    Behind a flaw the chain is followed from the link that stands there, so that each flaw is named once.
    """
    before = START
    results = notes = 0
    for row in found.in_order() if isinstance(found, Rows) else map(_row, found.entries()):
        if row.seats is None:
            kind, count = "note", (notes := notes + 1)
        else:
            kind, count = "result", (results := results + 1)
        if row.values[0] != count:
            yield f"{kind} {row.values[0]!r} {row.name} is where {count} belongs"
        elif not _is_link(before, row):
            yield f"{kind} {count} {row.name}: this or the entry before is not as it was committed"
        before = str(row.chain)


def _is_link(before: str, row: Row) -> bool:
    try:
        return bool(row.link(before) == row.chain)
    except ValueError:
        # A number or a text that JSON cannot have was not committed by us.
        return False
