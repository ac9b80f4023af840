"""A seat file: a match as one seat saw it, for the author of its bot. It has nothing that is hidden from it.

It is the document of the player with the track of one seat (`referee.player.frames`), and beside it the seat
and its clock. A file of a match has no key, no seed and no action of another seat in it, so a position is
rebuilt by imagining what the seat did not see.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from protocol.messages import TimeControl
from referee.errors import FormatVersionError, RecordError
from referee.game import Options, Seen
from referee.match.faults import PROFILES, Profile
from referee.replay.files import read_bytes

SEAT_SUFFIX: Final = ".seat.json"

FORMAT: Final = 1
"""The version of the file; no other is read."""


class SeatDeed(Struct, frozen=True):
    """A line of the log, as far as the seat knows it."""

    seat: int | None = None
    decision: int = 0
    """The decision of the own seat that it belongs to; 0 if it belongs to none."""
    action: str | None = None
    by: str = ""
    fault: str = ""
    why: str = ""
    final: bool = False


class SeatStep(Struct, frozen=True):
    """What the seat noticed of one step."""

    did: SeatDeed = SeatDeed()
    events: list[Seen] = []


class SeenSeat(Struct, frozen=True):
    """How the match ended for one seat, as all seats were sent it."""

    rank: int = 1
    score: int = 0
    fault: str = ""


class SeenResult(Struct, frozen=True):
    """How the match ended, as all seats were sent it."""

    seats: tuple[SeenSeat, ...]
    reason: str = ""
    ties: Literal["draw", "unordered"] = "draw"
    void: bool = False


class SeatFrames(Struct, frozen=True):
    """The document of the player, as far as positions are made from it."""

    match: str
    game: str
    names: tuple[str, ...]
    options: Options
    profile: str
    tracks: dict[str, list[SeatStep]]
    result: SeenResult


class SeatFile(Struct, frozen=True):
    """A match as one seat saw it."""

    type: Literal["seat"]
    format: int
    referee: str
    """The version of the referee that wrote it."""
    seat: int
    clock: TimeControl
    frames: SeatFrames
    strikes: int = 0
    """The strike that loses the match; 0 in older files, where the name of the profile says it."""

    @property
    def profile(self) -> Profile:
        """The terms of the match for this seat."""
        usual = PROFILES.get(self.frames.profile, PROFILES["strict"])
        strikes = self.strikes or usual.strikes
        return replace(usual, name=self.frames.profile, strikes=strikes, clock=self.clock)

    @property
    def steps(self) -> list[SeatStep]:
        """What the seat noticed, step by step; step 0 is the deal."""
        return self.frames.tracks[str(self.seat)]

    @property
    def decisions(self) -> int:
        """How many decisions the seat was asked for."""
        return max((number for _, number in self._decided()), default=0)

    def seen_before(self, decision: int) -> list[Seen]:
        """Return all events that the seat had seen when it was asked for this decision, which it had."""
        end = next(at for at, number in self._decided() if number == decision)
        return [event for step in self.steps[:end] for event in step.events]

    def played_at(self, decision: int) -> tuple[str, str]:
        """Return the action of this decision and what chose it: bot or house; both '' if there was none."""
        for at, number in self._decided():
            did = self.steps[at].did
            if number == decision and did.action is not None:
                return did.action, did.by
        return "", ""

    def _decided(self) -> Iterator[tuple[int, int]]:
        """Return every step that belongs to a decision of the seat, with the number of the decision."""
        for at, step in enumerate(self.steps):
            if step.did.seat == self.seat and step.did.decision:
                yield at, step.did.decision


def is_seat_file(path: Path) -> bool:
    """Return whether a file is one of a seat, by its name."""
    return path.name.endswith(SEAT_SUFFIX)


def seat_file_bytes(
    seat: int, clock: TimeControl, strikes: int, frames: dict[str, Any], version: str
) -> bytes:
    """Return a seat file; `frames` is the document of the player with the track of this seat alone."""
    document = {
        "type": "seat",
        "format": FORMAT,
        "referee": version,
        "seat": seat,
        "clock": clock,
        "strikes": strikes,
        "frames": frames,
    }
    return msgspec.json.encode(document) + b"\n"


def read_seat_file(path: Path) -> SeatFile:
    """Return a seat file; raises RecordError if it is none."""
    return seat_file_of(read_bytes(path), path)


def seat_file_of(data: bytes, path: Path) -> SeatFile:
    """Return a seat file from its bytes; raises RecordError, which names the path, if it is none."""
    try:
        found = msgspec.json.decode(data, type=SeatFile)
    except (ValueError, RecursionError) as error:
        raise RecordError(f"{path}: not the file of a seat: {error}") from error
    if found.format != FORMAT:
        raise FormatVersionError(f"{path}: the file of a seat", found.referee, f"format {found.format}")
    if str(found.seat) not in found.frames.tracks:
        raise RecordError(f"{path}: not the file of a seat: it lacks what seat {found.seat} saw")
    seats = len(found.frames.names)
    if not (0 <= found.seat < seats == len(found.frames.result.seats)):
        raise RecordError(f"{path}: not the file of a seat: its names and its result do not fit together")
    return found
