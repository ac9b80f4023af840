"""The mistakes of a tournament file: all at once, each with line, key and what would be right."""

import re
import types
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from copy import copy
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin

import msgspec

from referee.errors import ConfigError, nearest

Where = tuple[str | int, ...]
"""The path to a value: keys, and indices of entries from 0."""

_KEY = r"""(?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*')"""
_DOTTED = rf"{_KEY}(?:\s*\.\s*{_KEY})*"
_HEAD = re.compile(rf"\s*(\[\[?)\s*({_DOTTED})\s*\]")
_PAIR = re.compile(rf"\s*({_DOTTED})\s*=")
# Before Python 3.14 the position of an error of TOML is in its text only.
_AT_LINE = re.compile(r"(.*) \(at line (\d+), column \d+\)", re.DOTALL)
_LONGEST: Final = 60
"""Characters of a wrong value that are shown."""
_MOST_BITS: Final = 640
"""Of a number: about as many digits as a text may have characters."""


class PlanError(ConfigError):
    """A file of the operator that cannot be used; the text has a line for each mistake."""


class Mistakes:
    """Collects the mistakes of one file."""

    def __init__(self, path: Path, text: str, top: Collection[str] = ()) -> None:
        """Begin with none; `top` are the keys that belong before the first section of the file."""
        self.top = top
        self._path = path
        self._lines = _lines_of(text)
        self._found: list[tuple[int, str]] = []
        self.owners: Mapping[str, Where] = {}
        """Where keys of a part are in the file, if that is not its top."""

    def of_part(self, owners: Mapping[str, Where]) -> "Mistakes":
        """Return what collects the mistakes of a part of the file here: `owners` says where its keys are."""
        part = copy(self)
        part.owners = owners
        return part

    def __bool__(self) -> bool:
        return bool(self._found)

    def add(self, where: Where, text: str) -> None:
        """Note a mistake at a key; that of a key which is not in the file gets the line above it."""
        if where and where[0] in self.owners:
            where = (*self.owners[str(where[0])], *where[1:])
        line = next((n for end in range(len(where), 0, -1) if (n := self._lines.get(where[:end]))), 0)
        self._found.append((line, f"{_key(where)}: {text}" if where else text))

    @contextmanager
    def at(self, where: Where) -> Iterator[None]:
        """Note an error of the operator that is raised inside as a mistake at this key."""
        try:
            yield
        except ConfigError as error:
            self.add(where, str(error))

    def raise_any(self) -> None:
        """Raise PlanError if there are mistakes, those of the file's beginning first."""
        if self._found:
            # What several parts of a file share is wrong once.
            found = sorted(dict.fromkeys(self._found), key=lambda found: found[0])
            raise PlanError("\n".join(_located(self._path, line, text) for line, text in found))


def syntax_error(path: Path, error: ValueError) -> PlanError:
    """Return the error of a file that is no TOML at all."""
    at = _AT_LINE.fullmatch(str(error))
    reason, line = (at[1], int(at[2])) if at else (str(error), 0)
    hint = {"Cannot overwrite a value": "the same key is set twice"}.get(reason, reason)
    return PlanError(_located(path, line, f'this is no TOML: {hint} (texts need quotes: name = "my bot")'))


def look(value: Any, kind: Any, mistakes: Mistakes, where: Where = ()) -> None:
    """Note every way in which a value is not of its kind: unknown keys, missing ones, wrong values."""
    if isinstance(value, int) and value.bit_length() > _MOST_BITS:
        mistakes.add(where, "is a number far too large")
        return
    is_struct = isinstance(kind, type) and issubclass(kind, msgspec.Struct)
    if (is_struct or get_origin(kind) is dict) and not isinstance(value, Mapping):
        mistakes.add(where, f"is a section: [{_key(where)}] with keys below it, not {_shown(value)}")
    elif is_struct:
        _look_at_keys(value, kind, mistakes, where)
    elif get_origin(kind) is dict:
        for key, entry in value.items():
            look(entry, get_args(kind)[1], mistakes, (*where, key))
    elif get_origin(kind) is tuple:
        if not isinstance(value, list):
            mistakes.add(where, f"is {_wanted(kind)}, not {_shown(value)}")
        for index, entry in enumerate(value if isinstance(value, list) else ()):
            look(entry, get_args(kind)[0], mistakes, (*where, index))
    else:
        _look_at_value(value, kind, mistakes, where)


