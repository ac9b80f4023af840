"""One bot's presence at the hub: its process, its transport, its admission, and the matches it plays.

It begins when a bot is started or connects, opens with its hello, and ends with its process or connection.
"""

import secrets
import time
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from protocol import limits
from protocol.codec import Encoding, encode
from protocol.messages import Bye, Error, Limits, Message, Ping, Refuse, Welcome
from referee.gate.records import (
    Answered,
    Complained,
    Failed,
    Greeted,
    Left,
    Misbehaved,
    Ponged,
    Readied,
    Rejected,
    Up,
)
from referee.hub.admission import Admission
from referee.hub.bot_transport import END_REPORT_NS, BotTransport
from referee.hub.event_loop import EventLoop
from referee.hub.gate_client import GateClient
from referee.hub.local_bot import LocalBot
from referee.match.clock import MS
from referee.match.faults import FaultCode, Profile
from referee.process.forkserver import Forkserver
from referee.process.reports import Ended
from referee.process.spec import BotSpec
from referee.process.stderr_tail import StderrTail

if TYPE_CHECKING:
    from referee.hub.running_match import RunningMatch


class SessionHost(Protocol):
    """What is notified of a session: the hub."""

    def opened(self, session: "Session") -> None:
        """Take note that the bot has been admitted."""

    def resumed(self, session: "Session") -> None:
        """Take note that the bot has come back and must be sent again what is open."""

    def answered(self, session: "Session", record: Answered) -> None:
        """Take an answer."""

    def readied(self, session: "Session", record: Readied) -> None:
        """Take a ready."""

    def misbehaved(self, session: "Session", record: Misbehaved) -> None:
        """Rule on a broken message."""

    def gone(self, session: "Session", code: FaultCode, why: str) -> None:
        """Take note that the session has ended."""

    def process_gone(self, session: "Session") -> None:
        """Take note that no process of the session is left, some time after its end."""


class SessionState(Enum):
    """How far a session has come."""

    STARTING = "starting"
    """Its hello is still to come."""
    OPEN = "open"
    LEAVING = "leaving"
    """It was dismissed, and its process may still run."""
    GONE = "gone"


_GONE = SessionState.GONE


