"""The authenticator of a public gate: looks up keys during the handshake, before any message is read.

libzmq asks a handler of the ZAP protocol (ZeroMQ RFC 27) about every key. It has no function to end one
connection, nor to count those of one key; both are done here with what the kernel knows of this process.
"""

import contextlib
import os
import resource
import socket
import struct
import threading
import time
from collections.abc import Collection
from typing import Any, NamedTuple

import zmq
from zmq.utils import z85

from protocol.keys import Pair
from referee.errors import RefereeError
from referee.gate.cooldown import Cooldown
from referee.gate.keystore import AllowList
from referee.gate.probe import probe

DOMAIN = b"referee"

MOST_CONNECTIONS = 4
"""How many connections one key may have at once: one to play, and some that are opening or closing."""

SILENCE_S = 10.0
"""A connection that has sent nothing for this long is ended."""

_TURN_MS = 100

_RECEIVED = struct.Struct("128xQ")
"""Where the kernel's tcp_info has tcpi_bytes_received."""


class Connection(NamedTuple):
    """A TCP connection of this process; with its peer, because numbers of descriptors are used again."""

    descriptor: int
    peer: Any


def connection(descriptor: int) -> Connection | None:
    """Return the connection that has this descriptor now, if it is one."""
    found = _look_at(descriptor)
    return None if found is None else found[0]


def _look_at(descriptor: int) -> tuple[Connection, int] | None:
    """Return the connection that has this descriptor, and how many bytes have come over it."""
    try:
        # The kind is given, because Python would have to ask for it; on another kind the calls below fail.
        end = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP, descriptor)
    except OSError:
        return None
    try:
        peer = end.getpeername()
        about = end.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _RECEIVED.size)
        return (Connection(descriptor, peer), int(_RECEIVED.unpack(about)[0]))
    except OSError:
        return None
    finally:
        end.detach()


def connections() -> dict[Connection, int]:
    """Return all TCP connections of this process, with how many bytes have come over each."""
    try:
        descriptors = [int(name) for name in os.listdir("/proc/self/fd")]
    except OSError:
        # To list them takes one more, and peers have taken all there are: then every number is in use.
        descriptors = list(range(resource.getrlimit(resource.RLIMIT_NOFILE)[0]))
    return dict(one for one in map(_look_at, descriptors) if one is not None)


def is_near(descriptor: int) -> bool:
    """Return whether the peer of a connection is on this host: then both ends have the same address."""
    try:
        with socket.socket(fileno=os.dup(descriptor)) as end:
            if end.family == socket.AF_UNIX:
                return True
            peer, own = end.getpeername()[0], end.getsockname()[0]
    except OSError:
        return False
    return bool(peer == own or peer.startswith("127."))


def cut(doomed: Connection) -> None:
    """End a connection, if it is still there; libzmq sees its end and cleans up."""
    if connection(doomed.descriptor) != doomed:
        return
    end = socket.socket(fileno=doomed.descriptor)
    try:
        with contextlib.suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)
    finally:
        end.detach()


class Authenticator(threading.Thread):
    """Answers libzmq's question for each connection: whether its key has an account, and room for one more.

    A thread of its own, so that a hub that is behind does not delay a handshake.
    """

    def __init__(
        self, context: "zmq.Context[zmq.Socket[bytes]]", allowed: AllowList, cooldown: Cooldown
    ) -> None:
        """To be made before the gate is opened; call `start` then."""
        super().__init__(daemon=True)
        self.refused = 0
        """How many connections were refused so far."""
        self._allowed = allowed
        self._cooldown = cooldown
        self._lock = threading.Lock()
        self._admitted: dict[str, list[float]] = {}
        """By key: when connections were admitted that have sent nothing yet."""
        self._heard: dict[Connection, str] = {}
        self._ended = False
        self._socket = context.socket(zmq.REP)
        self._socket.setsockopt(zmq.LINGER, 0)
        self._socket.bind("inproc://zeromq.zap.01")

    def run(self) -> None:
        """Answer until `end` is called."""
        while not self._ended:
            if self._socket.poll(_TURN_MS):
                version, request, domain, _address, _identity, mechanism, *credentials = (
                    self._socket.recv_multipart()
                )
                key = z85.encode(credentials[0]).decode() if mechanism == b"CURVE" else ""
                admitted = domain == DOMAIN and self._admits(key)
                verdict = (b"200", b"OK", key.encode()) if admitted else (b"400", b"not on the list", b"")
                self._socket.send_multipart([version, request, *verdict, b""])
        self._socket.close()

    def end(self) -> None:
        """Stop answering, and wait for the thread."""
        self._ended = True
        self.join()

    def _admits(self, key: str) -> bool:
        known = self._allowed.may_enter(key) and not self._cooldown.has(key, time.monotonic())
        admitted = known and self._has_room(key)
        if not admitted:
            self.refused += 1
        return admitted

    def _has_room(self, key: str) -> bool:
        """Return whether a key may have one more connection, and count it."""
        now = time.monotonic()
        with self._lock:
            waiting = [moment for moment in self._admitted.get(key, ()) if now - moment < SILENCE_S]
            heard = sum(owner == key and connection(c.descriptor) == c for c, owner in self._heard.items())
            if heard + len(waiting) >= MOST_CONNECTIONS:
                # Connections that sent nothing may have ended: count no more than exist, without this one.
                there = len(connections().keys() - self._heard.keys()) - 1
                waiting = waiting[: max(0, there)]
            room = heard + len(waiting) < MOST_CONNECTIONS
            self._admitted[key] = [*waiting, now] if room else waiting
            return room

    def hear(self, key: str, descriptor: int) -> Connection | None:
        """Record that a connection of this key has sent a message; None if it has ended meanwhile."""
        found = connection(descriptor)
        with self._lock:
            if found is not None and found not in self._heard:
                self._heard[found] = key
                if waiting := self._admitted.get(key):
                    waiting.pop()
        return found

    def mute(self, there: Collection[Connection]) -> set[Connection]:
        """Return the connections that have sent nothing; forget those that have ended."""
        with self._lock:
            self._heard = {one: key for one, key in self._heard.items() if one in there}
            return set(there) - self._heard.keys()


def check_strangers(address: str, server: str) -> None:
    """Try to enter at a gate without a listed key. Raises RefereeError if that is possible."""
    where = address.replace("//0.0.0.0:", "//127.0.0.1:")
    public, secret = zmq.curve_keypair()
    stranger = Pair(public.decode(), secret.decode())
    for who, answer in (
        ("with a key that is not on the list", probe(where, stranger, server)),
        ("without any key", probe(where, None, None)),
    ):
        if answer == "open":
            raise RefereeError(f"a stranger {who} can enter at {address}; the gate stays closed")
        if answer == "silent":
            raise RefereeError(f"whether a stranger {who} can enter at {address} cannot be found out")
