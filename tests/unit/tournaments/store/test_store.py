"""The store: what is committed stays, one process writes, and a file that cannot be used says why."""

import fcntl
import os
import re
import shutil
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, cast

import msgspec
import pytest

import referee
from referee.errors import FormatVersionError
from referee.match.result import Result, SeatResult
from tests.unit.tournaments.rows import row
from tournaments.config.store_address import Address, whole_text
from tournaments.results import Played
from tournaments.store import schema
from tournaments.store.backend import Writer, writer
from tournaments.store.errors import NoResultsError, StoreBusyError, StoreError, StoreLostError
from tournaments.store.schema import VERSION
from tournaments.store.sqlite_backend import open_database
from tournaments.store.store import Store, is_there

if TYPE_CHECKING:
    from tests.postgres import PostgresServer

ROOT = Path(__file__).parents[4]
OLD = ROOT / "tests" / "data"

ONE = row(
    ("ada", "bo", "cy"),
    (2, 1, 3),
    match="coins-ab12-0001-r0",
    block="0001",
    deal="0001",
    scores=(4, 7, -1),
    faults=("", "", "late"),
    charged_ms=3_000,
)


def named(match: str, round: int = 1, block: str = "0001") -> Played:
    result = msgspec.structs.replace(ONE.result, match=match)
    return msgspec.structs.replace(ONE, result=result, round=round, block=block)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "new folder" / "100% mine.db"


@pytest.fixture(params=["sqlite", "postgres"])
def address(request: pytest.FixtureRequest) -> Address:
    """Return where a store can be made, in a database of each kind."""
    if request.param == "sqlite":
        return cast("Path", request.getfixturevalue("path"))
    return cast("PostgresServer", request.getfixturevalue("postgres")).address()


