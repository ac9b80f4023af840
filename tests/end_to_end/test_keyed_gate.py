"""A gate with keys: who is let in, as whom, and for how long."""

import os
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
import zmq
from zmq.utils.monitor import recv_monitor_message

from protocol.keys import Pair
from referee.errors import ConfigError, RefereeError
from referee.gate.authenticator import DOMAIN, MOST_CONNECTIONS, check_strangers
from referee.gate.channel import Channel
from referee.gate.config import GateConfig
from referee.gate.cooldown import Cooldown
from referee.gate.keystore import ALLOWED, SERVER
from referee.gate.public import KeyedGate
from referee.gate.records import Complained, Down, Greeted
from referee.hub.pairing import Finished
from referee.match.faults import PROFILES, Fault
from referee.replay.files import read
from referee.server.gate_watch import HANG_NS
from tests.end_to_end.hubs import eventually
from tests.end_to_end.keyed import HELLO, Keys, Listener, Peer, fresh_pair, hears, playing, serving


@pytest.fixture
def keys(tmp_path: Path) -> Keys:
    return Keys(tmp_path, "alice", "bob")


def happened(peer: Peer, *events: zmq.Event) -> bool:
    """Wait until one of these has happened to a peer's connection."""

    def look() -> bool:
        return bool(peer.events.poll(100)) and recv_monitor_message(peer.events)["event"] in events

    return eventually(look)


FAILURES = (
    zmq.Event.HANDSHAKE_FAILED_AUTH,
    zmq.Event.HANDSHAKE_FAILED_PROTOCOL,
    zmq.Event.HANDSHAKE_FAILED_NO_DETAIL,
    zmq.Event.DISCONNECTED,
)


@pytest.mark.parametrize("who", ["unlisted", "wrong server", "no key", "stolen public key", "revoked"])
def test_nothing_a_stranger_says_reaches_the_hub(tmp_path: Path, keys: Keys, who: str) -> None:
    alice, server = keys.pairs["alice"], keys.server
    pair: Pair | None = alice
    if who == "unlisted":
        pair = fresh_pair()
    elif who == "wrong server":
        server = fresh_pair().public
    elif who == "no key":
        pair = None
    elif who == "stolen public key":
        pair = Pair(alice.public, fresh_pair().secret)
    else:
        keys.folder.revoke("alice")
    with serving(tmp_path, keys) as (served, _), Peer(served.address, pair, server) as stranger:
        for _ in range(20):
            stranger.say(**HELLO)
        assert happened(stranger, *FAILURES)
        # And again, as libzmq does by itself.
        assert happened(stranger, *FAILURES)
        with Peer(served.address, keys.pairs["bob"], keys.server) as bob:
            bob.say(**HELLO)
            hears(served, bob, "welcome")
        assert [record.account for record in served.messages if isinstance(record, Greeted)] == ["bob"]
        assert served.here == ["bob"]


@contextmanager
def careless(*, curve: bool, enforce: bool, mute: bool = False) -> Iterator[tuple[str, str]]:
    """Bind a socket carelessly: without an authenticator, or with one that never answers."""
    context, pair = zmq.Context(), fresh_pair()
    with context, context.socket(zmq.ROUTER) as router, context.socket(zmq.REP) as handler:
        if mute:
            handler.bind("inproc://zeromq.zap.01")
        if curve:
            router.curve_server = True
            router.curve_secretkey = pair.secret.encode()
        if enforce:
            router.setsockopt(zmq.ZAP_DOMAIN, DOMAIN)
            router.setsockopt(zmq.ZAP_ENFORCE_DOMAIN, 1)
        port = router.bind_to_random_port("tcp://127.0.0.1")
        yield f"tcp://127.0.0.1:{port}", pair.public


def test_a_gate_without_an_authenticator_fails_its_own_check() -> None:
    with (
        careless(curve=True, enforce=False) as gate,
        pytest.raises(RefereeError, match="with a key that is not on the list can enter"),
    ):
        check_strangers(*gate)


