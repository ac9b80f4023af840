"""The process that starts one bot and sees it out, with everything the bot may have started.

Where the host allows it the supervisor is the first process of a PID namespace of its own: when it ends, for
any reason, the kernel ends every process in there. Elsewhere it is their subreaper and ends them one by one.
It ends itself as soon as its socket to the hub closes, so a hub killed with -9 leaves no process behind.

It also drains the bot's stderr (so that a chatty bot neither blocks nor floods the hub), watches memory and
the number of processes, and reports how the bot ended.
"""

import contextlib
import ctypes
import errno
import os
import resource
import select
import shutil
import signal
import socket
import time
from pathlib import Path

import msgspec

from referee.errors import LaunchError
from referee.match.faults import FaultCode
from referee.process import memory
from referee.process.sandbox import bubblewrap, cgroup
from referee.process.spec import Program, ResourceLimits

_PR_SET_PDEATHSIG = 1
_PR_SET_NO_NEW_PRIVS = 38
_PR_SET_CHILD_SUBREAPER = 36
_CLONE_NEWUSER = 0x10000000
_CLONE_NEWPID = 0x20000000

_LOOK_MS = 250
"""How often memory and the number of processes are looked at."""

_CHUNK = 8_192
_LOG_BYTES_PER_S = 262_144
"""What is passed on of a bot's stderr; the rest is dropped and counted."""

_SIGNALLED = 128
"""bubblewrap reports a bot that was ended by a signal with an exit code above this."""

_SHORTAGES = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN, errno.ENOSPC})
"""Errors of a host that lacks a resource, which other processes may use up."""

_libc = ctypes.CDLL(None, use_errno=True)


class SupervisorReport(msgspec.Struct, array_like=True, tag=True, frozen=True):
    """What all reports of a supervisor share."""


class Started(SupervisorReport, frozen=True):
    """The supervisor is there; killing this process ends the bot and all that belongs to it."""

    pid: int
    contained: bool
    """Whether it has a PID namespace of its own."""


class Unstartable(SupervisorReport, frozen=True):
    """The bot could not be executed."""

    why: str
    ours: bool = False
    """Whether it is this host that lacks the means, and not the bot that cannot be executed."""


class Wrote(SupervisorReport, frozen=True):
    """The bot wrote this to its stderr; `dropped` bytes before it were left out."""

    data: bytes
    dropped: int


class Ended(SupervisorReport, frozen=True):
    """The bot's process has ended. `cause` is '' or the limit it broke: memory, processes.

    Time and memory are the process's own; of a bot in a box they are those of bubblewrap.
    """

    code: int | None
    signal: int | None
    cause: str
    cpu_ms: int
    peak_kib: int

    def in_words(self) -> str:
        """Say how the bot ended."""
        if self.cause:
            return f"ended by the referee: over its limit of {self.cause}"
        if self.signal is not None:
            # Most of the real-time signals have no name.
            name = next((f" ({known.name})" for known in signal.Signals if known == self.signal), "")
            return f"ended by signal {self.signal}{name}"
        return f"exited with code {self.code}"

    def fault(self) -> FaultCode:
        """Return what the bot has lost its matches for."""
        if self.cause == "memory":
            return FaultCode.MEMORY
        return FaultCode.CPU if self.signal == signal.SIGXCPU else FaultCode.CRASHED


AnyReport = Started | Unstartable | Wrote | Ended

_encode = msgspec.msgpack.Encoder().encode
decode_report = msgspec.msgpack.Decoder(AnyReport).decode

TERM = b"term"
KILL = b"kill"


def be_subreaper() -> None:
    """Adopt the orphans among our descendants."""
    _libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def die_with_parent() -> None:
    """Be killed when the parent ends."""
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def enter_pid_namespace() -> bool:
    """Put the next child into a new PID namespace; say whether the host allows it."""
    uid, gid = os.getuid(), os.getgid()
    if _libc.unshare(_CLONE_NEWPID) == 0:
        return True
    if _libc.unshare(_CLONE_NEWUSER | _CLONE_NEWPID) != 0:
        return False
    with contextlib.suppress(OSError):
        Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{uid} {uid} 1")
    Path("/proc/self/gid_map").write_text(f"{gid} {gid} 1")
    return True


def supervise(program: Program, line: socket.socket, stdin: int | None, stdout: int | None) -> None:
    """Start the bot and watch over it until it ends or the hub lets go. Call in a forked child.

    Without `stdin` and `stdout` the bot reads nothing, and its stdout goes where its stderr goes.
    """
    os.setsid()
    contained = enter_pid_namespace()
    pid = os.fork()
    if pid:
        line.send(_encode(Started(pid, contained)))
        os._exit(0)
    be_subreaper()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    try:
        keeper = _Keeper(program, line, stdin, stdout)
    except OSError as error:
        # Nothing of the bot has been looked at yet.
        line.send(_encode(Unstartable(str(error), ours=True)))
    else:
        keeper.run()
    os._exit(0)


