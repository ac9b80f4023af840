"""Where results are kept: one SQLite file, a row for every match and a row for every seat of it.

Nothing but committed rows counts. A match is added in one transaction that is on disk when `add` returns
(write-ahead log, synchronous FULL), so the end of the process at any moment loses nothing and leaves no half
of a match. One process at a time may write: it holds a lock on a file beside the store, which the kernel lets
go when the process ends, however it ends. Anybody may read meanwhile.

Results are chained by hash (`tournaments.store.chain`), and a store that was closed in good order is sealed
(`tournaments.store.seal`). Nobody writes to a store whose chain or seal is broken.

The schema has a version; steps from each version to the next are in `tournaments.store.migrations`.
"""

import errno
import fcntl
import os
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import Any, Self

import sqlalchemy as sa

from referee.errors import RefereeError
from referee.replay.hashchain import Head
from tournaments.results import Played
from tournaments.store import chain, schema, seal
from tournaments.store.chain import Values
from tournaments.store.schema import VERSION

Results = list[tuple[Values, list[Values]]]
"""Matches, each with its seats, as they stand in the database."""

_PATIENCE_S = 0.5
"""How long to wait for the lock: a killed process may have left a child that is just about to let it go."""

_TELLS_MORE = "`referee tournament verify` tells more"


class StoreError(RefereeError):
    """A store that cannot be used, or could not be written; what was committed before is safe."""


class NoResultsError(StoreError):
    """There is no store yet, or its first writer ended before it was ready."""


