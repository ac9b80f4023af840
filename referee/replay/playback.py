"""Play a match again from its replay, by the rules alone.

The log has everything that took effect, in order: actions, faults, and seats the game took out. So it is
played as it stands; what must follow from it (legality, what the house plays, which strike is final, what is
charged to the clocks at most, the result) is checked on the way.
"""

from collections.abc import Iterator
from typing import NamedTuple

from msgspec import Struct

from referee import registry
from referee.chance import KeyedChance, commitment, deal_key
from referee.errors import ConfigError, IllegalActionError
from referee.game import Event, Game, Outcome, State
from referee.match.clock import LATENCY_BUDGET_MS
from referee.match.faults import FORGIVABLE, Fault
from referee.match.result import Acted, Entry, Result, conclude
from referee.replay.format import Replay, play_hash


class PlayedStep(NamedTuple):
    """One thing that happened: a line of the log, or None for the deal."""

    entry: Entry | None
    events: list[Event]
    state: State


class _WrongError(Exception):
    """A line that is not allowed at its place."""


class Playback:
    """A match on its way through the log. Use it once: iterate over `steps`, then read the outcome."""

    def __init__(self, replay: Replay) -> None:
        seats = len(replay.header.names)
        self.replay = replay
        self.state, self._opening = game_of(replay).new(seats, KeyedChance(replay.key), replay.header.options)
        self.failed_at: list[int | None] = [None] * seats
        """By seat: the moment of its final fault."""
        self._strikes = [0] * seats
        self._budgets_us = [1_000 * LATENCY_BUDGET_MS] * seats
        """By seat: what is left of the budget for its latency, at least."""
        self._moment = -1

    def steps(self) -> Iterator[PlayedStep]:
        """Play the log, line by line.

        Raises RecordError for a line that the rules or the protocol do not allow.
        """
        yield PlayedStep(None, self._opening, self.state)
        for number, entry in enumerate(self.replay.entries, 2):
            try:
                events = self._take(entry)
            except (IllegalActionError, _WrongError) as error:
                raise self.replay.wrong(number, str(error)) from error
            yield PlayedStep(entry, events, self.state)

    def outcome(self) -> Outcome | None:
        """Return what the game says at the end of the log; None if the match ended without it."""
        forfeit = self.failed_at.count(None) <= 1
        return None if forfeit or self.replay.result.void else self.state.outcome()

    def _take(self, entry: Entry) -> list[Event]:
        decided = self.state.outcome() is not None or self.failed_at.count(None) <= 1
        # Seats that fail at the moment that decides the match still fail.
        if decided and not (isinstance(entry, Fault) and entry.moment == self._moment):
            raise _WrongError("the match was decided before")
        if isinstance(entry, Acted):
            return self._act(entry)
        if isinstance(entry, Fault):
            self._blame(entry)
            return []
        if self.failed_at[entry.seat] is None:
            raise _WrongError(f"seat {entry.seat} has not failed, and cannot be taken out")
        events = self.state.withdraw(entry.seat)
        if events is None:
            raise _WrongError("the game has no rule for a seat that leaves")
        return events

    def _act(self, entry: Acted) -> list[Event]:
        self._check_time(entry)
        if entry.by == "house":
            # The house acts only for a bot that failed, or was late in this decision.
            if not self._strikes[entry.seat]:
                raise _WrongError(f"the house cannot act for seat {entry.seat}, which did nothing wrong")
            if (owed := self._house(entry.seat)) != entry.action:
                raise _WrongError(f"the house plays {owed!r}, not {entry.action!r}")
        return self.state.apply(entry.seat, entry.action)

    def _check_time(self, entry: Acted) -> None:
        """Compare what an action was charged with the time it took.

        The house acts after a deadline, and the charge of that is a matter of the match. For a bot the charge
        may be less than the time beyond grace: time in which the referee was kept from looking is not
        charged.
        """
        grace_us = self._grace_us(entry)
        if min(entry.us, entry.took_us) < 0:
            raise _WrongError("a time cannot be negative")
        if entry.by == "plan" and (entry.us or entry.took_us):
            raise _WrongError("an action that was planned before takes no time")
        if entry.by == "bot" and entry.us > max(0, entry.took_us - grace_us):
            raise _WrongError(
                f"{entry.us} us are charged for an answer that took {entry.took_us} us, "
                f"of which {grace_us} us are grace"
            )

    def _grace_us(self, entry: Acted) -> int:
        """Return the least grace of an answer: that of the clock, and what must be left for its latency."""
        header, seat = self.replay.header, entry.seat
        plain_us = 1_000 * header.clock_of(seat).grace_ms
        allowance_us = min(1_000 * header.grace_ms[seat] - plain_us, max(0, self._budgets_us[seat]))
        # The log has whole microseconds, and time that was not charged: more may be left than this.
        self._budgets_us[seat] -= max(0, min(entry.took_us + 1, 1_000 * header.grace_ms[seat]) - plain_us)
        return plain_us + allowance_us

    def _house(self, seat: int) -> str:
        if seat not in self.state.to_act():
            raise _WrongError(f"seat {seat} is not to act here")
        return self.state.fallback(seat)

    def _blame(self, fault: Fault) -> None:
        seat = fault.seat
        if self.failed_at[seat] is not None:
            raise _WrongError(f"seat {seat} has failed before")
        if fault.moment < self._moment:
            raise _WrongError("the moments of faults cannot go back")
        self._moment = fault.moment
        self._strikes[seat] += 1
        final = fault.code not in FORGIVABLE or self._strikes[seat] >= self.replay.header.strikes
        if fault.final != final:
            which = "" if final else "not "
            raise _WrongError(f"strike {self._strikes[seat]} of seat {seat} is {which}final")
        if final:
            self.failed_at[seat] = fault.moment


