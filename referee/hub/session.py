"""One bot's presence at the hub: its process, its gate, its log, and the matches it plays.

It begins when a bot is started or connects, opens with its hello, and ends with its process or connection.
"""

import contextlib
import os
import secrets
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, Protocol

import msgspec

from protocol import limits
from protocol.codec import Encoding, encode
from protocol.messages import Bye, Error, Limits, Message, Ping, Refuse, Welcome
from referee.errors import RefereeError
from referee.gate.inbox import Inbox
from referee.gate.pipe import PipeGate
from referee.gate.records import (
    Answered,
    Complained,
    Deliver,
    Failed,
    Forget,
    Greeted,
    Left,
    Misbehaved,
    Opened,
    Ponged,
    Readied,
    Up,
)
from referee.gate.router import GateConfig
from referee.hub.event_loop import EventLoop
from referee.hub.gate_client import GateClient
from referee.match.clock import MS
from referee.match.faults import FaultCode, Profile
from referee.process import supervisor
from referee.process.forkserver import Forkserver
from referee.process.spec import BotSpec
from referee.process.stderr_tail import StderrTail

_CHATTER_BYTES = 262_144
"""What a bot may write to its stdout in a second when it does not speak there."""

OURS_S = 60
"""How long our own processes for a bot may take to come up, which is not the bot's time."""

_TOLD_NS = 2_000 * MS
"""Within this time the supervisor reports the end of a process, if that is why the bot is silent."""

_PINGS = 3
"""How often the latency of a remote bot is measured; the best counts."""


class Host(Protocol):
    """What a session tells the hub."""

    def opened(self, session: "Session") -> None:
        """Hear that the bot has been admitted."""

    def resumed(self, session: "Session") -> None:
        """Hear that the bot has come back and must be sent again what is open."""

    def answered(self, session: "Session", record: Answered) -> None:
        """Take an answer."""

    def readied(self, session: "Session", record: Readied) -> None:
        """Take a ready."""

    def misbehaved(self, session: "Session", record: Misbehaved) -> None:
        """Rule on a broken message."""

    def gone(self, session: "Session", code: FaultCode, why: str) -> None:
        """Hear that the bot is no more."""


