"""A bot on this host plays at a daemon elsewhere: over a bridge, or with ZeroMQ of its own.

The bridge serves a bot on stdin/stdout. Lines of the bot become messages, messages become lines. The bridge
reads them for one purpose only: when the daemon's gate was closed and opened again, the bridge says hello for
the bot, with its session, so that the bot need not handle it.
"""

import contextlib
import os
import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import msgspec
import zmq

from protocol import limits
from protocol.client import GREETING_S
from protocol.keys import Pair, secure
from referee.process.client import BotProcess
from referee.process.forkserver import Forkserver
from referee.process.reports import Ended
from referee.process.spec import Program

_PING_S = 3.0
"""After this long without a message of the daemon the bridge pings it."""

_LOST_S = 60.0
"""After this long without a message the daemon is given up."""

_PATIENCE_S = 0.5
"""How long a bot whose input has ended may take before it is sent a signal."""

_GOODBYE_S = 2.0
"""How long a bot may take after the signal before it is killed."""

_WAITING_BYTES = 8 << 20
"""What may wait for a bot that does not read."""

_TURN_MS = 200
_OUR_PING = limits.INTEGER
"""The number of the bridge's own pings; a bot counts its pings from elsewhere."""

Note = Callable[[str], None]


class Credentials(NamedTuple):
    """What proves the bot to a daemon, and the daemon to us."""

    path: Path
    pair: Pair
    server: str


class Companion(Protocol):
    """A bot that plays at a daemon on another host."""

    @property
    def end(self) -> Ended | None:
        """How the bot ended; None while it runs."""

    def run(self) -> bool:
        """Let it play; return whether it left in good order."""

    def stop(self) -> None:
        """Ask it to leave; asked again, make it. May be called from a signal handler."""

    def close(self) -> None:
        """End everything that was started."""


class _StderrLines:
    """Splits a bot's stderr into lines, each of which becomes a note."""

    def __init__(self, note: Note) -> None:
        self._note = note
        self._rest = b""

    def add(self, data: bytes) -> None:
        """Note all lines that are whole now; a line that grows too long is noted in parts."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            self._note(line.decode(errors="replace"))
        if len(self._rest) > limits.MESSAGE_BYTES:
            self.flush()

    def flush(self) -> None:
        """Note the rest, which has no line feed."""
        if self._rest:
            self._note(self._rest.decode(errors="replace"))
            self._rest = b""


class _PlayingProcess:
    """The bot's process, and the steps by which it is made to leave."""

    def __init__(
        self, forkserver: Forkserver, program: Program, note: Note, pipes: tuple[int, int] | None = None
    ) -> None:
        self._stderr = _StderrLines(note)
        self.bot = BotProcess(forkserver, program, pipes, on_stderr=self._stderr.add)
        self.asked = 0
        """How often the bot was asked to leave."""
        self._signal_at: float | None = None
        self._signalled = False

    def read(self) -> None:
        """Take the reports about the bot."""
        self.bot.read()
        if self.bot.end is not None:
            self._stderr.flush()

    def see_out(self, patience_s: float = 0.0) -> None:
        """Signal a bot that was asked to leave, after some patience; then kill it, at once if asked again.

        Does nothing before the bot was asked; to be called again and again until it has gone.
        """
        if not self.asked:
            return
        now = time.monotonic()
        if self._signal_at is None:
            self._signal_at = now + patience_s
        if self.asked > 1 or now > self._signal_at + _GOODBYE_S:
            self.bot.kill()
        elif now >= self._signal_at and not self._signalled:
            self._signalled = True
            self.bot.terminate()


class Direct:
    """Starts a bot that speaks ZeroMQ, and connects to the daemon by itself."""

    def __init__(
        self, address: str, program: Program, note: Note, credentials: Credentials | None = None
    ) -> None:
        self._forkserver = Forkserver()
        given = {"REFEREE_ADDRESS": address}
        if credentials is not None:
            given |= {
                "REFEREE_KEY": str(credentials.path.resolve()),
                "REFEREE_SERVER_KEY": credentials.server,
            }
        started = msgspec.structs.replace(program, env=program.env | given)
        self._process = _PlayingProcess(self._forkserver, started, note)

    @property
    def end(self) -> Ended | None:
        """How the bot ended; None while it runs."""
        return self._process.bot.end

    def run(self) -> bool:
        """Wait for the bot's end; return whether it came in good order."""
        poller = zmq.Poller()
        poller.register(self._process.bot, zmq.POLLIN)
        while self.end is None:
            if poller.poll(_TURN_MS):
                self._process.read()
            self._process.see_out()
        return bool(self._process.asked) or self.end.is_success

    def stop(self) -> None:
        """Ask the bot to leave; asked again, make it."""
        self._process.asked += 1

    def close(self) -> None:
        """End everything that was started."""
        self._process.bot.close()
        self._forkserver.close()


