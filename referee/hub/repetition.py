"""Repeats a recorded match with the bot of one seat: the real messages, clocks and strikes, once more."""

import time
from collections.abc import Callable, Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from protocol.messages import End
from referee import registry
from referee.gate.records import Answered, Misbehaved
from referee.hub.lone_bot import LoneBot
from referee.hub.session import Session
from referee.match.faults import Fault, FaultCode
from referee.match.match import Match, Sends
from referee.match.result import Acted
from referee.match.seat import SeatConfig
from referee.process.spec import BotSpec
from referee.replay.dossier import Said
from referee.replay.seat_playback import RecordedDecision, RecordedFault, SeatPlayback
from referee.replay.stray_print import stray_print


class RepeatedDecision(Struct, frozen=True):
    """A decision of the match, and the bot's answer now."""

    decision: int
    verdict: Literal["same", "differs", "new", "none"]
    """`new`: there was no answer in the match; `none`: there is none now."""
    played: list[str]
    """What was played in the match: an action, and what followed of a plan."""
    played_by: str
    answer: list[str]
    us: int
    """Microseconds from the ask to the answer."""


class RepeatedFault(Struct, frozen=True):
    """A fault that the bot made now."""

    decision: int
    """0 before the first."""
    code: str
    why: str
    final: bool
    printed: str = ""
    """That the message was a print to stdout, and the cure; '' if it was none."""


class FaultOfMatch(Struct, frozen=True):
    """A fault of the seat in the match, and whether the bot made it again."""

    decision: int
    code: str
    why: str
    final: bool
    again: bool | None
    """None if the bot failed before it came so far."""


class RepetitionReport(Struct, frozen=True):
    """What came of a repetition."""

    decisions: list[RepeatedDecision]
    """Those the bot answered, or the house in its place."""
    faults: list[RepeatedFault]
    faults_of_match: list[FaultOfMatch]
    stderr: str
    """The end of what the bot wrote to stderr."""

    @property
    def first_difference(self) -> RepeatedDecision | None:
        """The first decision that the bot answered differently."""
        return next((one for one in self.decisions if one.verdict == "differs"), None)


Listener = Callable[[RepeatedDecision | RepeatedFault], None]


