"""The public gate under attack, while honest bots play: the gate may suffer, no match of theirs does.

Every attack is bounded and stays on this host. The numbers of the slow runs are those of docs/security.
"""

import os
import random
import resource
import signal
import socket
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import zmq
from zmq.utils.monitor import recv_monitor_message

from referee.gate.probe import probe
from referee.gate.records import Noted
from tests.end_to_end.hubs import eventually
from tests.end_to_end.keyed import HELLO, Keys, Listener, Peer, fresh_pair, playing, serving
from tests.end_to_end.test_serve import FIRST_AUTOMATIC_ID

if TYPE_CHECKING:
    from tests.end_to_end.raw_curve import RawCurve

GREETING = b"\xff" + bytes(8) + b"\x7f\x03\x00" + b"NULL".ljust(20, b"\0") + bytes(32)
READY = b"\x04\x29\x05READY\x0bSocket-Type\x00\x00\x00\x06DEALER\x08Identity\x00\x00\x00\x00"
PARTS = 64 * (b"\x03" + (1_000).to_bytes(8, "big") + bytes(1_000))
"""Frames, each of which says that another one follows."""

MOST_BYTES = 600_000_000
"""Where an endless message ends by itself."""


def full(count: int) -> object:
    return pytest.param(count, marks=pytest.mark.slow)


@contextmanager
def ladder(tmp_path: Path, *, keyed: bool = True) -> Iterator[tuple[Listener, Keys, Callable[..., None]]]:
    """Let two honest bots play; the last of what is given runs an attack beside them and looks for harm."""
    keys = Keys(tmp_path, "alice", "bob", "mallory")
    known = keys if keyed else None
    with (
        serving(tmp_path, known) as (served, done),
        playing(served, known, alice="first", bob="random_bot"),
    ):
        here = served.here
        sessions = {session.id for session in served.hub.sessions}

        def suffer(attack: Callable[[], None]) -> None:
            with ThreadPoolExecutor(1) as pool:
                attacking = pool.submit(attack)
                assert served.work(attacking.done)
                attacking.result()
            running = set(served.hub.running)
            enough = len(done) + 4
            assert served.work(
                lambda: (
                    running <= {f.result.match for f in done} and len(done) >= enough and served.here == here
                )
            )
            assert {f.result.faults for f in done} == {("", "")}
            assert {session.id for session in served.hub.sessions} == sessions

        yield served, keys, suffer


def port_of(served: Listener) -> tuple[str, int]:
    return "127.0.0.1", int(served.address.rpartition(":")[2])


def resident_mib(pid: int) -> int:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") >> 20


@pytest.mark.parametrize("count", [40, full(1_000)])
def test_noise_of_all_kinds_is_not_understood(tmp_path: Path, count: int) -> None:
    with ladder(tmp_path) as (served, _, suffer):
        gate = served.gate
        luck = random.Random(count)
        old = b"\x01\x00" + b"".join(bytes([len(word) + 1, 0]) + word for word in (b"hello", b"{}") * 9)
        web = b"GET / HTTP/1.1\r\nHost: ladder\r\n\r\n" * 9
        noise = (luck.randbytes(4_096), bytes(4_096), b"\xff" * 4_096)
        kinds = (old, web, GREETING + READY + b"\x00\x02{}", *noise)

        def attack() -> None:
            for n in range(count):
                with socket.create_connection(port_of(served), 30) as noisy:
                    noisy.sendall(kinds[n % len(kinds)])

        heard = {record.bot for record in served.messages}  # type: ignore[attr-defined]
        suffer(attack)
        assert {record.bot for record in served.messages} == heard  # type: ignore[attr-defined]
        assert served.gate == gate


