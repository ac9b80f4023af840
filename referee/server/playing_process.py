"""The process of a bot that plays at a daemon elsewhere, and the steps by which it is made to leave."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, Protocol

from protocol import limits
from protocol.keys import Pair
from referee.process.client import BotProcess
from referee.process.forkserver import Forkserver
from referee.process.reports import Ended
from referee.process.spec import Program

TURN_MS = 200
"""How long a loop waits at most before it looks whether something else is due."""

_GOODBYE_S = 2.0
"""How long a bot may take after the signal before it is killed."""

Note = Callable[[str], None]


class Credentials(NamedTuple):
    """What proves the bot to a daemon, and the daemon to us."""

    path: Path
    pair: Pair
    server: str


class Companion(Protocol):
    """A bot that plays at a daemon on another host."""

    @property
    def end(self) -> Ended | None:
        """How the bot ended; None while it runs."""

    def run(self) -> bool:
        """Let it play; return whether it left in good order."""

    def stop(self) -> None:
        """Ask it to leave; asked again, make it. May be called from a signal handler."""

    def close(self) -> None:
        """End everything that was started."""


class _StderrLines:
    """Splits a bot's stderr into lines, each of which becomes a note."""

    def __init__(self, note: Note) -> None:
        self._note = note
        self._rest = b""

    def add(self, data: bytes) -> None:
        """Note all lines that are whole now; a line that grows too long is noted in parts."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            self._note(line.decode(errors="replace"))
        if len(self._rest) > limits.MESSAGE_BYTES:
            self.flush()

    def flush(self) -> None:
        """Note the rest, which has no line feed."""
        if self._rest:
            self._note(self._rest.decode(errors="replace"))
            self._rest = b""


class PlayingProcess:
    """The bot's process, and the steps by which it is made to leave."""

    def __init__(
        self, forkserver: Forkserver, program: Program, note: Note, pipes: tuple[int, int] | None = None
    ) -> None:
        self._stderr = _StderrLines(note)
        self.bot = BotProcess(forkserver, program, pipes, on_stderr=self._stderr.add)
        self.asked = 0
        """How often the bot was asked to leave."""
        self._signal_at: float | None = None
        self._signalled = False

    def read(self) -> None:
        """Take the reports about the bot."""
        self.bot.read()
        if self.bot.end is not None:
            self._stderr.flush()

    def see_out(self, patience_s: float = 0.0) -> None:
        """Signal a bot that was asked to leave, after some patience; then kill it, at once if asked again.

        Does nothing before the bot was asked; to be called again and again until it has gone.
        """
        if not self.asked:
            return
        now = time.monotonic()
        if self._signal_at is None:
            self._signal_at = now + patience_s
        if self.asked > 1 or now > self._signal_at + _GOODBYE_S:
            self.bot.kill()
        elif now >= self._signal_at and not self._signalled:
            self._signalled = True
            self.bot.terminate()
