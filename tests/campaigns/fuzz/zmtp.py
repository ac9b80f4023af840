"""Raw ZMTP against a gate: connections that greet, shake hands and talk nearly as they should.

The gate may die of it. The hub may not, and honest matches go on without a fault.
"""

import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from itertools import count
from pathlib import Path
from random import Random
from typing import NamedTuple

from referee import registry
from referee.chance import deal_key
from referee.hub.hub import Hub
from referee.hub.pairing import Finished, Pairing
from referee.match.clock import MS
from referee.process.spec import BotSpec, program
from referee.server.daemon import Daemon
from referee.server.served_game import ServedGame
from tests.campaigns.fuzz.codecs import vectors
from tests.campaigns.fuzz.mutation import mutated

GREETING = b"\xff" + bytes(8) + b"\x7f\x03\x00NULL" + bytes(16) + b"\x00" + bytes(31)
READY = b"\x05READY\x0bSocket-Type\x00\x00\x00\x06DEALER\x08Identity\x00\x00\x00\x00"
SQUAT = READY[:-4] + b"\x00\x00\x00\x05\x00\x6b\x8b\x45\x68"
"""Announces a routing id that libzmq itself might give."""
OLD = b"\x01\x00\x08\x00" + b'{"type":"ping"}'
"""ZMTP 1.0: no greeting at all."""

_HONEST = ("first", "random")
_MORE = 3
"""Honest matches that must be played after the attack."""
_PATIENCE_S = 60.0

TOKENS = (
    b"\xff",
    b"\x7f",
    b"NULL",
    b"CURVE",
    b"PLAIN",
    b"\x04\x26",
    b"\x02\xff\xff\xff\xff\xff\xff\xff\xff",
    READY,
)


def frame(data: bytes, *, command: bool = False, more: bool = False) -> bytes:
    """Return a frame of ZMTP 3."""
    flags = 4 * command + more
    if len(data) < 256:
        return bytes((flags, len(data))) + data
    return bytes((flags | 2,)) + len(data).to_bytes(8, "big") + data


def conversation(luck: Random) -> list[bytes]:
    """Return what one connection sends, in pieces; most of it is wrong somewhere."""
    said = [luck.choice(vectors()) for _ in range(1 + luck.getrandbits(2))]
    frames = [frame(one, more=luck.random() < 0.1) for one in said]
    ready = frame(SQUAT if luck.random() < 0.1 else READY, command=True)
    pieces = [GREETING, ready, *frames]
    kind = luck.random()
    if kind < 0.1:
        pieces = [OLD * (1 + luck.getrandbits(3))]
    elif kind < 0.2:
        pieces = [luck.randbytes(1 + luck.getrandbits(9))]
    elif kind < 0.25:
        pieces = [GREETING, ready, frame(b"x", more=True) * 500]
    elif kind < 0.9:
        at = luck.randrange(len(pieces))
        pieces[at] = mutated(pieces[at], luck, pieces, TOKENS)
    return pieces[: 1 + luck.randrange(len(pieces))] if luck.random() < 0.2 else pieces


class Told(NamedTuple):
    """What came of many connections."""

    opened: int
    refused: int
    seconds: float

    def __str__(self) -> str:
        return f"{self.opened:,} raw connections in {self.seconds:.0f} s, {self.refused:,} found nobody there"


def attack(address: str, connections: int, seed: str, stop: Callable[[], bool] = lambda: False) -> Told:
    """Open so many connections to a gate, one after the other; wait for no answer."""
    luck, opened, refused = Random(seed), 0, 0
    began = time.monotonic()
    for _ in range(connections):
        if stop():
            break
        try:
            with _connected(address) as peer:
                opened += 1
                for piece in conversation(luck):
                    with suppress(OSError):
                        peer.sendall(piece)
                if luck.getrandbits(1):
                    with suppress(OSError):
                        peer.recv(64)
        except OSError:
            # The gate has ended; the hub opens it again.
            refused += 1
    return Told(opened, refused, time.monotonic() - began)


def _connected(address: str) -> socket.socket:
    scheme, _, place = address.partition("://")
    if scheme == "ipc":
        peer = socket.socket(socket.AF_UNIX)
        where: str | tuple[str, int] = place
    else:
        peer = socket.socket()
        host, _, port = place.rpartition(":")
        where = (host, int(port))
    peer.settimeout(0.2)
    try:
        peer.connect(where)
    except OSError:
        peer.close()
        raise
    return peer