@pytest.fixture
def other(address: Address) -> Iterator[subprocess.Popen[str]]:
    """Return another process that holds the store open until its stdin is closed."""
    script = (
        "import sys; from pathlib import Path; from tournaments.store.store import Store\n"
        "from tournaments.config.store_address import store_address\n"
        "with Store(store_address(sys.argv[1], Path())): print('open', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, whole_text(address)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "open\n"
        yield process
        process.kill()


def test_what_is_added_is_there_when_the_store_is_opened_again(address: Address) -> None:
    with Store(address) as store:
        assert store.played() == []
        store.add([ONE])
        assert store.played() == [ONE]
    with Store(address) as store:
        assert store.played() == [ONE]


def test_matches_come_in_the_same_order_for_every_order_of_adding_them(address: Address) -> None:
    first, second, third, last = (
        named("b"),
        named("a", block="0002"),
        named("c", block="0002"),
        named("a0", 2),
    )
    with Store(address) as store:
        for one in (last, third, second, first):
            store.add([one])
        assert store.played() == [first, second, third, last]


def test_all_ways_to_read_results_give_the_same(address: Address) -> None:
    voided = msgspec.structs.replace(named("m4").result, void=True)
    void = msgspec.structs.replace(named("m4"), result=voided)
    with Store(address) as store:
        store.add([named("m2"), named("m1"), void])
        assert [one.match for one in store.played()] == ["m1", "m2"]
        # What was read once is not kept beyond the next result.
        store.add([named("m3")])
        assert [one.match for one in store.played()] == ["m1", "m2", "m3"]
        store.played().clear()
        counted, everything = store.played(), store.all_played()
        slowly = [schema.played_from(rows) for rows in store.contents().matches]
    assert everything == slowly
    assert counted == sorted((one for one in slowly if not one.result.void), key=lambda one: one.match)
    with Store(address, write=False) as store:
        assert (store.played(), store.all_played()) == (counted, everything)


def test_a_match_is_added_only_once_and_the_first_stays(address: Address) -> None:
    with Store(address) as store:
        store.add([ONE])
        with pytest.raises(StoreError, match="only once"):
            store.add([msgspec.structs.replace(ONE, play="another")])
        assert store.played() == [ONE]


def test_half_a_match_is_never_there(address: Address) -> None:
    with Store(address) as store:
        # A seat without a bot cannot be written; its match must go with it.
        with pytest.raises(StoreError):
            store.add([msgspec.structs.replace(ONE, bots=("ada", None, "cy"))])
        assert store.played() == []
        store.add([ONE])
        assert store.played() == [ONE]


def test_notes_are_kept_in_order(address: Address) -> None:
    with Store(address) as store:
        assert store.noted("mine") == []
        store.note("mine", "one")
        store.note("other", "else")
        store.note("mine", "two")
    with Store(address, write=False) as store:
        assert store.noted("mine") == ["one", "two"]


def test_a_void_match_is_kept_and_does_not_count(address: Address) -> None:
    void = row("ab", (1, 1), match="m-void", void=True, reason="the operator's wish")
    with Store(address) as store:
        store.add([void, ONE])
        assert store.played() == [ONE]
        assert store.all_played() == [void, ONE]


def test_a_commit_is_on_the_disk_before_it_returns(path: Path) -> None:
    path.parent.mkdir(exist_ok=True)
    database = open_database(path, write=True)
    with database.connect() as connection:
        settings = {
            name: connection.exec_driver_sql(f"PRAGMA {name}").scalar()
            for name in ("journal_mode", "synchronous", "foreign_keys")
        }
    database.dispose()
    assert settings == {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1}


def test_when_the_last_match_was_committed_is_known(address: Address) -> None:
    with Store(address) as store:
        assert store.last_finished() == ""
        store.add([ONE])
        assert store.last_finished().endswith("+00:00")


# Versions.


def test_a_store_names_its_schema_and_the_referee_that_made_it(address: Address) -> None:
    Store(address).close()
    with Store(address, write=False) as store:
        (made,) = store.noted("store")
    assert msgspec.json.decode(made) == {"schema": VERSION, "referee": referee.version()}


@pytest.mark.parametrize("write", [False, True])
def test_a_store_of_another_schema_is_refused_with_its_version(path: Path, write: bool) -> None:
    Store(path).close()
    with closing(sqlite3.connect(path)) as connection, connection:
        made = '{"schema":77,"referee":"9.1.0"}'
        connection.execute("UPDATE notes SET value = ? WHERE number = 1", (made,))
    with pytest.raises(FormatVersionError, match=r"written by referee 9\.1\.0 \(schema 77\).*with referee 9"):
        Store(path, write=write)


@pytest.mark.parametrize("write", [False, True])
@pytest.mark.parametrize("version", ["0.1.0", "0.2.0"])
def test_a_store_of_an_older_referee_is_refused_and_left_as_it_is(
    tmp_path: Path, version: str, write: bool
) -> None:
    path, old = tmp_path / "spring.db", OLD / f"referee-{version}" / "spring.db"
    shutil.copy(old, path)
    with pytest.raises(FormatVersionError, match=r"spring\.db: a store written by referee 0\.") as caught:
        Store(path, write=write)
    assert caught.value.version == version
    assert path.read_bytes() == old.read_bytes()


def test_the_tables_of_the_module_are_those_of_the_file(path: Path) -> None:
    Store(path).close()
    with closing(sqlite3.connect(path)) as connection:
        for table in schema.tables.sorted_tables:
            rows = connection.execute(f"PRAGMA table_info({table.name})").fetchall()
            assert [row[1] for row in rows] == [column.name for column in table.columns]


def test_every_field_of_a_result_has_its_column() -> None:
    of_match = {*Result.__struct_fields__, *Played.__struct_fields__} - {"seats", "result", "bots"}
    assert of_match | {"number", "finished", "chain"} == set(schema.matches.c.keys())
    assert {*SeatResult.__struct_fields__, "number", "seat", "bot"} == set(schema.seats.c.keys())


# Files that cannot be used.


def test_a_damaged_store_is_refused(path: Path) -> None:
    with Store(path) as store:
        for number in range(200):
            store.add([named(f"m{number}")])
    data = bytearray(path.read_bytes())
    data[3 * 4_096 : 9 * 4_096] = b"\x5a" * (6 * 4_096)
    path.write_bytes(data)
    with pytest.raises(StoreError, match=r"100% mine\.db: the database is damaged"):
        Store(path)


def test_a_file_that_is_no_database_is_refused_and_left_as_it_is(path: Path) -> None:
    path.parent.mkdir()
    path.write_text("my notes, which nobody may overwrite\n" * 100)
    with pytest.raises(StoreError, match="not a database; name another file"):
        Store(path)
    assert path.read_text().startswith("my notes")


def test_the_database_of_another_program_is_refused(path: Path) -> None:
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE recipes (soup TEXT)")
    with pytest.raises(StoreError, match="a database, but not of results"):
        Store(path)


def test_a_store_in_a_folder_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match=r"file/my\.db: cannot be written"):
        Store(tmp_path / "file" / "my.db")


