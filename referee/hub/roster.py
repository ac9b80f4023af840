"""The bots that a hub may start: how, with what capacity, and which of their starts have failed."""

from collections import deque
from collections.abc import Iterable
from itertools import product
from typing import Final

from msgspec import Struct

from referee.errors import LaunchError
from referee.hub.session import Session
from referee.match.faults import ADVICE, MEANING, FaultCode
from referee.process.forkserver import Forkserver
from referee.process.spec import BotSpec

_PUBLIC: Final = {
    FaultCode.CRASHED: "its process ended before its hello",
    FaultCode.DISCONNECTED: "it closed its connection before its hello",
}
"""What such a fault means before the first match."""

_MEND_PROGRAM: Final = (
    "see that its command names a program that is there and may be executed, in a folder of its own"
)


class StartFailure(Struct, frozen=True):
    """A start that failed."""

    code: FaultCode
    why: str
    """For all who read the match: without the command and the stderr, which are the author's own."""
    message: str
    """For the operator."""
    stderr: str
    public: str
    """For all, in words of ours alone."""
    cause: str
    """For the author: the reason alone, which may name files of this host."""
    advice: str
    """For the author: what to do about it."""
    exit: str = ""
    """How the process ended, in words; empty if there was none."""


def unusable(message: str) -> StartFailure:
    """Return the failure of a bot whose program or folder cannot be used, as the operator reads it."""
    why = "its program or its folder cannot be used"
    return StartFailure(
        FaultCode.CRASHED, f"it did not start: {why}", message, "", why, cause=message, advice=_MEND_PROGRAM
    )


class Roster:
    """What a hub knows of its bots, apart from their sessions."""

    def __init__(self, bots: Iterable[BotSpec]) -> None:
        self.specs: dict[str, BotSpec] = {}
        self.failures: dict[str, deque[StartFailure]] = {}
        """By name: starts that failed and have not been charged to a match yet."""
        self.broken: dict[str, StartFailure] = {}
        """By name: bots that are not started any more; they lose every match."""
        self._capacity: dict[str, int] = {}
        self.changes = 0
        """Counts the changes of bots, for those who keep a copy."""
        self.add(bots)

    def add(self, bots: Iterable[BotSpec]) -> None:
        """Add bots that may be started; a bot of a known name takes the place of the earlier one."""
        self.changes += 1
        for spec in bots:
            self.specs[spec.name] = spec
            self.failures[spec.name] = deque()
            self.broken.pop(spec.name, None)
            self._capacity.pop(spec.name, None)

    def take_in(self, names: Iterable[str], forkserver: Forkserver) -> list[str]:
        """Copy the folders of bots for sandboxes, before any bot waits for us: a large one takes a while.

        Return the names of the bots that can be started; the failures of the others are kept.
        """
        able = []
        self.changes += 1
        for name in names:
            try:
                self.specs[name] = forkserver.take_in(self.specs[name])
                able.append(name)
            except LaunchError as error:
                self.failures[name].append(unusable(str(error)))
        return able

    def give_up(self, name: str, failure: StartFailure) -> None:
        """Start a bot no more: every match that is submitted from now on is lost for this reason."""
        self.changes += 1
        self.broken[name] = failure
        self.failures[name].clear()

    def charge_broken(self, names: Iterable[str]) -> None:
        """Charge a match that has been submitted with those of its bots that are not started any more."""
        for name in names:
            if name in self.broken:
                self.failures[name].append(self.broken[name])

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
        public = _PUBLIC.get(code, f"it {MEANING[code]}")
        failure = StartFailure(
            code,
            f"it did not start: {why}",
            message,
            tail,
            public,
            cause=why,
            advice=ADVICE[code],
            exit=session.end.in_words() if session.end else "",
        )
        self.failures[session.name].append(failure)

    def failed_starts(self, sessions: Iterable[Session], games: Iterable[str]) -> dict[str, StartFailure]:
        """Return by name why bots cannot play: a start that has failed, or a game that the bot lacks."""
        found = {name: failures[0] for name, failures in self.failures.items() if failures}
        for session, game in product(sessions, games):
            if session.name in self.specs and not session.admission.plays(game):
                plays = ", ".join(sorted(session.admission.games))
                why = f"it does not play {game}"
                message = f"bot {session.name} does not play {game}; it plays {plays}"
                stderr = session.stderr.since(0).strip()
                failure = StartFailure(
                    FaultCode.NOT_READY,
                    why,
                    message,
                    stderr,
                    why,
                    cause=f"{why}; its hello lists {plays}",
                    advice=f"let it list {game} among the games of its hello, and play it",
                )
                found.setdefault(session.name, failure)
        return found

    def command(self, name: str) -> str:
        """Return the command line of a bot; '' for one that connected by itself."""
        spec = self.specs.get(name)
        return spec.program.command_line() if spec else ""
