"""A store in a file of SQLite.

A commit is on disk when it returns (write-ahead log, synchronous FULL). One process at a time may write: it
holds a lock on a file beside the store (`tournaments.store.sqlite_lock`), which the kernel releases when the
process ends. A file that is removed, replaced or moved takes results as if nothing had happened, so the place
of the file is compared after every commit.
"""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from secrets import token_hex

import sqlalchemy as sa

from tournaments.store.errors import NoResultsError, StoreError, StorePlaceError
from tournaments.store.sqlite_lock import SqliteLock


class SqliteBackend:
    """The file of a store. Other users cannot read it, unless the operator lets them."""

    def __init__(self, path: Path, write: bool) -> None:
        if not write and not path.exists():
            raise NoResultsError(f"{path}: there is no such store")
        self._path = path
        self.database = open_database(path, write)
        self.made = False
        self._file = -1
        """The file of a store that is written, to find it again: a path descriptor, which holds no locks."""
        self._lock = SqliteLock(path) if write else None
        if write:
            try:
                self._make_file()
                self._file = os.open(path, os.O_PATH | os.O_CLOEXEC)
            except OSError as error:
                self.close(remove=self.made, failed=True)
                raise StorePlaceError(f"{path}: cannot be written: {error.strerror}") from error

    def _make_file(self) -> None:
        """Make an empty file, closed to other users, if there is no store yet."""
        with suppress(FileExistsError):
            _make_private_file(self._path)
            self.made = True

    def check(self) -> None:
        """Raise StoreError if the file is damaged, as far as that is found quickly."""
        with self.database.connect() as connection:
            found = connection.exec_driver_sql("PRAGMA quick_check(1)").scalar()
        if found != "ok":
            raise StoreError(
                f"{self._path}: the database is damaged ({found}); restore a copy, or begin a new store: "
                "the replays are still there"
            )

    def check_writable(self) -> None:
        """Raise StoreError if the file is read-only."""
        if not os.access(self._path, os.W_OK):
            # SQLite opens it for reading instead, and would fail at the first result.
            raise StoreError(f"{self._path}: it cannot be written: it is read-only")

    def close(self, *, remove: bool, failed: bool) -> None:
        """Close the file and release the lock; remove both, or after a failure a lock that was made here."""
        self.database.dispose()
        if self._file >= 0:
            os.close(self._file)
        if remove:
            self._path.unlink(missing_ok=True)
        if self._lock is not None:
            self._lock.release(remove=remove or (failed and self._lock.made))

    def loss(self) -> str:
        """Return what has happened to the file that is written; '' if it is where it was."""
        if self._file < 0:
            return ""
        ours = os.fstat(self._file)
        with suppress(OSError):
            found = os.stat(self._path)
            if (found.st_dev, found.st_ino) == (ours.st_dev, ours.st_ino):
                return ""
        if not ours.st_nlink:
            return "the store was removed or replaced while it was in use"
        now = os.readlink(f"/proc/self/fd/{self._file}")
        return f"the store was moved to {now} while it was in use; move it back to continue"

    def saved(self) -> str:
        """Copy the results of a removed store to a new file, and return how to go on; '' if that fails."""
        if os.fstat(self._file).st_nlink:
            return ""
        for folder in (self._path.parent, Path.cwd()):
            target = folder / f"{self._path.stem}-saved-{token_hex(4)}{self._path.suffix}"
            with suppress(OSError, sqlite3.Error):
                _make_private_file(target)
                with closing(self.database.raw_connection()) as ours:
                    driver = ours.driver_connection
                    assert driver is not None
                    with closing(sqlite3.connect(target)) as copy:
                        driver.backup(copy)
                return f"all results are saved in {target}: move it to {self._path} to continue"
        return ""

    def flaws(self, connection: sa.Connection) -> Iterator[str]:
        """Return what SQLite itself finds wrong with the file."""
        for name in ("integrity_check", "foreign_key_check"):
            for row in connection.exec_driver_sql(f"PRAGMA {name}").all():
                if tuple(row) != ("ok",):
                    yield f"{name}: {', '.join(map(str, row))}"

    def in_words(self, error: sa.exc.DBAPIError) -> StoreError:
        """Return the message of SQLite, for the person at the terminal."""
        said = str(error.orig)
        code = getattr(error.orig, "sqlite_errorcode", 0)
        if code == sqlite3.SQLITE_READONLY_ROLLBACK:
            # A journal to be rolled back is from before the write-ahead log: the next writer will do it.
            return NoResultsError(f"{self._path}: nothing is in it yet")
        reasons = {
            sqlite3.SQLITE_FULL: "the disk is full",
            sqlite3.SQLITE_IOERR: "it cannot be written (is the disk full?)",
            sqlite3.SQLITE_READONLY: "it cannot be written: it is read-only",
            sqlite3.SQLITE_CANTOPEN: "it cannot be opened",
            sqlite3.SQLITE_CORRUPT: "the database is damaged; restore a copy, or begin a new store",
            sqlite3.SQLITE_NOTADB: "not a database; name another file",
            sqlite3.SQLITE_CONSTRAINT: "a match can be added only once",
        }
        reason = reasons.get(code & 0xFF)
        return StoreError(f"{self._path}: {f'{reason} ({said})' if reason else said}")


def _make_private_file(path: Path) -> None:
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))


def open_database(path: Path, write: bool) -> sa.Engine:
    """Return the database; nothing is opened before its first use."""

    def connect() -> sqlite3.Connection:
        # Transactions are begun by us: the driver would begin none for changes of the schema.
        connection = sqlite3.connect(
            _uri(path, write), uri=True, isolation_level=None, check_same_thread=False
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


def _uri(path: Path, write: bool) -> str:
    address = path.absolute().as_uri()
    if write:
        return f"{address}?mode=rwc"
    # SQLite makes files beside a database for readers too, unless no process can write to it.
    is_frozen = not os.access(path.parent, os.W_OK) and not path.with_name(f"{path.name}-wal").exists()
    return f"{address}?immutable=1" if is_frozen else f"{address}?mode=ro"
