"""A store in a PostgreSQL database: a schema of its own, so that several events share one database.

One process at a time may write: its session holds an advisory lock, which the server releases when the
session ends. The session that holds the lock is the one that writes, and there is no other. So nothing is
written without the lock, also after the end of a connection or of the server: a new session takes it first,
and finds out if another process has it by now. Readers lock nothing; each of their transactions sees one
state of the store.
"""

import logging
import os
import platform
import re
import time
from collections.abc import Iterator
from contextlib import suppress
from hashlib import sha256
from secrets import token_hex
from typing import Any, Final

import sqlalchemy as sa
from msgspec import Struct

from tournaments.config.store_address import DatabaseUrl
from tournaments.store import schema
from tournaments.store.errors import (
    NoResultsError,
    StoreBusyError,
    StoreError,
    StoreLostError,
    StoreOutageError,
    StorePlaceError,
)

try:
    import psycopg
    from psycopg.conninfo import conninfo_to_dict
except ImportError as error:
    raise StorePlaceError(
        "a store by the URL of a database needs further libraries: pip install 'chicago-referee[postgres]'"
    ) from error

# The library logs what a lost connection kept it from doing; the errors say so too, and are shown.
logging.getLogger("psycopg").setLevel(logging.ERROR)

_PATIENCE_S: Final = 1.0
"""How long to wait for the lock: the server may be about to notice that a killed process is gone."""

_USUAL: Final = {
    "connect_timeout": "10",
    "keepalives_idle": "15",
    "keepalives_interval": "5",
    "keepalives_count": "3",
    "tcp_user_timeout": "30000",
}
"""What a URL may change: how soon a server that does not answer is given up, and a cut connection found."""

_GONE: Final = ("08", "57P")
"""The beginnings of the codes of errors that end a session: the connection failed, the server shuts down."""

_NO_ROOM: Final = "53300"
"""The code of an error: the server has no connection left. Another one may end."""

_REASONS: Final = {
    "25006": "it cannot be written: it is read-only",
    "42501": "the role may not do this: docs/postgresql.md has what it needs",
    "53100": "the disk of the server is full",
    "23505": "a match can be added only once",
    "XX001": "the database is damaged; restore a copy, or begin a new store",
    "XX002": "an index of the database is damaged; REINDEX makes it anew",
}
_REMOVED: Final = ("42P01", "3F000")
"""The codes of errors about a table or a schema that is not there."""