def _is_shortage(error: BaseException) -> bool:
    return isinstance(error, OSError) and error.errno in _SHORTAGES


class _Keeper:
    """The supervisor's loop."""

    def __init__(self, program: Program, line: socket.socket, stdin: int | None, stdout: int | None) -> None:
        self._limits = program.limits
        self._scratch = program.scratch
        self._box = None if program.level == "trusted" else _Box(program.limits)
        self._line = line
        self._cause = ""
        self._dropped = 0
        self._budget = float(_LOG_BYTES_PER_S)
        self._counted = time.monotonic()
        self._log, theirs = os.pipe()
        os.set_blocking(self._log, False)
        self._bot = _spawn(program, self._box, line, stdin, stdout, theirs)
        for end in (theirs, stdin, stdout, self._box.theirs if self._box else None):
            if end is not None:
                os.close(end)

    def run(self) -> None:
        if self._bot is not None:
            self._watch(self._bot)
        _end_descendants()
        if self._scratch:
            # Only now: no process is left that could write into it.
            shutil.rmtree(self._scratch, ignore_errors=True)
        if self._box is not None and self._box.group is not None:
            self._box.group.end()

    def _watch(self, bot: int) -> None:
        """See to the bot until it ends or the hub lets go."""
        pidfd = os.pidfd_open(bot)
        poll = select.poll()
        for fd in (pidfd, self._log, self._line.fileno()):
            poll.register(fd, select.POLLIN)
        looked = time.monotonic()
        while True:
            ready = dict(poll.poll(_LOOK_MS))
            if self._log in ready and not self._drain():
                poll.unregister(self._log)
            if self._line.fileno() in ready and not self._obey():
                break
            if pidfd in ready:
                self._report_end()
                break
            if time.monotonic() - looked >= _LOOK_MS / 1_000:
                looked = time.monotonic()
                self._look()

    def _obey(self) -> bool:
        """Take an order of the hub; False if the hub is gone."""
        try:
            order = self._line.recv(64)
        except OSError:
            return False
        if order == TERM:
            self._ask_to_go()
        elif order and self._bot is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._bot, signal.SIGKILL)
        return bool(order)

    def _ask_to_go(self) -> None:
        assert self._bot is not None
        with contextlib.suppress(ProcessLookupError):
            if self._box is None:
                os.killpg(self._bot, signal.SIGTERM)
            # bubblewrap would pass on no signal but its own death.
            for pid in _descendants()[bubblewrap.OWN_PROCESSES :] if self._box else ():
                os.kill(_as_we_count(pid), signal.SIGTERM)

    def _drain(self) -> bool:
        """Pass on some of the bot's stderr; False at its end."""
        try:
            data = os.read(self._log, _CHUNK)
        except BlockingIOError:
            return True
        if not data:
            return False
        now = time.monotonic()
        self._budget = min(_LOG_BYTES_PER_S, self._budget + (now - self._counted) * _LOG_BYTES_PER_S)
        self._counted = now
        if self._budget < len(data):
            self._dropped += len(data)
            return True
        self._budget -= len(data)
        try:
            self._line.send(_encode(Wrote(data, self._dropped)), socket.MSG_DONTWAIT)
            self._dropped = 0
        except BlockingIOError:
            self._dropped += len(data)
        except OSError:
            return False
        return True

    def _look(self) -> None:
        """End a bot that uses more than it may, and bury what it left to us."""
        family = _descendants()
        spare = bubblewrap.OWN_PROCESSES if self._box else 0
        boxed = family[1] if self._box and len(family) > 1 else None
        most_kib = self._limits.memory_mib * 1_024
        if most_kib and memory.exceeds(family, most_kib, boxed):
            self._cause = "memory"
        elif self._limits.processes and len(family) > self._limits.processes + spare:
            self._cause = "processes"
        if self._cause and self._bot is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._bot, signal.SIGKILL)
        self._bury_orphans()

    def _bury_orphans(self) -> None:
        """Reap dead children, but not the bot itself: its end is reported."""
        with contextlib.suppress(ChildProcessError):
            while found := os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT):
                if found.si_pid == self._bot:
                    return
                os.waitpid(found.si_pid, os.WNOHANG)

    def _report_end(self) -> None:
        assert self._bot is not None
        _, status, usage = os.wait4(self._bot, 0)
        for _ in range(1 + 65_536 // _CHUNK):
            if not self._drain():
                break
        code = os.waitstatus_to_exitcode(status)
        if self._box is not None:
            if code >= 0 and not self._box.was_entered():
                why = "it could not be executed in its box; its last words say why"
                self._line.send(_encode(Unstartable(why)))
                return
            self._cause = self._cause or self._box.cause()
            code = _SIGNALLED - code if code > _SIGNALLED else code
        cpu_ms = int((usage.ru_utime + usage.ru_stime) * 1_000)
        ended = Ended(
            code if code >= 0 else None, -code if code < 0 else None, self._cause, cpu_ms, usage.ru_maxrss
        )
        with contextlib.suppress(OSError):
            self._line.send(_encode(ended))


class _Box:
    """What the supervisor holds of a bot's box."""

    def __init__(self, limits: ResourceLimits) -> None:
        # Of a PID namespace we are the first: only outside of it does our number differ from others'.
        number = int(os.readlink("/proc/self"))
        self.uid = bubblewrap.own_uid(number)
        self.group = cgroup.make(number, limits.memory_mib, bubblewrap.tasks(limits))
        self._ours, self.theirs = os.pipe()
        os.set_blocking(self._ours, False)

    def was_entered(self) -> bool:
        """Say whether the bot, which has ended, was ever executed."""
        with contextlib.suppress(BlockingIOError):
            return b"exit-code" in os.read(self._ours, 65_536)
        return False

    def cause(self) -> str:
        return "memory" if self.group is not None and self.group.ran_out_of_memory() else ""


def _spawn(
    program: Program,
    box: _Box | None,
    line: socket.socket,
    stdin: int | None,
    stdout: int | None,
    log: int,
) -> int | None:
    """Fork and execute the bot; None if that failed, which is then reported."""
    failure, theirs = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            _become(program, box, stdin, stdout, log)
        except BaseException as error:  # noqa: BLE001 - nothing may travel up in a forked child
            kind = "" if isinstance(error, LaunchError) else f"{type(error).__name__}: "
            os.write(theirs, f"{_is_shortage(error):d}{kind}{error}".encode()[:500])
        os._exit(127)
    os.close(theirs)
    why = os.read(failure, 1_000).decode(errors="replace")
    os.close(failure)
    if why:
        os.waitpid(pid, 0)
        line.send(_encode(Unstartable(why[1:], why[0] == "1")))
        return None
    return pid


def _become(program: Program, box: _Box | None, stdin: int | None, stdout: int | None, log: int) -> None:
    """Turn this process into the bot, or into the bubblewrap that makes its box."""
    os.setsid()
    for number in range(1, signal.NSIG):
        with contextlib.suppress(OSError, ValueError):
            signal.signal(number, signal.SIG_DFL)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null if stdin is None else stdin, 0)
    os.dup2(log if stdout is None else stdout, 1)
    os.dup2(log, 2)
    argv, env = program.argv, program.env
    if box is None:
        os.chdir(program.folder)
    else:
        if box.group is not None:
            box.group.enter()
        entrance = bubblewrap.enter(program, box.uid, box.theirs)
        argv, env = entrance.argv, entrance.env
    # After any change of user, which would undo it.
    die_with_parent()
    _libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    _limit(program.limits, bubblewrap.tasks(program.limits) if box is not None and box.uid is not None else 0)
    # Descriptors from 3 on are closed by the exec: every one of ours is made close-on-exec.
    os.execve(argv[0], argv, env)  # noqa: S606 - starting bots is the purpose


