"""One seat in one match: its bot, its clock, its open ask, its strikes, and what it has been sent."""

from collections.abc import Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from protocol.messages import Ask, Error, Start, TimeControl
from referee.game import Event, Options, State
from referee.match.clock import SeatClock
from referee.match.faults import Profile


class SeatConfig(Struct, frozen=True):
    """The bot in a seat, and what it wants to be sent."""

    name: str
    wants: frozenset[str] = frozenset({"view", "legal", "events"})
    latency_ms: int = 0
    clock: TimeControl | None = None
    """Its own time limits, if they are not the profile's: people need longer than bots."""


class SeatState:
    """The state of one seat in a match."""

    __slots__ = (
        "ask",
        "asked_ns",
        "asks",
        "clock",
        "config",
        "deadline_ns",
        "excused_ns",
        "failed_at",
        "limit_ns",
        "ready_again",
        "resent",
        "seat",
        "strikes",
        "told",
        "used_ns",
        "wants_events",
        "wants_legal",
        "wants_view",
    )

    def __init__(self, seat: int, config: SeatConfig, profile: Profile) -> None:
        self.seat = seat
        self.config = config
        latency_ms = min(config.latency_ms, profile.latency_cap_ms)
        self.clock = SeatClock(config.clock or profile.clock, latency_ms)
        self.want(config.wants)
        self.ready_again = False
        """Whether the start was sent again, so that the bot says ready again."""
        self.asks = 0
        """The id of the last ask."""
        self.ask: Ask | None = None
        """The open ask, and in the next five fields what concerns it."""
        self.asked_ns = 0
        self.limit_ns = 0
        """The longest time for an answer that is not late."""
        self.deadline_ns = 0
        """The first moment that is too late: for the answer, and before the play for `ready`."""
        self.excused_ns = 0
        """Time in which the referee did not look for an answer, which is not charged."""
        self.resent = False
        """Whether the ask was sent more than once: then the time at which it left is uncertain."""
        self.told = 0
        """How many of the match's events the seat has been sent."""
        self.used_ns = 0
        self.strikes = 0
        self.failed_at: int | None = None
        """The moment of its final fault; faults of one input have the same moment."""

    def want(self, wants: frozenset[str]) -> None:
        """Set what the bot is sent from now on."""
        self.wants_view = "view" in wants
        self.wants_legal = "legal" in wants
        self.wants_events = not wants.isdisjoint(("events", "stream"))

    def start(self, match: str, game: str, options: Options, names: list[str], commit: str) -> Start:
        """Return the message that begins a match for this seat."""
        return Start(
            match=match,
            game=game,
            options=options,
            seat=self.seat,
            seats=len(names),
            names=names,
            clock=self.clock.control,
            commit=commit,
        )

    def begin_again(
        self, wants: frozenset[str], state: State, events: Sequence[Event], *, is_ready: bool
    ) -> list[Ask]:
        """Forget what the bot was sent, because it is started anew; return the open ask, with all events.

        `is_ready`: the match has begun, so the ready that follows the start is not waited for.
        """
        self.want(wants)
        self.told = 0
        self.ready_again = is_ready
        if self.ask is None:
            return []
        self.resent = True
        self.ask = replace(
            self.ask,
            events=self.unseen(events),
            view=state.view(self.seat) if self.wants_view else None,
            legal=state.legal(self.seat) if self.wants_legal else None,
        )
        return [self.ask]

    def takes_ready_again(self) -> bool:
        """Return whether a ready follows a start that was sent again; once."""
        again, self.ready_again = self.ready_again, False
        return again

    def open_ask(self, match: str, state: State, events: Sequence[Event], now_ns: int) -> Ask:
        """Return the next ask of this seat, now open; `events` are all events of the match."""
        seat = self.seat
        clock = self.clock
        self.asks = number = self.asks + 1
        self.asked_ns = now_ns
        self.limit_ns = limit_ns = clock.limit_ns()
        self.deadline_ns = now_ns + limit_ns + 1
        self.excused_ns = 0
        self.resent = False
        self.ask = ask = Ask(
            match,
            number,
            clock.ask_clock(),
            self.unseen(events),
            state.view(seat) if self.wants_view else None,
            state.legal(seat) if self.wants_legal else None,
        )
        return ask

    def ask_again(self) -> Ask:
        """Return the open ask as it is sent again after a strike: same id, same deadline.

        Its events are left out, because they have been sent.
        """
        assert self.ask is not None
        self.resent = True
        return replace(self.ask, events=[])

    def took_ns(self, sent_ns: int, received_ns: int) -> int:
        """Return the real time from ask to answer; `sent_ns` is when the open ask left, or 0.

        An ask that is sent again, after a strike or a lost connection, does not start the time anew.
        """
        began_ns = sent_ns if sent_ns > self.asked_ns and not self.resent else self.asked_ns
        return received_ns - began_ns if received_ns > began_ns else 0

    def excuse(self, stall_ns: int) -> None:
        """Do not charge the seat for a time in which the referee did not look for what it owes."""
        self.excused_ns += stall_ns
        self.deadline_ns += stall_ns

    def charge(self, took_ns: int) -> int:
        """Close the ask, charge the time without what is excused, and return the microseconds used."""
        self.ask = None
        used_ns = self.clock.charge(took_ns - self.excused_ns)
        self.used_ns += used_ns
        return used_ns // 1_000

    def too_slow(self) -> str:
        """Describe in words that the time for the open ask is up."""
        clock = self.clock.ask_clock()
        return (
            f"no answer within {clock.move_ms} ms for the decision, "
            f"{clock.bank_ms} ms of bank and {clock.grace_ms} ms of grace"
        )

    def stale(self, match: str, id: int) -> Error:
        """Return the error for an answer to an ask that is not open."""
        asked = f"the open ask is {self.ask.id}" if self.ask is not None else "no ask is open"
        return Error("stale", f"answer to ask {id}, but {asked}", match=match, id=id)

    def unseen(self, events: Sequence[Event]) -> list[dict[str, Any]]:
        """Return those events of the match that the seat has not been sent, and count them as sent."""
        told, self.told = self.told, len(events)
        if not self.wants_events:
            return []
        seat = self.seat
        return [event.seen_by(seat) for event in events[told:]]
