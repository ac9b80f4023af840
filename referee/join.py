"""A bot on this host plays at a daemon elsewhere: over a bridge, or with ZeroMQ of its own.

The bridge serves a bot on stdin/stdout. Lines of the bot become messages, messages become lines; what is in
them is none of the bridge's business but for one thing: when the daemon's door was closed and opened again,
the bridge says hello for the bot, with its session, so that the bot need not know.
"""

import contextlib
import os
import socket
import time
from collections.abc import Callable
from typing import Any, Protocol

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

_GOODBYE_S = 2.0
"""How long a bot that is seen out may take before it is killed."""

_WAITING_BYTES = 8 << 20
"""What may wait for a bot that does not read."""

Note = Callable[[str], None]


class Companion(Protocol):
    """A bot that plays elsewhere."""

    exit: str
    """How the bot ended, in words."""

    def run(self) -> bool:
        """Let it play; return whether it was seen out in good order."""

    def stop(self) -> None:
        """Ask it to leave; asked again, make it."""

    def close(self) -> None:
        """End everything that was started."""


class _Process:
    """The bot's process: what its keeper reports, and how it is seen out."""

    def __init__(self, nursery: Nursery, program: Program, note: Note, *pipes: int) -> None:
        self.line = nursery.keep(program, *pipes)
        self.exit = ""
        self.leaving = False
        self._note = note
        self._log = b""
        self._kill_at = 0.0

    def see_out(self) -> None:
        """Let the bot go: a signal now, and if that does not help another; at once if asked again."""
        self._kill_at = 0.0 if self.leaving else time.monotonic() + _GOODBYE_S
        if not self.leaving:
            self.leaving = True
            self._order(keeper.TERM)
        self.insist()

    def insist(self) -> None:
        """Kill a bot that was seen out and does not go."""
        if self.leaving and time.monotonic() >= self._kill_at:
            self._order(keeper.KILL)

    def _order(self, order: bytes) -> None:
        with contextlib.suppress(OSError):
            self.line.send(order)

    def read(self) -> None:
        """Take a report of the keeper."""
        try:
            data = self.line.recv(1 << 16)
        except BlockingIOError:
            return
        if not data:
            self._end("its keeper has ended")
            return
        report = keeper.decode_report(data)
        if isinstance(report, keeper.Wrote):
            *lines, self._log = (self._log + report.data).split(b"\n")
            # A line without an end is passed on before it grows too long to be kept.
            lines += [self._log] if len(self._log) > limits.MESSAGE_BYTES else []
            self._log = b"" if len(self._log) > limits.MESSAGE_BYTES else self._log
            for line in lines:
                self._note(line.decode(errors="replace"))
        elif isinstance(report, keeper.Unstartable):
            self._end(f"could not be started: {report.why}")
        elif isinstance(report, keeper.Ended):
            self._end(report.in_words())

    def _end(self, how: str) -> None:
        if self._log:
            self._note(self._log.decode(errors="replace"))
            self._log = b""
        self.exit = self.exit or how


class Direct:
    """Lets a bot that speaks ZeroMQ find the daemon by itself."""

    def __init__(self, address: str, program: Program, note: Note) -> None:
        self._nursery = Nursery()
        found = msgspec.structs.replace(program, env=program.env | {"REFEREE_ADDRESS": address})
        self._process = _Process(self._nursery, found, note)

    @property
    def exit(self) -> str:
        """How the bot ended, in words."""
        return self._process.exit

    def run(self) -> bool:
        """Wait for the bot's end; return whether it came in good order."""
        poller = zmq.Poller()
        poller.register(self._process.line, zmq.POLLIN)
        while not self.exit:
            if poller.poll(200):
                self._process.read()
            self._process.insist()
        return self._process.leaving or self.exit == "exited with code 0"

    def stop(self) -> None:
        """Ask the bot to leave; asked again, make it."""
        self._process.see_out()

    def close(self) -> None:
        """End everything that was started."""
        self._process.line.close()
        self._nursery.close()


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
