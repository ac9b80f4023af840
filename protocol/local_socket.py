"""The way of a bot to a referee on its host that has started it: ZeroMQ's wire over a unix socket."""

import select
import socket
import sys
from collections import deque

from protocol import zmtp
from protocol.codec import Encoding

_CHUNK = 65_536

_MOST_BYTES = 1 << 28
"""More than any message of a referee has."""


class LocalSocket:
    """A connection that a ROUTER of ZeroMQ takes for that of a DEALER, without ZeroMQ.

    libzmq would pass every message through a thread of its own, which costs a bot that plays one match half
    of its speed; and to import it takes longer than to start.
    """

    lasts = False

    def __init__(self, path: str, encoding: str, silence_ms: int) -> None:
        """Connect; exit if that is not possible. A silence of this time is reported."""
        self.encoding = Encoding(encoding)
        self._silence_ms = silence_ms
        self._peer = zmtp.Peer(_MOST_BYTES)
        self._messages: deque[bytes] = deque()
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        # To wait in `recv` would be to be woken also when the referee has read what we sent.
        self._waiting = select.poll()
        self._waiting.register(self._socket, select.POLLIN)
        try:
            self._socket.connect(path)
        except OSError as error:
            sys.exit(f"referee: cannot connect to {path}: {error.strerror}")
        self._write(zmtp.opening(b"DEALER"))
        while not self._peer.ready and self._hear():
            pass

    def send(self, data: bytes) -> None:
        """Send one message; if the referee has gone, end the bot."""
        self._write(zmtp.framed(data))

    def _write(self, data: bytes) -> None:
        try:
            self._socket.sendall(data)
        except (BrokenPipeError, ConnectionResetError):
            sys.exit(0)

    def receive(self) -> bytes | None:
        """Wait for a message, those that have already come first."""
        while not self._messages:
            if not self._waiting.poll(self._silence_ms):
                return None
            if not self._hear():
                return b""
        return self._messages.popleft()

    def _hear(self) -> bool:
        """Read what has come, or wait for it; return whether the referee is still there."""
        try:
            chunk = self._socket.recv(_CHUNK)
        except ConnectionResetError:
            return False
        peer = self._peer
        self._messages += [data for data, _ in peer.feed(chunk)]
        if peer.replies:
            self._write(peer.replies)
            peer.replies = b""
        if peer.flaw:
            sys.exit(f"referee: what listens at REFEREE_ADDRESS is no referee: {peer.flaw}")
        return bool(chunk)

    def close(self) -> None:
        """Close the connection."""
        self._socket.close()
