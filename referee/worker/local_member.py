"""A worker on this host: the organiser's end of its process."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

import referee
from referee.gate.channel import Channel
from referee.hub.event_loop import EventLoop
from referee.worker.member import AwayMatch, Gone, Take
from referee.worker.orders import FromWorker, WorkerRecord

WORKER: Final = (sys.executable, "-P", "-m", "referee.worker")
"""The command that starts a worker on this host. -P: no file of the working folder is a module of ours."""

_ROOT: Final = str(Path(referee.__path__[0]).parent)

_END_S: Final = 10.0
"""How long a worker may take to end its bots and itself, before it is killed."""


class LocalMember:
    """One worker on this host. Never blocks, but when it is ended."""

    def __init__(
        self, loop: EventLoop, most: int, take: Take, gone: Gone, command: Sequence[str] = WORKER
    ) -> None:
        """Start the process; its command is given the descriptor of its socket and our process id."""
        self.most = most
        self.host = ""
        self.speed = 0.0
        self.is_lost = False
        self.matches: dict[str, AwayMatch] = {}
        self._is_refused = False
        self._end_s = 0.0
        """When it is killed if it has not ended, since it was let go."""
        self._loop = loop
        self._take = take
        self._gone = gone
        self._records: list[WorkerRecord] = []
        self._is_writing = False
        ours, theirs = socket.socketpair()
        self._channel: Channel[FromWorker] = Channel(ours, FromWorker)
        path = os.pathsep.join(filter(None, (_ROOT, os.environ.get("PYTHONPATH"))))
        with theirs:
            self._process = subprocess.Popen(  # noqa: S603 - our own module
                [*command, str(theirs.fileno()), str(os.getpid())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                start_new_session=True,  # Ctrl-C is for the organiser
                env=os.environ | {"PYTHONPATH": path},
            )
        loop.watch(self._channel.fileno(), self._read)

    @property
    def pid(self) -> int:
        """Its process."""
        return self._process.pid

    def send(self, record: WorkerRecord) -> None:
        """Send a record at the end of this turn of the loop."""
        self._records.append(record)
        self._loop.dirty[self] = None

    def flush(self) -> None:
        """Send what waits."""
        if self._channel.closed:
            return
        if self._records:
            records, self._records = self._records, []
            self._channel.send(records)
        else:
            self._channel.flush()
        if self._channel.blocked is not self._is_writing:
            self._is_writing = self._channel.blocked
            self._loop.watch_writing(self._channel.fileno(), self.flush if self._is_writing else None)

    def _read(self) -> None:
        for record in self._channel.receive():
            if not self._is_refused:
                self._take(self, record)
        if self._channel.closed and not self._is_refused:
            self.let_go()
            self._gone(self)

    def refuse(self, why: str) -> None:
        """Take nothing more from it, and let it end."""
        self._is_refused = True
        self.let_go()

    def let_go(self) -> None:
        """Close the channel: the worker ends with all it has started."""
        if self._channel.fileno() >= 0:
            self._end_s = time.monotonic() + _END_S
            self._loop.forget(self._channel.fileno())
            self._channel.close()

    def kill(self) -> None:
        """Kill the process; all it has started ends with it."""
        self._process.kill()

    def end(self) -> str:
        """Wait until the process has ended, kill it if it does not, and say how it ended."""
        self.let_go()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(max(0.0, self._end_s - time.monotonic()))
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        code = self._process.returncode
        if code < 0:
            name = next((known.name for known in signal.Signals if known == -code), "")
            return f"ended by signal {-code} {name}".rstrip()
        return f"ended with code {code}"
