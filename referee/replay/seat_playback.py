"""A match as one seat saw it, as a game that its bot can play through again.

The seat is asked where it was asked, with what it saw; the others, and luck, are played by the record. An
action is checked by the rules at its place, and then the match goes on as it was played, also after another
action than the one that was played. What other seats hide is imagined, and decides nothing that the seat can
see.
"""

from collections.abc import Sequence
from copy import copy
from hashlib import sha256
from itertools import takewhile
from pathlib import Path
from typing import Self

from msgspec import Struct

from referee.errors import IllegalActionError
from referee.game import Event, Outcome, State, View
from referee.match.faults import FaultCode
from referee.replay.position import imagined
from referee.replay.seat_file import SeatDeed, SeatFile


class RecordedFault(Struct, frozen=True):
    """A fault of the seat in the match."""

    decision: int
    """0 before the first."""
    code: str
    why: str
    final: bool


class RecordedDecision(Struct):
    """A decision of the seat in the match."""

    decision: int
    """Counted from 1."""
    actions: list[str]
    """What was played: an action, and what followed of a plan. Empty if there was no answer."""
    by: str = ""
    """What chose it: bot or house; '' if there was no answer."""


class _Turn(Struct, frozen=True):
    """A place in the match at which the seat acted, or had to."""

    state: State
    """One that fits all that the seat had seen there."""
    since: list[Event]
    """What the seat saw since its turn before."""
    decision: RecordedDecision
    is_planned: bool
    """Whether the seat was not asked here, because its last answer was a plan."""


class SeatPlayback(State):
    """A match on its way through the turns of one seat; only the last of its positions has an outcome."""

    def __init__(self, path: Path, file: SeatFile) -> None:
        """Find the turns of the seat; raises RecordError if the events are not those of a match."""
        self.file = file
        self.key = sha256(file.frames.match.encode()).digest()
        """The luck of what is imagined."""
        self.decisions: list[RecordedDecision] = []
        self.faults: list[RecordedFault] = []
        self._turns: list[_Turn] = []
        self._at = 0
        self._accepted = 0
        """How many actions of the answer at hand are still to come."""
        self._rest = self._read(path)
        """What the seat saw after its last turn."""

    # Reading the file.

    def _read(self, path: Path) -> list[Event]:
        """Find all turns; return the events after the last one."""
        seen: list[Event] = []
        since: list[Event] = []
        for step in self.file.steps:
            did = step.did if step.did.seat == self.file.seat else SeatDeed()
            is_asked = self._is_new(did)
            is_planned = self._note_fault(did) if did.fault else self._note_action(did)
            if is_asked or is_planned:
                state = imagined(path, self.file, [event.public for event in seen], self.key)
                self._turns.append(_Turn(state, since, self.decisions[-1], is_planned))
                since = []
            events = [Event(dict(event)) for event in step.events]
            seen += events
            since += events
        return since

    def _is_new(self, did: SeatDeed) -> bool:
        """Return whether a line of the log is the first of a decision, which is noted."""
        if did.decision <= len(self.decisions):
            return False
        self.decisions.append(RecordedDecision(len(self.decisions) + 1, []))
        return True

    def _note_fault(self, did: SeatDeed) -> bool:
        """Note a fault; return whether it is that of an action in a plan."""
        self.faults.append(RecordedFault(did.decision, did.fault, did.why, did.final))
        # Once there is an answer, only an action of its plan can be illegal.
        return did.fault == FaultCode.ILLEGAL and bool(self.decisions and self.decisions[-1].actions)

    def _note_action(self, did: SeatDeed) -> bool:
        """Note an action, if the seat chose it or was asked for it; return whether it was planned."""
        is_planned = did.by == "plan" and bool(self.decisions)
        if did.action is not None and (is_planned or did.decision > 0):
            last = self.decisions[-1]
            last.actions.append(did.action)
            last.by = last.by or did.by
        return is_planned

    # Beyond a state.

    @property
    def opening(self) -> list[Event]:
        """What the seat saw before its first turn."""
        return self._turns[0].since if self._turns else self._rest

    def accept(self, answer: Sequence[str]) -> list[str]:
        """Return the part of an answer that is to be played: an action, and its plan as far as it fits.

        A plan is played as long as it is the one that was played, and where that one was not legal, one
        action more.
        """
        decision = self._turns[self._at].decision
        pairs = zip(answer, decision.actions, strict=False)
        same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        places = sum(turn.decision is decision for turn in self._turns)
        fails = same == len(decision.actions) < places
        accepted = list(answer[: max(1, same + fails)])
        self._accepted = len(accepted)
        return accepted

    # The state.

    def to_act(self) -> Sequence[int]:
        """Return the seat of the bot until its last turn is over."""
        return [self.file.seat] if self._at < len(self._turns) else []

    def legal(self, seat: int) -> list[str]:
        """Return the actions that were legal."""
        return self._turns[self._at].state.legal(seat) if seat in self.to_act() else []

    def fallback(self, seat: int) -> str:
        """Return what the house plays."""
        return self._turns[self._at].state.fallback(seat)

    def view(self, seat: int | None) -> View:
        """Return what was to be seen."""
        return self._turns[self._at].state.view(seat)

    def apply(self, seat: int, action: str) -> list[Event]:
        """Check an action, and return what the seat saw until its next turn."""
        turn = self._turns[self._at]
        more, self._accepted = self._accepted - 1, 0
        try:
            turn.state.clone().apply(seat, action)
        except IllegalActionError:
            # Where a plan was not legal the seat was asked next, at the same position.
            self._at += turn.is_planned
            raise
        self._accepted = more
        return self._move(follows_plan=more > 0)

    def _move(self, *, follows_plan: bool) -> list[Event]:
        """Go to the next turn at which the bot is asked, or which its plan reaches."""
        events: list[Event] = []
        self._at += 1
        while self._at < len(self._turns):
            turn = self._turns[self._at]
            events += turn.since
            if follows_plan or not turn.is_planned:
                return events
            self._at += 1
        return events + self._rest

    def outcome(self) -> Outcome | None:
        """Return how the match ended, after the last turn."""
        if self.to_act():
            return None
        result = self.file.frames.result
        ranks = tuple(seat.rank for seat in result.seats)
        scores = tuple(seat.score for seat in result.seats)
        return Outcome(ranks, scores, result.reason, result.ties)

    def clone(self) -> Self:
        """Return a copy, which goes its own way through the same record."""
        return copy(self)
