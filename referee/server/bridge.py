"""The bridge: a bot on this host that speaks JSON lines plays at a daemon elsewhere.

The bridge serves a bot on stdin/stdout. Lines of the bot become messages, messages become lines. The bridge
reads them for two purposes: to print what becomes of the bot's matches, and to stay connected. When the
daemon's gate was closed and opened again, when the daemon is restarted, or when the connection is lost, the
bridge comes back and says hello for the bot, with its session, so that the bot need not handle it: its
process goes on, and matches that were lost meanwhile end as void ones do.
"""

import contextlib
import os
import sys
import time
from typing import Any, NamedTuple

import msgspec
import zmq

from protocol import limits
from protocol.client import GREETING_S
from protocol.keys import secure
from referee.process.forkserver import Forkserver
from referee.process.reports import Ended
from referee.process.spec import Program
from referee.server.backoff import Backoff
from referee.server.match_news import MatchNews, where_to_read_why
from referee.server.playing_process import TURN_MS, Credentials, Note, PlayingProcess
from referee.wording import lasting

_PING_S = 3.0
"""After this long without a message of the daemon the bridge pings it."""

_LOST_S = 60.0
"""After this long without a message the connection is given up."""

_RETRY_MS = (100, 30_000)
"""After how long ZeroMQ tries to connect again: the first time, and at most; it doubles the time itself."""

_MOST_BACK_MS = 7 * 24 * 3_600_000
"""The longest time after which a daemon may say that it is back."""

_PATIENCE_S = 0.5
"""How long a bot whose input has ended may take before it is sent a signal."""

_WAITING_BYTES = 8 << 20
"""What may wait for a bot that does not read."""

_EVENTS = zmq.EVENT_HANDSHAKE_SUCCEEDED | zmq.EVENT_HANDSHAKE_FAILED_AUTH | zmq.EVENT_DISCONNECTED

_OUR_PING = limits.INTEGER
"""The number of the bridge's own pings; a bot counts its pings from elsewhere."""


class Manner(NamedTuple):
    """How a bot appears at a daemon, and whether it comes back."""

    name: str | None = None
    """What it is called there, instead of what it calls itself."""
    version: str = ""
    """The version of the bot, if its author has named one."""
    program: str = ""
    """The hash of its program; '' if it is not known."""
    rejoins: bool = True
    """Whether it comes back after a lost connection, or when a restarted daemon listens again."""


