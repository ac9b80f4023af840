"""The chain binds results to what came before, and the seal a store to its bytes."""

import hashlib
import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from referee.replay.hashchain import START, Head
from tests.unit.tournaments.rows import row
from tests.unit.tournaments.store.test_store import HERE
from tournaments.results import Played
from tournaments.store import chain, schema, seal
from tournaments.store.store import Store

ONE, TWO, THREE = (row("ab", (1, 2), match=f"m-{n}", digest=f"{n}" * 64) for n in range(3))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "my.db"


def head_of(path: Path) -> Head:
    with Store(path, write=False) as store:
        return store.head()


def filled(path: Path, *batches: list[Played]) -> Head:
    with Store(path) as store:
        for batch in batches:
            store.add(batch)
        return store.head()


def test_a_link_can_be_computed_from_the_documentation() -> None:
    date = "2026-01-02T03:04:05+00:00"
    match = [1, "m-0", "coins", 1, "b-m-0", "d-m-0", "draw", "goal", 7, "ab12", "m-0.jsonl", "0" * 64, date]
    seats = [["m-0", 0, "a", 1, 9, "", 5], ["m-0", 1, "b", 2, 8, "", 5]]
    text = json.dumps(["result 1", "0" * 64, match, seats], separators=(",", ":"))
    ours = chain.link(START, schema.match_row(ONE, date, 1), schema.seat_rows(ONE))
    assert ours == hashlib.sha256(text.encode()).hexdigest()


def test_an_empty_store_has_the_head_before_all_results(path: Path) -> None:
    assert filled(path) == Head(0, START)


def test_heads_depend_on_all_results_and_not_on_how_they_were_batched(
    tmp_path: Path,
) -> None:
    links: list[list[str]] = []
    for batches in ([[ONE, TWO, THREE]], [[ONE], [TWO, THREE]], [[ONE], [TWO], [THREE]]):
        store = tmp_path / f"{len(links)}.db"
        filled(store, *batches)
        with Store(store, write=False) as read:
            results = read.results()
        assert list(chain.flaws(results)) == []
        # The date of a commit is part of it.
        before, found = START, []
        for match, seats in results:
            before = chain.link(before, {**match, "finished": ""}, seats)
            found.append(before)
        links.append(found)
    assert links[0] == links[1] == links[2]
    assert len(set(links[0])) == 3


def test_the_chain_goes_on_where_it_was(path: Path) -> None:
    first = filled(path, [ONE])
    assert first.results == 1
    second = filled(path, [TWO])
    assert second.results == 2
    with Store(path, write=False) as store:
        assert [match["chain"] for match, _ in store.results()] == [first.hash, second.hash]


@pytest.mark.parametrize(
    "alter",
    [
        lambda rows: rows[1][0].update(reason="another"),
        lambda rows: rows[1][1][0].update(score=99),
        lambda rows: rows[1][1].reverse(),
        lambda rows: rows[1][1].clear(),
        lambda rows: rows.pop(1),
        lambda rows: rows.reverse(),
        lambda rows: rows[1][0].update(chain="00"),
        lambda rows: rows[1][0].update(digest=b"\xff"),
        lambda rows: rows[1][1][0].update(rank=None),
    ],
)
def test_every_change_breaks_the_chain(path: Path, alter: Callable[[object], object]) -> None:
    filled(path, [ONE, TWO, THREE])
    with Store(path, write=False) as store:
        rows = [(dict(match), [dict(seat) for seat in seats]) for match, seats in store.results()]
    assert list(chain.flaws(rows)) == []
    alter(rows)
    assert list(chain.flaws(rows))


def test_a_match_that_cannot_be_added_leaves_the_chain_as_it_was(path: Path) -> None:
    with Store(path) as store:
        store.add([ONE])
        before = store.head()
        with pytest.raises(Exception, match="only once"):
            store.add([TWO, ONE])
        assert store.head() == before
        store.add([TWO])
        assert list(chain.flaws(store.results())) == []


def test_an_older_store_is_chained_when_it_is_upgraded(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript((HERE / "store-1.sql").read_text())
    with Store(path) as store:
        assert [match["number"] for match, _ in store.results()] == [1, 2]
        assert list(chain.flaws(store.results())) == []
        assert list(store.flaws()) == []
        assert {one.digest for one in store.played()} == {""}


# The seal.


def test_a_store_is_sealed_while_no_process_writes_to_it(path: Path) -> None:
    with Store(path) as store:
        store.add([ONE])
        assert seal.examine(path) == (False, "")
    assert seal.examine(path) == (True, "")
    assert msgspec.json.decode(seal.seal_path(path).read_bytes())["head"] == head_of(path).hash
    with Store(path):
        assert not seal.seal_path(path).exists()
    assert seal.examine(path) == (True, "")


def test_reading_does_not_change_the_seal(path: Path) -> None:
    filled(path, [ONE])
    with Store(path, write=False) as store:
        assert store.played() == [ONE]
        assert seal.seal_path(path).exists()
    assert seal.examine(path) == (True, "")


def test_a_store_that_is_read_while_it_is_closed_is_not_sealed(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as reader:
        with Store(path) as store:
            store.add([ONE])
            reader.execute("BEGIN")
            reader.execute("SELECT * FROM matches").fetchone()
            store.add([TWO])
        assert seal.examine(path) == (False, "")
    Store(path).close()
    assert seal.examine(path) == (True, "")


def test_a_seal_that_was_changed_is_no_seal(path: Path) -> None:
    filled(path, [ONE])
    text = seal.seal_path(path).read_bytes()
    for changed in (text.replace(b":", b": "), text[:-1], b"", text.replace(b"sha256", b"sha265")):
        seal.seal_path(path).write_bytes(changed)
        assert seal.examine(path) == (True, f"{seal.seal_path(path)}: the seal is not as it was written")


def test_changes_beside_a_sealed_store_are_found(path: Path) -> None:
    filled(path, [ONE])
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE seats SET rank = 3 - rank")
        connection.commit()
        assert seal.examine(path) == (True, f"{path}-wal: changes that are not under the seal")
