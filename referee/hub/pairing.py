"""What a hub is given to play, and what it reports: a pairing, and the finished match."""

from pathlib import Path

import msgspec

from protocol.messages import TimeControl
from referee.chance import Beacon
from referee.game import Game
from referee.match.faults import PROFILES, Profile
from referee.match.result import Result, conclude


class Pairing(msgspec.Struct, frozen=True):
    """A match to be played: the bots by seat, and the luck."""

    match: str
    game: Game
    bots: tuple[str, ...]
    """Names of the bots by seat."""
    key: bytes
    profile: Profile = PROFILES["strict"]
    options: dict[str, str | int] = {}
    names: tuple[str, ...] = ()
    """The names that the bots see; empty: their own."""
    reveal: bool = True
    """Whether the key is shown to the bots at the end; not while the deal is to be played again."""
    seed: str = ""
    """The operator's: what the key was made from, with the deal, and with the beacon if there is one."""
    deal: str = ""
    beacon: Beacon | None = None
    clocks: dict[str, TimeControl] = {}
    """By name of a bot: its own time limits, if they are not the profile's."""
    replays: Path | None = None
    """The folder of its replay; None: that of the hub."""

    def __repr__(self) -> str:
        return f"<Pairing {self.match}: {self.game.info.id}, {' - '.join(self.bots)}>"


class Finished(msgspec.Struct, frozen=True):
    """A match that is over and, if replays are kept, on disk."""

    pairing: Pairing
    result: Result
    play: str
    """The hash of what was played; the same bots and luck give the same over every transport."""
    replay: Path | None
    digest: str = ""
    """The SHA-256 of the replay's file, once it is written."""
    host: str = ""
    """The host that it was played on."""
    speed: float = 0.0
    """How fast that host was about then (`referee.hub.host_speed`); 0 if it is not known."""


def our_error(error: Exception) -> str:
    """Return the reason of a match that an error of ours voids."""
    return f"an error of the referee: {type(error).__name__}: {error}"


def void_result(pairing: Pairing, why: str) -> Result:
    """Return the result of a match that could not be set up or written down."""
    names = pairing.names or pairing.bots
    return conclude(pairing.match, pairing.game.info.id, names, [0] * len(names), None, [], void_reason=why)
