"""The gate of a trusted bot on ZeroMQ in the hub's own loop: no process, and no wake-up of one."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from referee.gate.local import LocalGate
from referee.gate.records import Down, Up
from referee.hub.event_loop import EventLoop


class LoopGate:
    """A gate that does in the hub's loop what the process behind a `GateClient` does."""

    def __init__(self, loop: EventLoop, path: Path, token: str, listener: Callable[[Up], None]) -> None:
        """Listen at this path. Raises OSError if that cannot be."""
        self._loop = loop
        self._listener = listener
        self._records: list[Down] = []
        self._writing: dict[int, None] = {}
        """The connections that do not take more now."""
        self._gate = LocalGate(path, token, loop.forget)
        self.address = self._gate.address
        self.ended = False
        loop.watch(self._gate.listener.fileno(), self._accept)

    def send(self, record: Down) -> None:
        """Put a record into the next `flush`; what is sent after the gate's end is lost."""
        if not self.ended:
            self._records.append(record)
            self._loop.dirty[self] = None

    def flush(self) -> None:
        """Send what is waiting: now the time of asks begins."""
        if self.ended:
            return
        gate = self._gate
        records, self._records = self._records, []
        for record in records:
            gate.obey(record)
        gate.flush()
        if gate.unsent or self._writing:
            self._watch_writing()
        self._report()

    def _watch_writing(self) -> None:
        """Be called when connections take more that did not take all."""
        unsent = self._gate.unsent
        for route in unsent.keys() ^ self._writing.keys():
            fd = self._gate.fileno(route)
            if fd is not None:
                self._loop.watch_writing(fd, self.flush if route in unsent else None)
        self._writing = dict(unsent)

    def _accept(self) -> None:
        route = self._gate.accept()
        if route is None:
            return
        fd = self._gate.fileno(route)
        assert fd is not None
        self._loop.watch(fd, partial(self._read, route))
        self._loop.dirty[self] = None

    def _read(self, route: int) -> None:
        # What is there now was there when the loop looked.
        self._gate.receive(route, self._loop.looked_ns)
        if self._gate.unsent:
            self._loop.dirty[self] = None
        self._report()

    def _report(self) -> None:
        for record in self._gate.collect():
            self._listener(record)

    def close(self) -> None:
        """Close the socket and all connections to it."""
        if not self.ended:
            self.ended = True
            self._loop.dirty.pop(self, None)
            self._gate.close()