def _look_at_keys(
    value: Mapping[str, Any], kind: type[msgspec.Struct], mistakes: Mistakes, where: Where
) -> None:
    fields = {field.name: field for field in msgspec.structs.fields(kind)}
    for key in value:
        if key not in fields:
            misplaced = bool(where) and key in mistakes.top
            hint = "it belongs above the first line in [brackets]" if misplaced else nearest(key, fields)
            mistakes.add((*where, key), f"there is no such key here: {hint}")
    for name, field in fields.items():
        if name in value:
            look(value[name], field.type, mistakes, (*where, name))
        elif field.required:
            mistakes.add((*where, name), f"is missing: it is {_wanted(field.type)}")


def _look_at_value(value: Any, kind: Any, mistakes: Mistakes, where: Where) -> None:
    try:
        msgspec.convert(value, kind)
    except msgspec.ValidationError:
        words = _words(kind)
        if words and isinstance(value, str):
            mistakes.add(where, f"cannot be {_shown(value)}: {nearest(value, words)}")
        else:
            mistakes.add(where, f"is {_wanted(kind)}, not {_shown(value)}")


def _words(kind: Any) -> tuple[str, ...]:
    """Return the words a value must be one of, if it must."""
    if get_origin(kind) is Annotated:
        return _words(get_args(kind)[0])
    if get_origin(kind) in (Union, types.UnionType):
        return next(filter(None, map(_words, get_args(kind))), ())
    return get_args(kind) if get_origin(kind) is Literal else ()


def _wanted(kind: Any) -> str:
    """Describe what a value should be."""
    origin = get_origin(kind)
    if origin is Annotated:
        described = [meta.description for meta in get_args(kind)[1:] if isinstance(meta, msgspec.Meta)]
        return described[0] or _wanted(get_args(kind)[0])
    if origin in (Union, types.UnionType):
        kinds = [one for one in get_args(kind) if one not in (type(None), msgspec.UnsetType)]
        return " or ".join(map(_wanted, kinds))
    if origin is tuple:
        of_each = get_args(kind)[0]
        if isinstance(of_each, type) and issubclass(of_each, msgspec.Struct):
            return "a list of entries, each below a line of its own like [[bots]]"
        return f"a list in brackets, and each of it {_wanted(of_each)}"
    if origin is Literal:
        return f"one of {', '.join(get_args(kind))}"
    return _PLAIN.get(kind, "something else")


_PLAIN: Final[Mapping[Any, str]] = {
    bool: "true or false",
    int: "a whole number",
    str: "a text in quotes",
}


def _shown(value: Any) -> str:
    """Return a value as a file would spell it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return "a section"
    try:
        text = f'"{value}"' if isinstance(value, str) else str(value)
    except ValueError:
        return "a number of thousands of digits"
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _key(where: Where) -> str:
    """Return the path to a value for people: entries count from 1.

    >>> _key(("bots", 0, "name"))
    'bots 1, name'
    """
    text = ""
    for step in where:
        if isinstance(step, int):
            text += f" {step + 1},"
        else:
            text += f"{' ' if text.endswith(',') else '.' if text else ''}{step}"
    return text.rstrip(",")


def _located(path: Path, line: int, text: str) -> str:
    return f"{path}:{line}: {text}" if line else f"{path}: {text}"


def _lines_of(text: str) -> dict[Where, int]:
    """Return the line of every section and key, as far as each line by itself shows it."""
    lines: dict[Where, int] = {}
    entries: Counter[Where] = Counter()
    section: Where = ()
    for number, line in enumerate(text.splitlines(), 1):
        if head := _HEAD.match(line):
            section = _resolved(_parts(head[2]), entries)
            if head[1] == "[[":
                lines.setdefault(section, number)
                entries[section] += 1
                section = (*section, entries[section] - 1)
            lines.setdefault(section, number)
        elif pair := _PAIR.match(line):
            lines.setdefault((*section, *_parts(pair[1])), number)
    return lines


def _parts(dotted: str) -> list[str]:
    return [part.strip("\"'") for part in re.findall(_KEY, dotted)]


def _resolved(parts: Iterable[str], entries: Mapping[Where, int]) -> Where:
    """Return the path to a section; behind a list of entries the last entry is meant."""
    *above, name = parts
    where: Where = ()
    for part in above:
        where = (*where, part)
        if entries.get(where):
            where = (*where, entries[where] - 1)
    return (*where, name)
