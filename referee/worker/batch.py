"""A batch of matches for another host, and what comes of it: the records of a task, as bytes."""

from typing import Final

from msgspec import Struct, msgpack

from referee.hub.roster import StartFailure
from referee.match.faults import Profile
from referee.worker.orders import MatchOrder, MatchOver
from referee.worker.travel import TravellingBot


class Batch(Struct, array_like=True, frozen=True):
    """Whole blocks of matches, to be played one match after the other, with all that it takes."""

    code: str
    """The hash of the organiser's code: a host with another one does not play."""
    event: str
    """What processes may be kept for: those of another event are not used."""
    profile: Profile
    bots: tuple[TravellingBot, ...]
    broken: dict[str, StartFailure]
    matches: tuple[MatchOrder, ...]
    games: dict[str, str] = {}
    """By id: the hash of a game that does not come with the referee."""
    attempt: int = 0
    """Counts the batches of an organiser, so that none is taken for an earlier one."""

    def __repr__(self) -> str:
        return f"<Batch {self.attempt}: {len(self.matches)}>"


class BatchDone(Struct, array_like=True, frozen=True):
    """What came of a batch. Without `ended`, `lacking` and `trouble` all its matches are over."""

    host: str
    speed: float
    took_s: float
    over: tuple[MatchOver, ...] = ()
    ended: str = ""
    """How the process that played ended, if it did."""
    begun: tuple[str, ...] = ()
    """What it was playing then."""
    lacking: tuple[str, ...] = ()
    """Digests of bundles that the host needs first."""
    trouble: str = ""
    """Why this host cannot play: it is refused."""


encode: Final = msgpack.Encoder().encode
decode_batch: Final = msgpack.Decoder(Batch).decode
decode_done: Final = msgpack.Decoder(BatchDone).decode
