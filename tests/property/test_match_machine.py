"""A match as a state machine: bots that answer, stay silent, send rubbish or die, in any order, in fake time.

A model of the protocol's policies runs beside the match, with its own arithmetic, and predicts every fault,
every deadline and the final ranks.
"""

from collections.abc import Callable

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from msgspec.structs import replace

from protocol.messages import Ask, End, Error, Message, Start, Tell, TimeControl
from referee import registry
from referee.chance import KeyedChance
from referee.errors import IllegalActionError
from referee.match.faults import FORGIVABLE, Fault, FaultCode, Profile
from referee.match.match import Match, Sends
from referee.match.result import Acted
from referee.match.seat import SeatConfig
from tests.property.match_model import MS, Bot, Recorded
from tests.toys.script import Script, ScriptState, Step, opening

WANTS = [{"view", "legal", "events"}, {"events"}, {"stream", "legal"}, {"view"}]
CLOCKS = [
    TimeControl(ready_ms=100, first_ms=50, move_ms=10, bank_ms=30, grace_ms=2),
    TimeControl(ready_ms=10, first_ms=10, move_ms=10, bank_ms=0, grace_ms=0),
]
DEADLY = sorted(set(FaultCode) - FORGIVABLE - {FaultCode.NOT_READY})

pick = st.integers(0, 11)


