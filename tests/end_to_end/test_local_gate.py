"""Gates without libzmq, in the hub's loop and in a process: bad peers, real ones of libzmq, lost connections.

What a bad peer does there costs at most its own match.
"""

import json
import select
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
import zmq

from protocol import limits, zmtp
from referee.gate.config import GateConfig
from referee.gate.records import Deliver, Greeted, Left, Misbehaved, Opened, Readied, Rejected, Up
from referee.hub.event_loop import EventLoop
from referee.hub.gate_client import GateClient
from referee.hub.hub import Hub
from referee.hub.loop_gate import LoopGate
from referee.hub.pairing import Finished
from referee.match.faults import FaultCode
from referee.process.forkserver import Forkserver
from referee.process.spec import BotSpec, program
from tests.end_to_end.hubs import ROOT, UNHURRIED, pairings, sample

PATIENCE_S = 60
HELLO = {"type": "hello", "protocol": [1], "name": "x", "wants": ["legal"]}


class Door:
    """A gate in a loop, and what it reports."""

    def __init__(self, path: Path, token: str, forkserver: Forkserver | None = None) -> None:
        """Open the gate in the loop, or with a forkserver in a process of its own."""
        self.loop = EventLoop()
        self.records: list[Up] = []
        self.path = path
        self.token = token
        self.gate: LoopGate | GateClient
        if forkserver is None:
            self.gate = LoopGate(self.loop, path, token, self.records.append)
        else:
            config = GateConfig(f"ipc://{path}", token)
            self.gate = GateClient(forkserver, self.loop, config, self.records.append)
            self.turn_until(Opened)

    def turn_until(self, kind: type) -> Up:
        """Turn the loop until such a record has come, and return the last of them."""
        end = time.monotonic() + PATIENCE_S
        while not (found := [record for record in self.records if isinstance(record, kind)]):
            assert time.monotonic() < end, f"there came no {kind.__name__}: {self.records}"
            self.loop.turn(10_000_000)
        return found[-1]

    def is_cut(self, end: socket.socket) -> bool:
        """Turn the loop until a raw connection is closed from this side."""
        end.setblocking(False)
        until = time.monotonic() + PATIENCE_S
        while time.monotonic() < until:
            self.loop.turn(10_000_000)
            try:
                if not end.recv(65_536):
                    return True
            except BlockingIOError:
                pass
            except ConnectionResetError:
                return True
        return False

    def raw(self, *frames: bytes) -> socket.socket:
        """Return a connection that has sent this after its handshake."""
        end = socket.socket(socket.AF_UNIX)
        end.settimeout(PATIENCE_S)
        end.connect(str(self.path))
        end.sendall(zmtp.opening(b"DEALER") + b"".join(frames))
        return end

    def hello(self, **fields: object) -> bytes:
        return zmtp.framed(json.dumps(HELLO | {"token": self.token} | fields).encode())

    def close(self) -> None:
        self.gate.close()
        self.loop.close()


@pytest.fixture(scope="module")
def forkserver() -> Iterator[Forkserver]:
    forkserver = Forkserver()
    yield forkserver
    forkserver.close()


@pytest.fixture(params=["in the loop", "in a process"])
def door(tmp_path: Path, request: pytest.FixtureRequest, forkserver: Forkserver) -> Iterator[Door]:
    own_process = request.param == "in a process"
    door = Door(tmp_path / "gate", "secret", forkserver if own_process else None)
    yield door
    door.close()


@pytest.fixture
def dealer() -> Iterator["zmq.Socket[bytes]"]:
    """A socket of libzmq."""
    with zmq.Context() as context, context.socket(zmq.DEALER) as end:
        end.setsockopt(zmq.LINGER, 0)
        yield end


