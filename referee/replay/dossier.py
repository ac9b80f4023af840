"""The dossier of a match: messages and stderr of its bots, kept beside the replay for `referee why`.

A dossier is evidence for people, not part of the record: it is neither chained nor verified.
"""

from pathlib import Path
from typing import Final, Literal

import msgspec
from msgspec import Struct

from referee.errors import RecordError
from referee.replay.files import read_bytes

DOSSIER_SUFFIX: Final = ".dossier.json"


class Said(Struct, frozen=True):
    """One message of a conversation with a bot."""

    ms: int
    """Milliseconds since the start of the match."""
    way: Literal["to", "from"]
    """To the bot, or from it."""
    line: str


class SeatDossier(Struct, frozen=True):
    """What is known about the bot in one seat."""

    name: str
    command: str = ""
    exit: str = ""
    """How its process ended, in words; empty if it had none or it still runs."""
    fault: str = ""
    """The code of its final fault."""
    why: str = ""
    stderr: str = ""
    """The end of what it wrote to stderr."""
    dropped_bytes: int = 0
    """Bytes of stderr before that, which were not kept."""
    messages: tuple[Said, ...] = ()
    """The last ones, oldest first."""
    folder: str = ""
    """The working folder of its process; empty if it had none."""
    level: str = ""
    """How far it was trusted."""
    limits: dict[str, int] = {}
    """Limits of its process that are not the usual ones."""
    charged_ms: int = 0
    """Time charged to its clock, after the grace of every answer."""
    took_us: int = 0
    """The time its answers really took, all together."""
    median_us: int = 0
    slowest_us: int = 0


class Dossier(Struct, frozen=True):
    """What is known about the bots of one match, beyond the replay."""

    match: str
    game: str
    replay: str
    """The name of the replay's file, in the same folder; empty if there is none."""
    seats: tuple[SeatDossier, ...]


def dossier_bytes(dossier: Dossier) -> bytes:
    """Return a dossier as it stands in its file."""
    return msgspec.json.format(msgspec.json.encode(dossier)) + b"\n"


def read_dossier(path: Path) -> Dossier:
    """Return a dossier, or raise RecordError."""
    try:
        return msgspec.json.decode(read_bytes(path), type=Dossier)
    except (ValueError, RecursionError) as error:
        raise RecordError(f"{path}: not a dossier: {error}") from error
