"""What a supervisor reports about one bot: that it has started, what it writes to stderr, how it ended."""

import signal
from enum import StrEnum

import msgspec

from referee.match.faults import FaultCode


class EndCause(StrEnum):
    """Why a bot's process is not there any more, or never was."""

    EXITED = "exited"
    """It ended by itself, with an exit code."""
    SIGNALLED = "signalled"
    """A signal ended it."""
    MEMORY = "memory"
    """The referee ended it: over its limit of memory."""
    PROCESSES = "processes"
    """The referee ended it: over its limit of processes."""
    NOT_EXECUTED = "not-executed"
    """It could not be executed."""
    HOST_SHORTAGE = "host-shortage"
    """This host has not the means to start it, which is no fault of the bot."""
    SUPERVISOR_LOST = "supervisor-lost"
    """Its supervisor ended without a report; the bot has ended with its supervisor."""


class SupervisorReport(msgspec.Struct, array_like=True, tag=True, frozen=True):
    """What all reports of a supervisor share."""


class Started(SupervisorReport, frozen=True):
    """The supervisor runs; to kill this process ends the bot and all its processes."""

    pid: int
    contained: bool
    """Whether it has a PID namespace of its own."""


class Wrote(SupervisorReport, frozen=True):
    """The bot wrote this to its stderr; `dropped` bytes before it were left out."""

    data: bytes
    dropped: int


class Drained(SupervisorReport, frozen=True):
    """All that the bot had written to its stderr when this was ordered has been reported."""


class Ended(SupervisorReport, frozen=True):
    """How a bot's process ended, or why it was never there.

    Reported when no process of the bot is left: every one has ended and was waited for.
    """

    cause: EndCause
    code: int | None = None
    """The exit code, if there was one."""
    signal: int | None = None
    """The signal that ended it, if one did."""
    why: str = ""
    """In the words of the system: why it could not be started."""

    @property
    def is_success(self) -> bool:
        """Whether the process ended by itself and reported success."""
        return self.cause is EndCause.EXITED and self.code == 0

    def in_words(self) -> str:
        """Describe the end; the bot is the subject of the sentence."""
        match self.cause:
            case EndCause.EXITED:
                return f"exited with code {self.code}"
            case EndCause.SIGNALLED:
                # Most of the real-time signals have no name.
                name = next((f" ({known.name})" for known in signal.Signals if known == self.signal), "")
                return f"ended by signal {self.signal}{name}"
            case EndCause.SUPERVISOR_LOST:
                return "ended together with its supervisor"
            case EndCause.MEMORY | EndCause.PROCESSES:
                return f"ended by the referee: over its limit of {self.cause}"
        return f"could not be started: {self.why}"

    def fault(self) -> FaultCode:
        """Return the fault for which the bot loses its matches."""
        if self.cause is EndCause.MEMORY:
            return FaultCode.MEMORY
        return FaultCode.CPU if self.signal == signal.SIGXCPU else FaultCode.CRASHED


encode_report = msgspec.msgpack.Encoder().encode
decode_report = msgspec.msgpack.Decoder(Started | Wrote | Drained | Ended).decode


class Order(StrEnum):
    """What a supervisor can be ordered to do."""

    TERMINATE = "term"
    KILL = "kill"
    DRAIN = "drain"
