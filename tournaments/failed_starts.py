"""The bots of a tournament that do not start: why, and the end of their stderr, kept for their authors.

The file stands beside the replays, private as they are. It is evidence for people, like a dossier: neither
chained nor verified. Paths of the host are taken out when it is written, so no reader has to know them.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from referee.errors import RecordError
from referee.hub.roster import StartFailure
from referee.replay.files import read_bytes, write_whole
from tournaments.host_paths import hider

FILE: Final = "failed-starts.json"

FORMAT: Final = 1
"""The version of the file; no other is read."""

_MOST_LETTERS: Final = 16_384
"""Of one stderr, its end: a file with the most bots stays far below the size that is read."""


class FailedStart(Struct, frozen=True):
    """What explains to its author that a bot did not start."""

    bot: str
    fault: str
    """The code of the fault."""
    why: str
    exit: str = ""
    """How its process ended, in words; empty if it had none."""
    stderr: str = ""
    """The end of what it wrote to stderr."""
    advice: str = ""


class FailedStarts(Struct, frozen=True):
    """What is in the file."""

    format: int
    bots: tuple[FailedStart, ...]


def failed_start(bot: str, failure: StartFailure, event: Path, *folders: str) -> FailedStart:
    """Return what the author of a bot reads about its start; `event` and `folders` are paths to hide."""
    hide = hider(event, *folders)

    def shown(text: str) -> str:
        # A path may have bytes that are no text.
        return hide(text).encode(errors="replace").decode()

    return FailedStart(
        bot=bot,
        fault=failure.code.value,
        why=shown(failure.cause),
        exit=shown(failure.exit),
        stderr=shown(failure.stderr)[-_MOST_LETTERS:],
        advice=failure.advice,
    )


def write_failed_starts(folder: Path, failed: Iterable[FailedStart]) -> None:
    """Write the file anew, whole or not at all; without failures there is none. Raises RecordError."""
    path, bots = folder / FILE, tuple(failed)
    if bots:
        write_whole(path, msgspec.json.format(msgspec.json.encode(FailedStarts(FORMAT, bots))) + b"\n")
        return
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise RecordError(f"{path}: cannot be removed: {error.strerror}") from error


def failed_starts(folder: Path | None) -> dict[str, FailedStart]:
    """Return by name the bots that did not start in the last run that tried them.

    A file that is missing or cannot be read has none: no result depends on it.
    """
    if folder is None:
        return {}
    try:
        found = msgspec.json.decode(read_bytes(folder / FILE), type=FailedStarts)
    except (RecordError, ValueError, RecursionError):
        return {}
    return {one.bot: one for one in found.bots} if found.format == FORMAT else {}
