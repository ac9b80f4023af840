"""One running bot as the kit talks with it. What every message must keep to is judged here, all the time."""

import contextlib
import math
import time
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import msgspec
import zmq

from protocol.codec import Encoding, encode, encoding_of
from protocol.errors import MalformedError, TooLargeError
from protocol.flaws import Flaw
from protocol.limits import VERSION
from protocol.messages import (
    Act,
    Ask,
    Bye,
    End,
    Error,
    FromBot,
    Hello,
    Limits,
    Message,
    Ping,
    Pong,
    Ready,
    Start,
    Welcome,
)
from protocol.untrusted import from_bot
from referee.conformance.findings import UnmetError
from referee.conformance.transports import Raw, SocketTransport, Transport
from referee.gate.inbox import Inbox
from referee.process.client import BotProcess
from referee.replay.stray_print import cure_for

M = TypeVar("M", bound=Message)

SHOWN_LENGTH = 400
"""Characters of a message that are shown."""

_LAST_WORDS_S = 0.05
"""What a bot that has ended may have sent can still be under way for this long."""

_BY_FLAW = {Flaw.VALUE: "3.2", Flaw.TEXT: "3.3", Flaw.LIMIT: "3.5"}
"""Which paragraph a malformed message breaks, by its flaw."""

_BY_TYPE = {"hello": "4.1", "ready": "4.2", "act": "4.3"}
"""Which paragraph describes the fields of a message, by its type; 3.4 is about those of all others."""


class KitTimeouts(NamedTuple):
    """How long the kit waits, in seconds."""

    hello_s: float = 10.0
    answer_s: float = 10.0
    """For anything else the bot owes."""
    goodbye_s: float = 1.0
    end: float = math.inf
    """When everything must be over, by the monotonic clock: then no answer is waited for any more."""

    @property
    def is_over(self) -> bool:
        """Whether the time for everything is over."""
        return time.monotonic() >= self.end


def _plain(data: bytes, *, packed: bool) -> Any:
    """Return a message as plain values; raises ValueError, RecursionError or TypeError if it is none."""
    return msgspec.msgpack.decode(data) if packed and data[:1] != b"{" else msgspec.json.decode(data)


def _type_of(data: bytes) -> str:
    """Return the type that a message gives itself; '' if it gives none."""
    with contextlib.suppress(ValueError, RecursionError, TypeError):
        plain = _plain(data, packed=True)
        return str(plain.get("type", "")) if isinstance(plain, dict) else ""
    return ""


def shown(data: bytes, *, packed: bool = True) -> str:
    """Return a message of either side as JSON text, cut if it is long; what is none as Python's bytes.

    `packed`: it may be msgpack. On stdout almost any line could be read as that, and would mean nothing.
    """
    try:
        text = msgspec.json.encode(_plain(data, packed=packed)).decode()
    except (ValueError, RecursionError, TypeError):
        text = repr(data[: 2 * SHOWN_LENGTH])
    return text if len(text) <= SHOWN_LENGTH else f"{text[:SHOWN_LENGTH]}... ({len(data)} bytes)"


def came_instead(message: Message | None) -> str:
    """Describe what came in place of something else."""
    return "nothing more came" if message is None else f"{called(message)} came"


def called(message: Message) -> str:
    """Return what a message is called, with its article."""
    name = type(message).__name__.lower()
    return f"an {name}" if name[0] in "ae" else f"a {name}"