def game_of(replay: Replay) -> Game:
    """Return the game of a replay."""
    return registry.game(replay.header.game)


def replay_events(replay: Replay) -> Iterator[PlayedStep]:
    """Play a match again: yield the deal, then every line of the log with its events.

    The state of a step is the match's own and moves on: look at it, or clone it, before the next step. Raises
    RecordError for a replay that does not verify.
    """
    verify(replay)
    yield from Playback(replay).steps()


def verify(replay: Replay) -> None:
    """Check a replay against the rules, or raise RecordError with the line and the reason.

    The key opens the commitment and follows from seed, beacon and deal (if they are there), the options are
    the game's, every action is legal in its place, the house played what it must, and the result and the hash
    of the play follow. Of times only bounds can be checked; the chain guards the rest.
    """
    last = len(replay.entries) + 4
    header = replay.header
    if commitment(replay.key, header.match) != header.commit:
        raise replay.wrong(last - 1, "the key does not open the commitment of the header")
    if header.seed and deal_key(header.deal_seed, header.deal) != replay.key:
        raise replay.wrong(1, "the key does not follow from the seed, the beacon and the deal of the header")
    if play_hash(header, replay.entries, replay.result, replay.key) != replay.play:
        raise replay.wrong(last, "the hash of the play does not fit what was played")
    try:
        options = game_of(replay).resolve(header.options, len(header.names))
    except ConfigError as error:
        raise replay.wrong(1, str(error)) from error
    if list(options.items()) != list(header.options.items()):
        raise replay.wrong(1, "the options are not all the options of the game, in its order")
    _check_result(replay)


def _check_result(replay: Replay) -> None:
    """Play the log and compare the result."""
    line = len(replay.entries) + 2
    playback = Playback(replay)
    for _ in playback.steps():
        pass
    header, result = replay.header, replay.result
    outcome = playback.outcome()
    if not result.void and outcome is None and playback.failed_at.count(None) > 1:
        raise replay.wrong(line, "the log ends, but the game goes on")
    charged_ms = [seat.charged_ms for seat in result.seats]
    expected = conclude(
        header.match,
        header.game,
        header.names,
        charged_ms,
        outcome,
        replay.entries,
        void_reason=result.void_reason,
    )
    if found := difference(result, expected):
        name, value, right = found
        raise replay.wrong(line, f"{name} should be {right!r}, not {value!r}")
    for seat, charged in enumerate(charged_ms):
        logged_us = sum(e.us for e in replay.entries if isinstance(e, Acted) and e.seat == seat)
        # More may have been charged: an answer that was held when the match ended is not in the log.
        if charged < logged_us // 1_000:
            raise replay.wrong(
                line, f"charged_ms of seat {seat} should be {logged_us // 1_000} at least, not {charged}"
            )


def difference(one: Result, other: Result) -> tuple[str, object, object] | None:
    """Return the name of the first thing in which two results differ, and both values."""
    parts: list[tuple[str, Struct, Struct]] = [("", one, other)]
    if len(one.seats) == len(other.seats):
        pairs = zip(one.seats, other.seats, strict=True)
        parts = [(f" of seat {seat}", *pair) for seat, pair in enumerate(pairs)] + parts
    for where, left, right in parts:
        for name in left.__struct_fields__:
            values = getattr(left, name), getattr(right, name)
            if values[0] != values[1]:
                return f"{name}{where}", *values
    return None
