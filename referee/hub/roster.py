"""The bots that a hub may start: how, with what capacity, and which of their starts have failed."""

from collections import deque
from collections.abc import Iterable
from itertools import product

from msgspec import Struct

from referee.errors import ConfigError, LaunchError
from referee.hub.session import Session
from referee.match.faults import FaultCode
from referee.process.forkserver import Forkserver
from referee.process.spec import BotSpec


class StartFailure(Struct, frozen=True):
    """A start that failed."""

    code: FaultCode
    why: str
    """For all who read the match: without the command and the stderr, which are the author's own."""
    message: str
    """For the operator."""
    stderr: str


class Roster:
    """What a hub knows of its bots, apart from their sessions."""

    def __init__(self, bots: Iterable[BotSpec]) -> None:
        self.specs: dict[str, BotSpec] = {}
        self.failures: dict[str, deque[StartFailure]] = {}
        """By name: starts that failed and have not been charged to a match yet."""
        self._capacity: dict[str, int] = {}
        self.add(bots)

    def add(self, bots: Iterable[BotSpec]) -> None:
        """Add bots that may be started."""
        for spec in bots:
            self.specs[spec.name] = spec
            self.failures[spec.name] = deque()

    def take_in(self, forkserver: Forkserver) -> None:
        """Copy the folders of bots for sandboxes, before any bot waits for us: a large one takes a while."""
        self.specs = {name: forkserver.take_in(spec) for name, spec in self.specs.items()}

    def admitted(self, session: Session) -> None:
        """Take note of what a bot claims."""
        self._capacity[session.name] = session.admission.capacity

    def capacity(self, name: str) -> int | None:
        """Return how many matches a process of a bot can play at once; None if that is not known yet."""
        return 1 if self.specs[name].fresh else self._capacity.get(name)

    def failed(self, session: Session, code: FaultCode, why: str) -> None:
        """Take note of the end of a session, if that was a start that failed."""
        if session.spec is None or session.was_open or session.name not in self.failures:
            return
        tail = session.stderr.since(0).strip()
        said = f"\nthe end of its stderr:\n{tail[-2_000:]}" if tail else ""
        message = f"bot {session.name} ({self.command(session.name)}) did not start: {code}: {why}{said}"
        failure = StartFailure(code, f"it did not start: {why}", message, tail)
        self.failures[session.name].append(failure)

    def check(self, sessions: Iterable[Session], games: Iterable[str]) -> None:
        """Raise LaunchError for a start that has failed, and ConfigError for a bot that lacks a game."""
        for failures in self.failures.values():
            for failure in failures:
                raise LaunchError(failure.message)
        for session, game in product(sessions, games):
            if not session.admission.plays(game):
                plays = ", ".join(sorted(session.admission.games))
                raise ConfigError(f"bot {session.name} does not play {game}; it plays {plays}")

    def command(self, name: str) -> str:
        """Return the command line of a bot; '' for one that connected by itself."""
        spec = self.specs.get(name)
        return spec.program.command_line() if spec else ""
