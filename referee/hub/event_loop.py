"""The hub's loop: descriptors, moments and output to be flushed. Plain epoll, no framework.

Not asyncio: `zmq.asyncio` takes several times the processor time of a plain poller for each round trip.
"""

import gc
import heapq
import itertools
import os
import resource
import select
import time
from collections import deque
from collections.abc import Callable, Hashable
from typing import Protocol

Callback = Callable[[], None]
_Moments = list[tuple[int, int, Callback]]

_LOOK_NS = 50_000_000
"""The longest time between two looks at what has come, if nothing prevents it."""

_STALL_NS = 2 * _LOOK_NS
"""After this long without a look the loop was kept from it: stopped, starved, or busy."""


class Flushable(Protocol, Hashable):
    """An object with output that is written once, at the end of a turn."""

    def flush(self) -> object:
        """Write what is waiting."""


def collect_rarely() -> None:
    """Let the garbage collector run less often, and not over objects that exist already.

    A hub makes and drops thousands of views a second, none of them in cycles; to search for cycles as often
    as Python does by default costs a fifth of its time.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)


def allow_many_files() -> None:
    """Let this process have as many descriptors as it may: every bot takes four."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


class EventLoop:
    """Waits for descriptors and moments, and calls their callbacks.

    When the loop finds that it was kept from looking, it calls `stalled` with that time before it reads what
    came meanwhile. Its own moments are put off by that time: no bot is late while the loop does not look.
    """

    def __init__(self, stalled: Callable[[int], None] = lambda _: None) -> None:
        self.looked_ns = time.monotonic_ns()
        """When it was last looked what has come."""
        self._stalled = stalled
        self._epoll = select.epoll()
        self._readers: dict[int, Callback] = {}
        self._writers: dict[int, Callback] = {}
        self._moments: _Moments = []
        self._sharp: _Moments = []
        self._count = itertools.count()
        self._wake = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self._calls: deque[Callback] = deque()
        self.dirty: dict[Flushable, None] = {}
        """What has output to be flushed at the end of this turn."""
        self._epoll.register(self._wake, select.EPOLLIN)
        self._readers[self._wake] = self._answer_calls

    def watch(self, fd: int, reader: Callback) -> None:
        """Call `reader` whenever the descriptor has something to read, or is closed."""
        known = fd in self._readers or fd in self._writers
        self._readers[fd] = reader
        self._set(fd, known=known)

    def watch_writing(self, fd: int, writer: Callback | None) -> None:
        """Call `writer` when the descriptor can be written to; None: no longer."""
        known = fd in self._readers or fd in self._writers
        if writer is None:
            self._writers.pop(fd, None)
        else:
            self._writers[fd] = writer
        self._set(fd, known=known)

    def forget(self, fd: int) -> None:
        """Stop watching the descriptor; to be called before it is closed."""
        known = fd in self._readers or fd in self._writers
        self._readers.pop(fd, None)
        self._writers.pop(fd, None)
        self._set(fd, known=known)

    def _set(self, fd: int, *, known: bool) -> None:
        mask = (select.EPOLLIN if fd in self._readers else 0) | (
            select.EPOLLOUT if fd in self._writers else 0
        )
        if mask and known:
            self._epoll.modify(fd, mask)
        elif mask:
            self._epoll.register(fd, mask)
        elif known:
            self._epoll.unregister(fd)

    def at(self, moment_ns: int, callback: Callback, *, sharp: bool = False) -> None:
        """Call back at a moment of the monotonic clock; it cannot be taken back.

        It comes a millisecond late or two, unless it is `sharp`: for that the loop does not go to sleep.
        """
        heapq.heappush(self._sharp if sharp else self._moments, (moment_ns, next(self._count), callback))

    def call(self, callback: Callback) -> None:
        """Call back in the loop's own thread; may be called from any thread."""
        self._calls.append(callback)
        os.eventfd_write(self._wake, 1)

    def _answer_calls(self) -> None:
        os.eventfd_read(self._wake)
        while self._calls:
            self._calls.popleft()()

    def turn(self, most_ns: int = 1_000_000_000) -> None:
        """Wait for something to happen, at most this long, and deal with all that has.

        Descriptors come before moments: all that has arrived is taken before a bot is called late. A moment
        that has come since the look waits for the next one.
        """
        # Output that was made between two turns leaves now: a bot cannot answer what still waits here.
        self.flush()
        wait_ns = min(most_ns, _LOOK_NS)
        now_ns = time.monotonic_ns() if self._moments or self._sharp else 0
        if self._moments:
            wait_ns = min(wait_ns, self._moments[0][0] - now_ns)
        # epoll counts in milliseconds. Rounded up: to wake before the moment would be to wake in vain.
        wait_ms = wait_ns / 1e6 + 0.5 if wait_ns > 0 else 0
        if self._sharp:
            wait_ms = min(wait_ms, max(0, self._sharp[0][0] - now_ns) // 1_000_000)
        ready = self._epoll.poll(wait_ms / 1e3)
        before_ns, self.looked_ns = self.looked_ns, time.monotonic_ns()
        if self.looked_ns - before_ns > _STALL_NS:
            self._put_off(self.looked_ns - before_ns - _LOOK_NS)
        for fd, mask in ready:
            if mask & ~select.EPOLLOUT and (reader := self._readers.get(fd)) is not None:
                reader()
            # Also at an error: a full pipe whose reader has gone never becomes writable.
            if mask & ~select.EPOLLIN and (writer := self._writers.get(fd)) is not None:
                writer()
        for moments in (self._sharp, self._moments):
            while moments and moments[0][0] <= self.looked_ns:
                heapq.heappop(moments)[2]()
        self.flush()

    def _put_off(self, stall_ns: int) -> None:
        """Put off all moments by a time in which the loop did not look."""
        for moments in (self._sharp, self._moments):
            # All by the same time, so they stay a heap.
            moments[:] = [(moment_ns + stall_ns, n, callback) for moment_ns, n, callback in moments]
        self._stalled(stall_ns)

    def flush(self) -> None:
        """Write all waiting output."""
        while self.dirty:
            dirty, self.dirty = self.dirty, {}
            for each in dirty:
                each.flush()

    def close(self) -> None:
        """Close the loop's own descriptors."""
        self._epoll.close()
        os.close(self._wake)
