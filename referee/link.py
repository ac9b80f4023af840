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
from referee.faults import FaultCode

R = TypeVar("R")

_length = Packing(">I")
_CHUNK = 1 << 16
"""Read at once; more would be mapped and unmapped by the allocator every time."""
_MOST = 1 << 28


class Record(msgspec.Struct, array_like=True, tag=True, frozen=True, gc=False):
    """What all records share: `bot` is the gate's number for the bot it concerns."""


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
    protocol: list[int]
    name: str
    games: list[str]
    wants: list[str]
    capacity: Annotated[int, msgspec.Meta(ge=1, le=limits.CAPACITY)]
    session: str | None
    kit: str
    encoding: Encoding
    account: str = ""
    """Who it has proved to be; '' where nobody need."""


class Readied(Record, frozen=True):
    """A bot said ready."""

    bot: int
    match: str
    received_ns: int


class Answered(Record, frozen=True):
    """A bot answered an ask; `sent_ns` is when the ask left, 0 if no such ask is open."""

    bot: int
    match: str
    id: int
    actions: list[str]
    sent_ns: int
    received_ns: int


class Ponged(Record, frozen=True):
    """A bot answered the hub's ping."""

    bot: int
    n: int
    received_ns: int


class Misbehaved(Record, frozen=True):
    """A bot sent what it must not; which match it meant, if any, nobody can tell."""

    bot: int
    code: FaultCode
    why: str


class Complained(Record, frozen=True):
    """A bot reported an error of ours, or what it takes for one."""

    bot: int
    code: str
    why: str


class Left(Record, frozen=True):
    """A bot said bye, or its connection is gone."""

    bot: int
    why: str
    said: bool


class Expelled(Record, frozen=True):
    """The door has put a bot out, which cannot come back."""

    bot: int
    why: str


class Noted(Record, frozen=True):
    """Something happened at the door that the operator should know."""

    text: str


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

    def __init__(self, end: socket.socket, incoming: Any) -> None:
        end.setblocking(False)
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
            if length > _MOST:
                self.closed = True
                break
            if len(self._inbox) < 4 + length:
                break
            try:
                records += self._decoder.decode(bytes(self._inbox[4 : 4 + length]))
            except msgspec.MsgspecError:
                # Whoever sends this is not our gate any more.
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
