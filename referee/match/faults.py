"""What a bot can do wrong, and what follows.

A fault is a value, never an exception. A profile says how many strikes a bot has and how long it may take;
crashes, floods and the like are never forgiven, because the bot can no longer be trusted or is
no longer there.
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from protocol.messages import TimeControl
from referee.game import Outcome


class FaultCode(StrEnum):
    """The closed list of faults; the value travels on the wire and stands in results and replays."""

    LATE = "late"
    ILLEGAL = "illegal"
    MALFORMED = "malformed"
    TOO_LARGE = "too-large"
    FLOOD = "flood"
    DISCONNECTED = "disconnected"
    CRASHED = "crashed"
    NO_HELLO = "no-hello"
    NOT_READY = "not-ready"
    VERSION = "version"
    MEMORY = "memory"
    CPU = "cpu"


MEANING = {
    FaultCode.LATE: "answered after its time was up",
    FaultCode.ILLEGAL: "sent an action that the rules do not allow",
    FaultCode.MALFORMED: "sent something that is not a message of the protocol",
    FaultCode.TOO_LARGE: "sent a message over the size limit",
    FaultCode.FLOOD: "sent more messages than it may",
    FaultCode.DISCONNECTED: "closed its connection, or stopped reading from it",
    FaultCode.CRASHED: "ended its process in mid-match",
    FaultCode.NO_HELLO: "did not say a valid hello in time",
    FaultCode.NOT_READY: "did not say ready in time",
    FaultCode.VERSION: "speaks no protocol version the referee knows",
    FaultCode.MEMORY: "used more memory than it may",
    FaultCode.CPU: "used more processor time than it may",
}
"""Each fault in plain words; the bot is the subject of the sentence."""

ADVICE = {
    FaultCode.LATE: "let it decide by the clock it is sent with each ask, or give it more time (--clock)",
    FaultCode.ILLEGAL: "let it answer with one of the actions in `legal`, letter by letter",
    FaultCode.MALFORMED: "let it print notes to stderr, and compare the rest with protocol/SPEC.md, 2 to 4",
    FaultCode.TOO_LARGE: "let it send its answer alone; what it wants to note belongs on its stderr",
    FaultCode.FLOOD: "let it send one answer for each ask, and wait for the next",
    FaultCode.DISCONNECTED: "let it read all it is sent, and leave between matches only",
    FaultCode.CRASHED: "look at the end of its stderr, and start it by hand as its command says",
    FaultCode.NO_HELLO: "let it say hello at once, with REFEREE_TOKEN as its `token`, and flush its output",
    FaultCode.NOT_READY: "let it answer each start with ready, and prepare in less time",
    FaultCode.VERSION: "use a kit of this referee's version, or list that version in its hello",
    FaultCode.MEMORY: "let it use less, in all its processes together, or give it more",
    FaultCode.CPU: "let it think less, or give it more processor time",
}
"""What to do about each fault, for the author of the bot."""

FORGIVABLE = frozenset({FaultCode.LATE, FaultCode.ILLEGAL, FaultCode.MALFORMED})
"""Faults that cost a strike; all others lose the match under any profile."""


class Fault(Struct, frozen=True, tag="fault", tag_field="type"):
    """One thing one bot did wrong in one match."""

    seat: int
    code: FaultCode
    why: str
    decision: int
    """The id of the ask it concerns; 0 before the first."""
    moment: int
    """Counts; faults of the same moment happened at the same time, in any order."""
    final: bool
    """Whether it lost the seat its match; otherwise it was a strike."""


class Profile(Struct, frozen=True):
    """A named policy: how many strikes, and how much time."""

    name: str
    strikes: int
    """The strike that loses the match: 1 is the first."""
    clock: TimeControl
    hello_ms: int = 10_000
    """From the start of a bot's process (or its connection) to its `hello`."""
    goodbye_ms: int = 1_000
    """From `bye` to the end of the process, which is then killed."""
    latency_cap_ms: int = 100
    """The most that is added to the grace of one decision for the measured latency of a remote bot."""

    def timed(self, changes: Mapping[str, int]) -> "Profile":
        """Return the same policy with other times: any fields of the clock, and our own that end in `_ms`."""
        own = {field: value for field, value in changes.items() if hasattr(self, field)}
        rest = {field: value for field, value in changes.items() if field not in own}
        return replace(self, clock=replace(self.clock, **rest), **own)


PROFILES: Mapping[str, Profile] = {
    "strict": Profile(
        "strict",
        strikes=1,
        clock=TimeControl(ready_ms=10_000, first_ms=10_000, move_ms=2_000, bank_ms=120_000, grace_ms=50),
    ),
    "classroom": Profile(
        "classroom",
        strikes=3,
        clock=TimeControl(ready_ms=30_000, first_ms=30_000, move_ms=5_000, bank_ms=600_000, grace_ms=50),
    ),
}


def ranks_with_faults(outcome: Outcome | None, failed_at: Sequence[int | None]) -> tuple[int, ...]:
    """Return the final ranks: the game's order, but seats with a fault behind all others.

    `failed_at` gives for each seat the moment of its final fault (a count; equal: at the same time), or None.
    Later faults rank before earlier ones. Without an outcome the seats that stayed are tied.
    """
    seats = range(len(failed_at))

    def order(seat: int) -> tuple[int, int]:
        moment = failed_at[seat]
        if moment is not None:
            return (1, -moment)
        return (0, outcome.ranks[seat] if outcome else 0)

    return tuple(1 + sum(order(other) < order(seat) for other in seats) for seat in seats)
