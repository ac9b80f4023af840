"""The way to one bot: its pipes, a gate of its own, or the public gate.

A bot that may choose has pipes and a gate at first; the way by which its hello comes is the one that stays.
"""

import contextlib
import os
import time
from collections.abc import Callable
from pathlib import Path

from referee.gate.config import GateConfig
from referee.gate.inbox import Inbox
from referee.gate.pipe import PipeGate
from referee.gate.records import Deliver, Forget, Greeted, Up
from referee.hub.event_loop import EventLoop
from referee.hub.gate_client import GateClient
from referee.hub.loop_gate import LoopGate
from referee.match.clock import MS
from referee.match.faults import FaultCode
from referee.process.forkserver import Forkserver
from referee.process.stderr_tail import StderrTail

_STDOUT_BYTES = 262_144
"""What a bot may write to its stdout in a second when its messages do not travel there."""

END_REPORT_NS = 2_000 * MS
"""Within this time the supervisor reports the end of a process, if that is why the bot is silent."""


class BotTransport:
    """Carries messages to one bot and records from it. Never blocks; does nothing when it is closed."""

    def __init__(
        self,
        loop: EventLoop,
        stderr: StderrTail,
        take: Callable[[Up], None],
        lost: Callable[[FaultCode, str], None],
    ) -> None:
        """`take` is called with each record, `lost` when the bot cannot be reached any more."""
        self._loop = loop
        self._stderr = stderr
        self._take = take
        self._lost = lost
        self._pipe: PipeGate | None = None
        self.gate: GateClient | LoopGate | None = None
        """The gate through which it is reached; None for a bot on pipes."""
        self._owns_gate = False
        self._bot = 0
        """The gate's number for the bot."""
        self._read_bytes = 0
        """Of its stdout, when reading was last paused."""
        self._writing = False

    # Opening.

    def open_gate(self, forkserver: Forkserver, config: GateConfig, listener: Callable[[Up], None]) -> None:
        """Open a gate process for this bot alone. Raises OSError if there cannot be one."""
        self.gate = GateClient(forkserver, self._loop, config, listener)
        self._owns_gate = True

    def open_loop_gate(self, path: Path, token: str, listener: Callable[[Up], None]) -> str:
        """Open a gate for this bot in our own loop, and return its address. Raises OSError as well."""
        self.gate = gate = LoopGate(self._loop, path, token, listener)
        self._owns_gate = True
        return gate.address

    def join(self, gate: GateClient, bot: int) -> None:
        """Belong to a bot at the public gate."""
        self.gate, self._bot = gate, bot

    def open_pipes(self, *, guess: bool, token: str | None) -> tuple[int, int]:
        """Open pipes and return the bot's ends of them; with `guess` it may speak ZeroMQ instead.

        The `token` is what its hello must have.
        """
        theirs_in, ours_in = os.pipe()
        ours_out, theirs_out = os.pipe()
        inbox = Inbox(0, time.monotonic_ns())
        self._pipe = PipeGate(inbox, ours_in, ours_out, self._stderr.add, guess=guess, token=token)
        self._loop.watch(ours_out, self._read_pipe)
        return theirs_in, theirs_out

    def settle(self) -> None:
        """Stay with the way by which the hello has come; what else comes on stdout counts as stderr."""
        if self._pipe is not None and self._pipe.chatting:
            self._pipe.deaf = True

    # Messages.

    def send(self, data: bytes, match: str, ask: int, now_ns: int) -> None:
        """Send the bytes of a message, which leave at the end of this turn of the loop.

        `match` is '' for a message that belongs to none, and `ask` is the id of an ask, or 0.
        """
        if self._pipe is not None and not self._pipe.chatting:
            self._pipe.send(data, match, ask, now_ns)
            self._loop.dirty[self] = None
        elif self.gate is not None:
            self.gate.send(Deliver(self._bot, match, ask, data))

    def forget(self, match: str) -> None:
        """Forget a match that is over."""
        if self._pipe is not None and not self._pipe.chatting:
            self._pipe.inbox.forget(match)
        elif self.gate is not None:
            self.gate.send(Forget(self._bot, match))

    def flush(self) -> None:
        """Write what is waiting in the pipe."""
        pipe = self._pipe
        if pipe is None:
            return
        if not pipe.flush():
            self._lost(FaultCode.DISCONNECTED, "it does not read what it is sent")
            return
        if pipe.blocked is not self._writing:
            self._writing = pipe.blocked
            self._loop.watch_writing(pipe.stdin, self.flush if self._writing else None)

    def _read_pipe(self) -> None:
        pipe = self._pipe
        assert pipe is not None
        # What is there now was there when the loop looked.
        records = pipe.receive(self._loop.looked_ns)
        if pipe.blocked:
            self._loop.dirty[self] = None
        for record in records:
            if self.gate is not None and isinstance(record, Greeted):
                # Its messages travel here: the other way is closed.
                self.gate.close()
                self.gate = None
            self._take(record)
        if self._pipe is None:
            return
        if pipe.ended:
            self._loop.forget(pipe.stdout)
            if self.gate is None:
                closed = "it closed its stdout"
                self._loop.at(
                    time.monotonic_ns() + END_REPORT_NS, lambda: self._lost(FaultCode.DISCONNECTED, closed)
                )
        elif pipe.chatting and pipe.overheard - self._read_bytes > _STDOUT_BYTES:
            self._loop.forget(pipe.stdout)
            self._loop.at(time.monotonic_ns() + 1_000 * MS, self._resume_reading)

    def _resume_reading(self) -> None:
        if self._pipe is not None:
            self._read_bytes = self._pipe.overheard
            self._loop.watch(self._pipe.stdout, self._read_pipe)

    # Closing.

    def end_input(self) -> None:
        """Close the bot's stdin: at the end of its input a bot on pipes may leave."""
        if self._pipe is not None:
            self._loop.watch_writing(self._pipe.stdin, None)
            with contextlib.suppress(OSError):
                os.close(self._pipe.stdin)
            self._pipe.stdin = os.open(os.devnull, os.O_WRONLY)

    def close(self) -> None:
        """Close pipes and gate; at the public gate the bot is forgotten."""
        self._loop.dirty.pop(self, None)
        if self._pipe is not None:
            self._loop.forget(self._pipe.stdin)
            self._loop.forget(self._pipe.stdout)
            self._pipe.close()
            self._pipe = None
        if self.gate is not None:
            if self._owns_gate:
                self.gate.close()
            else:
                self.gate.send(Forget(self._bot, ""))
            self.gate = None
