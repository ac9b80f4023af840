"""The hub's end of one gate process: records in, records out, once a turn of the loop."""

from collections.abc import Callable

from referee.gate.channel import UP_BYTES, Channel
from referee.gate.records import Down, Failed, Opened, Up
from referee.gate.router import GateConfig
from referee.hub.event_loop import EventLoop
from referee.process.forkserver import Forkserver


class GateClient:
    """The hub's end of one gate process."""

    def __init__(
        self, nursery: Forkserver, loop: EventLoop, door: GateConfig, listener: Callable[[Up], None]
    ) -> None:
        self._loop = loop
        self._line: Channel[Up] = Channel(nursery.open_gate(door), Up, UP_BYTES)
        self._listener = listener
        self._records: list[Down] = []
        self._writing = False
        """Whether we wait for the gate to take more."""
        self.pid = 0
        self.ended = False
        loop.watch(self._line.fileno(), self._read)

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
            self._line.send(self._records)
            self._records = []
        else:
            self._line.flush()
        if self._line.blocked is not self._writing:
            self._writing = self._line.blocked
            self._loop.watch_writing(self._line.fileno(), self.flush if self._writing else None)

    def _read(self) -> None:
        listener = self._listener
        for record in self._line.receive():
            if type(record) is Opened:
                self.pid = record.pid
            elif type(record) is Failed:
                # Told once only: that its process ends as well is no news.
                self.close()
            listener(record)
        if self._line.closed and not self.ended:
            self.close()
            self._listener(Failed("its gate has ended"))

    def close(self) -> None:
        """Let go of the gate, which then ends."""
        if not self.ended:
            self.ended = True
            self._loop.forget(self._line.fileno())
            self._line.close()
