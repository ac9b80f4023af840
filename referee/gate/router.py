"""A gate process with libzmq, for bots that come by themselves: a ROUTER, behind which each has an inbox.

A peer can make libzmq end the process, or take all its memory, so nothing of value lives there. For a bot
that the referee starts there is no libzmq: see `referee.gate.local` and `referee.gate.pipe`.
"""

import ctypes
import os
import time

import zmq

from protocol import limits
from referee.gate.channel import Channel
from referee.gate.config import GateConfig
from referee.gate.reception import Reception
from referee.gate.records import Down, Opened

DRAIN = 256
"""Messages taken from a socket before the hub is served again."""

_LAST_MS = 1_000
"""How long what was sent last, such as a goodbye, has to leave when the gate ends."""


class SocketGate(Reception[bytes]):
    """One ROUTER socket on one side, the channel to the hub on the other; `public` extends it."""

    rounds_ms: int | None = None
    """How often `look_around` is called at least; None: never."""

    def __init__(self, config: GateConfig, channel: Channel[Down]) -> None:
        super().__init__(config.token)
        self._config = config
        self._channel = channel
        self._context = zmq.Context()
        self._socket = self._bind()

    def _bind(self) -> "zmq.Socket[bytes]":
        # libzmq numbers its peers from a counter that starts at rand(): unseeded, a peer could name the
        # next number and so end this process.
        ctypes.CDLL(None).srand(int.from_bytes(os.urandom(4), "little"))
        router = self._context.socket(zmq.ROUTER)
        router.setsockopt(zmq.LINGER, 0)
        router.setsockopt(zmq.ROUTER_MANDATORY, 1)
        router.setsockopt(zmq.SNDHWM, 1_000)
        router.setsockopt(zmq.RCVHWM, 1_000)
        # Somewhat more than a message may have: what is larger by far ends the connection unread.
        router.setsockopt(zmq.MAXMSGSIZE, 4 * limits.MESSAGE_BYTES)
        router.setsockopt(zmq.HANDSHAKE_IVL, 2_000)
        if not self._config.address.startswith("ipc:"):
            # On one host the kernel says when a peer is gone, and a bot without libzmq answers no heartbeat
            # while it thinks.
            router.setsockopt(zmq.HEARTBEAT_IVL, 2_000)
            router.setsockopt(zmq.HEARTBEAT_TIMEOUT, 6_000)
        self._secure(router)
        router.bind(self._config.address)
        return router

    def _secure(self, router: "zmq.Socket[bytes]") -> None:
        """Set what else the socket needs before it can be reached."""

    def look_around(self, now_ns: int) -> None:
        """Do what is to be done periodically."""

    def run(self) -> None:
        """Serve until the hub closes its channel."""
        address = self._socket.getsockopt_string(zmq.LAST_ENDPOINT)
        self._channel.send([Opened(address, os.getpid())])
        poller = zmq.Poller()
        poller.register(self._socket, zmq.POLLIN)
        poller.register(self._channel.socket, zmq.POLLIN)
        while not self._channel.closed:
            # The poll asks libzmq itself, so nothing that came in while we were sending is missed.
            for which, _ in poller.poll(self.rounds_ms):
                if which is self._socket:
                    self._take_messages()
                else:
                    for record in self._channel.receive():
                        self.obey(record)
            if self.rounds_ms is not None:
                self.look_around(time.monotonic_ns())
            if records := self.collect():
                self._channel.send(records)
            # Let the hub catch up before any more is taken from bots.
            self._channel.wait_until_sent()
        self.close()

    def close(self) -> None:
        """Close the socket when all is sent, or soon; the channel stays with its owner."""
        self._context.destroy(linger=_LAST_MS)

    def _take_messages(self) -> None:
        receive, more = self._socket.recv, zmq.RCVMORE
        try:
            for _ in range(DRAIN):
                route = receive(zmq.NOBLOCK)
                data = receive(zmq.NOBLOCK) if route in self._inboxes else self._receive_from_new_peer()
                parts = 1
                while self._socket.getsockopt(more):
                    receive(zmq.NOBLOCK)
                    parts += 1
                self.take(route, data, parts, time.monotonic_ns())
        except zmq.Again:
            pass

    def _receive_from_new_peer(self) -> bytes:
        """Return the first frame of a message from a peer that has no inbox yet."""
        return self._socket.recv(zmq.NOBLOCK)

    def _send(self, route: bytes, data: bytes) -> bool:
        """Send; return False if the peer is gone or does not read."""
        try:
            self._socket.send(route, zmq.SNDMORE | zmq.NOBLOCK)
            self._socket.send(data, zmq.NOBLOCK)
        except zmq.ZMQError:
            return False
        return True
