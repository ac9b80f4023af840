"""Tests which limits hold on this host: a bot of ours, inside a level, attacks decoys outside of it."""

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
from typing import Any, Final, NamedTuple

from msgspec import Struct

from referee.process.client import BotProcess
from referee.process.forkserver import Forkserver
from referee.process.reports import EndCause, Ended
from referee.process.sandbox import attacks
from referee.process.sandbox.attacks import tools
from referee.process.sandbox.levels import BUBBLEWRAP, Gap, gaps, notes
from referee.process.spec import BotSpec, Level, ResourceLimits, program

_SILENT_S: Final = 60
"""After this long without output an attack is given up."""

_GONE_WITHIN_S: Final = 10.0

_TRUSTED_PROMISES: Final = frozenset(
    {"environment", "descriptors", "big-file", "open-files", *attacks.GREEDY, attacks.LEFT_RUNNING}
)

_libc = ctypes.CDLL(None, use_errno=True)


class AttackResult(Struct, frozen=True):
    """How an attack ended."""

    attack: str
    what: str
    """What it tries, in words."""
    held: bool
    how: str
    """What it reached, or what ended it."""


class Diagnosis(Struct, frozen=True):
    """What holds at one level."""

    level: Level
    gaps: list[Gap]
    findings: list[AttackResult]
    """None if there can be no sandbox."""
    notes: list[str] = []
    """What to know of this host besides."""

    def holds(self, accepted: Iterable[str] = ()) -> bool:
        """Return whether the level keeps what it promises, but for gaps that were accepted."""
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
    forkserver = Forkserver()
    try:
        with lay_decoys() as decoys:
            # The copy is made now: what the author does to the folder later must not reach the attacker.
            forkserver.take_in(BotSpec("attacker", program(["true"], Path(decoys["own"]), level=level)))
            with _meeting_places(decoys):
                findings = list(_findings(forkserver, level, decoys, wanted))
    finally:
        forkserver.close()
    order = list(attacks.ALL)
    findings.sort(key=lambda finding: order.index(finding.attack))
    return Diagnosis(level, missing, findings, notes(level))


def _findings(
    forkserver: Forkserver, level: Level, decoys: dict[str, Any], names: list[str]
) -> Iterator[AttackResult]:
    quick = [name for name in names if name in attacks.QUICK]
    if quick:
        run = _run(forkserver, level, decoys, quick)
        for name in quick:
            if name in run.got:
                yield _finding(name, not run.got[name], run.got[name])
            else:
                said = f"it was never answered: the attacker {run.in_words()}: {run.stderr}"
                yield _finding(name, False, said)
    for name, (_, limit) in attacks.GREEDY.items():
        if name in names:
            run = _run(forkserver, level, decoys, [name])
            # Ended for it, or refused by the kernel from the beginning.
            held = (run.end is not None and run.end.cause == limit) or run.got.get(name) == ""
            yield _finding(name, held, run.in_words())
    if attacks.LEFT_RUNNING in names:
        run = _run(forkserver, level, decoys, [attacks.LEFT_RUNNING])
        left = run.got.get(attacks.LEFT_RUNNING) != "" or _is_left(decoys["run"])
        yield _finding(attacks.LEFT_RUNNING, not left, "it lives on" if left else "")


def _finding(name: str, held: bool, how: str) -> AttackResult:
    return AttackResult(name, (attacks.ALL[name].__doc__ or "").rstrip("."), held, how)


class _Run(NamedTuple):
    """What one run of the attacker brought."""

    got: dict[str, str]
    """By attack: what it got, '' if nothing."""
    end: Ended | None
    stderr: str

    def in_words(self) -> str:
        return "did not end" if self.end is None else self.end.in_words()


