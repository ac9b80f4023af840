r"""How learning platforms name what they export: one rule for each.

| Platform | Name | What it says |
|---|---|---|
| Moodle | `Ann Lee_12345_assignsubmission_file_`, a folder, or with the file's name after it | name, id |
| Blackboard | `Task_ab123_attempt_2026-11-18-10-22-33_bot.zip` | id, time |
| Canvas | `leeann_LATE_12345_67890_bot.zip`, without `LATE_` if it came in time | name, id |
| Gradescope | `submission_12345`, a folder; `submission_metadata.yml` beside it has the rest | id |
| any | `team-2026-11-18T10-22.zip` | name, time |
| any | `team.zip` | name |
"""

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Final

from msgspec import Struct

SUFFIXES: Final = (".tar.gz", ".tar.xz", ".tar.bz2", ".tgz", ".txz", ".tbz2", ".tar", ".zip")
"""How the names of archives end."""

FOREIGN: Final = (".rar", ".7z", ".gz", ".bz2", ".xz", ".zst", ".lzma", ".z", ".lha", ".arj", ".cab")
"""How the names of archives and packed files end that are not unpacked."""

METADATA: Final = "submission_metadata.yml"
"""The file of Gradescope that names the authors of all submissions."""

_MOODLE: Final = re.compile(
    r"(?P<name>.+?)_(?P<id>\d+)_assignsubmission_(?P<kind>[a-z]+)_?(?P<file>.*)", re.S
)
_BLACKBOARD: Final = re.compile(
    r".+?_(?P<id>[^_]+)_attempt_(?P<time>\d{4}(?:-\d\d){5})(?:_(?P<file>.+)|\.txt)", re.S
)
_CANVAS: Final = re.compile(
    r"(?P<name>[^_]+)_(?:(?P<late>LATE)_)?(?P<id>\d+)_(?P<piece>\d+)_(?P<file>.+)", re.S
)
_GRADESCOPE: Final = re.compile(r"submission_(?P<id>\d+)")
_STAMPED: Final = re.compile(
    r"(?P<name>.+?)[ _.-]+(?P<time>\d{4}-?\d\d-?\d\d(?:[T _.-]+\d\d[-:.h]?\d\d(?:[-:.]?\d\d)?)?)(?P<zone>Z?)",
    re.S,
)
_FORMS: Final = {14: "%Y%m%d%H%M%S", 12: "%Y%m%d%H%M", 8: "%Y%m%d"}
"""How a time stamp is read, by the number of its digits."""


class NamedFile(Struct, frozen=True):
    """What the name of an exported file or folder says."""

    name: str
    """The name of the author or team as the platform writes it."""
    id: str = ""
    received: datetime | None = None
    is_late: bool = False
    """Whether the platform itself calls it late."""
    file: str = ""
    """What its author called the file, if the platform says so."""
    group: str = ""
    """What the files of one submission have in common; empty: it is a submission by itself."""
    is_receipt: bool = False
    """Whether the platform wrote the file, about a submission."""


def read_name(name: str, *, is_folder: bool) -> NamedFile:
    """Return what the name of an exported file or folder says.

    A platform puts what it knows before the name that the author gave to the file, which may look like the
    export of another platform, or of another author: the id that comes first counts.
    """
    found = [match for rule in _RULES if (match := rule.fullmatch(name))]
    if found:
        first = min(found, key=lambda match: match.end("id"))
        return _RULES[first.re](first, is_folder)
    if is_folder and (found_id := _GRADESCOPE.fullmatch(name)):
        return NamedFile(name, found_id["id"])
    stem = name if is_folder else stem_of(name)
    if (stamped := _STAMPED.fullmatch(stem)) and (time := _time(stamped["time"], stamped["zone"])):
        return NamedFile(stamped["name"], received=time)
    return NamedFile(stem)


