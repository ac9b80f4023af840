"""The roster of a class: a table that maps ids to names and teams, as spreadsheets write it."""

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final
from unicodedata import normalize

from msgspec import Struct

from referee.errors import ConfigError, nearest
from tournaments.config.entry_record import write_whole

KEPT: Final = "roster.csv"
"""What the copy of a roster is called in the folder of the entries."""
_MOST_BYTES: Final = 10 << 20

_OF_MOODLE: Final = re.compile(r"(?:part[ei]cipante?|teilnehmer)\W*(?:in\W*)?(\d+)")
"""An id in Moodle's worksheet of grades; the names of files have its number alone."""

_SEPARATOR: Final = re.compile(r'"?sep=([,;\t])"?\n', re.I)
"""The first line of some tables: it names the separator for a spreadsheet."""

COLUMNS: Final[Mapping[str, tuple[str, ...]]] = {
    "id": (
        *("id", "sid", "student id", "student number", "id number", "number", "participant id"),
        *("user", "user id", "username", "login", "login id", "sis user id", "sis login id", "canvas id"),
        *("identifier", "email", "email address", "e-mail", "github", "github username"),
    ),
    "name": ("name", "full name", "student", "student name", "display name"),
    "first": ("first name", "first", "given name", "forename"),
    "last": ("last name", "last", "surname", "family name"),
    "team": ("team", "team name", "group", "group name"),
}
"""What the head of a column may be called; capitals do not count. An id may have several columns."""


class RosterLine(Struct, frozen=True):
    """One line of a roster."""

    ids: tuple[str, ...]
    name: str
    team: str = ""
    line: int = 0


class ClassRoster(Struct, frozen=True):
    """All students of a class."""

    students: tuple[RosterLine, ...] = ()

    def find(self, id: str, name: str) -> RosterLine | None:
        """Return the student with an id; without one, the only one with a name. None if there is none."""
        by_id = [one for one in self.students if id and _plain(id) in map(_id, one.ids)]
        if by_id:
            return by_id[0]
        named = self.called(name)
        return named[0] if len(named) == 1 else None

    def called(self, name: str) -> list[RosterLine]:
        """Return the students of a name."""
        # Where names are written without blanks, Canvas turns them around: leeann.
        wanted = {_plain(name), _bare(name)}
        return [one for one in self.students if wanted & {_plain(one.name), *_bare_names(one.name)}]

    def team(self, name: str) -> tuple[RosterLine, ...]:
        """Return the students of a team."""
        return tuple(one for one in self.students if one.team and _plain(one.team) == _plain(name))


def kept_roster(entries: Path | None) -> Path | None:
    """Return the roster that the last intake into a folder of entries had, if there is one."""
    path = entries / KEPT if entries is not None else None
    return path if path is not None and path.is_file() else None


def keep_roster(path: Path, entries: Path) -> None:
    """Keep a roster with the entries, so later intakes know the class."""
    write_whole(entries / KEPT, path.read_bytes())


def read_roster(path: Path) -> ClassRoster:
    """Read a roster; raises ConfigError, which names file and line."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror}") from error
    if len(data) > _MOST_BYTES:
        raise ConfigError(f"{path}: a roster has at most {_MOST_BYTES >> 20} MiB")
    text = _decoded(path, data)
    rows = _rows(path, text)
    if not rows:
        raise ConfigError(
            f"{path}: the roster is empty: its first line names the columns, such as id,name,team"
        )
    (first, heads), *rest = rows
    columns = _columns(path, first, heads)
    return ClassRoster(tuple(_students(path, columns, len(heads), rest)))


def _decoded(path: Path, data: bytes) -> str:
    """Return the text of a file that a spreadsheet wrote: in UTF-8, UTF-16, or the way of Windows."""
    is_utf16 = data.startswith((b"\xff\xfe", b"\xfe\xff"))
    encodings = ["utf-16"] if is_utf16 else ["utf-8-sig", "cp1252"]
    for encoding in encodings:
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise ConfigError(f"{path}: the roster is no text: save it as CSV with UTF-8")


def _rows(path: Path, text: str) -> list[tuple[int, list[str]]]:
    """Return the rows that are not empty, each with the number of its first line."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    skipped, delimiter = 0, ""
    if named := _SEPARATOR.match(lines):
        skipped, delimiter, lines = 1, named[1], lines[named.end() :]
    heads = next(filter(str.strip, lines.split("\n")), "")
    reader = csv.reader(io.StringIO(lines), delimiter=delimiter or max(",;\t", key=heads.count), strict=True)
    rows: list[tuple[int, list[str]]] = []
    line = 1
    try:
        for row in reader:
            # A cell of several lines, such as an address, is one line of text.
            cells = [" ".join(cell.split()) for cell in row]
            if any(cells):
                rows.append((line + skipped, cells))
            line = reader.line_num + 1
    except csv.Error as error:
        is_open = "unexpected end" in str(error)
        why = "a quotation mark is opened and not closed" if is_open else f"this is no table: {error}"
        raise ConfigError(f"{path}:{line + skipped}: {why}; save the table as CSV again") from error
    return rows


def _columns(path: Path, line: int, heads: Sequence[str]) -> dict[str, list[int]]:
    """Return the columns of each kind."""
    found: dict[str, list[int]] = {}
    for at, head in enumerate(heads):
        for kind, words in COLUMNS.items():
            if _head(head) in words:
                found.setdefault(kind, []).append(at)
    if not {"id", "name", "last"} & found.keys():
        known = [word for words in COLUMNS.values() for word in words]
        hint = nearest(_head(heads[0]), known) if len(heads) == 1 else "name them id, name and team"
        raise ConfigError(
            f"{path}:{line}: no column has ids or names: it has {', '.join(heads)[:200]}; {hint}"
        )
    return found


def _head(text: str) -> str:
    return " ".join(text.strip().strip('"').casefold().replace("_", " ").split())


def _students(
    path: Path, columns: Mapping[str, list[int]], width: int, rows: Iterable[tuple[int, list[str]]]
) -> Iterable[RosterLine]:
    taken: dict[str, int] = {}
    for line, row in rows:
        if len(row) > width:
            raise ConfigError(
                f"{path}:{line}: it has {len(row)} cells, but there are {width} columns: put names with the "
                "separator into quotes"
            )
        cells = [*row, *[""] * (width - len(row))]
        of = {kind: [cells[at] for at in places if cells[at]] for kind, places in columns.items()}
        ids = tuple(of.get("id", ()))
        parts = [*of.get("first", ()), *of.get("last", ())]
        name = next(iter(of.get("name", ())), " ".join(parts)) or next(iter(ids), "")
        if not name:
            raise ConfigError(f"{path}:{line}: neither an id nor a name")
        for id in ids:
            if (other := taken.setdefault(_plain(id), line)) != line:
                raise ConfigError(f"{path}:{line}: the id {id!r} is in line {other} already")
        yield RosterLine(ids, name, next(iter(of.get("team", ())), ""), line)


def _id(text: str) -> str:
    plain = _plain(text)
    found = _OF_MOODLE.fullmatch(plain)
    return found[1] if found else plain


def _plain(text: str) -> str:
    return " ".join(normalize("NFKC", text).casefold().split())


def _bare(text: str) -> str:
    """Return the letters of a name without marks, as in a login."""
    return "".join(one for one in normalize("NFKD", text).casefold() if one.isalnum())


def _bare_names(name: str) -> set[str]:
    """Return a name as platforms write it in one word: in its order, and with the last name first."""
    *first, last = name.split() or [""]
    return {_bare(name), _bare(" ".join([last, *first]))}
