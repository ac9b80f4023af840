"""Where hostile bots are let loose: each plays against an honest bot, beside matches among honest bots.

All of it in one hub. The result is a `Round`: verdicts, the reports of attackers, how fast honest bots were
served, and what was left behind.
"""

import json
import os
import secrets
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from protocol.messages import TimeControl
from referee.chance import deal_key
from referee.hub.hub import Hub
from referee.hub.pairing import Finished, Pairing
from referee.hub.session import Session
from referee.match.clock import MS
from referee.match.faults import ADVICE, MEANING, PROFILES, FaultCode, Profile
from referee.match.result import Acted
from referee.process.sandbox.selftest import lay_decoys
from referee.process.spec import BotSpec, Transport, program
from referee.process.stderr_tail import LOG_BYTES
from referee.replay import files
from referee.replay.explanation import explain, read_match
from tests.campaigns.hostile_bots.kinds import HARMLESS, Kind
from tests.end_to_end.hubs import ROOT, eventually, poker, processes, sample

STRICT = PROFILES["strict"]
HASTY: TimeControl = replace(STRICT.clock, first_ms=1_000, move_ms=1_000, bank_ms=500)
"""Only for bots that are meant to be late."""

HONEST: Profile = replace(STRICT, clock=replace(STRICT.clock, grace_ms=0))
"""Without grace every microsecond of an honest decision is written down."""

PATIENT: Profile = STRICT.timed({"goodbye_ms": 6_000})
"""So many leave at once that each may take a while, and some report something at the end."""

Entry = tuple[Kind, Transport]

OPPONENT, CALM, LIVELY = "opponent", "calm", "lively"


class Load(NamedTuple):
    """How many matches are played at once."""

    hostile: int
    honest: int


CROWDED = Load(6, 2)
"""More than a host with few processors can bear; the commands warn about such a load."""

LEFT_WITHIN_S = 60.0
"""How long a busy host may take to bury the dead before it is counted as a failure."""


PRINTED = "on stdout, where only messages may go"
"""What `referee why` says of text in place of a message."""


class Bout(Struct, frozen=True):
    """A match of a hostile bot."""

    kind: Kind
    transport: Transport
    faults: tuple[str, ...]
    """The attacker's first, for every seat."""
    void_reason: str | None
    told: dict[str, str]
    """Its report: what each attack reached."""
    log: str
    """What was kept of its log."""
    why: str
    """What `referee why` says, if there was a fault."""

    def wrong(self) -> str:
        """Describe what is not as the table demands; nothing if all is well."""
        return next(self._complaints(), "")

    def _complaints(self) -> Iterator[str]:
        own, *others = self.faults
        if self.void_reason is not None:
            yield f"void: {self.void_reason}"
        if own != self.kind.fault:
            yield f"{own or 'no fault'} instead of {self.kind.fault or 'no fault'}: {self.why}"
        if any(others):
            yield f"its honest opponent failed: {others}"
        if self.kind.reports and (not self.told or any(self.told.values())):
            yield f"it told {self.told}; its log ends: {self.log[-500:]!r}"
        if len(self.log) > LOG_BYTES:
            yield f"{len(self.log)} bytes of its log were kept"
        if self.kind.fault != HARMLESS:
            code = FaultCode(own)
            # Of what is no message at all the advice is that of a print.
            advice = PRINTED if PRINTED in self.why else ADVICE[code]
            missing = [words for words in (own, MEANING[code], advice) if words not in self.why]
            if missing or not self.why.replace("\n", "").isprintable():
                yield f"`referee why` does not say {missing}: {self.why}"


class Round(Struct, frozen=True):
    """What came of one round."""

    bouts: list[Bout]
    honest: list[Finished]
    latencies_us: list[int]
    """Of all decisions in matches among honest bots."""
    gone_ms: int
    """How long after the last attacker was seen out its last process was there."""
    left: list[str]
    """What was left behind: processes, descriptors, files."""

    def wrong(self) -> dict[str, str]:
        """Return all that is not as it should be, by name."""
        found = {f"{bout.kind.name} over {bout.transport}": bout.wrong() for bout in self.bouts}
        for finished in self.honest:
            result = finished.result
            if result.void or any(result.faults):
                found[result.match] = result.void_reason or f"{result.faults}"
        found["left behind"] = ", ".join(self.left)
        return {name: words for name, words in found.items() if words}


