"""The end of a gate for bots of other hosts: what was sent last, such as a goodbye, still arrives."""

import json
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TypeVar

import pytest
import zmq

from referee.gate.config import GateConfig
from referee.gate.records import Deliver, Greeted, Opened, Record, Up
from referee.hub.event_loop import EventLoop
from referee.hub.gate_client import GateClient
from referee.process.forkserver import Forkserver

PATIENCE_S = 60
HELLO = json.dumps({"type": "hello", "protocol": [1], "name": "x", "wants": ["legal"]}).encode()
MANY = [bytes([number]) * 60_000 for number in range(150)]
"""More than waits in the kernel for a bot that does not read."""

Kind = TypeVar("Kind", bound=Record)


class Hubside:
    """The hub's side of a gate, and what the gate reports."""

    def __init__(self, address: str) -> None:
        self.records: list[Up] = []
        self.loop = EventLoop()
        self.forkserver = Forkserver()
        self.gate = GateClient(
            self.forkserver, self.loop, GateConfig(address, None, most=2), self.records.append
        )

    def next(self, kind: type[Kind]) -> Kind:
        """Wait for a record of this kind, and forget what came before it."""
        end = time.monotonic() + PATIENCE_S
        while not (found := [one for one in self.records if isinstance(one, kind)]):
            assert time.monotonic() < end, self.records
            self.loop.turn(10_000_000)
        self.records.clear()
        return found[0]

    def close(self) -> None:
        self.gate.close()
        self.forkserver.close()
        self.loop.close()


@pytest.fixture
def bots(tmp_path: Path) -> Iterator[list["zmq.Socket[bytes]"]]:
    """Two bots that have said hello, and keep no more than one message before they read."""
    context = zmq.Context()
    found = [context.socket(zmq.DEALER) for _ in range(2)]
    for bot in found:
        bot.setsockopt(zmq.RCVHWM, 1)
        bot.setsockopt(zmq.RCVTIMEO, 5_000)
        bot.connect(f"ipc://{tmp_path / 'gate'}")
    yield found
    context.destroy(linger=0)


def test_what_was_sent_before_a_gate_ends_reaches_a_bot_that_reads_late(
    tmp_path: Path, bots: list["zmq.Socket[bytes]"]
) -> None:
    late, other = bots
    with closing(Hubside(f"ipc://{tmp_path / 'gate'}")) as hub:
        hub.next(Opened)
        numbers = []
        for bot in bots:
            bot.send(HELLO)
            numbers.append(hub.next(Greeted).bot)
        for data in MANY:
            hub.gate.send(Deliver(numbers[0], "", 0, data))
        hub.gate.send(Deliver(numbers[1], "", 0, b"the gate has all"))
        while not other.poll(0):
            hub.loop.turn(10_000_000)
        hub.gate.close()
        assert [late.recv() for _ in MANY] == MANY
