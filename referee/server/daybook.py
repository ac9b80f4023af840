"""The daybook of a daemon: a line for every match, chained by hash. It only grows.

A line is written when the match's replay is on disk; half a line at the end is what a loss of power or a kill
leaves, and was never reported. Lines of the time before there was a chain have no link, and are bound by the
first one that has.
"""

import fcntl
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from referee.errors import ConfigError, RecordError, RefereeError
from referee.match.result import Result
from referee.replay.hashchain import START, Head, link

RESULTS = "results.jsonl"
"""The name of the file, beside the replays."""

_KIND = "ladder 1"


class Row(msgspec.Struct, frozen=True, omit_defaults=True):
    """A line of the daybook."""

    result: Result
    play: str
    digest: str = ""
    """The SHA-256 of the replay's file; empty if there is none, or nobody made it."""
    chain: str = ""
    """Its link; empty in lines of the time before there was a chain."""

    def link(self, before: str) -> str:
        """Return the link of this row behind another."""
        return link(before, _KIND, self.result, self.play, self.digest)


class Pages(msgspec.Struct, frozen=True):
    """What is in a daybook."""

    rows: Sequence[Row]
    links: Sequence[str]
    """The chain."""
    whole: int
    """The length of all whole lines, in bytes."""
    is_torn: bool
    """Whether half a line follows."""
    flaws: Sequence[str]
    """What is not as it was written."""

    @property
    def head(self) -> Head:
        """The end of the chain."""
        return Head(len(self.links), self.links[-1]) if self.links else Head()


def read(path: Path) -> Pages:
    """Read a daybook and look for changes. Raises RecordError if it cannot be read."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise RecordError(f"{path}: cannot be read: {error.strerror}") from error
    return _pages(data, path)


def is_open(path: Path) -> bool:
    """Say whether a daemon writes to a daybook now."""
    with suppress(OSError), path.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def _pages(data: bytes, path: Path) -> Pages:
    *lines, rest = data.split(b"\n")
    rows: list[Row] = []
    links: list[str] = []
    flaws: list[str] = []
    for number, line in enumerate(lines, 1):
        try:
            row = msgspec.json.decode(line, type=Row)
        except (ValueError, RecursionError) as error:
            flaws.append(f"{path}, line {number}: not a result: {error}")
            continue
        if flaw := _flaw(line, row, links, rows):
            flaws.append(f"{path}, line {number}: {flaw}")
        links.append(row.chain or row.link(links[-1] if links else START))
        rows.append(row)
    # Whoever was cut off in mid-line has not written its end and something else.
    if rest and _is_row(rest[:-1]):
        flaws.append(f"{path}, line {len(lines) + 1}: the end of the line is not as it was written")
    return Pages(rows, links, len(data) - len(rest), bool(rest), flaws)


def _flaw(line: bytes, row: Row, links: Sequence[str], rows: Sequence[Row]) -> str:
    """Say what is wrong with a line behind others.

    Behind a flaw the chain is followed from what stands there, so that each is told once.
    """
    if msgspec.json.encode(row) != line:
        return "not spelled as the referee spells it"
    if not row.chain:
        return "without its link in the chain" if rows and rows[-1].chain else ""
    if row.chain != row.link(links[-1] if links else START):
        return "this result or the one before is not as it was written"
    return ""


def _is_row(line: bytes) -> bool:
    with suppress(ValueError, RecursionError):
        msgspec.json.decode(line, type=Row)
        return True
    return False


class Daybook:
    """A daybook to be written: what earlier runs left is read, what this one brings is added.

    Belongs to one daemon at a time.
    """

    def __init__(self, folder: Path) -> None:
        """Read what is there; half a line at the end is cut off.

        Raises ConfigError if the file cannot be ours, and RecordError if it is not as it was written.
        """
        self.path = folder / RESULTS
        try:
            folder.mkdir(parents=True, exist_ok=True)
            # Not buffered: what could not be written must not be written later.
            self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o666)
        except OSError as error:
            raise ConfigError(f"cannot keep results in {folder}: {error.strerror}") from error
        try:
            self._take(folder)
            pages = self._read(folder)
        except BaseException:
            os.close(self._file)
            raise
        self.rows = pages.rows
        """What earlier runs left."""
        self.head = pages.head
        """The end of the chain, as far as it is on disk."""
        self._trouble: RefereeError | None = None

    def _take(self, folder: Path) -> None:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise ConfigError(
                f"another daemon keeps its results in {folder}: choose another folder"
            ) from error
        except OSError as error:
            raise ConfigError(f"cannot keep results in {folder}: {error.strerror}") from error

    def _read(self, folder: Path) -> Pages:
        """Read what is there, and cut off half a line at the end, if nothing else is wrong."""
        pages = read(self.path)
        for flaw in pages.flaws:
            raise RecordError(f"{flaw}; restore a copy (`referee tournament verify {folder}` tells more)")
        try:
            os.ftruncate(self._file, pages.whole)
        except OSError as error:
            raise ConfigError(f"cannot keep results in {folder}: {error.strerror}") from error
        return pages

    def add(self, rows: Sequence[Row]) -> None:
        """Write results, chained; when this returns, they will survive a loss of power.

        After a failure nobody knows what the disk has: nothing more is written.
        """
        if self._trouble is not None:
            raise self._trouble
        lines, head = [], self.head
        for row in rows:
            head = Head(head.results + 1, row.link(head.hash))
            lines.append(msgspec.json.encode(msgspec.structs.replace(row, chain=head.hash)) + b"\n")
        try:
            left = memoryview(b"".join(lines))
            while left:
                left = left[os.write(self._file, left) :]
            os.fsync(self._file)
        except OSError as error:
            self._trouble = RefereeError(f"cannot write {self.path}: {error.strerror}")
            raise self._trouble from error
        self.head = head

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)
