"""What the tests of boxes share: whether there can be any, and bots to put into them."""

import os
import select
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from referee.process.client import BotProcess
from referee.process.forkserver import Forkserver
from referee.process.reports import EndCause, Ended
from referee.process.sandbox.levels import BUBBLEWRAP, gaps
from referee.process.spec import Level, Program, ResourceLimits, program

NO_BOX = next((str(gap) for gap in gaps("class") if gap.name == BUBBLEWRAP), "")
needs_box = pytest.mark.skipif(bool(NO_BOX), reason=f"bubblewrap is missing: {NO_BOX}")
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="root is missing: bots get no users of their own")

BOXED: tuple[Level, ...] = ("class", "contest")


class WatchedBot:
    """A bot with its supervisor, outside of any match."""

    def __init__(self, process: BotProcess) -> None:
        self.process = process

    @property
    def stderr(self) -> str:
        """All it has written."""
        return self.process.stderr.since(0)

    def hear(self, word: str = "") -> str:
        """Read until the bot has written this, or to its end; return all it wrote."""
        while self.process.end is None and not (word and word in self.stderr):
            assert select.select([self.process], [], [], 240)[0], f"nothing is heard: {self.stderr}"
            self.process.read()
        return self.stderr

    def has_written(self, word: str, within_s: float) -> bool:
        """Return whether the bot has written this, or does when it is next heard within this time."""
        if self.process.end is None and select.select([self.process], [], [], within_s)[0]:
            self.process.read()
        return word in self.stderr

    def end(self) -> Ended:
        """Wait for the end and return how it was."""
        self.hear()
        assert self.process.end is not None
        assert self.process.end.cause is not EndCause.NOT_EXECUTED, (self.process.end, self.stderr)
        return self.process.end

    def failure(self) -> str:
        """Wait for the report that it could not be executed, and return that with all it wrote."""
        self.hear()
        assert self.process.end is not None
        assert self.process.end.cause is EndCause.NOT_EXECUTED, (self.process.end, self.stderr)
        return f"{self.process.end.why}\n{self.stderr}"


@contextmanager
def watched(what: Program) -> Iterator[WatchedBot]:
    """Start a program; it and its forkserver end with the block."""
    with closing(Forkserver()) as forkserver, closing(BotProcess(forkserver, what)) as process:
        yield WatchedBot(process)


@contextmanager
def kept(
    command: list[str], folder: Path, level: Level, limits: ResourceLimits | None = None, **env: str
) -> Iterator[WatchedBot]:
    """Start a program at a level; it and its forkserver end with the block."""
    with watched(program(command, folder, env, limits, level)) as bot:
        yield bot


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """Return a folder that any user may read."""
    folder = tmp_path / "own"
    folder.mkdir()
    folder.chmod(0o755)
    return folder
