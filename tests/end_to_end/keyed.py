"""What the tests of a gate with keys share: accounts, a daemon that keeps what it hears, and peers."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

import msgspec
import zmq

from protocol.keys import Pair, secure
from referee.gate.keystore import KeyStore, new_bot_key
from referee.gate.records import Noted, Opened, Record
from referee.hub.pairing import Finished
from referee.server.daemon import Daemon
from referee.server.served_game import ServedGame
from tests.end_to_end.hubs import ROOT, eventually, poker
from tournaments.ladder import Ladder

OF_GAME = ("choose", "identify", "jobs", "profile", "hours")
"""The settings of a daemon that are those of its game."""

HELLO = {"type": "hello", "protocol": [1], "name": "whoever"}


def fresh_pair() -> Pair:
    """Return a new pair that is on no list."""
    public, secret = zmq.curve_keypair()
    return Pair(public.decode(), secret.decode())


class Keys:
    """A folder of keys with its accounts, and what each bot keeps at home."""

    def __init__(self, folder: Path, *accounts: str) -> None:
        self.home = folder / "home"
        self.home.mkdir()
        self.folder = KeyStore(folder / "keys")
        self.pairs = {account: self._enrol(account) for account in accounts}
        self.server = self.folder.server().public

    def _enrol(self, account: str) -> Pair:
        pair = new_bot_key(self.path(account))
        self.folder.allow(account, pair.public)
        return pair

    def path(self, account: str) -> Path:
        """Return the file with the keys of an account."""
        return self.home / f"{account}.key"

    def environment(self, account: str) -> dict[str, str]:
        """Return the environment with a bot's keys."""
        return {"REFEREE_KEY": str(self.path(account)), "REFEREE_SERVER_KEY": self.server}


class Listener(Daemon):
    """A daemon, and every record that its gate has sent up."""

    heard: list[Record]

    @property
    def messages(self) -> list[Record]:
        """What bots have said, which is all but the records of the gate itself."""
        return [record for record in self.heard if not isinstance(record, Opened | Noted)]

    @property
    def here(self) -> list[str]:
        """The names of the bots that are connected."""
        return sorted(session.name for session in self.hub.sessions)

    @property
    def gate(self) -> int:
        """The process of the gate."""
        assert self.gate_watch.gate is not None
        return self.gate_watch.pid

    def work(self, until: Callable[[], bool]) -> bool:
        """Work until something holds."""

        def look() -> bool:
            self.turn(10_000_000)
            return until()

        return eventually(look)


@contextmanager
def serving(folder: Path, keys: Keys | None, **settings: Any) -> Iterator[tuple[Listener, list[Finished]]]:
    """Run a daemon whose matches are kept."""
    done: list[Finished] = []
    Listener.heard = []
    settings["trace"] = Listener.heard.append
    settings["keys"] = None if keys is None else keys.folder.folder
    settings["folder"] = folder / "serve"
    of_game = {name: settings.pop(name) for name in OF_GAME if name in settings}
    of_game.setdefault("choose", Ladder("evening", "chicago-poker", 2).choose)
    game = ServedGame(settings.pop("game", None) or poker(), 2, {}, folder=folder / "serve", **of_game)
    served = Listener("tcp://127.0.0.1:0", [game], report=done.append, **settings)
    try:
        yield served, done
    finally:
        served.close()


@contextmanager
def playing(served: Listener, keys: Keys | None, **samples: str) -> Iterator[None]:
    """Let sample bots play, by account, as processes of their own; the kit finds its keys by itself."""
    running = []
    for account, sample in samples.items():
        env = os.environ | {"REFEREE_ADDRESS": served.address}
        if keys is not None:
            env |= keys.environment(account)
        command = [sys.executable, "-m", f"sample_bots.python.{sample}"]
        running.append(subprocess.Popen(command, cwd=ROOT, env=env, stderr=subprocess.DEVNULL))
    try:
        assert served.work(
            lambda: [s.admission.measured for s in served.hub.sessions] == [True] * len(samples)
        )
        yield
    finally:
        for bot in running:
            bot.kill()
            bot.wait()


class Peer:
    """A peer at the other end of a socket that sends what a test wants."""

    def __init__(
        self, address: str, pair: Pair | None = None, server: str = "", identity: bytes | None = None
    ) -> None:
        self._context = zmq.Context()
        self.socket = self._context.socket(zmq.DEALER)
        self.socket.setsockopt(zmq.LINGER, 0)
        # What is said while the gate is closed waits in the socket, not the test.
        self.socket.setsockopt(zmq.SNDHWM, 0)
        if identity is not None:
            self.socket.setsockopt(zmq.IDENTITY, identity)
        if pair is not None:
            secure(self.socket, pair, server)
        self.events = self.socket.get_monitor_socket()
        self.socket.connect(address)

    def say(self, **message: Any) -> None:
        """Send a message."""
        self.socket.send(msgspec.json.encode(message))

    def hear(self) -> Any:
        """Return a message that has come, or None."""
        return msgspec.json.decode(self.socket.recv()) if self.socket.poll(0) else None

    def close(self) -> None:
        """Leave."""
        self.socket.disable_monitor()
        self._context.destroy(linger=0)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def hears(served: Listener, peer: Peer, kind: str) -> Any:
    """Let the daemon work until a peer gets a message of this kind, and return it; pings are answered."""
    found: list[Any] = []

    def look() -> bool:
        while (said := peer.hear()) is not None:
            if said["type"] == "ping" and kind != "ping":
                peer.say(type="pong", n=said.get("n", 0))
            elif said["type"] == kind:
                found.append(said)
        return bool(found)

    assert served.work(look), f"no {kind} came"
    return found[0]
