"""A real terminal for a command: typed at, read from, interrupted with its own keys."""

import fcntl
import os
import pty
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.end_to_end.commands import path_for_imports
from tests.end_to_end.hubs import eventually, processes

INTERRUPT = "\x03"
END = "\x04"
_PATIENCE_S = 120


class Terminal:
    """A `referee` whose standard input, output and error are one pseudo-terminal."""

    def __init__(
        self,
        folder: Path,
        *words: str,
        python: Path | None = None,
        size: tuple[int, int] = (120, 40),
        term: str = "xterm",
    ) -> None:
        """Start a command; `size` is columns and lines."""
        self._ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
        env = os.environ | {"HOME": str(folder), "PYTHONPATH": path_for_imports(), "TERM": term}
        for fixed in ("COLUMNS", "LINES"):  # they would stand for the size of the terminal
            env.pop(fixed, None)
        if python is not None:  # an environment that has everything
            del env["PYTHONPATH"]
        self.process = subprocess.Popen(
            [str(python or sys.executable), "-m", "referee", *words],
            cwd=folder,
            env=env,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        os.close(theirs)
        self.text = ""
        """Everything that was written, the terminal's own echo included."""
        self._read = 0

    def expect(self, *wanted: str) -> str:
        """Wait until one of these texts is written, behind what was expected before; return which."""
        end = time.monotonic() + _PATIENCE_S
        while True:
            places = {each: self.text.find(each, self._read) for each in wanted}
            found = [each for each in wanted if places[each] >= 0]
            if found:
                first = min(found, key=lambda each: places[each])
                self._read = places[first] + len(first)
                return first
            assert time.monotonic() < end, f"{wanted} never came:\n{self.text}"
            assert self._more(end), f"{wanted} never came before the end:\n{self.text}"

    def type(self, line: str) -> None:
        """Type a line."""
        self.press(f"{line}\n")

    def press(self, keys: str) -> None:
        """Press keys."""
        os.write(self._ours, keys.encode())

    def end(self) -> int:
        """Wait for the end of the command and return its exit code."""
        end = time.monotonic() + _PATIENCE_S
        while self._more(end):
            pass
        return self.process.wait(_PATIENCE_S)

    def _more(self, end: float) -> bool:
        """Read what is written, or wait for it; False when there will be no more."""
        ready, _, _ = select.select([self._ours], [], [], max(0.0, end - time.monotonic()))
        try:
            chunk = os.read(self._ours, 65_536) if ready else b""
        except OSError:
            # Linux reports the closed other end of a terminal this way.
            return False
        self.text += chunk.decode(errors="replace").replace("\r\n", "\n")
        return bool(chunk)

    def close(self) -> None:
        """End the command if a test did not."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self._ours)


@contextmanager
def terminal(
    folder: Path,
    *words: str,
    python: Path | None = None,
    size: tuple[int, int] = (120, 40),
    term: str = "xterm",
) -> Iterator[Terminal]:
    """Give a terminal with a command, and see afterwards that no process is left of it."""
    running = Terminal(folder, *words, python=python, size=size, term=term)
    try:
        yield running
        running.end()
        assert eventually(lambda: not processes(str(folder))), "processes are left"
    finally:
        running.close()
