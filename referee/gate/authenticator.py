"""Who may come in at a public door: keys are looked up during the handshake, before any message is read.

libzmq asks a handler of the ZAP protocol (ZeroMQ RFC 27) about every key. It has no word for ending one
connection, nor for counting those of one key; both are done here with what the kernel knows of this process.
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
"""How many connections one key may have at once: one to play, and some that are on their way out or in."""

SILENCE_S = 10.0
"""A connection that has said nothing for this long is ended."""

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
        # Python would have to ask of what kind it is; of another kind the questions below are refused.
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
        # To list them takes one more, and strangers have taken all there are: then every number is in use.
        descriptors = list(range(resource.getrlimit(resource.RLIMIT_NOFILE)[0]))
    return dict(one for one in map(_look_at, descriptors) if one is not None)


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

    It runs in a thread of its own, so that handshakes go on while the door is busy.
    """

    def __init__(
        self, context: "zmq.Context[zmq.Socket[bytes]]", allowed: AllowList, bench: Cooldown
    ) -> None:
        """Be there before the door is opened; call `start` then."""
        super().__init__(daemon=True)
        self.refused = 0
        """How many connections were refused so far."""
        self._allowed = allowed
        self._bench = bench
        self._lock = threading.Lock()
        self._admitted: dict[str, list[float]] = {}
        """By key: when those were admitted that have not been heard yet."""
        self._heard: dict[Connection, str] = {}
        self._ended = False
        self._socket = context.socket(zmq.REP)
        self._socket.setsockopt(zmq.LINGER, 0)
        self._socket.bind("inproc://zeromq.zap.01")

    def run(self) -> None:
        """Answer requests until `end` is called."""
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
        known = self._allowed.may_enter(key) and not self._bench.has(key, time.monotonic())
        admitted = known and self._has_room(key)
        if not admitted:
            self.refused += 1
        return admitted

    def _has_room(self, key: str) -> bool:
        """Say whether a key may have one more connection, and count it."""
        now = time.monotonic()
        with self._lock:
            waiting = [moment for moment in self._admitted.get(key, ()) if now - moment < SILENCE_S]
            heard = sum(owner == key and connection(c.descriptor) == c for c, owner in self._heard.items())
            if heard + len(waiting) >= MOST_CONNECTIONS:
                # Some that were never heard may have gone: no more wait than there are, without this one.
                there = len(connections().keys() - self._heard.keys()) - 1
                waiting = waiting[: max(0, there)]
            room = heard + len(waiting) < MOST_CONNECTIONS
            self._admitted[key] = [*waiting, now] if room else waiting
            return room

    def hear(self, key: str, descriptor: int) -> Connection | None:
        """Note that a connection of this key has said something; None if it has gone meanwhile."""
        found = connection(descriptor)
        with self._lock:
            if found is not None and found not in self._heard:
                self._heard[found] = key
                if waiting := self._admitted.get(key):
                    waiting.pop()
        return found

    def mute(self, there: Collection[Connection]) -> set[Connection]:
        """Return those of the connections that have never been heard; forget those that are gone."""
        with self._lock:
            self._heard = {one: key for one, key in self._heard.items() if one in there}
            return set(there) - self._heard.keys()


def check_strangers(address: str, server: str) -> None:
    """Try to connect to a door with a key that is not allowed. Raise RefereeError if the door admits it."""
    where = address.replace("//0.0.0.0:", "//127.0.0.1:")
    public, secret = zmq.curve_keypair()
    stranger = Pair(public.decode(), secret.decode())
    for who, answer in (
        ("with a key that is not on the list", probe(where, stranger, server)),
        ("without any key", probe(where, None, None)),
    ):
        if answer == "open":
            raise RefereeError(f"a stranger {who} can enter at {address}; the door stays closed")
        if answer == "silent":
            raise RefereeError(f"whether a stranger {who} can enter at {address} cannot be found out")
