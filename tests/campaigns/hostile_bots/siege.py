"""The public gate under siege: strangers attack it, one after the other, while bots from elsewhere play."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from msgspec import Struct

from referee.hub.pairing import Finished
from referee.server.daemon import Daemon
from tests.campaigns.hostile_bots.kinds import Kind
from tests.end_to_end.hubs import ROOT, eventually
from tests.end_to_end.keyed import Keys, playing, serving
from tests.end_to_end.test_serve import bots, daemon, gate_of, turning

MORE_MATCHES = 4
"""Honest matches that must be played to their end after each attack."""


class Siege(Struct, frozen=True):
    """What came of one attack."""

    kind: Kind
    told: dict[str, str]
    """The attacker's report: what each attack reached."""
    honest: list[Finished]
    """Matches of others that ended since it began."""
    gate_died: bool
    sessions_lost: int
    """Honest bots that had to come anew."""
    gone_ms: int
    """How long after the attacker's end the gate held any of its connections."""
    left: list[str]

    def wrong(self) -> str:
        """Describe what is not as the table demands; nothing if all is well."""
        if not self.told or any(self.told.values()):
            return f"it told {self.told}"
        faults = [one.result.faults for one in self.honest if any(one.result.faults)]
        if faults or any(one.result.void for one in self.honest):
            return f"honest bots failed: {faults}"
        if self.gate_died or self.sessions_lost:
            return f"the gate died, or {self.sessions_lost} bots lost their session"
        return ", ".join(self.left)


def besiege(kinds: Iterable[Kind], folder: Path) -> list[Siege]:
    """Attack two gates in all these ways, one of them with keys."""
    wanted = list(kinds)
    plain = [kind for kind in wanted if not kind.keyed]
    keyed = [kind for kind in wanted if kind.keyed]
    with ThreadPoolExecutor() as pool:
        # At the same time: an attacker mostly waits to be thrown out.
        sieges = [
            pool.submit(_besiege_plain, plain, folder / "plain"),
            pool.submit(_besiege_keyed, keyed, folder / "keyed"),
        ]
        return [attack for siege in sieges for attack in siege.result()]


def _besiege_plain(kinds: list[Kind], folder: Path) -> list[Siege]:
    if not kinds:
        return []
    with (
        daemon(folder, jobs=2) as (served, done),
        bots(served.address, "first", "random_bot", "first", "random_bot"),
    ):
        assert turning(served, lambda: len(done) >= 1 and len(served.hub.sessions) == 4)
        honest = {session.id for session in served.hub.sessions}
        return [_attack(kind, served, done, honest, {}) for kind in kinds]


def _besiege_keyed(kinds: list[Kind], folder: Path) -> list[Siege]:
    if not kinds:
        return []
    folder.mkdir(parents=True)
    # An account for each, so that what one is kept out for is not charged to another.
    accounts = {f"no-{number}": kind for number, kind in enumerate(kinds)}
    keys = Keys(folder, "alice", "bob", *accounts)
    with (
        serving(folder, keys, jobs=2) as (served, done),
        playing(served, keys, alice="first", bob="random_bot"),
    ):
        assert served.work(lambda: len(done) >= 1)
        honest = {session.id for session in served.hub.sessions}
        return [
            _attack(kind, served, done, honest, keys.environment(account))
            for account, kind in accounts.items()
        ]


def _attack(kind: Kind, served: Daemon, done: list[Finished], ours: set[str], env: dict[str, str]) -> Siege:
    gate, before = gate_of(served), len(done)
    most = _descriptors(gate)
    with subprocess.Popen(
        [sys.executable, str(ROOT / "tests" / kind.file), *kind.words, served.address],
        env=os.environ | {"PYTHONPATH": str(ROOT)} | env,
        stderr=subprocess.PIPE,
        text=True,
    ) as attacker:
        try:
            assert turning(served, lambda: attacker.poll() is not None), f"{kind.name} does not end"
        finally:
            attacker.kill()
        ended = time.monotonic()
        _, said = attacker.communicate()
    gone = eventually(lambda: _descriptors(gate) <= most)
    gone_ms = int((time.monotonic() - ended) * 1_000)
    enough = len(done) + MORE_MATCHES
    assert turning(served, lambda: len(done) >= enough)
    told = [json.loads(line) for line in said.splitlines() if line.startswith('{"attack"')]
    return Siege(
        kind,
        told={one["attack"]: one["got"] for one in told},
        honest=done[before:],
        gate_died=gate_of(served) != gate,
        sessions_lost=len(ours - {session.id for session in served.hub.sessions}),
        gone_ms=gone_ms,
        left=[] if gone else [f"{_descriptors(gate) - most} connections of the gate"],
    )


def _descriptors(pid: int) -> int:
    return len(os.listdir(f"/proc/{pid}/fd"))