class MatchMachine(RuleBasedStateMachine):
    @initialize(
        course=st.integers(0, 3),
        seats=st.integers(2, 4),
        strikes=st.sampled_from([1, 3]),
        clock=st.sampled_from(CLOCKS),
        wants=st.lists(st.sampled_from(WANTS), min_size=4, max_size=4),
        numbers=st.lists(st.integers(0, 255), min_size=4, max_size=8),
        abandoned=st.sampled_from([False] * 5 + [True]),
        hides=st.booleans(),
    )
    def deal(
        self,
        course: int,
        seats: int,
        strikes: int,
        clock: TimeControl,
        wants: list[set[str]],
        numbers: list[int],
        abandoned: bool,
        hides: bool,
    ) -> None:
        game = registry.game("coins") if course == 0 else Script()
        key = bytes(numbers).ljust(32)
        if course == 0:
            state, events = game.new(seats, KeyedChance(key), game.resolve(None, seats))
        else:
            steps = [self._step(number, seats) for number in numbers]
            state, events = ScriptState(steps, seats, leaving=course == 1), opening(seats)
        self.state = Recorded(state, events)
        self.profile = Profile("test", strikes, clock, latency_cap_ms=3)
        configs = [
            SeatConfig(f"bot{seat}", frozenset(wants[seat]), latency_ms=2 * seat) for seat in range(seats)
        ]
        self.configs = configs
        self.bots = [Bot(clock, min(3, 2 * seat)) for seat in range(seats)]
        opened = (self.state, events)
        self.match = Match("m", game, configs, key, self.profile, hides=hides, opening=opened)
        self.waiting = set(range(seats))
        self.now_ns = 7
        self.ready_by_ns = self.now_ns + clock.ready_ms * MS
        self.moment = 0
        self.leaving = False
        self.abandoned = abandoned
        self.take(self.match.begin(self.now_ns))

    def _step(self, number: int, seats: int) -> Step:
        acting = [seat for seat in range(seats) if number >> seat & 1] if number & 64 else [number % seats]
        return Step(tuple(acting) or (0,), news=number >= 128)

    # The model.

    def take(self, sends: Sends) -> list[Message]:
        """Deliver what the match sends, and check that it may be sent."""
        for seat, message in sends:
            bot = self.bots[seat]
            assert not bot.ends, "something after the end"
            if isinstance(message, Ask):
                self._asked(bot, message, self.configs[seat].wants)
            elif isinstance(message, Tell):
                assert "stream" in self.configs[seat].wants
                assert message.events
                assert not bot.fault
                bot.seen += message.events
            elif isinstance(message, End):
                bot.ends += 1
                bot.ask = None
                self.waiting.clear()
                bot.seen += message.events
                assert not (bot.fault and message.events)
            else:
                assert isinstance(message, Start | Error)
        return [message for _, message in sends]

    def _asked(self, bot: Bot, ask: Ask, wants: frozenset[str]) -> None:
        assert not bot.fault
        assert not self.waiting
        if bot.ask is not None:
            # After a strike the same ask comes again; its time goes on, and its events have been sent.
            assert ask == replace(bot.ask, events=[])
            return
        assert ask.id == bot.asks + 1
        assert (ask.view is not None, ask.legal is not None) == ("view" in wants, "legal" in wants)
        bot.ask, bot.asks, bot.asked_ns, bot.excused_ns = ask, ask.id, self.now_ns, 0
        bot.seen += ask.events
        self.leaving = False

    def living(self) -> list[Bot]:
        return [bot for bot in self.bots if not bot.fault]

    def open(self) -> list[Bot]:
        return [bot for bot in self.bots if bot.ask is not None]

    def over(self) -> bool:
        return len(self.living()) <= 1 or self.state.outcome() is not None

    def strike(self, bot: Bot, code: FaultCode) -> None:
        """Note a fault in the model."""
        bot.strikes += 1
        if code not in FORGIVABLE or bot.strikes >= self.profile.strikes:
            bot.fault, bot.fell, bot.ask = code.value, self.moment, None
            self.leaving = True
            self.waiting.discard(self.bots.index(bot))

    def run_out(self) -> None:
        """Note in the model who is late by now, the earliest first."""
        self.moment += 1
        if self.waiting and self.now_ns > self.ready_by_ns:
            for seat in sorted(self.waiting):
                self.strike(self.bots[seat], FaultCode.NOT_READY)
        due = {bot: bot.due_ns() for bot in self.open()}
        for moment_ns in sorted(set(due.values())):
            if moment_ns >= self.now_ns or len(self.living()) <= 1:
                break
            self.moment += 1
            for bot in [bot for bot in due if due[bot] == moment_ns]:
                self.strike(bot, FaultCode.LATE)
                if not bot.fault:
                    bot.spend(self.now_ns)

    def pass_time(self) -> None:
        self.run_out()
        self.take(self.match.tick(self.now_ns))

    def bot(self, number: int, among: Callable[[Bot], bool]) -> tuple[int, Bot]:
        """Return one of the seats that fit, or of all if none does."""
        fitting = [seat for seat, bot in enumerate(self.bots) if among(bot)] or list(range(len(self.bots)))
        seat = fitting[number % len(fitting)]
        return seat, self.bots[seat]

    def answer(self, seat: int, bot: Bot, actions: list[str], lag_ns: int) -> Sends:
        """Answer the open ask; the time at which it left is known, or not, or bent."""
        sent_ns = 0 if lag_ns % 3 == 0 else max(0, bot.asked_ns - lag_ns % 3 + 1)
        return self.match.act(seat, bot.asks, actions, sent_ns, self.now_ns)

    # What bots do.

    @rule(number=pick)
    def say_ready(self, number: int) -> None:
        seat, bot = self.bot(number, lambda bot: self.bots.index(bot) in self.waiting)
        expected = [] if bot.fault or bot.ends or seat in self.waiting else ["not-now"]
        self.waiting.discard(seat)
        sends = self.take(self.match.ready(seat, self.now_ns))
        assert [message.code for message in sends if isinstance(message, Error)] == expected

    @rule(number=pick)
    def all_say_ready(self, number: int) -> None:
        for _ in sorted(self.waiting):
            self.say_ready(number)

    @rule(number=pick)
    def repeat_ready(self, number: int) -> None:
        seat = number % len(self.bots)
        if seat not in self.waiting:
            self.say_ready(seat)

    @precondition(lambda self: self.open())
    @rule(number=pick, choice=pick, lag_ns=pick)
    def answer_well(self, number: int, choice: int, lag_ns: int) -> None:
        seat, bot = self.bot(number, lambda bot: bot.ask is not None)
        legal = self.state.legal(seat)
        alone = len(self.open()) == 1
        bot.spend(self.now_ns)
        sends = self.take(self.answer(seat, bot, [legal[choice % len(legal)]], lag_ns))
        shown = alone and not self.match.hidden
        assert bool(sends) is shown, "published before all have chosen, or not when they have"

    @precondition(lambda self: self.open())
    @rule(number=pick, choices=st.lists(pick, min_size=2, max_size=4), lag_ns=pick)
    def answer_with_a_plan(self, number: int, choices: list[int], lag_ns: int) -> None:
        seat, bot = self.bot(number, lambda bot: bot.ask is not None)
        legal = [*self.state.legal(seat), "nonsense"]
        plan = [legal[0], *(legal[choice % len(legal)] for choice in choices[1:])]
        alone, bad, done = self._foresee(seat, plan)
        logged = len(self.match.log)
        bot.spend(self.now_ns)
        if bad:
            self.moment += 1
            self.strike(bot, FaultCode.ILLEGAL)
        self.take(self.answer(seat, bot, plan, lag_ns))
        if alone:
            taken = [entry for entry in self.match.log[logged:] if isinstance(entry, Acted)][: len(done)]
            assert [(entry.seat, entry.action) for entry in taken] == [(seat, action) for action in done]
            more = self.match.log[logged + len(done) :]
            assert not any(isinstance(entry, Acted) and entry.by == "plan" for entry in more)

    def _foresee(self, seat: int, plan: list[str]) -> tuple[bool, bool, list[str]]:
        """Return whether the seat decides alone, whether its plan has a fault, and what of it is done."""
        state = self.state.clone()
        done: list[str] = []
        if len(state.to_act()) > 1:
            return False, False, []
        for action in plan:
            try:
                events = state.apply(seat, action)
            except IllegalActionError:
                return True, True, done
            done.append(action)
            if self.leaving or any(event.news for event in events) or list(state.to_act()) != [seat]:
                break
        return True, False, done

    @precondition(lambda self: self.open())
    @rule(number=pick, text=st.sampled_from(["nonsense", " ", "a ", "show 0", "passs"]), lag_ns=pick)
    def answer_badly(self, number: int, text: str, lag_ns: int) -> None:
        seat, bot = self.bot(number, lambda bot: bot.ask is not None)
        self.moment += 1
        self.strike(bot, FaultCode.ILLEGAL)
        self.take(self.answer(seat, bot, [text], lag_ns))

    @rule(number=pick, off=st.sampled_from([-2, -1, 1, 50]))
    def answer_something_else(self, number: int, off: int) -> None:
        seat, bot = number % len(self.bots), self.bots[number % len(self.bots)]
        stale = max(0, bot.asks + off)
        sends = self.take(self.match.act(seat, stale, ["a"], 0, self.now_ns + number * 1_000 * MS))
        codes = [message.code for message in sends if isinstance(message, Error)]
        assert codes == ([] if bot.fault or bot.ends else ["stale"])
        assert len(codes) == len(sends)

    @precondition(lambda self: self.open())
    @rule(number=pick, over_ns=st.sampled_from([1, 2, 20 * MS]))
    def answer_too_late(self, number: int, over_ns: int) -> None:
        seat, bot = self.bot(number, lambda bot: bot.ask is not None)
        legal = self.state.legal(seat)
        alone = len(self.open()) == 1
        self.now_ns = max(self.now_ns, bot.due_ns() + over_ns)
        if alone:
            self.run_out()
        sends = self.match.act(seat, bot.asks, legal[:1], 0, self.now_ns)
        self.take(sends)
        assert bool(sends) is alone
        self.pass_time()

    @precondition(lambda self: self.match.hidden)
    @rule()
    def show(self) -> None:
        assert not self.open()
        assert self.take(self.match.show(self.now_ns))

    @rule(number=pick)
    def send_garbage(self, number: int) -> None:
        self._misbehave(number % len(self.bots), FaultCode.MALFORMED)

    @precondition(lambda self: len(self.living()) > 1)
    @rule(number=pick, code=st.sampled_from(DEADLY), often=pick)
    def die(self, number: int, code: FaultCode, often: int) -> None:
        # Not too often, lest most matches end before they have begun.
        if often < 4:
            self._misbehave(number % len(self.bots), code)

    def _misbehave(self, seat: int, code: FaultCode) -> None:
        if self.match.hidden:
            self.show()
        bot = self.bots[seat]
        silent = bool(bot.fault or bot.ends)
        if not silent:
            self.moment += 1
            self.strike(bot, code)
        sends = self.take(self.match.fault(seat, code, "seen", self.now_ns))
        assert bool(sends) is not silent

    @rule(seat=pick)
    def come_back(self, seat: int) -> None:
        seat %= len(self.bots)
        again = self.match.open_messages(seat)
        if seat in self.waiting:
            assert [type(message) for message in again] == [Start]
        else:
            ask = self.bots[seat].ask
            assert again == ([ask] if ask is not None else [])

    @rule(part=st.integers(0, 3))
    def wait_a_little(self, part: int) -> None:
        if self.match.deadline_ns is not None:
            self.now_ns += (self.match.deadline_ns - self.now_ns) * part // 4
            assert self.match.tick(self.now_ns) == []

    @rule(by_ns=st.sampled_from([1, 15 * MS, 1_000 * MS]))
    def stall(self, by_ns: int) -> None:
        """Let the referee itself stand still: no bot is charged for that."""
        self.now_ns += by_ns
        self.ready_by_ns += by_ns
        for bot in self.open():
            bot.excused_ns += by_ns
        self.match.stalled(by_ns)
        assert self.match.tick(self.now_ns) == []

    @rule(by_ns=st.sampled_from([-1, 0, 1, 15 * MS, 1_000 * MS]))
    def wait_for_the_deadline(self, by_ns: int) -> None:
        if self.match.deadline_ns is not None:
            self.now_ns = max(self.now_ns, self.match.deadline_ns + by_ns)
            self.pass_time()

    # What is always so.

    @invariant()
    def the_next_deadline_is_the_earliest_of_the_model_and_no_bot_moves_it(self) -> None:
        if self.match.result is not None or self.match.hidden:
            assert self.match.deadline_ns is None
        elif self.waiting:
            assert self.match.deadline_ns == self.ready_by_ns + 1
        else:
            assert self.match.deadline_ns == min(bot.due_ns() for bot in self.open()) + 1

    @invariant()
    def clocks_are_those_of_the_model_and_never_negative(self) -> None:
        for seat, bot in enumerate(self.bots):
            assert self.match.clock(seat).bank_ns == bot.bank_ns >= 0

    @invariant()
    def each_seat_owes_what_the_model_says(self) -> None:
        for seat, bot in enumerate(self.bots):
            assert self.match.owes(seat) is (bot.ask is not None or seat in self.waiting)

    @invariant()
    def faults_are_those_of_the_model(self) -> None:
        faults = [entry for entry in self.match.log if isinstance(entry, Fault)]
        final = {fault.seat: fault.code.value for fault in faults if fault.final}
        assert final == {seat: bot.fault for seat, bot in enumerate(self.bots) if bot.fault}

    @invariant()
    def the_match_is_over_when_the_model_says_so_and_all_know_it(self) -> None:
        assert (self.match.result is not None) is self.over()
        assert all(bot.ends == self.over() for bot in self.bots)

    # The end.

    def teardown(self) -> None:
        if not hasattr(self, "match"):
            return
        if self.abandoned and not self.over():
            self._abandon()
            return
        while self.match.result is None:
            if (deadline_ns := self.match.deadline_ns) is None:
                self.show()
                continue
            self.now_ns = deadline_ns
            self.pass_time()
        self.the_match_is_over_when_the_model_says_so_and_all_know_it()
        result = self.match.result
        assert result is not None
        assert result.faults == tuple(bot.fault for bot in self.bots)
        assert result.ranks == self._ranks()
        outcome = self.state.outcome() if len(self.living()) > 1 else None
        assert result.reason == (outcome.reason if outcome is not None else "forfeit")
        self._check_events()
        self._nothing_follows()

    def _abandon(self) -> None:
        self.take(self.match.abandon("enough"))
        assert self.match.result is not None
        assert self.match.result.void
        assert not any(self.match.result.faults)
        assert all(bot.ends == 1 for bot in self.bots)
        self._nothing_follows()

    def _ranks(self) -> tuple[int, ...]:
        """Return the ranks by the model: who stayed by the game's order, then who fell, the last first."""
        outcome = self.state.outcome() if len(self.living()) > 1 else None
        order = [
            (1, -bot.fell) if bot.fault else (0, outcome.ranks[seat] if outcome is not None else 0)
            for seat, bot in enumerate(self.bots)
        ]
        return tuple(1 + sum(other < mine for other in order) for mine in order)

    def _check_events(self) -> None:
        """Check that those who stayed have seen everything, and those who fell only what came before."""
        for seat, bot in enumerate(self.bots):
            if self.configs[seat].wants.isdisjoint({"events", "stream"}):
                assert bot.seen == []
                continue
            everything = [event.seen_by(seat) for event in self.state.events]
            assert bot.seen == (everything[: len(bot.seen)] if bot.fault else everything)

    def _nothing_follows(self) -> None:
        for seat, bot in enumerate(self.bots):
            assert self.match.act(seat, bot.asks, ["a"], 0, self.now_ns) == []
            assert self.match.fault(seat, FaultCode.CRASHED, "late", self.now_ns) == []
            assert self.match.ready(seat, self.now_ns) == []
            assert self.match.open_messages(seat) == []
        assert self.match.tick(self.now_ns + 10**12) == []
        assert self.match.show(self.now_ns) == []
        assert self.match.abandon("again") == []


TestMatchMachine = MatchMachine.TestCase
TestMatchMachine.settings = settings(max_examples=8 * settings().max_examples, stateful_step_count=40)
