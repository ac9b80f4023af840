"""The key `entries` of a tournament file: written by the first intake, without touching anything else."""

import os
import re
import tomllib
from pathlib import Path

from tournaments.config.entry_record import write_whole
from tournaments.config.mistakes import PlanError, syntax_error
from tournaments.config.plan import check_text
from tournaments.config.toml_files import read_text

_TABLE = re.compile(r"\s*\[")


def folder_of_entries(file: Path) -> Path | None:
    """Return the folder of entries that a tournament file names; None if it names none or is no TOML."""
    try:
        named = tomllib.loads(read_text(file)).get("entries")
    except tomllib.TOMLDecodeError:
        return None
    return file.parent / named if isinstance(named, str) else None


def ensure_key(file: Path) -> bool:
    """Add the key `entries` to a tournament file that lacks it; return whether it was added.

    The line goes above the first table, and everything else stays as it is. Raises PlanError for a file that
    has mistakes, or where the line cannot be added safely; then nothing is written.
    """
    text = read_text(file)
    try:
        before = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise syntax_error(file, error) from error
    if "entries" in before:
        return False
    line = f'entries = "{_quoted(file.stem)}-entries"   # submissions: written by `referee entries`'
    changed = _with_line(file.read_bytes().decode(), line)
    try:
        is_safe = tomllib.loads(changed) == before | {"entries": f"{file.stem}-entries"}
    except tomllib.TOMLDecodeError:
        is_safe = False
    if not is_safe:
        raise PlanError(f"{file}: add this line above the first line in [brackets]: {line}")
    check_text(file, changed.replace("\r\n", "\n"))
    target = file.resolve()
    mode = target.stat().st_mode
    try:
        write_whole(target, changed.encode())
        os.chmod(target, mode & 0o777)
    except OSError as error:
        raise PlanError(f"cannot write {file}: {error.strerror}; add to it: {line}") from error
    return True


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _with_line(text: str, line: str) -> str:
    """Return a text with a line above its first table and the remarks right before that."""
    lines = text.splitlines(keepends=True)
    end = "\r\n" if lines and lines[0].endswith("\r\n") else "\n"
    at = next((number for number, one in enumerate(lines) if _TABLE.match(one)), len(lines))
    while at and lines[at - 1].lstrip().startswith("#"):
        at -= 1
    if at and not lines[at - 1].endswith("\n"):
        lines[at - 1] += end
    gap = [] if at == len(lines) or not lines[at].strip() else [end]
    return "".join([*lines[:at], line + end, *gap, *lines[at:]])
