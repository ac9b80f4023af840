"""A small process from which supervisors and gates are forked in a few milliseconds.

It is a fresh interpreter, started before any secret exists, and knows nothing of matches: a process that it
forks cannot leak what it never had. When the hub ends, the forkserver ends, and with it every gate.
"""

import contextlib
import gc
import os
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from protocol import lean  # noqa: F401 - imports msgspec, before any other module does

# isort: split
import msgspec

from referee.errors import LaunchError
from referee.gate import own_process
from referee.gate.config import GateConfig
from referee.process import supervisor
from referee.process.removal import remove_tree
from referee.process.sandbox import bubblewrap
from referee.process.spec import BotSpec, Program

_GATE_EXTRA_BYTES = 512 << 20
"""What a gate may grow by: what a peer can make libzmq use ends the gate alone."""


class _Job(msgspec.Struct, array_like=True, tag=True, frozen=True):
    """What all jobs of the forkserver share."""


class _Supervise(_Job, frozen=True):
    """Fork a supervisor; the descriptors are its socket and, with `pipes`, the bot's stdin and stdout."""

    program: Program
    pipes: bool


class _Gate(_Job, frozen=True):
    """Fork a gate; the descriptor is its socket."""

    config: GateConfig


_LAST_S = 2.0
"""How long children may take to end after the hub has."""

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(_Supervise | _Gate).decode


class Forkserver:
    """The hub's end of the forkserver."""

    def __init__(self) -> None:
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.folder = Path(tempfile.mkdtemp(prefix="referee-"))
        """For sockets, scratch folders and bundles, closed to other users. It ends with the forkserver."""
        self._bundles: dict[str, str] = {}
        """By folder of a program: its bundle."""
        here = str(Path(__file__).resolve().parents[2])
        path = os.pathsep.join(filter(None, (here, os.environ.get("PYTHONPATH"))))
        with theirs:
            self._process = subprocess.Popen(  # noqa: S603 - our own module
                # -P: a file of the working folder, such as a bot called random.py, is no module of ours.
                [sys.executable, "-P", "-m", __name__, str(theirs.fileno()), str(self.folder)],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                start_new_session=True,  # Ctrl-C is for the hub
                env=os.environ | {"PYTHONPATH": path},
            )

    @property
    def pid(self) -> int:
        """The process of the forkserver."""
        return self._process.pid

    def take_in(self, spec: BotSpec) -> BotSpec:
        """Return a bot that can be started: in a sandbox it runs from a copy of its folder, its bundle.

        A folder is copied once, so a bot is the same program in every match. Raises LaunchError, which names
        the bot, for a folder that cannot be copied.
        """
        try:
            return msgspec.structs.replace(spec, program=self._with_bundle(spec.program))
        except LaunchError as error:
            raise LaunchError(f"bot {spec.name}: {error}") from error

    def _with_bundle(self, program: Program) -> Program:
        if program.level == "trusted" or program.bundle:
            return program
        if program.folder not in self._bundles:
            self._bundles[program.folder] = bubblewrap.take_in(program, self.folder / "bots").bundle
        return msgspec.structs.replace(program, bundle=self._bundles[program.folder])

    def supervise(
        self, program: Program, stdin: int | None = None, stdout: int | None = None
    ) -> socket.socket:
        """Start a bot and return the socket to its supervisor; `BotProcess` is the client of that.

        The bot's ends of the pipes are closed here. Raises LaunchError as `take_in` does.
        """
        pipes = [end for end in (stdin, stdout) if end is not None]
        try:
            job = _Supervise(self._with_bundle(program), bool(pipes))
            supervisor = self._order(job, socket.SOCK_SEQPACKET, pipes)
        finally:
            for end in pipes:
                os.close(end)
        supervisor.setblocking(False)
        return supervisor

    def open_gate(self, config: GateConfig) -> socket.socket:
        """Open a gate and return the socket to it."""
        return self._order(_Gate(config), socket.SOCK_STREAM)

    def _order(self, job: _Job, kind: socket.SocketKind, pipes: Sequence[int] = ()) -> socket.socket:
        """Have a process forked for a job, and return the socket to it."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, kind)
        with theirs:
            try:
                socket.send_fds(self._socket, [_encode(job)], [theirs.fileno(), *pipes])
            except OSError:
                ours.close()
                raise
        return ours

    def end_gate(self, pid: int) -> None:
        """Kill a gate that does not end by itself.

        The process id was reported by the gate, which may be broken: only a child of ours is killed.
        """
        with contextlib.suppress(OSError):
            _, _, about = Path(f"/proc/{pid}/stat").read_text().rpartition(")")
            if int(about.split()[1]) == self._process.pid:
                os.kill(pid, signal.SIGKILL)

    def fileno(self) -> int:
        """Return the descriptor that becomes readable when the forkserver ends, and never before."""
        return self._socket.fileno()

    def has_ended(self) -> bool:
        """Return whether the forkserver has ended by itself. Its gates end after this can be seen."""
        with contextlib.suppress(BlockingIOError):
            return not self._socket.recv(1, socket.MSG_DONTWAIT)
        return False

    def close(self) -> None:
        """End the forkserver; its gates end with it, supervisors when their sockets close."""
        self._socket.close()
        self._process.wait()
        remove_tree(self.folder)


def main() -> None:
    """Serve the hub until it is gone."""
    hub = socket.socket(fileno=int(sys.argv[1]))
    hub.set_inheritable(False)
    # Supervisors are orphaned on purpose, to be the first of their namespace: they become our children again.
    supervisor.be_subreaper()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Pages that no collector touches stay shared with every child.
    gc.collect()
    gc.freeze()
    gc.disable()
    while True:
        data, descriptors, _, _ = socket.recv_fds(hub, 1 << 18, 4)
        if not data:
            # Removed here, so that a hub killed with -9 leaves no folder behind; after the bots, which write.
            _outlive_children()
            remove_tree(Path(sys.argv[2]))
            hub.close()
            return
        # On a host without room for one more process one bot is lost, whose socket closes, and not all.
        with contextlib.suppress(OSError):
            if os.fork() == 0:
                try:
                    hub.close()
                    _do(_decode(data), descriptors)
                finally:
                    os._exit(0)
        for descriptor in descriptors:
            os.close(descriptor)


def _outlive_children() -> None:
    """Wait, but not for ever, until supervisors and gates have ended: they all end with the hub."""
    until = time.monotonic() + _LAST_S
    with contextlib.suppress(ChildProcessError):
        while time.monotonic() < until:
            os.waitpid(-1, os.WNOHANG)
            time.sleep(0.002)


def _do(job: _Supervise | _Gate, descriptors: list[int]) -> None:
    for descriptor in descriptors:
        os.set_inheritable(descriptor, False)
    end = socket.socket(fileno=descriptors[0])
    if isinstance(job, _Supervise):
        stdin, stdout = descriptors[1:] if job.pipes else (None, None)
        supervisor.supervise(job.program, end, stdin, stdout)
        return
    supervisor.die_with_parent()
    run = own_process.run
    if job.config.token is None:
        # Imported only here: no other process needs it and libzmq, and all would be larger.
        from referee.gate import public

        run = public.run
    with open(os.devnull, "w") as null:
        # If libzmq ends this process it also prints; the hub reports what it means.
        os.dup2(null.fileno(), 2)
    # A core file of libzmq would have keys in it.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with contextlib.suppress(ValueError, OSError):
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        most = pages * resource.getpagesize() + _GATE_EXTRA_BYTES
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    run(job.config, end)


if __name__ == "__main__":
    main()