def test_an_empty_file_is_a_new_store(path: Path) -> None:
    path.parent.mkdir()
    path.touch()
    with pytest.raises(NoResultsError, match="nothing is in it yet"):
        Store(path, write=False)
    with Store(path) as store:
        assert store.played() == []


def test_there_must_be_a_store_to_read_from(address: Address) -> None:
    with pytest.raises(NoResultsError, match="there is no such store"):
        Store(address, write=False)
    assert not is_there(address)


# One writer.


def test_a_second_writer_is_refused_and_the_first_is_named(
    address: Address, other: subprocess.Popen[str]
) -> None:
    with pytest.raises(StoreError, match=rf": process {other.pid} (on host .*)?is playing this tournament"):
        Store(address)
    assert writer(address) == Writer(other.pid)


def test_readers_are_allowed_while_one_process_writes(address: Address) -> None:
    with Store(address) as store, Store(address, write=False) as reader:
        assert reader.played() == []
        store.add([ONE])
        assert reader.played() == [ONE]
        with pytest.raises(StoreError, match="read-only"):
            reader.add([named("other")])


def test_the_lock_goes_with_the_process_however_it_ends(
    address: Address, other: subprocess.Popen[str]
) -> None:
    other.kill()
    other.wait()
    with Store(address) as store:
        assert writer(address) == Writer(os.getpid())
        assert store.played() == []
    assert writer(address) is None


def test_what_a_killed_writer_left_can_be_read_at_once(address: Address) -> None:
    script = (
        "import os, signal, sys; from pathlib import Path\n"
        "from tests.unit.tournaments.store.test_store import ONE; from tournaments.store.store import Store\n"
        "from tournaments.config.store_address import store_address\n"
        "Store(store_address(sys.argv[1], Path())).add([ONE]); os.kill(os.getpid(), signal.SIGKILL)"
    )
    ended = subprocess.run([sys.executable, "-c", script, whole_text(address)], cwd=ROOT, check=False)
    assert ended.returncode == -9
    if isinstance(address, Path):
        assert address.with_name(f"{address.name}-wal").stat().st_size
    with Store(address, write=False) as store:
        assert store.played() == [ONE]


def test_a_store_whose_first_writer_was_killed_while_making_it_has_nothing_in_it_yet(tmp_path: Path) -> None:
    half = tmp_path / "half.db"
    with closing(sqlite3.connect(half, isolation_level=None)) as connection:
        # Before a store has its write-ahead log SQLite keeps a journal, which only a writer can roll back.
        connection.execute("CREATE TABLE early (text)")
        connection.execute("PRAGMA cache_size = 5")
        connection.execute("BEGIN")
        connection.executemany("INSERT INTO early VALUES (?)", [("x" * 1_000,)] * 500)
        for name in ("half.db", "half.db-journal"):
            (tmp_path / f"killed{name[4:]}").write_bytes((tmp_path / name).read_bytes())
    with pytest.raises(NoResultsError, match="nothing is in it yet"):
        Store(tmp_path / "killed.db", write=False)


