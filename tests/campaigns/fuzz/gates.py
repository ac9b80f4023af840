"""The gate: a bot's lines and frames on one side, records for the hub on the other."""

import os
import socket
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from random import Random
from typing import Any, get_args

import msgspec

from protocol.codec import from_referee
from referee.gate.channel import Channel
from referee.gate.config import GateConfig
from referee.gate.inbox import Inbox
from referee.gate.local import LocalGate
from referee.gate.pipe import PipeGate
from referee.gate.reception import Reception
from referee.gate.records import Deliver, Down, Forget, Up
from referee.gate.router import SocketGate
from referee.match.clock import MS
from tests.campaigns.fuzz.codecs import mutate as mutate_message
from tests.campaigns.fuzz.codecs import vectors
from tests.campaigns.fuzz.engine import Target
from tests.campaigns.fuzz.mutation import mutated
from tests.campaigns.fuzz.program import Program
from tests.campaigns.fuzz.replays import scratch

TOKEN = "5f0c2a7d9e31b486"
"""The token in the golden messages."""

_pack = msgspec.msgpack.encode
_unpack = msgspec.msgpack.Decoder(list[Up]).decode


def told(records: Sequence[Up]) -> None:
    """Check that every record reaches the hub unchanged."""
    for record in records:
        assert isinstance(record, get_args(Up)), f"{record!r} is no record"
    assert _unpack(_pack(list(records))) == list(records), "a record changed on its way"


def check_pipe(data: bytes) -> None:
    """All bytes that a bot writes to its stdout become records, answers or log."""
    program = Program(data)
    with _pipes() as (gate, write, read):
        now_ns = 0
        for _ in range(60):
            if not program or gate.ended:
                break
            kind = program.below(8)
            now_ns += program.below(4) * 50 * MS
            if kind < 4:
                _write(write, program.bytes() + (b"\n" if kind else b""))
            elif kind == 4:
                gate.send(b'{"type":"ping"}', f"m{program.below(3)}", program.below(3), now_ns)
            elif kind == 5:
                gate.inbox.forget(f"m{program.below(3)}")
            elif kind == 6:
                gate.deaf = bool(program.below(2))
            told(gate.receive(now_ns))
            gate.flush()
            _read_answers(read)


@contextmanager
def _pipes() -> Iterator[tuple[PipeGate, int, int]]:
    theirs_in, ours_in = os.pipe()
    ours_out, theirs_out = os.pipe()
    os.set_blocking(theirs_in, False)
    os.set_blocking(theirs_out, False)
    gate = PipeGate(Inbox(0, 0), ours_in, ours_out, lambda _: None, guess=bool(theirs_in % 2))
    try:
        yield gate, theirs_out, theirs_in
    finally:
        gate.close()
        os.close(theirs_in)
        os.close(theirs_out)


def _write(end: int, data: bytes) -> None:
    try:
        os.write(end, data)
    except BlockingIOError:
        return


def _read_answers(end: int) -> None:
    """See that what the bot is sent back are messages, one a line."""
    try:
        data = os.read(end, 1 << 20)
    except BlockingIOError:
        return
    for line in data.split(b"\n")[:-1]:
        from_referee(line)


@cache
def _sockets() -> tuple[LocalGate, SocketGate]:
    """Return the gate of one bot, and one with libzmq that has room for two."""
    path = scratch().with_name("gate")
    path.unlink(missing_ok=True)
    own = LocalGate(path, TOKEN, lambda _: None)
    return own, _gate(GateConfig("inproc://public", None, 2))


def _gate(config: GateConfig) -> SocketGate:
    ours, theirs = socket.socketpair()
    # Records are collected here, so neither end of the channel is needed.
    theirs.close()
    channel: Channel[Down] = Channel(ours, Down)
    channel.close()
    return SocketGate(config, channel)


def close() -> None:
    """Close the sockets of the gate, if there is one."""
    if _sockets.cache_info().currsize:
        for gate in _sockets():
            gate.close()
        _sockets.cache_clear()


def check_socket(data: bytes) -> None:
    """All frames from ZeroMQ become records; no bot is admitted without the token, or without room."""
    program = Program(data)
    open_to_all = program.below(2)
    gate: Reception[Any] = _sockets()[open_to_all]
    for bot in gate.bots:
        gate.obey(Forget(bot, ""))
    assert not gate.bots, "a bot is still inside after it was forgotten"
    for _ in range(60):
        if not program:
            break
        kind, number = program.below(8), program.below(3)
        route = bytes([number]) if open_to_all else number
        if kind < 6:
            said = vectors()[program.below(200) % len(vectors())] if kind < 3 else program.bytes()
            gate.take(route, said, 1 + (kind == 5), time.monotonic_ns())
        elif kind == 6:
            gate.obey(Deliver(program.below(2), f"m{program.below(3)}", program.below(3), b"{}"))
        else:
            gate.obey(Forget(program.below(2), ("", "m0")[program.below(2)]))
        assert len(set(gate.bots)) == len(gate.bots) <= 1 + open_to_all, "more bots inside than are let in"
        told([record for record in gate.collect() if isinstance(record, get_args(Up))])


def check(data: bytes) -> None:
    """Run one program, by pipe or by socket."""
    (check_pipe if data[:1] < b"\x80" else check_socket)(data[1:])


def mutate(luck: Random, corpus: Sequence[bytes]) -> bytes:
    """Return a program: random steps with messages in them, or a known one changed."""
    if luck.getrandbits(2) == 0:
        return mutated(luck.choice(corpus), luck, corpus)
    steps = [luck.randbytes(1)]
    for _ in range(1 + luck.getrandbits(4)):
        said = mutate_message(luck, vectors())[:62] if luck.getrandbits(1) else luck.choice(_SHORT)
        steps += [luck.randbytes(2), bytes([len(said)]), said]
    return b"".join(steps)


_SHORT = [message for message in vectors() if len(message) <= 62]

GATE = Target("gate", check, mutate, lambda: [b"\x00" + bytes(8), b"\xff" + bytes(range(64))], close)
