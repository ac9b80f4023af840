"""Starts the process of a site, and joins it to the hub: the part that runs in the hub's process.

The address is bound here, so that an address that cannot be used is an error before anything is started. The
secrets travel over the link, because other users can read the words of a command.
"""

import os
import select
import socket
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, Self

import msgspec

from referee.errors import AddressError
from referee.hub.feed import Answer, Feed, FeedEar
from referee.hub.feed_messages import (
    MOST_BYTES,
    OrganiserOrder,
    PartBegins,
    PersonCame,
    SeatsOffered,
    ToHub,
)
from referee.hub.hub import Hub
from tournaments.live.settings import SiteSettings

_END_S: Final = 5.0
"""How long the process of a site may take to end after its link is closed."""

_LOOK_S: Final = 0.2
_BUFFER_BYTES: Final = 1 << 20


class WebAddress(msgspec.Struct, frozen=True):
    """Where a site listens."""

    host: str
    port: int

    @property
    def is_local(self) -> bool:
        """Whether only this host can reach it."""
        return self.host in ("localhost", "::1") or self.host.startswith("127.")


def web_address(text: str, option: str = "--web") -> WebAddress:
    """Return the address that an operator wrote: a port of this host, or host:port.

    >>> web_address("8000"), web_address("[::1]:80").host
    (WebAddress(host='127.0.0.1', port=8000), '::1')
    """
    host, _, port = text.rpartition(":")
    if not port.isdecimal() or int(port) > 65_535 or (":" in host and not host.startswith("[")):
        raise AddressError(f"{option}: {text!r} is no address: write a port, or host:port")
    return WebAddress(host.strip("[]") or "127.0.0.1", int(port))


def listen(address: WebAddress, option: str = "--web") -> socket.socket:
    """Return a socket that listens there. Raises AddressError."""
    try:
        family, *_, place = socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM)[0]
        return socket.create_server(place[:2], family=family, backlog=256)
    except OSError as error:
        hint = "; another program listens there: name another port, or 0 for a free one"
        busy = hint if error.errno == 98 else ""
        raise AddressError(
            f"{option}: cannot listen at {address.host}:{address.port}: {error.strerror or error}{busy}"
        ) from error


def url_of(listener: socket.socket, address: WebAddress) -> str:
    """Return the address for people."""
    port = listener.getsockname()[1]
    host = address.host
    if host in ("0.0.0.0", "::"):  # noqa: S104 - compared, not bound
        host = socket.gethostname()
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


class SiteProcess:
    """The process of a site, from start to end; a context manager."""

    def __init__(self, listener: socket.socket, settings: SiteSettings) -> None:
        """Start the process. The socket is handed over, and closed here."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        for end in (ours, theirs):
            end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _BUFFER_BYTES)
        self.settings = settings
        self._link = ours
        self._feed: Feed | None = None
        here = str(Path(__file__).resolve().parents[2])
        path = os.pathsep.join(filter(None, (here, os.environ.get("PYTHONPATH"))))
        with theirs, listener:
            self._process = subprocess.Popen(  # noqa: S603 - our own module
                # -P: a file of the working folder, such as a bot called random.py, is no module of ours.
                [
                    sys.executable,
                    "-P",
                    "-m",
                    "tournaments.live",
                    str(theirs.fileno()),
                    str(listener.fileno()),
                ],
                pass_fds=[theirs.fileno(), listener.fileno()],
                stdin=subprocess.DEVNULL,
                start_new_session=True,  # Ctrl-C is for the hub
                env=os.environ | {"PYTHONPATH": path},
            )
        ours.send(msgspec.json.encode(settings))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def pid(self) -> int:
        """The process of the site."""
        return self._process.pid

    def attach(self, hub: Hub, ear: FeedEar, kind: type[Feed] = Feed) -> None:
        """Serve the site from this hub, until the hub or the site ends."""
        self._feed = kind(hub, self._link, ear)

    def begin_part(self, slug: str) -> None:
        """Show this part of the event as the one that is played; the next hub plays it."""
        with suppress(OSError):
            self._link.send(msgspec.json.encode(PartBegins(slug)))

    def add_row(self, row: bytes) -> None:
        """Send a finished match, as JSON, to a site that has no store to read."""
        if self._feed is not None:
            self._feed.add_row(row)

    def offer_seats(self, offer: SeatsOffered) -> None:
        """Send the seats for people at browsers, before the first of them is handed over."""
        if self._feed is not None:
            self._feed.offer_seats(offer)

    def hand_over(self, person: PersonCame, descriptors: Sequence[int]) -> bool:
        """Send the seat of a person with its descriptors; return whether the site has them."""
        return self._feed is not None and self._feed.hand_over(person, descriptors)

    def detach(self) -> None:
        """Serve nothing of the hub any more, which is about to be closed; the site stays."""
        if self._feed is not None:
            self._feed.detach()
            self._feed = None

    def stay(self, take: Callable[[OrganiserOrder, Answer], None], is_over: Callable[[], bool]) -> None:
        """Take orders of the organiser after the hub has gone, until it is over or the site has ended."""
        while not is_over():
            if select.select([self._link], [], [], _LOOK_S)[0]:
                data = self._link.recv(MOST_BYTES)
                if not data:
                    return
                message = msgspec.json.decode(data, type=ToHub)
                if isinstance(message, OrganiserOrder):
                    take(message, lambda done: self._link.send(msgspec.json.encode(done)))

    def close(self) -> None:
        """Close the link, and wait for the end of the process."""
        if self._feed is not None:
            self._feed.close()
        self._link.close()
        try:
            self._process.wait(_END_S)
        except subprocess.TimeoutExpired:
            with suppress(ProcessLookupError):
                self._process.kill()
            self._process.wait()
