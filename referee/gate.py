"""One bot's door: what it sends is decoded, limited and stamped here.

Two hosts for the same desk. `run` is a process of its own with one ROUTER socket, for ZeroMQ: a peer can make
libzmq end the process, or eat its memory, so nothing of value lives there. `PipeGate` serves a bot on
stdin/stdout inside the hub's loop: lines and buffers are bounded, and no foreign library is involved.
"""

import contextlib
import ctypes
import os
import socket
import time
from collections.abc import Callable

import msgspec
import zmq

from protocol import limits
from protocol.codec import Encoding, encode, encoding_of, from_bot
from protocol.errors import ProtocolError
from protocol.messages import Act, Bye, Error, Hello, Message, Ping, Pong, Ready, Refuse
from referee.faults import FORGIVABLE, FaultCode
from referee.link import (
    Answered,
    Complained,
    Deliver,
    Down,
    Failed,
    Greeted,
    Left,
    Line,
    Misbehaved,
    Opened,
    Ponged,
    Readied,
    Record,
    Up,
)

_REFILL_NS = 100_000_000
"""A bot's allowance of messages grows by one in this time."""

_PENDING_BYTES = 8 << 20
"""What may wait for a bot that does not read."""

DRAIN = 256
"""Messages taken from a socket before the hub is served again."""


class Desk:
    """Where one bot's messages are received, whatever way they came."""

    __slots__ = ("_allowance", "_asked", "_refilled_ns", "account", "bot", "encoding", "heard_ns")

    def __init__(self, bot: int, now_ns: int, account: str = "") -> None:
        self.bot = bot
        self.account = account
        """Who the bot has proved to be; '' where nobody need."""
        self.encoding = Encoding.JSON
        self.heard_ns = now_ns
        self._asked: dict[str, tuple[int, int]] = {}
        """By running match: the id of the last ask, and when it left."""
        self._allowance = limits.MESSAGES_PER_DECISION
        self._refilled_ns = now_ns

    def leaving(self, match: str, ask: int, now_ns: int) -> None:
        """Note that a message goes out; a new ask, or a new match, refills the allowance.

        What is sent again does not: a bot that asks for it again and again is a flood.
        """
        asked = self._asked.get(match)
        if match and (asked is None or ask not in (0, asked[0])):
            self._asked[match] = (ask, now_ns)
            self._allowance = limits.MESSAGES_PER_DECISION * len(self._asked)

    def forget(self, match: str) -> None:
        """Forget a match that is over."""
        self._asked.pop(match, None)

    def take(self, data: bytes, now_ns: int) -> Up | Message | None:
        """Take a message: return a record for the hub, or a message to send back, or neither."""
        self.heard_ns = now_ns
        self._allowance -= 1
        if self._allowance < 0 and not self._refill(now_ns):
            return self._flood()
        try:
            message = from_bot(data)
        except ProtocolError as error:
            return Misbehaved(self.bot, FaultCode(error.code), str(error))
        if type(message) is Act:
            ask, sent_ns = self._asked.get(message.match, (0, 0))
            actions = message.actions or [message.action or ""]
            return Answered(
                self.bot, message.match, message.id, actions, sent_ns if ask == message.id else 0, now_ns
            )
        return self._other(message, data, now_ns)

    def skip(self, now_ns: int) -> Misbehaved | None:
        """Pass over what is no message but counts as one: a blank line, a message in several frames.

        However much there was of it, whoever pauses is heard again.
        """
        self._allowance = max(-1, self._allowance - 1)
        return self._flood() if self._allowance < 0 and not self._refill(now_ns) else None

    def _flood(self) -> Misbehaved:
        why = f"more than {limits.MESSAGES_PER_DECISION} messages for one decision"
        return Misbehaved(self.bot, FaultCode.FLOOD, why)

    def _refill(self, now_ns: int) -> bool:
        grown = (now_ns - self._refilled_ns) // _REFILL_NS
        self._refilled_ns += grown * _REFILL_NS
        most = limits.MESSAGES_PER_DECISION * max(1, len(self._asked))
        self._allowance = min(most, self._allowance + grown)
        return self._allowance >= 0

    def _other(self, message: Message, data: bytes, now_ns: int) -> Up | Message | None:
        match message:
            case Ready():
                return Readied(self.bot, message.match, now_ns)
            case Ping():
                return Pong(message.n)
            case Pong():
                return Ponged(self.bot, message.n, now_ns)
            case Bye():
                return Left(self.bot, message.why, said=True)
            case Error():
                return Complained(self.bot, message.code, message.why)
            case Hello():
                self.encoding = encoding_of(data)
                return self._greeted(message)
        return None

    def _greeted(self, hello: Hello) -> Greeted:
        return Greeted(
            self.bot,
            hello.protocol,
            hello.name,
            hello.games,
            list(hello.wants),
            hello.capacity,
            hello.session,
            hello.kit,
            self.encoding,
            self.account,
        )


