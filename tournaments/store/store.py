"""The store of a tournament or a ladder: a row for every match and for every seat of it.

It is a file of SQLite or a schema of PostgreSQL, by its address; what differs is in `sqlite_backend` and
`postgres_backend`. Only committed rows count. Matches are added in one transaction that is on disk when `add`
returns, so the end of the process at any moment loses nothing and leaves no half of a match. One process at a
time may write. Any number of processes may read meanwhile.

Everything in a store is chained by hash (`tournaments.store.chain`), and nothing is written to a store whose
chain is broken. Rows and notes are only ever added. The first note names the version of the schema and of the
referee that made the store.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import Any, Final, Self, TypeVar

import msgspec
import sqlalchemy as sa

import referee
from referee.errors import FormatVersionError
from tournaments.config.store_address import Address
from tournaments.results import Played
from tournaments.store import chain, schema
from tournaments.store.backend import open_backend
from tournaments.store.chain import Contents, Head, Rows
from tournaments.store.errors import NoResultsError, StoreError, StoreLostError
from tournaments.store.patience import Patience
from tournaments.store.schema import VERSION, MatchRows, Values

Found = TypeVar("Found")

_MADE: Final = "store"
"""The name of the first note."""

_ALEMBIC: Final = "alembic_version"
"""A table that only stores of referee 0.1.0 have."""


class _Made(msgspec.Struct, frozen=True):
    """What the first note of a store says."""

    schema: int
    referee: str


class Store:
    """The results of one tournament or ladder; a context manager.

    With `write=False` nothing is locked or made; raises NoResultsError if there is nothing to read. Raises
    FormatVersionError for a store of another version. A store that was made here is removed again if the
    block is left by an error while nothing is in it. Other users cannot read a store, unless the operator
    lets them: it has the keys of deals that may be played again.

    With `copied` the store must be new, and gets all that another one has.
    """

    def __init__(self, address: Address, *, write: bool = True, copied: Contents | None = None) -> None:
        self.address = address
        self.patience = Patience()
        """Whether an outage of the server is waited out."""
        self._backend = open_backend(address, write)
        # One connection for all threads: the archive commits in its own thread while another may read.
        self._turn = Lock()
        self._adding = Lock()
        """Held from the first try to add entries until it is known whether they are there."""
        self._end: Head | None = None
        """The end of the chain as this writer left it; None for a reader."""
        self._read: tuple[int, list[Played]] = (-1, [])
        """What counts among the first results, as this writer last read it: rows are only ever added."""
        try:
            with self._reporting():
                self._open(write, copied)
        except BaseException:
            self._backend.close(remove=self._backend.made, failed=True)
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.close(remove=kind is not None and self._is_unused())

    def _is_unused(self) -> bool:
        """Return whether the store was made here, and has only the note of its version."""
        if not self._backend.made or self._backend.loss():
            return False
        # What is left by an error does not wait for a server.
        self.patience.give_up()
        with suppress(StoreError):
            contents = self.contents()
            return not contents.matches and len(contents.notes) == 1
        return False

    def close(self, *, remove: bool = False) -> None:
        """Close the store, and let other processes write; remove it, if asked to."""
        self._backend.close(remove=remove, failed=False)

    def add(self, matches: Sequence[Played]) -> None:
        """Commit matches; when this returns, they will survive a loss of power. All of them, or none."""
        if not matches:
            return
        now = datetime.now(UTC).isoformat(timespec="seconds")

        def insert(connection: sa.Connection, head: Head) -> Head:
            rows, seats, before = [], [], head.hash
            for number, played in enumerate(matches, head.results + 1):
                match = schema.match_rows(played, number, now)
                before = chain.link(before, match)
                rows.append(match.match | {"chain": before})
                seats += match.seats
            connection.execute(sa.insert(schema.matches), rows)
            connection.execute(sa.insert(schema.seats), seats)
            return Head(head.results + len(matches), before)

        self._append(insert)
        # A file that was removed takes results as if nothing had happened.
        if loss := self._backend.loss():
            raise StoreLostError(f"{self.address}: {loss}")

    def _append(self, insert: Callable[[sa.Connection, Head], Head]) -> None:
        """Add entries behind the head in one transaction; `insert` returns the new head.

        A connection may break while a commit is answered. The head then shows whether the entries are there:
        it is the one before, or the one that the entries promised. Any other is of another writer.
        """
        promised: Head | None = None

        def attempt(connection: sa.Connection) -> None:
            nonlocal promised
            found = _head(connection)
            if promised is not None and found == promised:
                return
            if self._end is not None and found != self._end:
                raise StoreLostError(f"{self.address}: another process has added to the store ({found})")
            promised = insert(connection, found)

        with self._adding:
            self._transact(attempt)
            self._end = promised

    def check_place(self) -> None:
        """Raise StoreLostError if the store is not where it was; results of a removed one are saved."""
        if loss := self._backend.loss():
            with self._turn:
                saved = self._backend.saved()
            raise StoreLostError(f"{self.address}: {loss}{'; ' if saved else ''}{saved}")

    def head(self) -> Head:
        """Return the end of the chain."""
        return self._end or self._transact(_head)

    def played(self) -> list[Played]:
        """Return all matches that count by round, block and id: the same for every order of the commits."""
        end = self._end
        if end is not None and end.results == self._read[0]:
            return list(self._read[1])
        columns = schema.matches.c
        wanted = sa.select(*schema.MATCH_COLUMNS).where(sa.not_(columns.void))
        found = self._played(wanted.order_by(columns.round, columns.block, columns.match))
        if end is not None:
            self._read = end.results, found
        return list(found)

    def all_played(self) -> list[Played]:
        """Return all matches in the order of their commits, void ones included."""
        return self._played(sa.select(*schema.MATCH_COLUMNS).order_by(schema.matches.c.number))

    def contents(self) -> Contents:
        """Return everything as it stands in the database."""
        return self._transact(_contents)

    def flaws(self) -> Iterator[str]:
        """Return what the database itself finds wrong; of its contents see `chain.flaws`."""
        for flaw in self._transact(lambda connection: list(self._backend.flaws(connection))):
            yield f"{self.address}: {flaw}"

    def last_finished(self) -> str:
        """Return when the last match was committed (UTC), or '' if none was."""
        return self._scalar(sa.select(sa.func.max(schema.matches.c.finished))) or ""

    def first_finished(self) -> str:
        """Return when the first match was committed (UTC), or '' if none was."""
        return self._scalar(sa.select(sa.func.min(schema.matches.c.finished))) or ""

    def count_until(self, moment: str) -> int:
        """Return how many matches were committed until a moment (UTC, as the rows have it)."""
        return self._scalar(sa.select(sa.func.count()).where(schema.matches.c.finished <= moment)) or 0

    def note(self, name: str, value: str) -> None:
        """Add a text under a name; what was noted before stays, and is in the chain."""
        self.note_all([(name, value)])

    def note_all(self, notes: Iterable[tuple[str, str]]) -> None:
        """Add texts, each under its name, in one transaction: all of them, or none."""
        texts = list(notes)
        self._append(lambda connection, _: _note_all(connection, texts))

    def noted(self, name: str) -> list[str]:
        """Return the texts of that name, the oldest first."""
        return [value for _, value in self.noted_after(name)]

    def noted_after(self, name: str) -> list[tuple[int, str]]:
        """Return the texts of that name, the oldest first, each with the number of results before it."""
        columns = schema.notes.c
        wanted = sa.select(columns.results, columns.value).where(columns.name == name)
        found = self._transact(lambda connection: connection.execute(wanted.order_by(columns.number)).all())
        return [(results, value) for results, value in found]

    def ids(self) -> list[str]:
        """Return the ids of all matches in the order of their commits."""
        found = sa.select(schema.matches.c.match).order_by(schema.matches.c.number)
        return self._transact(lambda connection: list(connection.execute(found).scalars()))

    def _scalar(self, query: sa.Select[Any]) -> Any:
        return self._transact(lambda connection: connection.execute(query).scalar())

    def _transact(self, work: Callable[[sa.Connection], Found]) -> Found:
        """Do work in one transaction; if the server goes away meanwhile, do it anew when it is back."""

        def once() -> Found:
            with self._reporting(), self._turn, self._backend.database.begin() as connection:
                return work(connection)

        return self.patience.outlast(once)

    @contextmanager
    def _reporting(self) -> Iterator[None]:
        """Turn an error of the database into a StoreError."""
        try:
            yield
        except sa.exc.DBAPIError as error:
            raise self._backend.in_words(error) from error
        except UnicodeDecodeError as error:
            # An error of SQLite that quotes the damaged bytes.
            raise StoreError(f"{self.address}: the database is damaged: {error}") from error

    def _open(self, write: bool, copied: Contents | None) -> None:
        """Check that the store is sound and of our version; make a new one, if it is to be written."""
        self._backend.check()
        with self._backend.database.begin() as connection:
            is_new = not sa.inspect(connection).get_table_names()
            if is_new and write:
                schema.tables.create_all(connection)
                _fill(connection, copied)
        if is_new and not write:
            raise NoResultsError(f"{self.address}: nothing is in it yet")
        if copied is not None and not is_new:
            raise StoreError(f"{self.address}: there is a store already; name another place for the copy")
        self._check_version()
        if write:
            self._backend.check_writable()
            for flaw in chain.flaws(self._transact(_rows)):
                raise StoreError(
                    f"{self.address}, {flaw}; restore a copy (`referee tournament verify` finds every flaw)"
                )
            self._end = self.head()

    def _check_version(self) -> None:
        """Refuse a database that is not a store, or one of another version."""
        with self._backend.database.begin() as connection:
            names = set(sa.inspect(connection).get_table_names())
            if _ALEMBIC in names:
                raise FormatVersionError(f"{self.address}: a store", "0.1.0", "its schema is older")
            if not {table.name for table in schema.tables.sorted_tables} <= names:
                raise StoreError(f"{self.address}: a database, but not of results; name another file")
            first = sa.select(schema.notes.c.value).where(schema.notes.c.number == 1)
            text = connection.execute(first).scalar()
        try:
            made = msgspec.json.decode(text or "", type=_Made)
        except ValueError as error:
            raise StoreError(f"{self.address}: the note of its version is not as it was written") from error
        if made.schema != VERSION:
            raise FormatVersionError(f"{self.address}: a store", made.referee, f"schema {made.schema}")

    def _played(self, wanted: sa.Select[Any]) -> list[Played]:
        columns = schema.seats.c
        by_seat = sa.select(*schema.SEAT_COLUMNS).order_by(columns.number, columns.seat)
        rows, seats = self._transact(
            lambda connection: (_as_given(connection, wanted), _as_given(connection, by_seat))
        )
        try:
            return schema.all_played_from(rows, seats)
        except ValueError as error:
            raise StoreError(f"{self.address}: a result is not as it was committed: {error}") from error


def is_there(address: Address) -> bool:
    """Return whether there is a store at an address, also if it has no results yet."""
    if isinstance(address, Path):
        return address.exists()
    try:
        Store(address, write=False).close()
    except NoResultsError:
        return False
    return True


def _fill(connection: sa.Connection, copied: Contents | None) -> None:
    """Give a new store its first note, or all that another one has."""
    if copied is None:
        made = msgspec.json.encode(_Made(VERSION, referee.version())).decode()
        _note_all(connection, [(_MADE, made)])
        return
    connection.execute(sa.insert(schema.notes), copied.notes)
    if copied.matches:
        connection.execute(sa.insert(schema.matches), [rows.match for rows in copied.matches])
        connection.execute(sa.insert(schema.seats), [seat for rows in copied.matches for seat in rows.seats])


def _as_given(connection: sa.Connection, query: sa.Select[Any]) -> list[tuple[Any, ...]]:
    """Return rows as the driver has them: large stores are read in two thirds of SQLAlchemy's own time."""
    cursor = connection.execute(query).cursor
    assert cursor is not None
    return list(cursor.fetchall())


