"""What a store needs of the database that it is in, and which database is at an address."""

from collections.abc import Iterator
from typing import Protocol

import sqlalchemy as sa
from msgspec import Struct

from tournaments.config.store_address import Address, DatabaseUrl
from tournaments.store import sqlite_lock
from tournaments.store.errors import StoreError
from tournaments.store.sqlite_backend import SqliteBackend


class Writer(Struct, frozen=True):
    """The process that writes to a store now."""

    pid: int
    """0 if it is not known."""
    host: str = ""
    """Where it runs; '' for this host."""


class Backend(Protocol):
    """The place of a store in a database of some kind, open for one process; nothing is known of its rows."""

    database: sa.Engine
    """One connection for all threads, each in its turn."""
    made: bool
    """Whether the place was made here."""

    def check(self) -> None:
        """Raise StoreError if the database is damaged, as far as that is found quickly."""

    def check_writable(self) -> None:
        """Raise StoreError if the database lets nothing be written."""

    def close(self, *, remove: bool, failed: bool) -> None:
        """Close it, and let other processes write; remove it, or after a failure what else was made here."""

    def loss(self) -> str:
        """Return what has happened to a store that is written; '' if it is where it was."""

    def saved(self) -> str:
        """Save the results of a lost store elsewhere, if that is possible, and return how to go on."""

    def flaws(self, connection: sa.Connection) -> Iterator[str]:
        """Return what the database itself finds wrong."""

    def in_words(self, error: sa.exc.DBAPIError) -> StoreError:
        """Return an error of the database for the person at the terminal."""


def open_backend(address: Address, write: bool) -> Backend:
    """Open the place of a store, and lock it for writing.

    Raises NoResultsError if there is nothing to read, StoreBusyError if another process writes.
    """
    if isinstance(address, DatabaseUrl):
        # Imported here: its library is an extra.
        from tournaments.store.postgres_backend import PostgresBackend

        return PostgresBackend(address, write)
    return SqliteBackend(address, write)


def writer(address: Address) -> Writer | None:
    """Return the process that writes to a store now; None if none does, or if its server does not answer."""
    if isinstance(address, DatabaseUrl):
        from tournaments.store.postgres_backend import writer_at

        found = writer_at(address)
        return found and Writer(*found)
    pid = sqlite_lock.writer(address)
    return None if pid is None else Writer(pid)