class _Arena:
    """A hub that is fed: so many hostile matches at once, and honest ones as long as they last."""

    def __init__(self, kinds: Iterable[Entry], folder: Path, load: Load, least: int) -> None:
        self.mark = f"hostile{secrets.token_hex(8)}"
        self._seed = secrets.token_hex(16)
        self.fighting = {f"{kind.name}-{transport}": (kind, transport) for kind, transport in kinds}
        self.finished: list[Finished] = []
        self.friendly: list[Finished] = []
        self.logs: dict[str, str] = {}
        self._load, self._least = load, least
        self._names = iter(self.fighting)
        self._numbers: Counter[str] = Counter()
        bots = [sample(word, "stdio") for word in ("first", "random")]
        calm = [
            replace(bots[0], name=OPPONENT),
            replace(bots[0], name=CALM),
            replace(bots[1], name=LIVELY, transport="zmq"),
        ]
        self.hub = Hub(
            calm,
            jobs=sum(load),
            replays=folder,
            profile=PATIENT,
            report=self._note,
            on_gone=self._keep_stderr,
        )

    def begin(self, decoys: dict[str, object]) -> None:
        """Submit the first matches."""
        for name, (kind, transport) in self.fighting.items():
            self.hub.roster.add([_spec(name, kind, transport, self.mark, decoys)])
        for _ in range(self._load.honest):
            self._next_honest()
        for _ in range(self._load.hostile):
            self._next_fight()

    def _next_fight(self) -> None:
        name = next(self._names, None)
        if name is not None:
            kind, _ = self.fighting[name]
            partner = name if kind.both_seats else OPPONENT
            clocks = {name: HASTY} if kind.hasty else {}
            self.hub.submit([self._pairing(name, (name, partner), STRICT, clocks)])

    def _next_honest(self) -> None:
        self._numbers["honest"] += 1
        self.hub.submit([self._pairing(f"honest-{self._numbers['honest'] - 1}", (CALM, LIVELY), HONEST, {})])

    def _pairing(
        self, match: str, bots: tuple[str, ...], profile: Profile, clocks: dict[str, TimeControl]
    ) -> Pairing:
        key = deal_key(self._seed, match)
        return Pairing(match, poker(), bots, key, profile, seed=self._seed, deal=match, clocks=clocks)

    def _note(self, finished: Finished) -> None:
        if finished.result.match in self.fighting:
            self.finished.append(finished)
            self._next_fight()
        else:
            self.friendly.append(finished)
            if len(self.finished) < len(self.fighting) or self._numbers["honest"] < self._least:
                self._next_honest()

    def _keep_stderr(self, session: Session, why: str) -> None:
        """Keep the stderr of a bot that is gone."""
        del why
        self.logs[session.name] = self.logs.get(session.name, "") + session.stderr.since(0)

    def see_out(self) -> None:
        """Wait until all attackers are gone."""
        while any(session.name in self.fighting for session in self.hub.sessions):
            self.hub.loop.turn(50 * MS)

    def strays(self) -> list[str]:
        """Return what is left of bots that are gone: processes, their supervisors and gates, files."""
        sessions, forkserver = self.hub.sessions, self.hub.forkserver
        # The last is the folder with the copies of all bots, which is the forkserver's.
        ours = {*(session.id[:12] for session in sessions), "bots"}
        found = [f"process {pid}" for pid in processes(self.mark)]
        found += [f"file {path.name}" for path in forkserver.folder.iterdir() if path.stem not in ours]
        # Every bot has a supervisor, and a gate if it speaks ZeroMQ and is not trusted.
        specs = [self.hub.roster.specs[session.name] for session in sessions]
        expected = sum(1 + (spec.transport == "zmq" and spec.program.level != "trusted") for spec in specs)
        pid = forkserver.pid
        more = len(Path(f"/proc/{pid}/task/{pid}/children").read_text().split()) - expected
        return found + ([f"{more} supervisors or gates"] if more > 0 else [])


def _spec(name: str, kind: Kind, transport: Transport, mark: str, decoys: dict[str, object]) -> BotSpec:
    env = {"PYTHONPATH": str(ROOT), "ZOO": mark, "ZOO_DECOYS": json.dumps(decoys)}
    command = [sys.executable, str(ROOT / "tests" / kind.file), *kind.words]
    started = program(command, ROOT / "tests", env, kind.limits, kind.level)
    return BotSpec(name, started, transport, fresh=True)


def fight(kinds: Sequence[Entry], folder: Path, load: Load = CROWDED, *, least: int = 0) -> Round:
    """Play one round of these kinds; matches among honest bots run beside them all the time.

    They go on until all hostile matches are over and at least so many have been played.
    """
    descriptors = len(os.listdir("/proc/self/fd"))
    with lay_decoys() as decoys:
        arena = _Arena(kinds, folder, load, least)
        with arena.hub:
            arena.begin(decoys)
            arena.hub.run()
            arena.see_out()
            seen_out = time.monotonic()
            eventually(lambda: not arena.strays(), LEFT_WITHIN_S)
            gone_ms = int((time.monotonic() - seen_out) * 1_000)
            left = arena.strays()
            if not _is_alive(decoys["pid"]):
                left.append("a killed peer")
        left += [
            f"letter {path}" for place in ("/tmp", "/dev/shm") for path in Path(place).glob(f"*{arena.mark}*")
        ]
    more = len(os.listdir("/proc/self/fd")) - descriptors
    left += [f"{more} descriptors"] if more else []
    folder_left = arena.hub.forkserver.folder
    left += [f"folder {folder_left}"] if folder_left.exists() else []
    bouts = [_bout(arena, finished, folder) for finished in arena.finished]
    return Round(bouts, arena.friendly, list(_latencies(arena.friendly)), gone_ms, left)


def _is_alive(pid: int) -> bool:
    return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()


def _bout(arena: _Arena, finished: Finished, folder: Path) -> Bout:
    name = finished.result.match
    kind, transport = arena.fighting[name]
    log = arena.logs[name]
    told = {}
    for line in log.splitlines():
        if line.startswith('{"attack"'):
            answer = msgspec.json.decode(line)
            told[answer["attack"]] = answer["got"]
    why = "\n".join(explain(read_match(name, [folder]))) if any(finished.result.faults) else ""
    return Bout(kind, transport, finished.result.faults, finished.result.void_reason, told, log, why)


def _latencies(friendly: Iterable[Finished]) -> Iterator[int]:
    for finished in friendly:
        assert finished.replay is not None
        for entry in files.read(finished.replay).entries:
            if isinstance(entry, Acted) and entry.by == "bot":
                yield entry.us


def each(kinds: Iterable[Kind]) -> list[Entry]:
    """Return kinds with each of the ways they speak."""
    return [(kind, transport) for kind in kinds for transport in kind.transports]