@pytest.mark.parametrize("count", [200, full(500)])
def test_silent_connections_keep_no_bot_out_and_are_ended(tmp_path: Path, count: int) -> None:
    with ladder(tmp_path) as (served, keys, suffer), ExitStack() as stack:
        silent = [stack.enter_context(socket.create_connection(port_of(served), 30)) for _ in range(count)]
        for n, one in enumerate(silent):
            one.sendall(GREETING[: n % 64])

        def attack() -> None:
            # While they are there, a bot with a key is admitted, and one without is not.
            assert probe(served.address, keys.pairs["mallory"], keys.server, 30) == "open"
            assert probe(served.address, fresh_pair(), keys.server, 30) == "refused"
            for one in silent:
                with suppress(ConnectionError):
                    while one.recv(1_000):
                        pass

        suffer(attack)


@pytest.mark.parametrize("count", [300, full(3_000)])
def test_a_storm_of_connections_blows_over(tmp_path: Path, count: int) -> None:
    with ladder(tmp_path) as (served, _, suffer):
        gate, before = served.gate, resident_mib(served.gate)

        def attack() -> None:
            for _ in range(count):
                socket.create_connection(port_of(served), 30).close()

        suffer(attack)
        assert served.gate == gate
        assert resident_mib(gate) < before + 64


@pytest.mark.parametrize("count", [16, full(200)])
def test_an_enrolled_bot_that_announces_automatic_routing_ids_harms_no_other(
    tmp_path: Path, count: int
) -> None:
    with ladder(tmp_path) as (served, keys, suffer):

        def attack() -> None:
            for n in range(count):
                squatted = b"\x00" + (FIRST_AUTOMATIC_ID + n).to_bytes(4, "big")
                with Peer(served.address, keys.pairs["mallory"], keys.server, squatted) as squatter:
                    squatter.say(type="ping")
                    squatter.socket.poll(5_000)

        suffer(attack)


def test_an_enrolled_bot_that_comes_and_goes_without_end_harms_no_other(tmp_path: Path) -> None:
    with ladder(tmp_path) as (served, keys, suffer):

        def attack() -> None:
            for _ in range(40):
                with Peer(served.address, keys.pairs["mallory"], keys.server) as restless:
                    restless.say(**HELLO)
                    restless.say(type="bye")
                    restless.socket.poll(100)

        suffer(attack)


