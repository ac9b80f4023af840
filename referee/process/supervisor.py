"""The supervisor: a process that starts one bot, and ends it with every process the bot has started.

Where the host allows it the supervisor is the first process of a PID namespace of its own: when it ends, for
any reason, the kernel ends every process in there. Elsewhere it is their subreaper and ends them one by one.
It ends itself as soon as its socket to the hub closes, so a hub killed with -9 leaves no process behind. It
reports the end of a bot, or closes its socket, only when no process of the bot is left.

It also drains the bot's stderr (so that a bot that writes much neither blocks nor floods the hub), watches
memory and the number of processes, and reports how the bot ended.
"""

import contextlib
import ctypes
import errno
import os
import resource
import select
import signal
import socket
import time
from pathlib import Path
from typing import NoReturn

from referee.errors import LaunchError
from referee.process import memory
from referee.process.descendants import as_we_count, descendants, end_descendants
from referee.process.removal import remove_tree
from referee.process.reports import Drained, EndCause, Ended, Order, Started, Wrote, encode_report
from referee.process.sandbox import bubblewrap, cgroup
from referee.process.spec import Program, ResourceLimits

_PR_SET_PDEATHSIG = 1
_PR_SET_NO_NEW_PRIVS = 38
_PR_SET_CHILD_SUBREAPER = 36
_CLONE_NEWUSER = 0x10000000
_CLONE_NEWPID = 0x20000000

_CHUNK = 8_192
_LOG_BYTES_PER_S = 262_144
"""What is passed on of a bot's stderr; the rest is dropped and counted."""

_TIMERS = 1_024
"""How many timers and waiting signals a bot in a box may have: the kernel counts their memory nowhere."""

_SIGNALLED = 128
"""bubblewrap exits with a code above this if a signal ended the bot."""

_SHORTAGES = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN, errno.ENOSPC})
"""Errors of a host that is short of something."""

_libc = ctypes.CDLL(None, use_errno=True)


def be_subreaper() -> None:
    """Adopt the orphans among our descendants."""
    _libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def die_with_parent() -> None:
    """Let the kernel kill this process when its parent ends."""
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


def supervise(program: Program, hub: socket.socket, stdin: int | None, stdout: int | None) -> None:
    """Start the bot and watch over it until it ends or the hub closes its socket. Call in a forked child.

    Without `stdin` and `stdout` the bot reads nothing, and its stdout goes where its stderr goes.
    """
    os.setsid()
    # The children of the forkserver are reaped unseen; ours are waited for.
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    # For the orphans of a supervisor that is killed, on a host without PID namespaces.
    be_subreaper()
    contained = enter_pid_namespace()
    pid = os.fork()
    if pid:
        _guard(pid, contained, hub, stdin, stdout)
    be_subreaper()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    try:
        supervisor = _Supervisor(program, hub, stdin, stdout)
    except OSError as error:
        # No part of the bot has been touched yet.
        hub.send(encode_report(Ended(EndCause.HOST_SHORTAGE, why=str(error))))
    else:
        supervisor.run()
    os._exit(0)


def _guard(
    supervisor: int, contained: bool, hub: socket.socket, stdin: int | None, stdout: int | None
) -> NoReturn:
    """Hold the socket to the hub open until no process of the bot is left, even if the supervisor is killed.

    The socket of a killed supervisor closes before the kernel has ended the processes of its PID namespace;
    the supervisor can be waited for only after that.
    """
    for end in (stdin, stdout):
        if end is not None:
            os.close(end)
    with contextlib.suppress(OSError):
        hub.send(encode_report(Started(supervisor, contained)))
    with contextlib.suppress(ChildProcessError):
        os.waitpid(supervisor, 0)
    end_descendants()
    os._exit(0)


def _is_shortage(error: BaseException) -> bool:
    return isinstance(error, OSError) and error.errno in _SHORTAGES