class Store:
    """The results of one tournament; a context manager.

    With `write=False` nothing is locked, made or upgraded; raises NoResultsError if there is nothing to read.
    """

    def __init__(self, path: Path, *, write: bool = True) -> None:
        if not write and not path.exists():
            raise NoResultsError(f"{path}: there is no such store")
        self.path = path
        self._database = _database(path, write)
        # One connection for all threads: a match is committed in the archivist's while ours may look.
        self._turn = Lock()
        self._lock = _Lock(path) if write else None
        self._is_ours = False
        """Whether this process has broken the seal."""
        try:
            # Before the database is open: see `seal.examine`.
            broken_seal = seal.examine(path)[1] if write and path.exists() else ""
            with self._speaking():
                self._open(write, broken_seal)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file, seal it, and let the lock go."""
        head = self._settled() if self._is_ours else None
        self._is_ours = False
        self._database.dispose()
        if head is not None:
            seal.make(self.path, head)
        if self._lock is not None:
            self._lock.release()

    def add(self, matches: Sequence[Played]) -> None:
        """Commit matches; when this returns, they will survive a loss of power. All of them, or none."""
        if not matches:
            return
        now = datetime.now(UTC).isoformat(timespec="seconds")
        with self._transaction() as connection:
            head = _head(connection)
            rows, places, before = [], [], head.hash
            for number, played in enumerate(matches, head.results + 1):
                match, seats = schema.match_row(played, now, number), schema.seat_rows(played)
                before = chain.link(before, match, seats)
                rows.append(match | {"chain": before})
                places += seats
            connection.execute(sa.insert(schema.matches), rows)
            connection.execute(sa.insert(schema.seats), places)

    def head(self) -> Head:
        """Return the end of the chain of results."""
        with self._transaction() as connection:
            return _head(connection)

    def played(self) -> list[Played]:
        """Return all matches by round, block and id: the same whatever the order in which they ended."""
        table = schema.matches.c
        try:
            return [
                schema.played_from(match, seats)
                for match, seats in self.results(table.round, table.block, table.id)
            ]
        except ValueError as error:
            raise StoreError(f"{self.path}: a result is not as it was committed: {error}") from error

    def results(self, *order: sa.Column[Any]) -> Results:
        """Return all results as they stand in the database, by default in the order of the chain."""
        in_order = sa.select(schema.matches).order_by(*(order or (schema.matches.c.number,)))
        by_seat = sa.select(schema.seats).order_by(schema.seats.c.match_id, schema.seats.c.seat)
        with self._transaction() as connection:
            matches = _fetched(connection.execute(in_order))
            seats = _fetched(connection.execute(by_seat))
        places: dict[object, list[Values]] = {}
        for seat in seats:
            places.setdefault(seat["match_id"], []).append(seat)
        return [(match, places.get(match["id"], [])) for match in matches]

    def flaws(self) -> Iterator[str]:
        """Look whether the database is sound and return what is not; of results see `chain.flaws`."""
        with self._transaction() as connection:
            for name in ("integrity_check", "foreign_key_check"):
                for row in connection.exec_driver_sql(f"PRAGMA {name}").all():
                    if tuple(row) != ("ok",):
                        yield f"{self.path}: {name}: {', '.join(map(str, row))}"
            notes = _fetched(connection.execute(sa.select(schema.notes)))
        for note in notes:
            if chain.note_hash(note["name"], note["value"]) != note["hash"]:
                yield f"{self.path}: the note {note['name']!r} is not as it was committed"

    def last_finished(self) -> str:
        """Return when the last match was committed (UTC), or '' if none was."""
        with self._transaction() as connection:
            return connection.execute(sa.select(sa.func.max(schema.matches.c.finished))).scalar() or ""

    def note(self, name: str, value: str) -> None:
        """Keep a text under a name; it replaces what was there."""
        with self._transaction() as connection:
            connection.execute(sa.delete(schema.notes).where(schema.notes.c.name == name))
            note = {"name": name, "value": value, "hash": chain.note_hash(name, value)}
            connection.execute(sa.insert(schema.notes), note)

    def noted(self, name: str) -> str | None:
        """Return the text of that name, if there is one."""
        with self._transaction() as connection:
            found = sa.select(schema.notes.c.value).where(schema.notes.c.name == name)
            return connection.execute(found).scalar()

    @contextmanager
    def _transaction(self) -> Iterator[sa.Connection]:
        with self._speaking(), self._turn, self._database.begin() as connection:
            yield connection

    @contextmanager
    def _speaking(self) -> Iterator[None]:
        """Turn what SQLite complains about into a StoreError."""
        try:
            yield
        except sa.exc.DatabaseError as error:
            if getattr(error.orig, "sqlite_errorcode", 0) == sqlite3.SQLITE_READONLY_ROLLBACK:
                # A journal to be rolled back is from before the write-ahead log: the next writer will do it.
                raise NoResultsError(f"{self.path}: nothing is in it yet") from error
            raise StoreError(f"{self.path}: {_in_words(error)}") from error
        except UnicodeDecodeError as error:
            # SQLite complains, and quotes what is damaged.
            raise StoreError(f"{self.path}: the database is damaged: {error}") from error

    def _open(self, write: bool, broken_seal: str) -> None:
        """Look whether the file is sound and of a version we know; bring an older one up to date."""
        with self._database.connect() as connection:
            found = connection.exec_driver_sql("PRAGMA quick_check(1)").scalar()
            if found != "ok":
                raise StoreError(
                    f"{self.path}: the database is damaged ({found}); restore a copy, or begin a new store: "
                    "the replays are still there"
                )
        version = self._version()
        if write:
            self._make_ours(version, broken_seal)
        elif version == 0:
            raise NoResultsError(f"{self.path}: nothing is in it yet")
        elif version < VERSION:
            raise StoreError(
                f"{self.path}: of an older version ({version}, this referee writes {VERSION}); "
                "`referee tournament run` upgrades it"
            )

    def _make_ours(self, version: int, broken_seal: str) -> None:
        """Break the seal of a store that is as it was left, and bring it up to date."""
        found = next(chain.flaws(self.results()), "") if version == VERSION else ""
        if found:
            raise StoreError(f"{self.path}, {found}; restore a copy ({_TELLS_MORE})")
        if broken_seal:
            raise StoreError(
                f"{broken_seal}; restore a copy ({_TELLS_MORE}). If you changed the store yourself and want "
                f"it so, remove {seal.seal_path(self.path)}"
            )
        try:
            seal.remove(self.path)
        except OSError as error:
            raise StoreError(f"{self.path}: its seal cannot be broken: {error.strerror}") from error
        if version < VERSION:
            with self._database.begin() as connection:
                _upgrade(connection)
        self._is_ours = True

    def _settled(self) -> Head | None:
        """Bring everything into the one file and return the head; None if that cannot be."""
        with suppress(StoreError, sqlite3.Error):
            head = self.head()
            # Not in a transaction, which SQLAlchemy would begin.
            with self._turn, closing(self._database.raw_connection()) as connection:
                busy, *_ = connection.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            return None if busy else head
        return None

    def _version(self) -> int:
        """Return the version of the schema, 0 if the file is new."""
        with self._database.begin() as connection:
            names = set(sa.inspect(connection).get_table_names())
            if not names:
                return 0
            found = (
                connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar()
                if "alembic_version" in names
                else None
            )
        if found is None or not str(found).isdecimal():
            raise StoreError(f"{self.path}: a database, but not of results; name another file")
        if int(found) > VERSION:
            raise StoreError(
                f"{self.path}: written by a newer version of the referee "
                f"(schema {found}, this one knows {VERSION}); update the referee, or name another store"
            )
        return int(found)


class _Lock:
    """The right to write, held as long as this process lives or until it is released."""

    def __init__(self, store: Path) -> None:
        try:
            store.parent.mkdir(parents=True, exist_ok=True)
            self._file = os.open(_lock_path(store), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise StoreError(f"{store}: cannot be written: {error.strerror}") from error
        try:
            self._take(store)
        except BaseException:
            os.close(self._file)
            raise

    def _take(self, store: Path) -> None:
        end = time.monotonic() + _PATIENCE_S
        while not _locked(self._file):
            if time.monotonic() > end:
                pid = writer(store)
                who = f"process {pid}" if pid else "another process"
                raise StoreError(f"{store}: {who} is playing this tournament; only one at a time may")
            time.sleep(0.01)
        # Who holds the lock is a courtesy to the next who wants it: no room for it is no reason to stop.
        with suppress(OSError):
            os.ftruncate(self._file, 0)
            os.pwrite(self._file, str(os.getpid()).encode(), 0)

    def release(self) -> None:
        """Let others write."""
        # The file stays: whoever removed it might remove another's lock.
        with suppress(OSError):
            os.ftruncate(self._file, 0)
        os.close(self._file)


def writer(store: Path) -> int | None:
    """Return the id of the process that writes to a store now: 0 if it is not known, None if nobody does."""
    try:
        file = os.open(_lock_path(store), os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        if _locked(file, shared=True):
            return None
        text = os.read(file, 20)
        return int(text) if text.isdigit() else 0
    finally:
        os.close(file)


def _locked(file: int, *, shared: bool = False) -> bool:
    """Lock a file until it is closed; False if another process has it."""
    try:
        fcntl.flock(file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in (errno.EWOULDBLOCK, errno.EACCES):
            return False
        raise
    return True


def _lock_path(store: Path) -> Path:
    # Not the store itself: closing any descriptor of that file would take SQLite's own locks from it.
    return store.with_name(store.name + ".writer")


def _database(path: Path, write: bool) -> sa.Engine:
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
    # Beside a database SQLite wants to keep files for those who read it too, unless nobody can write anyway.
    is_frozen = not os.access(path.parent, os.W_OK) and not path.with_name(f"{path.name}-wal").exists()
    return f"{address}?immutable=1" if is_frozen else f"{address}?mode=ro"


def _fetched(result: sa.Result[Any]) -> list[Values]:
    # Many times as fast as SQLAlchemy's own mappings.
    names = tuple(map(str, result.keys()))
    return [dict(zip(names, row, strict=True)) for row in result.all()]


def _head(connection: sa.Connection) -> Head:
    table = schema.matches.c
    last = connection.execute(sa.select(table.number, table.chain).order_by(table.number.desc()).limit(1))
    row = last.one_or_none()
    return Head() if row is None else Head(row.number, row.chain)


def _upgrade(connection: sa.Connection) -> None:
    # Imported late: a store is new or old only once.
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", "tournaments.store:migrations")
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def _in_words(error: sa.exc.DatabaseError) -> str:
    """Return what SQLite has to say, for the person at the terminal."""
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