def _moodle(found: re.Match[str], _is_folder: bool) -> NamedFile:
    group = f"{found['name']}_{found['id']}" if found["file"] else ""
    is_receipt = found["kind"] != "file"
    return NamedFile(found["name"], found["id"], file=found["file"], group=group, is_receipt=is_receipt)


def _blackboard(found: re.Match[str], _is_folder: bool) -> NamedFile:
    group = f"{found['id']}_{found['time']}"
    file = found["file"] or ""
    time = _time(found["time"], "")
    return NamedFile(found["id"], found["id"], time, file=file, group=group, is_receipt=not file)


def _canvas(found: re.Match[str], is_folder: bool) -> NamedFile:
    # A folder is one that was unpacked by hand.
    group = "" if is_folder else f"{found['name']}_{found['id']}"
    return NamedFile(found["name"], found["id"], None, found["late"] is not None, found["file"], group)


_RULES: Final = {_MOODLE: _moodle, _BLACKBOARD: _blackboard, _CANVAS: _canvas}


def stem_of(name: str) -> str:
    """Return the name of a file without its ending.

    >>> stem_of("team.tar.gz"), stem_of("v1.2.py")
    ('team', 'v1.2')
    """
    lower = name.lower()
    for suffix in SUFFIXES:
        if lower.endswith(suffix) and len(name) > len(suffix):
            return name[: -len(suffix)]
    return name.rpartition(".")[0] or name


def is_archive(name: str) -> bool:
    """Return whether a file is an archive, by its name."""
    return name.lower().endswith(SUFFIXES)


def _time(text: str, zone: str) -> datetime | None:
    """Return the moment of a time stamp: of this host's zone, unless it says that it is UTC."""
    digits = re.sub(r"\D", "", text)
    try:
        moment = datetime.strptime(digits, _FORMS[len(digits)])
    except (KeyError, ValueError, OverflowError):
        return None
    return moment.replace(tzinfo=UTC) if zone else moment.astimezone(UTC)


class GradescopeEntry(Struct, frozen=True):
    """What Gradescope's file says of one submission."""

    authors: tuple[tuple[str, str], ...]
    """Id and name of each author."""
    received: datetime | None = None


_KEY: Final = re.compile(r"(?P<indent> *)(?P<item>- )?:?(?P<key>[\w@.]+): *(?P<value>.*)")


def read_metadata(text: str) -> Mapping[str, GradescopeEntry]:
    """Return the entries of Gradescope's file by the names of their folders.

    Only the few lines that are needed are read: the rest of the file can be very long.
    """
    sections: dict[str, list[re.Match[str]]] = {}
    lines: list[re.Match[str]] = []
    for pair in filter(None, map(_KEY.fullmatch, text.splitlines())):
        if pair["indent"] or pair["item"]:
            lines.append(pair)
        else:
            lines = sections.setdefault(pair["key"], [])
    return {folder: _entry(lines) for folder, lines in sections.items()}


def _entry(lines: Iterable[re.Match[str]]) -> GradescopeEntry:
    authors: list[dict[str, str]] = []
    received: datetime | None = None
    for pair in lines:
        key, value = pair["key"], pair["value"].strip().strip("'\"")
        if pair["item"] and key == "name":
            authors.append({"name": value})
        elif authors and key in ("sid", "email"):
            authors[-1][key] = value
        elif key == "created_at" and received is None:
            # The submissions before this one follow below it, and what programs of its authors printed.
            received = _moment(value)
            if received is not None:
                break
    named = tuple((one.get("sid") or one.get("email", ""), one["name"]) for one in authors)
    return GradescopeEntry(named, received)


def _moment(text: str) -> datetime | None:
    """Return the moment of a time as Ruby writes it: `2026-11-18 10:22:33.120 Z`."""
    found = re.match(r"(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:\.\d+)? *(Z|[+-]\d\d:?\d\d)?", text)
    if not found:
        return None
    zone = (found[3] or "Z").replace("Z", "+00:00")
    return datetime.fromisoformat(f"{found[1]}T{found[2]}{zone}").astimezone(UTC)