class _Supervisor:
    """The supervisor's loop."""

    def __init__(self, program: Program, hub: socket.socket, stdin: int | None, stdout: int | None) -> None:
        self._limits = program.limits
        self._scratch = program.scratch
        self._box = None if program.level == "trusted" else _Box(program.limits)
        self._hub = hub
        self._broken: EndCause | None = None
        """The limit the bot broke."""
        self._dropped = 0
        self._budget = float(_LOG_BYTES_PER_S)
        self._counted = time.monotonic()
        self._stderr, theirs = os.pipe()
        os.set_blocking(self._stderr, False)
        self._bot = _spawn(program, self._box, hub, stdin, stdout, theirs)
        for end in (theirs, stdin, stdout, self._box.theirs if self._box else None):
            if end is not None:
                os.close(end)

    def run(self) -> None:
        ended = self._watch(self._bot) if self._bot is not None else None
        end_descendants()
        if self._box is not None and self._box.group is not None:
            self._box.group.end()
        if ended is not None:
            # Not before: the hub relies on it that no process is left which knows what the bot knew.
            self._report(ended)
        if self._scratch:
            # Not before: no process is left that writes into it.
            remove_tree(Path(self._scratch))

    def _watch(self, bot: int) -> Ended:
        """Watch the bot until it ends, and return how. If the hub lets go of it, it is killed."""
        pidfd = os.pidfd_open(bot)
        poll = select.poll()
        for fd in (pidfd, self._stderr, self._hub.fileno()):
            poll.register(fd, select.POLLIN)
        next_look = time.monotonic() + memory.pause_s(0)
        while True:
            ready = dict(poll.poll(max(0.0, next_look - time.monotonic()) * 1_000))
            if self._stderr in ready and not self._drain():
                poll.unregister(self._stderr)
            if self._hub.fileno() in ready and not self._obey():
                return Ended(EndCause.SIGNALLED, signal=signal.SIGKILL)
            if pidfd in ready:
                _, status = os.waitpid(bot, 0)
                return self._end_of(os.waitstatus_to_exitcode(status))
            began = time.monotonic()
            if began >= next_look:
                self._look()
                ended = time.monotonic()
                next_look = ended + memory.pause_s(ended - began)

    def _obey(self) -> bool:
        """Obey an order of the hub; return False if the hub is gone."""
        try:
            order = self._hub.recv(64)
        except OSError:
            return False
        if order == Order.TERMINATE.encode():
            self._terminate()
        elif order == Order.DRAIN.encode():
            self._drain_all()
            with contextlib.suppress(OSError):
                self._hub.send(encode_report(Drained()), socket.MSG_DONTWAIT)
        elif order and self._bot is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._bot, signal.SIGKILL)
        return bool(order)

    def _terminate(self) -> None:
        """Send SIGTERM to the bot."""
        assert self._bot is not None
        with contextlib.suppress(ProcessLookupError):
            if self._box is None:
                os.killpg(self._bot, signal.SIGTERM)
            # bubblewrap would pass on no signal but its own death.
            for pid in descendants()[bubblewrap.OWN_PROCESSES :] if self._box else ():
                os.kill(as_we_count(pid), signal.SIGTERM)

    def _drain(self) -> bool:
        """Pass on some of the bot's stderr; return False at its end."""
        try:
            data = os.read(self._stderr, _CHUNK)
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
            self._hub.send(encode_report(Wrote(data, self._dropped)), socket.MSG_DONTWAIT)
            self._dropped = 0
        except BlockingIOError:
            self._dropped += len(data)
        except OSError:
            return False
        return True

    def _drain_all(self) -> None:
        """Pass on what the pipe of the bot's stderr holds, and no more: a bot may write without end."""
        for _ in range(1 + 65_536 // _CHUNK):
            if not self._drain():
                break

    def _look(self) -> None:
        """End a bot that is over a limit, and reap the orphans of its processes."""
        family = descendants()
        spare = bubblewrap.OWN_PROCESSES if self._box else 0
        boxed = family[1] if self._box and len(family) > 1 else None
        most_kib = self._limits.memory_mib * 1_024
        if most_kib and memory.exceeds(family, most_kib, boxed):
            self._broken = EndCause.MEMORY
        elif self._limits.processes and len(family) > self._limits.processes + spare:
            self._broken = EndCause.PROCESSES
        if self._broken is not None and self._bot is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._bot, signal.SIGKILL)
        self._reap_orphans()

    def _reap_orphans(self) -> None:
        """Reap dead children, but not the bot itself: its end is reported."""
        with contextlib.suppress(ChildProcessError):
            while found := os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT):
                if found.si_pid == self._bot:
                    return
                os.waitpid(found.si_pid, os.WNOHANG)

    def _report(self, ended: Ended) -> None:
        self._drain_all()
        with contextlib.suppress(OSError):
            self._hub.send(encode_report(ended))

    def _end_of(self, code: int) -> Ended:
        """Describe the end of the bot; `code` is negative for a signal."""
        broken = self._broken
        if self._box is not None:
            if code >= 0 and not self._box.was_entered():
                why = "it could not be executed in its box; the end of its stderr says why"
                return Ended(EndCause.NOT_EXECUTED, why=why)
            if broken is None and self._box.ran_out_of_memory():
                broken = EndCause.MEMORY
            code = _SIGNALLED - code if code > _SIGNALLED else code
        if code < 0:
            return Ended(broken or EndCause.SIGNALLED, signal=-code)
        return Ended(broken or EndCause.EXITED, code=code)


