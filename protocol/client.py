"""The Python kit: write `choose`, get a bot.

::

    from protocol.client import run

    def choose(view, legal):
        return legal[0]

    if __name__ == "__main__":
        run(choose)

With REFEREE_ADDRESS in the environment the bot speaks msgpack over ZeroMQ (JSON text with
REFEREE_ENCODING=json), otherwise JSON lines on stdin and stdout; then `print` goes to stderr, which is the
bot's log. A referee elsewhere may want to know who comes: then REFEREE_KEY is the file with the bot's keys,
and REFEREE_SERVER_KEY the referee's public key. `run` returns when the referee says goodbye; over ZeroMQ, if
the goodbye says when the referee will listen again, the bot waits and comes back. An exception in the bot's
own code ends it with a traceback.
"""

import gc
import os
import signal
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from types import FrameType
from typing import Any, NoReturn, Protocol

from protocol import lean  # noqa: F401 - imports msgspec, before any other module does

# isort: split
from msgspec.structs import replace

from protocol import limits
from protocol.codec import Encoding, encode, from_referee
from protocol.messages import (
    Act,
    Ask,
    AskClock,
    Bye,
    End,
    Error,
    Hello,
    Message,
    Ping,
    Pong,
    Ready,
    Refuse,
    Seen,
    Start,
    Tell,
    View,
    Want,
    Welcome,
)

KIT = f"python-kit {limits.VERSION}"
"""What the kit calls itself in `hello`."""

SILENCE_MS = 5_000
"""After this time without a word from the referee, a ping asks whether it is still there (ZeroMQ only)."""

SILENCES = 12
"""After so many such times in a row the referee is given up."""

GREETING_S = 0.2
"""How long after a hello the referee may still complain that there was none."""

RETURN_SPREAD = 0.2
"""By which part of the announced time bots come back later, at most: so they do not all come at once."""

REFUSED = 2
"""The exit status of a bot the referee does not admit."""

Choose = Callable[[View, list[str]], str | list[str]]


class Bot:
    """A bot with memory: make a subclass, and the kit makes one object of it for each match."""

    clock: AskClock
    """The time for the decision at hand; there when `choose` is called."""

    def start(self, start: Start) -> None:
        """Prepare for a match; the time limit is `start.clock.ready_ms`."""

    def see(self, events: list[Seen]) -> None:
        """Take note of what happened since the last call."""

    def choose(self, view: View, legal: list[str]) -> str | list[str]:
        """Return one of the legal actions, or a plan of several."""
        raise NotImplementedError(f"{type(self).__name__} has no method choose(self, view, legal)")

    def end(self, end: End) -> None:
        """Take note of how the match ended."""


class FunctionBot(Bot):
    """A bot without memory around a function."""

    def __init__(self, choose: Choose) -> None:
        self._choose = choose

    def choose(self, view: View, legal: list[str]) -> str | list[str]:
        """Return what the function chooses."""
        return self._choose(view, legal)


def run(
    bot: Choose | type[Bot],
    *,
    name: str | None = None,
    games: Sequence[str] = (),
    wants: Sequence[Want] | None = None,
    capacity: int = 1,
    version: str = "",
) -> None:
    """Play all matches that the referee starts, until it says goodbye.

    `bot` is a function `choose(view, legal)` or a subclass of Bot. `games` are the ids it plays (none: all);
    `wants` is what it is sent, by default what it can make use of: the view and the legal actions, and
    events if it has a method `see`. A bot that does not want its view, or the legal actions, gets empty ones.
    A ladder rates every `version` by itself, if the bot has one.
    Exits with status 2 if the referee refuses the bot.
    """
    make, useful = _maker(bot)
    hello = Hello(
        protocol=[limits.VERSION],
        name=name or _script_name(),
        games=list(games),
        wants=list(useful if wants is None else wants),
        capacity=capacity,
        token=os.environ.get("REFEREE_TOKEN") or None,
        kit=KIT,
        version=version,
    )
    _exit_on_sigterm()
    # What is there now stays to the end. The collector need not look at it, which at the end it does twice.
    gc.freeze()
    address = os.environ.get("REFEREE_ADDRESS")
    wire = _wire_to(address) if address else _Pipes()
    try:
        _Conversation(wire, make, hello).hold()
    finally:
        wire.close()


def _maker(bot: Choose | type[Bot]) -> tuple[Callable[[], Bot], list[Want]]:
    """Return what makes the bot of one match, and what such a bot can make use of."""
    if not isinstance(bot, type):
        return lambda: FunctionBot(bot), ["view", "legal"]
    if not issubclass(bot, Bot):
        raise TypeError(f"{bot.__name__} is no subclass of protocol.client.Bot")
    return bot, ["view", "legal"] if bot.see is Bot.see else ["view", "legal", "events"]


