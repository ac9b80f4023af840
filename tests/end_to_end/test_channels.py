"""The hub's loop and its channels to gates: nothing waits in vain, and no channel harms the hub."""

import contextlib
import os
import socket
from collections.abc import Iterator

import msgspec
import pytest

from referee.gate import channel, records
from referee.hub.event_loop import EventLoop


@pytest.fixture
def loop() -> Iterator[EventLoop]:
    loop = EventLoop()
    yield loop
    loop.close()


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    ends = os.pipe()
    yield ends
    for end in ends:
        with contextlib.suppress(OSError):
            os.close(end)


def test_what_is_said_between_two_turns_does_not_wait_for_the_next_event(
    loop: EventLoop, pipe: tuple[int, int]
) -> None:
    theirs, ours = pipe
    heard = []

    class Speaker:
        def flush(self) -> None:
            os.write(ours, b"start")

    loop.watch(theirs, lambda: heard.append(os.read(theirs, 100)))
    loop.dirty[Speaker()] = None
    loop.turn()
    assert heard == [b"start"]


def test_a_writer_that_waits_is_called_when_the_reader_closes(loop: EventLoop, pipe: tuple[int, int]) -> None:
    theirs, ours = pipe
    os.set_blocking(ours, False)
    with contextlib.suppress(BlockingIOError):
        while True:
            os.write(ours, bytes(4_096))
    called = []
    loop.watch_writing(ours, lambda: called.append("writer"))
    os.close(theirs)
    loop.turn()
    assert called == ["writer"]


@pytest.mark.parametrize(
    "record",
    [
        ["Misbehaved", 0, "nonsense", "a code that is none"],
        ["Greeted", 0, [1], "x", [], [], 0, None, "", "json"],
        ["Greeted", 0, [1], "x", [], [], 1, None, "", "morse"],
        ["Nonsense", 0],
        ["Answered", 0],
    ],
)
def test_a_gate_that_is_ours_no_more_is_let_go(record: list[object]) -> None:
    ours, theirs = socket.socketpair()
    line: channel.Channel[records.Up] = channel.Channel(ours, records.Up)
    frame = msgspec.msgpack.encode([record])
    with theirs:
        theirs.sendall(len(frame).to_bytes(4, "big") + frame)
        assert line.receive() == []
    assert line.closed
    line.close()
