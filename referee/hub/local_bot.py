"""A bot that the hub starts on this host: its process, its scratch folder, and a gate if it may need one."""

import contextlib
import secrets
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Protocol

import msgspec

from referee.errors import RefereeError
from referee.gate.config import GateConfig
from referee.gate.records import Failed, Opened, Up
from referee.hub.bot_transport import BotTransport
from referee.hub.event_loop import EventLoop
from referee.match.clock import MS
from referee.process.client import BotProcess
from referee.process.forkserver import Forkserver
from referee.process.reports import EndCause, Ended
from referee.process.spec import BotSpec
from referee.process.stderr_tail import StderrTail

OURS_S = 60
"""How long our own processes for a bot may take to start, which is not the bot's time."""


class LocalBotHost(Protocol):
    """What is notified of a local bot."""

    @property
    def is_starting(self) -> bool:
        """Whether its hello is still to come."""

    def take(self, record: Up) -> None:
        """Take a record of its gate."""

    def process_started(self) -> None:
        """Take note that its process runs: from now on the time is the bot's."""

    def process_ended(self, end: Ended) -> None:
        """Take note of the end of its process."""

    def process_gone(self) -> None:
        """Take note that every process it has started is gone too, or that there never was one."""


def _way_in(address: str, token: str) -> dict[str, str]:
    """Return the variables that lead a bot to its gate."""
    return {"REFEREE_ADDRESS": address, "REFEREE_TOKEN": token}


class LocalBot:
    """The process of one bot, from its start to its end."""

    def __init__(
        self, spec: BotSpec, forkserver: Forkserver, scratch: Path, loop: EventLoop, host: LocalBotHost
    ) -> None:
        """`scratch` is the folder of its own into which the bot may write."""
        self.spec = spec
        self.process: BotProcess | None = None
        self.end: Ended | None = None
        """How the bot ended by itself; None while it runs, and if we end it."""
        self._forkserver = forkserver
        self._scratch = scratch
        self._loop = loop
        self._host = host
        self._closed = False

    def start(self, transport: BotTransport, stderr: StderrTail) -> None:
        """Start the process, behind a gate of its own if it may speak ZeroMQ.

        The gate of a trusted bot is in our loop, that of any other is a process.

        Raises RefereeError, also later from the loop, if this host has not the means for it.
        """
        self._check_started(OURS_S)
        if self.spec.transport == "stdio":
            self._launch(transport, stderr, {})
            return
        token = secrets.token_hex(16)
        if self.spec.program.level == "trusted":
            with self._means(transport):
                address = transport.open_loop_gate(self._socket_file(), token, self._host.take)
            self._launch(transport, stderr, _way_in(address, token))
            return

        def on_gate(record: Up) -> None:
            if isinstance(record, Opened):
                self._launch(transport, stderr, _way_in(record.address, token))
            elif isinstance(record, Failed) and self.process is None:
                raise self._unable(record.why)
            else:
                self._host.take(record)

        config = GateConfig(f"ipc://{self._socket_file()}", token)
        with self._means(transport):
            transport.open_gate(self._forkserver, config, on_gate)

    def _socket_file(self) -> Path:
        return self._scratch.with_suffix("")

    @contextlib.contextmanager
    def _means(self, transport: BotTransport) -> Iterator[None]:
        """Report a lack of means to start a bot, which is no fault of the bot."""
        try:
            yield
        except OSError as error:
            transport.close()
            raise self._unable(error.strerror) from error

    def _unable(self, why: str | None) -> RefereeError:
        return RefereeError(f"cannot start bot {self.spec.name}: {why}")

    def _launch(self, transport: BotTransport, stderr: StderrTail, address: dict[str, str]) -> None:
        if self._closed or self.process is not None:
            return
        with self._means(transport):
            self._scratch.mkdir(mode=0o700)
            env = self.spec.program.env | {"TMPDIR": str(self._scratch)} | address
            program = msgspec.structs.replace(self.spec.program, env=env, scratch=str(self._scratch))
            guess = self.spec.transport == "auto"
            token = address.get("REFEREE_TOKEN")
            pipes = None if self.spec.transport == "zmq" else transport.open_pipes(guess=guess, token=token)
            self.process = process = BotProcess(self._forkserver, program, pipes, stderr=stderr)
        self._loop.watch(process.fileno(), self._reader(process))

    def _reader(self, process: BotProcess) -> Callable[[], None]:
        def read() -> None:
            was_started = bool(process.pid)
            process.read()
            if process.pid and not was_started and not self._closed:
                self._host.process_started()
            if process.end is not None:
                if not self._closed:
                    self._ended(process.end)
                self._loop.forget(process.fileno())
                process.close()
                self._host.process_gone()

        return read

    def _ended(self, end: Ended) -> None:
        assert self.process is not None
        self.end = end
        if self._host.is_starting and end.cause is EndCause.HOST_SHORTAGE:
            raise self._unable(end.why)
        if self._host.is_starting and end.cause is EndCause.SUPERVISOR_LOST and not self.process.pid:
            why = "no supervisor started (is this host short of processes, memory or descriptors?)"
            raise self._unable(why)
        self._host.process_ended(end)

    def _check_started(self, left_s: int) -> None:
        started = self.process is not None and self.process.pid
        if self._closed or started or not self._host.is_starting:
            return
        if not left_s:
            raise self._unable(
                f"its process did not start within {OURS_S} s (does the disk of this host hang?)"
            )
        self._loop.at(time.monotonic_ns() + 1_000 * MS, lambda: self._check_started(left_s - 1))

    def _check_gone(self, left_s: int) -> None:
        assert self.process is not None
        if self.process.end is not None:
            return
        if not left_s:
            raise RefereeError(
                f"bot {self.spec.name}: its processes did not end within {OURS_S} s after they were killed, "
                "and could pass on to later ones what they know (does the disk of this host hang?)"
            )
        self._loop.at(time.monotonic_ns() + 1_000 * MS, lambda: self._check_gone(left_s - 1))

    def close(self) -> None:
        """End the bot with all its processes, now."""
        if self._closed:
            return
        self._closed = True
        if self.process is None:
            self._host.process_gone()
        else:
            # The supervisor takes along the bot, all its processes and its folder, which may hold so much
            # that to remove it here would keep other bots waiting.
            self.process.let_go()
            self._check_gone(OURS_S)
        with contextlib.suppress(OSError):
            # libzmq leaves the file of a gate's socket behind.
            self._socket_file().unlink()
