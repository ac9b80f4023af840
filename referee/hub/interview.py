"""Asks one bot about single positions, over the same wire and with the same clock as in a match."""

import tempfile
import time
from pathlib import Path
from typing import Self

import msgspec
from msgspec import Struct

from protocol.codec import encode
from protocol.messages import Ask
from referee.errors import ConfigError, LaunchError
from referee.gate.records import Answered, Misbehaved, Readied
from referee.hub.event_loop import EventLoop
from referee.hub.session import Session, SessionState
from referee.match.clock import MS
from referee.match.faults import MEANING, FaultCode, Profile
from referee.match.match import Match, Sends
from referee.match.seat import SeatConfig
from referee.process.forkserver import Forkserver
from referee.process.removal import remove_tree
from referee.process.spec import BotSpec
from referee.replay.position import AskPosition
from referee.wording import in_ms


class InterviewAnswer(Struct, frozen=True):
    """A bot's answer at a position."""

    actions: list[str]
    """One, or a plan of several; none if it failed."""
    us: int
    """Microseconds from the ask to the answer."""
    fault: str = ""
    """The code of what it did wrong, or ''."""
    why: str = ""
    stderr: str = ""
    """The end of what it wrote to stderr, if it failed."""

    @property
    def action(self) -> str:
        """What it would play now."""
        return self.actions[0] if self.actions else ""


def describe(answer: InterviewAnswer, refusal: str) -> str:
    """Return an answer in one line; `refusal` is the reason why the rules do not allow it, or ''."""
    if answer.fault:
        return f"none: it {MEANING[FaultCode(answer.fault)]} ({answer.fault}: {answer.why})"
    rest = f", then {', '.join(answer.actions[1:])}" if answer.actions[1:] else ""
    legal = f"not legal: {refusal}" if refusal else "legal"
    return f"{answer.action} ({legal}, {in_ms(answer.us)}){rest}"