_HOLDER: Final = """
SELECT pid, application_name, to_char(backend_start AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI')
FROM pg_locks JOIN pg_stat_activity USING (pid)
WHERE locktype = 'advisory' AND granted AND classid = %s AND objid = %s AND objsubid = 1
AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""


class _Holder(Struct, frozen=True):
    """The session that holds the lock of a store."""

    session: int
    pid: int
    token: str
    host: str
    since: str
    """Empty if another role has it, which may hide that."""

    def __str__(self) -> str:
        since = f" since {self.since} UTC" if self.since else ""
        return f"process {self.pid} on host {self.host}{since}" if self.pid else f"another session{since}"


class PostgresBackend:
    """The schema of a store. Other roles cannot read it, unless the operator lets them."""

    def __init__(self, address: DatabaseUrl, write: bool) -> None:
        self._address = address
        self._write = write
        self._token = token_hex(4)
        """What the server knows our sessions by."""
        self._had_lock = False
        self._loss = ""
        self.made = False
        self.database = sa.create_engine(
            "postgresql+psycopg://", creator=self._connect, poolclass=sa.pool.StaticPool
        )
        try:
            self._find_schema()
        except sa.exc.DBAPIError as error:
            self.database.dispose()
            raise self.in_words(error) from error
        except BaseException:
            self.database.dispose()
            raise

    def _connect(self) -> psycopg.Connection[Any]:
        """Begin a session; one that writes has the lock."""
        connection = _connected(self._address, self._token)
        try:
            if self._write and not self._loss:
                self._take_lock(connection)
                # A server that answers before a commit is on disk would lose it with its power.
                connection.execute(
                    "SELECT set_config('synchronous_commit', 'on', false) "
                    "WHERE current_setting('synchronous_commit') = 'off'"
                )
            connection.autocommit = False
            connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
            connection.read_only = not self._write or bool(self._loss)
        except BaseException:
            connection.close()
            raise
        return connection

    def _take_lock(self, connection: psycopg.Connection[Any]) -> None:
        end = time.monotonic() + _PATIENCE_S
        high, low = _lock_key(self._address)
        # PostgreSQL takes one signed number, and shows it as two without a sign.
        key = int.from_bytes(((high << 32) + low).to_bytes(8, "big"), "big", signed=True)
        while connection.execute("SELECT pg_try_advisory_lock(%s)", (key,)).fetchone() != (True,):
            holder = _holder(connection, self._address)
            if holder is not None and holder.token == self._token:
                # Our own session, whose connection was cut: the server may not know yet.
                connection.execute("SELECT pg_terminate_backend(%s)", (holder.session,))
            if time.monotonic() > end:
                self._refuse(holder)
            time.sleep(0.02)
        self._had_lock = True

    def _refuse(self, holder: _Holder | None) -> None:
        if holder is not None and holder.token == self._token:
            raise psycopg.OperationalError("the server still has our earlier session")
        if not self._had_lock:
            raise StoreBusyError(
                f"{self._address}: {holder or 'another session'} is playing this tournament; "
                "only one at a time may"
            )
        self._loss = (
            f"{holder or 'another session'} has begun to play this tournament while the server was out of "
            "reach of this process"
        )
        raise StoreLostError(f"{self._address}: {self._loss}")

    def _find_schema(self) -> None:
        """Make the schema, if there is none yet; a reader refuses to."""
        name = self._address.schema
        with self.database.begin() as connection:
            may = sa.text("SELECT has_schema_privilege(oid, 'USAGE') FROM pg_namespace WHERE nspname = :name")
            found = connection.execute(may, {"name": name}).scalar()
            if found is False:
                raise StorePlaceError(
                    f"{self._address}: the role may not use this schema: docs/postgresql.md has what it needs"
                )
            if found is None and not self._write:
                raise NoResultsError(f"{self._address}: there is no such store")
            if found is None:
                connection.execute(sa.schema.CreateSchema(name))
                self.made = True

    def check(self) -> None:
        """Raise nothing: PostgreSQL reports a damaged page when it reads it, if it has checksums."""

    def check_writable(self) -> None:
        """Raise StoreError if the server is a copy that is read-only, or the role may not write."""
        may = sa.text("SELECT has_table_privilege(:name, 'INSERT')")
        with self.database.begin() as connection:
            names = [table.name for table in schema.tables.sorted_tables]
            allowed = all(connection.execute(may, {"name": name}).scalar() for name in names)
            if not allowed or connection.exec_driver_sql("SELECT pg_is_in_recovery()").scalar():
                raise StoreError(f"{self._address}: it cannot be written: it is read-only for this role")

    def close(self, *, remove: bool, failed: bool) -> None:
        """End the session, and with it the lock; remove a schema that was made here, if asked to."""
        if remove and self.made:
            with suppress(sa.exc.DBAPIError, StoreError), self.database.begin() as connection:
                connection.execute(sa.schema.DropSchema(self._address.schema, cascade=True))
        self.database.dispose()

    def loss(self) -> str:
        """Return which process has taken the lock from us; '' if none has."""
        return self._loss

    def saved(self) -> str:
        """Return how to go on: what was committed is in the database."""
        return "what was committed before is there"

    def flaws(self, connection: sa.Connection) -> Iterator[str]:
        """Return what is wrong with constraints and indexes, and seats that belong to no match.

        PostgreSQL has no check of a whole table from within; the chain covers what is read.
        """
        found = sa.inspect(connection)
        for table in schema.tables.sorted_tables:
            name = table.name
            uniques = [one["column_names"] for one in found.get_unique_constraints(name)]
            if found.get_pk_constraint(name)["constrained_columns"] != list(table.primary_key.columns.keys()):
                yield f"table {name}: its primary key is missing"
            if any(column.unique and [column.name] not in uniques for column in table.columns):
                yield f"table {name}: a unique constraint is missing"
            if len(found.get_foreign_keys(name)) < len(table.foreign_keys):
                yield f"table {name}: a foreign key is missing"
        invalid = sa.text(
            "SELECT conname FROM pg_constraint "
            "WHERE NOT convalidated AND connamespace = to_regnamespace(:name) "
            "UNION ALL SELECT relname FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid "
            "WHERE NOT indisvalid AND relnamespace = to_regnamespace(:name)"
        )
        for one in connection.execute(invalid, {"name": self._address.schema}).scalars():
            yield f"{one} is not valid"
        seats = schema.seats.c.number
        orphans = sa.select(seats).where(seats.not_in(sa.select(schema.matches.c.number))).distinct()
        for number in connection.execute(orphans).scalars():
            yield f"seats of match number {number}, which is not there"

    def in_words(self, error: sa.exc.DBAPIError) -> StoreError:
        """Return the message of the server or its library, for the person at the terminal."""
        said = " ".join(self._address.without_secrets(str(error.orig)).split())
        code = getattr(error.orig, "sqlstate", None) or ""
        is_gone = isinstance(error.orig, psycopg.OperationalError) and not code
        if error.connection_invalidated or is_gone or code.startswith(_GONE) or code == _NO_ROOM:
            return StoreOutageError(f"{self._address}: the server gives no connection: {said}")
        if code in _REMOVED:
            gone = StoreLostError if self._had_lock else StoreError
            return gone(f"{self._address}: the store was removed while it was in use ({said})")
        reason = _REASONS.get(code)
        return StoreError(f"{self._address}: {f'{reason} ({said})' if reason else said}")


def writer_at(address: DatabaseUrl) -> tuple[int, str] | None:
    """Return process id and host of the writer of a store: 0 and '' if they are not known.

    Returns None if there is no writer, or if the server does not answer.
    """
    with suppress(psycopg.Error), _connected(address, token_hex(4)) as connection:
        holder = _holder(connection, address)
        if holder is not None:
            return holder.pid, "" if holder.host == _host() else holder.host
    return None


def _connected(address: DatabaseUrl, token: str) -> psycopg.Connection[Any]:
    """Begin a session that sees the tables of the store alone, and is known by process, token and host."""
    given: dict[str, Any] = conninfo_to_dict(address.url)
    name = f"referee {os.getpid()} {token} {_host()}"
    connection = psycopg.connect(**_USUAL | given | {"application_name": name}, autocommit=True)
    # The name of a schema is of small letters, digits and _: see `tournaments.config.store_address`.
    connection.execute("SELECT set_config('search_path', %s, false)", (address.schema,))
    return connection


def _holder(connection: psycopg.Connection[Any], address: DatabaseUrl) -> _Holder | None:
    """Return the session that holds the lock of a store; None if none does."""
    row = connection.execute(_HOLDER, _lock_key(address)).fetchone()
    if row is None:
        return None
    session, name, since = row
    words = str(name).split(" ")
    if len(words) != 4 or words[0] != "referee" or not words[1].isdigit():
        return _Holder(session, 0, "", "", since or "")
    return _Holder(session, int(words[1]), words[2], words[3], since or "")


def _lock_key(address: DatabaseUrl) -> tuple[int, int]:
    """Return the number of the lock of a store, as its two halves; the server keeps databases apart."""
    digest = sha256(f"store of the referee: {address.schema}".encode()).digest()
    return int.from_bytes(digest[:4], "big"), int.from_bytes(digest[4:8], "big")


def _host() -> str:
    # PostgreSQL cuts a name at 63 letters, and takes ASCII only.
    return re.sub(r"[^!-~]", "", platform.node())[:32] or "?"
