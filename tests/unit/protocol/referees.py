"""Two referees that send what a test gives them: one at the end of pipes, one behind a ROUTER."""

import os
import select
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Self

import zmq

from protocol.codec import Encoding, encode, encoding_of
from protocol.messages import (
    Ask,
    AskClock,
    End,
    FromBot,
    Hello,
    Limits,
    Message,
    Ping,
    Ready,
    Seen,
    Start,
    TimeControl,
    Welcome,
)
from protocol.untrusted import from_bot

ROOT = Path(__file__).parents[3]
PATIENCE_S = 90
"""How long a test waits for what should come at once; a disk that stalls may hold up the start of a bot."""

CLOCK = AskClock(1000, 2000, 50)
WELCOME = Welcome(1, "session-1", Limits())


def start(match: str = "m1", seat: int = 0) -> Start:
    return Start(match, "toy", {}, seat, 2, ["a", "b"], TimeControl(1, 2, 3, 4, 5), "00")


def ask(
    number: int, legal: Sequence[str] = ("draw", "pass"), events: Sequence[Seen] = (), match: str = "m1"
) -> Ask:
    return Ask(match, number, CLOCK, list(events), {"ask": number}, list(legal))


def end(match: str = "m1", events: Sequence[Seen] = ()) -> End:
    return End(match, [1, 2], [3, 4], "goal", "draw", ["", ""], None, list(events))


class Process:
    """A bot's process."""

    def __init__(self, command: Sequence[str], **environment: str) -> None:
        path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={"PATH": os.environ["PATH"], "PYTHONPATH": path, **environment},
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.communicate()

    def leave(self) -> tuple[int, str]:
        """Wait for the end of the bot and return its exit status and its log."""
        _, log = self.process.communicate(timeout=PATIENCE_S)
        return self.process.returncode, log.decode()


class PipeReferee(Process):
    """A referee that talks JSON lines with a bot."""

    _read = b""

    def say(self, *messages: Message) -> None:
        self.say_raw(*(encode(message, Encoding.JSON) for message in messages))

    def say_raw(self, *messages: bytes) -> None:
        """Send what need be no message of ours."""
        assert self.process.stdin
        self.process.stdin.writelines(message + b"\n" for message in messages)
        self.process.stdin.flush()

    def hear(self) -> FromBot:
        assert self.process.stdout
        while b"\n" not in self._read:
            ready, _, _ = select.select([self.process.stdout], [], [], PATIENCE_S)
            assert ready, "the bot says nothing"
            new = os.read(self.process.stdout.fileno(), 65_536)
            assert new, f"the bot has gone, and its last words are {self._read!r}"
            self._read += new
        line, _, self._read = self._read.partition(b"\n")
        return from_bot(line)

    def begin(self) -> Hello:
        """Admit the bot, start a match and return what the bot said of itself."""
        hello = self.hear()
        assert isinstance(hello, Hello)
        self.say(WELCOME, start())
        assert self.hear() == Ready("m1")
        return hello


class RouterReferee:
    """A referee that talks with bots over ZeroMQ, in their encoding."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.encoding = Encoding.MSGPACK
        self._context = zmq.Context()
        self._peer = b""
        self.open()

    def open(self) -> None:
        """Bind a new socket: to bots, the referee has come anew."""
        self._socket: zmq.Socket[bytes] = self._context.socket(zmq.ROUTER)
        self._socket.setsockopt(zmq.LINGER, 0)
        self._socket.bind(self.address)

    def close(self) -> None:
        self._socket.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
        self._context.term()

    def say(self, *messages: Message) -> None:
        self.say_raw(*(encode(message, self.encoding) for message in messages))

    def say_raw(self, *messages: bytes) -> None:
        """Send what need be no message of ours."""
        for message in messages:
            self._socket.send_multipart([self._peer, message])

    def hear(self, *, pings: bool = False) -> FromBot:
        """Return what the bot says next; its pings, which come when the test is slow, only if asked for."""
        while True:
            assert self._socket.poll(PATIENCE_S * 1000), "the bot says nothing"
            self._peer, data = self._socket.recv_multipart()
            self.encoding = encoding_of(data)
            said = from_bot(data)
            if pings or not isinstance(said, Ping):
                return said
