"""The course of a match, told again from its replay by the rules alone.

The log holds actions and faults, not the asks between them nor the moments at which a failed seat left the
game. Both follow from the rules by which `referee.match` plays on, and are worked out here again: a decision
is open until every seat asked has acted or failed; between decisions those who failed leave; a plan is one
decision.

One thing does not follow: whether a seat that failed before it was ever asked did so before play began (then
it left before the first decision) or during the first decision (then it left after). Each is tried.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from referee import registry
from referee.chance import KeyedChance, commitment
from referee.errors import ConfigError, IllegalActionError, RecordError
from referee.faults import FORGIVABLE, Fault, FaultCode, ranks_with_faults
from referee.game import Event, Game, Outcome, State
from referee.match import Acted
from referee.replay_text import Entry, Replay, play_hash

TOGETHER = frozenset({FaultCode.LATE, FaultCode.NOT_READY})
"""Faults that several seats can commit at the same moment: time runs out for all."""


class Step(NamedTuple):
    """One thing that happened: a line of the log, or None for the deal and for seats that leave."""

    entry: Entry | None
    events: list[Event]
    state: State


class Course:
    """A match on its way through the log. Use it once: iterate over `steps`, then ask for `outcome`."""

    def __init__(self, replay: Replay, unready: int) -> None:
        """Set the match up. `unready` is the number of log entries from before the first decision."""
        seats = len(replay.header.names)
        self.replay = replay
        self.state, self._opening = game_of(replay).new(seats, KeyedChance(replay.key), replay.header.options)
        self.fallen: list[int | None] = [None] * seats
        self.forfeit = False
        self._unready = unready
        self._begun = False
        self._asks = [0] * seats
        self._strikes = [0] * seats
        self._overdue: set[int] = set()
        """Seats with a strike for being late: the house takes their decision."""
        self._leaving: list[int] = []
        self._asked: set[int] = set()
        """Seats whose bots were asked in the open decision."""
        self._due: list[int] = []
        """Seats that still have to act in the open decision."""
        self._planning: int | None = None
        """The seat whose plan goes on; until it ends, no decision is open."""
        self._news = False
        """Whether the last action told its seat something new, which ends a plan."""
        self._moment = 0

    def steps(self) -> Iterator[Step]:
        """Play the log, line by line.

        Raises RecordError for a line that the rules, or the ways of the referee, do not allow.
        """
        entries = self.replay.entries
        yield Step(None, self._opening, self.state)
        for index, entry in enumerate(entries):
            if not self._begun and index == self._unready:
                yield from self._left()
            following = entries[index + 1] if index + 1 < len(entries) else None
            try:
                if isinstance(entry, Acted):
                    yield Step(entry, self._act(entry), self.state)
                    self._planning = entry.seat if self._plan_goes_on(entry, following) else None
                else:
                    self._blame(entry, entries[index - 1] if index else None)
                    yield Step(entry, [], self.state)
                    self._planning = None
            except (IllegalActionError, _WrongError) as error:
                raise self.replay.wrong(index + 2, str(error)) from error
            if self._is_closed_by(entry, following):
                yield from self._left()
        if not self._begun and not self.forfeit and self.replay.result.void is None:
            yield from self._left()

    def outcome(self) -> Outcome | None:
        """Return what the game says at the end of the log; None after a forfeit."""
        return None if self.forfeit else self.state.outcome()

    # Between decisions.

    def _is_closed_by(self, entry: Entry, following: Entry | None) -> bool:
        """Say whether this line closed the open decision."""
        if not self._begun or self.forfeit or self._planning is not None:
            return False
        if not self._due:
            return True
        if isinstance(entry, Acted) or any(self.fallen[seat] is None for seat in self._due):
            return False
        # All have failed. Choices that were held stand, and are logged next; otherwise nobody acts.
        return not (isinstance(following, Acted) and following.seat == self._due[0])

    def _left(self) -> Iterator[Step]:
        """Let failed seats leave, then open the next decision."""
        self._begun = True
        while self._leaving and self.state.outcome() is None:
            events = self.state.withdraw(self._leaving.pop(0))
            if events:
                yield Step(None, events, self.state)
        self._due = list(self.state.to_act())
        self._overdue.clear()
        self._asked = {seat for seat in self._due if self.fallen[seat] is None}
        for seat in self._asked:
            self._asks[seat] += 1

    # Lines of the log.

    def _act(self, entry: Acted) -> list[Event]:
        seat = entry.seat
        if self.forfeit:
            raise _WrongError("an action after the match was decided")
        if self._planning is not None:
            if self._news or self._leaving or list(self.state.to_act()) != [seat]:
                raise _WrongError(f"seat {seat} cannot go on with a plan here")
            return self._apply(entry)
        if not self._due or self._due[0] != seat:
            raise _WrongError(f"seat {seat} is not to act here")
        house = entry.by == "house"
        if entry.by == "plan" or house is not self._is_house(seat, house):
            raise _WrongError(f"the {entry.by} cannot act for seat {seat} here")
        if house and entry.action != self.state.fallback(seat):
            raise _WrongError(f"the house plays {self.state.fallback(seat)!r}, not {entry.action!r}")
        del self._due[0]
        return self._apply(entry)

    def _is_house(self, seat: int, said: bool) -> bool:
        """Say whether the house acts for a seat; only of one that failed just now must it be said."""
        if seat in self._overdue or seat not in self._asked:
            return True
        # A bot that failed after it was asked may have chosen before.
        return said if self.fallen[seat] is not None else False

    def _apply(self, entry: Acted) -> list[Event]:
        events = self.state.apply(entry.seat, entry.action)
        self._news = any(event.news for event in events)
        return events

    def _plan_goes_on(self, entry: Acted, following: Entry | None) -> bool:
        """Say whether the next line belongs to the same answer: its next action, or the one refused."""
        if following is None or following.seat != entry.seat or entry.by == "house":
            return False
        if isinstance(following, Acted):
            return following.by == "plan"
        refused = following.code is FaultCode.ILLEGAL and following.decision == self._asks[entry.seat]
        return refused and not self._due

    def _blame(self, fault: Fault, before: Entry | None) -> None:
        seat = fault.seat
        if self.fallen[seat] is not None:
            raise _WrongError(f"seat {seat} has failed before")
        if fault.decision != self._asks[seat]:
            raise _WrongError(f"seat {seat} was asked {self._asks[seat]} times, not {fault.decision}")
        same_tick = isinstance(before, Fault) and before.code is fault.code and fault.code in TOGETHER
        if self.forfeit and not same_tick:
            raise _WrongError("a fault after the match was decided")
        if self._begun and not self._due and self._planning is None:
            raise _WrongError("a fault after the game was over")
        self._strikes[seat] += 1
        final = fault.code not in FORGIVABLE or self._strikes[seat] >= self.replay.header.strikes
        if fault.final != final:
            raise _WrongError(
                f"strike {self._strikes[seat]} of seat {seat} is {'' if final else 'not '}final"
            )
        if fault.code is FaultCode.LATE:
            self._overdue.add(seat)
        if final:
            self._fall(seat, same_tick)

    def _fall(self, seat: int, same_tick: bool) -> None:
        ranks = self.replay.result.ranks
        # The log does not say which seats ran out of time at one moment: their ranks do.
        if not (same_tick and self._leaving and ranks[self._leaving[-1]] == ranks[seat]):
            self._moment += 1
        self.fallen[seat] = self._moment
        self._leaving.append(seat)
        self.forfeit = self.fallen.count(None) <= 1


class _WrongError(Exception):
    """A line that cannot stand where it stands."""


def game_of(replay: Replay) -> Game:
    """Return the game of a replay."""
    return registry.game(replay.header.game)


def replay_events(replay: Replay) -> Iterator[Step]:
    """Tell a match again: the deal, then every line of the log with what happened.

    The state of a step is the match's own and moves on: look at it, or clone it, before the next step. Raises
    RecordError for a replay that does not verify.
    """
    yield from Course(replay, _verified(replay)).steps()


def verify(replay: Replay) -> None:
    """Check a replay against the rules, or raise RecordError with the line and the reason.

    The key opens the commitment, the options are the game's, every action is legal in its place, the house
    played what it must, and result and seal follow. Times are only guarded by the chain.
    """
    _verified(replay)


def _verified(replay: Replay) -> int:
    """Check everything and return how many log entries are from before the first decision."""
    last = len(replay.entries) + 4
    header = replay.header
    if commitment(replay.key, header.match) != header.commit:
        raise replay.wrong(last - 1, "the key does not open the commitment of the header")
    if play_hash(header, replay.entries, replay.result, replay.key) != replay.play:
        raise replay.wrong(last, "the seal does not fit what was played")
    try:
        options = game_of(replay).resolve(header.options, len(header.names))
    except ConfigError as error:
        raise replay.wrong(1, str(error)) from error
    if list(options.items()) != list(header.options.items()):
        raise replay.wrong(1, "the options are not all the options of the game, in its order")
    first: RecordError | None = None
    for unready in _beginnings(replay.entries):
        try:
            _check(replay, unready)
        except RecordError as error:
            first = first or error
        else:
            return unready
    assert first is not None
    raise first


def _beginnings(entries: Sequence[Entry]) -> list[int]:
    """Return the places in the log at which play can have begun."""
    leading = 0
    ready = 0
    while leading < len(entries):
        entry = entries[leading]
        if isinstance(entry, Acted) or entry.decision:
            break
        leading += 1
        if entry.code is FaultCode.NOT_READY:
            ready = leading
    return list(range(leading, ready - 1, -1))


def _check(replay: Replay, unready: int) -> None:
    """Play the log and compare the result."""
    line = len(replay.entries) + 2
    course = Course(replay, unready)
    for _ in course.steps():
        pass
    result = replay.result
    outcome = None if result.void is not None else course.outcome()
    if result.void is None and not course.forfeit and outcome is None:
        raise replay.wrong(line, "the log ends, but the game goes on")
    seats = len(replay.header.names)
    codes = [""] * seats
    for entry in replay.entries:
        if isinstance(entry, Fault) and entry.final and result.void is None:
            codes[entry.seat] = entry.code.value
    expected = {
        "ranks": (1,) * seats if result.void is not None else ranks_with_faults(outcome, course.fallen),
        "scores": outcome.scores if outcome else (0,) * seats,
        "reason": "void" if result.void is not None else outcome.reason if outcome else "forfeit",
        "ties": outcome.ties if outcome else "unordered",
        "faults": tuple(codes),
        "decisions": sum(isinstance(entry, Acted) for entry in replay.entries),
    }
    for name, value in expected.items():
        if getattr(result, name) != value:
            raise replay.wrong(line, f"{name} should be {value}, not {getattr(result, name)}")