def _rows(connection: sa.Connection) -> Rows:
    matches, seats, notes = schema.matches.c, schema.seats.c, schema.notes.c
    of_matches = sa.select(*chain.MATCH_COLUMNS, matches.chain).order_by(matches.number)
    of_seats = sa.select(*chain.SEAT_COLUMNS).order_by(seats.number, seats.seat)
    of_notes = sa.select(*chain.NOTE_COLUMNS, notes.chain).order_by(notes.number)
    return Rows(*(_as_given(connection, query) for query in (of_matches, of_seats, of_notes)))


def _fetched(result: sa.Result[Any]) -> list[Values]:
    # Many times as fast as SQLAlchemy's own mappings.
    names = tuple(map(str, result.keys()))
    return [dict(zip(names, row, strict=True)) for row in result.all()]


def _contents(connection: sa.Connection) -> Contents:
    matches = _matches(connection, sa.select(schema.matches).order_by(schema.matches.c.number))
    notes = _fetched(connection.execute(sa.select(schema.notes).order_by(schema.notes.c.number)))
    return Contents(matches, notes)


def _matches(connection: sa.Connection, query: sa.Select[Any]) -> list[MatchRows]:
    """Return the matches of a query, each with its seats."""
    found = _fetched(connection.execute(query))
    by_seat = sa.select(schema.seats).order_by(schema.seats.c.number, schema.seats.c.seat)
    seats: dict[object, list[Values]] = {}
    for seat in _fetched(connection.execute(by_seat)):
        seats.setdefault(seat["number"], []).append(seat)
    return [MatchRows(match, seats.get(match["number"], [])) for match in found]


def _head(connection: sa.Connection) -> Head:
    matches, notes = schema.matches.c, schema.notes.c
    last = sa.select(matches.number, matches.chain).order_by(matches.number.desc()).limit(1)
    head = Head(*row) if (row := connection.execute(last).one_or_none()) is not None else Head()
    newest = sa.select(notes.results, notes.chain).order_by(notes.number.desc()).limit(1)
    note = Head(*row) if (row := connection.execute(newest).one_or_none()) is not None else Head()
    return note if note.results == head.results else head


def _note_all(connection: sa.Connection, texts: Iterable[tuple[str, str]]) -> Head:
    """Add notes behind the head, and return the new one."""
    head = _head(connection)
    count = connection.execute(sa.select(sa.func.count()).select_from(schema.notes)).scalar_one()
    for number, (name, value) in enumerate(texts, count + 1):
        note: Values = {"number": number, "results": head.results, "name": name, "value": value}
        head = Head(head.results, chain.link(head.hash, note))
        connection.execute(sa.insert(schema.notes), note | {"chain": head.hash})
    return head
