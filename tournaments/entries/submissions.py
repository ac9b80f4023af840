"""Finds the submissions in a folder, as a learning platform exports them."""

import os
import re
import stat
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final
from unicodedata import normalize

from msgspec import Struct
from msgspec.structs import replace

from referee.errors import ConfigError
from referee.process import bundle
from tournaments.config.entry_record import Invitation
from tournaments.entries.class_roster import ClassRoster, RosterLine
from tournaments.entries.platforms import METADATA, GradescopeEntry, NamedFile, read_metadata, read_name


class _IgnoredNames(frozenset[str]):
    """Names that are ignored, and every name that begins as macOS marks its own files."""

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or (isinstance(name, str) and name.startswith("._"))


IGNORED: Final = _IgnoredNames(
    [
        *("__MACOSX", ".DS_Store", "Thumbs.db", "desktop.ini", ".git", ".svn", ".hg"),
        *("__pycache__", ".venv", "venv", ".mypy_cache", ".pytest_cache", ".idea", ".vscode"),
    ]
)
"""What programs leave behind and no bot needs."""

NOT_IN_ROSTER: Final = " is not in the roster"
"""How a note about an unknown author ends."""

MOST_SUBMISSIONS: Final = 5_000
_MOST_METADATA: Final = 100 << 20


class Submitted(Struct, frozen=True):
    """A submission before it is looked into."""

    source: str
    """What it is called in the folder, for people."""
    paths: tuple[Path, ...]
    """Its file or folder; several files of one submission."""
    names: tuple[str, ...]
    """What its author called these files."""
    owner: str
    title: str
    """What the bot is to be called: the team, or the author."""
    received: datetime
    id: str = ""
    ids: tuple[str, ...] = ()
    """The ids of all its authors in the roster."""
    team: str = ""
    authors: tuple[str, ...] = ()
    is_late: bool = False
    """Whether the platform calls it late."""
    is_stamped: bool = True
    """Whether the time is that of its submission, and not only that of the file."""
    is_known: bool = False
    """Whether the roster has its author."""
    notes: tuple[str, ...] = ()


class FoundSubmissions(Struct, frozen=True):
    """What is in a folder."""

    submissions: tuple[Submitted, ...]
    """The oldest first."""
    ignored: tuple[str, ...]
    """What is no submission."""
    receipts: int
    """How many files the platform wrote about submissions."""
    missing: tuple[str, ...]
    """Students and teams of the roster without a submission."""


def find_submissions(folder: Path, roster: ClassRoster) -> FoundSubmissions:
    """Return the submissions in a folder. Raises ConfigError if it cannot be read."""
    try:
        names = sorted(os.listdir(folder))
    except OSError as error:
        raise ConfigError(f"cannot read {folder}: {error.strerror}") from error
    if len(names) > MOST_SUBMISSIONS:
        raise ConfigError(
            f"{folder} has more than {MOST_SUBMISSIONS:,} files: is it a folder of submissions?"
        )
    metadata = _metadata(folder / METADATA)
    plain = _without_prefix(folder, names)
    ignored = [name for name in names if name in IGNORED or name == METADATA]
    read = {name: read_name(plain[name], is_folder=(folder / name).is_dir()) for name in names}
    receipts = [name for name in names if read[name].is_receipt and name not in ignored]
    groups: dict[str, list[str]] = {}
    for name in names:
        if name not in ignored and name not in receipts:
            groups.setdefault(read[name].group or name, []).append(name)
    called = _names_in_receipts(folder, {name: read[name] for name in receipts})
    found = [
        _submitted(folder, members, read[members[0]], roster, metadata, called) for members in groups.values()
    ]
    there = {one.owner for one in found}
    missing: dict[str, str] = {}
    for one in roster.students:
        if (owner := _owner_of(one)) not in there:
            missing.setdefault(owner, _title(one))
    ordered = sorted(found, key=lambda one: (one.received, one.source))
    return FoundSubmissions(tuple(ordered), tuple(ignored), len(receipts), tuple(missing.values()))


def _submitted(
    folder: Path,
    members: Sequence[str],
    named: NamedFile,
    roster: ClassRoster,
    metadata: Mapping[str, GradescopeEntry],
    called: Mapping[str, str],
) -> Submitted:
    paths = tuple(folder / name for name in members)
    names = tuple(_own_name(_as_text(name)) for name in members)
    known = metadata.get(members[0])
    id, name, received = named.id, called.get(named.group, named.name), named.received
    authors: tuple[str, ...] = ()
    if known is not None and known.authors:
        (id, name), authors = known.authors[0], tuple(author for _, author in known.authors)
        received = known.received
    one = Submitted(
        source=_source(members),
        paths=paths,
        names=names,
        owner="",
        title=" & ".join(authors) or name,
        received=received or max(map(_changed, paths)),
        id=id,
        authors=authors or (name,),
        is_late=named.is_late,
        is_stamped=received is not None,
    )
    return _owned(one, name, roster)