def _run(forkserver: Forkserver, level: Level, decoys: dict[str, Any], names: list[str]) -> _Run:
    """Let the attacker try these, and read its reports to its end."""
    folder = Path(attacks.__file__).parent
    _, breaks = attacks.GREEDY.get(names[0], (None, ""))
    limits = ResourceLimits(
        memory_mib=tools.MEMORY_MIB if breaks == EndCause.MEMORY else ResourceLimits().memory_mib,
        processes=tools.PROCESSES,
        open_files=tools.OPEN_FILES,
        file_mib=tools.FILE_MIB,
        cpu_s=60,
    )
    # No site-packages, and of our own nothing but what the attacks import.
    command = [sys.executable, "-P", "-s", "-S", "-m", attacks.__name__, *names]
    env = {
        "TMPDIR": decoys["scratch"],
        "REFEREE_DOCTOR": decoys["run"],
        "PYTHONPATH": str(folder.parents[3]),
    }
    theirs_in, ours_in = os.pipe()
    os.write(ours_in, json.dumps(decoys).encode())
    os.close(ours_in)
    ours, theirs = os.pipe()
    bot = BotProcess(
        forkserver, program(command, Path(decoys["own"]), env, limits, level), (theirs_in, theirs)
    )
    with contextlib.closing(bot):
        said = _output(bot, ours)
    os.close(ours)
    got: dict[str, str] = {}
    for text in said.decode(errors="replace").splitlines():
        with contextlib.suppress(ValueError, KeyError, TypeError):
            answer = json.loads(text)
            got[answer["attack"]] = answer["got"]
    return _Run(got, bot.end, bot.stderr.since(0)[-1_000:])


def _output(bot: BotProcess, stdout: int) -> bytes:
    """Return all that a bot writes to its stdout, when it has ended and closed that."""
    said = b""
    ends = [bot.fileno(), stdout]
    while ends:
        ready, _, _ = select.select(ends, [], [], _SILENT_S)
        if not ready:
            break
        if stdout in ready:
            data = os.read(stdout, 65_536)
            said += data
            if not data:
                ends.remove(stdout)
        if bot.fileno() in ready:
            bot.read()
            if bot.end is not None:
                ends.remove(bot.fileno())
    return said


def _is_left(run: str) -> bool:
    """Return whether a process of a run is still there, after a moment of patience."""
    until = time.monotonic() + _GONE_WITHIN_S
    while _has_process(run):
        if time.monotonic() > until:
            return True
        time.sleep(0.02)
    return False


def _has_process(run: str) -> bool:
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
        # Not in the same folder: the sandbox would have a folder of that name to hold it.
        own = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="referee-attacker-")))
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
        # Shared, so that two self-tests may run at once; an attack asks for an exclusive lock.
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
            "own": str(own),
            "own_fifo": str(own / "fifo"),
            "own_socket": str(own / "socket"),
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
def _meeting_places(decoys: dict[str, Any]) -> Iterator[None]:
    """Wait at a FIFO and at a socket in the attacker's folder, as its author would."""
    os.mkfifo(decoys["own_fifo"])
    os.chmod(decoys["own_fifo"], 0o666)  # noqa: S103 - a decoy for all users
    fifo = os.open(decoys["own_fifo"], os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
    with contextlib.closing(open(fifo, "rb")), socket.socket(socket.AF_UNIX) as end:
        end.bind(decoys["own_socket"])
        os.chmod(decoys["own_socket"], 0o666)  # noqa: S103 - a decoy for all users
        end.listen(16)
        yield


@contextlib.contextmanager
def _peer(mark: str) -> Iterator[int]:
    """Run a process that can be seen by its mark, and be killed."""
    # In a session of its own: a Ctrl-C at the terminal is for the command alone.
    process = subprocess.Popen(  # noqa: S603 - a decoy
        [sys.executable, "-I", "-S", "-c", "import sys; sys.stdin.read()", mark],
        stdin=subprocess.PIPE,
        start_new_session=True,
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
    os.chmod(path, 0o666)  # noqa: S103 - a decoy for all users
    udp = ends[1]

    def echo() -> None:
        # After Ctrl-C the socket may be closed before this thread has ended.
        with contextlib.suppress(OSError):
            while (found := udp.recvfrom(64))[0] != b"end":
                udp.sendto(*found)

    thread = threading.Thread(target=echo, daemon=True)
    thread.start()

    def stop() -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as own:
            own.sendto(b"end", udp.getsockname())
        thread.join()

    stack.callback(stop)
    return {"tcp": ends[0].getsockname()[1], "udp": udp.getsockname()[1]}
