"""The hub's end of a channel: all input becomes records or the end of the channel."""

import socket

import msgspec
import pytest

from referee.gate.channel import UP_BYTES, Channel
from referee.gate.records import Answered, Failed, Left, Misbehaved, Ponged, Record, Up
from referee.match.faults import FaultCode


def received(frame: bytes) -> tuple[list[Up], bool]:
    """Return the records that come of a frame, and whether the line is closed then."""
    ours, theirs = socket.socketpair()
    line: Channel[Up] = Channel(ours, Up)
    with theirs:
        theirs.sendall(len(frame).to_bytes(4, "big") + frame)
        found = line.receive(), line.closed
    line.close()
    return found


def test_a_record_comes_out_as_it_went_in() -> None:
    said: list[Up] = [Ponged(1, 2, 3), Failed("no such address")]
    assert received(msgspec.msgpack.encode(said)) == (said, False)


@pytest.mark.parametrize(
    "frame",
    [
        b"\x91\x92\xa6Failed\xa1\xff",
        b"\x91\x95\xa6Ponged\x01\x02\x03" + b"\x91" * 5_000 + b"\x01",
        b"\x91\x92\xa6Failed",
        b"\xc1",
        b"",
    ],
    ids=["no UTF-8", "nested deeply where nothing nests", "cut short", "no msgpack", "empty"],
)
def test_a_frame_that_is_none_closes_the_line(frame: bytes) -> None:
    assert received(frame) == ([], True)


@pytest.mark.parametrize(
    "record",
    [
        Answered(1, "m", -1, ["draw"], 0, 0),
        Answered(1, "m", 2**60, ["draw"], 0, 0),
        Answered(1, "m", 1, [], 0, 0),
        Answered(1, "m", 1, ["x" * 257], 0, 0),
        Answered(1, "m" * 129, 1, ["draw"], 0, 0),
        Misbehaved(1, FaultCode.FLOOD, "x" * 1_001),
        Left(1, "x" * 1_001, said=True),
        Ponged(1, -1, 0),
    ],
)
def test_a_record_beyond_the_bounds_of_its_message_closes_the_line(record: Record) -> None:
    assert received(msgspec.msgpack.encode([record])) == ([], True)


def test_a_frame_of_absurd_length_closes_the_line() -> None:
    ours, theirs = socket.socketpair()
    line: Channel[Up] = Channel(ours, Up, UP_BYTES)
    with theirs:
        theirs.sendall((UP_BYTES + 1).to_bytes(4, "big"))
        assert line.receive() == []
    assert line.closed
    line.close()
