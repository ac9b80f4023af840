"""A store in PostgreSQL: what its server, its connections and its roles can do to it."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import psycopg
import pytest

from tests.postgres import PASSWORD, PostgresServer
from tests.unit.tournaments.rows import row
from tests.unit.tournaments.store.test_store import ONE, ROOT, named
from tournaments.config.store_address import DatabaseUrl
from tournaments.store import chain
from tournaments.store.backend import writer
from tournaments.store.copying import copy_store
from tournaments.store.errors import StoreError, StoreLostError, StoreOutageError
from tournaments.store.postgres_backend import PostgresBackend
from tournaments.store.store import Store

SECRET = "s3cr3t-w0rd"


@pytest.fixture
def address(postgres: PostgresServer) -> DatabaseUrl:
    return postgres.address()


class Cutter:
    """A way to the server that can be cut; the server's end stays open, as after the end of a network."""

    def __init__(self, server: Path, folder: Path) -> None:
        self.folder = folder
        self.cuts_after = b""
        """The first message with this text is sent on, and its answer is not: the connection is cut."""
        self._server = str(server / ".s.PGSQL.5432")
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(folder / ".s.PGSQL.5432"))
        self._listener.listen()
        self._open: list[socket.socket] = [self._listener]
        Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            server = socket.socket(socket.AF_UNIX)
            server.connect(self._server)
            self._open += [client, server]
            Thread(target=self._forward, args=(client, server), daemon=True).start()
            Thread(target=self._back, args=(server, client), daemon=True).start()

    def _forward(self, client: socket.socket, server: socket.socket) -> None:
        while data := _received(client):
            server.sendall(data)
            if self.cuts_after and self.cuts_after in data:
                self.cuts_after = b""
                client.shutdown(socket.SHUT_RDWR)

    def _back(self, server: socket.socket, client: socket.socket) -> None:
        while data := _received(server):
            try:
                client.sendall(data)
            except OSError:
                # What the client did not hear was done all the same.
                continue

    def close(self) -> None:
        for one in self._open:
            one.close()


def _received(one: socket.socket) -> bytes:
    try:
        return one.recv(1 << 16)
    except OSError:
        return b""


@pytest.fixture
def cutter(postgres: PostgresServer) -> Iterator[Cutter]:
    folder = postgres.folder / f"cut-{os.urandom(3).hex()}"
    folder.mkdir()
    cutter = Cutter(postgres.folder, folder)
    yield cutter
    cutter.close()


def through(cutter: Cutter, address: DatabaseUrl) -> DatabaseUrl:
    return DatabaseUrl(f"postgresql://referee@/referee?host={cutter.folder}", address.schema)


# What is kept.


def test_a_copy_is_the_same_bit_for_bit_in_both_directions(address: DatabaseUrl, tmp_path: Path) -> None:
    first, last = tmp_path / "first.sqlite", tmp_path / "last.sqlite"
    with Store(first) as store:
        store.note("name", "Ünïcödé 🎲")
        store.add([ONE, named("other", 2)])
        store.note("name", "later")
        contents, head = store.contents(), store.head()
    assert copy_store(first, address).head == copy_store(address, last).head == head
    for copy in (address, last):
        with Store(copy, write=False) as store:
            assert (store.contents(), store.head()) == (contents, head)
    with Store(address) as store, Store(last) as other:
        assert store.played() == other.played()
        store.add([named("more")])


def test_a_copy_takes_the_place_of_nothing(address: DatabaseUrl, tmp_path: Path) -> None:
    for place in (address, tmp_path / "a.db"):
        with Store(place) as store:
            store.add([ONE])
    for source, target in ((address, tmp_path / "a.db"), (tmp_path / "a.db", address)):
        with pytest.raises(StoreError, match="there is a store already; name another place"):
            copy_store(source, target)


def test_a_store_that_was_changed_is_not_copied(
    postgres: PostgresServer, address: DatabaseUrl, tmp_path: Path
) -> None:
    with Store(address) as store:
        store.add([ONE, named("other")])
    postgres.run("UPDATE seats SET score = score + 1 WHERE number = 2 AND seat = 0", address)
    with pytest.raises(StoreError, match=r"result 2 \(match other\).*not as it was committed; it is not cop"):
        copy_store(address, tmp_path / "copy.db")
    assert not (tmp_path / "copy.db").exists()
    with pytest.raises(StoreError, match="not as it was committed"):
        Store(address)


