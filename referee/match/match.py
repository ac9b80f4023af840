"""One match without I/O: messages and time go in; messages, the next deadline and a log come out.

Every input method returns what is to be sent, as (seat, message) in order. Times are nanoseconds of one
monotonic clock, read by the caller. All asks of a decision go out before any answer is looked at; the
answers of seats that choose at once are applied together, in seat order, in any order of their arrival.
"""

from collections.abc import Iterator, Mapping, Sequence

from protocol import limits
from protocol.messages import Ask, End, Error, Message, Start, Tell
from referee.chance import KeyedChance, commitment
from referee.errors import IllegalActionError
from referee.game import Event, Game, Options, Outcome, State
from referee.match.clock import MS, SeatClock
from referee.match.faults import FORGIVABLE, Fault, FaultCode, Profile
from referee.match.result import Acted, Log, Result, Withdrew, conclude
from referee.match.seat import SeatConfig, SeatState

Sends = list[tuple[int, Message]]


def _refusal(error: IllegalActionError) -> str:
    # An action is printable ASCII, but may be long: it is quoted, and not in full.
    return f"{error.action[:80]!r} is not legal: {error.reason}"


class Match:
    """One match from `start` to `end`, with all policies of the protocol.

    Call `begin` once, then feed it. `deadline_ns` is the next moment at which `tick` must be called: the
    first that is too late for some seat. It is None before `begin`, when the match is over, and while choices
    are `hidden`. When `result` is set the match is over and takes no notice of anything more. If an input
    raises, the error is ours: `abandon` works also in a state that is half changed.
    """

    def __init__(
        self,
        match: str,
        game: Game,
        configs: Sequence[SeatConfig],
        key: bytes,
        profile: Profile,
        options: Options | None = None,
        *,
        reveal: bool = True,
        hides: bool = False,
        opening: tuple[State, list[Event]] | None = None,
    ) -> None:
        """Set up the match. With `hides`, choices wait for `show`; `opening` replaces the deal."""
        self.id = match
        self.game = game
        self.configs = tuple(configs)
        self._names = [config.name for config in configs]
        self.profile = profile
        self.options = game.resolve(options, len(configs))
        self.key = key
        self.commit = commitment(key, match)
        self.log: Log = []
        self.result: Result | None = None
        self.deadline_ns: int | None = None
        self.void_reason: str | None = None
        self.hidden = False
        """Whether several seats have all chosen and no choice is shown yet."""
        self._reveal = reveal
        self._hides = hides
        self._state, events = opening or game.new(len(configs), KeyedChance(key), self.options)
        self.events = list(events)
        """All events so far, with what only some seats may know."""
        self._seats = [SeatState(seat, config, profile) for seat, config in enumerate(self.configs)]
        self._streaming = [own for own in self._seats if "stream" in own.config.wants]
        self.waiting = set(range(len(configs)))
        """Seats that have not said ready."""
        self._together = False
        """Whether the open decision is one of several seats at once."""
        self._answers: dict[int, Acted] = {}
        """Choices of seats that choose at once, held until all are in."""
        self._leaving: list[int] = []
        """Failed seats that the game has not taken out yet, which it does between decisions."""
        self._moment = 0

    # Inputs.

    def begin(self, now_ns: int) -> Sends:
        """Send `start` to every seat and wait for `ready`."""
        for own in self._seats:
            own.deadline_ns = now_ns + own.clock.control.ready_ms * MS + 1
        self._set_deadline()
        return [(own.seat, self._start(own)) for own in self._seats]

    def ready(self, seat: int, received_ns: int, now_ns: int = 0) -> Sends:
        """Take a `ready`, with the time at which it arrived; the last one begins the play.

        `now_ns` is the present, if it took a while from there to here.
        """
        if self.result is not None or self._seats[seat].failed_at is not None:
            return []
        if seat not in self.waiting:
            if self._seats[seat].takes_ready_again():
                return []
            return [(seat, Error("not-now", "ready is said once, after start", match=self.id))]
        now_ns = max(now_ns, received_ns)
        if received_ns >= self._seats[seat].deadline_ns:
            # Too late; as with a late answer, others may have been in time.
            return self.tick(now_ns) if len(self.waiting) == 1 else []
        self.waiting.discard(seat)
        if not self.waiting:
            return self._advance(now_ns)
        self._set_deadline()
        return []

    def act(
        self, seat: int, id: int, actions: Sequence[str], sent_ns: int, received_ns: int, now_ns: int = 0
    ) -> Sends:
        """Take the answer to an ask: one action or a plan, and the times at which ask and answer travelled.

        `now_ns` is the present, if that is later: what is asked next is asked now.
        """
        own = self._seats[seat]
        if self.result is not None or own.failed_at is not None:
            return []
        ask = own.ask
        if ask is None or id != ask.id:
            return [(seat, own.stale(self.id, id))]
        took_ns = own.took_ns(sent_ns, received_ns)
        now_ns = max(now_ns, received_ns)
        if took_ns - own.excused_ns > own.limit_ns:
            # While other asks are open this waits for `tick`: an answer that arrived before this one may be
            # taken after it, and seats that ran out of time together are ruled upon together.
            return self._late([own], now_ns) if len(self._owing()) == 1 else []
        action = actions[0]
        if self._together:
            return self._choose(own, ask, action, took_ns, now_ns)
        try:
            events = self._state.apply(seat, action)
        except IllegalActionError as error:
            return self._rule(own, FaultCode.ILLEGAL, _refusal(error), now_ns)
        self.events += events
        self.log.append(Acted(seat, action, own.charge(took_ns), "bot", took_ns // 1_000))
        if len(actions) > 1:
            return self._follow_plan(own, actions[1:], events, now_ns)
        return self._advance(now_ns)

    def absent(self, seats: Mapping[int, tuple[FaultCode, str]], now_ns: int) -> Sends:
        """Rule on all seats without a bot, with code and reason: none of them beats another."""
        sends: Sends = []
        for seat, (code, why) in seats.items():
            sends += self._blame(self._seats[seat], code, why)
        return sends + self._settle(now_ns)

    def fault(self, seat: int, code: FaultCode, why: str, now_ns: int) -> Sends:
        """Rule on misconduct seen outside: a broken message, a flood, a crash, a lost connection."""
        own = self._seats[seat]
        if self.result is not None or own.failed_at is not None:
            return []
        if self.hidden:
            # Choices that were made before the fault stand, and are applied first.
            return self.show(now_ns) + self.fault(seat, code, why, now_ns)
        return self._rule(own, code, why, now_ns)

    def show(self, now_ns: int) -> Sends:
        """Apply choices that are hidden, and play on."""
        if not self.hidden:
            return []
        self.hidden = False
        self._apply_answers()
        return self._advance(now_ns)

    def tick(self, now_ns: int) -> Sends:
        """Let time pass: a seat that is over a deadline is late, or not ready.

        Earlier deadlines are ruled upon first, even if the tick comes late.
        """
        sends: Sends = []
        while self.deadline_ns is not None and self.deadline_ns <= now_ns:
            late = [own for own in self._owing() if own.deadline_ns == self.deadline_ns]
            sends += self._not_ready(late, now_ns) if self.waiting else self._late(late, now_ns)
        return sends

    def stalled(self, stall_ns: int) -> None:
        """Move all open deadlines by a time in which we did not look: no bot is charged for it."""
        if self.deadline_ns is not None:
            self.deadline_ns += stall_ns
            for own in self._owing():
                own.excuse(stall_ns)

    def abandon(self, why: str) -> Sends:
        """End the match without a verdict: an error of ours, or an order. No seat has a fault."""
        if self.result is not None:
            return []
        self.void_reason = why
        return self._finish(None)

    def retract(self, why: str) -> Sends:
        """End the match without a verdict because its last messages cannot be encoded: an error of ours.

        Also if the last was its `end`: that result was sent to no bot.
        """
        self.result = None
        return self.abandon(why)

    def excuse(self, seat: int, delay_ns: int) -> None:
        """Give a seat more time for what it owes now, because the referee itself is late."""
        if self.owes(seat) and self.deadline_ns is not None:
            self._seats[seat].excuse(delay_ns)
            self._set_deadline()

    def open_messages(self, seat: int) -> list[Message]:
        """Return the messages that a bot that lost its connection must be sent again."""
        own = self._seats[seat]
        if seat in self.waiting:
            return [self._start(own)]
        if own.ask is None:
            return []
        own.resent = True
        return [own.ask]

    def messages_from_start(self, seat: int, wants: frozenset[str]) -> list[Message]:
        """Return what a bot that was started anew is sent: the start, and the open ask with all events."""
        own = self._seats[seat]
        ask = own.begin_again(wants, self._state, self.events, is_ready=seat not in self.waiting)
        return [self._start(own), *ask]

    # State.

    @property
    def state(self) -> State:
        """The position, with all its secrets."""
        return self._state

    def owes(self, seat: int) -> bool:
        """Return whether the seat owes a `ready` or an answer."""
        return seat in self.waiting or self._seats[seat].ask is not None

    def open_asks(self) -> Iterator[tuple[int, int]]:
        """Return each seat that owes an answer, with the time of its ask."""
        return ((own.seat, own.asked_ns) for own in self._seats if own.ask is not None)

    def clock(self, seat: int) -> SeatClock:
        """Return the clock of a seat."""
        return self._seats[seat].clock

    # Playing on.

    def _advance(self, now_ns: int) -> Sends:
        """Play until a bot must decide, or the game is over."""
        state = self._state
        while (outcome := state.outcome()) is None:
            if self._leaving:
                self._withdraw(self._leaving.pop(0))
                continue
            seats = state.to_act()
            if len(seats) == 1:
                own = self._seats[seats[0]]
                if own.failed_at is None:
                    self._together = False
                    ask = own.open_ask(self.id, state, self.events, now_ns)
                    self.deadline_ns = own.deadline_ns
                    return [(own.seat, ask), *self._tell()] if self._streaming else [(own.seat, ask)]
            elif sends := self._ask_together(seats, now_ns):
                return sends
            assert seats, "no seat is to act, yet the game is not over"
            for seat in tuple(seats):
                self._play_house(seat)
        return self._finish(outcome)

    def _withdraw(self, seat: int) -> None:
        """Let the game take out a failed seat, if it has a rule for that."""
        events = self._state.withdraw(seat)
        if events is not None:
            self.events += events
            self.log.append(Withdrew(seat))

    def _ask_together(self, seats: Sequence[int], now_ns: int) -> Sends:
        """Ask those of several seats whose bots have not failed."""
        self._together = True
        sends: Sends = [
            (own.seat, own.open_ask(self.id, self._state, self.events, now_ns))
            for own in map(self._seats.__getitem__, seats)
            if own.failed_at is None
        ]
        if sends:
            self._set_deadline()
            sends += self._tell()
        return sends

    def _settle(self, now_ns: int) -> Sends:
        """Go on after a fault, or after an answer that is held."""
        self._moment += 1
        if sum(own.failed_at is None for own in self._seats) <= 1:
            return self._finish(None)
        self.waiting = {seat for seat in self.waiting if self._seats[seat].failed_at is None}
        if self._owing():
            self._set_deadline()
            return []
        if self._answers:
            self.hidden = True
            if self._hides:
                self.deadline_ns = None
                return []
            return self.show(now_ns)
        return self._advance(now_ns)

    def _apply_answers(self) -> None:
        """Apply the choices of all seats that chose at once, in seat order."""
        for seat in tuple(self._state.to_act()):
            held = self._answers.pop(seat, None)
            if held is None:
                self._play_house(seat)
            else:
                self._take(held)

    def _play_house(self, seat: int) -> None:
        """Let the house take the action of a seat whose bot failed."""
        self._take(Acted(seat, self._state.fallback(seat), 0, "house"))

    def _take(self, acted: Acted) -> None:
        """Take an action that is known to be legal."""
        self.events += self._state.apply(acted.seat, acted.action)
        self.log.append(acted)

    def _follow_plan(
        self, own: SeatState, plan: Sequence[str], events: Sequence[Event], now_ns: int
    ) -> Sends:
        """Apply further actions of a plan while the seat alone decides and learned nothing new."""
        seat = own.seat
        for action in plan:
            # A seat that has left is news as well: it would have been taken out before the next ask.
            if self._leaving or any(event.news for event in events) or list(self._state.to_act()) != [seat]:
                break
            try:
                events = self._state.apply(seat, action)
            except IllegalActionError as error:
                return self._blame(own, FaultCode.ILLEGAL, _refusal(error)) + self._settle(now_ns)
            self.events += events
            self.log.append(Acted(seat, action, 0, "plan"))
        return self._advance(now_ns)

    def _choose(self, own: SeatState, ask: Ask, action: str, took_ns: int, now_ns: int) -> Sends:
        """Hold the choice of a seat that chooses together with others."""
        seat = own.seat
        legal = ask.legal if ask.legal is not None else self._state.legal(seat)
        if action not in legal:
            try:
                self._state.apply(seat, action)
            except IllegalActionError as error:
                return self._rule(own, FaultCode.ILLEGAL, _refusal(error), now_ns)
            raise AssertionError(f"{action!r} is not listed, yet it applies")
        self._answers[seat] = Acted(seat, action, own.charge(took_ns), "bot", took_ns // 1_000)
        return self._settle(now_ns)

    # Time.

    def _owing(self) -> list[SeatState]:
        return [own for own in self._seats if own.ask is not None or own.seat in self.waiting]

    def _set_deadline(self) -> None:
        self.deadline_ns = min(own.deadline_ns for own in self._owing())

    def _not_ready(self, late: Sequence[SeatState], now_ns: int) -> Sends:
        """Rule on seats that were not ready in time."""
        sends: Sends = []
        for own in late:
            sends += self._blame(own, FaultCode.NOT_READY, f"no ready within {own.clock.control.ready_ms} ms")
        return sends + self._settle(now_ns)

    def _late(self, late: Sequence[SeatState], now_ns: int) -> Sends:
        """Rule on seats that ran out of time together."""
        sends: Sends = []
        for own in late:
            sends += self._blame(own, FaultCode.LATE, own.too_slow())
            if own.failed_at is None:
                # A strike: the house takes this one decision, the bot goes on with an empty bank.
                took_ns = own.took_ns(0, now_ns)
                us = own.charge(max(took_ns, own.limit_ns + own.excused_ns + 1))
                acted = Acted(own.seat, self._state.fallback(own.seat), us, "house", took_ns // 1_000)
                if self._together:
                    self._answers[own.seat] = acted
                else:
                    self._take(acted)
        return sends + self._settle(now_ns)

    # Faults.

    def _rule(self, own: SeatState, code: FaultCode, why: str, now_ns: int) -> Sends:
        """Rule on a fault: after a strike the open ask is sent again, after a final fault we play on."""
        sends = self._blame(own, code, why)
        if own.failed_at is not None:
            return sends + self._settle(now_ns)
        if own.ask is not None:
            sends.append((own.seat, own.ask_again()))
        return sends

    def _blame(self, own: SeatState, code: FaultCode, why: str) -> Sends:
        """Log a fault, final or a strike, and send an error to the bot. Does not play on."""
        own.strikes += 1
        final = code not in FORGIVABLE or own.strikes >= self.profile.strikes
        self.log.append(Fault(own.seat, code, why, own.asks, self._moment, final))
        if final:
            # A choice that is held stands: it was made in time, and whether the fault comes just before or
            # just after the last answer of the others must make no difference.
            own.failed_at = self._moment
            own.ask = None
            self._leaving.append(own.seat)
        number = own.ask.id if own.ask is not None else None
        return [(own.seat, Error(code.value, why[: limits.REASON_LENGTH], match=self.id, id=number))]

    # Messages.

    def _start(self, own: SeatState) -> Start:
        return own.start(self.id, self.game.info.id, self.options, self._names, self.commit)

    def _tell(self) -> Sends:
        """Send new events to the seats that want them at once and were not asked just now."""
        return [
            (own.seat, Tell(self.id, own.unseen(self.events)))
            for own in self._streaming
            if own.failed_at is None and own.told < len(self.events)
        ]

    def _finish(self, outcome: Outcome | None) -> Sends:
        charged_ms = [own.used_ns // MS for own in self._seats]
        game, void = self.game.info.id, self.void_reason
        result = conclude(self.id, game, self._names, charged_ms, outcome, self.log, void_reason=void)
        ends: Sends = [(own.seat, self._end(own, result)) for own in self._seats]
        # Only now is it over: a match whose end went wrong on the way here can still be abandoned.
        self.result = result
        self.hidden = False
        self.deadline_ns = None
        self.waiting.clear()
        self._answers.clear()
        for own in self._seats:
            own.ask = None
        return ends

    def _end(self, own: SeatState, result: Result) -> End:
        # A void match opens no commitment, because its deal may be played again, and sends no events, because
        # they may be what went wrong.
        return End(
            match=self.id,
            ranks=list(result.ranks),
            scores=list(result.scores),
            reason=result.public_reason,
            ties=result.ties,
            faults=list(result.faults),
            reveal=self.key.hex() if self._reveal and not result.void else None,
            events=own.unseen(self.events) if own.failed_at is None and not result.void else [],
            void=result.void,
        )
