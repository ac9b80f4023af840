"""A bot that its author starts, in a debugger or another terminal: the hub waits for it at an address.

Its session lasts as long as the run, also when its process ends. A process that is started anew in
mid-match is sent the match from its start, and the open ask with all events: it goes on where the other one
was. Its clock is off, so no match is lost by waiting.
"""

from collections.abc import Callable

from protocol import limits
from protocol.messages import Limits, TimeControl, Welcome
from referee.errors import ConfigError, RefereeError
from referee.gate.config import GateConfig
from referee.gate.records import Beat, Expelled, Failed, Forget, Greeted, Left, Noted, Opened, Up
from referee.hub.gate_client import GateClient
from referee.hub.hub import Hub
from referee.hub.session import Session, SessionState

_CONNECTIONS = 16
"""Connections at once: those of processes that have ended are there for a while."""

WEEK_MS = 7 * 24 * 3_600 * 1_000


def patient(clock: TimeControl) -> TimeControl:
    """Return a clock with a week for everything."""
    return TimeControl(WEEK_MS, WEEK_MS, WEEK_MS, 0, clock.grace_ms)


class AwaitedBot:
    """The seat of a bot that its author starts."""

    def __init__(self, name: str, address: str, note: Callable[[str], None]) -> None:
        """Wait for the bot of this name at an address; `note` gets a line when it comes and goes."""
        self.name = name
        self._address = address
        self._note = note
        self._hub: Hub | None = None
        self._gate: GateClient | None = None
        self._session: Session | None = None
        self._is_open = False
        self._bot = 0
        """The gate's number for the newest connection."""

    def attach(self, hub: Hub) -> None:
        """Open the gate, and take the seat in a hub. Raises ConfigError if the address is taken."""
        self._hub = hub
        config = GateConfig(self._address, None, most=_CONNECTIONS)
        self._gate = GateClient(hub.forkserver, hub.loop, config, self._take)
        while not self._is_open:
            hub.loop.turn()
        hub.entrance = self
        self._session = hub.admit(self.name)

    # The hub's entrance.

    def may_judge(self, deadline_ns: int) -> bool:
        """Return True: the bot has a week, and other bots do not come through this gate."""
        del deadline_ns
        return True

    def stalled(self, stall_ns: int) -> None:
        """Do nothing: no time of the bot is charged."""

    def close(self) -> None:
        """Close the gate."""
        if self._gate is not None:
            self._gate.close()

    # Records of the gate.

    def _take(self, record: Up) -> None:
        session = self._current()
        if isinstance(record, Opened):
            self._is_open = True
        elif isinstance(record, Failed):
            raise self._failed(record.why)
        elif isinstance(record, Noted | Beat) or session is None:
            return
        elif isinstance(record, Greeted):
            self._greeted(session, record)
        elif record.bot == self._bot:
            if isinstance(record, Left | Expelled):
                # Also after a bye: a debugger ends a process where it stands.
                record = Left(record.bot, record.why, said=False)
                self._note(f"{self.name} has gone; its match waits until you start it again")
            session.take(record)

    def _current(self) -> Session | None:
        """Return the session; after a fault that ended it, a new one: the seat stays the bot's."""
        session = self._session
        if session is not None and session.state is SessionState.GONE and not session.dismissed:
            assert self._hub is not None
            session = self._session = self._hub.admit(self.name)
        return session

    def _failed(self, why: str) -> RefereeError:
        if self._is_open:
            return RefereeError(f"{self.name} cannot be reached any more: {why}")
        reason = why.partition(";")[0]
        return ConfigError(f"{reason}; does another match wait there? Choose another --address")

    def _greeted(self, session: Session, record: Greeted) -> None:
        """Let the newest connection be the bot."""
        assert self._gate is not None
        is_open = session.state is SessionState.OPEN
        is_known = record.session == session.id
        if session.away or not (is_open and is_known):
            self._note(f"{self.name} {'is here again' if is_open else 'has come'}")
        if self._bot != record.bot:
            self._gate.send(Forget(self._bot, ""))
            self._bot = record.bot
        session.join(self._gate, record.bot)
        if not is_open or is_known:
            session.take(record)
        elif refusal := session.admission.greet(record):
            self._note(f"{self.name} cannot play: {refusal}")
        else:
            self._begin_again(session, record)

    def _begin_again(self, session: Session, record: Greeted) -> None:
        """Send a new process everything from the start of its matches on."""
        assert self._hub is not None
        session.encoding = record.encoding
        session.send(Welcome(limits.VERSION, session.id, Limits(), resumed=False))
        self._hub.resumed(session, anew=True)
