"""The event loop: output is sent before it waits, and time in which it did not run is not charged."""

import os
import time
from collections.abc import Iterator
from contextlib import closing
from statistics import median

import pytest

from referee.hub.event_loop import EventLoop

MS = 1_000_000


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """Stop the clock: it shows what the list says."""
    shown = [1_000 * MS]
    monkeypatch.setattr(time, "monotonic_ns", lambda: shown[0])
    yield shown
    monkeypatch.undo()


class Speaker:
    """Has something to say into a pipe."""

    def __init__(self, pipe: int) -> None:
        self.pipe = pipe

    def flush(self) -> None:
        os.write(self.pipe, b"said")


def test_what_is_said_between_two_turns_does_not_wait_for_the_end_of_the_next() -> None:
    loop = EventLoop()
    reading, writing = os.pipe()
    heard: list[bytes] = []
    loop.watch(reading, lambda: heard.append(os.read(reading, 9)))
    loop.dirty[Speaker(writing)] = None
    loop.turn(1_000_000_000)
    assert heard == [b"said"]
    loop.forget(reading)
    loop.close()
    os.close(reading)
    os.close(writing)


def test_a_loop_that_was_kept_from_looking_says_for_how_long_before_it_reads(clock: list[int]) -> None:
    said: list[object] = []
    with closing(EventLoop(said.append)) as loop:
        reading, writing = os.pipe()
        loop.watch(reading, lambda: said.append(os.read(reading, 9)))
        os.write(writing, b"answer")
        clock[0] += 3_000 * MS
        loop.turn()
        # Fifty milliseconds are what it may wait between two looks by itself.
        assert said == [2_950 * MS, b"answer"]
        clock[0] += 100 * MS
        loop.turn(0)
        assert said == [2_950 * MS, b"answer"]
        loop.forget(reading)
        os.close(reading)
        os.close(writing)


def test_moments_are_put_off_by_a_stall_in_their_order(clock: list[int]) -> None:
    came: list[str] = []
    with closing(EventLoop()) as loop:
        loop.at(clock[0] + 70 * MS, lambda: came.append("second"))
        loop.at(clock[0] + 60 * MS, lambda: came.append("first"))
        clock[0] += 5_000 * MS
        # Fifty milliseconds of these count.
        loop.turn(0)
        assert came == []
        clock[0] += 10 * MS
        loop.turn(0)
        assert came == ["first"]
        clock[0] += 10 * MS
        loop.turn(0)
        assert came == ["first", "second"]


def test_a_moment_that_comes_while_others_are_served_waits_for_the_next_look(clock: list[int]) -> None:
    came: list[str] = []
    with closing(EventLoop()) as loop:
        loop.at(clock[0], lambda: clock.__setitem__(0, clock[0] + 40 * MS))
        loop.at(clock[0] + 30 * MS, lambda: came.append("after a look"))
        loop.turn(0)
        assert came == []
        loop.turn(0)
        assert came == ["after a look"]


def test_a_sharp_moment_comes_in_less_time_than_epoll_can_count() -> None:
    def late_ns(*, sharp: bool) -> int:
        came: list[int] = []
        moment_ns = time.monotonic_ns() + 2 * MS + MS // 4
        loop.at(moment_ns, lambda: came.append(loop.looked_ns), sharp=sharp)
        while not came:
            loop.turn()
        return came[0] - moment_ns

    with closing(EventLoop()) as loop:
        prompt = [late_ns(sharp=True) for _ in range(20)]
        plain = [late_ns(sharp=False) for _ in range(20)]
    # Never too early; and however busy this host is, one of twenty is in time.
    assert min(prompt) >= 0
    assert min(prompt) < MS // 2 <= median(plain)


def test_a_sharp_moment_is_sharp_beside_others(clock: list[int]) -> None:
    came: list[str] = []
    with closing(EventLoop()) as loop:
        loop.at(clock[0] + 2 * MS, lambda: came.append("plain"))
        loop.at(clock[0] + MS, lambda: came.append("sharp"), sharp=True)
        loop.turn(0)
        assert came == []
        clock[0] += MS
        loop.turn(0)
        assert came == ["sharp"]
        loop.at(clock[0] + 60 * MS, lambda: came.append("put off"), sharp=True)
        clock[0] += 5_000 * MS
        loop.turn(0)
        assert came == ["sharp", "plain"]
        clock[0] += 10 * MS
        loop.turn(0)
        assert came == ["sharp", "plain", "put off"]
