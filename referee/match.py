"""One match without I/O: messages and time go in; messages, the next deadline and a log come out.

Every input method returns what is to be sent, as (seat, message) in order. Times are nanoseconds of one
monotonic clock, read by others. All asks of a decision go out before any answer is looked at; the answers of
seats that choose at once are applied together, in seat order, whatever the order of their arrival.
"""

from collections.abc import Sequence
from typing import Any, Literal

from msgspec import Struct

from protocol.messages import Act, Ask, End, Error, Message, Start, Tell
from referee.chance import KeyedChance, commitment
from referee.clock import MS, SeatClock
from referee.errors import IllegalActionError
from referee.faults import FORGIVABLE, Fault, FaultCode, Profile, ranks_with_faults
from referee.game import Event, Game, Options, Outcome, State

Sends = list[tuple[int, Message]]


class Chair(Struct, frozen=True):
    """Who sits in a seat, and what it is sent."""

    name: str
    wants: frozenset[str] = frozenset({"view", "legal", "events"})
    latency_ms: int = 0


class Acted(Struct, frozen=True, gc=False, tag="act", tag_field="type"):
    """An action that was taken, for the replay."""

    seat: int
    action: str
    us: int
    """Microseconds used, after grace."""
    by: Literal["bot", "plan", "house"]


class Result(Struct, frozen=True):
    """How a match ended."""

    match: str
    game: str
    names: tuple[str, ...]
    ranks: tuple[int, ...]
    scores: tuple[int, ...]
    reason: str
    ties: Literal["draw", "unordered"]
    faults: tuple[str, ...]
    """By seat: the code of its final fault, or ''."""
    used_ms: tuple[int, ...]
    decisions: int


def _refusal(error: IllegalActionError) -> str:
    # An action is printable ASCII, but may be long: it is quoted, and not in full.
    return f"{error.action[:80]!r} is not legal: {error.reason}"


class _Pending:
    """An open ask."""

    __slots__ = ("ask", "asked_ns", "deadline_ns", "legal")

    def __init__(self, ask: Ask, legal: list[str], asked_ns: int, deadline_ns: int) -> None:
        self.ask = ask
        self.legal = legal
        self.asked_ns = asked_ns
        self.deadline_ns = deadline_ns