@pytest.mark.parametrize("size", [2, 300, 70_000])
def test_libzmq_and_the_gate_understand_each_other(
    door: Door, dealer: "zmq.Socket[bytes]", size: int
) -> None:
    dealer.setsockopt(zmq.HEARTBEAT_IVL, 10)
    dealer.connect(f"ipc://{door.path}")
    dealer.send(json.dumps(HELLO | {"token": "secret"}).encode())
    assert isinstance(door.turn_until(Greeted), Greeted)
    door.gate.send(Deliver(0, "m", 1, b"x" * size))
    end = time.monotonic() + PATIENCE_S
    while not dealer.poll(0) and time.monotonic() < end:
        door.loop.turn(10_000_000)
    assert dealer.recv(zmq.NOBLOCK) == b"x" * size
    dealer.send(json.dumps({"type": "ready", "match": "m"}).encode())
    assert isinstance(door.turn_until(Readied), Readied)


def test_a_peer_that_does_not_know_the_token_of_this_bot_is_not_let_in(door: Door, tmp_path: Path) -> None:
    other = Door(tmp_path / "other", "of another")
    with door.raw(other.hello()):
        refused = door.turn_until(Rejected)
    assert isinstance(refused, Rejected)
    assert refused.code is FaultCode.NO_HELLO
    with door.raw(door.hello()):
        door.turn_until(Greeted)
    other.close()


def test_a_connection_without_the_token_cannot_speak_for_the_bot(door: Door) -> None:
    ready = zmtp.framed(b'{"type":"ready","match":"m"}')
    with door.raw(door.hello()) as bot:
        door.turn_until(Greeted)
        with door.raw(ready, b"\x08\x00") as stranger:
            assert door.is_cut(stranger)
        assert not any(isinstance(record, Readied) for record in door.records)
        bot.sendall(ready)
        door.turn_until(Readied)


def test_a_message_that_is_too_large_is_reported_before_it_has_come(door: Door) -> None:
    with door.raw(door.hello(), zmtp.framed(bytes(limits.MESSAGE_BYTES + 1))[:9]) as bot:
        large = door.turn_until(Misbehaved)
        assert isinstance(large, Misbehaved)
        assert large.code is FaultCode.TOO_LARGE
        assert door.is_cut(bot)


def test_a_flood_is_reported_once_and_the_rest_of_it_is_not_looked_at(door: Door) -> None:
    flood = zmtp.framed(b'{"type":"ping"}') * 1_000
    with door.raw(door.hello(), flood):
        record = door.turn_until(Misbehaved)
    assert isinstance(record, Misbehaved)
    assert record.code is FaultCode.FLOOD
    assert sum(isinstance(one, Misbehaved) for one in door.records) == 1


def test_a_stranger_that_says_no_hello_without_end_is_cut_off(door: Door) -> None:
    with door.raw(zmtp.framed(b'{"type":"ping"}') * 200) as stranger:
        assert door.is_cut(stranger)


def test_silent_connections_are_few_and_keep_no_bot_out_that_is_inside(door: Door) -> None:
    with door.raw(door.hello()) as bot:
        door.turn_until(Greeted)
        with ExitStack() as stack:
            # With that of the bot there may be one less.
            for _ in range(63):
                stack.enter_context(door.raw())
                door.loop.turn(0)
            assert door.is_cut(stack.enter_context(door.raw()))
            bot.sendall(zmtp.framed(b'{"type":"ready","match":"m"}'))
            door.turn_until(Readied)


def test_a_bot_that_does_not_read_has_left_before_much_waits_for_it(door: Door) -> None:
    with door.raw(door.hello()):
        door.turn_until(Greeted)
        for n in range(20):
            door.gate.send(Deliver(0, "m", n, bytes(1 << 20)))
            door.loop.turn(0)
        left = door.turn_until(Left)
    assert isinstance(left, Left)
    assert not left.said


def test_a_bot_that_reads_slowly_gets_everything(door: Door) -> None:
    with door.raw(door.hello()) as bot:
        door.turn_until(Greeted)
        for n in range(4):
            door.gate.send(Deliver(0, "m", n, bytes([n]) * (1 << 20)))
        bot.setblocking(False)
        peer, came = zmtp.Peer(1 << 21), list[bytes]()
        end = time.monotonic() + PATIENCE_S
        while len(came) < 4 and time.monotonic() < end:
            door.loop.turn(1_000_000)
            try:
                came += [data for data, _ in peer.feed(bot.recv(10_000))]
            except BlockingIOError:
                continue
    assert came == [bytes([n]) * (1 << 20) for n in range(4)]


