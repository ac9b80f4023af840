"""The store: what is committed stays, one process writes, and a file that cannot be used says why."""

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

import referee
from referee.errors import FormatVersionError
from referee.match.result import Result, SeatResult
from tests.unit.tournaments.rows import row
from tournaments.results import Played
from tournaments.store import schema
from tournaments.store.schema import VERSION
from tournaments.store.store import NoResultsError, Store, StoreError, open_database, writer

ROOT = Path(__file__).parents[4]
OLD = ROOT / "tests" / "data" / "referee-0.1.0"

ONE = row(
    ("ada", "bo", "cy"),
    (2, 1, 3),
    match="coins-ab12-0001-r0",
    block="0001",
    deal="0001",
    scores=(4, 7, -1),
    faults=("", "", "late"),
    used_ms=3_000,
)


def named(match: str, round: int = 1, block: str = "0001") -> Played:
    result = msgspec.structs.replace(ONE.result, match=match)
    return msgspec.structs.replace(ONE, result=result, round=round, block=block)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "new folder" / "100% mine.db"


@pytest.fixture
def other(path: Path) -> Iterator[subprocess.Popen[str]]:
    """Return another process that holds the store open until its stdin is closed."""
    script = (
        "import sys; from pathlib import Path; from tournaments.store.store import Store\n"
        "with Store(Path(sys.argv[1])): print('open', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, str(path)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "open\n"
        yield process
        process.kill()


def test_what_is_added_is_there_when_the_store_is_opened_again(path: Path) -> None:
    with Store(path) as store:
        assert store.played() == []
        store.add([ONE])
        assert store.played() == [ONE]
    with Store(path) as store:
        assert store.played() == [ONE]


def test_matches_come_in_the_same_order_for_every_order_of_adding_them(path: Path) -> None:
    first, second, third, last = (
        named("b"),
        named("a", block="0002"),
        named("c", block="0002"),
        named("a0", 2),
    )
    with Store(path) as store:
        for one in (last, third, second, first):
            store.add([one])
        assert store.played() == [first, second, third, last]


def test_a_match_is_added_only_once_and_the_first_stays(path: Path) -> None:
    with Store(path) as store:
        store.add([ONE])
        with pytest.raises(StoreError, match="only once"):
            store.add([msgspec.structs.replace(ONE, play="another")])
        assert store.played() == [ONE]


def test_half_a_match_is_never_there(path: Path) -> None:
    with Store(path) as store:
        # A seat without a bot cannot be written; its match must go with it.
        with pytest.raises(StoreError):
            store.add([msgspec.structs.replace(ONE, bots=("ada", None, "cy"))])
        assert store.played() == []
        store.add([ONE])
        assert store.played() == [ONE]


def test_notes_are_kept_in_order(path: Path) -> None:
    with Store(path) as store:
        assert store.noted("mine") == []
        store.note("mine", "one")
        store.note("other", "else")
        store.note("mine", "two")
    with Store(path, write=False) as store:
        assert store.noted("mine") == ["one", "two"]


def test_a_void_match_is_kept_and_does_not_count(path: Path) -> None:
    void = row("ab", (1, 1), match="m-void", void=True, reason="the operator's wish")
    with Store(path) as store:
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


def test_when_the_last_match_was_committed_is_known(path: Path) -> None:
    with Store(path) as store:
        assert store.last_finished() == ""
        store.add([ONE])
        assert store.last_finished().endswith("+00:00")


# Versions.


def test_a_store_names_its_schema_and_the_referee_that_made_it(path: Path) -> None:
    Store(path).close()
    with Store(path, write=False) as store:
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
def test_a_store_of_referee_0_1_0_is_refused_and_left_as_it_is(tmp_path: Path, write: bool) -> None:
    path = tmp_path / "spring.db"
    shutil.copy(OLD / "spring.db", path)
    with pytest.raises(FormatVersionError, match=r"spring\.db: a store written by referee 0\.1\.0") as caught:
        Store(path, write=write)
    assert caught.value.version == "0.1.0"
    assert path.read_bytes() == (OLD / "spring.db").read_bytes()


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


def test_there_must_be_a_store_to_read_from(path: Path) -> None:
    with pytest.raises(NoResultsError, match=r"100% mine\.db: there is no such store"):
        Store(path, write=False)
    assert not path.exists()


# One writer.


def test_a_second_writer_is_refused_and_the_first_is_named(path: Path, other: subprocess.Popen[str]) -> None:
    with pytest.raises(StoreError, match=rf"mine\.db: process {other.pid} is playing this tournament"):
        Store(path)
    assert writer(path) == other.pid


def test_readers_are_allowed_while_one_process_writes(path: Path) -> None:
    with Store(path) as store, Store(path, write=False) as reader:
        assert reader.played() == []
        store.add([ONE])
        assert reader.played() == [ONE]
        with pytest.raises(StoreError, match="read-only"):
            reader.add([named("other")])


def test_the_lock_goes_with_the_process_however_it_ends(path: Path, other: subprocess.Popen[str]) -> None:
    other.kill()
    other.wait()
    with Store(path) as store:
        assert writer(path) == os.getpid()
        assert store.played() == []
    assert writer(path) is None


def test_what_a_killed_writer_left_can_be_read_at_once(path: Path) -> None:
    script = (
        "import os, signal, sys; from pathlib import Path\n"
        "from tests.unit.tournaments.store.test_store import ONE; from tournaments.store.store import Store\n"
        "Store(Path(sys.argv[1])).add([ONE]); os.kill(os.getpid(), signal.SIGKILL)"
    )
    ended = subprocess.run([sys.executable, "-c", script, str(path)], cwd=ROOT, check=False)
    assert ended.returncode == -9
    assert path.with_name(f"{path.name}-wal").stat().st_size
    with Store(path, write=False) as store:
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