# A store that goes away, or was never needed.


def modes(folder: Path) -> set[int]:
    return {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}


def test_other_users_cannot_read_a_store(path: Path) -> None:
    with Store(path) as store:
        store.add([ONE])
        assert len(list(path.parent.iterdir())) > 2
        assert modes(path.parent) == {0o600}
    assert modes(path.parent) == {0o600}


def fail_with(address: Address, work: Callable[[Store], object]) -> None:
    with Store(address) as store:
        work(store)
        raise KeyError


def test_a_store_that_is_made_and_left_by_an_error_before_anything_is_in_it_is_removed(
    address: Address,
) -> None:
    with pytest.raises(KeyError):
        fail_with(address, Store.head)
    assert not is_there(address)
    if isinstance(address, Path):
        assert list(address.parent.iterdir()) == []
    with pytest.raises(KeyError):
        fail_with(address, lambda store: store.note("name", "value"))
    with pytest.raises(KeyError):
        fail_with(address, Store.head)
    with Store(address) as store:
        assert store.noted("name") == ["value"]


def test_a_store_that_was_there_is_not_removed(address: Address) -> None:
    with Store(address):
        pass
    with pytest.raises(KeyError):
        fail_with(address, Store.head)
    assert is_there(address)


def test_the_lock_of_a_store_that_was_removed_keeps_no_process_from_writing(path: Path) -> None:
    held: list[int] = []
    lock = path.with_name(f"{path.name}.writer")
    with pytest.raises(KeyError):
        fail_with(path, lambda _: held.append(os.open(lock, os.O_RDWR)))
    fcntl.flock(held[0], fcntl.LOCK_EX | fcntl.LOCK_NB)
    with Store(path), pytest.raises(StoreBusyError):
        Store(path)
    os.close(held[0])


def test_a_store_that_is_removed_is_noticed_and_its_results_are_saved(path: Path) -> None:
    with Store(path) as store:
        store.add([ONE])
        store.check_place()
        for file in path.parent.iterdir():
            file.unlink()
        with pytest.raises(StoreLostError, match=r"mine\.db: the store was removed or replaced"):
            store.add([named("other")])
        with pytest.raises(StoreLostError, match="all results are saved in") as lost:
            store.check_place()
    [saved] = [file for file in path.parent.iterdir() if file.suffix == ".db"]
    assert f"{saved}: move it to {path} to continue" in str(lost.value)
    assert stat.S_IMODE(saved.stat().st_mode) == 0o600
    saved.rename(path)
    with Store(path) as store:
        assert {one.match for one in store.played()} == {ONE.match, "other"}


def test_a_store_that_is_replaced_is_noticed(path: Path, tmp_path: Path) -> None:
    with Store(tmp_path / "new.db"):
        pass
    with Store(path) as store:
        os.replace(tmp_path / "new.db", path)
        with pytest.raises(StoreLostError, match="removed or replaced"):
            store.add([ONE])


def test_a_store_that_is_moved_with_its_folder_is_noticed_and_nothing_is_lost(
    path: Path, tmp_path: Path
) -> None:
    with Store(path) as store:
        path.parent.rename(tmp_path / "old folder")
        moved = tmp_path / "old folder" / path.name
        with pytest.raises(StoreLostError, match=f"moved to {re.escape(str(moved))}.*move it back"):
            store.add([ONE])
        with pytest.raises(StoreLostError, match="moved to"):
            store.check_place()
    (tmp_path / "old folder").rename(path.parent)
    with Store(path) as store:
        assert store.played() == [ONE]
