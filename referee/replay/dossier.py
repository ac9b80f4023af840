"""The dossier of a match: messages and stderr of its bots, kept beside the replay for `referee why`.

A dossier is evidence for people, not part of the record: it is neither chained nor verified.
"""

import re
from pathlib import Path
from typing import Final, Literal, get_args

import msgspec
from msgspec import Struct

from protocol.messages import FromBot, FromReferee
from referee.errors import RecordError
from referee.replay.files import read_bytes

DOSSIER_SUFFIX: Final = ".dossier.json"


_KIND: Final = re.compile(r"""\btype["']?\s*:(?:\s*["'](\w+))?""")
"""The type of what may be a message, also one with the quotes of another language than JSON."""

_OWN_FIELD: Final = re.compile(r"""["'](?:match|id|action|actions|protocol)["']\s*:""")
"""A field of a bot's messages."""

_OF_REFEREE: Final = frozenset(
    kind.__name__.lower() for kind in {*get_args(FromReferee)} - {*get_args(FromBot)}
)
"""The types of messages that only the referee sends."""


class Said(Struct, frozen=True):
    """One message of a conversation with a bot."""

    ms: int
    """Milliseconds since the start of the match."""
    way: Literal["to", "from"]
    """To the bot, or from it."""
    line: str
    bytes: int = 0
    """The size of a message that is none, which the line quotes as it came; 0: the line is a summary."""
    mark: int = -1
    """The character of such a line where it goes wrong; -1 if no single place is wrong."""

    @property
    def is_stray_print(self) -> bool:
        """Whether this is text in place of a message: what a bot prints that writes its log to stdout.

        An object is one if it has nothing of a bot's message, as a view, or is what the referee has sent.
        """
        line = self.line.removeprefix("\ufeff")
        if not self.bytes or not line.startswith("{"):
            return bool(self.bytes)
        kind = _KIND.search(line)
        return kind[1] in _OF_REFEREE if kind is not None else _OWN_FIELD.search(line) is None


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
    """The last ones, and all broken ones before them; oldest first."""
    folder: str = ""
    """The working folder of its process; empty if it had none."""
    level: str = ""
    """How far it was trusted."""
    limits: dict[str, int] = {}
    """Limits of its process that are not the usual ones."""
    env: dict[str, str] = {}
    """Variables that it was given beside those that every bot has."""
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
