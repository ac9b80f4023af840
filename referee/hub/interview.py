"""Asks one bot about single positions, over the same wire and with the same clock as in a match."""

import msgspec
from msgspec import Struct

from referee.gate.records import Answered, Misbehaved
from referee.hub.lone_bot import LoneBot
from referee.hub.session import Session
from referee.match.faults import MEANING, FaultCode, Profile
from referee.match.match import Match
from referee.match.seat import SeatConfig
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


class Interview(LoneBot):
    """One bot, asked about one position after the other. Its process lives on until it fails."""

    def __init__(self, spec: BotSpec, profile: Profile) -> None:
        super().__init__(spec, profile)
        self._answer: InterviewAnswer | None = None

    def ask(self, position: AskPosition) -> InterviewAnswer:
        """Return the bot's answer at a position.

        It is sent all that its seat has seen up to there. Raises LaunchError if it does not start, and
        ConfigError if it does not play the game.
        """
        session = self._open(position.game.info.id)
        written = session.stderr.written
        configs = [SeatConfig(name) for name in position.names]
        configs[position.seat] = SeatConfig(position.names[position.seat], session.admission.wants)
        match = Match(
            position.match,
            position.game,
            configs,
            position.key,
            self._profile,
            position.options,
            reveal=False,
            opening=(position.state.clone(), position.events),
        )
        self._answer = None
        self._begin(match, position.seat)
        while self._answer is None:
            self._wait(match)
        answer: InterviewAnswer = self._answer
        self._send(match.abandon("the interview is over"))
        # An answer that comes from now on is one to no question.
        self._asked = None
        session.finish(match.id)
        if answer.fault:
            # The bot may be in any state: the next position gets a new process.
            self._dismiss()
            answer = msgspec.structs.replace(answer, stderr=session.stderr.since(written))
        return answer

    def _wait(self, match: Match) -> None:
        self._loop.turn()
        if self._answer is not None or not self._is_overdue(match):
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

    # Notices of the session.

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
        super().gone(session, code, why)
        self._answer = self._answer or InterviewAnswer([], 0, code.value, why)
