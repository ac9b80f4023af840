"""ZeroMQ's wire in Python: what is whole is returned, what is wrong is refused, and nothing piles up."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol import zmtp

MOST = 1_000
GREETING = b"\xff" + bytes(8) + b"\x7f\x03\x00" + b"NULL".ljust(20, b"\0") + bytes(32)
READY = b"\x04\x29\x05READY\x0bSocket-Type\x00\x00\x00\x06DEALER\x08Identity\x00\x00\x00\x00"


def frame(data: bytes, *, more: bool = False) -> bytes:
    framed = zmtp.framed(data)
    return bytes([framed[0] | (zmtp.MORE if more else 0)]) + framed[1:]


def command(body: bytes) -> bytes:
    return bytes((zmtp.COMMAND, len(body))) + body


@pytest.fixture
def peer() -> zmtp.Peer:
    """A peer that is ready."""
    ready = zmtp.Peer(MOST)
    assert ready.feed(GREETING + READY) == []
    assert not ready.flaw
    return ready


@given(st.lists(st.binary(max_size=MOST), max_size=6), st.lists(st.integers(1, 40), min_size=1))
def test_messages_arrive_however_the_bytes_are_cut(messages: list[bytes], cuts: list[int]) -> None:
    peer = zmtp.Peer(MOST)
    data = zmtp.opening(b"DEALER") + b"".join(map(zmtp.framed, messages))
    came: list[tuple[bytes, int]] = []
    turn = 0
    while data:
        cut = cuts[turn % len(cuts)]
        came += peer.feed(data[:cut])
        data, turn = data[cut:], turn + 1
    assert came == [(message, 1) for message in messages]
    assert not peer.flaw


@settings(max_examples=300)
@given(st.lists(st.binary(max_size=200), max_size=8), st.booleans())
def test_noise_raises_nothing_and_what_is_kept_is_bounded(noise: list[bytes], greeted: bool) -> None:
    peer = zmtp.Peer(MOST)
    if greeted:
        peer.feed(GREETING + READY)
    for chunk in noise:
        for message, parts in peer.feed(chunk):
            assert len(message) <= MOST
            assert parts >= 1


def test_of_a_message_of_several_frames_the_first_is_returned_with_their_number(peer: zmtp.Peer) -> None:
    data = frame(b"a", more=True) + frame(b"b", more=True) + frame(b"c") + frame(b"d")
    assert peer.feed(data) == [(b"a", 3), (b"d", 1)]


def test_a_message_is_too_large_as_soon_as_its_size_is_announced(peer: zmtp.Peer) -> None:
    assert peer.feed(zmtp.framed(bytes(MOST))) == [(bytes(MOST), 1)]
    assert peer.feed(zmtp.framed(bytes(MOST + 1))[:9]) == []
    assert peer.too_large
    assert str(MOST) in peer.flaw
    assert peer.feed(zmtp.framed(b"more")) == []


@pytest.mark.parametrize("part", [b"", b"x" * 99])
def test_frames_without_end_are_too_large(peer: zmtp.Peer, part: bytes) -> None:
    fed = 0
    while not peer.flaw:
        assert peer.feed(frame(part, more=True)) == []
        fed += 1
    assert peer.too_large
    # Every frame counts one byte more than it has.
    assert MOST // (len(part) + 1) <= fed <= MOST // (len(part) + 1) + 2


def test_a_heartbeat_is_answered_with_its_own_context(peer: zmtp.Peer) -> None:
    assert peer.feed(command(b"\x04PING\x00\x14context") + frame(b"x")) == [(b"x", 1)]
    assert peer.replies == command(b"\x04PONGcontext")


def test_commands_without_end_are_refused(peer: zmtp.Peer) -> None:
    peer.feed(command(b"\x04PING\x00\x14") * 1_000)
    assert "commands" in peer.flaw
    assert len(peer.replies) < 1_000


WRONGS = {
    "http": (b"GET / HTTP/1.1\r\n", "does not speak ZMTP"),
    "ZMTP 1.0": (b"\x01\x00", "does not speak ZMTP"),
    "ZMTP 2.0": (GREETING[:10] + b"\x01\x05", "ZMTP 1"),
    "CURVE": (GREETING.replace(b"NULL\0", b"CURVE"), "mechanism"),
    "not ready": (GREETING + frame(b"{}"), "before it was ready"),
    "unknown flag": (GREETING + READY + b"\x08\x00", "does not know"),
    "command of several frames": (GREETING + READY + b"\x05\x00", "does not know"),
}


@pytest.mark.parametrize(("sent", "flaw"), WRONGS.values(), ids=WRONGS)
def test_what_is_no_zmtp_of_ours_is_refused(sent: bytes, flaw: str) -> None:
    peer = zmtp.Peer(MOST)
    assert peer.feed(sent) == []
    assert flaw in peer.flaw
    assert not peer.too_large