class Conversation:
    """A bot, and what was said between it and the kit."""

    def __init__(
        self, wire: Transport, process: BotProcess | None, patience: KitTimeouts, token: str = ""
    ) -> None:
        self.wire = wire
        self.process = process
        self.patience = patience
        self.token = token
        """What it was given as REFEREE_TOKEN; '' if it was not started by the kit."""
        self.session = "kit-session-1"
        self.hello: Hello | None = None
        self.flaw: UnmetError | None = None
        """What was wrong with what it said in place of a hello."""
        self.encoding = Encoding.JSON
        self._spoke = Encoding.JSON
        """The encoding of its last message."""
        self.open: dict[str, int] = {}
        """By match: the id of the ask that is open."""
        self.plans: list[Act] = []
        """The plans it has sent."""
        self._began = time.monotonic()
        self._asked: dict[str, int] = {}
        """By match that runs: the id of the last ask."""
        self._over: set[str] = set()
        self._allowance = Inbox(0, time.monotonic_ns())
        self._inbox: list[Raw] = []
        self._sent: list[str] = []
        self._complaints = 0
        """How often the bot was asked to say hello; each request may bring a hello, also a late one."""
        self._came: list[str] = []
        self._pings = 0

    # What was said.

    def turn_page(self) -> None:
        """Forget what was said: a new step begins."""
        self._sent.clear()
        self._came.clear()

    def sent(self) -> list[str]:
        """Return the last messages of the kit."""
        return self._sent[-4:]

    def came(self) -> list[str]:
        """Return what the bot did last."""
        came = self._came[-6:]
        if self.process is not None:
            self.process.read()
            if self.process.end is not None:
                came.append(f"[its process {self.process.end.in_words()}]")
            came += [f"[stderr] {line}" for line in self.process.stderr.since(0).splitlines()[-5:]]
        return came or ["nothing"]

    # Talking.

    def say(self, message: Message, **changes: Any) -> None:
        """Send a message; `changes` put other fields into it, in its place or as unknown ones."""
        if not changes:
            data = encode(message, self.encoding)
        else:
            data = self._encode(msgspec.to_builtins(message) | changes)
        self.say_bytes(data, message)

    def say_reversed(self, message: Message) -> None:
        """Send a message with its fields in the opposite order."""
        plain = msgspec.to_builtins(message)
        self.say_bytes(self._encode(dict(reversed(plain.items()))), message)

    def _encode(self, plain: dict[str, Any]) -> bytes:
        return msgspec.json.encode(plain) if self.encoding == Encoding.JSON else msgspec.msgpack.encode(plain)

    def say_bytes(self, data: bytes, message: Message) -> None:
        """Send these bytes, which mean this message."""
        self._sent.append(shown(data))
        self._keep_books(message)
        if not self.wire.send(data, self.patience.answer_s):
            raise UnmetError("that the bot reads what it is sent", "it does not read any more", "10.1")

    def _keep_books(self, message: Message) -> None:
        now_ns = time.monotonic_ns()
        match message:
            case Start():
                self._asked[message.match] = 0
                self._over.discard(message.match)
                self._allowance.leaving(message.match, 0, now_ns)
            case Ask():
                self._asked[message.match] = self.open[message.match] = message.id
                self._allowance.leaving(message.match, message.id, now_ns)
            case End():
                self._asked.pop(message.match, None)
                self.open.pop(message.match, None)
                self._over.add(message.match)
                self._allowance.forget(message.match)

    # Hearing.

    def poll(self, within_s: float) -> bool:
        """Wait for news of the bot; False if there are none."""
        poller = zmq.Poller()
        if not self.wire.closed:
            poller.register(self.wire.source(), zmq.POLLIN)
        if self.process is not None and self.process.end is None:
            poller.register(self.process.fileno(), zmq.POLLIN)
        news = [source for source, _ in poller.poll(max(0, int(within_s * 1_000 + 0.999)))]
        if self.process is not None and self.process.fileno() in news:
            self.process.read()
        if any(source == self.wire.source() for source in news):
            self._inbox += self.wire.receive()
        return bool(news)

    def has_ended(self) -> bool:
        """Return whether the bot can say nothing any more, because it has ended or closed its end."""
        if self._inbox:
            return False
        return self.wire.closed or (self.process is not None and self.process.end is not None)

    def next(self, within_s: float) -> FromBot | None:
        """Return the bot's next message; None if none comes in time, or ever.

        Raises UnmetError for a message that breaks what every message must keep to.
        """
        until = min(time.monotonic() + within_s, self.patience.end)
        is_last = False
        while True:
            while self._inbox:
                message = self._take(self._inbox.pop(0))
                if message is not None:
                    return message
            if is_last:
                return None
            # What has come by now counts, however late it is when we look.
            left = until - time.monotonic()
            is_last = left <= 0
            if self.has_ended():
                is_last = not self.poll(_LAST_WORDS_S) or is_last
            else:
                self.poll(left)

    def _take(self, raw: Raw) -> FromBot | None:
        is_stranger = isinstance(self.wire, SocketTransport) and raw.route != self.wire.route
        if not raw.data and (self.wire.transport == "stdio" or is_stranger):
            # A blank line, or what a socket sends by itself when it has connected anew.
            self._count()
            if is_stranger:
                self._lose(raw)
            return None
        self._came.append(self._shown(raw.data))
        self._count()
        self._check_form(raw)
        self._spoke = encoding_of(raw.data)
        message = self._decoded(raw.data)
        if isinstance(self.wire, SocketTransport) and is_stranger:
            if not isinstance(message, Hello):
                self._lose(raw)
                return None
            self.wire.route = raw.route
        if isinstance(message, Ping):
            self.say(Pong(message.n))
            return None
        return None if isinstance(message, Error) else message

    def _shown(self, data: bytes) -> str:
        return shown(data, packed=self.wire.transport == "zmq")

    def _lose(self, raw: Raw) -> None:
        """Send `no-session` to a connection."""
        assert isinstance(self.wire, SocketTransport)
        lost = Error("no-session", "the referee does not know this connection: say hello")
        self.wire.send_to(raw.route, encode(lost, encoding_of(raw.data)))
        self._sent.append(shown(encode(lost, Encoding.JSON)))
        self._complaints += 1

    def _count(self) -> None:
        if self._allowance.skip(time.monotonic_ns()) is not None:
            raise UnmetError(
                "no more messages than the allowance of 64 for each match",
                "more came than that, between two messages that fill it up",
                "10.7",
                "allowance",
            )

    def _check_form(self, raw: Raw) -> None:
        if raw.frames != 1:
            raise UnmetError(
                "one frame for each message", f"a message of {raw.frames} frames", "2.2", "one-frame"
            )
        if self.wire.transport == "stdio" and not raw.data.startswith(b"{"):
            command = self.process.program.command_line() if self.process is not None else ""
            came = f"the line {self._shown(raw.data)}; print to stderr: {cure_for(command)}"
            raise UnmetError("nothing on stdout but messages", came, "2.6", "clean-stdout")
        if self.hello is not None and encoding_of(raw.data) is not self.encoding:
            came = f"a message in {encoding_of(raw.data)} after a hello in {self.encoding}"
            raise UnmetError("one encoding from the hello on", came, "2.3", "one-encoding")

    def _decoded(self, data: bytes) -> FromBot:
        try:
            return from_bot(data)
        except TooLargeError as error:
            raise UnmetError(
                "messages of at most 65536 bytes", f"one of {error}", "3.5", "message-size"
            ) from error
        except MalformedError as error:
            cited = _BY_FLAW.get(error.flaw) or _BY_TYPE.get(_type_of(data), "3.4")
            raise UnmetError(
                "a message of the protocol", f"malformed: {error}", cited, "well-formed"
            ) from error

    # What is owed.

    def expect(
        self,
        kind: type[M],
        expected: str,
        paragraph: str,
        fits: Callable[[M], bool] = lambda _: True,
        within_s: float | None = None,
    ) -> M:
        """Return the message that the bot owes; what may come before it is passed over."""
        limit_s = self.patience.answer_s if within_s is None else within_s
        until = time.monotonic() + limit_s
        while (message := self.next(until - time.monotonic())) is not None:
            if isinstance(message, kind):
                if fits(message):
                    return message
                if kind is Pong or not self.is_stale(message):
                    raise UnmetError(expected, "the message that came is not that", paragraph)
            elif not self.is_stale(message):
                raise UnmetError(expected, f"{called(message)} came that nothing called for", paragraph)
        if self.has_ended():
            raise UnmetError(expected, "the bot has gone", paragraph)
        raise UnmetError(expected, f"nothing of the kind came within {limit_s:.3g} s", paragraph)

    def is_stale(self, message: Message) -> bool:
        """Return whether a message means nothing (any more); answer it as a referee would."""
        if isinstance(message, Pong):
            return True
        if isinstance(message, Hello) and self._complaints > 0:
            # We complained more than once: of messages that had piled up.
            self._complaints -= 1
            self.welcome(resumed=True)
            return True
        if not isinstance(message, Act | Ready):
            return False
        if message.match in self._over:
            return True
        last = self._asked.get(message.match)
        if last is None:
            return False
        if isinstance(message, Ready):
            self.say(Error("not-now", "ready is said once, after start", match=message.match))
            return True
        if 0 < message.id < last or (0 < message.id == last and message.match not in self.open):
            self.say(Error("stale", "that ask is not open", match=message.match, id=message.id))
            return True
        return False

    def greet(self) -> Hello:
        """Return the bot's hello."""
        if self.flaw is not None:
            raise self.flaw
        left_s = self.patience.hello_s - (time.monotonic() - self._began)
        hello = self.expect(Hello, "a hello", "4.1", within_s=max(0.1, left_s))
        self.take_hello(hello)
        return hello

    def take_hello(self, hello: Hello) -> None:
        """Take a hello for the bot's own."""
        self.hello = hello
        self.encoding = self._spoke

    def welcome(self, *, resumed: bool = False) -> None:
        """Admit the bot."""
        self.say(Welcome(VERSION, self.session, Limits(), resumed))

    def next_act(self, expected: str = "an act") -> Act:
        """Return an answer to one of the open asks."""
        act = self.expect(Act, expected, "6.4", lambda act: self.open.get(act.match) == act.id)
        del self.open[act.match]
        if act.actions is not None:
            self.plans.append(act)
        return act

    def ping(self, n: int | None = None) -> None:
        """See that the bot answers a ping; so all it said before has been heard."""
        self._pings += 1
        n = self._pings if n is None else n
        self.say(Ping(n))
        self.expect(Pong, f"a pong with n {n}", "5.8", lambda pong: pong.n == n)

    def only_pong(self, expected: str, paragraph: str) -> None:
        """See that nothing but the answer comes to a ping: all that was said before it has come, too."""
        self._pings += 1
        self.say(Ping(self._pings))
        message = self.next(self.patience.answer_s)
        if isinstance(message, Act | Ready):
            raise UnmetError(expected, came_instead(message), paragraph)
        if not isinstance(message, Pong):
            raise UnmetError(f"a pong with n {self._pings}", came_instead(message), "5.8")

    # Leaving.

    def leaves(self, within_s: float) -> bool:
        """Return whether the bot's process ends by itself in time."""
        until = time.monotonic() + within_s
        while self.process is not None and self.process.end is None:
            left = until - time.monotonic()
            if left <= 0:
                return False
            self.poll(left)
            self._inbox.clear()
        return True

    def bid_farewell(self) -> None:
        """Send `bye`, if the bot is connected, and end what is left of it."""
        if self.hello is not None and not self.has_ended():
            self.wire.send(encode(Bye(), self.encoding), 0)
        self.close()

    def close(self) -> None:
        """End the bot, if the kit started it."""
        if self.process is not None:
            self.process.close()
        self.wire.close()
