"""The gate of one trusted bot on ZeroMQ, inside the hub's loop: a socket of this host, and ZMTP in Python.

libzmq has no part in it, so nothing that a peer sends can end the process: what is no ZMTP ends the
connection, a message has at most `limits.MESSAGE_BYTES`, and what waits to be written is bounded. The folder
of the socket is closed to other users, and the hello must have the token of this bot.
"""

import socket
from collections.abc import Callable
from pathlib import Path

from protocol import limits, zmtp
from referee.gate.reception import Reception
from referee.gate.records import Misbehaved
from referee.match.faults import FORGIVABLE, FaultCode

_OPENING = zmtp.opening(b"ROUTER")
_CHUNK = limits.MESSAGE_BYTES

_PENDING_BYTES = 8 << 20
"""What may wait for a bot that does not read."""

_MOST_CONNECTIONS = 64
"""A bot needs one, and one more when it connects anew; the rest are other programs', and closed at once."""

_MOST_UNHEARD = limits.MESSAGES_PER_DECISION
"""Messages from a connection that has not said a hello that may enter."""


class _Connection:
    """One connection, and what waits to be written to it."""

    __slots__ = ("end", "peer", "unheard", "waiting")

    def __init__(self, end: socket.socket) -> None:
        end.setblocking(False)
        self.end = end
        self.peer = zmtp.Peer(limits.MESSAGE_BYTES)
        self.unheard = 0
        """Messages that came while it had no inbox."""
        self.waiting = bytearray(_OPENING)


class LocalGate(Reception[int]):
    """A listening socket, its connections, and behind them the one bot with the token. Never blocks.

    Its owner watches the descriptors, and calls `flush` when something is `unsent`.
    """

    def __init__(self, path: Path, token: str, closing: Callable[[int], None]) -> None:
        """Listen; `closing` is called with a descriptor that is about to be closed. Raises OSError."""
        super().__init__(token)
        self._closing = closing
        self._connections: dict[int, _Connection] = {}
        """By their running number, which is the route: a descriptor may be another's in a moment."""
        self._last = 0
        self.unsent: dict[int, None] = {}
        """The routes for which something waits to be written."""
        self.address = f"ipc://{path}"
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self.listener.setblocking(False)
            self.listener.bind(str(path))
            self.listener.listen(_MOST_CONNECTIONS)
        except OSError:
            self.listener.close()
            raise

    def accept(self) -> int | None:
        """Take a connection that waits, and return its route; None if there is none, or too many."""
        try:
            end, _ = self.listener.accept()
        except OSError:
            return None
        if len(self._connections) >= _MOST_CONNECTIONS:
            end.close()
            return None
        self._last += 1
        self._connections[self._last] = _Connection(end)
        self.unsent[self._last] = None
        return self._last

    def fileno(self, route: int) -> int | None:
        """Return the descriptor of a connection; None if it is closed."""
        connection = self._connections.get(route)
        return None if connection is None else connection.end.fileno()

    def receive(self, route: int, now_ns: int) -> None:
        """Take what has come over a connection; it is closed if that was its end."""
        connection = self._connections[route]
        try:
            chunk = connection.end.recv(_CHUNK)
        except BlockingIOError:
            return
        except OSError:
            chunk = b""
        if not chunk:
            self._disconnect(route)
            return
        peer = connection.peer
        for data, parts in peer.feed(chunk):
            self.take(route, data, parts, now_ns)
            if self._ups and type(last := self._ups[-1]) is Misbehaved and last.code not in FORGIVABLE:
                # No message counts after this, and there may be many.
                return
            if route not in self._inboxes:
                connection.unheard += 1
        if peer.replies:
            connection.waiting += peer.replies
            self.unsent[route] = None
            peer.replies = b""
        if peer.flaw:
            self._refuse(route, peer)
        elif connection.unheard > _MOST_UNHEARD:
            self._disconnect(route)

    def _refuse(self, route: int, peer: zmtp.Peer) -> None:
        """Close a connection that does not keep to the protocol of ZeroMQ; a bot may come again."""
        inbox = self._inboxes.get(route)
        if inbox is not None and peer.too_large:
            self._ups.append(Misbehaved(inbox.bot, FaultCode.TOO_LARGE, peer.flaw))
        elif inbox is None:
            self._note_bad_hello(FaultCode.MALFORMED, f"in place of its hello: {peer.flaw}")
        self._disconnect(route)

    def _send(self, route: int, data: bytes) -> bool:
        connection = self._connections.get(route)
        if connection is None or len(connection.waiting) > _PENDING_BYTES:
            return False
        connection.waiting += zmtp.framed(data)
        self.unsent[route] = None
        return True

    def flush(self) -> None:
        """Write what is waiting, as far as the connections take it; the rest stays unsent."""
        for route in list(self.unsent):
            connection = self._connections[route]
            waiting = connection.waiting
            try:
                while waiting:
                    sent = connection.end.send(waiting)
                    del waiting[:sent]
            except BlockingIOError:
                continue
            except OSError:
                self._disconnect(route)
            else:
                del self.unsent[route]

    def _disconnect(self, route: int) -> None:
        """Close a connection. If it was the bot's, the bot has left when the next message cannot be sent."""
        connection = self._connections.pop(route)
        self.unsent.pop(route, None)
        self._closing(connection.end.fileno())
        connection.end.close()

    def close(self) -> None:
        """Close all connections, and listen no more."""
        for route in list(self._connections):
            self._disconnect(route)
        self._closing(self.listener.fileno())
        self.listener.close()
