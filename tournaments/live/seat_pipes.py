"""The bot of a person: the pipes by which the hub talks to a seat, in the site's event loop.

The hub's process hands over the two pipes and the supervisor's socket of a bot that it has started; from then
on this process is that bot, until one of them is closed.
"""

import asyncio
import contextlib
import os
import socket
import time
from collections.abc import Callable

from protocol.errors import ProtocolError
from tournaments.live.seat_session import SeatSession

_CHUNK = 1 << 20


class PersonSeat:
    """One seat: its session, and its pipes while the hub has it as a bot."""

    def __init__(self, name: str, *, timed: bool, changed: Callable[["PersonSeat"], None]) -> None:
        """Begin without pipes; `changed` is called when the page has something else to show."""
        self.session = SeatSession(name, timed=timed)
        self._changed = changed
        self._pipes: tuple[int, int] | None = None
        self._supervisor: socket.socket | None = None
        self._inbox = b""

    def connect(self, stdin: int, stdout: int, supervisor: int) -> None:
        """Be a bot of the hub on these descriptors."""
        self.close()
        self._pipes, self._supervisor = (stdin, stdout), socket.socket(fileno=supervisor)
        os.set_blocking(stdin, False)
        self._supervisor.setblocking(False)
        loop = asyncio.get_running_loop()
        loop.add_reader(stdin, self._read)
        loop.add_reader(self._supervisor, self.close)
        self.say(self.session.greet())

    def say(self, line: bytes) -> None:
        """Write a line to the hub, and show what has changed."""
        if line and self._pipes is not None:
            # If the hub has gone, the end of the other pipe follows.
            with contextlib.suppress(OSError):
                os.write(self._pipes[1], line)
        self._changed(self)

    def _read(self) -> None:
        if self._pipes is None:
            return
        try:
            chunk = os.read(self._pipes[0], _CHUNK)
        except BlockingIOError:
            return
        except OSError:
            chunk = b""
        if not chunk:
            self.close()
            return
        *lines, self._inbox = (self._inbox + chunk).split(b"\n")
        answers = b""
        for line in lines:
            # A line that is no message can only be an error of ours: the match goes on.
            with contextlib.suppress(ProtocolError):
                answers += self.session.hear(line, now_ms())
        self.say(answers)

    def close(self) -> None:
        """Close the pipes and the socket; the hub notices their end."""
        if self._pipes is None or self._supervisor is None:
            return
        loop = asyncio.get_running_loop()
        loop.remove_reader(self._pipes[0])
        loop.remove_reader(self._supervisor)
        for end in self._pipes:
            os.close(end)
        self._supervisor.close()
        self._pipes, self._supervisor, self._inbox = None, None, b""
        self.session.leave()
        self._changed(self)


def now_ms() -> int:
    """Return the time on a clock that is never set."""
    return time.monotonic_ns() // 1_000_000
