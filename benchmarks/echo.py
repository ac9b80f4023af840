"""The yardsticks: the same bytes to the same number of processes, there and back, and nothing else.

This end drains every message that is ready before it polls again, reads single frames, and sends the next
request to the process that answered. The far end is this module run as a program: it answers every message.
"""

import os
import select
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import zmq

from benchmarks.meter import Cost, Meter

ROOT = Path(__file__).resolve().parents[1]
_CHUNK = 65_536


class SocketEcho:
    """A ROUTER here, DEALERs there."""

    def __init__(self, folder: str, processes: int, request: bytes, answer: bytes) -> None:
        self._request = request
        self._context = zmq.Context()
        self._router = self._context.socket(zmq.ROUTER)
        self._router.setsockopt(zmq.LINGER, 0)
        address = f"ipc://{folder}/echo"
        self._router.bind(address)
        self._far = [_start("socket", len(answer), address) for _ in range(processes)]
        self._routes = [self._hello() for _ in self._far]

    def _hello(self) -> bytes:
        route = self._router.recv()
        self._router.recv()
        return route

    def measure(self, in_flight: int, count: int) -> Cost:
        """Make this many round trips, so many at once."""
        self._turn(in_flight, in_flight)
        meter = Meter()
        self._turn(in_flight, count)
        return meter.read(count)

    def _turn(self, in_flight: int, count: int) -> None:
        router, request, more, nowait = self._router, self._request, zmq.SNDMORE, zmq.NOBLOCK
        send, receive = router.send, router.recv
        poller = zmq.Poller()
        poller.register(router, zmq.POLLIN)
        for number in range(in_flight):
            send(self._routes[number % len(self._routes)], more)
            send(request)
        left, sent = count, in_flight
        while left:
            poller.poll()
            with suppress(zmq.Again):
                while left:
                    route = receive(nowait)
                    receive(nowait)
                    left -= 1
                    if sent < count:
                        sent += 1
                        send(route, more)
                        send(request)

    def close(self) -> None:
        """Ask the processes to end, and wait until they have."""
        for route in self._routes:
            self._router.send(route, zmq.SNDMORE)
            self._router.send(b"")
        for process in self._far:
            process.communicate()
        self._context.destroy(linger=0)


class PipeEcho:
    """A pair of pipes to every process; a line is a message.

    Every request is a write of its own, or with `gathered` all requests to one process that are due in a turn
    of the loop are one.
    """

    def __init__(self, processes: int, request: bytes, answer: bytes) -> None:
        self._request = request + b"\n"
        self._far = [_start("pipe", len(answer)) for _ in range(processes)]
        self._epoll = select.epoll()
        self._to: dict[int, int] = {}
        for process in self._far:
            assert process.stdin
            assert process.stdout
            self._to[process.stdout.fileno()] = process.stdin.fileno()
            self._epoll.register(process.stdout.fileno(), select.EPOLLIN)
            os.read(process.stdout.fileno(), 1)

    def measure(self, in_flight: int, count: int, *, gathered: bool = False) -> Cost:
        """Make this many round trips, so many at once."""
        turn = self._turn_gathered if gathered else self._turn
        turn(in_flight, in_flight)
        meter = Meter()
        turn(in_flight, count)
        return meter.read(count)

    def _ask_all(self, in_flight: int) -> None:
        ways = list(self._to.values())
        for number in range(in_flight):
            os.write(ways[number % len(ways)], self._request)

    def _turn(self, in_flight: int, count: int) -> None:
        request, read, write, poll = self._request, os.read, os.write, self._epoll.poll
        self._ask_all(in_flight)
        left, sent = count, in_flight
        while left > 0:
            for source, _ in poll():
                way = self._to[source]
                # Answers are short enough to arrive whole.
                for _ in range(read(source, _CHUNK).count(b"\n")):
                    left -= 1
                    if sent < count:
                        sent += 1
                        write(way, request)

    def _turn_gathered(self, in_flight: int, count: int) -> None:
        self._ask_all(in_flight)
        left, sent = count, in_flight
        while left > 0:
            for source, _ in self._epoll.poll():
                answers = os.read(source, _CHUNK).count(b"\n")
                left -= answers
                due = min(answers, count - sent)
                sent += due
                if due:
                    os.write(self._to[source], self._request * due)

    def close(self) -> None:
        """Close the pipes, at which the processes end, and wait until they have."""
        self._epoll.close()
        for process in self._far:
            process.communicate()


@contextmanager
def socket_echo(processes: int, request: int, answer: int) -> Iterator[SocketEcho]:
    """Give a ZeroMQ echo of messages of these lengths."""
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        echo = SocketEcho(folder, processes, b"x" * request, b"x" * answer)
        try:
            yield echo
        finally:
            echo.close()


@contextmanager
def pipe_echo(processes: int, request: int, answer: int) -> Iterator[PipeEcho]:
    """Give a pipe echo of messages of these lengths, without the line feed."""
    echo = PipeEcho(processes, b"x" * request, b"x" * answer)
    try:
        yield echo
    finally:
        echo.close()


def _start(*arguments: object) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-m", "benchmarks.echo", *map(str, arguments)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        bufsize=0,
    )


def _answer_socket(answer: bytes, address: str) -> None:
    context = zmq.Context()
    dealer = context.socket(zmq.DEALER)
    dealer.setsockopt(zmq.LINGER, 0)
    # If this end is left alone it does not stay for ever.
    dealer.setsockopt(zmq.RCVTIMEO, 60_000)
    dealer.connect(address)
    send, receive = dealer.send, dealer.recv
    send(answer)
    with suppress(zmq.Again):
        while receive():
            send(answer)
    context.destroy(linger=0)


def _answer_pipe(answer: bytes) -> None:
    answer += b"\n"
    os.write(1, b"\n")
    read = sys.stdin.buffer.readline
    while read():
        os.write(1, answer)


if __name__ == "__main__":
    if sys.argv[1] == "socket":
        _answer_socket(b"x" * int(sys.argv[2]), sys.argv[3])
    else:
        _answer_pipe(b"x" * int(sys.argv[2]))