def test_a_store_is_copied_while_it_is_written(address: DatabaseUrl, tmp_path: Path) -> None:
    with Store(address) as store:
        store.add([ONE])
        assert copy_store(address, tmp_path / "copy.db").head == store.head()


def test_numbers_may_be_large_and_the_order_is_that_of_code_points(address: DatabaseUrl) -> None:
    names = ["Zoe", "ann", "Ann", "a-b", "ab", "éa"]
    slow = row("ab", (1, 2), match="slow", round=2, took_us=10**12, scores=(-(10**11), 0))
    with Store(address) as store:
        store.add([slow, *(named(name) for name in names)])
        *others, last = store.played()
    assert [one.match for one in others] == sorted(names)
    assert last == slow


def test_a_commit_is_on_the_disk_of_the_server_before_it_returns(address: DatabaseUrl) -> None:
    options = "options=-csynchronous_commit%3Doff"
    careless = DatabaseUrl(f"{address.url}&{options}", address.schema)
    with psycopg.connect(careless.url) as connection:
        assert connection.execute("SHOW synchronous_commit").fetchone() == ("off",)
    backend = PostgresBackend(careless, write=True)
    with backend.database.connect() as session:
        assert session.exec_driver_sql("SHOW synchronous_commit").scalar() == "on"
    backend.close(remove=True, failed=False)


def test_what_is_missing_in_the_database_is_a_flaw(postgres: PostgresServer, address: DatabaseUrl) -> None:
    with Store(address) as store:
        store.add([ONE])
        assert list(store.flaws()) == []
    postgres.run("ALTER TABLE seats DROP CONSTRAINT seats_number_fkey", address)
    postgres.run("ALTER TABLE matches DROP CONSTRAINT matches_match_key", address)
    postgres.run(
        "INSERT INTO seats SELECT 7, seat, bot, name, rank, score, fault, 0, 0, 0, 0 FROM seats", address
    )
    with Store(address, write=False) as store:
        flaws = "\n".join(store.flaws())
        # The chain knows nothing of seats without a match.
        assert list(chain.flaws(store.contents())) == []
    assert "table seats: a foreign key is missing" in flaws
    assert "table matches: a unique constraint is missing" in flaws
    assert "seats of match number 7, which is not there" in flaws


# Connections that end.


def test_a_writer_whose_session_was_ended_takes_the_lock_again(
    postgres: PostgresServer, address: DatabaseUrl
) -> None:
    said: list[str] = []
    with Store(address) as store:
        store.patience.report = said.append
        postgres.run("SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'")
        store.add([ONE])
        assert writer(address) is not None
        assert store.played() == [ONE]
    assert ["waiting until it is back" in said[0], "is back; going on" in said[1]] == [True, True]


def test_without_patience_the_end_of_a_session_is_an_error(
    postgres: PostgresServer, address: DatabaseUrl
) -> None:
    with Store(address) as store:
        postgres.run("SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'")
        with pytest.raises(StoreOutageError, match="the server gives no connection"):
            store.add([ONE])
        store.add([ONE])
        assert store.played() == [ONE]


def test_a_writer_whose_place_was_taken_writes_no_more(
    postgres: PostgresServer, address: DatabaseUrl
) -> None:
    with Store(address) as first:
        first.patience.report = lambda _: None
        first.add([ONE])
        postgres.run("SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'")
        with Store(address) as second:
            second.add([named("of the second")])
            with pytest.raises(StoreLostError, match=rf"process {os.getpid()} on host .* has begun to play"):
                first.add([named("of the first")])
            with pytest.raises(StoreLostError, match="has begun to play this tournament while"):
                first.check_place()
            # What is there can still be read.
            assert {one.match for one in first.played()} == {ONE.match, "of the second"}


def test_rows_that_came_past_the_lock_end_a_writer(postgres: PostgresServer, address: DatabaseUrl) -> None:
    with Store(address) as store:
        store.add([ONE])
        postgres.run("INSERT INTO notes VALUES (9, 1, 'by hand', 'x', 'y')", address)
        with pytest.raises(StoreLostError, match="another process has added to the store"):
            store.add([named("other")])