class Bridge:
    """Carries messages between one bot and one daemon until the bot ends, or the daemon sends it away."""

    def __init__(
        self,
        address: str,
        program: Program,
        note: Note,
        manner: Manner = Manner(),  # noqa: B008 - it never changes
        credentials: Credentials | None = None,
    ) -> None:
        """Start the bot and connect."""
        self._address = address
        self._note = note
        self._manner = manner
        self._credentials = credentials
        self._forkserver = Forkserver()
        theirs_in, self._stdin = os.pipe()
        self._stdout, theirs_out = os.pipe()
        os.set_blocking(self._stdin, False)
        os.set_blocking(self._stdout, False)
        self._process = PlayingProcess(self._forkserver, program, note, (theirs_in, theirs_out))
        self._poller = zmq.Poller()
        self._context = zmq.Context()
        self._socket: zmq.Socket[bytes] | None = None
        """None while the bridge waits to connect again."""
        self._connections: zmq.Socket[bytes] | None = None
        self._connected = False
        self._back_at = 0.0
        """When to connect again, while there is no socket."""
        self._backoff = Backoff()
        self._inbox = b""
        self._waiting = bytearray()
        """What the bot has not read yet."""
        self._hello: dict[str, Any] | None = None
        self._greeted = 0.0
        """When the last hello was sent: an error `no-session` just after it is about earlier messages."""
        self._session: str | None = None
        self._site = ""
        """The address of the daemon's web site; '' if it has none."""
        self._news = MatchNews()
        self._heard = time.monotonic()
        self._pinged = self._heard
        self._said_bye = False
        self._input_ended = False
        self._failed = False
        self._connect()

    @property
    def end(self) -> Ended | None:
        """How the bot ended; None while it runs."""
        return self._process.bot.end

    def run(self) -> bool:
        """Carry messages; return whether the bot left in good order."""
        for end in (self._stdout, self._process.bot):
            self._poller.register(end, zmq.POLLIN)
        while self.end is None:
            for which, _ in self._poller.poll(TURN_MS):
                self._take(which)
            if self._process.asked:
                self._see_out()
            elif self._socket is None:
                self._connect_in_time()
            else:
                self._check_silence()
        self._say_bye(f"the bot {self.end.in_words()}")
        if not self._process.asked and self._socket is not None:
            self._note_lost()
        return bool(self._process.asked) and not self._failed

    def _take(self, which: object) -> None:
        """Read what can be read at an end."""
        if which is self._socket:
            self._from_daemon()
        elif which is self._connections:
            self._hear_of_connection()
        elif which == self._stdout:
            self._from_bot()
        elif which == self._stdin:
            self._flush()
        elif which is self._process.bot or which == self._process.bot.fileno():
            self._process.read()

    # The connection.

    def _connect(self) -> None:
        """Connect to the daemon; ZeroMQ tries again by itself until it is there."""
        self._socket = self._context.socket(zmq.DEALER)
        self._socket.setsockopt(zmq.RECONNECT_IVL, _RETRY_MS[0])
        self._socket.setsockopt(zmq.RECONNECT_IVL_MAX, _RETRY_MS[1])
        self._connections = self._socket.get_monitor_socket(_EVENTS)
        self._connected = False
        if self._credentials is not None:
            secure(self._socket, self._credentials.pair, self._credentials.server)
        self._socket.connect(self._address)
        for end in (self._socket, self._connections):
            self._poller.register(end, zmq.POLLIN)
        self._heard = self._pinged = time.monotonic()
        if self._hello is not None:
            self._say_hello()

    def _disconnect(self, wait_s: float) -> None:
        """Close the connection, and make another one later."""
        if self._socket is None or self._connections is None:
            return
        self._poller.unregister(self._socket)
        self._poller.unregister(self._connections)
        self._socket.disable_monitor()
        self._socket.close(linger=0)
        self._socket = self._connections = None
        self._back_at = time.monotonic() + wait_s
        self._note(f"connecting again in {lasting(wait_s)}; Ctrl-C ends the bot")

    def _connect_in_time(self) -> None:
        if time.monotonic() >= self._back_at:
            self._connect()

    def _hear_of_connection(self) -> None:
        assert self._connections is not None
        event = int.from_bytes(self._connections.recv_multipart()[0][:2], sys.byteorder)
        if event == zmq.EVENT_HANDSHAKE_FAILED_AUTH:
            self._give_up(f"{self._address} refuses the key now: ask the organiser")
        elif event == zmq.EVENT_DISCONNECTED:
            if self._connected and not self._process.asked and self._manner.rejoins:
                self._note(f"the connection to {self._address} is lost; trying to connect again")
        else:
            if self._connected:
                self._say_hello_again()
            self._connected = True

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
                if self._socket is not None:
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
        if self._socket is not None:
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
        if said.get("token") == "":
            # REFEREE_TOKEN is not set here, which many programs read as an empty text.
            del said["token"]
        manner = self._manner
        given = {"name": manner.name, "version": manner.version, "program": manner.program}
        self._hello = said | {field: text for field, text in given.items() if text}
        self._heard = time.monotonic()
        self._say_hello()
        return True

    def _say_hello(self) -> None:
        assert self._hello is not None
        self._greeted = time.monotonic()
        self._send(msgspec.json.encode(self._hello | {"session": self._session}))

    def _say_hello_again(self) -> None:
        """Say hello with the bot's session at a gate that does not know this connection."""
        if self._hello is None or self._said_bye:
            return
        if time.monotonic() - self._greeted > GREETING_S:
            self._note("the daemon's gate was opened anew; saying hello again")
            self._say_hello()

    def _send(self, data: bytes) -> None:
        if self._socket is None:
            # It was said to a daemon that is not there now.
            return
        try:
            self._socket.send(data, zmq.NOBLOCK)
        except zmq.Again:
            self._give_up(f"{self._address} does not take messages; giving up")

    # From the daemon.

    def _from_daemon(self) -> None:
        with contextlib.suppress(zmq.Again):
            while self._socket is not None:
                data = self._socket.recv(zmq.NOBLOCK)
                self._heard = time.monotonic()
                if not self._is_ours(_decoded(data), data):
                    self._to_bot(data)

    def _is_ours(self, said: dict[str, Any], data: bytes) -> bool:
        """Handle what concerns the connection; return whether the message was only about that."""
        match said.get("type"):
            case None:
                self._note(f"{self._address} sent something that is no message")
                return True
            case "pong":
                return said.get("n") == _OUR_PING
            case "ping" if said.get("notice"):
                self._note(f"notice: {str(said['notice'])[: limits.REASON_LENGTH]}")
                self._send(msgspec.json.encode({"type": "pong", "n": said.get("n", 0)}))
                return True
            case "error" if said.get("code") == "no-session" and self._hello is not None:
                self._say_hello_again()
                return True
            case "error" if self._hello is not None and self._session is None:
                # The bot will say no other hello, so there is nothing to wait for.
                why = f"{said.get('code', '')}: {said.get('why', '')}"
                self._give_up(f"the daemon does not take the bot's hello: {why}")
                return True
            case "welcome":
                return self._welcomed(said)
            case "bye" | "refuse":
                self._dismissed(said, data)
                return True
            case "start":
                self._news.started(said)
            case "end":
                self._ended(said)
        return False

    def _welcomed(self, said: dict[str, Any]) -> bool:
        """Take a welcome; return whether the bot has had one before."""
        self._greeted = 0.0
        self._backoff.reset()
        again = self._session is not None
        self._session = str(said.get("session", ""))
        self._site = str(said.get("site", ""))[: limits.REASON_LENGTH]
        if not again:
            self._note(f"welcome at {self._address}{f'; its site is {self._site}' if self._site else ''}")
            return False
        if said.get("resumed"):
            self._note(f"back at {self._address}, with the same session")
        else:
            self._note(f"welcome at {self._address} again, with a new session")
            for start in self._news.open_matches:
                void = _void_end(start)
                self._ended(void)
                self._to_bot(msgspec.json.encode(void))
        return True

    def _dismissed(self, said: dict[str, Any], data: bytes) -> None:
        """Come back if the daemon is restarted; otherwise send the bot away."""
        kind, back_ms = said["type"], said.get("back_ms")
        self._note(f"the daemon says {kind}: {said.get('why', '')}")
        if kind == "bye" and type(back_ms) is int and 0 <= back_ms <= _MOST_BACK_MS and self._manner.rejoins:
            self._disconnect(self._backoff.spread(back_ms / 1_000))
            return
        self._to_bot(data)
        self._failed = self._failed or kind == "refuse"
        self._said_bye = True
        self._process.asked += 1

    def _ended(self, end: dict[str, Any]) -> None:
        """Print what became of a match, and after a fault where its reason can be read."""
        text, fault = self._news.ended(end)
        if text:
            self._note(text)
        if fault:
            self._note(where_to_read_why(str(end.get("match", "")), self._site, self._credentials))

    def _note_lost(self) -> None:
        """Print what the end of the bot has cost: the results of these matches come when it is gone."""
        for match, line in self._news.lost():
            self._note(line)
            self._note(where_to_read_why(match, self._site, self._credentials))

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
            lost = f"no message from {self._address} for {_LOST_S:.0f} s"
            if self._manner.rejoins:
                self._note(lost)
                self._disconnect(self._backoff.next_s())
            else:
                self._give_up(f"{lost}; giving up")
        elif now - max(self._heard, self._pinged) > _PING_S:
            self._pinged = now
            self._send(msgspec.json.encode({"type": "ping", "n": _OUR_PING}))


def _void_end(start: dict[str, Any]) -> dict[str, Any]:
    """Return the end of a match that was lost with its daemon (SPEC.md 5.7)."""
    seats = start.get("seats")
    count = seats if type(seats) is int and 0 < seats <= limits.LIST_LENGTH else 1
    return {
        "type": "end",
        "match": start.get("match", ""),
        "ranks": [1] * count,
        "scores": [0] * count,
        "reason": "",
        "ties": "unordered",
        "faults": [""] * count,
        "reveal": None,
        "void": True,
    }


def _decoded(data: bytes) -> dict[str, Any]:
    """Return a message as a map; empty if it is none."""
    try:
        said = msgspec.json.decode(data)
    except (ValueError, RecursionError):
        return {}
    return said if isinstance(said, dict) else {}