def is_ended(served: Listener) -> bool:
    """Send one message without end, and return whether the other end closed the connection."""
    with socket.create_connection(port_of(served), 30) as endless:
        endless.sendall(GREETING + READY)
        heard = b""
        try:
            # What comes before the other side is ready ends the connection as well.
            while b"READY" not in heard and (chunk := endless.recv(1_000)):
                heard += chunk
            for _ in range(MOST_BYTES // len(PARTS)):
                endless.sendall(PARTS)
        except OSError:
            return True
    return False


def test_an_endless_message_of_a_stranger_is_not_even_begun(tmp_path: Path) -> None:
    with ladder(tmp_path) as (served, _, suffer):
        gate, before = served.gate, resident_mib(served.gate)

        def attack() -> None:
            assert is_ended(served)

        suffer(attack)
        assert served.gate == gate
        assert resident_mib(gate) < before + 64


def test_an_endless_message_ends_a_gate_without_keys_and_no_match(tmp_path: Path) -> None:
    with ladder(tmp_path, keyed=False) as (served, _, suffer):
        gate = served.gate

        def attack() -> None:
            assert is_ended(served)

        suffer(attack)
        assert served.gate != gate


def is_stopped(endless: "RawCurve") -> bool:
    """Send one message without end, and return whether the other end closed the connection."""
    with endless.socket:
        try:
            for _ in range(MOST_BYTES // 100_000):
                endless.say(*[bytes(1_000)] * 100, more=True)
        except OSError:
            return True
    return False


def test_an_endless_message_of_an_enrolled_bot_costs_it_its_place_and_others_nothing(
    tmp_path: Path,
) -> None:
    pytest.importorskip("nacl", reason="PyNaCl, which speaks CURVE by hand, is not installed")
    from tests.end_to_end.raw_curve import RawCurve

    with ladder(tmp_path) as (served, keys, suffer):
        gate = served.gate

        def attack() -> None:
            endless = RawCurve(port_of(served), keys.pairs["mallory"], keys.server)
            # After its first whole message the account of a connection is known.
            endless.say(b'{"type":"ping"}', more=False)
            assert is_stopped(endless)
            assert probe(served.address, keys.pairs["mallory"], keys.server, 30) == "refused"

        suffer(attack)
        assert served.gate == gate
        assert put_out(served) == ["mallory is kept out for 10 s: a message without end"]


def test_an_endless_message_that_is_the_first_of_an_enrolled_bot_is_ended(tmp_path: Path) -> None:
    pytest.importorskip("nacl", reason="PyNaCl, which speaks CURVE by hand, is not installed")
    from tests.end_to_end.raw_curve import RawCurve

    with ladder(tmp_path) as (served, keys, suffer):
        gate = served.gate

        def attack() -> None:
            endless = RawCurve(port_of(served), keys.pairs["mallory"], keys.server)
            assert is_stopped(endless)

        suffer(attack)
        assert served.gate == gate


def put_out(served: Listener) -> list[str]:
    """Return the notes about suspended bots."""
    notes = (record.text for record in served.heard if isinstance(record, Noted))
    return [text for text in notes if "is kept out" in text]


def test_an_enrolled_bot_that_sends_very_many_frames_at_once_is_put_out(tmp_path: Path) -> None:
    with ladder(tmp_path) as (served, keys, suffer):
        gate = served.gate

        def attack() -> None:
            with Peer(served.address, keys.pairs["mallory"], keys.server) as many:
                many.say(type="ping")
                many.socket.poll(30_000)
                many.socket.send_multipart([b""] * 1_000)
                while many.events.poll(30_000):
                    if recv_monitor_message(many.events)["event"] == zmq.Event.DISCONNECTED:
                        return
                raise AssertionError("nobody minds")

        suffer(attack)
        assert served.gate == gate
        assert put_out(served) == ["mallory is kept out for 10 s: a message of 1000 frames instead of one"]


def test_an_enrolled_bot_that_floods_the_gate_is_put_out(tmp_path: Path) -> None:
    with ladder(tmp_path) as (served, keys, suffer):

        def attack() -> None:
            with Peer(served.address, keys.pairs["mallory"], keys.server) as flood:
                # No more than its socket takes without a connection: this is not to wait when it is put out.
                for _ in range(900):
                    flood.say(type="ping")
                while flood.events.poll(30_000):
                    if recv_monitor_message(flood.events)["event"] == zmq.Event.HANDSHAKE_FAILED_AUTH:
                        return
                raise AssertionError("nobody minds")

        suffer(attack)
        assert put_out(served) == ["mallory is kept out for 10 s: too many messages before its hello"]


def test_strangers_that_take_all_descriptors_of_the_gate_do_not_end_it(tmp_path: Path) -> None:
    with ladder(tmp_path) as (served, _, suffer), ExitStack() as stack:
        gate = served.gate
        few = len(os.listdir(f"/proc/{gate}/fd")) + 20
        resource.prlimit(gate, resource.RLIMIT_NOFILE, (few, few))

        def attack() -> None:
            crowd = [stack.enter_context(socket.create_connection(port_of(served), 30)) for _ in range(60)]
            assert eventually(lambda: len(os.listdir(f"/proc/{gate}/fd")) >= few)
            # Until all of them have been ended for not shaking hands.
            for one in crowd:
                while one.recv(1_000):
                    pass

        suffer(attack)
        assert served.gate == gate


def test_a_gate_that_dies_repeatedly_costs_no_bot_a_match(tmp_path: Path) -> None:
    with ladder(tmp_path) as (served, _, suffer):

        def attack() -> None:
            for _ in range(3):
                before = served.gate
                os.kill(before, signal.SIGKILL)
                assert eventually(partial(has_new_gate, before))

        def has_new_gate(before: int) -> bool:
            return served.gate not in (0, before)

        suffer(attack)
