"""One match without I/O: messages and time go in; messages, the next deadline and a log come out.

Every input method returns what is to be sent, as (seat, message) in order. Times are nanoseconds of one
monotonic clock, read by others. All asks of a decision go out before any answer is looked at; the answers of
seats that choose at once are applied together, in seat order, for every order of arrival.
"""

from collections.abc import Mapping, Sequence

from protocol import limits
from protocol.messages import Act, Ask, End, Error, Message, Start, Tell
from referee.chance import KeyedChance, commitment
from referee.errors import IllegalActionError
from referee.game import Event, Game, Options, Outcome, State
from referee.match.clock import MS, SeatClock
from referee.match.faults import FORGIVABLE, Fault, FaultCode, Profile
from referee.match.result import Acted, Log, Result, Withdrew, conclude
from referee.match.seat import SeatConfig, SeatState

__all__ = ["Acted", "Match", "Result", "SeatConfig", "Sends"]

Sends = list[tuple[int, Message]]


def _refusal(error: IllegalActionError) -> str:
    # An action is printable ASCII, but may be long: it is quoted, and not in full.
    return f"{error.action[:80]!r} is not legal: {error.reason}"


class Match:
    """One match from `start` to `end`, with all policies of the protocol.

    Call `begin` once, then feed it. `deadline_ns` is the next moment at which `tick` must be called: the
    first at which a seat is late. It is None before `begin`, when the match is over, and while choices are
    `hidden`. When `result` is set the match is over and ignores further inputs. If an input raises, the
    error is ours: `abandon` works in every state, also in the middle of an input.
    """

    def __init__(
        self,
        match: str,
        game: Game,
        chairs: Sequence[SeatConfig],
        key: bytes,
        profile: Profile,
        options: Options | None = None,
        *,
        reveal: bool = True,
        hides: bool = False,
        opening: tuple[State, list[Event]] | None = None,
    ) -> None:
        """Set up the match. Choices that it `hides` wait for `show`; `opening` stands in for the deal."""
        self.id = match
        self.game = game
        self.chairs = tuple(chairs)
        self.profile = profile
        self.options = game.resolve(options, len(chairs))
        self.key = key
        self.commit = commitment(key, match)
        self.log: Log = []
        self.result: Result | None = None
        self.deadline_ns: int | None = None
        self.void: str | None = None
        self.hidden = False
        """Whether seats that choose at once have all chosen, and their choices are not released yet."""
        self._reveal = reveal
        self._hides = hides
        self._state, events = opening or game.new(len(chairs), KeyedChance(key), self.options)
        self._events = list(events)
        self._places = [
            SeatState(
                seat,
                chair,
                SeatClock(chair.clock or profile.clock, min(chair.latency_ms, profile.latency_cap_ms)),
            )
            for seat, chair in enumerate(self.chairs)
        ]
        self._streaming = [place for place in self._places if "stream" in place.chair.wants]
        self._waiting = set(range(len(chairs)))
        """Seats that have not said ready."""
        self._together = False
        """Whether the open decision is one of several seats at once."""
        self._answers: dict[int, Acted] = {}
        """Choices of seats that choose at once, held until all are in."""
        self._leaving: list[int] = []
        """Failed seats that still have to leave the game, which happens between decisions."""
        self._moment = 0

    # Inputs.

    def begin(self, now_ns: int) -> Sends:
        """Send `start` to every seat and wait for `ready`."""
        self.deadline_ns = now_ns + self.profile.clock.ready_ms * MS + 1
        return [(place.seat, self._start(place)) for place in self._places]

    def ready(self, seat: int, received_ns: int, now_ns: int = 0) -> Sends:
        """Take a `ready`, with the time at which it arrived; the last one begins the play.

        `now_ns` is the present, if it took a while from there to here.
        """
        if self.result is not None or self._places[seat].failed_at is not None:
            return []
        if seat not in self._waiting:
            return [(seat, Error("not-now", "ready is said once, after start", match=self.id))]
        now_ns = max(now_ns, received_ns)
        if self.deadline_ns is not None and received_ns >= self.deadline_ns:
            # Too late; as with a late answer, others may have been in time.
            return self.tick(now_ns) if len(self._waiting) == 1 else []
        self._waiting.discard(seat)
        return [] if self._waiting else self._advance(now_ns)

    def act(self, seat: int, act: Act, sent_ns: int, received_ns: int, now_ns: int = 0) -> Sends:
        """Take an answer, with the times at which its ask left and it arrived.

        `now_ns` is the present, if it took a while from there to here: what is asked next is asked now.
        """
        place = self._places[seat]
        if self.result is not None or place.failed_at is not None:
            return []
        ask = place.ask
        if ask is None or act.id != ask.id:
            return [(seat, place.stale(act))]
        elapsed_ns = place.elapsed_ns(sent_ns, received_ns)
        now_ns = max(now_ns, received_ns)
        if elapsed_ns > place.limit_ns:
            # While other asks are open this waits for `tick`: an answer that arrived before this one may be
            # handed to us after it, and those who ran out of time together are ruled upon together.
            return self._late([place], now_ns) if len(self._open()) == 1 else []
        plan = act.actions
        action = plan[0] if plan else act.action or ""
        if self._together:
            return self._choose(place, ask, action, elapsed_ns, now_ns)
        try:
            events = self._state.apply(seat, action)
        except IllegalActionError as error:
            return self._rule(place, FaultCode.ILLEGAL, _refusal(error), now_ns)
        self._events += events
        self.log.append(Acted(seat, action, place.charge(elapsed_ns), "bot"))
        if plan and len(plan) > 1:
            return self._follow_plan(place, plan[1:], events, now_ns)
        return self._advance(now_ns)

    def absent(self, seats: Mapping[int, tuple[FaultCode, str]], now_ns: int) -> Sends:
        """Rule on all seats whose bots never came, with code and reason: none of them beats another."""
        sends: Sends = []
        for seat, (code, why) in seats.items():
            sends += self._blame(self._places[seat], code, why)
        return sends + self._settle(now_ns)

    def fault(self, seat: int, code: FaultCode, why: str, now_ns: int) -> Sends:
        """Take note of misconduct seen outside: garbage, a flood, a crash, a lost connection."""
        place = self._places[seat]
        if self.result is not None or place.failed_at is not None:
            return []
        if self.hidden:
            # What was chosen before stands, and comes first.
            return self.show(now_ns) + self.fault(seat, code, why, now_ns)
        return self._rule(place, code, why, now_ns)

    def show(self, now_ns: int) -> Sends:
        """Apply choices that are hidden, and play on."""
        if not self.hidden:
            return []
        self.hidden = False
        self._apply_answers()
        return self._advance(now_ns)

    def tick(self, now_ns: int) -> Sends:
        """Let time pass: a seat that is over its deadline is late, or not ready.

        Earlier deadlines are ruled upon first, even if the tick comes late.
        """
        sends: Sends = []
        while self.deadline_ns is not None and self.deadline_ns <= now_ns:
            if self._waiting:
                why = f"no ready within {self.profile.clock.ready_ms} ms"
                for seat in sorted(self._waiting):
                    sends += self._blame(self._places[seat], FaultCode.NOT_READY, why)
                sends += self._settle(now_ns)
            else:
                late = [place for place in self._open() if place.deadline_ns == self.deadline_ns]
                sends += self._late(late, now_ns)
        return sends

    def stalled(self, stall_ns: int) -> None:
        """Move all open deadlines: for so long we were kept from looking, and no bot is charged for that."""
        if self.deadline_ns is not None:
            self.deadline_ns += stall_ns
            for place in self._open():
                place.excuse(stall_ns)

    def abandon(self, why: str) -> Sends:
        """End the match as void: by an error of ours, or because the operator stops it. No seat is blamed."""
        if self.result is not None:
            return []
        self.void = why
        return self._finish(None)

    def retract(self, why: str) -> Sends:
        """End the match as void because its last messages cannot be sent: an error of ours.

        This holds even if `end` was among them, because no bot has received that result.
        """
        self.result = None
        return self.abandon(why)

    def excuse(self, seat: int, delay_ns: int) -> None:
        """Give a seat more time for what it owes now, because it is we who are late."""
        place = self._places[seat]
        if place.ask is not None:
            place.excuse(delay_ns)
            self._set_deadline()
        elif seat in self._waiting and self.deadline_ns is not None:
            self.deadline_ns += delay_ns

    def open_messages(self, seat: int) -> list[Message]:
        """Return what a bot that lost its connection must be sent again."""
        place = self._places[seat]
        if seat in self._waiting:
            return [self._start(place)]
        if place.ask is None:
            return []
        place.resent = True
        return [place.ask]

    # What the outside may know of the state of affairs.

    @property
    def state(self) -> State:
        """The position, with all its secrets."""
        return self._state

    def owes(self, seat: int) -> bool:
        """Return whether the seat owes a `ready` or an answer."""
        return seat in self._waiting or self._places[seat].ask is not None

    def clock(self, seat: int) -> SeatClock:
        """Return the clock of a seat."""
        return self._places[seat].clock

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
                place = self._places[seats[0]]
                if place.failed_at is None:
                    self._together = False
                    ask = place.open_ask(self.id, state, self._events, now_ns)
                    self.deadline_ns = place.deadline_ns
                    return [(place.seat, ask), *self._tell()] if self._streaming else [(place.seat, ask)]
            elif sends := self._ask_together(seats, now_ns):
                return sends
            assert seats, "nobody is to act, yet the game is not over"
            for seat in tuple(seats):
                self._play_house(seat)
        return self._finish(outcome)

    def _withdraw(self, seat: int) -> None:
        """Let the game take out a failed seat, if it has a rule for that."""
        events = self._state.withdraw(seat)
        if events is not None:
            self._events += events
            self.log.append(Withdrew(seat))

    def _ask_together(self, seats: Sequence[int], now_ns: int) -> Sends:
        """Ask those of several seats whose bots have not failed."""
        self._together = True
        sends: Sends = [
            (place.seat, place.open_ask(self.id, self._state, self._events, now_ns))
            for place in map(self._places.__getitem__, seats)
            if place.failed_at is None
        ]
        if sends:
            self._set_deadline()
            sends += self._tell()
        return sends

    def _settle(self, now_ns: int) -> Sends:
        """Go on after a fault, or after an answer that is held."""
        self._moment += 1
        if sum(place.failed_at is None for place in self._places) <= 1:
            return self._finish(None)
        if self._waiting:
            self._waiting = {seat for seat in self._waiting if self._places[seat].failed_at is None}
            if self._waiting:
                return []
        elif self._open():
            self._set_deadline()
            return []
        elif self._answers:
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
        self._events += self._state.apply(acted.seat, acted.action)
        self.log.append(acted)

    def _follow_plan(
        self, place: SeatState, plan: Sequence[str], events: Sequence[Event], now_ns: int
    ) -> Sends:
        """Apply further actions of a plan while the seat alone decides and learned nothing new."""
        seat = place.seat
        for action in plan:
            # A seat that has left is news as well: it would have been taken out before the next ask.
            if self._leaving or any(event.news for event in events) or list(self._state.to_act()) != [seat]:
                break
            try:
                events = self._state.apply(seat, action)
            except IllegalActionError as error:
                return self._blame(place, FaultCode.ILLEGAL, _refusal(error)) + self._settle(now_ns)
            self._events += events
            self.log.append(Acted(seat, action, 0, "plan"))
        return self._advance(now_ns)

    def _choose(self, place: SeatState, ask: Ask, action: str, elapsed_ns: int, now_ns: int) -> Sends:
        """Hold the choice of a seat that chooses together with others."""
        seat = place.seat
        legal = ask.legal if ask.legal is not None else self._state.legal(seat)
        if action not in legal:
            try:
                self._state.apply(seat, action)
            except IllegalActionError as error:
                return self._rule(place, FaultCode.ILLEGAL, _refusal(error), now_ns)
            raise AssertionError(f"{action!r} is not listed, yet it applies")
        self._answers[seat] = Acted(seat, action, place.charge(elapsed_ns), "bot")
        return self._settle(now_ns)

    # Time.

    def _open(self) -> list[SeatState]:
        return [place for place in self._places if place.ask is not None]

    def _set_deadline(self) -> None:
        self.deadline_ns = min(place.deadline_ns for place in self._open())

    def _late(self, places: Sequence[SeatState], now_ns: int) -> Sends:
        """Rule on seats that ran out of time together."""
        sends: Sends = []
        for place in places:
            sends += self._blame(place, FaultCode.LATE, place.too_slow())
            if place.failed_at is None:
                # A strike: the house takes this one decision, the bot goes on with an empty bank.
                us = place.charge(max(place.elapsed_ns(0, now_ns), place.limit_ns + 1))
                acted = Acted(place.seat, self._state.fallback(place.seat), us, "house")
                if self._together:
                    self._answers[place.seat] = acted
                else:
                    self._take(acted)
        return sends + self._settle(now_ns)

    # Faults.

    def _rule(self, place: SeatState, code: FaultCode, why: str, now_ns: int) -> Sends:
        """Rule on a fault: after a strike the open ask is sent again, after a final fault we play on."""
        sends = self._blame(place, code, why)
        if place.failed_at is not None:
            return sends + self._settle(now_ns)
        if place.ask is not None:
            sends.append((place.seat, place.ask_again()))
        return sends

    def _blame(self, place: SeatState, code: FaultCode, why: str) -> Sends:
        """Record a fault, final or a strike, and send it to the bot. Does not play on."""
        place.strikes += 1
        final = code not in FORGIVABLE or place.strikes >= self.profile.strikes
        self.log.append(Fault(place.seat, code, why, place.asks, self._moment, final))
        if final:
            # A choice that is held stands: it was made in time, and it must make no difference whether the
            # fault comes just before or just after the last answer of the others.
            place.failed_at = self._moment
            place.fault = code.value
            place.ask = None
            self._leaving.append(place.seat)
        number = place.ask.id if place.ask is not None else None
        return [(place.seat, Error(code.value, why[: limits.REASON_LENGTH], match=self.id, id=number))]

    # Messages.

    def _start(self, place: SeatState) -> Start:
        return Start(
            match=self.id,
            game=self.game.info.id,
            options=self.options,
            seat=place.seat,
            seats=len(self.chairs),
            names=[chair.name for chair in self.chairs],
            clock=place.clock.control,
            commit=self.commit,
        )

    def _tell(self) -> Sends:
        """Send new events to the seats that want them at once and were not asked just now."""
        return [
            (place.seat, Tell(self.id, place.unseen(self._events)))
            for place in self._streaming
            if place.failed_at is None and place.told < len(self._events)
        ]

    def _finish(self, outcome: Outcome | None) -> Sends:
        void = self.void is not None
        result = conclude(self.id, self.game.info.id, self._places, outcome, self.log, void=void)
        ends: Sends = [(place.seat, self._end(place, result)) for place in self._places]
        # Only now is it over: a match whose end went wrong on the way here can still be abandoned.
        self.result = result
        self.hidden = False
        self.deadline_ns = None
        self._waiting.clear()
        self._answers.clear()
        for place in self._places:
            place.ask = None
        return ends

    def _end(self, place: SeatState, result: Result) -> End:
        # A void match opens no commitment, because its deal may be played again, and sends no events, because
        # they may be what went wrong.
        void = self.void is not None
        return End(
            match=self.id,
            ranks=list(result.ranks),
            scores=list(result.scores),
            reason=result.reason,
            ties=result.ties,
            faults=list(result.faults),
            reveal=self.key.hex() if self._reveal and not void else None,
            events=place.unseen(self._events) if place.failed_at is None and not void else [],
        )