def _script_name() -> str:
    """Return the name of the script that runs, as far as it makes a name."""
    name = os.path.splitext(os.path.basename(sys.argv[0]))[0][: limits.NAME_LENGTH]
    return name if name.isprintable() and name not in {"", "-c", "-"} else "bot"


def _exit_on_sigterm() -> None:
    def leave(_signal: int, _frame: FrameType | None) -> NoReturn:
        sys.exit(0)

    # A bot that runs in a thread of a larger program leaves signals to that program.
    with suppress(ValueError):
        signal.signal(signal.SIGTERM, leave)


class _Wire(Protocol):
    """A way to the referee and back."""

    encoding: Encoding
    lasts: bool
    """Whether the way is still there after the referee has closed."""

    def send(self, data: bytes) -> None:
        """Send one message."""

    def receive(self) -> bytes | None:
        """Wait for a message; None after a time of silence, nothing (b"") when the referee has gone."""

    def close(self) -> None:
        """Leave."""


class _Pipes:
    """JSON lines on stdin and stdout."""

    encoding = Encoding.JSON
    lasts = False

    def __init__(self) -> None:
        self._read = sys.stdin.buffer.readline
        # Only messages may go to the real stdout, so what the bot prints goes to stderr, its log.
        self._out = os.dup(1)
        os.dup2(2, 1)
        sys.stdout = sys.stderr

    def send(self, data: bytes) -> None:
        """Send one message; if the referee has closed the pipe, end the bot."""
        data += b"\n"
        try:
            while data:
                data = data[os.write(self._out, data) :]
        except BrokenPipeError:
            sys.exit(0)

    def receive(self) -> bytes | None:
        """Wait for a line."""
        return self._read()

    def close(self) -> None:
        """Close the way out; stdin is the interpreter's."""
        os.close(self._out)


class _Socket:
    """A DEALER socket that is connected to the referee's ROUTER."""

    lasts = True

    def __init__(self, address: str) -> None:
        # Imported only here, because it costs a bot on pipes half of its start-up time.
        import zmq

        self.encoding = Encoding(os.environ.get("REFEREE_ENCODING") or "msgpack")
        self._again = zmq.Again
        self._context = zmq.Context()
        self._socket = self._context.socket(zmq.DEALER)
        self._socket.setsockopt(zmq.LINGER, 0)
        self._socket.setsockopt(zmq.RCVTIMEO, SILENCE_MS)
        # While there is no connection nothing piles up to be delivered in a heap later: sending waits.
        self._socket.setsockopt(zmq.IMMEDIATE, 1)
        self._socket.setsockopt(zmq.SNDTIMEO, SILENCES * SILENCE_MS)
        if address.startswith("tcp:"):
            # After every reconnection an empty frame: a gate that was opened anew then asks for our hello.
            self._socket.setsockopt(zmq.PROBE_ROUTER, 1)
        self._show_key()
        self._socket.connect(address)
        self._send = self._socket.send
        self._receive = self._socket.recv

    def _show_key(self) -> None:
        """Be ready to prove who we are, if there is a key for that; exit if it is no good."""
        path, server = os.environ.get("REFEREE_KEY"), os.environ.get("REFEREE_SERVER_KEY")
        if not path and not server:
            return
        # Imported only here: most bots have no keys, and all want to start fast.
        from pathlib import Path

        from protocol.keys import KeyFileError, is_key, read_pair, secure

        if not (path and server and is_key(server)):
            sys.exit("referee: REFEREE_KEY (a file) and REFEREE_SERVER_KEY (40 characters) go together")
        try:
            secure(self._socket, read_pair(Path(path)), server)
        except KeyFileError as error:
            sys.exit(f"referee: {error}")

    def send(self, data: bytes) -> None:
        """Send a message; without a connection this waits for one, but not for ever."""
        try:
            self._send(data)
        except self._again:
            sys.exit("referee: no connection for a long time, giving up")

    def receive(self) -> bytes | None:
        """Wait for a message, those that have already come first."""
        try:
            return self._receive()
        except self._again:
            return None

    def close(self) -> None:
        """Close the socket without waiting for unsent messages."""
        self._socket.close()
        self._context.term()


class _Place:
    """The bot's place in one match: the last ask, and the bytes it was answered with."""

    __slots__ = ("answer", "ask", "bot", "refused")

    def __init__(self, bot: Bot) -> None:
        self.bot = bot
        self.ask: Ask | None = None
        self.answer = b""
        self.refused = False
        """Whether the answer was refused, so that the same ask will come again."""


def _wire_to(address: str) -> _Wire:
    """Return the way to a referee at an address of ZeroMQ's."""
    path = address.removeprefix("ipc://")
    # The token says that this referee has started the bot: when it has gone there is none to come back to.
    if path.startswith("/") and os.environ.get("REFEREE_TOKEN"):
        # Imported only here, as ZeroMQ is: a bot on pipes needs neither.
        from protocol.local_socket import LocalSocket

        return LocalSocket(path, os.environ.get("REFEREE_ENCODING") or "msgpack", SILENCE_MS)
    return _Socket(address)