def test_a_gate_without_keys_fails_its_own_trial() -> None:
    with (
        careless(curve=False, enforce=False) as gate,
        pytest.raises(RefereeError, match="without any key can enter"),
    ):
        check_strangers(*gate)


def test_an_enforced_domain_keeps_strangers_out_even_without_an_authenticator() -> None:
    with careless(curve=True, enforce=True) as gate:
        check_strangers(*gate)


def test_a_gate_whose_trial_has_no_verdict_stays_closed() -> None:
    with (
        careless(curve=True, enforce=True, mute=True) as gate,
        pytest.raises(RefereeError, match="cannot be found out"),
    ):
        check_strangers(*gate)


def test_a_gate_whose_authenticator_has_ended_ends(tmp_path: Path, keys: Keys) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        gate = KeyedGate(
            GateConfig("tcp://127.0.0.1:0", None, keys=str(keys.folder.folder)), Channel(theirs, Down)
        )
        gate.look_around(time.monotonic_ns())
        gate.authenticator.end()
        with pytest.raises(RefereeError, match="authenticator of the public gate has ended"):
            gate.look_around(time.monotonic_ns() + 1_000_000_000)
        gate.close()


def test_a_daemon_with_bad_keys_does_not_start(tmp_path: Path, keys: Keys) -> None:
    for name in (SERVER, ALLOWED):
        path = keys.folder.folder / name
        path.chmod(0o644)
        with pytest.raises(ConfigError, match="chmod 600"), serving(tmp_path, keys):
            pass
        path.chmod(0o600)


def test_bots_with_keys_play_under_their_accounts(tmp_path: Path, keys: Keys) -> None:
    with serving(tmp_path, keys) as (served, done), playing(served, keys, alice="first", bob="random_bot"):
        served.run(matches=3)
    assert [set(f.result.names) for f in done] == [{"alice", "bob"}] * 3
    assert [f.result.faults for f in done] == [("", "")] * 3


def test_the_account_comes_from_the_key_and_not_from_what_a_bot_says(tmp_path: Path, keys: Keys) -> None:
    with (
        serving(tmp_path, keys) as (served, _),
        Peer(served.address, keys.pairs["alice"], keys.server) as alice,
        Peer(served.address, keys.pairs["bob"], keys.server) as mallory,
    ):
        alice.say(**HELLO)
        session = hears(served, alice, "welcome")["session"]
        # Neither the name nor the session of alice makes another bot alice.
        mallory.say(**(HELLO | {"name": "alice", "session": session}))
        welcome = hears(served, mallory, "welcome")
        assert welcome["session"] != session
        assert not welcome.get("resumed")
        assert served.here == ["alice", "bob"]
        alice.say(type="ping", n=7)
        assert hears(served, alice, "pong")["n"] == 7


def test_a_bot_that_sets_a_routing_id_is_not_admitted(tmp_path: Path, keys: Keys) -> None:
    with (
        serving(tmp_path, keys) as (served, _),
        Peer(served.address, keys.pairs["bob"], keys.server, identity=b"alice") as mallory,
    ):
        mallory.say(**HELLO)
        assert "routing id" in hears(served, mallory, "refuse")["why"]
        assert served.messages == []


@pytest.mark.parametrize("resuming", [True, False])
def test_a_newer_connection_of_an_account_replaces_the_older(
    tmp_path: Path, keys: Keys, resuming: bool
) -> None:
    notes: list[str] = []
    with (
        serving(tmp_path, keys, note=notes.append) as (served, _),
        Peer(served.address, keys.pairs["alice"], keys.server) as older,
        Peer(served.address, keys.pairs["alice"], keys.server) as newer,
    ):
        older.say(**HELLO)
        session = hears(served, older, "welcome")["session"]
        newer.say(**(HELLO | ({"session": session} if resuming else {})))
        welcome = hears(served, newer, "welcome")
        assert welcome.get("resumed", False) is resuming
        assert (welcome["session"] == session) is resuming
        assert "newer connection" in hears(served, older, "bye")["why"]
        assert happened(older, zmq.Event.DISCONNECTED)
        assert served.here == ["alice"]
        if not resuming:
            assert any("alice has gone: a newer connection" in note for note in notes)


