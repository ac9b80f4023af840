"""A bridge: a bot on this host, on stdin/stdout, plays at a daemon elsewhere.

Lines of the bot become messages, messages become lines; what is in them is none of the bridge's business but
for one thing: when the daemon's door was closed and opened again, the bridge says hello for the bot, with its
session, so that the bot need not know.
"""

import contextlib
import os
import signal
import socket
import time
from collections.abc import Callable
from typing import Any

import msgspec
import zmq

from protocol import limits
from referee import keeper
from referee.launch import Program
from referee.nursery import Nursery

_PING_S = 3.0
"""After this long without a word from the daemon the bridge asks whether it is still there."""

_LOST_S = 60.0
"""After this long without a word the daemon is given up."""


class Bridge:
    """Carries messages between one bot and one daemon until either ends."""

    def __init__(self, address: str, program: Program, note: Callable[[str], None]) -> None:
        self._address = address
        self._note = note
        self._nursery = Nursery()
        theirs_in, self._stdin = os.pipe()
        self._stdout, theirs_out = os.pipe()
        os.set_blocking(self._stdout, False)
        self._keeper = self._nursery.keep(program, theirs_in, theirs_out)
        self._context = zmq.Context()
        self._socket = self._context.socket(zmq.DEALER)
        self._socket.setsockopt(zmq.LINGER, 500)
        self._socket.connect(address)
        self._inbox = b""
        self._hello: dict[str, Any] | None = None
        self._session: str | None = None
        self._heard = time.monotonic()
        self._asked = self._heard
        self._stopped = False
        self.exit = ""
        """How the bot ended, in words."""

    def run(self) -> bool:
        """Carry messages; return whether the bot was seen out in good order."""
        poller = zmq.Poller()
        poller.register(self._socket, zmq.POLLIN)
        poller.register(self._stdout, zmq.POLLIN)
        poller.register(self._keeper, zmq.POLLIN)
        while not self.exit:
            for which, _ in poller.poll(500):
                if which is self._socket:
                    self._from_daemon()
                elif which == self._stdout:
                    self._from_bot(poller)
                else:
                    self._from_keeper()
            self._mind_the_silence()
        return self._stopped

    def stop(self) -> None:
        """Say goodbye to both sides."""
        if not self._stopped:
            self._stopped = True
            with contextlib.suppress(zmq.ZMQError):
                self._socket.send(b'{"type":"bye","why":"the bridge was told to stop"}', zmq.NOBLOCK)
            self._see_out()

    def _see_out(self) -> None:
        """Let the bot go: the end of its input, then a signal."""
        self._stopped = True
        with contextlib.suppress(OSError):
            os.close(self._stdin)
        self._stdin = os.open(os.devnull, os.O_WRONLY)
        with contextlib.suppress(OSError):
            self._keeper.send(keeper.TERM)

    def close(self) -> None:
        """End everything that was started."""
        self._keeper.close()
        for end in (self._stdin, self._stdout):
            os.close(end)
        self._context.destroy(linger=500)
        self._nursery.close()

    def _from_bot(self, poller: zmq.Poller) -> None:
        try:
            chunk = os.read(self._stdout, limits.MESSAGE_BYTES)
        except BlockingIOError:
            return
        if not chunk:
            poller.unregister(self._stdout)
            return
        *lines, self._inbox = (self._inbox + chunk).split(b"\n")
        for line in lines:
            if self._hello is None:
                self._remember_hello(line)
            if line:
                self._send(line)
        if len(self._inbox) > limits.MESSAGE_BYTES:
            # The daemon's ruling on this is the bot's to hear.
            self._send(self._inbox)
            self._inbox = b""

    def _remember_hello(self, line: bytes) -> None:
        with contextlib.suppress(ValueError, RecursionError):
            said = msgspec.json.decode(line)
            if isinstance(said, dict) and said.get("type") == "hello":
                self._hello = said

    def _send(self, data: bytes) -> None:
        try:
            self._socket.send(data, zmq.NOBLOCK)
        except zmq.Again:
            self._note("the daemon does not take messages; one is lost")

    def _from_daemon(self) -> None:
        with contextlib.suppress(zmq.Again):
            while True:
                data = self._socket.recv(zmq.NOBLOCK)
                self._heard = time.monotonic()
                if not self._is_ours(data):
                    self._to_bot(data)

    def _is_ours(self, data: bytes) -> bool:
        """Deal with what concerns the connection; say whether that was all."""
        said = msgspec.json.decode(data)
        kind = said.get("type")
        if kind == "pong" and said.get("n", 0) == 0:
            return True
        if kind == "error" and said.get("code") == "no-session" and self._hello is not None:
            self._note("the daemon's door was opened anew; saying hello again")
            self._send(msgspec.json.encode(self._hello | {"session": self._session}))
            return True
        if kind == "welcome":
            again = self._session is not None
            self._session = said["session"]
            if not again:
                self._note(f"welcome at {self._address}")
            return again
        if kind in ("bye", "refuse"):
            self._note(f"the daemon says {kind}: {said.get('why', '')}")
            self._to_bot(data)
            if kind == "bye":
                self._see_out()
            return True
        return False

    def _to_bot(self, data: bytes) -> None:
        with contextlib.suppress(OSError):
            rest = data + b"\n"
            while rest:
                rest = rest[os.write(self._stdin, rest) :]

    def _from_keeper(self) -> None:
        try:
            data = self._keeper.recv(1 << 16)
        except BlockingIOError:
            return
        if not data:
            self.exit = self.exit or "its keeper has ended"
            return
        report = keeper.decode_report(data)
        if isinstance(report, keeper.Wrote):
            self._note(report.data.decode(errors="replace").rstrip("\n"))
        elif isinstance(report, keeper.Unstartable):
            self.exit = f"could not be started: {report.why}"
        elif isinstance(report, keeper.Ended):
            self.exit = report.in_words()

    def _mind_the_silence(self) -> None:
        now = time.monotonic()
        if self._stopped or self._hello is None:
            return
        if now - self._heard > _LOST_S:
            self._note(f"no word from {self._address} for {_LOST_S:.0f} s; giving up")
            self._see_out()
        elif now - max(self._heard, self._asked) > _PING_S:
            self._asked = now
            self._send(b'{"type":"ping"}')


def join(address: str, program: Program, note: Callable[[str], None]) -> tuple[bool, str]:
    """Let a bot of this host play at a daemon; return whether it ended in good order, and how."""
    bridge = Bridge(address, program, note)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: bridge.stop())
    try:
        return bridge.run(), bridge.exit
    finally:
        bridge.close()


def is_reachable(address: str, timeout_s: float = 3.0) -> bool:
    """Say whether anybody listens at a TCP address; for others there is no telling."""
    if not address.startswith("tcp://"):
        return True
    host, _, port = address.removeprefix("tcp://").rpartition(":")
    try:
        socket.create_connection((host, int(port)), timeout_s).close()
    except (OSError, ValueError):
        return False
    return True
