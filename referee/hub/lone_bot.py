"""One bot without opponents: its process, and its seat in the match at hand.

Over the same wire and with the same clock as in a match with others; what the other seats do is the affair
of the class that asks.
"""

import tempfile
import time
from pathlib import Path
from typing import Final, Self

from protocol.codec import encode
from protocol.messages import Ask
from referee.errors import ConfigError, LaunchError
from referee.gate.records import Readied
from referee.hub.event_loop import EventLoop
from referee.hub.session import Session, SessionHost, SessionState
from referee.match.clock import MS
from referee.match.faults import FaultCode, Profile
from referee.match.match import Match, Sends
from referee.process.forkserver import Forkserver
from referee.process.removal import remove_tree
from referee.process.spec import BotSpec

_SLACK_NS: Final = 250 * MS
"""How long after a deadline an answer is waited for that arrived in time but was not read yet."""


class LoneBot(SessionHost):
    """One bot, started when it is needed. Its process lives on until it fails or is dismissed.

    What is done with answers and broken messages is for classes that extend it.
    """

    def __init__(self, spec: BotSpec, profile: Profile) -> None:
        self._spec = spec
        self._profile = profile
        self._loop = EventLoop(lambda stall_ns: self._match.stalled(stall_ns) if self._match else None)
        self._forkserver = Forkserver()
        self._folder = Path(tempfile.mkdtemp(prefix="referee-"))
        self._session: Session | None = None
        self._match: Match | None = None
        self._seat = 0
        self._asked: Ask | None = None
        """The last ask of the match."""
        self._lost = ""
        """Why its last process is gone."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._dismiss()
        self._forkserver.close()
        # All processes have ended: their sockets are closed here.
        self._loop.turn(0)
        self._loop.close()
        remove_tree(self._folder)

    def _open(self, game: str) -> Session:
        """Return the bot, started if need be.

        Raises LaunchError if it does not start, and ConfigError if it does not play the game.
        """
        session = self._session
        if session is None or session.state is not SessionState.OPEN:
            self._session = session = Session(self._spec.name, self, self._loop, self._profile)
            session.start(self._forkserver.take_in(self._spec), self._forkserver, self._folder)
            while session.is_starting:
                self._loop.turn()
        if session.state is not SessionState.OPEN:
            tail = session.stderr.since(0).strip()
            said = f"\nthe end of its stderr:\n{tail[-2_000:]}" if tail else ""
            command = self._spec.program.command_line()
            raise LaunchError(f"bot {self._spec.name} ({command}) did not start: {self._lost}{said}")
        if not session.admission.plays(game):
            plays = ", ".join(sorted(session.admission.games))
            raise ConfigError(f"bot {session.name} does not play {game}; it plays {plays}")
        return session

    def _begin(self, match: Match, seat: int) -> None:
        """Begin a match in which the bot has this seat; the other seats are ready at once."""
        self._match, self._seat, self._asked = match, seat, None
        now_ns = time.monotonic_ns()
        self._send(match.begin(now_ns))
        for other in range(len(match.configs)):
            if other != seat:
                self._send(match.ready(other, now_ns))

    def _send(self, sends: Sends) -> None:
        """Send the bot what concerns its seat."""
        assert self._match is not None
        for seat, message in sends:
            if seat == self._seat and self._session is not None:
                ask = message.id if isinstance(message, Ask) else 0
                self._asked = message if isinstance(message, Ask) else self._asked
                data = encode(message, self._session.encoding)
                self._session.transport.send(data, self._match.id, ask, time.monotonic_ns())

    def _is_overdue(self, match: Match) -> bool:
        """Return whether the deadline of a match has passed, and no answer before it can still come."""
        # There is no deadline any more when the bot was not ready in time.
        due_ns = 0 if match.deadline_ns is None else match.deadline_ns + _SLACK_NS
        return self._loop.looked_ns >= due_ns

    def _dismiss(self) -> None:
        """Dismiss the bot; it is killed if it does not leave in time."""
        session, self._session = self._session, None
        if session is None:
            return
        session.dismiss()
        end_ns = time.monotonic_ns() + (self._profile.goodbye_ms + 500) * MS
        while session.state is not SessionState.GONE and time.monotonic_ns() < end_ns:
            self._loop.turn(50 * MS)
        session.fail(FaultCode.DISCONNECTED, "all is asked")

    # Notices of the session.

    def opened(self, session: Session) -> None:
        """Take note that the bot has been admitted."""

    def resumed(self, session: Session) -> None:
        """Send a bot that came back what is open."""
        if self._match is not None:
            self._send([(self._seat, message) for message in self._match.open_messages(self._seat)])

    def readied(self, session: Session, record: Readied) -> None:
        """Take a ready: now the bot is asked."""
        if self._match is not None and record.match == self._match.id:
            self._send(self._match.ready(self._seat, record.received_ns, self._loop.looked_ns))

    def gone(self, session: Session, code: FaultCode, why: str) -> None:
        """Take note that its process or connection has ended."""
        self._lost = f"{code}: {why}"

    def process_gone(self, session: Session) -> None:
        """Wait for nothing: a bot that is asked alone has no deal to remember."""