class Match:
    """One match from `start` to `end`, with all policies of the protocol.

    Call `begin` once, then feed it. `deadline_ns` is the next moment at which `tick` must be called, or None.
    When `result` is set the match is over and takes no notice of anything more.
    """

    def __init__(
        self,
        match: str,
        game: Game,
        chairs: Sequence[Chair],
        key: bytes,
        profile: Profile,
        options: Options | None = None,
        *,
        reveal: bool = True,
        opening: tuple[State, list[Event]] | None = None,
    ) -> None:
        """Set up the match. `opening` puts a position in place of the deal: for the secrecy tests."""
        self.id = match
        self.game = game
        self.chairs = tuple(chairs)
        self.profile = profile
        self.options = game.resolve(options, len(chairs))
        self.key = key
        self.commit = commitment(key, match)
        self.log: list[Acted | Fault] = []
        self.result: Result | None = None
        self.deadline_ns: int | None = None
        self.void: str | None = None
        self._reveal = reveal
        self._state, self._events = opening or game.new(len(chairs), KeyedChance(key), self.options)
        self._events = list(self._events)
        self._told = [0] * len(chairs)
        self._clocks = [SeatClock(profile.clock, chair.latency_ms) for chair in chairs]
        self._used_ns = [0] * len(chairs)
        self._asks = [0] * len(chairs)
        self._strikes = [0] * len(chairs)
        self._fallen: list[int | None] = [None] * len(chairs)
        """By seat: the moment of its final fault; faults of one input have the same moment."""
        self._faults = [""] * len(chairs)
        self._moment = 0
        self._leaving: list[int] = []
        """Failed seats that the game has not been told of: it is told between decisions."""
        self._waiting: set[int] = set(range(len(chairs)))
        """Seats that have not said ready."""
        self._pending: dict[int, _Pending] = {}
        self._answers: dict[int, Acted] = {}
        """Choices of seats that choose at once, held until all are in."""
        self._streaming = [s for s, chair in enumerate(chairs) if "stream" in chair.wants]

    # Inputs.

    def begin(self, now_ns: int) -> Sends:
        """Send `start` to every seat and wait for `ready`."""
        self.deadline_ns = now_ns + self.profile.clock.ready_ms * MS
        return [(seat, self._start(seat)) for seat in range(len(self.chairs))]

    def ready(self, seat: int, now_ns: int) -> Sends:
        """Take a `ready`; the last one begins the play."""
        if self.result or self._fallen[seat] is not None:
            return []
        if seat not in self._waiting:
            why = "ready is said once, after start"
            return [(seat, Error("not-now", why, match=self.id))]
        self._waiting.discard(seat)
        return [] if self._waiting else self._advance(now_ns)

    def act(self, seat: int, act: Act, sent_ns: int, received_ns: int) -> Sends:
        """Take an answer, with the times at which its ask left and it arrived."""
        if self.result or self._fallen[seat] is not None:
            return []
        pending = self._pending.get(seat)
        if pending is None or act.id != pending.ask.id:
            return [(seat, self._stale(act, pending))]
        elapsed_ns = received_ns - (sent_ns or pending.asked_ns)
        clock = self._clocks[seat]
        self._moment += 1
        if clock.is_late(elapsed_ns):
            return self._late([seat], received_ns)
        plan = act.actions or [act.action or ""]
        if len(self._state.to_act()) > 1:
            return self._choose(seat, plan[0], pending, elapsed_ns, received_ns)
        try:
            events = self._state.apply(seat, plan[0])
        except IllegalActionError as error:
            return self._illegal(seat, error, received_ns)
        del self._pending[seat]
        self._book(seat, plan[0], elapsed_ns, "bot")
        self._events += events
        if len(plan) > 1:
            wrong = self._follow_plan(seat, plan[1:], events)
            if wrong is not None:
                return self._blame(seat, FaultCode.ILLEGAL, _refusal(wrong)) + self._settle(received_ns)
        return self._advance(received_ns)

    def fault(self, seat: int, code: FaultCode, why: str, now_ns: int) -> Sends:
        """Take note of misconduct seen outside: garbage, a flood, a crash, a lost connection."""
        if self.result or self._fallen[seat] is not None:
            return []
        self._moment += 1
        sends = self._blame(seat, code, why)
        return sends + self._settle(now_ns) if self._fallen[seat] is not None else sends

    def tick(self, now_ns: int) -> Sends:
        """Let time pass: whoever is over a deadline is late, or not ready."""
        if self.result or self.deadline_ns is None or now_ns < self.deadline_ns:
            return []
        self._moment += 1
        if self._waiting:
            sends: Sends = []
            for seat in sorted(self._waiting):
                sends += self._blame(seat, FaultCode.NOT_READY, self._out_of_time(seat))
            return sends + self._settle(now_ns)
        return self._late([s for s, p in sorted(self._pending.items()) if p.deadline_ns <= now_ns], now_ns)

    def abandon(self, why: str) -> Sends:
        """End the match without a verdict: an error of ours, or the operator's wish. Blames nobody."""
        if self.result:
            return []
        self.void = why
        return self._finish(None)

    def open_messages(self, seat: int) -> list[Message]:
        """Return what a bot that lost its connection must be sent again."""
        if self.result or self._fallen[seat] is not None:
            return []
        if seat in self._waiting:
            return [self._start(seat)]
        return [self._pending[seat].ask] if seat in self._pending else []

    # What the outside may know of the state of affairs.

    @property
    def state(self) -> State:
        """The position, with all its secrets."""
        return self._state

    def owes(self, seat: int) -> bool:
        """Say whether the seat owes a `ready` or an answer."""
        return seat in self._pending or (seat in self._waiting and self._fallen[seat] is None)

    def clock(self, seat: int) -> SeatClock:
        """Return the clock of a seat."""
        return self._clocks[seat]

    # Playing on.

    def _advance(self, now_ns: int) -> Sends:
        """Play until a bot must decide, or the game is over."""
        while self._leaving:
            self._events += self._state.withdraw(self._leaving.pop(0)) or []
        while (outcome := self._state.outcome()) is None:
            seats = self._state.to_act()
            alive = [seat for seat in seats if self._fallen[seat] is None]
            if alive:
                sends: Sends = [(seat, self._ask(seat, now_ns)) for seat in alive]
                self._set_deadline()
                return sends + self._tell() if self._streaming else sends
            for seat in seats:
                self._play_house(seat)
        return self._finish(outcome)

    def _settle(self, now_ns: int) -> Sends:
        """Go on after a fault, or after an answer that is held."""
        if self._fallen.count(None) <= 1:
            return self._finish(self._state.outcome())
        if self._waiting:
            self._waiting -= {s for s in self._waiting if self._fallen[s] is not None}
            return [] if self._waiting else self._advance(now_ns)
        if self._pending:
            self._set_deadline()
            return []
        self._apply_answers()
        return self._advance(now_ns)

    def _apply_answers(self) -> None:
        """Apply the choices of all seats that chose at once, in seat order."""
        if not self._answers:
            return
        for seat in tuple(self._state.to_act()):
            held = self._answers.get(seat)
            if held is None:
                self._play_house(seat)
            else:
                self.log.append(held)
                self._events += self._state.apply(seat, held.action)
        self._answers.clear()

    def _play_house(self, seat: int) -> None:
        """Let the house take the action of a seat whose bot failed."""
        action = self._state.fallback(seat)
        self.log.append(Acted(seat, action, 0, "house"))
        self._events += self._state.apply(seat, action)

    def _follow_plan(
        self, seat: int, plan: Sequence[str], events: Sequence[Event]
    ) -> IllegalActionError | None:
        """Apply further actions of a plan while the seat alone decides and learned nothing new."""
        for action in plan:
            if any(event.news for event in events) or list(self._state.to_act()) != [seat]:
                return None
            try:
                events = self._state.apply(seat, action)
            except IllegalActionError as error:
                return error
            self._events += events
            self.log.append(Acted(seat, action, 0, "plan"))
        return None

    def _choose(self, seat: int, action: str, pending: _Pending, elapsed_ns: int, now_ns: int) -> Sends:
        """Hold the choice of a seat that chooses together with others."""
        if action not in pending.legal:
            try:
                self._state.apply(seat, action)
            except IllegalActionError as error:
                return self._illegal(seat, error, now_ns)
            raise AssertionError(f"{action!r} is not listed, yet it applies")
        del self._pending[seat]
        used_ns = self._charge(seat, elapsed_ns)
        self._answers[seat] = Acted(seat, action, used_ns // 1_000, "bot")
        return self._settle(now_ns)

    # Time.

    def _set_deadline(self) -> None:
        self.deadline_ns = min(p.deadline_ns for p in self._pending.values())

    def _charge(self, seat: int, elapsed_ns: int) -> int:
        used_ns = self._clocks[seat].charge(elapsed_ns)
        self._used_ns[seat] += used_ns
        return used_ns

    def _book(self, seat: int, action: str, elapsed_ns: int, by: Literal["bot", "house"]) -> None:
        used_ns = self._charge(seat, elapsed_ns)
        self.log.append(Acted(seat, action, used_ns // 1_000, by))

    def _late(self, seats: Sequence[int], now_ns: int) -> Sends:
        """Rule on seats that ran out of time together."""
        sends: Sends = []
        single = len(self._state.to_act()) == 1
        for seat in seats:
            pending = self._pending[seat]
            why = self._out_of_time(seat)
            elapsed_ns = max(now_ns - pending.asked_ns, self._clocks[seat].limit_ns() + 1)
            sends += self._blame(seat, FaultCode.LATE, why)
            if self._fallen[seat] is None:
                # A strike: the house takes this one decision, the bot goes on with an empty bank.
                del self._pending[seat]
                used_ns = self._charge(seat, elapsed_ns)
                held = Acted(seat, self._state.fallback(seat), used_ns // 1_000, "house")
                if single:
                    self.log.append(held)
                    self._events += self._state.apply(seat, held.action)
                else:
                    self._answers[seat] = held
        return sends + self._settle(now_ns)

    def _out_of_time(self, seat: int) -> str:
        if self._waiting:
            return f"no ready within {self.profile.clock.ready_ms} ms"
        clock = self._clocks[seat].ask_clock()
        return (
            f"no answer within {clock.move_ms} ms for the decision, "
            f"{clock.bank_ms} ms of bank and {clock.grace_ms} ms of grace"
        )

    # Faults.

    def _illegal(self, seat: int, error: IllegalActionError, now_ns: int) -> Sends:
        sends = self._blame(seat, FaultCode.ILLEGAL, _refusal(error))
        return sends + self._settle(now_ns) if self._fallen[seat] is not None else sends

    def _blame(self, seat: int, code: FaultCode, why: str) -> Sends:
        """Note a fault, final or a strike, and tell the bot. Does not play on."""
        self._strikes[seat] += 1
        final = code not in FORGIVABLE or self._strikes[seat] >= self.profile.strikes
        self.log.append(Fault(seat, code, why, self._asks[seat], final))
        if final:
            self._fallen[seat] = self._moment
            self._faults[seat] = code.value
            self._pending.pop(seat, None)
            self._answers.pop(seat, None)
            self._leaving.append(seat)
        pending = self._pending.get(seat)
        return [(seat, Error(code.value, why, match=self.id, id=pending.ask.id if pending else None))]

    def _stale(self, act: Act, pending: _Pending | None) -> Error:
        asked = f"the open ask is {pending.ask.id}" if pending else "no ask is open"
        return Error("stale", f"answer to ask {act.id}, but {asked}", match=self.id, id=act.id)

    # Messages.

    def _start(self, seat: int) -> Start:
        return Start(
            match=self.id,
            game=self.game.info.id,
            options=self.options,
            seat=seat,
            seats=len(self.chairs),
            names=[chair.name for chair in self.chairs],
            clock=self._clocks[seat].control,
            commit=self.commit,
        )

    def _unseen(self, seat: int) -> list[dict[str, Any]]:
        """Return the events this seat has not been sent yet, and count them as sent."""
        new = self._events[self._told[seat] :]
        self._told[seat] = len(self._events)
        wants = self.chairs[seat].wants
        if "events" not in wants and "stream" not in wants:
            return []
        return [event.seen_by(seat) for event in new]

    def _ask(self, seat: int, now_ns: int) -> Ask:
        clock = self._clocks[seat]
        wants = self.chairs[seat].wants
        legal = self._state.legal(seat)
        self._asks[seat] += 1
        ask = Ask(
            match=self.id,
            id=self._asks[seat],
            clock=clock.ask_clock(),
            events=self._unseen(seat),
            view=self._state.view(seat) if "view" in wants else None,
            legal=legal if "legal" in wants else None,
        )
        self._pending[seat] = _Pending(ask, legal, now_ns, now_ns + clock.limit_ns())
        return ask

    def _tell(self) -> Sends:
        """Send new events to the seats that want them at once and were not asked just now."""
        return [
            (seat, Tell(self.id, self._unseen(seat)))
            for seat in self._streaming
            if self._fallen[seat] is None and self._told[seat] < len(self._events)
        ]

    def _finish(self, outcome: Outcome | None) -> Sends:
        seats = range(len(self.chairs))
        reason = "void" if self.void is not None else outcome.reason if outcome else "forfeit"
        ranks = (1,) * len(seats) if self.void is not None else ranks_with_faults(outcome, self._fallen)
        scores = outcome.scores if outcome else (0,) * len(seats)
        self.result = Result(
            match=self.id,
            game=self.game.info.id,
            names=tuple(chair.name for chair in self.chairs),
            ranks=ranks,
            scores=scores,
            reason=reason,
            ties=outcome.ties if outcome else "unordered",
            faults=tuple(self._faults),
            used_ms=tuple(used_ns // MS for used_ns in self._used_ns),
            decisions=sum(isinstance(entry, Acted) for entry in self.log),
        )
        self.deadline_ns = None
        self._pending.clear()
        self._answers.clear()
        return [(seat, self._end(seat, self.result)) for seat in seats]

    def _end(self, seat: int, result: Result) -> End:
        return End(
            match=self.id,
            ranks=list(result.ranks),
            scores=list(result.scores),
            reason=result.reason,
            ties=result.ties,
            faults=list(result.faults),
            reveal=self.key.hex() if self._reveal else None,
            events=self._unseen(seat) if self._fallen[seat] is None else [],
        )