class Siege(NamedTuple):
    """What came of an attack on a gate while honest bots played beside it."""

    told: Told
    matches: int
    """Honest matches that were finished meanwhile and after; none with a fault."""
    gates: int
    """How many gates died and were opened again."""

    def __str__(self) -> str:
        return f"{self.told}; {self.gates} gates died, {self.matches:,} honest matches had no fault"


def besiege_public_gate(connections: int, seconds: float, seed: str) -> Siege:
    """Attack the public gate of a daemon; raise AssertionError if it harms the two honest bots there."""
    done: list[Finished] = []
    gates: set[int] = set()
    end = time.monotonic() + seconds
    with (
        tempfile.TemporaryDirectory() as folder,
        _daemon(Path(folder), done) as daemon,
        _bots(daemon.address),
        ThreadPoolExecutor(1) as pool,
    ):
        attacking = pool.submit(attack, daemon.address, connections, seed, partial(_is_after, end))
        after = 0
        while not attacking.done() or len(done) < after + _MORE:
            after = after if attacking.done() else len(done)
            daemon.turn(10 * MS)
            gates.add(daemon.gate_watch.pid)
            assert not _is_after(end + _PATIENCE_S), f"only {len(done)} matches; the honest are shut out"
    faults = {finished.result.faults for finished in done if not finished.result.void}
    assert faults == {("", "")}, f"an honest bot lost by a fault: {faults}"
    return Siege(attacking.result(), len(done), len(gates - {0}) - 1)


def besiege_gate(connections: int, seconds: float, seed: str) -> Siege:
    """Attack the gate of one local bot; raise AssertionError if it harms a match of others."""
    ended = time.monotonic() + seconds
    done: list[Finished] = []
    specs = [_spec(name) for name in ("first", "random", "victim")]
    with Hub(specs, jobs=2, report=done.append) as hub, ThreadPoolExecutor(1) as pool:
        hub.preflight()
        (victim,) = (session for session in hub.sessions if session.name == "victim")
        address = f"ipc://{hub.forkserver.folder / victim.id[:12]}"
        attacking = pool.submit(attack, address, connections, seed, partial(_is_after, ended))
        for n in count():
            hub.submit([_pairing(f"honest{n}", "first", "random"), _pairing(f"victim{n}", "victim", "first")])
            hub.run()
            if attacking.done() and n >= _MORE:
                break
    faults = {f.result.names: f.result.faults for f in done if f.result.names != ("victim", "first")}
    assert set(faults.values()) == {("", "")}, f"a match of others was harmed: {faults}"
    harmed = [f.result.faults for f in done if f.result.names == ("victim", "first")]
    assert not any(fault for _, fault in harmed), f"the opponent of the victim was blamed: {harmed}"
    return Siege(attacking.result(), len(done) - len(harmed), sum(1 for fault, _ in harmed if fault))


def _is_after(moment: float) -> bool:
    return time.monotonic() > moment


@contextmanager
def _daemon(folder: Path, done: list[Finished]) -> Iterator[Daemon]:
    def choose(free: Sequence[str], running: Sequence[tuple[str, ...]]) -> Sequence[str] | None:
        del running
        honest = [name for name in free if name in _HONEST]
        return honest if len(honest) == 2 else None

    game = ServedGame(registry.game("coins"), 2, {}, folder=folder, choose=choose)
    daemon = Daemon("tcp://127.0.0.1:0", [game], folder=folder, report=done.append)
    try:
        yield daemon
    finally:
        daemon.close()


@contextmanager
def _bots(address: str) -> Iterator[None]:
    env = os.environ | {"REFEREE_ADDRESS": address}
    commands = [[sys.executable, "-m", f"sample_bots.python.{name}"] for name in ("first", "random_bot")]
    running = [subprocess.Popen(command, env=env, stderr=subprocess.DEVNULL) for command in commands]
    try:
        yield
    finally:
        for bot in running:
            bot.kill()
            bot.wait()


def _spec(name: str) -> BotSpec:
    module = "random_bot" if name == "random" else "first"
    return BotSpec(name, program([sys.executable, "-m", f"sample_bots.python.{module}"]), "zmq")


def _pairing(match: str, *bots: str) -> Pairing:
    return Pairing(match, registry.game("coins"), bots, deal_key("siege", match))


def main(connections: int, seconds: float, seed: str) -> int:
    """Besiege a public gate and the gate of one bot, each with half of the connections."""
    for besiege in (besiege_public_gate, besiege_gate):
        try:
            said = str(besiege(connections // 2, seconds, seed))
        except AssertionError as error:
            sys.stdout.write(f"{besiege.__name__}: FOUND {error}\n")
            return 1
        sys.stdout.write(f"{besiege.__name__}: {said}\n")
        sys.stdout.flush()
    return 0