class Interview:
    """One bot, asked about one position after the other. Its process lives on until it fails."""

    def __init__(self, spec: BotSpec, profile: Profile) -> None:
        self._spec = spec
        self._profile = profile
        self._loop = EventLoop(lambda stall_ns: self._match.stalled(stall_ns) if self._match else None)
        self._forkserver = Forkserver()
        self._folder = Path(tempfile.mkdtemp(prefix="referee-"))
        self._session: Session | None = None
        self._match: Match | None = None
        self._seat = 0
        self._asked: Ask | None = None
        self._answer: InterviewAnswer | None = None
        self._lost = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._dismiss()
        self._forkserver.close()
        # All processes have ended: their sockets are closed here.
        self._loop.turn(0)
        self._loop.close()
        remove_tree(self._folder)

    def ask(self, position: AskPosition) -> InterviewAnswer:
        """Return the bot's answer at a position.

        It is sent all that its seat has seen up to there. Raises LaunchError if it does not start, and
        ConfigError if it does not play the game.
        """
        session = self._open(position.game.info.id)
        written = session.stderr.written
        configs = [SeatConfig(name) for name in position.names]
        configs[position.seat] = SeatConfig(position.names[position.seat], session.admission.wants)
        self._match = match = Match(
            position.match,
            position.game,
            configs,
            position.key,
            self._profile,
            position.options,
            reveal=False,
            opening=(position.state.clone(), position.events),
        )
        self._seat, self._asked, self._answer = position.seat, None, None
        now_ns = time.monotonic_ns()
        self._send(match.begin(now_ns))
        for other in range(len(configs)):
            if other != position.seat:
                self._send(match.ready(other, now_ns))
        while self._answer is None:
            self._wait(match)
        answer: InterviewAnswer = self._answer
        self._send(match.abandon("the interview is over"))
        session.forget(match.id)
        if answer.fault:
            # The bot may be in any state: the next position gets a new process.
            self._dismiss()
            answer = msgspec.structs.replace(answer, stderr=session.stderr.since(written))
        return answer

    def _wait(self, match: Match) -> None:
        self._loop.turn()
        # There is no deadline any more when it was not ready in time.
        due_ns = 0 if match.deadline_ns is None else match.deadline_ns + 250 * MS
        if self._answer is not None or self._loop.looked_ns < due_ns:
            return
        if self._asked is None:
            why = f"no ready within {self._profile.clock.ready_ms} ms"
            self._answer = InterviewAnswer([], 0, FaultCode.NOT_READY.value, why)
        else:
            self._answer = self._late()

    def _late(self) -> InterviewAnswer:
        assert self._asked is not None
        clock = self._asked.clock
        allowed_ms = clock.move_ms + clock.bank_ms + clock.grace_ms
        return InterviewAnswer(
            [], allowed_ms * 1000, FaultCode.LATE.value, f"no answer within {allowed_ms} ms"
        )

    def _open(self, game: str) -> Session:
        """Return the bot, started if need be."""
        session = self._session
        if session is None or session.state is not SessionState.OPEN:
            self._session = session = Session(self._spec.name, self, self._loop, self._profile)
            session.start(self._forkserver.take_in(self._spec), self._forkserver, self._folder)
            while session.is_starting:
                self._loop.turn()
        if session.state is not SessionState.OPEN:
            tail = session.stderr.since(0).strip()
            said = f"\nthe end of its stderr:\n{tail[-2_000:]}" if tail else ""
            command = self._spec.program.command_line()
            raise LaunchError(f"bot {self._spec.name} ({command}) did not start: {self._lost}{said}")
        if not session.admission.plays(game):
            plays = ", ".join(sorted(session.admission.games))
            raise ConfigError(f"bot {session.name} does not play {game}; it plays {plays}")
        return session

    def _send(self, sends: Sends) -> None:
        """Send the bot what concerns its seat."""
        assert self._match is not None
        for seat, message in sends:
            if seat == self._seat and self._session is not None:
                ask = message.id if isinstance(message, Ask) else 0
                self._asked = message if isinstance(message, Ask) else self._asked
                data = encode(message, self._session.encoding)
                self._session.transport.send(data, self._match.id, ask, time.monotonic_ns())

    def _dismiss(self) -> None:
        """Dismiss the bot; it is killed if it does not leave in time."""
        session, self._session = self._session, None
        if session is None:
            return
        session.dismiss()
        end_ns = time.monotonic_ns() + (self._profile.goodbye_ms + 500) * MS
        while session.state is not SessionState.GONE and time.monotonic_ns() < end_ns:
            self._loop.turn(50 * MS)
        session.fail(FaultCode.DISCONNECTED, "the interview is over")

    # Notices of the session.

    def opened(self, session: Session) -> None:
        """Take note that the bot has been admitted."""

    def resumed(self, session: Session) -> None:
        """Send a bot that came back what is open."""
        if self._match is not None:
            self._send([(self._seat, message) for message in self._match.open_messages(self._seat)])

    def readied(self, session: Session, record: Readied) -> None:
        """Take a ready: now the bot is asked."""
        if self._match is not None and record.match == self._match.id:
            self._send(self._match.ready(self._seat, record.received_ns, self._loop.looked_ns))

    def answered(self, session: Session, record: Answered) -> None:
        """Take an answer, if it is one to our ask and in time."""
        match, asked = self._match, self._asked
        if match is None or asked is None or (record.match, record.id) != (match.id, asked.id):
            return
        assert match.deadline_ns is not None
        us = (record.received_ns - record.sent_ns) // 1_000 if record.sent_ns else 0
        late = record.received_ns >= match.deadline_ns
        self._answer = self._answer or (self._late() if late else InterviewAnswer(list(record.actions), us))

    def misbehaved(self, session: Session, record: Misbehaved) -> None:
        """Take a broken message for the answer."""
        self._answer = self._answer or InterviewAnswer([], 0, record.code, record.why)

    def gone(self, session: Session, code: FaultCode, why: str) -> None:
        """Take its end for the answer."""
        self._lost = f"{code}: {why}"
        self._answer = self._answer or InterviewAnswer([], 0, code.value, why)

    def process_gone(self, session: Session) -> None:
        """Wait for nothing: a bot that is asked alone has no deal to remember."""