class PipeGate:
    """The gate of a bot on stdin/stdout: JSON, a line each. Lives in the hub's loop and never blocks.

    With `guess` the bot may also turn out to speak ZeroMQ: until a line is a hello, lines are its log.
    """

    def __init__(
        self, desk: Desk, stdin: int, stdout: int, log: Callable[[bytes], None], *, guess: bool = False
    ) -> None:
        os.set_blocking(stdin, False)
        os.set_blocking(stdout, False)
        self.desk = desk
        self.stdin = stdin
        self.stdout = stdout
        self.chatting = guess
        """Whether what comes is its log, not messages."""
        self.deaf = False
        """Whether it has said hello elsewhere, so that nothing here can be one."""
        self.overheard = 0
        """Bytes of its log so far."""
        self.ended = False
        self._log = log
        self._inbox = b""
        self._outbox: list[bytes] = []
        self._waiting = bytearray()

    @property
    def blocked(self) -> bool:
        """Whether something is waiting to be written."""
        return bool(self._waiting or self._outbox)

    def send(self, data: bytes, match: str, ask: int, now_ns: int) -> None:
        """Put a message for the bot into the next `flush`."""
        self.desk.leaving(match, ask, now_ns)
        self._outbox.append(data)

    def flush(self) -> bool:
        """Write what is waiting, as far as the pipe takes it; False if the bot does not read."""
        if self._outbox:
            self._outbox.append(b"")
            self._waiting += b"\n".join(self._outbox)
            self._outbox.clear()
        try:
            while self._waiting:
                written = os.write(self.stdin, self._waiting)
                del self._waiting[:written]
        except BlockingIOError:
            return len(self._waiting) <= _PENDING_BYTES
        except OSError:
            # It closed its stdin: its end is reported by whoever watches the process, or its stdout.
            self._waiting.clear()
        return True

    def receive(self, now_ns: int) -> list[Up]:
        """Return the records of all whole lines that have come in; `ended` is set at the end."""
        try:
            chunk = os.read(self.stdout, limits.MESSAGE_BYTES)
        except BlockingIOError:
            return []
        except OSError:
            chunk = b""
        if not chunk:
            self.ended = True
            return []
        if self.chatting:
            return self._overhear(chunk, now_ns)
        lines = (self._inbox + chunk).split(b"\n")
        self._inbox = lines.pop()
        records = self._take_all(lines, now_ns)
        if len(self._inbox) > limits.MESSAGE_BYTES:
            self._inbox = b""
            why = f"a line of more than {limits.MESSAGE_BYTES} bytes"
            records.append(Misbehaved(self.desk.bot, FaultCode.TOO_LARGE, why))
        return records

    def _take_all(self, lines: list[bytes], now_ns: int) -> list[Up]:
        records: list[Up] = []
        for line in lines:
            record = self._take(line.removesuffix(b"\r"), now_ns)
            if record is not None:
                records.append(record)
                if type(record) is Misbehaved and record.code not in FORGIVABLE:
                    # Nothing it says is heard after this, and there may be a lot of it.
                    break
        return records

    def _take(self, line: bytes, now_ns: int) -> Up | None:
        taken = self.desk.take(line, now_ns) if line else self.desk.skip(now_ns)
        if isinstance(taken, Message):
            self._outbox.append(encode(taken, Encoding.JSON))
            return None
        return taken

    def _overhear(self, chunk: bytes, now_ns: int) -> list[Up]:
        """Look for a hello in what may as well be a log."""
        self.overheard += len(chunk)
        if self.deaf:
            self._log(chunk)
            return []
        lines = (self._inbox + chunk).split(b"\n")
        self._inbox = lines.pop()[-limits.MESSAGE_BYTES :]
        for n, line in enumerate(lines):
            with contextlib.suppress(ProtocolError):
                if line.startswith(b"{") and isinstance(from_bot(line), Hello):
                    self.chatting = False
                    return self._take_all(lines[n:], now_ns)
            self._log(line + b"\n")
        return []

    def close(self) -> None:
        """Close both pipes."""
        for end in (self.stdin, self.stdout):
            with contextlib.suppress(OSError):
                os.close(end)