@pytest.mark.parametrize("word", [b"COMMIT", b"INSERT INTO matches"])
def test_a_commit_whose_answer_is_lost_counts_once(address: DatabaseUrl, cutter: Cutter, word: bytes) -> None:
    said: list[str] = []
    with Store(through(cutter, address)) as store:
        store.patience.report = said.append
        for number in range(3):
            # The server still has the session, and its lock, when the next one comes.
            cutter.cuts_after = word
            store.add([named(f"m{number}a"), named(f"m{number}b")])
            store.note("name", f"{number}")
        assert len(said) >= 2
        assert store.noted("name") == ["0", "1", "2"]
    with Store(address) as store:
        assert store.ids() == [f"m{number}{letter}" for number in range(3) for letter in "ab"]


def test_a_wait_for_the_server_ends_when_it_is_given_up(cutter: Cutter, address: DatabaseUrl) -> None:
    with Store(through(cutter, address)) as store:
        store.patience.report = lambda _: store.patience.give_up()
        cutter.cuts_after = b"INSERT"
        (cutter.folder / ".s.PGSQL.5432").unlink()
        with pytest.raises(StoreOutageError, match="the server gives no connection"):
            store.add([ONE])


# Addresses that do not work.


def refusal(url: str, *, write: bool = True) -> str:
    with pytest.raises(StoreError) as caught:
        Store(DatabaseUrl(url, "refused"), write=write)
    assert SECRET not in str(caught.value)
    assert "refused" in str(caught.value)
    return str(caught.value)


def test_an_address_that_does_not_work_says_why_without_its_password(
    postgres: PostgresServer, tmp_path: Path
) -> None:
    host = f"host={postgres.folder}"
    assert "No such file" in refusal(f"postgresql://me:{SECRET}@/db?host={tmp_path}")
    assert "Connection refused" in refusal(f"postgresql://me:{SECRET}@127.0.0.1:1/db")
    assert 'database "none" does not exist' in refusal(f"postgresql://referee:{SECRET}@/none?{host}")
    assert 'role "me" does not exist' in refusal(f"postgresql://me:{SECRET}@/referee?{host}")
    assert "password authentication failed" in refusal(f"postgresql://guarded:{SECRET}@/referee?{host}")
    assert "invalid" in refusal(f"postgresql://me:{SECRET}%zz@/referee?{host}")
    assert "strange" in refusal(f"postgresql://me:{SECRET}@/referee?{host}&strange=1")


def test_a_role_that_may_not_do_what_it_must_is_refused(
    postgres: PostgresServer, address: DatabaseUrl, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    guarded = postgres.url(user="guarded")
    assert "the role may not do this" in refusal(guarded)
    with Store(address) as store:
        store.add([ONE])
    theirs = DatabaseUrl(guarded, address.schema)
    with pytest.raises(StoreError, match="may not use this schema: docs/postgresql"):
        Store(theirs, write=False)
    postgres.run(f"GRANT USAGE ON SCHEMA {address.schema} TO guarded")
    postgres.run(f"GRANT SELECT ON ALL TABLES IN SCHEMA {address.schema} TO guarded")
    with Store(theirs, write=False) as store:
        assert store.played() == [ONE]
    with pytest.raises(StoreError, match="read-only for this role"):
        Store(theirs)


def test_a_schema_of_another_program_is_refused(postgres: PostgresServer, address: DatabaseUrl) -> None:
    postgres.run(f"CREATE SCHEMA {address.schema}")
    postgres.run("CREATE TABLE recipes (soup TEXT)", address)
    with pytest.raises(StoreError, match="a database, but not of results"):
        Store(address)


def test_without_its_library_a_url_is_refused_with_the_name_of_the_extra() -> None:
    script = (
        "import sys; sys.modules['psycopg'] = None\n"
        "from tournaments.store.store import Store\n"
        "from tournaments.config.store_address import DatabaseUrl\n"
        "from tournaments.store.errors import StorePlaceError\n"
        "try: Store(DatabaseUrl('postgresql://me:secret@/db', 'cup'))\n"
        "except StorePlaceError as error: print(error)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, check=True, capture_output=True, text=True
    )
    assert "pip install 'chicago-referee[postgres]'" in done.stdout