RECONNECTS = """
import json, os, zmq
context = zmq.Context()
def connect():
    dealer = context.socket(zmq.DEALER)
    dealer.setsockopt(zmq.LINGER, 0)
    dealer.connect(os.environ["REFEREE_ADDRESS"])
    hello = {"type": "hello", "protocol": [1], "name": "x", "wants": ["legal"]}
    dealer.send_string(json.dumps(hello | {"token": os.environ["REFEREE_TOKEN"]}))
    return dealer
dealer = connect()
asks = 0
while True:
    message = json.loads(dealer.recv())
    if message["type"] == "bye":
        break
    if message["type"] == "start":
        dealer.send_string(json.dumps({"type": "ready", "match": message["match"]}))
    if message["type"] == "ask":
        asks += 1
        if asks % 5 == 0:
            dealer.close()
            dealer = connect()
            continue
        about = {"match": message["match"], "id": message["id"]}
        dealer.send_string(json.dumps({"type": "act", "action": message["legal"][0]} | about))
"""


def test_a_bot_whose_connection_is_lost_in_mid_match_comes_back_and_plays_on() -> None:
    bots = [BotSpec("x", program([sys.executable, "-c", RECONNECTS], ROOT), "zmq"), sample("first", "zmq")]
    done: list[Finished] = []
    with Hub(bots, jobs=1, report=done.append, profile=UNHURRIED) as hub:
        hub.submit(pairings(["x", "first"], 1))
        hub.run()
    assert [f.result.faults for f in done] == [("", "")]
    assert done[0].result.decisions > 10


FLOODS = """
import json, os, socket
from protocol import zmtp
from protocol.client import run
def choose(view, legal):
    end = socket.socket(socket.AF_UNIX)
    end.connect(os.environ["REFEREE_ADDRESS"].removeprefix("ipc://"))
    hello = {"type": "hello", "protocol": [1], "name": "x", "token": os.environ["REFEREE_TOKEN"]}
    end.sendall(zmtp.opening(b"DEALER") + zmtp.framed(json.dumps(hello).encode()))
    while True:
        end.sendall(zmtp.framed(b'{"type":"ping"}') * 1_000)
run(choose)
"""


def test_a_trusted_bot_that_floods_loses_its_match_and_harms_no_other() -> None:
    bots = [
        BotSpec("floods", program([sys.executable, "-c", FLOODS], ROOT), "zmq"),
        sample("first", "zmq"),
        sample("random", "zmq"),
    ]
    done: list[Finished] = []
    with Hub(bots, jobs=4, report=done.append, profile=UNHURRIED) as hub:
        hub.submit([*pairings(["floods", "first"], 1, "f"), *pairings(["first", "random"], 6)])
        hub.run()
    faults = {f.result.match: f.result.faults for f in done}
    assert faults.pop("f0") == ("flood", "")
    assert set(faults.values()) == {("", "")}


def test_trusted_bots_on_zeromq_have_no_process_of_ours_but_their_supervisors() -> None:
    with Hub([sample("first", "zmq"), sample("random", "auto")], profile=UNHURRIED) as hub:
        hub.preflight()
        pid = hub.forkserver.pid
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        assert len(children) == len(hub.sessions) == 2


def test_a_gate_in_a_process_takes_no_more_from_a_bot_than_the_hub_takes_from_it(
    tmp_path: Path, forkserver: Forkserver
) -> None:
    """Otherwise a flood would fill the memory of the gate while the hub is busy elsewhere."""
    door = Door(tmp_path / "gate", "secret", forkserver)
    complaints = zmtp.framed(b'{"type":"error","code":"x","text":"' + b"y" * 500 + b'"}') * 100
    sent = 0
    with door.raw(door.hello()) as bot:
        door.turn_until(Greeted)
        bot.setblocking(False)
        while sent < 64 << 20 and select.select([], [bot], [], 1.0)[1]:
            sent += bot.send(complaints)
        assert sent < 64 << 20
        door.turn_until(Misbehaved)
    door.close()
