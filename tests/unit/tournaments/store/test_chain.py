"""The chain binds every result and every note of a store to all that came before."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from referee.replay.hashchain import START
from tests.unit.tournaments.rows import row
from tournaments.results import Played
from tournaments.store import chain, schema
from tournaments.store.chain import Contents, Head
from tournaments.store.schema import MatchRows
from tournaments.store.store import Store

ONE, TWO, THREE = (
    row("ab", (1, 2), match=f"m-{n}", digest=f"{n}" * 64, host="ada", speed=812.5) for n in range(3)
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "my.db"


def filled(path: Path, *batches: list[Played]) -> Head:
    with Store(path) as store:
        for batch in batches:
            store.add(batch)
        return store.head()


def contents_of(path: Path) -> Contents:
    with Store(path, write=False) as store:
        return store.contents()


def test_a_link_can_be_computed_from_the_documentation() -> None:
    date = "2026-01-02T03:04:05+00:00"
    match = [
        1,
        "m-0",
        "coins",
        1,
        "b-m-0",
        "d-m-0",
        "goal",
        "draw",
        7,
        False,
        "ab12",
        "m-0.jsonl",
        "0" * 64,
        "ada",
        812.5,
        date,
    ]
    times = [5, 40_000, 10_000, 20_000]
    seats = [[1, 0, "a", "a", 1, 9, "", *times], [1, 1, "b", "b", 2, 8, "", *times]]
    text = "0" * 64 + json.dumps(["match", match, seats], separators=(",", ":"))
    ours = chain.link(START, schema.match_rows(ONE, 1, date))
    assert ours == hashlib.sha256(text.encode()).hexdigest()
    note = {"number": 2, "results": 1, "name": "mine", "value": "text"}
    text = ours + json.dumps(["note", [2, 1, "mine", "text"]], separators=(",", ":"))
    assert chain.link(ours, note) == hashlib.sha256(text.encode()).hexdigest()


def test_a_new_store_has_the_link_of_its_first_note(path: Path) -> None:
    head = filled(path)
    (note,) = contents_of(path).notes
    assert head == Head(0, chain.link(START, note))


def test_heads_depend_on_all_results_and_not_on_how_they_were_batched(tmp_path: Path) -> None:
    links: list[list[str]] = []
    for batches in ([[ONE, TWO, THREE]], [[ONE], [TWO, THREE]], [[ONE], [TWO], [THREE]]):
        store = tmp_path / f"{len(links)}.db"
        filled(store, *batches)
        contents = contents_of(store)
        assert list(chain.flaws(contents)) == []
        # The date of a commit is part of it.
        before, found = START, []
        for rows in contents.matches:
            before = chain.link(before, MatchRows(rows.match | {"finished": ""}, rows.seats))
            found.append(before)
        links.append(found)
    assert links[0] == links[1] == links[2]
    assert len(set(links[0])) == 3


def test_the_chain_goes_on_where_it_was(path: Path) -> None:
    first = filled(path, [ONE])
    assert first.results == 1
    second = filled(path, [TWO])
    assert second.results == 2
    assert chain.links(contents_of(path))[1:] == [first, second]


def test_notes_are_links_between_the_results(path: Path) -> None:
    heads = []
    with Store(path) as store:
        for entry in ("x", "y", [ONE, TWO], "z", [THREE]):
            if isinstance(entry, str):
                store.note("mine", entry)
            else:
                store.add(entry)
            heads.append(store.head())
    assert [head.results for head in heads] == [0, 0, 2, 2, 3]
    links = chain.links(contents_of(path))
    assert set(heads) <= set(links)
    assert len(set(links)) == len(links) == 7
    assert list(chain.flaws(contents_of(path))) == []


Rows = tuple[list[tuple[dict[str, Any], list[dict[str, Any]]]], list[dict[str, Any]]]

CHANGES: dict[str, Callable[[Rows], object]] = {
    "a reason": lambda rows: rows[0][1][0].update(reason="another"),
    "void": lambda rows: rows[0][1][0].update(void=True),
    "a score": lambda rows: rows[0][1][1][0].update(score=99),
    "a name": lambda rows: rows[0][1][1][0].update(name="zoe"),
    "seats in another order": lambda rows: rows[0][1][1].reverse(),
    "no seats": lambda rows: rows[0][1][1].clear(),
    "a result taken out": lambda rows: rows[0].pop(1),
    "results in another order": lambda rows: rows[0].reverse(),
    "a link": lambda rows: rows[0][1][0].update(chain="00"),
    "no text": lambda rows: rows[0][1][0].update(digest=b"\xff"),
    "no number": lambda rows: rows[0][1][1][0].update(rank=None),
    "a note": lambda rows: rows[1][1].update(value="another"),
    "the place of a note": lambda rows: rows[1][1].update(results=1),
    "a note taken out": lambda rows: rows[1].pop(1),
    "the first note taken out": lambda rows: rows[1].pop(0),
    "notes in another order": lambda rows: rows[1].reverse(),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_every_change_breaks_the_chain(path: Path, change: Callable[[Rows], object]) -> None:
    with Store(path) as store:
        store.note("mine", "one")
        store.add([ONE, TWO])
        store.note("mine", "two")
        store.add([THREE])
    contents = contents_of(path)
    rows = [(rows.match, rows.seats) for rows in contents.matches], list(contents.notes)
    assert list(chain.flaws(contents)) == []
    change(rows)
    found = list(chain.flaws(Contents([MatchRows(*one) for one in rows[0]], rows[1])))
    assert found
    assert list(chain.flaws(as_given(rows))) == found


def as_given(rows: Rows) -> chain.Rows:
    """Return the same rows as the driver of a database gives them."""
    return chain.Rows(
        [tuple(match.values()) for match, _ in rows[0]],
        [tuple(seat.values()) for _, seats in rows[0] for seat in seats],
        [tuple(note.values()) for note in rows[1]],
    )


def test_a_match_that_cannot_be_added_leaves_the_chain_as_it_was(path: Path) -> None:
    with Store(path) as store:
        store.add([ONE])
        before = store.head()
        with pytest.raises(Exception, match="only once"):
            store.add([TWO, ONE])
        assert store.head() == before
        store.add([TWO])
        assert list(chain.flaws(store.contents())) == []
