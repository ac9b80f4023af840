"""The store of a tournament or a ladder: one SQLite file, a row for every match and for every seat of it.

Only committed rows count. Matches are added in one transaction that is on disk when `add` returns
(write-ahead log, synchronous FULL), so the end of the process at any moment loses nothing and leaves no half
of a match. One process at a time may write: it holds a lock on a file beside the store, which the kernel
releases when the process ends. Any number of processes may read meanwhile.

Everything in a store is chained by hash (`tournaments.store.chain`), and nothing is written to a store whose
chain is broken. Rows and notes are only ever added. The first note names the version of the schema and of the
referee that made the store.
"""

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from secrets import token_hex
from threading import Lock
from typing import Any, Final, Self

import msgspec
import sqlalchemy as sa

import referee
from referee.errors import FormatVersionError
from tournaments.results import Played
from tournaments.store import chain, schema
from tournaments.store.chain import Contents, Head
from tournaments.store.errors import NoResultsError, StoreError, StoreLostError, StorePlaceError
from tournaments.store.schema import VERSION, MatchRows, Values
from tournaments.store.writer_lock import WriterLock

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
    """

    def __init__(self, path: Path, *, write: bool = True) -> None:
        if not write and not path.exists():
            raise NoResultsError(f"{path}: there is no such store")
        self.path = path
        self._database = open_database(path, write)
        # One connection for all threads: the archive commits in its own thread while another may read.
        self._turn = Lock()
        self._lock = WriterLock(path) if write else None
        self._made = False
        self._file = -1
        """The file of a store that is written, to find it again: a path descriptor, which holds no locks."""
        try:
            if write:
                self._make_file()
            with self._reporting():
                self._open(write)
            if write:
                self._file = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except BaseException:
            self.close(remove=self._made, made_nothing=True)
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.close(remove=kind is not None and self._is_unused())

    def _is_unused(self) -> bool:
        """Return whether the store was made here, and has only the note of its version."""
        if not self._made or self._loss():
            return False
        contents = self.contents()
        return not contents.matches and len(contents.notes) == 1

    def close(self, *, remove: bool = False, made_nothing: bool = False) -> None:
        """Close the file and release the lock; remove both, or only a lock made here, if asked to."""
        self._database.dispose()
        if self._file >= 0:
            os.close(self._file)
        if remove:
            self.path.unlink(missing_ok=True)
        if self._lock is not None:
            self._lock.release(remove=remove or (made_nothing and self._lock.made))

    def add(self, matches: Sequence[Played]) -> None:
        """Commit matches; when this returns, they will survive a loss of power. All of them, or none."""
        if not matches:
            return
        now = datetime.now(UTC).isoformat(timespec="seconds")
        with self._transaction() as connection:
            head = _head(connection)
            rows, seats, before = [], [], head.hash
            for number, played in enumerate(matches, head.results + 1):
                match = schema.match_rows(played, number, now)
                before = chain.link(before, match)
                rows.append(match.match | {"chain": before})
                seats += match.seats
            connection.execute(sa.insert(schema.matches), rows)
            connection.execute(sa.insert(schema.seats), seats)
        # A file that was removed takes results as if nothing had happened.
        if loss := self._loss():
            raise StoreLostError(f"{self.path}: {loss}")

    def check_place(self) -> None:
        """Raise StoreLostError if the store is not where it was; results of a removed one are saved."""
        loss = self._loss()
        if not loss:
            return
        saved = self._saved() if not os.fstat(self._file).st_nlink else None
        way = f"; all results are saved in {saved}: move it to {self.path} to continue" if saved else ""
        raise StoreLostError(f"{self.path}: {loss}{way}")

    def _loss(self) -> str:
        """Return what has happened to the file that is written; '' if it is where it was."""
        ours = os.fstat(self._file)
        with suppress(OSError):
            found = os.stat(self.path)
            if (found.st_dev, found.st_ino) == (ours.st_dev, ours.st_ino):
                return ""
        if not ours.st_nlink:
            return "the store was removed or replaced while it was in use"
        now = os.readlink(f"/proc/self/fd/{self._file}")
        return f"the store was moved to {now} while it was in use; move it back to continue"

    def _saved(self) -> Path | None:
        """Copy the results of a removed store to a new file, and return its path; None if that fails."""
        for folder in (self.path.parent, Path.cwd()):
            target = folder / f"{self.path.stem}-saved-{token_hex(4)}{self.path.suffix}"
            with suppress(OSError, sqlite3.Error):
                _make_private_file(target)
                with self._turn, closing(self._database.raw_connection()) as ours:
                    driver = ours.driver_connection
                    assert driver is not None
                    with closing(sqlite3.connect(target)) as copy:
                        driver.backup(copy)
                return target
        return None

    def head(self) -> Head:
        """Return the end of the chain."""
        with self._transaction() as connection:
            return _head(connection)

    def played(self) -> list[Played]:
        """Return all matches that count by round, block and id: the same for every order of the commits."""
        columns = schema.matches.c
        wanted = sa.select(schema.matches).where(sa.not_(columns.void))
        with self._transaction() as connection:
            rows = _matches(connection, wanted.order_by(columns.round, columns.block, columns.match))
        return self._rows(rows)

    def all_played(self) -> list[Played]:
        """Return all matches in the order of their commits, void ones included."""
        return self._rows(self.contents().matches)

    def contents(self) -> Contents:
        """Return everything as it stands in the database."""
        with self._transaction() as connection:
            matches = _matches(connection, sa.select(schema.matches).order_by(schema.matches.c.number))
            notes = _fetched(connection.execute(sa.select(schema.notes).order_by(schema.notes.c.number)))
        return Contents(matches, notes)

    def flaws(self) -> Iterator[str]:
        """Return what SQLite itself finds wrong with the database; of its contents see `chain.flaws`."""
        with self._transaction() as connection:
            for name in ("integrity_check", "foreign_key_check"):
                for row in connection.exec_driver_sql(f"PRAGMA {name}").all():
                    if tuple(row) != ("ok",):
                        yield f"{self.path}: {name}: {', '.join(map(str, row))}"

    def last_finished(self) -> str:
        """Return when the last match was committed (UTC), or '' if none was."""
        with self._transaction() as connection:
            return connection.execute(sa.select(sa.func.max(schema.matches.c.finished))).scalar() or ""

    def note(self, name: str, value: str) -> None:
        """Add a text under a name; what was noted before stays, and is in the chain."""
        with self._transaction() as connection:
            _note(connection, name, value)

    def noted(self, name: str) -> list[str]:
        """Return the texts of that name, the oldest first."""
        columns = schema.notes.c
        found = sa.select(columns.value).where(columns.name == name).order_by(columns.number)
        with self._transaction() as connection:
            return list(connection.execute(found).scalars())

    def noted_after(self, name: str) -> list[tuple[int, str]]:
        """Return the texts of that name, the oldest first, each with the number of results before it."""
        columns = schema.notes.c
        found = sa.select(columns.results, columns.value).where(columns.name == name).order_by(columns.number)
        with self._transaction() as connection:
            return [(results, value) for results, value in connection.execute(found).all()]

    def ids(self) -> list[str]:
        """Return the ids of all matches in the order of their commits."""
        with self._transaction() as connection:
            found = sa.select(schema.matches.c.match).order_by(schema.matches.c.number)
            return list(connection.execute(found).scalars())

    @contextmanager
    def _transaction(self) -> Iterator[sa.Connection]:
        with self._reporting(), self._turn, self._database.begin() as connection:
            yield connection

    @contextmanager
    def _reporting(self) -> Iterator[None]:
        """Turn an error of SQLite into a StoreError."""
        try:
            yield
        except sa.exc.DatabaseError as error:
            if getattr(error.orig, "sqlite_errorcode", 0) == sqlite3.SQLITE_READONLY_ROLLBACK:
                # A journal to be rolled back is from before the write-ahead log: the next writer will do it.
                raise NoResultsError(f"{self.path}: nothing is in it yet") from error
            raise StoreError(f"{self.path}: {_in_words(error)}") from error
        except UnicodeDecodeError as error:
            # An error of SQLite that quotes the damaged bytes.
            raise StoreError(f"{self.path}: the database is damaged: {error}") from error

    def _make_file(self) -> None:
        """Make an empty file, closed to other users, if there is no store yet."""
        try:
            _make_private_file(self.path)
            self._made = True
        except FileExistsError:
            pass
        except OSError as error:
            raise StorePlaceError(f"{self.path}: cannot be written: {error.strerror}") from error

    def _open(self, write: bool) -> None:
        """Check that the file is sound and of our version; make a new store, if one is to be written."""
        with self._database.connect() as connection:
            found = connection.exec_driver_sql("PRAGMA quick_check(1)").scalar()
            if found != "ok":
                raise StoreError(
                    f"{self.path}: the database is damaged ({found}); restore a copy, or begin a new store: "
                    "the replays are still there"
                )
        with self._database.begin() as connection:
            is_new = not sa.inspect(connection).get_table_names()
            if is_new and write:
                schema.tables.create_all(connection)
                made = _Made(VERSION, referee.version())
                _note(connection, _MADE, msgspec.json.encode(made).decode())
        if is_new and not write:
            raise NoResultsError(f"{self.path}: nothing is in it yet")
        self._check_version()
        if write:
            if not os.access(self.path, os.W_OK):
                # SQLite opens it for reading instead, and would fail at the first result.
                raise StoreError(f"{self.path}: it cannot be written: it is read-only")
            for flaw in chain.flaws(self.contents()):
                raise StoreError(
                    f"{self.path}, {flaw}; restore a copy (`referee tournament verify` finds every flaw)"
                )

    def _check_version(self) -> None:
        """Refuse a database that is not a store, or one of another version."""
        with self._database.begin() as connection:
            names = set(sa.inspect(connection).get_table_names())
            if _ALEMBIC in names:
                raise FormatVersionError(f"{self.path}: a store", "0.1.0", "its schema is older")
            if not {table.name for table in schema.tables.sorted_tables} <= names:
                raise StoreError(f"{self.path}: a database, but not of results; name another file")
            first = sa.select(schema.notes.c.value).where(schema.notes.c.number == 1)
            text = connection.execute(first).scalar()
        try:
            made = msgspec.json.decode(text or "", type=_Made)
        except ValueError as error:
            raise StoreError(f"{self.path}: the note of its version is not as it was written") from error
        if made.schema != VERSION:
            raise FormatVersionError(f"{self.path}: a store", made.referee, f"schema {made.schema}")

    def _rows(self, matches: Sequence[MatchRows]) -> list[Played]:
        try:
            return [schema.played_from(match) for match in matches]
        except ValueError as error:
            raise StoreError(f"{self.path}: a result is not as it was committed: {error}") from error


def _make_private_file(path: Path) -> None:
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))


def open_database(path: Path, write: bool) -> sa.Engine:
    """Return the database; nothing is opened before its first use."""

    def connect() -> sqlite3.Connection:
        # Transactions are begun by us: the driver would begin none for changes of the schema.
        connection = sqlite3.connect(
            _address(path, write), uri=True, isolation_level=None, check_same_thread=False
        )
        if write:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")
        return connection

    database = sa.create_engine("sqlite://", creator=connect, poolclass=sa.pool.StaticPool)

    @sa.event.listens_for(database, "begin")
    def begin(connection: sa.Connection) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE" if write else "BEGIN")

    return database


def _address(path: Path, write: bool) -> str:
    address = path.absolute().as_uri()
    if write:
        return f"{address}?mode=rwc"
    # SQLite makes files beside a database for readers too, unless no process can write to it.
    is_frozen = not os.access(path.parent, os.W_OK) and not path.with_name(f"{path.name}-wal").exists()
    return f"{address}?immutable=1" if is_frozen else f"{address}?mode=ro"


def _fetched(result: sa.Result[Any]) -> list[Values]:
    # Many times as fast as SQLAlchemy's own mappings.
    names = tuple(map(str, result.keys()))
    return [dict(zip(names, row, strict=True)) for row in result.all()]


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


def _note(connection: sa.Connection, name: str, value: str) -> None:
    head = _head(connection)
    count = connection.execute(sa.select(sa.func.count()).select_from(schema.notes)).scalar_one()
    note: Values = {"number": count + 1, "results": head.results, "name": name, "value": value}
    connection.execute(sa.insert(schema.notes), note | {"chain": chain.link(head.hash, note)})


def _in_words(error: sa.exc.DatabaseError) -> str:
    """Return the message of SQLite, for the person at the terminal."""
    said = str(error.orig)
    code = getattr(error.orig, "sqlite_errorcode", 0) & 0xFF
    reasons = {
        sqlite3.SQLITE_FULL: "the disk is full",
        sqlite3.SQLITE_IOERR: "it cannot be written (is the disk full?)",
        sqlite3.SQLITE_READONLY: "it cannot be written: it is read-only",
        sqlite3.SQLITE_CANTOPEN: "it cannot be opened",
        sqlite3.SQLITE_CORRUPT: "the database is damaged; restore a copy, or begin a new store",
        sqlite3.SQLITE_NOTADB: "not a database; name another file",
        sqlite3.SQLITE_CONSTRAINT: "a match can be added only once",
    }
    reason = reasons.get(code)
    return f"{reason} ({said})" if reason else said
