"""Time controls: how long a seat may take, in exact arithmetic.

Times are whole nanoseconds inside and whole milliseconds on the wire. Nobody here reads a clock:
elapsed times come in, verdicts go out.
"""

from msgspec.structs import replace

from protocol.messages import AskClock, TimeControl

MS = 1_000_000
"""Nanoseconds of a millisecond."""


class SeatClock:
    """The clock of one seat in one match.

    `used = max(0, elapsed - grace)`; an answer is late iff `used > move + bank`; what `used` exceeds `move`
    by is taken from the bank, which never becomes negative. For the first decision `first_ms` stands for `move_ms`.
    """

    __slots__ = ("_grace_ns", "_move_ns", "_wire", "bank_ns", "control")

    def __init__(self, control: TimeControl, latency_ms: int = 0) -> None:
        self.control = replace(control, grace_ms=control.grace_ms + latency_ms)
        self._grace_ns = self.control.grace_ms * MS
        self._move_ns = control.first_ms * MS
        self.bank_ns = control.bank_ms * MS
        self._wire: AskClock | None = None

    def limit_ns(self) -> int:
        """Return the longest time from ask to answer that is not late."""
        return self._grace_ns + self._move_ns + self.bank_ns

    def ask_clock(self) -> AskClock:
        """Return what the bot is told with its ask."""
        wire = self._wire
        bank_ms = self.bank_ns // MS
        if wire is None or wire.bank_ms != bank_ms:
            wire = self._wire = AskClock(self._move_ns // MS, bank_ms, self.control.grace_ms)
        return wire

    def is_late(self, elapsed_ns: int) -> bool:
        """Say whether an answer after this time is too late."""
        return elapsed_ns > self.limit_ns()

    def charge(self, elapsed_ns: int) -> int:
        """Book the time of a decision and return the nanoseconds used.

        A late decision empties the bank.
        """
        used_ns = max(0, elapsed_ns - self._grace_ns)
        over_ns = used_ns - self._move_ns
        if over_ns > 0:
            self.bank_ns = max(0, self.bank_ns - over_ns)
        if self._move_ns != self.control.move_ms * MS:
            self._move_ns = self.control.move_ms * MS
            self._wire = None
        return used_ns
