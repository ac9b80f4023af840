"""The `referee` command as a process: started, listened to, signalled, and looked for afterwards."""

import os
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, NamedTuple

from tests.end_to_end import warm_start
from tests.end_to_end.hubs import ROOT, START_MS, eventually, processes

_LONGEST_S = 240.0
"""After this time a command that was expected to end is killed."""

_CLOCK = ("--clock", f"hello={START_MS},ready={START_MS}")
_FIRST_WORDS = {"play": _CLOCK, "sprt": _CLOCK}
"""The few tests that are about bots that start too late say otherwise: later words count."""

SILENT = """
import signal, sys
from protocol.client import run
def choose(view, legal):
    with open(sys.argv[1], "w") as fifo:
        fifo.write("asked")
    signal.pause()
run(choose)
"""
"""Says through a FIFO that it was asked, and never answers."""


class Ended(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str


class Command:
    """A running `referee`; its stdout or stderr can be waited upon, the other is kept."""

    def __init__(self, folder: Path, *words: str, listen: str = "err") -> None:
        self._other: IO[str] = (folder / f"other-{os.urandom(4).hex()}").open("w+")
        pipe, other = subprocess.PIPE, self._other
        self._listens_to_err = listen == "err"
        self.process = subprocess.Popen(
            [sys.executable, "-m", "referee", *words],
            cwd=folder,
            env=_environment(folder),
            text=True,
            stdin=subprocess.DEVNULL,
            stdout=other if self._listens_to_err else pipe,
            stderr=pipe if self._listens_to_err else other,
            # Who runs the tests in the background has it ignored, and so would this command.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        self._heard: list[str] = []

    @property
    def _stream(self) -> IO[str]:
        stream = self.process.stderr if self._listens_to_err else self.process.stdout
        assert stream is not None
        return stream

    @property
    def heard(self) -> list[str]:
        """The lines that were read so far."""
        return list(self._heard)

    def wait_for(self, text: str) -> str:
        """Read lines until one has this text; return it."""
        for line in self._stream:
            self._heard.append(line)
            if text in line:
                return line
        raise AssertionError(f"{text!r} was never said:\n{''.join(self._heard)}{self.end()}")

    def wait_for_fifo(self, fifo: Path) -> str:
        """Wait until one of its bots writes to a FIFO; return what it wrote."""
        reading = os.open(fifo, os.O_RDWR)  # Also for writing, so that opening does not wait for a writer.
        ended = os.pidfd_open(self.process.pid)
        try:
            ready, _, _ = select.select([reading, ended], [], [], 240)
            assert reading in ready, f"no bot wrote: {self.end()}"
            return os.read(reading, 1_000).decode()
        finally:
            os.close(reading)
            os.close(ended)

    def signal(self, number: signal.Signals = signal.SIGINT) -> None:
        """Send a signal to this process alone."""
        self.process.send_signal(number)

    def end(self) -> Ended:
        """Wait for the end and return everything that was said."""
        # Not `communicate`: it would lose lines that came together with the one that was waited for.
        # In a test that failed it may never end, and the tests after that one are to be run.
        watch = threading.Timer(_LONGEST_S, self.process.kill)
        watch.start()
        heard = "".join([*self._heard, self._stream.read()])
        watch.cancel()
        self.process.wait(60)
        self._heard = [heard]
        self._other.seek(0)
        kept = self._other.read()
        out, err = (kept, heard) if self._listens_to_err else (heard, kept)
        return Ended(self.process.returncode, out, err)

    def close(self) -> None:
        """End the process if a test did not."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()
        self._other.close()


def path_for_imports() -> str:
    """Return where a command finds the packages, and the toy game."""
    return os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))


def _environment(folder: Path) -> dict[str, str]:
    # A bot inherits HOME, by which the processes of this test are recognised.
    return os.environ | {"HOME": str(folder), "PYTHONPATH": path_for_imports()}


def _with_first_words(name: str, *words: str) -> list[str]:
    return [name, *_FIRST_WORDS.get(name, ()), *words]


class Workspace:
    """A folder in which commands are run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._running: list[Command] = []

    def start(self, *words: str, listen: str = "err") -> Command:
        """Start a command."""
        command = Command(self.folder, *_with_first_words(*words), listen=listen)
        self._running.append(command)
        return command

    def run(self, *words: str) -> Ended:
        """Run a command to its end."""
        env = _environment(self.folder)
        if not warm_start.is_enough(env):
            return self.start(*words).end()
        return Ended(*warm_start.run(self.folder, _with_first_words(*words), env))

    def write(self, name: str, text: str) -> Path:
        """Put a file into the folder."""
        path = self.folder / name
        path.write_text(text)
        return path

    def wait(self) -> None:
        """Wait until all commands have ended."""
        for command in self._running:
            command.end()

    def close(self) -> None:
        """End what still runs."""
        for command in self._running:
            command.close()


@contextmanager
def workspace_in(folder: Path) -> Iterator[Workspace]:
    """Yield a workspace, and check afterwards that no process that was started there is left."""
    workspace = Workspace(folder)
    try:
        yield workspace
        workspace.wait()
        assert eventually(lambda: not processes(str(folder))), "processes are left"
    finally:
        workspace.close()