def test_a_revoked_key_ends_its_live_connection(tmp_path: Path, keys: Keys) -> None:
    notes: list[str] = []
    with (
        serving(tmp_path, keys, note=notes.append) as (served, _),
        Peer(served.address, keys.pairs["alice"], keys.server) as alice,
        Peer(served.address, keys.pairs["bob"], keys.server) as bob,
    ):
        for bot in (alice, bob):
            bot.say(**HELLO)
            hears(served, bot, "welcome")
        keys.folder.revoke("alice")
        assert hears(served, alice, "bye")["why"] == "its key was revoked"
        for _ in range(20):
            alice.say(type="error", code="x", why="this is noted if it is heard")
        assert happened(alice, zmq.Event.DISCONNECTED)
        assert happened(alice, zmq.Event.HANDSHAKE_FAILED_AUTH)
        assert served.work(lambda: served.here == ["bob"])
        bob.say(type="error", code="y", why="still here")
        assert served.work(lambda: any(isinstance(record, Complained) for record in served.messages))
        assert [r.code for r in served.messages if isinstance(r, Complained)] == ["y"]
        assert any("alice has gone: its key was revoked" in note for note in notes)


def test_only_a_revoked_key_loses_its_matches(tmp_path: Path, keys: Keys) -> None:
    with serving(tmp_path, keys) as (served, done), playing(served, keys, alice="first", bob="random_bot"):
        assert served.work(lambda: len(done) >= 1 and bool(served.hub.running))
        keys.folder.revoke("alice")
        assert served.work(lambda: served.here == ["bob"] and not served.hub.running)
    assert {
        (name, fault) for f in done for name, fault in zip(f.result.names, f.result.faults, strict=True)
    } <= {("alice", ""), ("bob", ""), ("alice", "disconnected")}


def test_an_account_has_room_for_few_connections_and_again_when_they_end(tmp_path: Path, keys: Keys) -> None:
    pair, server = keys.pairs["alice"], keys.server
    with serving(tmp_path, keys) as (served, _):
        with ExitStack() as stack:
            crowd = [
                stack.enter_context(Peer(served.address, pair, server)) for _ in range(MOST_CONNECTIONS + 3)
            ]
            for peer in crowd:
                peer.say(type="ping", n=1)
            ends = [happened(peer, zmq.Event.HANDSHAKE_SUCCEEDED, *FAILURES) for peer in crowd]
            assert all(ends)
            assert eventually(lambda: sum(bool(peer.socket.poll(0)) for peer in crowd) == MOST_CONNECTIONS)
            with Peer(served.address, keys.pairs["bob"], server) as bob:
                bob.say(**HELLO)
                hears(served, bob, "welcome")
            assert sum(bool(peer.socket.poll(0)) for peer in crowd) == MOST_CONNECTIONS
        with Peer(served.address, pair, server) as later:
            later.say(**HELLO)
            hears(served, later, "welcome")


def test_an_account_that_talks_without_end_before_its_hello_is_not_heard(tmp_path: Path, keys: Keys) -> None:
    with (
        serving(tmp_path, keys) as (served, _),
        Peer(served.address, keys.pairs["alice"], keys.server) as chatty,
        Peer(served.address, keys.pairs["bob"], keys.server) as bob,
    ):
        for _ in range(2_000):
            chatty.say(type="ping")
        bob.say(**HELLO)
        hears(served, bob, "welcome")
        assert chatty.socket.poll(30_000)
        answers = 0
        while chatty.socket.poll(200):
            chatty.socket.recv()
            answers += 1
        assert answers < 1_000
        assert served.here == ["bob"]


