"""A small warm process from which supervisors and gates are forked in a few milliseconds.

It is started afresh, before anything secret exists, and knows nothing of matches: what it forks cannot leak
what it never had. When the hub ends, so does the forkserver, and with it every gate.
"""

import contextlib
import gc
import os
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec

from referee.gate import router
from referee.process import supervisor
from referee.process.spec import Program

_GATE_EXTRA_BYTES = 512 << 20
"""What a gate may grow by: a peer can make libzmq hoard, and then only this gate ends."""


class _Job(msgspec.Struct, array_like=True, tag=True, frozen=True):
    """What all jobs for the forkserver share."""


class _Keep(_Job, frozen=True):
    """Fork a supervisor for a bot; the descriptors are its line and, with `pipes`, its stdin and stdout."""

    program: Program
    pipes: bool


class _Gate(_Job, frozen=True):
    """Fork a gate; the descriptor is its line."""

    door: router.GateConfig


_LAST_S = 2.0
"""How long children may take to end after the hub has."""

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(_Keep | _Gate).decode


class Forkserver:
    """The hub's end of the forkserver."""

    def __init__(self) -> None:
        self._line, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.folder = Path(tempfile.mkdtemp(prefix="referee-"))
        """For sockets and scratch folders; only this user can read it. It is deleted with the forkserver."""
        here = str(Path(__file__).resolve().parents[2])
        path = os.pathsep.join(filter(None, (here, os.environ.get("PYTHONPATH"))))
        with theirs:
            self._process = subprocess.Popen(  # noqa: S603 - our own module
                [sys.executable, "-m", "referee.process.forkserver", str(theirs.fileno()), str(self.folder)],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                start_new_session=True,  # Ctrl-C is the hub's affair
                env=os.environ | {"PYTHONPATH": path},
            )

    def keep(self, program: Program, stdin: int | None = None, stdout: int | None = None) -> socket.socket:
        """Start a bot and return the line to its supervisor. The bot's ends of the pipes are closed here."""
        pipes = [end for end in (stdin, stdout) if end is not None]
        try:
            line = self._order(_Keep(program, bool(pipes)), socket.SOCK_SEQPACKET, pipes)
        finally:
            for end in pipes:
                os.close(end)
        line.setblocking(False)
        return line

    def open_gate(self, door: router.GateConfig) -> socket.socket:
        """Open a gate and return the line to it."""
        return self._order(_Gate(door), socket.SOCK_STREAM)

    def _order(self, job: _Job, kind: socket.SocketKind, pipes: Sequence[int] = ()) -> socket.socket:
        """Have something done and return the line to who does it."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, kind)
        with theirs:
            try:
                socket.send_fds(self._line, [_encode(job)], [theirs.fileno(), *pipes])
            except OSError:
                ours.close()
                raise
        return ours

    def end_gate(self, pid: int) -> None:
        """Kill a gate that does not end by itself.

        The gate itself reports the process id, and may be faulty: only children of the forkserver are killed.
        """
        with contextlib.suppress(OSError):
            _, _, about = Path(f"/proc/{pid}/stat").read_text().rpartition(")")
            if int(about.split()[1]) == self._process.pid:
                os.kill(pid, signal.SIGKILL)

    def fileno(self) -> int:
        """Return the descriptor on which the end of the forkserver shows: it never says anything else."""
        return self._line.fileno()

    def has_ended(self) -> bool:
        """Return whether the forkserver has ended by itself. Its gates end only after this can be seen."""
        with contextlib.suppress(BlockingIOError):
            return not self._line.recv(1, socket.MSG_DONTWAIT)
        return False

    def close(self) -> None:
        """End the forkserver; its gates end with it, supervisors when their lines close."""
        self._line.close()
        self._process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def main() -> None:
    """Serve the hub until it is gone."""
    line = socket.socket(fileno=int(sys.argv[1]))
    line.set_inheritable(False)
    # Supervisors are orphaned on purpose, to be the first of their namespace: they come back to us.
    supervisor.be_subreaper()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Pages that no collector touches stay shared with every child.
    gc.collect()
    gc.freeze()
    gc.disable()
    while True:
        data, descriptors, _, _ = socket.recv_fds(line, 1 << 18, 4)
        if not data:
            # Here, so that a hub killed with -9 leaves no folder behind either; nor do bots that still write.
            _outlive_children()
            shutil.rmtree(sys.argv[2], ignore_errors=True)
            return
        # A host that has no room for one more process costs one bot, whose line closes, and not all.
        with contextlib.suppress(OSError):
            if os.fork() == 0:
                try:
                    line.close()
                    _do(_decode(data), descriptors)
                finally:
                    os._exit(0)
        for descriptor in descriptors:
            os.close(descriptor)


def _outlive_children() -> None:
    """Wait, but not for ever, until supervisors and gates have ended: with the hub's end they all do."""
    until = time.monotonic() + _LAST_S
    with contextlib.suppress(ChildProcessError):
        while time.monotonic() < until:
            os.waitpid(-1, os.WNOHANG)
            time.sleep(0.002)


def _do(job: _Keep | _Gate, descriptors: list[int]) -> None:
    for descriptor in descriptors:
        os.set_inheritable(descriptor, False)
    end = socket.socket(fileno=descriptors[0])
    if isinstance(job, _Keep):
        stdin, stdout = descriptors[1:] if job.pipes else (None, None)
        supervisor.supervise(job.program, end, stdin, stdout)
        return
    supervisor.die_with_parent()
    with open(os.devnull, "w") as null:
        # If libzmq aborts this process it also prints; the hub reports the reason in plain words.
        os.dup2(null.fileno(), 2)
    # What libzmq would leave behind has keys in it.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with contextlib.suppress(ValueError, OSError):
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        most = pages * resource.getpagesize() + _GATE_EXTRA_BYTES
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    if job.door.token is not None:
        router.run(job.door, end)
        return
    # Imported only here: what few doors need is no burden for many gates.
    from referee.gate import public

    public.run(job.door, end)


if __name__ == "__main__":
    main()