class _Conversation:
    """What is said between one bot and the referee."""

    def __init__(self, wire: _Wire, make: Callable[[], Bot], hello: Hello) -> None:
        self._wire = wire
        self._encoding = wire.encoding
        self._make = make
        self._hello = hello
        self._greeted_at = 0.0
        """When the hello under way was said: complaints that there was none, just after, are of the past."""
        self._places: dict[str, _Place] = {}
        self._over = False
        self._hear: dict[type, Callable[[Any], None]] = {
            Ask: self._ask,
            Tell: self._tell,
            Start: self._start,
            End: self._end,
            Ping: self._ping,
            Pong: self._pong,
            Error: self._error,
            Welcome: self._welcome,
            Refuse: self._refuse,
            Bye: self._bye,
        }

    def hold(self) -> None:
        """Talk until the referee has gone."""
        self._greet()
        receive, hear = self._wire.receive, self._hear
        silences = 0
        while not self._over:
            data = receive()
            if data:
                silences = 0
                message = from_referee(data)
                hear[type(message)](message)
            elif data is None:
                silences += 1
                if silences > SILENCES:
                    sys.exit("referee: no word for a long time, giving up")
                # If the hello was lost, the answer to the ping will say so.
                self._say(Ping())
            else:
                return

    def _say(self, message: Message) -> None:
        self._wire.send(encode(message, self._encoding))

    def _greet(self) -> None:
        self._greeted_at = time.monotonic()
        self._say(self._hello)

    def _welcome(self, welcome: Welcome) -> None:
        self._greeted_at = 0.0
        self._hello = replace(self._hello, session=welcome.session)
        if not welcome.resumed:
            self._places.clear()

    def _refuse(self, refuse: Refuse) -> NoReturn:
        _log(f"refused: {refuse.code}: {refuse.why}")
        sys.exit(REFUSED)

    def _start(self, start: Start) -> None:
        # After a resumed session the same start may come again, because our ready was lost.
        if start.match not in self._places:
            place = self._places[start.match] = _Place(self._make())
            place.bot.start(start)
        self._say(Ready(start.match))

    def _ask(self, ask: Ask) -> None:
        place = self._places[ask.match]
        if place.ask is not None and place.ask.id == ask.id:
            if place.refused:
                # A strike: the bot has another try within the same time.
                place.refused = False
                self._answer(place, ask)
            else:
                # A resumed session: our answer was lost, and the bot has already seen these events.
                self._wire.send(place.answer)
            return
        place.ask = ask
        if ask.events:
            place.bot.see(ask.events)
        self._answer(place, ask)

    def _answer(self, place: _Place, ask: Ask) -> None:
        place.bot.clock = ask.clock
        chosen = place.bot.choose(ask.view or {}, ask.legal or [])
        if type(chosen) is str:
            act = Act(ask.match, ask.id, chosen)
        elif isinstance(chosen, list) and chosen:
            act = Act(ask.match, ask.id, actions=chosen)
        else:
            raise TypeError(f"choose returned {chosen!r}, which is neither an action nor a list of actions")
        place.answer = encode(act, self._encoding)
        self._wire.send(place.answer)

    def _tell(self, tell: Tell) -> None:
        self._places[tell.match].bot.see(tell.events)

    def _end(self, end: End) -> None:
        place = self._places.pop(end.match, None)
        if place is not None:
            if end.events:
                place.bot.see(end.events)
            place.bot.end(end)

    def _error(self, error: Error) -> None:
        if error.code == "no-session":
            if time.monotonic() - self._greeted_at > GREETING_S:
                self._greet()
            return
        # Imported only here: a bot that makes no mistakes does not need it, and all want to start fast.
        from protocol.text import line

        _log(line(error))
        place = self._places.get(error.match or "")
        if place and place.ask and error.id == place.ask.id and error.code in {"illegal", "malformed"}:
            place.refused = True

    def _ping(self, ping: Ping) -> None:
        if ping.notice:
            _log(ping.notice)
        self._say(Pong(ping.n))

    def _pong(self, pong: Pong) -> None:
        """Do nothing: it was a sign of life, and has been heard."""

    def _bye(self, bye: Bye) -> None:
        if bye.back_ms is None or not self._wire.lasts:
            self._over = True
            return
        _log(f"{bye.why}; back in {bye.back_ms / 1000:.0f} s")
        time.sleep(bye.back_ms / 1000 * (1 + RETURN_SPREAD * os.urandom(1)[0] / 255))
        self._greet()


def _log(text: str) -> None:
    sys.stderr.write(f"referee: {text}\n")
    sys.stderr.flush()
