"""The connections of the site's server: how many there may be, and how long they may be silent.

The server itself limits neither the time for the head of a request nor the patience with a reader that does
not read; here both end, and a connection beyond the limits is refused before a byte of it is read.
"""

import asyncio
import socket
from collections import Counter
from typing import Any, Final

from uvicorn.protocols.http.h11_impl import H11Protocol

from tournaments.live.settings import SiteLimits

_SEND_BYTES: Final = 128 << 10
"""What the kernel holds back for a reader: more would hide for a long time that it does not read."""

_PLAIN: Final = (
    b"Content-Type: text/plain\r\nContent-Security-Policy: default-src 'none'; frame-ancestors 'none'\r\n"
    b"X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n"
)
"""The headers of an answer that comes before the application is asked."""
_FULL: Final = (
    b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 30\r\n"
    + _PLAIN
    + b"too many connections; try again in half a minute\n"
)
_BROKEN: Final = b"HTTP/1.1 400 Bad Request\r\n" + _PLAIN + b"this is no request of HTTP\n"


class OpenConnections:
    """Counts connections, in all and by address."""

    def __init__(self, limits: SiteLimits) -> None:
        self.limits = limits
        self._by_address: Counter[str] = Counter()

    @property
    def total(self) -> int:
        """How many connections are open."""
        return self._by_address.total()

    def admit(self, address: str) -> bool:
        """Count a new connection, if it may stay."""
        limits = self.limits
        if self.total >= limits.connections or self._by_address[address] >= limits.connections_each:
            return False
        self._by_address[address] += 1
        return True

    def leave(self, address: str) -> None:
        """Count a connection that is closed."""
        self._by_address[address] -= 1
        if not self._by_address[address]:
            del self._by_address[address]


def bounded_protocol(connections: OpenConnections) -> type[asyncio.Protocol]:
    """Return the protocol of a server whose connections are counted there."""

    class Bounded(_BoundedProtocol):
        counted = connections

    return Bounded


class _BoundedProtocol(H11Protocol):
    """One connection."""

    counted: OpenConnections
    _admitted = False
    _late: asyncio.TimerHandle | None = None
    """Ends the connection if the head of a request does not come."""
    _stalled: asyncio.TimerHandle | None = None
    """Ends the connection if its reader reads nothing."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a connection, or refuse it."""
        super().connection_made(transport)
        if not self.counted.admit(self._address):
            transport.write(_FULL)
            transport.close()
            return
        self._admitted = True
        transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SEND_BYTES)
        self._late = self.loop.call_later(self.counted.limits.header_s, transport.abort)

    @property
    def _address(self) -> str:
        return self.client[0] if self.client else ""

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget a connection."""
        for timer in (self._late, self._stalled):
            if timer is not None:
                timer.cancel()
        if self._admitted:
            self.counted.leave(self._address)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take bytes; the time for the head of a request begins with its first byte."""
        if not self._admitted:
            return
        before: Any = self.cycle
        super().data_received(data)
        if self.cycle is not before:
            self._head_came()
        elif self._late is None and not self._is_answering:
            self._late = self.loop.call_later(self.counted.limits.header_s, self.transport.abort)

    def send_400_response(self, msg: str) -> None:
        """Answer what is no request; in the middle of an answer the connection just ends."""
        if not self._is_answering:
            self.transport.write(_BROKEN)
        self.transport.close()

    @property
    def _is_answering(self) -> bool:
        cycle: Any = self.cycle
        return cycle is not None and not cycle.response_complete

    def _head_came(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None

    def pause_writing(self) -> None:
        """Begin to watch a reader that is behind."""
        super().pause_writing()
        self._watch_reader()

    def resume_writing(self) -> None:
        """Trust a reader again."""
        super().resume_writing()
        if self._stalled is not None:
            self._stalled.cancel()
            self._stalled = None

    def timeout_keep_alive_handler(self) -> None:
        """Close a connection without requests, for good: what its reader does not read is dropped."""
        super().timeout_keep_alive_handler()
        self.loop.call_later(self.counted.limits.stall_s, self.transport.abort)

    def _watch_reader(self) -> None:
        left = self.transport.get_write_buffer_size()

        def look() -> None:
            if self.transport.get_write_buffer_size() >= left:
                self.transport.abort()
            else:
                self._watch_reader()

        self._stalled = self.loop.call_later(self.counted.limits.stall_s, look)
