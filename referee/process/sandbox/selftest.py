"""Tries out what holds on this host: a bot of ours, inside a level, attacks decoys laid out outside of it."""

import contextlib
import ctypes
import fcntl
import json
import os
import secrets
import select
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from referee.process import supervisor
from referee.process.forkserver import Forkserver
from referee.process.sandbox import attacks
from referee.process.sandbox.levels import BUBBLEWRAP, Gap, gaps
from referee.process.spec import Level, ResourceLimits, program

_SILENT_S: Final = 60
"""After this long without a word an attack is given up."""

_GONE_WITHIN_S: Final = 10.0

_TRUSTED_PROMISES: Final = frozenset(
    {"environment", "descriptors", "big-file", "open-files", *attacks.GREEDY, attacks.LEFT_RUNNING}
)

_libc = ctypes.CDLL(None, use_errno=True)


class AttackResult(Struct, frozen=True):
    """How an attack went."""

    attack: str
    what: str
    """What it tries, in words."""
    held: bool
    how: str
    """What it got, or what ended it."""


class Diagnosis(Struct, frozen=True):
    """What holds at one level."""

    level: Level
    gaps: list[Gap]
    findings: list[AttackResult]
    """None if there can be no box."""

    def holds(self, accepted: Iterable[str] = ()) -> bool:
        """Say whether the level keeps what it promises, but for gaps that were accepted."""
        missing = {gap.name for gap in self.gaps} - set(accepted)
        broken = {finding.attack for finding in self.findings if not finding.held}
        return bool(self.findings) and not missing and not broken & promises(self.level)


def promises(level: Level) -> frozenset[str]:
    """Return the attacks that a level promises to hold."""
    return _TRUSTED_PROMISES if level == "trusted" else frozenset(attacks.ALL)


def examine(level: Level, names: Iterable[str] = tuple(attacks.ALL)) -> Diagnosis:
    """Try attacks at a level."""
    missing = gaps(level)
    if any(gap.name == BUBBLEWRAP for gap in missing):
        return Diagnosis(level, missing, [])
    wanted = list(names)
    nursery = Forkserver()
    try:
        with lay_decoys() as decoys:
            findings = list(_findings(nursery, level, decoys, wanted))
    finally:
        nursery.close()
    order = list(attacks.ALL)
    return Diagnosis(level, missing, sorted(findings, key=lambda finding: order.index(finding.attack)))


def _findings(
    nursery: Forkserver, level: Level, decoys: dict[str, Any], names: list[str]
) -> Iterator[AttackResult]:
    quick = [name for name in names if name in attacks.QUICK]
    told = _run(nursery, level, decoys, quick) if quick else _Told()
    for name in quick:
        if name in told.got:
            yield _finding(name, not told.got[name], told.got[name])
        else:
            yield _finding(name, False, f"it was never answered: the attacker {told.end}: {told.words}")
    for name, (_, limit) in attacks.GREEDY.items():
        if name in names:
            told = _run(nursery, level, decoys, [name])
            # Ended for it, or refused by the kernel from the beginning.
            yield _finding(name, told.cause == limit or told.got.get(name) == "", told.end)
    if attacks.LEFT_RUNNING in names:
        told = _run(nursery, level, decoys, [attacks.LEFT_RUNNING])
        left = told.got.get(attacks.LEFT_RUNNING) != "" or _is_left(decoys["run"])
        yield _finding(attacks.LEFT_RUNNING, not left, "it lives on" if left else "")


def _finding(name: str, held: bool, how: str) -> AttackResult:
    return AttackResult(name, (attacks.ALL[name].__doc__ or "").rstrip("."), held, how)


class _Told:
    """What was heard of one run of the attacker."""

    def __init__(self) -> None:
        self.got: dict[str, str] = {}
        self.end = "did not end"
        self.cause = ""
        self.words = ""


def _run(nursery: Forkserver, level: Level, decoys: dict[str, Any], names: list[str]) -> _Told:
    """Let the attacker try these, and hear it to its end."""
    file = Path(attacks.__file__)
    limits = ResourceLimits(
        memory_mib=attacks.MEMORY_MIB if names[0].startswith("memory") else ResourceLimits().memory_mib,
        processes=attacks.PROCESSES,
        open_files=attacks.OPEN_FILES,
        file_mib=attacks.FILE_MIB,
        cpu_s=60,
    )
    command = [sys.executable, "-I", "-S", str(file), *names]
    env = {"TMPDIR": decoys["scratch"], "REFEREE_DOCTOR": decoys["run"]}
    theirs_in, ours_in = os.pipe()
    os.write(ours_in, json.dumps(decoys).encode())
    os.close(ours_in)
    ours, theirs = os.pipe()
    told = _Told()
    with nursery.keep(program(command, file.parent, env, limits, level), theirs_in, theirs) as line:
        _hear(line, ours, told)
    os.close(ours)
    return told