class Session:
    """One running bot."""

    def __init__(self, name: str, host: SessionHost, loop: EventLoop, patience: Profile) -> None:
        self.name = name
        self.id = secrets.token_hex(16)
        self.state = SessionState.STARTING
        self.was_open = False
        self.dismissed = False
        """Whether the referee sent it away."""
        self.away = False
        """Whether its connection is lost; it may come back."""
        self.retiring = False
        """Whether it gets no more matches."""
        self.returns = False
        """Whether it goes on with a session of before a restart of the referee."""
        self.site = ""
        """The address of the web site, for the author of the bot; '' if there is none."""
        self.encoding = Encoding.JSON
        self.matches: dict[str, RunningMatch] = {}
        """The matches it plays, by id."""
        self.stderr = StderrTail()
        self.transport = BotTransport(loop, self.stderr, self.take, self.fail)
        self.admission = Admission(patience.latency_cap_ms, lambda n: self.send(Ping(n)))
        self.local: LocalBot | None = None
        """Its process on this host; None for a bot that connected by itself."""
        self._rejected: Rejected | None = None
        """The last message in place of its hello, which may be that of another program."""
        self._host = host
        self._loop = loop
        self._patience = patience

    @property
    def spec(self) -> BotSpec | None:
        """What it was started with; None for a bot that connected by itself."""
        return self.local.spec if self.local is not None else None

    @property
    def end(self) -> Ended | None:
        """How its process ended; None while it runs, or where the hub has not started it."""
        return self.local.end if self.local is not None else None

    @property
    def is_starting(self) -> bool:
        """Whether its hello is still to come."""
        return self.state is SessionState.STARTING

    @property
    def is_open(self) -> bool:
        """Whether it may get matches."""
        return self.state is SessionState.OPEN and not self.retiring

    @property
    def is_free(self) -> bool:
        """Whether it can begin one more match now."""
        return self.is_open and len(self.matches) < self.admission.capacity

    # Beginning.

    def start(self, spec: BotSpec, forkserver: Forkserver, folder: Path) -> None:
        """Start the bot's process; `folder` is for its socket and its scratch folder."""
        self.local = LocalBot(spec, forkserver, folder / f"{self.id[:12]}.tmp", self._loop, self)
        self.local.start(self.transport, self.stderr)

    def join(self, gate: GateClient, bot: int) -> None:
        """Belong to a bot that came to the public gate by itself; `bot` is the gate's number for it."""
        self.transport.join(gate, bot)
        self.away = False

    def process_started(self) -> None:
        """Give the bot its time for a hello: until now the time was that of our own processes."""
        self._loop.at(time.monotonic_ns() + self._patience.hello_ms * MS, self._check_hello)

    def process_ended(self, end: Ended) -> None:
        """End with the process."""
        self._fail_for(end.fault(), end.in_words())

    def process_gone(self) -> None:
        """Report that no process is left."""
        self._host.process_gone(self)

    def _check_hello(self) -> None:
        if self.is_starting:
            self._fail_for(FaultCode.NO_HELLO, f"no hello within {self._patience.hello_ms} ms")

    def _fail_for(self, code: FaultCode, why: str) -> None:
        """End the session for this reason, or for a bad hello after which no good one came."""
        if self.is_starting and self._rejected is not None:
            code, why = self._rejected.code, self._rejected.why
        self.fail(code, why)

    # Records of the bot's gate.

    def take(self, record: Up) -> None:
        """Take a record of the bot's gate."""
        if self.state is _GONE:
            return
        if type(record) is Answered:
            self._host.answered(self, record)
        else:
            self._take_other(record)

    def _take_other(self, record: Up) -> None:
        match record:
            case Readied():
                self._host.readied(self, record)
            case Misbehaved():
                self._misbehaved(record)
            case Rejected():
                self._rejected = record
            case Greeted():
                self._greeted(record)
            case Ponged():
                if self.admission.pong(record):
                    self._host.opened(self)
            case Complained():
                self.stderr.add(f"[the bot reports: {record.code}: {record.why}]\n".encode())
            case Left():
                self._left(record)
            case Failed():
                self.fail(FaultCode.DISCONNECTED, record.why)

    def _greeted(self, hello: Greeted) -> None:
        if self.state is SessionState.LEAVING:
            return
        self.encoding = hello.encoding
        self.away = False
        if self.state is SessionState.OPEN:
            self._resume()
            return
        refusal = self.admission.greet(hello)
        if refusal is not None:
            self.send(Refuse("version", refusal))
            self.send(Bye(refusal))
            self.fail(FaultCode.VERSION, refusal)
            return
        self.name = self.name or hello.name
        self.state = SessionState.OPEN
        self.was_open = True
        self._welcome(resumed=self.returns)
        if self.local is None:
            self.admission.measure()
        else:
            self.transport.settle()
            self._host.opened(self)

    def _resume(self) -> None:
        self._welcome(resumed=True)
        if self.local is None and not self.admission.measured:
            self.admission.measure()
        self._host.resumed(self)

    def _welcome(self, *, resumed: bool) -> None:
        self.send(Welcome(limits.VERSION, self.id, Limits(), resumed, self.site))

    def _misbehaved(self, record: Misbehaved) -> None:
        if self.is_starting:
            self.fail(record.code, record.why)
            return
        self.send(Error(record.code, record.why))
        self._host.misbehaved(self, record)
        if record.code != FaultCode.MALFORMED:
            self.fail(record.code, record.why)

    def _left(self, record: Left) -> None:
        if record.said:
            self.fail(FaultCode.DISCONNECTED, f"it said bye{': ' + record.why if record.why else ''}")
            return
        self.away = True
        if self.local is not None:
            self._loop.at(time.monotonic_ns() + END_REPORT_NS, lambda: self._check_connection(record.why))

    def _check_connection(self, why: str) -> None:
        if self.away:
            self.fail(FaultCode.DISCONNECTED, why)

    # Messages to the bot.

    def send(self, message: Message) -> None:
        """Send a message that belongs to no match."""
        self.transport.send(encode(message, self.encoding), "", 0, 0)

    def finish(self, match: str, *, failed: bool = False) -> None:
        """Forget a match that is over; a process that has failed, or is for one match only, is dismissed."""
        self.matches.pop(match, None)
        self.transport.forget(match)
        if self.spec is not None:
            # After a fault the bot may be in any state: the next match gets a new process.
            self.retiring = self.retiring or failed
            if self.retiring and not self.matches:
                self.dismiss()

    # Ending.

    def dismiss(
        self, why: str = "the referee has no more matches for you", back_ms: int | None = None
    ) -> None:
        """Send the bot away with a bye; a process that does not end in time is killed.

        With `back_ms` the bye says after how long the referee listens again.
        """
        if self.state in (SessionState.LEAVING, _GONE):
            return
        self.dismissed = True
        self.send(Bye(why, back_ms))
        self.state = SessionState.LEAVING
        self._loop.flush()
        process = self.local.process if self.local is not None else None
        if process is None:
            self.fail(FaultCode.DISCONNECTED, f"sent away: {why}")
            return
        self.transport.end_input()
        now_ns, grace_ns = time.monotonic_ns(), self._patience.goodbye_ms * MS
        self._loop.at(now_ns + grace_ns // 2, process.terminate)
        self._loop.at(now_ns + grace_ns, lambda: self.fail(FaultCode.DISCONNECTED, "killed"))

    def fail(self, code: FaultCode, why: str) -> None:
        """End the session now, and everything that belongs to it."""
        if self.state is _GONE:
            return
        if self.state is not SessionState.LEAVING:
            self._loop.flush()
        self.state = _GONE
        self.transport.close()
        if self.local is not None:
            self.local.close()
        self._host.gone(self, code, why)