def _play_on(served: Listener, done: list[Finished]) -> None:
    """See that all matches that run now come to their end."""
    running = set(served.hub.running)
    assert running
    assert served.work(lambda: running <= {f.result.match for f in done} and bool(served.hub.running))


def opened_anew(served: Listener, before: int) -> bool:
    """Wait for another gate than the one before."""
    return served.work(lambda: served.gate not in (0, before))


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGABRT], ids=["killed", "aborted"])
def test_a_gate_that_dies_is_opened_again_and_every_match_goes_on(
    tmp_path: Path, keys: Keys, how: signal.Signals
) -> None:
    with (
        serving(tmp_path, keys, jobs=4) as (served, done),
        playing(served, keys, alice="first", bob="random_bot"),
    ):
        assert served.work(lambda: len(done) >= 2 and bool(served.hub.running))
        sessions = {session.name: session.id for session in served.hub.sessions}
        for _ in range(2):
            before = served.gate
            os.kill(before, how)
            _play_on(served, done)
            assert opened_anew(served, before)
        assert {session.name: session.id for session in served.hub.sessions} == sessions
    assert {f.result.faults for f in done if not f.result.void} == {("", "")}


QUICK = PROFILES["strict"].timed({"first_ms": 2_000, "move_ms": 2_000, "bank_ms": 0, "ready_ms": 2_000})
"""A clock that is shorter than the time after which a hanging gate is noticed."""


def test_a_gate_that_hangs_is_ended_and_opened_again_and_every_match_goes_on(
    tmp_path: Path, keys: Keys
) -> None:
    notes: list[str] = []
    with (
        serving(tmp_path, keys, jobs=4, profile=QUICK, note=notes.append) as (served, done),
        playing(served, keys, alice="first", bob="random_bot"),
    ):
        assert served.work(lambda: len(done) >= 2 and bool(served.hub.running))
        sessions = {session.name: session.id for session in served.hub.sessions}
        before = served.gate
        os.kill(before, signal.SIGSTOP)
        _play_on(served, done)
        assert opened_anew(served, before)
        assert not Path(f"/proc/{before}").exists()
        assert {session.name: session.id for session in served.hub.sessions} == sessions
    assert {f.result.faults for f in done if not f.result.void} == {("", "")}
    assert "the public gate has not been heard for 3 s and is ended" in notes


def stopped_for(seconds: float, pid: int) -> "subprocess.Popen[bytes]":
    """Stop a process for a while."""
    return subprocess.Popen(["sh", "-c", f"kill -STOP {pid}; sleep {seconds}; kill -CONT {pid}"])