class Repetition(LoneBot):
    """A recorded match with the bot of one seat. Run it once."""

    def __init__(self, spec: BotSpec, playback: SeatPlayback, listener: Listener = lambda _: None) -> None:
        """Set up the repetition; `listener` is called with every decision and every fault as it comes."""
        super().__init__(spec, playback.file.profile)
        self._playback = playback
        self._listener = listener
        self._answer: list[str] = []
        """The last answer, whole."""
        self._said: Said | None = None
        """The last broken message."""
        self._noted = 0
        """How many lines of the match's log have been looked at."""
        self._decisions: list[RepeatedDecision] = []
        self._faults: list[RepeatedFault] = []

    def run(self) -> RepetitionReport:
        """Start the bot, and play the match to its end.

        Raises LaunchError if it does not start, and ConfigError if it does not play the game.
        """
        playback, frames = self._playback, self._playback.file.frames
        game, seat = registry.game(frames.game), playback.file.seat
        session = self._open(game.info.id)
        configs = [SeatConfig(name) for name in frames.names]
        configs[seat] = SeatConfig(frames.names[seat], session.admission.wants)
        match = Match(
            frames.match,
            game,
            configs,
            playback.key,
            self._profile,
            frames.options,
            reveal=False,
            opening=(playback, playback.opening),
        )
        self._begin(match, seat)
        while match.result is None:
            self._loop.turn()
            if self._is_overdue(match):
                self._send(match.tick(self._loop.looked_ns))
        session.finish(match.id)
        # What it writes to stderr at its end belongs to the report.
        self._dismiss()
        return RepetitionReport(
            self._decisions,
            self._faults,
            [self._compare(fault) for fault in playback.faults],
            session.stderr.since(0),
        )

    def _send(self, sends: Sends) -> None:
        """Note what the match has ruled, and send the bot what concerns its seat."""
        self._note_rulings()
        super()._send([(seat, self._recorded_end(m) if isinstance(m, End) else m) for seat, m in sends])

    def _recorded_end(self, end: End) -> End:
        """Return the end of the match as it was played."""
        result = self._playback.file.frames.result
        return replace(
            end,
            ranks=[seat.rank for seat in result.seats],
            scores=[seat.score for seat in result.seats],
            reason=result.reason,
            ties=result.ties,
            faults=[seat.fault for seat in result.seats],
            void=result.void,
        )

    def _compare(self, fault: RecordedFault) -> FaultOfMatch:
        again: bool | None = any(
            (own.decision, own.code) == (fault.decision, fault.code) for own in self._faults
        )
        if not again and any(own.final and own.decision < fault.decision for own in self._faults):
            again = None
        return FaultOfMatch(fault.decision, fault.code, fault.why, fault.final, again)

    # What the match ruled.

    def _note_rulings(self) -> None:
        assert self._match is not None
        entries, self._noted = self._match.log[self._noted :], len(self._match.log)
        for entry in entries:
            if isinstance(entry, Fault):
                self._note_fault(entry)
            elif isinstance(entry, Acted) and entry.by != "plan":
                self._note_decision(entry)

    def _note_fault(self, entry: Fault) -> None:
        said = self._said if entry.code is FaultCode.MALFORMED else None
        printed = stray_print([said], self._spec.program.command_line()) if said is not None else ""
        fault = RepeatedFault(entry.decision, entry.code.value, entry.why, entry.final, printed)
        self._faults.append(fault)
        self._listener(fault)

    def _note_decision(self, entry: Acted) -> None:
        if any(fault.final for fault in self._faults):
            # The house plays on without the bot.
            return
        recorded = self._playback.decisions[len(self._decisions)]
        answer = self._answer if entry.by == "bot" else []
        decision = RepeatedDecision(
            decision=recorded.decision,
            verdict=_verdict(recorded, answer),
            played=recorded.actions,
            played_by=recorded.by,
            answer=answer,
            us=entry.took_us,
        )
        self._decisions.append(decision)
        self._listener(decision)

    # Notices of the session.

    def answered(self, session: Session, record: Answered) -> None:
        """Take an answer."""
        match, asked, actions = self._match, self._asked, list(record.actions)
        if match is None or asked is None or match.result is not None:
            return
        if record.id == asked.id and match.owes(self._seat):
            self._answer, actions = actions, self._playback.accept(actions)
        times = (record.sent_ns, record.received_ns, self._loop.looked_ns)
        self._send(match.act(self._seat, record.id, actions, *times))

    def misbehaved(self, session: Session, record: Misbehaved) -> None:
        """Rule on a broken message, as the hub does."""
        match = self._match
        if match is None or not (match.owes(self._seat) or record.code != FaultCode.MALFORMED):
            return
        quote = record.quote
        self._said = Said(0, "from", quote.text, quote.bytes, quote.mark) if quote is not None else None
        self._send(match.fault(self._seat, record.code, record.why, time.monotonic_ns()))

    def gone(self, session: Session, code: FaultCode, why: str) -> None:
        """Charge its end to the match, unless the bot was sent away."""
        super().gone(session, code, why)
        if self._match is not None and self._session is session:
            self._send(self._match.fault(self._seat, code, why, time.monotonic_ns()))


def _verdict(recorded: RecordedDecision, answer: Sequence[str]) -> Literal["same", "differs", "new", "none"]:
    """Compare an answer with what was played.

    A plan may be longer than what was played of it: it ends where its bot learns something.
    """
    if not answer:
        return "none"
    if recorded.by != "bot":
        return "new"
    return "same" if list(answer[: len(recorded.actions)]) == recorded.actions else "differs"
