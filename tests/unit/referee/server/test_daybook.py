"""The results of a daemon: any changed byte is found; half a line at the end comes from a kill."""

import os
import random
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from referee.errors import ConfigError, RecordError, RefereeError
from referee.match.result import Result
from referee.replay.hashchain import Head
from referee.server import daybook
from referee.server.daybook import RESULTS, Daybook, Row


def row(number: int) -> Row:
    result = Result(
        match=f"m-{number}",
        game="coins",
        names=("ann", "bób"),
        ranks=(1, 2),
        scores=(number, 0),
        reason="the end",
        ties="draw",
        faults=("", ""),
        used_ms=(1, 2),
        decisions=8,
    )
    return Row(result, play=f"{number:064x}", digest=f"{number + 1:064x}")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a daybook that two runs have written, four lines in all."""
    for rows in ([row(1), row(2)], [row(3)], [row(4)]):
        book = Daybook(tmp_path)
        book.add(rows)
        book.close()
    return tmp_path


def test_what_was_written_is_read_and_chained_on(folder: Path) -> None:
    pages = daybook.read(folder / RESULTS)
    assert [msgspec.structs.replace(one, chain="") for one in pages.rows] == [row(n) for n in (1, 2, 3, 4)]
    assert (pages.flaws, pages.is_torn) == ([], False)
    assert [one.chain for one in pages.rows] == pages.links
    book = Daybook(folder)
    assert book.head == pages.head == Head(4, pages.links[-1])
    book.close()


def changed(data: bytes) -> Iterator[bytes]:
    """Return the data with each of its bytes changed in turn."""
    luck = random.Random("flips")
    for place, byte in enumerate(data):
        yield data[:place] + bytes([byte ^ luck.randrange(1, 256)]) + data[place + 1 :]


def test_every_changed_byte_is_found_and_nothing_is_written_behind_it(folder: Path) -> None:
    path = folder / RESULTS
    data = path.read_bytes()
    assert len(data) > 1_000
    for place, other in enumerate(changed(data)):
        path.write_bytes(other)
        assert daybook.read(path).flaws, f"byte {place}"
        with pytest.raises(RecordError, match=r"restore a copy"):
            Daybook(folder)
        assert path.read_bytes() == other


LINES = {
    "taken out": [0, 2, 3],
    "taken out at the beginning": [1, 2, 3],
    "put elsewhere": [0, 2, 1, 3],
    "written twice": [0, 1, 1, 2, 3],
}


@pytest.mark.parametrize("order", LINES.values(), ids=LINES)
def test_a_whole_line_that_is_not_in_its_place_is_found(folder: Path, order: list[int]) -> None:
    path = folder / RESULTS
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[n] for n in order))
    assert daybook.read(path).flaws


def test_lines_taken_out_at_the_end_are_betrayed_by_the_head_alone(folder: Path) -> None:
    path = folder / RESULTS
    head = daybook.read(path).head
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:3]))
    pages = daybook.read(path)
    assert pages.flaws == []
    assert head.hash not in pages.links


def test_a_line_without_its_link_behind_one_that_has_it_is_found(folder: Path) -> None:
    path = folder / RESULTS
    *lines, last = path.read_bytes().splitlines(keepends=True)
    bare = msgspec.json.encode(msgspec.structs.replace(row(4), chain="")) + b"\n"
    assert bare != last
    path.write_bytes(b"".join([*lines, bare]))
    assert daybook.read(path).flaws == [f"{path}, line 4: without its link in the chain"]


def test_half_a_line_at_the_end_is_no_forgery_and_is_cut_off(folder: Path) -> None:
    path = folder / RESULTS
    data = path.read_bytes()
    whole = data[: data.rindex(b"\n", 0, -1) + 1]
    for length in range(len(whole) + 1, len(data)):
        path.write_bytes(data[:length])
        pages = daybook.read(path)
        assert (pages.flaws, pages.is_torn, len(pages.rows)) == ([], True, 3), f"{length} bytes"
    book = Daybook(folder)
    book.add([row(4)])
    book.close()
    assert path.read_bytes() == data


def test_lines_from_before_there_was_a_chain_are_bound_by_the_first_link(tmp_path: Path) -> None:
    path = tmp_path / RESULTS
    old = [Row(row(n).result, row(n).play) for n in (1, 2)]
    path.write_bytes(b"".join(msgspec.json.encode(one) + b"\n" for one in old))
    book = Daybook(tmp_path)
    assert list(book.rows) == old
    book.add([row(3)])
    book.close()
    assert daybook.read(path).flaws == []
    path.write_bytes(path.read_bytes().replace(b'"m-1"', b'"m-7"'))
    assert daybook.read(path).flaws == [
        f"{path}, line 3: this result or the one before is not as it was written"
    ]


def test_after_a_failure_nothing_more_is_written(folder: Path) -> None:
    path = folder / RESULTS
    book = Daybook(folder)
    head, data = book.head, path.read_bytes()
    kept = os.dup(book._file)
    with open("/dev/full", "wb") as full:
        os.dup2(full.fileno(), book._file)
    with pytest.raises(RefereeError, match=r"cannot write .*: No space left on device"):
        book.add([row(5)])
    # There is room again, but it is unknown how much of the line before is on the disk.
    os.dup2(kept, book._file)
    os.close(kept)
    with pytest.raises(RefereeError, match=r"No space left on device"):
        book.add([row(6)])
    book.close()
    assert (book.head, path.read_bytes()) == (head, data)


def test_a_daybook_belongs_to_one_daemon(folder: Path) -> None:
    book = Daybook(folder)
    assert daybook.is_open(folder / RESULTS)
    with pytest.raises(ConfigError, match=r"another daemon keeps its results"):
        Daybook(folder)
    book.close()
    assert not daybook.is_open(folder / RESULTS)
