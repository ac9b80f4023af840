"""Time controls: how long a seat may take, in exact arithmetic.

Times are whole nanoseconds inside and whole milliseconds on the wire. No clock is read here: elapsed times
come in, rulings go out.
"""

from msgspec.structs import replace

from protocol.messages import AskClock, TimeControl

MS = 1_000_000
"""Nanoseconds of a millisecond."""


LATENCY_BUDGET_MS = 2_000
"""What the allowances for the latency of one seat add up to in one match, at most."""


class SeatClock:
    """The clock of one seat in one match.

    `used = max(0, elapsed - grace)`; an answer is late iff `used > move + bank`; what `used` exceeds `move`
    by is taken from the bank, which never becomes negative. For the first decision `first_ms` stands for
    `move_ms`. The allowance for latency is part of the grace until the budget for it is spent: a bot that
    pretends to be far away gains no more than that.
    """

    __slots__ = (
        "_budget_ns",
        "_grace_ns",
        "_latency_ns",
        "_later_ns",
        "_move_ns",
        "_plain_grace_ns",
        "_wire",
        "bank_ns",
        "control",
    )

    def __init__(self, control: TimeControl, latency_ms: int = 0) -> None:
        latency_ms = min(latency_ms, LATENCY_BUDGET_MS)
        self.control = replace(control, grace_ms=control.grace_ms + latency_ms)
        self._plain_grace_ns = control.grace_ms * MS
        self._grace_ns = self.control.grace_ms * MS
        self._latency_ns = latency_ms * MS
        self._budget_ns = LATENCY_BUDGET_MS * MS
        self._move_ns = control.first_ms * MS
        self._later_ns = control.move_ms * MS
        self.bank_ns = control.bank_ms * MS
        self._wire: AskClock | None = None
        """What the bot is sent, kept while it is true."""

    def limit_ns(self) -> int:
        """Return the longest time from ask to answer that is not late."""
        return self._grace_ns + self._move_ns + self.bank_ns

    def ask_clock(self) -> AskClock:
        """Return what the bot is sent with its ask: never more time than it has."""
        wire = self._wire
        if wire is None:
            wire = self._wire = AskClock(self._move_ns // MS, self.bank_ns // MS, self._grace_ns // MS)
        return wire

    def charge(self, elapsed_ns: int) -> int:
        """Book the time of a decision and return the nanoseconds used.

        A late decision empties the bank.
        """
        used_ns = elapsed_ns - self._grace_ns
        if used_ns > self._move_ns:
            self.bank_ns = max(0, self.bank_ns - (used_ns - self._move_ns))
            self._wire = None
        if self._move_ns != self._later_ns:
            self._move_ns = self._later_ns
            self._wire = None
        if self._latency_ns:
            self._spend_allowance(elapsed_ns)
        return used_ns if used_ns > 0 else 0

    def _spend_allowance(self, elapsed_ns: int) -> None:
        """Take what a decision has used of the allowance off the budget."""
        self._budget_ns -= max(0, min(elapsed_ns, self._grace_ns) - self._plain_grace_ns)
        if self._budget_ns < self._latency_ns:
            self._grace_ns = self._plain_grace_ns + self._budget_ns
            self._wire = None
