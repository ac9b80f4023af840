"""ZeroMQ's wire, ZMTP 3.1 with the mechanism NULL, without I/O: bytes in, messages out.

For a connection on one host. It needs no thread and no buffer besides one message, and it is Python: what a
peer sends can be refused, and can break nothing. RFC 37 (ZMTP 3.1) describes the wire.
"""

MORE, LONG, COMMAND = 1, 2, 4
"""The flags of a frame: another one follows; its size has eight bytes; it is ZeroMQ's own."""

_SIGNATURE = b"\xff" + bytes(8) + b"\x7f"
_MECHANISM = b"NULL".ljust(20, b"\0")
_GREETING_BYTES = 64
_MOST_COMMANDS = 64
"""In what is fed at once; a heartbeat is one command in a second or so."""


def framed(data: bytes) -> bytes:
    """Return a message of one frame."""
    size = len(data)
    return bytes((0, size)) + data if size < 256 else b"\x02" + size.to_bytes(8, "big") + data


def opening(kind: bytes) -> bytes:
    """Return what a socket of this kind, as ROUTER, sends first: its greeting and that it is ready."""
    ready = b"\x05READY\x0bSocket-Type" + len(kind).to_bytes(4, "big") + kind
    return _SIGNATURE + b"\x03\x01" + _MECHANISM + bytes(32) + bytes((COMMAND, len(ready))) + ready


class Peer:
    """What comes from the other end of a connection."""

    def __init__(self, most: int) -> None:
        """Begin; a message may have `most` bytes, in which every further frame of it counts as one."""
        self.flaw = ""
        """What is wrong with the peer; nothing is taken from it any more. '' as long as nothing is."""
        self.too_large = False
        """Whether that is a message of too many bytes."""
        self.replies = b""
        """What is to be sent back because ZeroMQ wants it so; the owner empties it."""
        self.ready = False
        """Whether it is ready for messages: libzmq takes none before."""
        self._most = most
        self._buffer = bytearray()
        self._greeted = False
        self._first = b""
        """The first frame of the message that is coming in."""
        self._parts = self._size = 0
        """How many of its frames have come, and what they count."""

    def feed(self, chunk: bytes) -> list[tuple[bytes, int]]:
        """Return the messages that are whole now: of each the first frame, and the number of its frames."""
        buffer = self._buffer
        buffer += chunk
        messages: list[tuple[bytes, int]] = []
        if self.flaw or not (self._greeted or self._greet()):
            return messages
        at, end, commands = 0, len(buffer), 0
        while end - at >= 2 and not self.flaw:
            flags, start = buffer[at], at + 2
            size = buffer[at + 1]
            if flags & LONG:
                start = at + 9
                if start > end:
                    break
                size = int.from_bytes(buffer[at + 1 : start], "big")
            if self._is_wrong(flags, size):
                break
            if start + size > end:
                break
            at = start + size
            body = bytes(buffer[start:at])
            if flags & COMMAND:
                commands += 1
                self._obey(body, commands)
            elif flags & MORE or self._parts:
                self._gather(body, flags, messages)
            else:
                messages.append((body, 1))
        del buffer[:at]
        return messages

    def _greet(self) -> bool:
        """Look at the greeting; return whether it is there and good."""
        said = self._buffer
        if (said and said[0] != 0xFF) or (len(said) > 9 and not said[9] & 1):
            self.flaw = "it does not speak ZMTP"
        elif len(said) > 10 and said[10] < 3:
            self.flaw = f"it speaks ZMTP {said[10]}, of a ZeroMQ before 4.0"
        elif len(said) >= _GREETING_BYTES:
            if said[12:32] == _MECHANISM:
                self._greeted = True
                del said[:_GREETING_BYTES]
            else:
                self.flaw = "it wants a mechanism of security, and there is none on a socket of this host"
        return self._greeted

    def _is_wrong(self, flags: int, size: int) -> bool:
        """Return whether the header of a frame is one that cannot follow here."""
        if flags > 7 or (flags & COMMAND and flags & MORE):
            self.flaw = "it sent a frame that ZMTP does not know"
        elif not (self.ready or flags & COMMAND):
            self.flaw = "it sent a message before it was ready"
        elif size + self._size > self._most:
            self.flaw, self.too_large = f"a message of more than {self._most} bytes", True
        return bool(self.flaw)

    def _gather(self, body: bytes, flags: int, messages: list[tuple[bytes, int]]) -> None:
        """Count one frame of a message of several; only the first is kept."""
        if not self._parts:
            self._first = body
        self._parts += 1
        self._size += len(body) + 1
        if not flags & MORE:
            messages.append((self._first, self._parts))
            self._first, self._parts, self._size = b"", 0, 0

    def _obey(self, body: bytes, commands: int) -> None:
        """Take a command: the peer is ready, or wants to know whether we are there."""
        if commands > _MOST_COMMANDS:
            self.flaw = f"it sent more than {_MOST_COMMANDS} commands at once"
        elif body.startswith(b"\x05READY"):
            self.ready = True
        elif body.startswith(b"\x04PING") and len(body) <= 23:
            # After two bytes that say how long to wait comes what it wants to see again.
            pong = b"\x04PONG" + body[7:]
            self.replies += bytes((COMMAND, len(pong))) + pong
