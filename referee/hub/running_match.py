"""A match that is being played: its seats, its last messages, and what is kept of it."""

import time
from collections import deque
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import msgspec

import referee
from protocol.codec import from_referee
from protocol.messages import Act
from protocol.text import line
from referee.gate.records import Answered
from referee.hub.pairing import Pairing
from referee.hub.roster import StartFailure
from referee.hub.session import Session
from referee.match.clock import MS
from referee.match.faults import Fault
from referee.match.match import Match, Sends
from referee.match.result import Result
from referee.match.seat import SeatConfig
from referee.process.spec import BotSpec, ResourceLimits
from referee.replay.dossier import Dossier, Said, SeatDossier
from referee.replay.format import About, ReplayText, replay_text

_TRAFFIC = 16
"""How many messages of each seat are kept for its dossier."""


class RunningMatch:
    """A match that is being played, and the sessions of its bots."""

    __slots__ = (
        "began_ns",
        "match",
        "pairing",
        "seats",
        "shows",
        "specs",
        "started",
        "stderr_before",
        "stderr_of_starts",
        "timer_ns",
        "traffic",
    )

    def __init__(
        self, pairing: Pairing, seats: list[Session | None], specs: tuple[BotSpec | None, ...]
    ) -> None:
        configs = [
            SeatConfig(name, session.admission.wants, session.admission.latency_ms, pairing.clocks.get(bot))
            if session
            else SeatConfig(name, clock=pairing.clocks.get(bot))
            for name, bot, session in zip(pairing.names or pairing.bots, pairing.bots, seats, strict=True)
        ]
        self.pairing = pairing
        self.match = Match(
            pairing.match,
            pairing.game,
            configs,
            pairing.key,
            pairing.profile,
            pairing.options,
            reveal=pairing.reveal,
            hides=len(seats) > 2,
        )
        self.seats = seats
        self.specs = specs
        self.began_ns = time.monotonic_ns()
        self.started = datetime.now(UTC).isoformat(timespec="seconds")
        self.timer_ns = 0
        """When the hub will look whether the match is over its deadline; 0: no such moment is set."""
        self.shows = False
        """Whether a moment is set at which hidden choices are shown."""
        self.traffic: list[deque[tuple[int, bytes | Answered]]] = [deque(maxlen=_TRAFFIC) for _ in seats]
        """By seat: the last messages with their times, to the bot as bytes, from it as records."""
        self.stderr_before = [session.stderr.written if session else 0 for session in seats]
        """By seat: how much its bot had written to stderr before the match."""
        self.stderr_of_starts: dict[int, str] = {}
        """By seat without a bot: what its bot wrote to stderr before its start failed."""

    def seat_of(self, session: Session) -> int:
        """Return the seat of a bot."""
        return self.seats.index(session)

    def absent(self, seats: Mapping[int, StartFailure], now_ns: int) -> Sends:
        """Rule on all seats whose bots did not start."""
        self.stderr_of_starts = {seat: failure.stderr for seat, failure in seats.items()}
        reasons = {seat: (failure.code, failure.why) for seat, failure in seats.items()}
        return self.match.absent(reasons, now_ns)

    def replay(self) -> ReplayText:
        """Return the replay of a match that is over."""
        about = About(
            bots=tuple(spec.program.command_line() if spec else "" for spec in self.specs),
            version=referee.version(),
            started=self.started,
            seed=self.pairing.seed,
            deal=self.pairing.deal,
            beacon=self.pairing.beacon,
        )
        return replay_text(self.match, about)

    def dossier(self, result: Result, replay: Path) -> Dossier | None:
        """Return what explains a fault or a void match; None if there is neither."""
        if not result.void and not any(result.faults):
            return None
        seats = tuple(self.seat_dossier(result, seat) for seat in range(len(self.seats)))
        return Dossier(result.match, result.game, replay.name, seats)

    def seat_dossier(self, result: Result, seat: int) -> SeatDossier:
        """Return what explains the result of one seat."""
        session, spec = self.seats[seat], self.specs[seat]
        own = result.seats[seat]
        faults = [entry for entry in self.match.log if isinstance(entry, Fault) and entry.seat == seat]
        return SeatDossier(
            name=own.name,
            command=spec.program.command_line() if spec else "",
            folder=spec.program.folder if spec else "",
            level=spec.program.level if spec else "",
            limits=_unusual(spec.program.limits) if spec else {},
            exit=session.end.in_words() if session and session.end else "",
            fault=own.fault,
            why=faults[-1].why if faults else "",
            charged_ms=own.charged_ms,
            took_us=own.took_us,
            median_us=own.median_us,
            slowest_us=own.slowest_us,
            stderr=self._stderr_of(seat),
            dropped_bytes=session.stderr.dropped if session else 0,
            messages=tuple(
                Said((at_ns - self.began_ns) // MS, "to", line(from_referee(said)))
                if isinstance(said, bytes)
                else Said((at_ns - self.began_ns) // MS, "from", line(_act(said)))
                for at_ns, said in self.traffic[seat]
            ),
        )

    def _stderr_of(self, seat: int) -> str:
        session = self.seats[seat]
        if session is None:
            return self.stderr_of_starts.get(seat, "")
        return session.stderr.since(self.stderr_before[seat])


def _unusual(limits: ResourceLimits) -> dict[str, int]:
    usual = msgspec.structs.asdict(ResourceLimits())
    return {name: value for name, value in msgspec.structs.asdict(limits).items() if value != usual[name]}


def _act(answer: Answered) -> Act:
    """Return the message of an answer."""
    return Act(answer.match, answer.id, None, answer.actions)