def test_a_gate_that_is_kept_waiting_for_a_moment_stays_and_no_bot_is_late(
    tmp_path: Path, keys: Keys, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A moment on this host may be long.
    monkeypatch.setattr("referee.server.gate_watch.HANG_NS", 60_000_000_000)
    with (
        serving(tmp_path, keys, jobs=4, profile=QUICK) as (served, done),
        playing(served, keys, alice="first", bob="random_bot"),
    ):
        assert served.work(lambda: len(done) >= 2 and bool(served.hub.running))
        before = served.gate
        with stopped_for(3.0, before):
            _play_on(served, done)
        assert served.gate == before
    assert {f.result.faults for f in done if not f.result.void} == {("", "")}


def test_a_hub_that_was_stopped_does_not_take_its_gate_for_dead(tmp_path: Path, keys: Keys) -> None:
    with (
        serving(tmp_path, keys, jobs=4, profile=QUICK) as (served, done),
        playing(served, keys, alice="first", bob="random_bot"),
    ):
        assert served.work(lambda: len(done) >= 2 and bool(served.hub.running))
        before = served.gate
        with stopped_for(HANG_NS / 1e9 + 0.5, os.getpid()):
            _play_on(served, done)
        assert served.gate == before
    assert {f.result.faults for f in done if not f.result.void} == {("", "")}


def test_a_bot_that_waits_is_back_as_soon_as_the_gate_is_open_again(tmp_path: Path, keys: Keys) -> None:
    """The kit need not be silent for five seconds before it asks."""
    nobody = {"choose": lambda _bots, _running: None}
    with (
        serving(tmp_path, keys, **nobody) as (served, _),
        playing(served, keys, alice="first", bob="random_bot"),
    ):
        assert served.work(lambda: all(session.admission.measured for session in served.hub.sessions))
        served.heard.clear()
        os.kill(served.gate, signal.SIGKILL)
        assert served.work(lambda: any(session.away for session in served.hub.sessions))
        assert served.work(lambda: not any(session.away for session in served.hub.sessions))
        came = [record for record in served.heard if isinstance(record, Greeted)]
        assert {record.account for record in came} == {"alice", "bob"}
        assert all(record.session for record in came)


def test_strangers_and_a_broken_list_are_reported(tmp_path: Path, keys: Keys) -> None:
    notes: list[str] = []
    with (
        serving(tmp_path, keys, note=notes.append) as (served, _),
        Peer(served.address, keys.pairs["bob"], keys.server) as bob,
    ):
        with Peer(served.address, fresh_pair(), keys.server):
            assert served.work(lambda: any("refused" in note for note in notes))
        bob.say(**HELLO)
        hears(served, bob, "welcome")
        allowed = keys.folder.folder / ALLOWED
        whole = allowed.read_text()
        allowed.write_text("rubbish")
        assert served.work(lambda: any("no new bot is admitted" in note for note in notes))
        assert served.here == ["bob"]
        mended = allowed.with_suffix(".new")
        mended.touch(mode=0o600)
        mended.write_text(whole)
        mended.replace(allowed)
        assert served.work(lambda: "the list of keys can be read again" in notes)


def oblige(peer: Peer, said: Any) -> None:
    """Answer what any bot answers."""
    if said["type"] == "ping":
        peer.say(type="pong", n=said["n"])
    elif said["type"] == "start":
        peer.say(type="ready", match=said["match"])


def play_badly(peer: Peer) -> bool:
    """Answer what has come, and every ask with what is no action; say whether it was sent away."""
    while (said := peer.hear()) is not None:
        oblige(peer, said)
        if said["type"] == "ask":
            peer.say(type="act", match=said["match"], id=said["id"], action="nonsense")
        elif said["type"] == "bye":
            return True
    return False


def test_a_bot_that_was_sent_away_may_come_back_but_not_to_lose_more(tmp_path: Path, keys: Keys) -> None:
    notes: list[str] = []
    with (
        serving(tmp_path, keys, note=notes.append) as (served, done),
        playing(served, keys, bob="first"),
    ):
        with Peer(served.address, keys.pairs["alice"], keys.server) as alice:
            alice.say(**HELLO)
            assert served.work(lambda: play_badly(alice))
        assert "alice is sent away: it lost 3 matches in a row by its own fault" in notes
        assert "alice gets no match for 10 s" in notes
        # For longer, in case this host is slow.
        assert [served.cooldown.send("alice", time.monotonic()) for _ in range(3)] == [20, 40, 80]
        with Peer(served.address, keys.pairs["alice"], keys.server) as alice:
            alice.say(**HELLO)
            assert served.work(
                lambda: (
                    play_badly(alice)
                    or (
                        served.here == ["alice", "bob"]
                        and all(s.admission.measured for s in served.hub.sessions)
                    )
                )
            )
            assert served.here == ["alice", "bob"]
            assert served.work(lambda: not served.hub.running)
            assert served.next_match() is None
            served.cooldown = Cooldown()
            assert served.next_match() is not None
    assert not any(f.result.faults[f.result.names.index("bob")] for f in done)


def test_a_bot_that_answers_no_ping_and_its_organiser_read_that_it_gets_no_match(
    tmp_path: Path, keys: Keys, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("referee.server.author_notices.MUTE_NS", 0)
    notes: list[str] = []
    with (
        serving(tmp_path, keys, note=notes.append) as (served, _),
        Peer(served.address, keys.pairs["alice"], keys.server) as alice,
    ):
        alice.say(**HELLO)
        notice = ""

        def is_told() -> bool:
            nonlocal notice
            while not notice and (said := alice.hear()) is not None:
                notice = said.get("notice", "")
            return bool(notice)

        assert served.work(is_told)
        assert notice.startswith("your bot answers no ping: it gets no match")
        for _ in range(3):
            served.turn(50_000_000)
    assert notes.count("alice answers no ping, so it gets no match") == 1


def test_a_bot_that_was_sent_away_has_paid_for_all_it_was_losing(tmp_path: Path, keys: Keys) -> None:
    notes: list[str] = []
    asked: dict[str, int] = {}
    with (
        serving(tmp_path, keys, jobs=6, note=notes.append) as (served, done),
        playing(served, keys, bob="first"),
        Peer(served.address, keys.pairs["alice"], keys.server) as alice,
    ):

        def wait_to_be_asked() -> bool:
            while (said := alice.hear()) is not None:
                oblige(alice, said)
                if said["type"] == "ask":
                    asked[said["match"]] = said["id"]
            return len(asked) == 6

        alice.say(**HELLO, capacity=6)
        assert served.work(wait_to_be_asked)
        for match, number in asked.items():
            alice.say(type="act", match=match, id=number, action="nonsense")
        # It is sent away after three, when all are lost already.
        assert served.work(lambda: asked.keys() <= {f.result.match for f in done})
    assert [note for note in notes if note.startswith("alice is sent away")] == [
        "alice is sent away: it lost 3 matches in a row by its own fault"
    ]
    assert not served.faults_in_a_row["alice"], "what it lost before counts when it comes back"


def test_a_match_that_is_lost_because_the_bot_is_sent_away_says_why(tmp_path: Path, keys: Keys) -> None:
    asked: dict[str, int] = {}
    with (
        serving(tmp_path, keys, jobs=4) as (served, done),
        playing(served, keys, bob="first"),
        Peer(served.address, keys.pairs["alice"], keys.server) as alice,
    ):

        def wait_to_be_asked() -> bool:
            while (said := alice.hear()) is not None:
                oblige(alice, said)
                if said["type"] == "ask":
                    asked[said["match"]] = said["id"]
            return len(asked) == 4

        alice.say(**HELLO, capacity=4)
        assert served.work(wait_to_be_asked)
        *lost, open_match = asked
        for match in lost:
            alice.say(type="act", match=match, id=asked[match], action="nonsense")
        assert served.work(lambda: asked.keys() <= {f.result.match for f in done})
    (replay,) = [one.replay for one in done if one.result.match == open_match]
    assert replay is not None
    (fault,) = [entry for entry in read(replay).entries if isinstance(entry, Fault)]
    assert fault.code == "disconnected"
    assert fault.why.startswith("sent away: you lost 3 matches in a row by your own fault")


@pytest.mark.slow
def test_a_connection_that_says_nothing_is_ended(tmp_path: Path, keys: Keys) -> None:
    with (
        serving(tmp_path, keys) as (served, _),
        Peer(served.address, keys.pairs["alice"], keys.server) as mute,
        Peer(served.address, keys.pairs["bob"], keys.server) as bob,
    ):
        bob.say(**HELLO)
        hears(served, bob, "welcome")
        assert happened(mute, zmq.Event.HANDSHAKE_SUCCEEDED)
        assert happened(mute, zmq.Event.DISCONNECTED)
        bob.say(type="ping", n=7)
        assert hears(served, bob, "pong")["n"] == 7


@pytest.fixture(autouse=True)
def _no_threads_are_left() -> Iterator[None]:
    before = threading.active_count()
    yield
    assert threading.active_count() <= before