class Bridge:
    """Carries messages between one bot and one daemon until either ends."""

    def __init__(
        self,
        address: str,
        program: Program,
        note: Note,
        name: str | None = None,
        credentials: Credentials | None = None,
    ) -> None:
        """Start the bot and connect; `name` is what it is called there instead of what it calls itself."""
        self._address = address
        self._note = note
        self._name = name
        self._forkserver = Forkserver()
        theirs_in, self._stdin = os.pipe()
        self._stdout, theirs_out = os.pipe()
        os.set_blocking(self._stdin, False)
        os.set_blocking(self._stdout, False)
        self._process = _PlayingProcess(self._forkserver, program, note, (theirs_in, theirs_out))
        self._context = zmq.Context()
        self._socket = self._context.socket(zmq.DEALER)
        self._connections = self._socket.get_monitor_socket(zmq.EVENT_HANDSHAKE_SUCCEEDED)
        self._connected = False
        if credentials is not None:
            secure(self._socket, credentials.pair, credentials.server)
        self._socket.connect(address)
        self._inbox = b""
        self._waiting = bytearray()
        """What the bot has not read yet."""
        self._hello: dict[str, Any] | None = None
        self._greeted = 0.0
        """When the last hello was sent: an error `no-session` just after it is about earlier messages."""
        self._session: str | None = None
        self._heard = time.monotonic()
        self._pinged = self._heard
        self._said_bye = False
        self._input_ended = False
        self._failed = False
        self._poller = zmq.Poller()

    @property
    def end(self) -> Ended | None:
        """How the bot ended; None while it runs."""
        return self._process.bot.end

    def run(self) -> bool:
        """Carry messages; return whether the bot left in good order."""
        for end in (self._socket, self._connections, self._stdout, self._process.bot):
            self._poller.register(end, zmq.POLLIN)
        while self.end is None:
            for which, _ in self._poller.poll(_TURN_MS):
                if which is self._socket:
                    self._from_daemon()
                elif which is self._connections:
                    self._hear_of_connection()
                elif which == self._stdout:
                    self._from_bot()
                elif which == self._stdin:
                    self._flush()
                else:
                    self._process.read()
            if self._process.asked:
                self._see_out()
            else:
                self._check_silence()
        self._say_bye(f"the bot {self.end.in_words()}")
        return bool(self._process.asked) and not self._failed

    def stop(self) -> None:
        """Ask the bot to leave; asked again, make it."""
        self._process.asked += 1

    def _see_out(self) -> None:
        """Say bye to the daemon, and make the bot leave: by the end of its input, then by signals."""
        self._say_bye("the bridge was stopped")
        if not self._input_ended:
            self._input_ended = True
            self._flush()
            self._unwatch(self._stdin)
            os.close(self._stdin)
            self._stdin = os.open(os.devnull, os.O_WRONLY)
        self._process.see_out(_PATIENCE_S)

    def _say_bye(self, why: str) -> None:
        if not self._said_bye:
            self._said_bye = True
            with contextlib.suppress(zmq.ZMQError):
                self._socket.send(msgspec.json.encode({"type": "bye", "why": why}), zmq.NOBLOCK)

    def _give_up(self, why: str) -> None:
        self._note(why)
        self._failed = True
        self._process.asked += 1

    def close(self) -> None:
        """End everything that was started."""
        self._process.bot.close()
        for end in (self._stdin, self._stdout):
            os.close(end)
        self._socket.disable_monitor()
        self._context.destroy(linger=500)
        self._forkserver.close()

    def _unwatch(self, end: int) -> None:
        with contextlib.suppress(KeyError):
            self._poller.unregister(end)

    # From the bot.

    def _from_bot(self) -> None:
        try:
            chunk = os.read(self._stdout, limits.MESSAGE_BYTES)
        except BlockingIOError:
            return
        if not chunk:
            self._unwatch(self._stdout)
            return
        *lines, self._inbox = (self._inbox + chunk).split(b"\n")
        if len(self._inbox) > limits.MESSAGE_BYTES:
            # Too long to be a message, as the daemon will rule.
            lines.append(self._inbox)
            self._inbox = b""
        for line in filter(None, lines):
            if self._hello is not None:
                self._send(line)
            elif not self._greet(line):
                # Like the referee itself: what comes before the hello counts as stderr.
                self._note(line.decode(errors="replace"))

    def _greet(self, line: bytes) -> bool:
        """Pass on a hello; return whether it was one."""
        said = _decoded(line)
        if said.get("type") != "hello":
            return False
        self._hello = said if self._name is None else said | {"name": self._name}
        self._heard = time.monotonic()
        self._say_hello()
        return True

    def _say_hello(self) -> None:
        assert self._hello is not None
        self._greeted = time.monotonic()
        self._send(msgspec.json.encode(self._hello | {"session": self._session}))

    def _say_hello_again(self) -> None:
        """Say hello with the bot's session at a gate that does not know this connection."""
        if self._hello is not None and time.monotonic() - self._greeted > GREETING_S:
            self._note("the daemon's gate was opened anew; saying hello again")
            self._say_hello()

    def _hear_of_connection(self) -> None:
        self._connections.recv_multipart()
        if self._connected:
            self._say_hello_again()
        self._connected = True

    def _send(self, data: bytes) -> None:
        try:
            self._socket.send(data, zmq.NOBLOCK)
        except zmq.Again:
            self._give_up(f"{self._address} does not take messages; giving up")

    # From the daemon.

    def _from_daemon(self) -> None:
        with contextlib.suppress(zmq.Again):
            while True:
                data = self._socket.recv(zmq.NOBLOCK)
                self._heard = time.monotonic()
                if not self._is_ours(_decoded(data), data):
                    self._to_bot(data)

    def _is_ours(self, said: dict[str, Any], data: bytes) -> bool:
        """Handle what concerns the connection; return whether the message was only about that."""
        kind = said.get("type")
        if kind is None:
            self._note(f"{self._address} sent something that is no message")
            return True
        if kind == "pong":
            return said.get("n") == _OUR_PING
        if kind == "error" and said.get("code") == "no-session" and self._hello is not None:
            self._say_hello_again()
            return True
        if kind == "welcome":
            self._greeted = 0.0
            again = self._session is not None
            self._session = str(said.get("session", ""))
            if not again:
                self._note(f"welcome at {self._address}")
            return again
        if kind in ("bye", "refuse"):
            self._note(f"the daemon says {kind}: {said.get('why', '')}")
            self._to_bot(data)
            self._failed = self._failed or kind == "refuse"
            self._said_bye = True
            self._process.asked += 1
            return True
        return False

    def _to_bot(self, data: bytes) -> None:
        self._waiting += data + b"\n"
        self._flush()
        if len(self._waiting) > _WAITING_BYTES:
            self._waiting.clear()
            self._give_up("the bot does not read what it is sent; giving up")

    def _flush(self) -> None:
        """Write what the bot's pipe takes, and be called again for the rest."""
        try:
            while self._waiting:
                del self._waiting[: os.write(self._stdin, self._waiting)]
        except BlockingIOError:
            self._poller.register(self._stdin, zmq.POLLOUT)
            return
        except OSError:
            # It closed its stdin: its end will be reported by the supervisor.
            self._waiting.clear()
        self._unwatch(self._stdin)

    def _check_silence(self) -> None:
        """Ping a daemon that is silent, and give it up after a while."""
        now = time.monotonic()
        if self._hello is None:
            return
        if now - self._heard > _LOST_S:
            self._give_up(f"no message from {self._address} for {_LOST_S:.0f} s; giving up")
        elif now - max(self._heard, self._pinged) > _PING_S:
            self._pinged = now
            self._send(msgspec.json.encode({"type": "ping", "n": _OUR_PING}))


def _decoded(data: bytes) -> dict[str, Any]:
    """Return a message as a map; empty if it is none."""
    try:
        said = msgspec.json.decode(data)
    except (ValueError, RecursionError):
        return {}
    return said if isinstance(said, dict) else {}


def is_reachable(address: str, timeout_s: float = 3.0) -> bool:
    """Return whether a TCP address accepts connections; True for other addresses, which cannot be tried."""
    if not address.startswith("tcp://"):
        return True
    host, _, port = address.removeprefix("tcp://").rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout_s).close()
    except (OSError, ValueError):
        return False
    return True
