"""A match that is being played: its seats, its last messages, and what is kept of it."""

import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Protocol

import msgspec

import referee
from protocol.codec import from_referee
from protocol.messages import Act
from protocol.text import line
from referee.gate.records import Answered, Misbehaved
from referee.hub.feed_messages import MOST_EVENTS, LiveMoment
from referee.hub.pairing import Finished, Pairing
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
from referee.replay.narration import Watcher, known_result

_TRAFFIC = 16
"""How many messages of each seat are kept for its dossier, and how many broken ones besides."""

Traffic = deque[tuple[int, bytes | Answered | Misbehaved]]
"""Messages with their times: to the bot as bytes, from it as records."""


def names_in(pairing: Pairing) -> tuple[str, ...]:
    """Return what the bots are called in their match."""
    return pairing.names or pairing.bots


class InPlay(Protocol):
    """A match that is being played, by this process or by another one."""

    pairing: Pairing
    began_ns: int

    @property
    def step(self) -> int:
        """How many events it has, as far as that is known."""

    @property
    def is_starting(self) -> bool:
        """Whether not all bots are ready."""

    @property
    def is_over(self) -> bool:
        """Whether it has a result."""

    @property
    def present(self) -> Sequence[str]:
        """The bots that play it: none for a seat whose bot did not start."""

    def moment(self, sent: int) -> LiveMoment:
        """Return the present as the public knows it, with the events after the first `sent` ones."""


class RunningMatch:
    """A match that is being played, and the sessions of its bots."""

    __slots__ = (
        "began_ns",
        "broken",
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
        self.traffic: list[Traffic] = [deque(maxlen=_TRAFFIC) for _ in seats]
        """By seat: the last messages."""
        self.broken: list[Traffic] = [deque(maxlen=_TRAFFIC) for _ in seats]
        """By seat: the broken messages. A strike may be far from the end of the match."""
        self.stderr_before = [session.stderr.written if session else 0 for session in seats]
        """By seat: how much its bot had written to stderr before the match."""
        self.stderr_of_starts: dict[int, str] = {}
        """By seat without a bot: what its bot wrote to stderr before its start failed."""

    @property
    def step(self) -> int:
        """How many events it has."""
        return len(self.match.events)

    @property
    def is_starting(self) -> bool:
        """Whether not all bots are ready."""
        return bool(self.match.waiting)

    @property
    def is_over(self) -> bool:
        """Whether it has a result."""
        return self.match.result is not None

    @property
    def present(self) -> Sequence[str]:
        """The bots that play it."""
        return [session.name for session in self.seats if session is not None]

    def moment(self, sent: int) -> LiveMoment:
        """Return the present as the public knows it, with the events after the first `sent` ones."""
        match = self.match
        # The view of a match that an error of ours ended may be what went wrong.
        is_void = match.result is not None and match.result.void
        new = match.events[max(sent, self.step - MOST_EVENTS) :]
        return LiveMoment(
            match=match.id,
            game=match.game.info.id,
            names=names_in(self.pairing),
            step=self.step,
            view={} if is_void else match.state.view(None),
            events=() if is_void else tuple(event.seen_by(None) for event in new),
            result=None if match.result is None else known_result(match.result, Watcher()),
        )

    def seat_of(self, session: Session) -> int:
        """Return the seat of a bot."""
        return self.seats.index(session)

    def note_broken(self, seat: int, at_ns: int, record: Misbehaved) -> None:
        """Keep a broken message for the dossier: it explains a fault, also if many others follow."""
        self.traffic[seat].append((at_ns, record))
        self.broken[seat].append((at_ns, record))

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

    def needs_dossier(self, result: Result) -> bool:
        """Return whether there is something to explain: a fault, also a strike, or a void match."""
        return result.void or Fault in map(type, self.match.log)

    def dossier(self, finished: Finished) -> Dossier:
        """Return what explains the result of the match, whose replay is written."""
        result, replay = finished.result, finished.replay
        assert replay is not None
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
            env=spec.program.given_env() if spec else {},
            exit=session.end.in_words() if session and session.end else "",
            fault=own.fault,
            why=faults[-1].why if faults else "",
            charged_ms=own.charged_ms,
            took_us=own.took_us,
            median_us=own.median_us,
            slowest_us=own.slowest_us,
            stderr=self._stderr_of(seat),
            dropped_bytes=session.stderr.dropped if session else 0,
            messages=tuple(self._messages_of(seat)),
        )

    def _messages_of(self, seat: int) -> Iterator[Said]:
        """Return the last messages of a seat, and before them broken ones that are no longer among them."""
        last = self.traffic[seat]
        earlier = [one for one in self.broken[seat] if one not in last]
        return (_said((at_ns - self.began_ns) // MS, said) for at_ns, said in [*earlier, *last])

    def _stderr_of(self, seat: int) -> str:
        session = self.seats[seat]
        if session is None:
            return self.stderr_of_starts.get(seat, "")
        return session.stderr.since(self.stderr_before[seat])


def _unusual(limits: ResourceLimits) -> dict[str, int]:
    usual = msgspec.structs.asdict(ResourceLimits())
    return {name: value for name, value in msgspec.structs.asdict(limits).items() if value != usual[name]}


def _said(ms: int, said: bytes | Answered | Misbehaved) -> Said:
    if isinstance(said, bytes):
        return Said(ms, "to", line(from_referee(said)))
    if isinstance(said, Answered):
        return Said(ms, "from", line(_act(said)))
    if said.quote is None:
        return Said(ms, "from", f"({said.why})")
    return Said(ms, "from", said.quote.text, said.quote.bytes, said.quote.mark)


def _act(answer: Answered) -> Act:
    """Return the message of an answer."""
    return Act(answer.match, answer.id, None, answer.actions)
