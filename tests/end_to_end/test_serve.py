"""The daemon and its gate: strangers, squatters, and a gate that is killed."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest
import zmq

from referee.errors import AddressError, RefereeError
from referee.hub.pairing import Finished
from referee.hub.session import SessionState
from referee.replay import files, playback
from referee.server.addresses import check_address
from referee.server.daemon import Daemon
from referee.server.served_game import ServedGame
from tests.end_to_end.hubs import ROOT, eventually, poker
from tournaments.ladder import Ladder

FIRST_AUTOMATIC_ID = 0x6B8B4567
"""The number from which an unseeded libzmq counts its peers."""


@contextmanager
def daemon(folder: Path, seats: int = 2, **settings: Any) -> Iterator[tuple[Daemon, list[Finished]]]:
    done: list[Finished] = []
    choose = settings.pop("choose", Ladder("evening", "chicago-poker", seats).choose)
    of_game = {name: settings.pop(name) for name in ("jobs", "profile") if name in settings}
    game = ServedGame(poker(), seats, {}, folder=folder, choose=choose, **of_game)
    served = Daemon("tcp://127.0.0.1:0", [game], folder=folder, report=done.append, **settings)
    try:
        yield served, done
    finally:
        served.close()


@contextmanager
def bots(address: str, *names: str) -> Iterator[list["subprocess.Popen[bytes]"]]:
    running = [
        subprocess.Popen(
            [sys.executable, "-m", f"sample_bots.python.{name}"],
            cwd=ROOT,
            env=os.environ | {"REFEREE_ADDRESS": address},
            stderr=subprocess.DEVNULL,
        )
        for name in names
    ]
    try:
        yield running
    finally:
        for bot in running:
            bot.kill()
            bot.wait()


@contextmanager
def peer(address: str, identity: bytes | None = None) -> Iterator["zmq.Socket[bytes]"]:
    context = zmq.Context()
    dealer = context.socket(zmq.DEALER)
    dealer.setsockopt(zmq.LINGER, 0)
    if identity is not None:
        dealer.setsockopt(zmq.IDENTITY, identity)
    dealer.connect(address)
    try:
        yield dealer
    finally:
        context.destroy(linger=0)


def answer(dealer: "zmq.Socket[bytes]", message: dict[str, Any] | None = None, ms: int = 60_000) -> Any:
    if message is not None:
        dealer.send(msgspec.json.encode(message))
    return msgspec.json.decode(dealer.recv()) if dealer.poll(ms) else None


def turning(served: Daemon, until: Callable[[], object], *, matches: bool = True) -> bool:
    """Let the daemon work until something holds, and begin matches."""

    def look() -> bool:
        if matches:
            served.turn(10_000_000)
        else:
            served.hub.loop.turn(10_000_000)
        return bool(until())

    return eventually(look)


def gate_of(served: Daemon) -> int:
    assert served.gate_watch.gate is not None
    return served.gate_watch.pid


def test_a_host_that_stands_still_does_not_cut_the_farewell_short(tmp_path: Path) -> None:
    still: list[float] = []

    def stand_still() -> None:
        time.sleep(0.5)
        still.append(time.monotonic())

    with daemon(tmp_path) as (served, _), bots(served.address, "first"):
        assert turning(served, lambda: bool(served.hub.sessions))
        served.hub.loop.call(stand_still)
        served.dismiss_all()
        assert time.monotonic() - still[0] > 0.2


HELLO = {"type": "hello", "protocol": [1], "name": "stranger"}


def test_bots_that_connect_are_matched_and_their_results_kept(tmp_path: Path) -> None:
    kept: list[Finished] = []
    with (
        daemon(tmp_path, keep=kept.extend) as (served, done),
        bots(served.address, "first", "random_bot", "first"),
    ):
        all_here = [True] * 3
        assert turning(
            served, lambda: [s.admission.measured for s in served.hub.sessions] == all_here, matches=False
        )
        served.run(matches=9)
    assert len(done) == 9
    assert {name for f in done for name in f.result.names} == {"first", "first~2", "random"}
    assert all(f.result.faults == ("", "") for f in done)
    assert sorted(one.result.match for one in kept) == sorted(f.result.match for f in done)
    assert all(one.digest for one in kept)
    for finished in done:
        assert finished.replay is not None
        playback.verify(files.read(finished.replay))


def test_a_taken_port_is_named(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        game = ServedGame(poker(), 2, {}, folder=tmp_path, choose=lambda bots, running: None)
        with pytest.raises(AddressError, match=f"127.0.0.1:{port}"):
            Daemon(f"tcp://127.0.0.1:{port}", [game], folder=tmp_path)


def test_a_peer_that_announces_the_next_automatic_routing_id_harms_no_other(tmp_path: Path) -> None:
    with daemon(tmp_path) as (served, done):
        gate = gate_of(served)
        context = zmq.Context()
        squatters = []
        for n in range(40):
            squatter = context.socket(zmq.DEALER)
            squatter.setsockopt(zmq.LINGER, 0)
            squatter.setsockopt(zmq.IDENTITY, b"\x00" + (FIRST_AUTOMATIC_ID + n).to_bytes(4, "big"))
            squatter.connect(served.address)
            squatter.send(b'{"type":"ping"}')
            squatters.append(squatter)
        assert all(squatter.poll(60_000) for squatter in squatters)  # The gate has seen them all.
        with bots(served.address, "first", "random_bot"):
            served.run(matches=4)
        context.destroy(linger=0)
        assert gate_of(served) == gate
        Path(f"/proc/{gate}").stat()
    assert [f.result.faults for f in done] == [("", "")] * 4


def test_a_peer_that_announces_a_foreign_routing_id_gets_nothing_of_the_owner(tmp_path: Path) -> None:
    with daemon(tmp_path) as (served, done), peer(served.address, b"alice") as alice:
        alice.send(msgspec.json.encode(HELLO | {"name": "alice"}))
        assert turning(served, lambda: bool(alice.poll(0)))
        assert answer(alice)["type"] == "welcome"
        with peer(served.address, b"alice") as squatter:
            squatter.send(msgspec.json.encode(HELLO | {"name": "mallory"}))
            # Alice is still the one who is heard and answered.
            assert turning(served, lambda: bool(alice.poll(0)))
            said = answer(alice)
            assert said["type"] == "ping"
            alice.send(msgspec.json.encode({"type": "pong", "n": said["n"]}))
            assert turning(served, lambda: bool(alice.poll(0)))
            assert not squatter.poll(0)
        assert [s.name for s in served.hub.sessions] == ["alice"]
    assert not done


def test_a_stranger_is_asked_to_say_hello_first_and_garbage_is_answered(tmp_path: Path) -> None:
    with daemon(tmp_path) as (served, _), peer(served.address) as stranger:
        assert answer(stranger, {"type": "ready", "match": "m"})["code"] == "no-session"
        stranger.send(b"\xc1garbage")
        reply = stranger.recv() if stranger.poll(60_000) else b""
        assert b"malformed" in reply
        assert not served.hub.sessions


def test_a_bot_of_another_protocol_version_is_refused(tmp_path: Path) -> None:
    with daemon(tmp_path) as (served, _), peer(served.address) as stranger:
        stranger.send(msgspec.json.encode(HELLO | {"protocol": [9]}))
        assert turning(served, lambda: bool(stranger.poll(0)))
        refusal = answer(stranger)
        assert refusal["type"] == "refuse"
        assert refusal["code"] == "version"
        assert not served.hub.sessions


def test_a_second_hello_does_not_make_another_bot(tmp_path: Path) -> None:
    with daemon(tmp_path) as (served, _), peer(served.address) as bot:
        for _ in range(5):
            bot.send(msgspec.json.encode(HELLO))
        welcomes: list[Any] = []

        def heard() -> bool:
            while bot.poll(0):
                said = answer(bot)
                welcomes.extend([said] if said["type"] == "welcome" else [])
            return len(welcomes) == 5

        assert turning(served, heard)
        assert len({welcome["session"] for welcome in welcomes}) == 1
        assert len(served.hub.sessions) == 1


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("A1ice", "looks like 'alice', which is taken"),
        ("al ice ", "looks like 'alice', which is taken"),
        ("\u0430lice", "several alphabets: CYRILLIC, LATIN"),
        ("\u0430\u0441\u0435", "looks like 'ace', which is taken"),
        (" ", "no character that is seen"),
    ],
)
def test_4_4_a_name_that_looks_like_one_that_is_taken_is_refused(tmp_path: Path, name: str, why: str) -> None:
    notes: list[str] = []
    with (
        daemon(tmp_path, note=notes.append) as (served, _),
        peer(served.address) as alice,
        peer(served.address) as ace,
        peer(served.address) as other,
    ):
        for bot, own in ((alice, "alice"), (ace, "ace")):
            bot.send(msgspec.json.encode(HELLO | {"name": own}))
            assert turning(served, partial(bot.poll, 0), matches=False)
        other.send(msgspec.json.encode(HELLO | {"name": name}))
        assert turning(served, lambda: bool(other.poll(0)), matches=False)
        refusal = answer(other)
        assert (refusal["type"], refusal["code"]) == ("refuse", "name")
        assert why in refusal["why"]
        assert why in notes[-1]
        assert turning(served, lambda: bool(other.poll(0)), matches=False)
        assert answer(other)["type"] == "bye"
        assert [session.name for session in served.hub.sessions] == ["alice", "ace"]


def test_9_4_a_bot_on_this_host_that_delays_its_pongs_gets_no_allowance(tmp_path: Path) -> None:
    with daemon(tmp_path) as (served, _), peer(served.address) as late, peer(served.address) as other:
        late.send(msgspec.json.encode(HELLO | {"name": "late"}))
        other.send(msgspec.json.encode(HELLO | {"name": "other"}))
        pongs: list[tuple[float, Any, int]] = []
        starts: list[Any] = []

        def look() -> bool:
            for bot in (late, other):
                while bot.poll(0):
                    said = answer(bot)
                    if said["type"] == "ping":
                        delay_s = 0.15 if bot is late else 0.0
                        pongs.append((time.monotonic() + delay_s, bot, said["n"]))
                    elif said["type"] == "start":
                        starts.append(said)
            for due in [due for due in pongs if due[0] <= time.monotonic()]:
                pongs.remove(due)
                due[1].send(msgspec.json.encode({"type": "pong", "n": due[2]}))
            return len(starts) == 2

        assert turning(served, look)
        assert [start["clock"]["grace_ms"] for start in starts] == [50, 50]


def test_a_gate_whose_port_is_taken_is_tried_again_one_at_a_time_and_this_is_reported_once(
    tmp_path: Path,
) -> None:
    notes: list[str] = []
    with daemon(tmp_path, note=notes.append) as (served, _):
        address = ("127.0.0.1", int(served.address.rpartition(":")[2]))
        before = gate_of(served)
        os.kill(before, signal.SIGKILL)
        assert eventually(lambda: not Path(f"/proc/{before}").exists())
        tried = [served.gate_watch.gate]

        def tried_five_times() -> bool:
            tried.extend([served.gate_watch.gate] if served.gate_watch.gate is not tried[-1] else [])
            return len(tried) > 5

        with socket.socket() as taken:
            taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            taken.bind(address)
            taken.listen()
            began = time.monotonic()
            assert turning(served, tried_five_times)
            # A fifth of a second before each.
            assert time.monotonic() - began >= 0.8
        assert turning(served, lambda: gate_of(served) not in (0, before))
    assert [note.partition(":")[0] for note in notes] == [
        "the public gate has ended and is opened again; bots may come back",
        "the public gate cannot be opened again yet; it is tried until it can",
        "the public gate is open again",
    ]


def crowd(served: Daemon, count: int) -> set[str]:
    """Let in bots that take part in nothing but the choice of groups."""
    for n in range(count):
        session = served.hub.admit(f"bot{n:02}")
        session.state, session.admission.measured = SessionState.OPEN, True
    return {session.name for session in served.hub.sessions}


def test_every_bot_that_waits_gets_its_turn(tmp_path: Path) -> None:
    with daemon(tmp_path, jobs=7) as (served, _):
        names = crowd(served, 13)
        seated: set[str] = set()
        for _ in range(6):
            found = served.next_match()
            assert found is not None
            seated |= {session.name for session in found[1]}
            served.begin(*found)
        # One is always left, so that there is a choice when a match ends.
        assert len(names - seated) == 1
        assert served.next_match() is None


def test_a_large_group_among_many_bots_is_chosen_in_no_time(tmp_path: Path) -> None:
    with daemon(tmp_path, seats=6) as (served, _):
        crowd(served, 30)
        began = time.process_time()
        assert served.next_match() is not None
        assert time.process_time() - began < 0.1


def test_a_daemon_that_cannot_keep_results_still_ends_all_it_started(tmp_path: Path) -> None:
    done: list[Finished] = []
    choose = Ladder("evening", "chicago-poker", 2).choose

    def keep(matches: Sequence[Finished]) -> None:
        # As on a disk that fails after the first matches.
        if done:
            raise RefereeError("the disk is full")

    game = ServedGame(poker(), 2, {}, folder=tmp_path, choose=choose)
    served = Daemon("tcp://127.0.0.1:0", [game], folder=tmp_path, keep=keep, report=done.append)
    with bots(served.address, "first", "random_bot"):
        assert turning(served, lambda: len(done) >= 1)
        gate = gate_of(served)
        with pytest.raises(RefereeError, match="must be played again"):
            served.run()
        with suppress(RefereeError):
            served.close()
    assert eventually(lambda: not Path(f"/proc/{gate}").exists())
    assert not served.hub.forkserver.folder.exists()


def test_a_killed_gate_is_opened_again_and_every_match_goes_on(tmp_path: Path) -> None:
    with (
        daemon(tmp_path, jobs=4) as (served, done),
        bots(served.address, "first", "random_bot"),
    ):
        assert turning(served, lambda: len(done) >= 2 and len(served.hub.running) == 4)
        gate = gate_of(served)
        os.kill(gate, signal.SIGKILL)
        playing = set(served.hub.running)
        assert turning(served, lambda: playing <= {f.result.match for f in done})
        assert turning(served, lambda: gate_of(served) not in (0, gate))
    assert {f.result.faults for f in done if not f.result.void} == {("", "")}
    assert playing <= {f.result.match for f in done if not f.result.void}


def test_addresses_may_be_written_short() -> None:
    assert check_address("7878") == "tcp://127.0.0.1:7878"
    assert check_address("0.0.0.0:1") == "tcp://0.0.0.0:1"
    assert check_address("ipc:///run/x") == "ipc:///run/x"
    for address in ("[::1]:7878", "tcp://[::]:7878"):
        with pytest.raises(AddressError, match="IPv4"):
            check_address(address)
    with pytest.raises(AddressError, match="write a port"):
        check_address("localhost")
