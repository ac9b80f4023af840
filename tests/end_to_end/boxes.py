"""What the tests of boxes share: whether there can be any, and bots to put into them."""

import os
import select
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from referee.process.forkserver import Forkserver
from referee.process.sandbox.levels import BUBBLEWRAP, gaps
from referee.process.spec import Level, ResourceLimits, program
from referee.process.supervisor import Ended, Started, SupervisorReport, Unstartable, Wrote, decode_report

NO_BOX = next((str(gap) for gap in gaps("class") if gap.name == BUBBLEWRAP), "")
needs_box = pytest.mark.skipif(bool(NO_BOX), reason=f"bubblewrap is missing: {NO_BOX}")
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="root is missing: bots get no users of their own")

BOXED: tuple[Level, ...] = ("class", "contest")


class Kept:
    """A bot with its supervisor, outside of any match."""

    def __init__(self, line: socket.socket) -> None:
        self.line = line
        self.log = ""
        self.last: SupervisorReport | None = None
        self.keeper = 0

    def hear(self, word: str = "") -> str:
        """Read until the bot has written this, or to its end; return all it wrote."""
        while not (word and word in self.log):
            assert select.select([self.line], [], [], 240)[0], f"nothing is heard: {self.log}"
            data = self.line.recv(1 << 16)
            if not data:
                break
            report = decode_report(data)
            self.last = report
            if isinstance(report, Started):
                self.keeper = report.pid
            if isinstance(report, Wrote):
                self.log += report.data.decode(errors="replace")
        return self.log

    def end(self) -> Ended:
        """Wait for the end and return how it was."""
        self.hear()
        assert isinstance(self.last, Ended), (self.last, self.log)
        return self.last

    def failure(self) -> str:
        """Wait for the report that it could not be started, and return it."""
        self.hear()
        assert isinstance(self.last, Unstartable), (self.last, self.log)
        return f"{self.last.why}\n{self.log}"


@contextmanager
def kept(
    command: list[str], folder: Path, level: Level, limits: ResourceLimits | None = None, **env: str
) -> Iterator[Kept]:
    """Start a program at a level; it and its forkserver end with the block."""
    nursery = Forkserver()
    try:
        with nursery.keep(program(command, folder, env, limits, level)) as line:
            yield Kept(line)
    finally:
        nursery.close()


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """Return a folder that any user may read."""
    folder = tmp_path / "own"
    folder.mkdir()
    folder.chmod(0o755)
    return folder
