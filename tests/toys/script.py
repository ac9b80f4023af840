"""Script: a toy whose course is written down in advance, and a run of it in fake time."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from protocol.messages import Ask, End, Error, Message, Tell, TimeControl
from referee.chance import Chance
from referee.errors import IllegalActionError
from referee.game import Event, Game, GameInfo, Outcome, State, View
from referee.match.faults import Fault, FaultCode, Profile
from referee.match.match import Match, Sends
from referee.match.result import Acted, Result
from referee.match.seat import SeatConfig

M = TypeVar("M", bound=Message)

MS = 1_000_000
KEY = bytes(range(32))
CLOCK = TimeControl(ready_ms=1_000, first_ms=500, move_ms=100, bank_ms=300, grace_ms=10)
STRICT = Profile("strict", 1, CLOCK, latency_cap_ms=40)
FIRST_NS = (CLOCK.grace_ms + CLOCK.first_ms + CLOCK.bank_ms) * MS
MOVE_NS = (CLOCK.grace_ms + CLOCK.move_ms + CLOCK.bank_ms) * MS
CLASSROOM = Profile("classroom", 3, CLOCK)
LEGAL = ["a", "b", "c"]
HOUSE = "c"


class Step(NamedTuple):
    """One decision: who takes it, and whether it brings news."""

    seats: tuple[int, ...]
    news: bool = False


class ScriptState(State):
    """A position of Script: `history` has what was done so far."""

    def __init__(
        self,
        steps: Iterable[Step],
        seats: int,
        *,
        leaving: bool = False,
        ties: str = "draw",
        lists: bool = True,
    ) -> None:
        self.steps = list(steps)
        self.seats = seats
        self.leaving = leaving
        self.lists = lists
        self.ties = ties
        self.history: list[str] = []
        self.held: dict[int, str] = {}
        self.gone: set[int] = set()

    def to_act(self) -> Sequence[int]:
        return [seat for seat in self.steps[0].seats if seat not in self.held] if self.steps else []

    def legal(self, seat: int) -> list[str]:
        assert self.lists, "no seat wants a list, so none is made"
        return LEGAL if seat in self.to_act() else []

    def apply(self, seat: int, action: str) -> list[Event]:
        if seat not in self.to_act() or action not in LEGAL:
            raise IllegalActionError(seat, action, "it is not in the script")
        self.held[seat] = action
        if self.to_act():
            return []
        step = self.steps.pop(0)
        taken, self.held = self.held, {}
        self.history += [f"{seat} {action}" for seat, action in taken.items()]
        return [
            Event(
                {"event": "took", "seat": seat, "action": action}, {seat: {"own": f"hush{seat}"}}, step.news
            )
            for seat, action in taken.items()
        ]

    def fallback(self, seat: int) -> str:
        del seat
        return HOUSE

    def view(self, seat: int | None) -> View:
        return {"left": len(self.steps), "secret": f"hush{seat}"}

    def outcome(self) -> Outcome | None:
        if self.steps:
            return None
        ranks = tuple(range(1, self.seats + 1)) if self.ties == "draw" else (1,) * self.seats
        scores = tuple(10 * (self.seats - seat) for seat in range(self.seats))
        return Outcome(ranks, scores, "the script is over", "draw" if self.ties == "draw" else "unordered")

    def withdraw(self, seat: int) -> list[Event] | None:
        if not self.leaving:
            return None
        assert not self.held, "withdrawn in the middle of a decision"
        assert self.steps, "withdrawn after the end"
        self.gone.add(seat)
        self.history.append(f"{seat} left")
        later = [
            step._replace(seats=tuple(s for s in step.seats if s not in self.gone)) for step in self.steps
        ]
        self.steps = [step for step in later if step.seats]
        return [Event({"event": "left", "seat": seat}, news=True)]

    def clone(self) -> "ScriptState":
        copy = ScriptState(self.steps, self.seats, leaving=self.leaving, ties=self.ties, lists=self.lists)
        copy.history, copy.held, copy.gone = list(self.history), dict(self.held), set(self.gone)
        return copy


class Script(Game):
    """The rules of Script, as far as a match needs them."""

    info = GameInfo("script", "Script", "Do what is written.", 2, 4, simultaneous=True)

    def new(
        self, seats: int, chance: Chance, options: Mapping[str, str | int] | None = None
    ) -> tuple[ScriptState, list[Event]]:
        del chance, options
        return ScriptState([Step((seat,)) for seat in range(seats)], seats), []

    def imagine(self, view: View, chance: Chance) -> State:
        raise NotImplementedError

    def follow(self, seat: int | None, events: Iterable[Mapping[str, Any]]) -> View:
        raise NotImplementedError

    def longest(self, seats: int, options: Mapping[str, str | int] | None = None) -> int:
        raise NotImplementedError

    def widest(self, seats: int, options: Mapping[str, str | int] | None = None) -> int:
        raise NotImplementedError

    def draw(self, view: View) -> str:
        raise NotImplementedError

    def describe(self, event: Mapping[str, Any], names: Sequence[str]) -> str:
        raise NotImplementedError


def opening(seats: int) -> list[Event]:
    """Return the opening events of every script: each seat is dealt a secret."""
    return [Event({"event": "deal"}, {seat: {"own": f"hush{seat}"} for seat in range(seats)})]


class ScriptRun:
    """A match of Script with its bots: keeps the time, and everything that was sent."""

    def __init__(
        self,
        state: ScriptState,
        profile: Profile = STRICT,
        configs: Mapping[int, SeatConfig] | None = None,
        *,
        reveal: bool = True,
        hides: bool = False,
    ) -> None:
        seats = range(state.seats)
        self.state = state
        self.seats = [(configs or {}).get(seat, SeatConfig(f"bot{seat}")) for seat in seats]
        deal = (state, opening(state.seats))
        self.match = Match("m1", Script(), self.seats, KEY, profile, reveal=reveal, hides=hides, opening=deal)
        self.now_ns = 0
        self.sent: list[tuple[int, Message]] = []
        """All that was sent, in order."""
        self.last: Sends = []
        """What the last input brought."""

    def took(self, sends: Sends) -> Sends:
        self.last = sends
        self.sent += sends
        return sends

    def begin(self) -> "ScriptRun":
        """Begin at time 0; all bots are ready at once."""
        self.took(self.match.begin(self.now_ns))
        for seat in range(self.state.seats):
            self.ready(seat)
        return self

    def ready(self, seat: int) -> Sends:
        return self.took(self.match.ready(seat, self.now_ns))

    def act(
        self, seat: int, *actions: str, ask: int | None = None, after_ns: int = 0, sent_ns: int = 0
    ) -> Sends:
        """Let time pass without a tick, then answer: the last ask of the seat, or `ask`."""
        self.now_ns += after_ns
        number = ask if ask is not None else max(self.asks(seat))
        return self.took(self.match.act(seat, number, actions, sent_ns, self.now_ns))

    def fault(self, seat: int, code: FaultCode = FaultCode.CRASHED) -> Sends:
        return self.took(self.match.fault(seat, code, "as seen outside", self.now_ns))

    def show(self, after_ns: int = 0) -> Sends:
        self.now_ns += after_ns
        return self.took(self.match.show(self.now_ns))

    def tick(self, after_ns: int = 0) -> Sends:
        self.now_ns += after_ns
        return self.took(self.match.tick(self.now_ns))

    def run_out(self) -> Sends:
        """Let the time of the next deadline run out, and not a nanosecond more."""
        deadline_ns = self.match.deadline_ns
        assert deadline_ns is not None
        return self.tick(deadline_ns - self.now_ns)

    def asks(self, seat: int) -> list[int]:
        """Return the ids of the asks sent to a seat; a repeated one is repeated."""
        return [message.id for message in self.to(seat, Ask)]

    def to(self, seat: int, kind: type[M]) -> list[M]:
        """Return the messages of one kind that a seat was sent."""
        return [message for other, message in self.sent if other == seat and isinstance(message, kind)]

    @property
    def result(self) -> Result:
        assert self.match.result is not None
        return self.match.result


def turns(*seats: int, of: int = 2, leaving: bool = False) -> ScriptState:
    """Return a script in which single seats act, one after the other."""
    return ScriptState([Step((seat,)) for seat in seats], of, leaving=leaving)


def at_once(rounds: int, of: int, *, leaving: bool = False) -> ScriptState:
    """Return a script in which all seats always choose at once."""
    return ScriptState([Step(tuple(range(of)))] * rounds, of, leaving=leaving)


def codes(sends: Sequence[tuple[int, Message]]) -> list[tuple[int, str]]:
    """Return which seat was sent which kind of message, or which code of error."""
    return [(s, m.code if isinstance(m, Error) else type(m).__name__.lower()) for s, m in sends]


def actions(match: Match) -> list[tuple[int, str, str]]:
    """Return the actions of the log: seat, action and who took it."""
    return [(entry.seat, entry.action, entry.by) for entry in match.log if isinstance(entry, Acted)]


def faults(match: Match) -> list[tuple[int, str, int, bool]]:
    """Return the faults of the log: seat, code, decision and whether it was final."""
    return [(f.seat, f.code.value, f.decision, f.final) for f in match.log if isinstance(f, Fault)]


def events(run: ScriptRun, seat: int) -> list[str]:
    """Return the events a seat was sent, in order: kind and seat."""
    kinds = (Ask, Tell, End)
    sent = [m for s, m in run.sent if s == seat and isinstance(m, kinds)]
    return [f"{event['event']} {event.get('seat', '')}".strip() for m in sent for event in m.events]