def _source(members: Sequence[str]) -> str:
    shown = [name if bundle.is_text(name) else ascii(name) for name in members[:3]]
    return ", ".join([*shown, *(["…"] if len(members) > 3 else [])])


def _owned(one: Submitted, name: str, roster: ClassRoster) -> Submitted:
    """Return a submission with its owner: the team or the student of the roster, or what its name says."""
    student = roster.find(one.id, name)
    team = roster.team(name)
    if student is None and team:
        student = team[0]
    if student is None:
        owner = f"id:{one.id}" if one.id else _owner_named(name)
        return replace(one, owner=owner, notes=tuple(_why_unknown(one, name, roster)))
    mates = roster.team(student.team) if student.team else (student,)
    id = one.id or next(iter(student.ids), "")
    return replace(
        one,
        owner=_owner_of(student),
        title=_title(student),
        id=id,
        ids=tuple(mate.ids[0] for mate in mates if mate.ids),
        team=student.team,
        authors=tuple(mate.name for mate in mates),
        is_known=True,
    )


def _why_unknown(one: Submitted, name: str, roster: ClassRoster) -> Iterable[str]:
    """Return why the roster does not say of which student a submission is."""
    if roster.students:
        alike = len(roster.called(name))
        yield (
            f"the roster has {alike} students called {name}, and the name of the file has no id"
            if alike > 1 and not one.id
            else f"{name}{NOT_IN_ROSTER}"
        )


def invitations(roster: ClassRoster) -> list[Invitation]:
    """Return an invitation for every team and every student without one."""
    found: dict[str, Invitation] = {}
    for student in roster.students:
        mates = roster.team(student.team) if student.team else (student,)
        authors = tuple(mate.name for mate in mates)
        owner = _owner_of(student)
        found.setdefault(owner, Invitation(owner, _title(student), authors, student.team))
    return list(found.values())


def _owner_of(student: RosterLine) -> str:
    if student.team:
        return f"team:{student.team.casefold()}"
    return f"id:{student.ids[0]}" if student.ids else _owner_named(student.name)


def _owner_named(name: str) -> str:
    """Return the owner of a name, in which a letter and its accent may be one character or two."""
    return f"name:{normalize('NFC', name).casefold()}"


def _title(student: RosterLine) -> str:
    return student.team or student.name


def _own_name(name: str) -> str:
    """Return what the author called a file."""
    return read_name(name, is_folder=False).file or name


def _changed(path: Path) -> datetime:
    """Return when a file was changed last; of a folder, the newest file in it, which unpacking keeps."""
    try:
        newest = path.lstat().st_mtime
        if path.is_dir() and not path.is_symlink():
            inside = [entry.stat(follow_symlinks=False) for entry in os.scandir(path)]
            files = [found.st_mtime for found in inside if stat.S_ISREG(found.st_mode)]
            newest = max(files, default=newest)
        return datetime.fromtimestamp(int(newest), UTC)
    except (OSError, ValueError, OverflowError):
        return datetime.now(UTC)


def _metadata(path: Path) -> Mapping[str, GradescopeEntry]:
    """Return what Gradescope says of the submissions, if it says anything."""
    try:
        if not path.is_file() or path.is_symlink() or path.stat().st_size > _MOST_METADATA:
            return {}
        return read_metadata(path.read_text("utf-8", errors="replace"))
    except OSError:
        return {}


def _names_in_receipts(folder: Path, files: Mapping[str, NamedFile]) -> dict[str, str]:
    """Return the names that the receipts of Blackboard give to authors, by submission."""
    found: dict[str, str] = {}
    for name, named in files.items():
        path = folder / name
        if named.group and path.is_file() and not path.is_symlink():
            with path.open(encoding="utf-8", errors="replace") as file:
                first = re.fullmatch(r"\ufeff?Name: (.+?)(?: \([^()]*\))?", file.readline(1_000).strip())
            if first:
                found[named.group] = first[1]
    return found


def _without_prefix(folder: Path, names: Iterable[str]) -> dict[str, str]:
    """Return the names without the assignment that GitHub Classroom puts before each: `task-ann`."""
    given = {name: _as_text(name) for name in names}
    repositories = [name for name in given if _is_repository(folder / name)]
    prefix = os.path.commonprefix(repositories)  # noqa: RUF071 - of names, character by character
    prefix = prefix[: prefix.rfind("-") + 1]
    if len(repositories) < 2 or not prefix:
        return given
    return given | {name: given[name].removeprefix(prefix) for name in repositories}


def _is_repository(path: Path) -> bool:
    try:
        return (path / ".git").is_dir()
    except OSError:
        # It is closed, and its submission says so.
        return False


def _as_text(name: str) -> str:
    """Return the name of a file as text; if it is no UTF-8, each byte is a letter of western Europe."""
    data = os.fsencode(name)
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.decode("latin-1")