def _limit(limits: ResourceLimits, tasks: int) -> None:
    def at_most(what: int, value: int, spare: int = 0) -> None:
        if value:
            _, hard = resource.getrlimit(what)
            most = value + spare if hard == resource.RLIM_INFINITY else min(value + spare, hard)
            resource.setrlimit(what, (min(value, most), most))

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # One second more for the hard limit, so that the signal says which limit it was.
    at_most(resource.RLIMIT_CPU, limits.cpu_s, spare=1)
    at_most(resource.RLIMIT_NOFILE, limits.open_files)
    at_most(resource.RLIMIT_FSIZE, limits.file_mib << 20)
    at_most(resource.RLIMIT_NPROC, tasks)


def _descendants() -> list[int]:
    """Return the process ids of all our descendants, as /proc counts them."""
    found: list[int] = []
    todo = ["self"]
    while todo:
        for task in Path(f"/proc/{todo.pop()}/task").glob("*/children"):
            with contextlib.suppress(OSError):
                pids = task.read_text().split()
                found += map(int, pids)
                todo += pids
    return found


def _as_we_count(pid: int) -> int:
    """Return the number, in our own PID namespace, of a process as /proc counts it."""

    def numbers(path: str) -> list[int]:
        with contextlib.suppress(OSError):
            for text in Path(path).read_text().splitlines():
                if text.startswith("NSpid:"):
                    return [int(number) for number in text.split()[1:]]
        raise ProcessLookupError

    return numbers(f"/proc/{pid}/status")[len(numbers("/proc/self/status")) - 1]


def _end_descendants() -> None:
    """Kill what the bot left running, and wait for its end."""
    if os.getpid() == 1:
        # All others in our PID namespace. Our own end would do the same, but then none could wait for theirs.
        with contextlib.suppress(ProcessLookupError, ChildProcessError):
            while True:
                os.kill(-1, signal.SIGKILL)
                os.waitpid(-1, 0)
        return
    for _ in range(100):
        family = _descendants()
        if not family:
            return
        for pid in family:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(-1, 0)
