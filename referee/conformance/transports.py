"""The kit's end of the two ways by which a bot's messages travel."""

import contextlib
import os
import select
import time
from typing import Literal, NamedTuple, Protocol

import zmq

from protocol.limits import MESSAGE_BYTES
from referee.errors import AddressError

_CHUNK = 1 << 16
_REBIND_S = 5.0


class Raw(NamedTuple):
    """A message as it came."""

    data: bytes
    frames: int = 1
    route: bytes = b""
    """Which connection it came by."""


class Transport(Protocol):
    """A way to the bot and back."""

    transport: Literal["zmq", "stdio"]
    closed: bool
    """Whether the bot has closed its end."""

    def source(self) -> "int | zmq.Socket[bytes]":
        """Return what to poll for messages."""

    def send(self, data: bytes, within_s: float) -> bool:
        """Send a message; False if the bot does not read."""

    def receive(self) -> list[Raw]:
        """Return the messages that have come."""

    def hang_up(self) -> None:
        """Close the bot's input: no message follows."""

    def close(self) -> None:
        """Close all."""


class PipeTransport:
    """JSON lines on the bot's stdin and stdout."""

    transport: Literal["zmq", "stdio"] = "stdio"

    def __init__(self) -> None:
        theirs_in, self._stdin = os.pipe()
        self._stdout, theirs_out = os.pipe()
        os.set_blocking(self._stdin, False)
        self.theirs = (theirs_in, theirs_out)
        self.closed = False
        self._inbox = b""
        self._open = {self._stdin, self._stdout}

    def source(self) -> "int | zmq.Socket[bytes]":
        """Return the bot's stdout."""
        return self._stdout

    def send(self, data: bytes, within_s: float) -> bool:
        """Write a line, as fast as the bot reads."""
        rest = data + b"\n"
        until = time.monotonic() + within_s
        while rest:
            try:
                rest = rest[os.write(self._stdin, rest) :]
            except BlockingIOError:
                _, ready, _ = select.select([], [self._stdin], [], max(0.0, until - time.monotonic()))
                if not ready:
                    return False
            except OSError:
                # It has closed its stdin; the step fails by its silence or by its end.
                return True
        return True

    def receive(self) -> list[Raw]:
        """Return the whole lines that have come; a blank line is an empty message."""
        chunk = os.read(self._stdout, _CHUNK)
        if not chunk:
            self.closed = True
        *lines, self._inbox = (self._inbox + chunk).split(b"\n")
        if len(self._inbox) > MESSAGE_BYTES:
            # It is too large already, and a line without end would never be checked.
            lines.append(self._inbox)
            self._inbox = b""
        return [Raw(line.removesuffix(b"\r")) for line in lines]

    def hang_up(self) -> None:
        """Close the bot's stdin."""
        if self._stdin in self._open:
            self._open.discard(self._stdin)
            os.close(self._stdin)

    def close(self) -> None:
        """Close both pipes."""
        for end in self._open:
            os.close(end)
        self._open.clear()


class SocketTransport:
    """A ROUTER socket that the bot connects to. The connection with the last hello is the bot."""

    transport: Literal["zmq", "stdio"] = "zmq"

    def __init__(self, context: "zmq.Context[zmq.Socket[bytes]]", address: str, linger_ms: int = 0) -> None:
        self._context = context
        self._linger_ms = linger_ms
        self.closed = False
        self.route = b""
        self._socket = self._bind(address)
        self.address = self._socket.getsockopt_string(zmq.LAST_ENDPOINT)

    def _bind(self, address: str) -> "zmq.Socket[bytes]":
        socket = self._context.socket(zmq.ROUTER)
        socket.setsockopt(zmq.LINGER, 0)
        try:
            socket.bind(address)
        except zmq.ZMQError as error:
            socket.close()
            raise AddressError(f"cannot listen at {address}: {error}") from error
        return socket

    def reopen(self) -> None:
        """Lose the connection: close the socket and listen at the same address anew."""
        self._socket.close()
        self.route = b""
        until = time.monotonic() + _REBIND_S
        while True:
            try:
                self._socket = self._bind(self.address)
            except AddressError:
                # The old socket is closed in the background.
                if time.monotonic() > until:
                    raise
            else:
                return

    def source(self) -> "int | zmq.Socket[bytes]":
        """Return the socket."""
        return self._socket

    def send(self, data: bytes, within_s: float) -> bool:
        """Send a frame to the connection with the last hello."""
        return self.send_to(self.route, data)

    def send_to(self, route: bytes, data: bytes) -> bool:
        """Send a frame by a connection."""
        try:
            self._socket.send_multipart([route, data], zmq.NOBLOCK)
        except zmq.Again:
            return False
        return True

    def receive(self) -> list[Raw]:
        """Return the messages that have come."""
        raws: list[Raw] = []
        with contextlib.suppress(zmq.Again):
            while True:
                route, *frames = self._socket.recv_multipart(zmq.NOBLOCK)
                raws.append(Raw(frames[0] if frames else b"", len(frames), route))
        return raws

    def hang_up(self) -> None:
        """Do nothing: a bot on ZeroMQ has no stdin that would matter."""

    def close(self) -> None:
        """Close the socket; last words may take their time."""
        self._socket.close(self._linger_ms)
