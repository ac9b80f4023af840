"""What the state machine of a match holds beside it: a game that takes notes, and a model of each bot."""

from collections.abc import Mapping, Sequence

from protocol.messages import Ask, TimeControl
from referee.game import Event, Outcome, State, View
from referee.match.clock import LATENCY_BUDGET_MS

MS = 1_000_000


class Recorded(State):
    """A state that writes down what happens in it."""

    def __init__(self, inner: State, events: Sequence[Event]) -> None:
        self.inner = inner
        self.events = list(events)

    def _noted(self, events: list[Event]) -> list[Event]:
        self.events += events
        return events

    def to_act(self) -> Sequence[int]:
        return self.inner.to_act()

    def legal(self, seat: int) -> list[str]:
        return self.inner.legal(seat)

    def apply(self, seat: int, action: str) -> list[Event]:
        return self._noted(self.inner.apply(seat, action))

    def fallback(self, seat: int) -> str:
        return self.inner.fallback(seat)

    def view(self, seat: int | None) -> View:
        return self.inner.view(seat)

    def outcome(self) -> Outcome | None:
        return self.inner.outcome()

    def withdraw(self, seat: int) -> list[Event] | None:
        events = self.inner.withdraw(seat)
        return None if events is None else self._noted(events)

    def clone(self) -> State:
        return Recorded(self.inner.clone(), [])


class Bot:
    """What the model knows of one seat."""

    def __init__(self, clock: TimeControl, latency_ms: int) -> None:
        self.clock = clock
        self.latency_ns = latency_ms * MS
        self.budget_ns = LATENCY_BUDGET_MS * MS
        self.bank_ns = clock.bank_ms * MS
        self.asked_ns = 0
        self.excused_ns = 0
        self.ask: Ask | None = None
        self.asks = 0
        self.strikes = 0
        self.fault = ""
        self.fell = 0
        self.seen: list[Mapping[str, object]] = []
        self.ends = 0

    @property
    def grace_ns(self) -> int:
        return self.clock.grace_ms * MS + min(self.latency_ns, self.budget_ns)

    def limit_ns(self) -> int:
        move_ms = self.clock.first_ms if self.asks == 1 else self.clock.move_ms
        return self.grace_ns + move_ms * MS + self.bank_ns

    def due_ns(self) -> int:
        """Return the last moment that is in time."""
        return self.asked_ns + self.excused_ns + self.limit_ns()

    def spend(self, now_ns: int) -> None:
        elapsed_ns = now_ns - self.asked_ns - self.excused_ns
        left_ns = self.limit_ns() - max(elapsed_ns, self.grace_ns)
        self.bank_ns = max(0, min(self.bank_ns, left_ns))
        self.budget_ns -= max(0, min(elapsed_ns, self.grace_ns) - self.clock.grace_ms * MS)
        self.ask = None