def _hear(line: socket.socket, stdout: int, told: _Told) -> None:
    said = b""
    ends = [line.fileno(), stdout]
    while ends:
        ready, _, _ = select.select(ends, [], [], _SILENT_S)
        if not ready:
            break
        if stdout in ready:
            data = os.read(stdout, 65_536)
            said += data
            if not data:
                ends.remove(stdout)
        if line.fileno() in ready and not _take(line, told):
            ends.remove(line.fileno())
    for text in said.decode(errors="replace").splitlines():
        with contextlib.suppress(ValueError, KeyError, TypeError):
            answer = json.loads(text)
            told.got[answer["attack"]] = answer["got"]


def _take(line: socket.socket, told: _Told) -> bool:
    data = line.recv(1 << 16)
    if not data:
        return False
    match supervisor.decode_report(data):
        case supervisor.Wrote() as wrote:
            told.words = (told.words + wrote.data.decode(errors="replace"))[-1_000:]
        case supervisor.Unstartable() as failed:
            told.end = f"could not be started: {failed.why}"
        case supervisor.Ended() as ended:
            told.end, told.cause = ended.in_words(), ended.cause
    return True


def _is_left(run: str) -> bool:
    """Say whether a process of a run is still there, after a moment of patience."""
    until = time.monotonic() + _GONE_WITHIN_S
    while _somebody(run):
        if time.monotonic() > until:
            return True
        time.sleep(0.02)
    return False


def _somebody(run: str) -> bool:
    for path in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):
            if run.encode() in path.read_bytes():
                return True
    return False


@contextlib.contextmanager
def lay_decoys() -> Iterator[dict[str, Any]]:
    """Lay out what must not be reached, and clear it away."""
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="referee-decoys-")))
        folder.chmod(0o777)
        scratch = folder / "scratch"
        scratch.mkdir()
        scratch.chmod(0o777)
        mark = secrets.token_hex(8)
        secret, readable = folder / "secret", folder / "open"
        for path, mode in ((secret, 0o600), (readable, 0o644)):
            path.write_text(mark)
            path.chmod(mode)
        left = [str(Path(place, f"referee-{mark}")) for place in ("/dev/shm", tempfile.gettempdir())]  # noqa: S108
        for name in left:
            Path(name).touch(0o644)
            stack.callback(os.unlink, name)
        shared = stack.enter_context(open(os.path.realpath(sys.executable)))
        # Shared, so that two doctors may be at work; an attack asks for all of it.
        fcntl.flock(shared, fcntl.LOCK_SH)
        variable = f"REFEREE_SECRET_{mark}"
        os.environ[variable] = mark
        stack.callback(os.environ.pop, variable)
        peer = stack.enter_context(_peer(mark))
        key = secrets.randbelow(1 << 30) + 1
        stack.enter_context(_segment(key))
        yield {
            "secret": str(secret),
            "open": str(readable),
            "folder": str(folder),
            "scratch": str(scratch),
            "mark": mark,
            "run": f"run-{mark}",
            "left": left,
            "shared": os.path.realpath(sys.executable),
            "variable": variable,
            "pid": peer,
            "shm_key": key,
            "socket": str(folder / "socket"),
            "abstract": f"referee-{mark}",
            **_listeners(stack, str(folder / "socket"), f"referee-{mark}"),
        }


@contextlib.contextmanager
def _peer(mark: str) -> Iterator[int]:
    """Run a process that can be seen by its mark, and be killed."""
    process = subprocess.Popen(  # noqa: S603 - a decoy
        [sys.executable, "-I", "-S", "-c", "import sys; sys.stdin.read()", mark], stdin=subprocess.PIPE
    )
    try:
        yield process.pid
    finally:
        process.kill()
        process.communicate()


@contextlib.contextmanager
def _segment(key: int) -> Iterator[None]:
    """Have a System V memory segment that all may use."""
    create, remove = 0o1000, 0
    number = _libc.shmget(key, 4096, create | 0o666)
    try:
        yield
    finally:
        if number >= 0:
            _libc.shmctl(number, remove, None)


def _listeners(stack: contextlib.ExitStack, path: str, abstract: str) -> dict[str, int]:
    """Listen on the loopback and on local sockets; datagrams are answered."""
    ends: list[socket.socket] = []
    for family, kind, address in (
        (socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0)),
        (socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0)),
        (socket.AF_UNIX, socket.SOCK_STREAM, path),
        (socket.AF_UNIX, socket.SOCK_STREAM, "\0" + abstract),
    ):
        end = stack.enter_context(socket.socket(family, kind))
        end.bind(address)
        if kind == socket.SOCK_STREAM:
            end.listen(16)
        ends.append(end)
    os.chmod(path, 0o666)  # noqa: S103 - a decoy that every user may open
    udp = ends[1]

    def echo() -> None:
        while True:
            data, sender = udp.recvfrom(64)
            if data == b"end":
                return
            udp.sendto(data, sender)

    thread = threading.Thread(target=echo, daemon=True)
    thread.start()

    def stop() -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as own:
            own.sendto(b"end", udp.getsockname())
        thread.join()

    stack.callback(stop)
    return {"tcp": ends[0].getsockname()[1], "udp": udp.getsockname()[1]}