class Door(msgspec.Struct, frozen=True):
    """What a gate process is told: where to listen, and whom to let in."""

    address: str
    token: str | None
    """The one bot that may enter knows this; None: any bot may."""
    most: int = 1
    """How many bots may be inside at once."""
    keys: str | None = None
    """The folder of keys by which any bot proves who it is; None: it need not."""


class SocketGate:
    """The gate of bots on ZeroMQ: one ROUTER socket on one side, the line to the hub on the other.

    This one is for the one bot that knows the token; `referee.door` has those that are open to more.
    """

    rounds_ms: int | None = None
    """How often `_look_around` is called at least; None: never."""

    def __init__(self, door: Door, line: Line[Down]) -> None:
        self._door = door
        self._line = line
        self._desks: dict[bytes, Desk] = {}
        self._routes: dict[int, bytes] = {}
        self._ups: list[Record] = []
        self._context = zmq.Context()
        self._socket = self._bind()

    def _bind(self) -> "zmq.Socket[bytes]":
        # libzmq numbers its peers from a counter that starts at rand(): unseeded, a stranger could name
        # the next number and so end this process.
        ctypes.CDLL(None).srand(int.from_bytes(os.urandom(4), "little"))
        router = self._context.socket(zmq.ROUTER)
        router.setsockopt(zmq.LINGER, 0)
        router.setsockopt(zmq.ROUTER_MANDATORY, 1)
        router.setsockopt(zmq.SNDHWM, 1_000)
        router.setsockopt(zmq.RCVHWM, 1_000)
        # Somewhat more than a message may have: what is larger by far ends the connection unread.
        router.setsockopt(zmq.MAXMSGSIZE, 4 * limits.MESSAGE_BYTES)
        router.setsockopt(zmq.HANDSHAKE_IVL, 2_000)
        router.setsockopt(zmq.HEARTBEAT_IVL, 2_000)
        router.setsockopt(zmq.HEARTBEAT_TIMEOUT, 6_000)
        self._secure(router)
        router.bind(self._door.address)
        return router

    def _secure(self, router: "zmq.Socket[bytes]") -> None:
        """Set what else the socket needs before anybody can reach it."""

    def _look_around(self, now_ns: int) -> None:
        """Do what is to be done now and then."""

    def run(self) -> None:
        """Serve until the hub is gone."""
        address = self._socket.getsockopt_string(zmq.LAST_ENDPOINT)
        self._line.send([Opened(address, os.getpid())])
        poller = zmq.Poller()
        poller.register(self._socket, zmq.POLLIN)
        poller.register(self._line.socket, zmq.POLLIN)
        while not self._line.closed:
            # The poll asks libzmq itself, so nothing that came in while we were sending is missed.
            for which, _ in poller.poll(self.rounds_ms):
                if which is self._socket:
                    self._take_messages()
                else:
                    for record in self._line.receive():
                        self._obey(record)
            if self.rounds_ms is not None:
                self._look_around(time.monotonic_ns())
            if self._ups:
                self._line.send(self._ups)
                self._ups = []
            if self._line.blocked:
                self._wait_for_the_hub()
        self._close()

    def _close(self) -> None:
        self._context.destroy(linger=0)

    def _wait_for_the_hub(self) -> None:
        """Let the hub catch up before any more is taken from bots."""
        end = self._line.socket
        end.setblocking(True)
        while self._line.blocked and not self._line.closed:
            self._line.flush()
        end.setblocking(False)

    def _take_messages(self) -> None:
        receive, more = self._socket.recv, zmq.RCVMORE
        try:
            for _ in range(DRAIN):
                route = receive(zmq.NOBLOCK)
                data = receive(zmq.NOBLOCK)
                parts = 1
                while self._socket.getsockopt(more):
                    receive(zmq.NOBLOCK)
                    parts += 1
                self._take(route, data, parts)
        except zmq.Again:
            pass

    def _take(self, route: bytes, data: bytes, parts: int) -> None:
        now_ns = time.monotonic_ns()
        desk = self._desks.get(route) or self._new_desk(route, data, now_ns)
        if desk is None:
            return
        if parts > 1:
            why = f"a message of {parts} frames instead of one"
            self._ups.append(desk.skip(now_ns) or Misbehaved(desk.bot, FaultCode.MALFORMED, why))
            return
        taken = desk.take(data, now_ns)
        if isinstance(taken, Message):
            self._send(route, encode(taken, desk.encoding))
        elif taken is not None:
            self._ups.append(taken)

    def _new_desk(self, route: bytes, data: bytes, now_ns: int) -> Desk | None:
        """Let a stranger in, if its first message is a hello that may enter."""
        encoding = encoding_of(data)
        try:
            # An empty frame is what a socket sends by itself when it has connected anew (PROBE_ROUTER).
            hello = from_bot(data) if data else None
        except ProtocolError as error:
            self._send(route, encode(Error(error.code, str(error)), encoding))
            return None
        if not isinstance(hello, Hello):
            self._send(route, encode(Error("no-session", "say hello first"), encoding))
            return None
        desk = self._admit(route, hello, now_ns)
        if isinstance(desk, Refuse):
            self._send(route, encode(desk, encoding))
            self._send(route, encode(Bye(desk.why), encoding))
            return None
        self._desks[route] = desk
        self._routes[desk.bot] = route
        return desk

    def _admit(self, route: bytes, hello: Hello, now_ns: int) -> Desk | Refuse:
        """Return the desk of a bot that may enter, or say why it may not."""
        if hello.token != self._door.token:
            return Refuse("token", "the token is not the one this bot was started with")
        # The newer connection with the token replaces the older one, whose allowance it takes over.
        return self._drop(0) or Desk(0, now_ns)

    def _drop(self, bot: int) -> Desk | None:
        route = self._routes.pop(bot, None)
        return None if route is None else self._desks.pop(route)

    def _obey(self, record: Down) -> None:
        route = self._routes.get(record.bot)
        if route is None:
            return
        if isinstance(record, Deliver):
            self._desks[route].leaving(record.match, record.id, time.monotonic_ns())
            if not self._send(route, record.data):
                self._drop(record.bot)
                self._ups.append(Left(record.bot, "its connection is gone", said=False))
        elif record.match:
            self._desks[route].forget(record.match)
        else:
            self._drop(record.bot)

    def _send(self, route: bytes, data: bytes) -> bool:
        """Send, or say that the peer is gone or does not read."""
        try:
            self._socket.send(route, zmq.SNDMORE | zmq.NOBLOCK)
            self._socket.send(data, zmq.NOBLOCK)
        except zmq.ZMQError:
            return False
        return True


def run(door: Door, end: socket.socket) -> None:
    """Be a gate process until the hub is gone."""
    line: Line[Down] = Line(end, Down)
    try:
        gate = SocketGate(door, line)
    except (zmq.ZMQError, OSError) as error:
        line.send([Failed(f"cannot listen at {door.address}: {error}")])
        return
    gate.run()
