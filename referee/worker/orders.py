"""What an organiser and a worker send each other: records in frames, over a socket that no bot can reach."""

from msgspec import Struct

from protocol.messages import TimeControl
from referee import registry
from referee.hub.counters import DecisionTimes
from referee.hub.feed_messages import LiveMoment
from referee.hub.pairing import Pairing
from referee.hub.roster import StartFailure
from referee.match.faults import Profile
from referee.match.result import Result
from referee.process.spec import BotSpec
from referee.replay.dossier import Dossier


class WorkerRecord(Struct, array_like=True, tag=True, frozen=True):
    """What all records share."""


class MatchOrder(Struct, array_like=True, frozen=True):
    """A match to be played: a pairing without the seed, of which a worker knows nothing."""

    match: str
    game: str
    bots: tuple[str, ...]
    key: bytes
    profile: Profile
    options: dict[str, str | int]
    names: tuple[str, ...]
    reveal: bool
    deal: str
    clocks: dict[str, TimeControl]

    def __repr__(self) -> str:
        return f"<MatchOrder {self.match}>"

    def pairing(self) -> Pairing:
        """Return the match as a hub plays it."""
        return Pairing(
            match=self.match,
            game=registry.game(self.game),
            bots=self.bots,
            key=self.key,
            profile=self.profile,
            options=self.options,
            names=self.names,
            reveal=self.reveal,
            deal=self.deal,
            clocks=self.clocks,
        )


def order_for(pairing: Pairing) -> MatchOrder:
    """Return the order to play a match."""
    return MatchOrder(
        match=pairing.match,
        game=pairing.game.info.id,
        bots=pairing.bots,
        key=pairing.key,
        profile=pairing.profile,
        options=pairing.options,
        names=pairing.names,
        reveal=pairing.reveal,
        deal=pairing.deal,
        clocks=pairing.clocks,
    )


# From the organiser.


class SetUp(WorkerRecord, frozen=True):
    """Begin: the first record. `jobs` matches are played at once, with the patience of this profile.

    While all their bots are light, there are up to `light_jobs`.
    """

    jobs: int
    light_jobs: int
    profile: Profile


class TakeBots(WorkerRecord, frozen=True):
    """These are the bots from now on; one that is `broken` loses its matches for this reason."""

    bots: tuple[BotSpec, ...]
    broken: dict[str, StartFailure]


class PlayMatches(WorkerRecord, frozen=True):
    """Play these matches too."""

    matches: tuple[MatchOrder, ...]


class Pause(WorkerRecord, frozen=True):
    """Begin no matches for now, or again."""

    paused: bool


class DrainMatches(WorkerRecord, frozen=True):
    """Begin no more matches, and return those that have not begun."""


class AbandonMatches(WorkerRecord, frozen=True):
    """End all matches without a verdict."""

    why: str


class WatchMatches(WorkerRecord, frozen=True):
    """Send what the public may know of these matches, as it happens."""

    matches: tuple[str, ...]


ToWorker = SetUp | TakeBots | PlayMatches | Pause | DrainMatches | AbandonMatches | WatchMatches


# From a worker.


class WorkerStarted(WorkerRecord, frozen=True):
    """The worker runs this code: an organiser with another one refuses it."""

    pid: int
    code: str


class MatchBegan(WorkerRecord, frozen=True):
    """A match is being played."""

    match: str


class MatchOver(WorkerRecord, frozen=True):
    """A match is over; its replay lacks the seed."""

    match: str
    result: Result
    play: str
    replay: tuple[bytes, ...]
    dossier: Dossier | None
    times: DecisionTimes


class MatchMoment(WorkerRecord, frozen=True):
    """What the public may know of a match that is watched, with the events since the last such record."""

    moment: LiveMoment


class MatchesReturned(WorkerRecord, frozen=True):
    """These matches have not begun, and will not."""

    matches: tuple[str, ...]


class WorkerFailed(WorkerRecord, frozen=True):
    """The worker cannot go on, through no fault of a bot. What it has not sent is played again."""

    why: str


class NoWorkerLeft(WorkerRecord, frozen=True):
    """No worker can play, and none will: the run ends."""

    why: str


FromWorker = (
    WorkerStarted | MatchBegan | MatchOver | MatchMoment | MatchesReturned | WorkerFailed | NoWorkerLeft
)
