"""The channel between the hub and a gate: typed records in length-prefixed frames over a unix socket.

A frame carries all records of one turn of a loop. `referee.gate.records` has the records.
"""

import socket
from collections.abc import Sequence
from struct import Struct as Packing
from typing import Any, Generic, TypeVar

import msgspec
from msgspec import Struct

R = TypeVar("R")

_length = Packing(">I")
_CHUNK = 1 << 16
"""Read at once; more would be mapped and unmapped by the allocator every time."""
_MOST = 1 << 28

UP_BYTES = 1 << 25
"""The largest frame the hub takes: twice what the messages of one turn of a gate can amount to."""


class Channel(Generic[R]):
    """One end of the channel. Never blocks: what cannot be sent waits, what is not whole is kept."""

    def __init__(self, end: socket.socket, incoming: Any, most: int = _MOST) -> None:
        """Begin; a frame of more than `most` bytes closes the channel."""
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

    def send(self, records: Sequence[Struct]) -> None:
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

    def wait_until_sent(self) -> None:
        """Wait until nothing is waiting to be sent, or the channel is closed."""
        if self._outbox:
            self.socket.setblocking(True)
            self.flush()
            self.socket.setblocking(False)

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
                # Also for bad UTF-8 and deep nesting: what sends this is not our gate any more.
                self.closed = True
                break
            del self._inbox[: 4 + length]
        return records

    def close(self) -> None:
        """Close this end."""
        self.closed = True
        self.socket.close()
