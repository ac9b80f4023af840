"""What a daemon keeps over a restart beside its results: sessions, suspensions, and faults in a row.

One small file in the folder of the daemon, written whole. It is written whenever an account is suspended, so
a kill does not shorten a suspension, and at the end, when no match runs: only then sessions are in it. After
a kill they are not, because the matches of those sessions are lost.
"""

import os
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from referee.errors import ConfigError
from referee.gate.cooldown import Suspension

FILE: Final = "daemon.json"

_MOST_BYTES: Final = 1 << 22


class KeptSession(Struct, frozen=True):
    """A session that may go on."""

    name: str
    account: bool
    """Whether the name is an account, which the bot proves with its key."""


class KeptState(Struct, frozen=True):
    """What a daemon keeps."""

    at_s: float = 0.0
    """When it was written, in seconds since 1970: suspensions go on while the daemon is away."""
    sessions: dict[str, KeptSession] = {}
    """By their secret ids."""
    suspensions: dict[str, Suspension] = {}
    faults_in_a_row: dict[str, int] = {}

    def aged(self, now_s: float) -> dict[str, Suspension]:
        """Return the suspensions as they are now; a clock that was set back does not make them longer."""
        passed_s = max(0.0, now_s - self.at_s)
        return {
            name: Suspension(max(0.0, one.left_s - passed_s), one.last_s)
            for name, one in self.suspensions.items()
        }


def read_state(folder: Path) -> KeptState:
    """Return what the last daemon of this folder has kept. Raises ConfigError for a file that is no such."""
    path = folder / FILE
    try:
        with path.open("rb") as file:
            return msgspec.json.decode(file.read(_MOST_BYTES), type=KeptState)
    except FileNotFoundError:
        return KeptState()
    except (OSError, msgspec.DecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        raise ConfigError(
            f"{path}: what the last daemon has kept cannot be read: {why}; remove the file to begin "
            "without sessions and suspensions"
        ) from error


def write_state(folder: Path, state: KeptState) -> None:
    """Write the state whole, for the owner's eyes only: a session is a secret. Raises OSError."""
    unfinished = folder / f"{FILE}.tmp"
    with open(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600), "wb") as file:
        file.write(msgspec.json.encode(state))
    unfinished.replace(folder / FILE)
