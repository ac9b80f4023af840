"""ZeroMQ's wire, by hand: what no library would send."""

import json
import socket
from typing import Any

GREETING = b"\xff" + bytes(8) + b"\x7f\x03\x00" + b"NULL".ljust(20, b"\0") + bytes(32)
READY = b"\x04\x29\x05READY\x0bSocket-Type\x00\x00\x00\x06DEALER\x08Identity\x00\x00\x00\x00"
_MORE, _LONG, _COMMAND = 1, 2, 4


def connected(address: str) -> socket.socket:
    """Return a socket that is connected to a ZeroMQ address, and has said nothing yet."""
    kind, _, place = address.partition("://")
    if kind == "ipc":
        end = socket.socket(socket.AF_UNIX)
        end.settimeout(30)
        end.connect(place)
        return end
    host, _, port = place.rpartition(":")
    return socket.create_connection((host, int(port)), 30)


class RawDealer:
    """A DEALER that sends bytes as it likes."""

    def __init__(self, address: str) -> None:
        self.end = connected(address)
        self.end.sendall(GREETING + READY)
        self._exactly(len(GREETING))

    def say(self, message: dict[str, Any]) -> None:
        """Send a message properly."""
        self.end.sendall(self.frame(json.dumps(message).encode()))

    @staticmethod
    def frame(data: bytes, *, more: bool = False) -> bytes:
        """Return a frame; `more` says that another one of the same message follows."""
        if len(data) > 255:
            return bytes([_LONG | more]) + len(data).to_bytes(8, "big") + data
        return bytes([int(more), len(data)]) + data

    def heard(self) -> dict[str, Any]:
        """Return the next message; commands are passed over."""
        while True:
            flags = self._exactly(1)[0]
            length = int.from_bytes(self._exactly(8 if flags & _LONG else 1), "big")
            data = self._exactly(length)
            if not flags & _COMMAND:
                message: dict[str, Any] = json.loads(data)
                return message

    def _exactly(self, count: int) -> bytes:
        data = b""
        while len(data) < count:
            chunk = self.end.recv(count - len(data))
            if not chunk:
                raise ConnectionError("the referee has closed the connection")
            data += chunk
        return data
