"""A real PostgreSQL server in a temporary folder, for tests: a Unix socket alone, and gone with its test."""

import ctypes
import itertools
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg

from tests.lacking import lacking
from tournaments.config.store_address import DatabaseUrl

PASSWORD = "the right one"
"""Of the role `guarded`; the others need none."""

_PATIENCE_S = 60
_QUICK = ("-c", "fsync=off", "-c", "full_page_writes=off")
"""For tests that kill no server."""
_SMALL = ("-c", "shared_buffers=4MB", "-c", "max_connections=20", "-c", "autovacuum=off")
_PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None)


class PostgresServer:
    """A server with a database `referee`, a role of that name, which owns it, and a role `guarded`."""

    def __init__(self, folder: Path, tools: Path, user: dict[str, Any], settings: Sequence[str]) -> None:
        self.folder = folder
        self._tools = tools
        self._user = user
        self._settings = settings
        self._process: subprocess.Popen[Any] | None = None
        self._numbers = itertools.count(1)

    def make(self) -> None:
        """Make its files."""
        options = ("--auth-local=trust", "--username=referee", "--no-sync", "--locale=C", "--encoding=UTF8")
        done = subprocess.run(
            [self._tools / "initdb", "-D", self.folder / "data", *options],
            **self._user,
            cwd=self.folder,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        rules = self.folder / "data" / "pg_hba.conf"
        rules.write_text(f"local all guarded scram-sha-256\n{rules.read_text()}")
        self.start()
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            # Ordered as people do, not by code points.
            connection.execute(
                "CREATE DATABASE referee TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en'"
            )
            connection.execute(f"CREATE ROLE guarded LOGIN PASSWORD '{PASSWORD}'".encode())

    def start(self) -> None:
        """Start it, also after a kill, and wait until it answers."""
        command = [f"{self._tools}/postgres", "-D", f"{self.folder}/data", "-k", f"{self.folder}"]
        with (self.folder / "log").open("ab") as log:
            self._process = process = subprocess.Popen(
                [*command, *self._settings, "-c", "listen_addresses="],
                **self._user,
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=log,
                # It ends with the tests, also if these are killed.
                preexec_fn=lambda: _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGQUIT, 0, 0, 0),
            )
        end = time.monotonic() + _PATIENCE_S
        while True:
            try:
                psycopg.connect(self.url("postgres")).close()
            except psycopg.OperationalError:
                assert process.poll() is None, (self.folder / "log").read_text()
                assert time.monotonic() < end, "the server does not answer"
                time.sleep(0.05)
            else:
                return

    def kill(self) -> None:
        """End all its processes with SIGKILL, as the end of its host would."""
        assert self._process is not None
        children = Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children").read_text().split()
        # The first must not begin others in the place of those that are gone.
        self._process.kill()
        for child in map(int, children):
            os.kill(child, signal.SIGKILL)
        self._process.wait()

    def stop(self) -> None:
        """Stop it without waiting for its clients."""
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)
            self._process.wait(_PATIENCE_S)

    def new_database(self) -> str:
        """Make a database in which there is nothing yet, and return its name."""
        name = f"new_{next(self._numbers)}"
        self.run(f"CREATE DATABASE {name}")
        return name

    def url(self, database: str = "referee", *, user: str = "referee") -> str:
        """Return the URL of a database."""
        return f"postgresql://{user}@/{database}?host={self.folder}"

    def address(self) -> DatabaseUrl:
        """Return where a store can be made that no other test has."""
        return DatabaseUrl(self.url(), f"test_{next(self._numbers)}")

    def run(self, statement: str, address: DatabaseUrl | None = None) -> list[tuple[Any, ...]]:
        """Carry out a statement, with the tables of a store; return what it found."""
        with psycopg.connect(self.url(), autocommit=True) as connection:
            if address is not None:
                connection.execute("SELECT set_config('search_path', %s, false)", (address.schema,))
            found = connection.execute(statement.encode())
            return found.fetchall() if found.description else []


@contextmanager
def postgres_server(*, is_killed: bool = False) -> Iterator[PostgresServer]:
    """Start a server; one that is killed writes to its disk as those in use do."""
    tools = _tools()
    # The path of a socket is short, and the folders of pytest are closed to other users.
    folder = Path(tempfile.mkdtemp(prefix="pg-", dir="/tmp"))
    server = PostgresServer(folder, tools, _user(folder), _SMALL if is_killed else (*_SMALL, *_QUICK))
    try:
        server.make()
        yield server
    finally:
        server.stop()
        shutil.rmtree(folder)


def _tools() -> Path:
    """Return the folder of the programs of PostgreSQL; Debian keeps them out of the path."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"))
    here = shutil.which("postgres")
    if here is None and not found:
        lacking("PostgreSQL is missing: stores in a database are not tested")
    return Path(os.path.realpath(here or found[-1])).parent


def _user(folder: Path) -> dict[str, Any]:
    """Return as which user the server runs: it refuses to be root."""
    if os.geteuid() != 0:
        return {}
    known = {one.pw_name: one for one in pwd.getpwall()}
    user = known.get("postgres") or known["nobody"]
    os.chown(folder, user.pw_uid, user.pw_gid)
    # The commands under test are root, and reach the socket in it.
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