class _Box:
    """The supervisor's end of a bot's box."""

    def __init__(self, limits: ResourceLimits) -> None:
        # Of a PID namespace we are the first: only outside of it does our number differ from others'.
        number = int(os.readlink("/proc/self"))
        self.uid = bubblewrap.own_uid(number)
        self.group = cgroup.make(number, limits.memory_mib, bubblewrap.tasks(limits))
        self._ours, self.theirs = os.pipe()
        os.set_blocking(self._ours, False)

    def was_entered(self) -> bool:
        """Return whether the bot, which has ended, was ever executed."""
        with contextlib.suppress(BlockingIOError):
            return b"exit-code" in os.read(self._ours, 65_536)
        return False

    def ran_out_of_memory(self) -> bool:
        """Return whether the kernel ended the box for its memory."""
        return self.group is not None and self.group.ran_out_of_memory()


def _spawn(
    program: Program,
    box: _Box | None,
    hub: socket.socket,
    stdin: int | None,
    stdout: int | None,
    stderr: int,
) -> int | None:
    """Fork and execute the bot; return None if that failed, which is then reported."""
    failure, theirs = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            _become(program, box, stdin, stdout, stderr)
        except BaseException as error:  # noqa: BLE001 - nothing may travel up in a forked child
            kind = "" if isinstance(error, LaunchError) else f"{type(error).__name__}: "
            cause = EndCause.HOST_SHORTAGE if _is_shortage(error) else EndCause.NOT_EXECUTED
            os.write(theirs, encode_report(Ended(cause, why=f"{kind}{error}"[:500])))
        os._exit(127)
    os.close(theirs)
    report = os.read(failure, 4_096)
    os.close(failure)
    if report:
        os.waitpid(pid, 0)
        hub.send(report)
        return None
    return pid


def _become(program: Program, box: _Box | None, stdin: int | None, stdout: int | None, stderr: int) -> None:
    """Turn this process into the bot, or into the bubblewrap that makes its box."""
    os.setsid()
    for number in range(1, signal.NSIG):
        with contextlib.suppress(OSError, ValueError):
            signal.signal(number, signal.SIG_DFL)
    os.dup2(_no_input() if stdin is None else stdin, 0)
    os.dup2(stderr if stdout is None else stdout, 1)
    os.dup2(stderr, 2)
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
    if box is not None:
        resource.setrlimit(resource.RLIMIT_SIGPENDING, (_TIMERS, _TIMERS))
    # Descriptors from 3 on are closed by the exec: every one of ours is made close-on-exec.
    os.execve(argv[0], argv, env)  # noqa: S606 - starting bots is the purpose


def _no_input() -> int:
    """Return a descriptor with nothing to read.

    Not /dev/null: all bots would share it, and its time, which each of them could set.
    """
    ours, theirs = os.pipe()
    os.close(theirs)
    return ours


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
