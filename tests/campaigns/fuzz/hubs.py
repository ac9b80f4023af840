"""The hub behind a faulty gate: any frames and any records, while matches are played.

A gate is a disposable process that talks to strangers through a foreign library. For every failure of it the
hub lives on and no match is void by an error of ours.
"""

import socket
from collections.abc import Sequence
from functools import cache
from random import Random
from typing import Any

import msgspec

from protocol.codec import Encoding, from_referee
from protocol.messages import Ask, Start
from referee import registry
from referee.gate.channel import Channel
from referee.gate.config import GateConfig
from referee.gate.records import (
    Answered,
    Complained,
    Deliver,
    Down,
    Failed,
    Greeted,
    Left,
    Misbehaved,
    Opened,
    Ponged,
    Readied,
    Record,
)
from referee.hub.pairing import Finished
from referee.match.faults import FaultCode
from referee.process.forkserver import Forkserver
from referee.server.daemon import Daemon
from referee.server.served_game import ServedGame
from tests.campaigns.fuzz.engine import Target
from tests.campaigns.fuzz.mutation import mutated
from tests.campaigns.fuzz.program import Program
from tests.campaigns.fuzz.replays import scratch

BOTS = 4
_encode = msgspec.msgpack.encode


ADDRESS = "tcp://127.0.0.1:1"


class MadGate(Forkserver):
    """A forkserver that forks no gate: this process is at the other end of the channel."""

    def __init__(self) -> None:
        super().__init__()
        self._end: socket.socket | None = None
        self._channel: Channel[Any] | None = None
        self.asked: dict[int, tuple[str, int, list[str]]] = {}
        """By bot: the match it was last asked in, the id of the ask, and what is legal."""

    def open_gate(self, config: GateConfig) -> socket.socket:
        """Give the hub its end of a new channel, which is open at once."""
        del config
        self.close_gate()
        ours, theirs = socket.socketpair()
        self._end = theirs
        self._channel = Channel(theirs, Down)
        self.send(_encode([Opened(ADDRESS, 0)]))
        return ours

    def close_gate(self) -> None:
        """Close our end."""
        if self._channel is not None:
            self._channel.close()

    def send(self, frame: bytes, length: int | None = None) -> None:
        """Send a frame, and perhaps lie about its length."""
        assert self._end is not None
        size = len(frame) if length is None else length
        try:
            self._end.sendall(size.to_bytes(4, "big") + frame)
        except OSError:
            return  # The hub has had enough of us.

    def listen(self) -> None:
        """Take what the hub has to say, as a gate would, and remember what was asked."""
        assert self._channel is not None
        for record in self._channel.receive():
            if isinstance(record, Deliver):
                message = from_referee(record.data)
                if isinstance(message, Start):
                    self.asked[record.bot] = (message.match, 0, [])
                elif isinstance(message, Ask):
                    self.asked[record.bot] = (message.match, message.id, message.legal or [])


class Scene:
    """A daemon whose gate is mad, and what became of its matches."""

    def __init__(self) -> None:
        self.gate = MadGate()
        folder = scratch().parent / "daemon"
        self.errors: list[str] = []
        game = ServedGame(
            registry.game("coins"),
            2,
            {"rounds": 2},
            folder=folder,
            choose=lambda free, running: list(free)[:2] if len(free) > 1 else None,
        )
        self.daemon = Daemon(
            "tcp://127.0.0.1:0", [game], folder=folder, report=self._hear, forkserver=self.gate
        )
        self.daemon.reopen_ns = 0

    def _hear(self, finished: Finished) -> None:
        if finished.result.void and "error of the referee" in finished.result.reason:
            self.errors.append(finished.result.reason)

    def turn(self) -> None:
        """Let the daemon work on what has come."""
        self.daemon.turn(0)
        self.gate.listen()

    def clear(self) -> None:
        """Disconnect all bots, so that every input begins in the same state."""
        for session in list(self.daemon.hub.sessions):
            session.fail(FaultCode.DISCONNECTED, "the next, please")
        self.gate.asked.clear()
        for _ in range(3):
            self.turn()
        self.errors.clear()


@cache
def scene() -> Scene:
    """Return the daemon of this process."""
    return Scene()


def close() -> None:
    """End the daemon, if there is one."""
    if scene.cache_info().currsize:
        scene().daemon.close()
        scene().gate.close_gate()
        scene.cache_clear()


def check(data: bytes) -> None:
    """No frame of a gate ends the hub, or voids a match by an error of ours."""
    program, here = Program(data), scene()
    here.clear()
    for bot in range(1, 1 + program.below(BOTS + 1)):
        here.gate.send(_encode([_hello(bot), *(Ponged(bot, n, 0) for n in (1, 2, 3))]))
        here.turn()
    for _ in range(80):
        if not program:
            break
        _act(here, program)
        here.turn()
    here.turn()
    assert not here.errors, here.errors[0]
    assert here.daemon.address == ADDRESS, "a gate changed the address of the daemon"


def _hello(bot: int) -> Greeted:
    return Greeted(bot, [1], f"bot{bot}", [], ["view", "legal", "events"], 2, None, "", Encoding.JSON)


def _act(here: Scene, program: Program) -> None:
    kind = program.below(12)
    bot = program.below(BOTS + 2)
    match, ask, legal = here.gate.asked.get(bot, ("m", 1, []))
    if kind < 5:
        action = legal[program.below(len(legal))] if legal and kind else "?"
        said = [Readied(bot, match, 0), Answered(bot, match, ask, [action], 0, 0)]
        here.gate.send(_encode([said[ask > 0]]))
    elif kind < 10:
        here.gate.send(_encode([_record(program, bot, match)]))
    elif kind == 10:
        frame = bytearray(_encode([_record(program, bot, match)]))
        frame[program.below(len(frame)) :] = program.bytes()
        here.gate.send(bytes(frame))
    else:
        here.gate.send(program.bytes(), program.number() % 2**32)


def _record(program: Program, bot: int, match: str) -> Record:
    """Return any record with anything in it."""
    number = program.number() * (1 + 2**10 * program.below(2)) * (1, -1)[program.below(2)]
    number = max(-(2**63), min(2**64 - 1, number))
    match = match if program.below(4) else program.text()
    text = program.text()
    kinds: list[Record] = [
        Opened(text, number),
        Failed(text),
        Greeted(
            bot, [number], text, [text], ["stream", text], 1 + number % 256, text, text, Encoding.MSGPACK
        ),
        Readied(bot, match, number),
        Answered(bot, match, number, [text] * program.below(3), number, number),
        Ponged(bot, number, number),
        Misbehaved(bot, tuple(FaultCode)[number % 12], text),
        Complained(bot, text, text),
        Left(bot, text, said=bool(number % 2)),
        _hello(bot),
    ]
    return kinds[program.below(len(kinds))]


def mutate(luck: Random, corpus: Sequence[bytes]) -> bytes:
    """Return a program: random, or a known one changed."""
    if luck.getrandbits(2) == 0:
        return mutated(luck.choice(corpus), luck, corpus)
    return luck.randbytes(8 + luck.getrandbits(7))


HUB = Target("hub", check, mutate, lambda: [bytes([4]) + bytes(60), bytes([4, *range(100)])], close)
