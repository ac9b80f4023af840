"""Bots that decide only when a test lets them: each decision takes a byte from a FIFO."""

import fcntl
import os
import sys
import termios
from pathlib import Path

from referee.process.spec import BotSpec, program
from tests.end_to_end.hubs import ROOT

SCRIPT = """
import os, sys
from protocol.client import run
gate = os.open(sys.argv[1], os.O_RDONLY)
def choose(view, legal):
    if not os.read(gate, 1):
        sys.exit(3)
    return legal[0]
run(choose)
"""


class Gate:
    """The FIFO of some bots. The test must hold it open as long as they live."""

    def __init__(self, folder: Path) -> None:
        self.fifo = folder / "gate"
        self.script = folder / "gated.py"
        self.script.write_text(SCRIPT)
        os.mkfifo(self.fifo)
        self._writes = os.open(self.fifo, os.O_RDWR | os.O_NONBLOCK)

    @property
    def command(self) -> str:
        """The command line of a bot."""
        return f"{sys.executable} {self.script} {self.fifo}"

    def bots(self, *names: str) -> list[BotSpec]:
        """Return bots of these names."""
        return [BotSpec(name, program(self.command.split(), ROOT), "stdio") for name in names]

    def let(self, decisions: int) -> None:
        """Let so many decisions be taken."""
        os.write(self._writes, b"." * decisions)

    @property
    def is_used_up(self) -> bool:
        """Whether all decisions that a test let bots take are taken."""
        left = fcntl.ioctl(self._writes, termios.FIONREAD, bytes(4))
        return not any(left)

    def open(self) -> None:
        """Let all decisions be taken that a test can have."""
        self.let(20_000)

    def close(self) -> None:
        os.close(self._writes)
