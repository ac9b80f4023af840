"""The gate process of one bot in a sandbox: the gate in the hub's loop, in a process of its own.

A fault in our decoding then costs one bot its connection, and not all bots the run.
"""

import os
import select
import socket
import time
from pathlib import Path

from referee.gate.channel import Channel
from referee.gate.config import GateConfig
from referee.gate.local import LocalGate
from referee.gate.records import Down, Failed, Opened


class OwnProcessGate:
    """A gate for one bot on one side, the channel to the hub on the other."""

    def __init__(self, config: GateConfig, channel: Channel[Down]) -> None:
        """Listen at the address. Raises OSError if that cannot be."""
        self._channel = channel
        self._poll = select.poll()
        self._routes: dict[int, int] = {}
        """By descriptor of a connection: its route."""
        self._writing: set[int] = set()
        """The descriptors of connections that do not take more now."""
        assert config.token is not None
        self._gate = LocalGate(Path(config.address.removeprefix("ipc://")), config.token, self._forget)
        self._listener = self._gate.listener.fileno()
        for fd in (self._listener, channel.fileno()):
            self._poll.register(fd, select.POLLIN)

    def run(self) -> None:
        """Serve until the hub closes its channel."""
        gate, channel = self._gate, self._channel
        channel.send([Opened(gate.address, os.getpid())])
        while not channel.closed:
            for fd, _ in self._poll.poll():
                if fd in self._routes:
                    gate.receive(self._routes[fd], time.monotonic_ns())
                elif fd == self._listener:
                    self._accept()
                else:
                    for record in channel.receive():
                        gate.obey(record)
            gate.flush()
            if gate.unsent or self._writing:
                self._watch_writing()
            if records := gate.collect():
                channel.send(records)
            # Let the hub catch up before any more is taken from the bot.
            channel.wait_until_sent()
        gate.close()

    def _accept(self) -> None:
        route = self._gate.accept()
        fd = None if route is None else self._gate.fileno(route)
        if route is not None and fd is not None:
            self._routes[fd] = route
            self._poll.register(fd, select.POLLIN)

    def _watch_writing(self) -> None:
        """Be called when connections take more that did not take all."""
        unsent = {fd for route in self._gate.unsent if (fd := self._gate.fileno(route)) is not None}
        for fd in unsent ^ self._writing:
            self._poll.modify(fd, select.POLLIN | (select.POLLOUT if fd in unsent else 0))
        self._writing = unsent

    def _forget(self, fd: int) -> None:
        """Look no more at a descriptor, which is about to be closed."""
        self._poll.unregister(fd)
        self._routes.pop(fd, None)
        self._writing.discard(fd)


def run(config: GateConfig, end: socket.socket) -> None:
    """Be a gate process until the hub is gone."""
    channel: Channel[Down] = Channel(end, Down)
    try:
        gate = OwnProcessGate(config, channel)
    except OSError as error:
        channel.send([Failed(f"cannot listen at {config.address}: {error}")])
        return
    gate.run()