class Session:
    """One running bot."""

    def __init__(self, name: str, host: Host, loop: EventLoop, patience: Profile) -> None:
        self.name = name
        self.spec: BotSpec | None = None
        self.id = secrets.token_hex(16)
        self.state: Literal["starting", "open", "leaving", "gone"] = "starting"
        self.was_open = False
        self.encoding = Encoding.JSON
        self.wants: frozenset[str] = frozenset()
        self.games: frozenset[str] = frozenset()
        self.capacity = 1
        self.latency_ms = 0
        self.measured = False
        """Whether a remote bot's latency is known, so that it may play."""
        self.away = False
        """Whether its connection is lost; it may come back."""
        self.retiring = False
        """Whether it gets no more matches."""
        self.tables: dict[str, Any] = {}
        """The matches it plays, by id; what they are is the hub's business."""
        self.log = StderrTail()
        self.exit = ""
        self.pid = 0
        """The keeper's process."""
        self._host = host
        self._loop = loop
        self._patience = patience
        self._gate: GateClient | None = None
        self._bot = 0
        self._pipe: PipeGate | None = None
        self._keeper: socket.socket | None = None
        self._scratch = Path()
        """The bot's own folder for what it writes, and nobody else's."""
        self._pinged_ns = 0
        self._best_ns: int | None = None
        self._chatted = 0
        self._writing = False

    # Beginning.

    def start(self, spec: BotSpec, nursery: Forkserver, folder: Path) -> None:
        """Start the bot's process, behind a gate of its own if it may speak ZeroMQ."""
        self.spec = spec
        self._scratch = folder / f"{self.id[:12]}.tmp"
        self._check_started(OURS_S)
        if spec.transport == "stdio":
            with self._means():
                self._launch(spec, nursery, {})
            return
        token = secrets.token_hex(16)
        door = GateConfig(f"ipc://{folder / self.id[:12]}", token)

        def on_gate(record: Up) -> None:
            if isinstance(record, Opened):
                address = {"REFEREE_ADDRESS": record.address, "REFEREE_TOKEN": token}
                with self._means():
                    self._launch(spec, nursery, address)
            elif isinstance(record, Failed) and self._keeper is None:
                raise RefereeError(f"cannot start bot {self.name}: {record.why}")
            else:
                self.take(record)

        with self._means():
            self._gate = GateClient(nursery, self._loop, door, on_gate)

    @contextlib.contextmanager
    def _means(self) -> Iterator[None]:
        """Tell that we lack the means to start a bot, which is no fault of the bot."""
        try:
            yield
        except OSError as error:
            raise RefereeError(f"cannot start bot {self.name}: {error.strerror}") from error

    def _launch(self, spec: BotSpec, nursery: Forkserver, address: dict[str, str]) -> None:
        if self.state == "gone" or self._keeper is not None:
            return
        self._scratch.mkdir(mode=0o700)
        env = spec.program.env | {"TMPDIR": str(self._scratch)} | address
        program = msgspec.structs.replace(spec.program, env=env, scratch=str(self._scratch))
        if spec.transport == "zmq":
            self._keeper = nursery.keep(program)
        else:
            theirs_in, ours_in = os.pipe()
            ours_out, theirs_out = os.pipe()
            try:
                self._keeper = nursery.keep(program, theirs_in, theirs_out)
            except OSError:
                os.close(ours_in)
                os.close(ours_out)
                raise
            desk = Inbox(0, time.monotonic_ns())
            self._pipe = PipeGate(desk, ours_in, ours_out, self.log.add, guess=spec.transport == "auto")
            self._loop.watch(ours_out, self._read_pipe)
        self._loop.watch(self._keeper.fileno(), self._read_keeper)

    def join(self, gate: GateClient, bot: int) -> None:
        """Belong to a bot that came to a door by itself."""
        self._gate, self._bot, self.away = gate, bot, False

    def _check_started(self, left_s: int) -> None:
        if self.state != "starting" or self.pid:
            return
        if not left_s:
            why = f"nothing has come up for it within {OURS_S} s (does the disk of this host stand still?)"
            raise RefereeError(f"cannot start bot {self.name}: {why}")
        self._loop.at(time.monotonic_ns() + 1_000 * MS, lambda: self._check_started(left_s - 1))

    def _check_hello(self) -> None:
        if self.state == "starting":
            self.fail(FaultCode.NO_HELLO, f"no hello within {self._patience.hello_ms} ms")

    # What the bot, its gate and its keeper have to say.

    def take(self, record: Up) -> None:
        """Take a record of the bot's gate."""
        if self.state == "gone":
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
            case Greeted():
                self._greeted(record)
            case Ponged():
                self._ponged(record)
            case Complained():
                self.log.add(f"[the bot reports: {record.code}: {record.why}]\n".encode())
            case Left():
                self._left(record)
            case Failed():
                self.fail(FaultCode.DISCONNECTED, record.why)

    def _read_pipe(self) -> None:
        pipe = self._pipe
        assert pipe is not None
        # What is there now was there when the loop looked.
        for record in pipe.receive(self._loop.looked_ns):
            if isinstance(record, Greeted) and self._gate is not None:
                # It speaks here: the other way in is closed.
                self._gate.close()
                self._gate = None
            self.take(record)
        if self._pipe is None:
            return
        if pipe.ended:
            self._loop.forget(pipe.stdout)
            if self._gate is None:
                shut = "it closed its stdout"
                self._loop.at(time.monotonic_ns() + _TOLD_NS, lambda: self.fail(FaultCode.DISCONNECTED, shut))
        elif pipe.chatting and pipe.overheard - self._chatted > _CHATTER_BYTES:
            self._loop.forget(pipe.stdout)
            self._loop.at(time.monotonic_ns() + 1_000 * MS, self._listen_again)
        elif pipe.blocked:
            self._loop.dirty[self] = None

    def _listen_again(self) -> None:
        if self._pipe is not None:
            self._chatted = self._pipe.overheard
            self._loop.watch(self._pipe.stdout, self._read_pipe)

    def _read_keeper(self) -> None:
        assert self._keeper is not None
        try:
            data = self._keeper.recv(1 << 16)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data and not self.pid and self.state == "starting":
            why = "no keeper came up for it (is this host short of processes, memory or descriptors?)"
            raise RefereeError(f"cannot start bot {self.name}: {why}")
        if not data:
            self.fail(FaultCode.CRASHED, "its keeper has ended")
            return
        report = supervisor.decode_report(data)
        match report:
            case supervisor.Wrote():
                self.log.add(report.data, report.dropped)
            case supervisor.Started():
                self.pid = report.pid
                # Not before: how long gate and keeper take to come up is no affair of the bot's.
                self._loop.at(time.monotonic_ns() + self._patience.hello_ms * MS, self._check_hello)
            case supervisor.Unstartable(ours=True):
                raise RefereeError(f"cannot start bot {self.name}: {report.why}")
            case supervisor.Unstartable():
                self.exit = f"could not be started: {report.why}"
                self.fail(FaultCode.CRASHED, self.exit)
            case supervisor.Ended():
                self.exit = report.in_words()
                self.fail(report.fault(), self.exit)

    def _greeted(self, record: Greeted) -> None:
        if self.state == "leaving":
            return
        self.encoding = record.encoding
        self.away = False
        if self.state == "open":
            self.send(self._welcome(resumed=True))
            if self.spec is None and not self.measured:
                self._ping(0)
            self._host.resumed(self)
            return
        if limits.VERSION not in record.protocol:
            why = f"this referee speaks protocol {limits.VERSION}, the bot {record.protocol}"
            self.send(Refuse("version", why))
            self.send(Bye(why))
            self.fail(FaultCode.VERSION, why)
            return
        self.wants = frozenset(record.wants)
        self.games = frozenset(record.games)
        self.capacity = record.capacity
        self.name = self.name or record.name
        self.state = "open"
        self.was_open = True
        self.send(self._welcome(resumed=False))
        if self.spec is None:
            self._ping(0)
        else:
            if self._pipe is not None and self._pipe.chatting:
                self._pipe.deaf = True
            self._host.opened(self)

    def _welcome(self, *, resumed: bool) -> Welcome:
        return Welcome(limits.VERSION, self.id, Limits(), resumed)

    def _ping(self, n: int) -> None:
        self._pinged_ns = time.monotonic_ns()
        self.send(Ping(n + 1))

    def _ponged(self, record: Ponged) -> None:
        if not 0 < record.n <= _PINGS or not self._pinged_ns:
            return
        taken_ns = record.received_ns - self._pinged_ns
        self._best_ns = taken_ns if self._best_ns is None else min(self._best_ns, taken_ns)
        self._pinged_ns = 0
        if record.n < _PINGS:
            self._ping(record.n)
            return
        # A pong that was sent before the ping came would be of less than no time.
        self.latency_ms = max(0, min(self._patience.latency_cap_ms, self._best_ns // MS + 1))
        self.measured = True
        self._host.opened(self)

    def _misbehaved(self, record: Misbehaved) -> None:
        if self.state == "starting":
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
        if self.spec is not None:
            self._loop.at(time.monotonic_ns() + _TOLD_NS, lambda: self._check_connection(record.why))

    def _check_connection(self, why: str) -> None:
        if self.away:
            self.fail(FaultCode.DISCONNECTED, why)

    # Talking.

    def send(self, message: Message) -> None:
        """Send a message that belongs to no match."""
        self.pass_on(encode(message, self.encoding), "", 0, 0)

    def pass_on(self, data: bytes, match: str, ask: int, now_ns: int) -> None:
        """Send the bytes of a message, which leave at the end of this turn of the loop.

        `ask` is the id of an ask, or 0.
        """
        if self.state == "gone":
            return
        if self._pipe is not None and not self._pipe.chatting:
            self._pipe.send(data, match, ask, now_ns)
            self._loop.dirty[self] = None
        elif self._gate is not None:
            self._gate.send(Deliver(self._bot, match, ask, data))

    def forget(self, match: str) -> None:
        """Forget a match that is over."""
        self.tables.pop(match, None)
        if self._pipe is not None and not self._pipe.chatting:
            self._pipe.desk.forget(match)
        elif self._gate is not None:
            self._gate.send(Forget(self._bot, match))

    def flush(self) -> None:
        """Write what is waiting in the pipe."""
        pipe = self._pipe
        if pipe is None:
            return
        if not pipe.flush():
            self.fail(FaultCode.DISCONNECTED, "it does not read what it is sent")
            return
        if pipe.blocked is not self._writing:
            self._writing = pipe.blocked
            self._loop.watch_writing(pipe.stdin, self.flush if self._writing else None)

    # Ending.

    def dismiss(self) -> None:
        """Say bye and see the process out; it is killed if it does not go."""
        if self.state in ("leaving", "gone"):
            return
        self.send(Bye("the referee has no more matches for you"))
        self.state = "leaving"
        self._loop.flush()
        now_ns = time.monotonic_ns()
        if self._keeper is None:
            self.fail(FaultCode.DISCONNECTED, "dismissed")
            return
        if self._pipe is not None:
            # At the end of its input a bot on stdin/stdout knows that it may go.
            self._loop.watch_writing(self._pipe.stdin, None)
            with contextlib.suppress(OSError):
                os.close(self._pipe.stdin)
            self._pipe.stdin = os.open(os.devnull, os.O_WRONLY)
        grace_ns = self._patience.goodbye_ms * MS
        self._loop.at(now_ns + grace_ns // 2, lambda: self._order(supervisor.TERM))
        self._loop.at(now_ns + grace_ns, lambda: self.fail(FaultCode.DISCONNECTED, "killed"))

    def _order(self, order: bytes) -> None:
        if self._keeper is not None:
            with contextlib.suppress(OSError):
                self._keeper.send(order)

    def fail(self, code: FaultCode, why: str) -> None:
        """End the session now, and everything that belongs to it."""
        if self.state == "gone":
            return
        if self.state != "leaving":
            self._loop.flush()
        self.state = "gone"
        self._loop.dirty.pop(self, None)
        if self._pipe is not None:
            self._loop.forget(self._pipe.stdin)
            self._loop.forget(self._pipe.stdout)
            self._pipe.close()
            self._pipe = None
        if self._keeper is not None:
            # The keeper ends when its line closes, and takes along the bot, all its processes and its folder,
            # which may hold so much that clearing it here would keep other bots waiting.
            self._loop.forget(self._keeper.fileno())
            self._keeper.close()
            self._keeper = None
        if self.spec is not None:
            with contextlib.suppress(OSError):
                # libzmq leaves the file of a gate's socket behind.
                self._scratch.with_suffix("").unlink()
        if self._gate is not None:
            if self.spec is not None:
                self._gate.close()
            else:
                self._gate.send(Forget(self._bot, ""))
            self._gate = None
        self._host.gone(self, code, why)
