"""Where results are kept: one SQLite file, a row for every match and a row for every seat of it.

Nothing but committed rows counts. A match is added in one transaction that is on disk when `add` returns
(write-ahead log, synchronous FULL), so the end of the process at any moment loses nothing and leaves no half
of a match. One process at a time may write: it holds a lock on a file beside the store, which the kernel lets
go when the process ends, however it ends. Anybody may read meanwhile.

The schema has a version; steps from each version to the next are in `tournaments.migrations`.
"""

import errno
import fcntl
import os
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import Any, Final, Self

import sqlalchemy as sa

from referee.errors import RefereeError
from tournaments.results import Played

VERSION: Final = 2
"""The version of the schema; the last step of `tournaments.migrations` leads to it."""

_PATIENCE_S = 0.5
"""How long to wait for the lock: a killed process may have left a child that is just about to let it go."""

_tables = sa.MetaData()
_matches = sa.Table(
    "matches",
    _tables,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("game", sa.Text),
    sa.Column("round", sa.Integer),
    sa.Column("block", sa.Text),
    sa.Column("deal", sa.Text),
    sa.Column("ties", sa.Text),
    sa.Column("reason", sa.Text),
    sa.Column("decisions", sa.Integer),
    sa.Column("play", sa.Text),
    sa.Column("replay", sa.Text),
    sa.Column("finished", sa.Text),
)
_seats = sa.Table(
    "seats",
    _tables,
    sa.Column("match_id", sa.Text, sa.ForeignKey("matches.id"), primary_key=True),
    sa.Column("seat", sa.Integer, primary_key=True),
    sa.Column("bot", sa.Text),
    sa.Column("rank", sa.Integer),
    sa.Column("score", sa.Integer),
    sa.Column("fault", sa.Text),
    sa.Column("used_ms", sa.Integer),
)
_notes = sa.Table("notes", _tables, sa.Column("name", sa.Text, primary_key=True), sa.Column("value", sa.Text))


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
        try:
            with self._speaking():
                self._open(write)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file and let the lock go."""
        self._database.dispose()
        if self._lock is not None:
            self._lock.release()

    def add(self, matches: Sequence[Played]) -> None:
        """Commit matches; when this returns, they will survive a loss of power. All of them, or none."""
        if not matches:
            return
        now = datetime.now(UTC).isoformat(timespec="seconds")
        with self._transaction() as connection:
            connection.execute(sa.insert(_matches), [_match_row(played, now) for played in matches])
            connection.execute(sa.insert(_seats), [row for played in matches for row in _seat_rows(played)])

    def played(self) -> list[Played]:
        """Return all matches by round, block and id: the same whatever the order in which they ended."""
        in_order = sa.select(_matches).order_by(_matches.c.round, _matches.c.block, _matches.c.id)
        by_seat = sa.select(_seats).order_by(_seats.c.match_id, _seats.c.seat)
        with self._transaction() as connection:
            matches = connection.execute(in_order).all()
            seats = connection.execute(by_seat).all()
        places: dict[str, list[sa.Row[Any]]] = {}
        for seat in seats:
            places.setdefault(seat.match_id, []).append(seat)
        return [_played(match, places[match.id]) for match in matches]

    def last_finished(self) -> str:
        """Return when the last match was committed (UTC), or '' if none was."""
        with self._transaction() as connection:
            return connection.execute(sa.select(sa.func.max(_matches.c.finished))).scalar() or ""

    def note(self, name: str, value: str) -> None:
        """Keep a text under a name; it replaces what was there."""
        with self._transaction() as connection:
            connection.execute(sa.delete(_notes).where(_notes.c.name == name))
            connection.execute(sa.insert(_notes), {"name": name, "value": value})

    def noted(self, name: str) -> str | None:
        """Return the text of that name, if there is one."""
        with self._transaction() as connection:
            return connection.execute(sa.select(_notes.c.value).where(_notes.c.name == name)).scalar()

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

    def _open(self, write: bool) -> None:
        """Look whether the file is sound and of a version we know; bring an older one up to date."""
        with self._database.connect() as connection:
            found = connection.exec_driver_sql("PRAGMA quick_check(1)").scalar()
            if found != "ok":
                raise StoreError(
                    f"{self.path}: the database is damaged ({found}); restore a copy, or begin a new store: "
                    "the replays are still there"
                )
        version = self._version()
        if version == VERSION:
            return
        if not write and version == 0:
            raise NoResultsError(f"{self.path}: nothing is in it yet")
        if not write:
            raise StoreError(
                f"{self.path}: of an older version ({version}, this referee writes {VERSION}); "
                "`referee tournament run` upgrades it"
            )
        with self._database.begin() as connection:
            _upgrade(connection)

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


def _upgrade(connection: sa.Connection) -> None:
    # Imported late: a store is new or old only once.
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", "tournaments:migrations")
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def _played(match: sa.Row[Any], seats: list[sa.Row[Any]]) -> Played:
    return Played(
        match=match.id,
        game=match.game,
        round=match.round,
        block=match.block,
        deal=match.deal,
        bots=tuple(seat.bot for seat in seats),
        ranks=tuple(seat.rank for seat in seats),
        scores=tuple(seat.score for seat in seats),
        ties=match.ties,
        reason=match.reason,
        faults=tuple(seat.fault for seat in seats),
        used_ms=tuple(seat.used_ms for seat in seats),
        decisions=match.decisions,
        play=match.play,
        replay=match.replay,
    )


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


def _match_row(played: Played, finished: str) -> dict[str, Any]:
    return {
        "id": played.match,
        "game": played.game,
        "round": played.round,
        "block": played.block,
        "deal": played.deal,
        "ties": played.ties,
        "reason": played.reason,
        "decisions": played.decisions,
        "play": played.play,
        "replay": played.replay,
        "finished": finished,
    }


def _seat_rows(played: Played) -> list[dict[str, Any]]:
    return [
        {
            "match_id": played.match,
            "seat": seat,
            "bot": bot,
            "rank": played.ranks[seat],
            "score": played.scores[seat],
            "fault": played.faults[seat],
            "used_ms": played.used_ms[seat],
        }
        for seat, bot in enumerate(played.bots)
    ]
