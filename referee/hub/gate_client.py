"""The hub's end of one gate process: records in, records out, once a turn of the loop."""

from collections.abc import Callable

from referee.gate.channel import UP_BYTES, Channel
from referee.gate.config import GateConfig
from referee.gate.records import Down, Failed, Opened, Up
from referee.hub.event_loop import EventLoop
from referee.process.forkserver import Forkserver


class GateClient:
    """The hub's end of one gate process."""

    def __init__(
        self, forkserver: Forkserver, loop: EventLoop, config: GateConfig, listener: Callable[[Up], None]
    ) -> None:
        self._loop = loop
        self._channel: Channel[Up] = Channel(forkserver.open_gate(config), Up, UP_BYTES)
        self._listener = listener
        self._records: list[Down] = []
        self._writing = False
        """Whether we wait for the gate to take more."""
        self.pid = 0
        self.ended = False
        loop.watch(self._channel.fileno(), self._read)

    def send(self, record: Down) -> None:
        """Put a record into the next `flush`; what is sent after the gate's end is lost."""
        if not self.ended:
            self._records.append(record)
            self._loop.dirty[self] = None

    def flush(self) -> None:
        """Send what is waiting."""
        if self.ended:
            return
        if self._records:
            self._channel.send(self._records)
            self._records = []
        else:
            self._channel.flush()
        if self._channel.blocked is not self._writing:
            self._writing = self._channel.blocked
            self._loop.watch_writing(self._channel.fileno(), self.flush if self._writing else None)

    def _read(self) -> None:
        listener = self._listener
        for record in self._channel.receive():
            if type(record) is Opened:
                self.pid = record.pid
            elif type(record) is Failed:
                # Reported once only: the end of its process follows from it.
                self.close()
            listener(record)
        if self._channel.closed and not self.ended:
            self.close()
            self._listener(Failed("its gate has ended"))

    def close(self) -> None:
        """Let go of the gate, which then ends."""
        if not self.ended:
            self.ended = True
            self._loop.forget(self._channel.fileno())
            self._channel.close()
