"""The line between the hub and a gate: typed records in length-prefixed frames over a unix socket.

The hub never sees a byte a bot wrote through a gate process: what comes up are the records below, checked by
the gate. What goes down are finished messages, which the gate hands to its socket as they are. A frame
carries all records of one turn of a loop.
"""

import socket
from collections.abc import Sequence
from struct import Struct as Packing
from typing import Annotated, Any, Generic, TypeVar

import msgspec

from protocol import limits
from protocol.codec import Encoding
from protocol.messages import Int, Name, Reason, Token
from referee.faults import FaultCode

R = TypeVar("R")

_length = Packing(">I")
_CHUNK = 1 << 16
"""Read at once; more would be mapped and unmapped by the allocator every time."""
_MOST = 1 << 28

UP_BYTES = 1 << 25
"""The largest frame the hub takes: twice what the messages of one turn of a gate can amount to."""

_Action = Annotated[str, msgspec.Meta(min_length=1, max_length=limits.ACTION_LENGTH)]
_Plan = Annotated[list[_Action], msgspec.Meta(min_length=1, max_length=limits.PLAN_LENGTH)]


class Record(msgspec.Struct, array_like=True, tag=True, frozen=True, gc=False):
    """What all records share: `bot` is the gate's number for the bot it concerns.

    Those that come up have the bounds of the messages they tell of: a gate that has gone mad cannot make the
    hub say what no referee says.
    """


# Up: from the gate.


class Opened(Record, frozen=True):
    """The gate is there; bots reach it at this address."""

    address: str
    pid: int


class Failed(Record, frozen=True):
    """The gate could not be opened."""

    why: str


class Greeted(Record, frozen=True):
    """A bot said hello."""

    bot: int
    protocol: list[Int]
    name: Name
    games: list[Name]
    wants: list[str]
    capacity: Annotated[int, msgspec.Meta(ge=1, le=limits.CAPACITY)]
    session: Token | None
    kit: str
    encoding: Encoding
    account: str = ""
    """Who it has proved to be; '' where nobody need."""


class Readied(Record, frozen=True):
    """A bot said ready."""

    bot: int
    match: Token
    received_ns: int


class Answered(Record, frozen=True):
    """A bot answered an ask; `sent_ns` is when the ask left, 0 if no such ask is open."""

    bot: int
    match: Token
    id: Int
    actions: _Plan
    sent_ns: int
    received_ns: int


class Ponged(Record, frozen=True):
    """A bot answered the hub's ping."""

    bot: int
    n: Int
    received_ns: int


class Misbehaved(Record, frozen=True):
    """A bot sent what it must not; which match it meant, if any, nobody can tell."""

    bot: int
    code: FaultCode
    why: Reason


class Complained(Record, frozen=True):
    """A bot reported an error of ours, or what it takes for one."""

    bot: int
    code: Name
    why: Reason


class Left(Record, frozen=True):
    """A bot said bye, or its connection is gone."""

    bot: int
    why: Reason
    said: bool


class Expelled(Record, frozen=True):
    """The door has put a bot out, which cannot come back."""

    bot: int
    why: str


class Noted(Record, frozen=True):
    """Something happened at the door that the operator should know."""

    text: str


class Beat(Record, frozen=True):
    """The door is well. It says so several times a second."""


Up = (
    Opened
    | Failed
    | Greeted
    | Readied
    | Answered
    | Ponged
    | Misbehaved
    | Complained
    | Left
    | Expelled
    | Noted
    | Beat
)


# Down: from the hub.


class Deliver(Record, frozen=True):
    """Hand this message to a bot. `id` is that of an ask, whose time begins now, or 0."""

    bot: int
    match: str
    id: int
    data: bytes


class Forget(Record, frozen=True):
    """Forget a match of a bot, or, if `match` is '', the bot itself."""

    bot: int
    match: str


Down = Deliver | Forget


class Line(Generic[R]):
    """One end of the line. Never blocks: what cannot be sent waits, what is not whole is kept."""

    def __init__(self, end: socket.socket, incoming: Any, most: int = _MOST) -> None:
        """Begin; a frame of more than `most` bytes closes the line."""
        end.setblocking(False)
        self._most = most
        self.socket = end
        self._decoder = msgspec.msgpack.Decoder(list[incoming])
        self._encoder = msgspec.msgpack.Encoder()
        self._inbox = bytearray()
        self._outbox = bytearray()
        self.closed = False

    def fileno(self) -> int:
        """Return the descriptor to wait for."""
        return self.socket.fileno()

    @property
    def blocked(self) -> bool:
        """Whether something is waiting to be sent."""
        return bool(self._outbox)

    def send(self, records: Sequence[Record]) -> None:
        """Send one frame of records, as far as the socket takes it."""
        frame = self._encoder.encode(records)
        self._outbox += _length.pack(len(frame))
        self._outbox += frame
        self.flush()

    def flush(self) -> None:
        """Send what is waiting, as far as the socket takes it."""
        try:
            while self._outbox:
                sent = self.socket.send(self._outbox)
                del self._outbox[:sent]
        except BlockingIOError:
            pass
        except OSError:
            self.closed = True
            self._outbox.clear()

    def receive(self) -> list[R]:
        """Return the records of all frames that have come in whole; `closed` is set at the end."""
        records: list[R] = []
        try:
            while chunk := self.socket.recv(_CHUNK):
                self._inbox += chunk
                if len(chunk) < _CHUNK:
                    break
            else:
                self.closed = True
        except BlockingIOError:
            pass
        except OSError:
            self.closed = True
        while len(self._inbox) >= 4:
            (length,) = _length.unpack_from(self._inbox)
            if length > self._most:
                self.closed = True
                break
            if len(self._inbox) < 4 + length:
                break
            try:
                records += self._decoder.decode(bytes(self._inbox[4 : 4 + length]))
            except (ValueError, RecursionError):
                # Also for bad UTF-8 and deep nesting: whoever sends this is not our gate any more.
                self.closed = True
                break
            del self._inbox[: 4 + length]
        return records

    def close(self) -> None:
        """Close this end."""
        self.closed = True
        self.socket.close()


def pair() -> tuple[socket.socket, socket.socket]:
    """Return the two ends of a new line."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
    return ours, theirs
