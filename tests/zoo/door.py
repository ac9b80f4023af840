"""Strangers who attack the public door. Run as `door.py NAME ADDRESS`; what each got is told on stderr."""

import contextlib
import json
import os
import secrets
import socket
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any, Protocol

import zmq

from tests.bad_bots import bad
from tests.zoo.zmtp import GREETING, READY, connected

FIRST_AUTOMATIC_ID = 0x6B8B4567
"""The number from which an unseeded libzmq counts its peers."""

SQUATTERS, HELLOS, NOISES, LORISES, COMINGS = 40, 20, 60, 500, 150
PATIENCE_S = 30
"""How long a slow-loris waits to be thrown out."""


class Say(Protocol):
    """Says something to the door, and returns the answer, {} if there is none in time."""

    def __call__(self, message: dict[str, Any], within_ms: int = 20_000) -> dict[str, Any]: ...


@contextlib.contextmanager
def dealer(address: str, identity: bytes = b"") -> Iterator[Say]:
    """Connect to a door, or to a gate."""
    end: zmq.Socket[bytes] = zmq.Context.instance().socket(zmq.DEALER)
    end.setsockopt(zmq.LINGER, 0)
    if identity:
        end.setsockopt(zmq.IDENTITY, identity)
    end.connect(address)

    def say(message: dict[str, Any], within_ms: int = 20_000) -> dict[str, Any]:
        end.send(json.dumps(message).encode())
        answer: dict[str, Any] = json.loads(end.recv()) if end.poll(within_ms) else {}
        return answer

    try:
        yield say
    finally:
        end.close()


def squats(address: str) -> None:
    """Announce the routing ids that ZeroMQ would give out next."""
    with contextlib.ExitStack() as stack:
        ids = [b"\x00" + (FIRST_AUTOMATIC_ID + n).to_bytes(4, "big") for n in range(SQUATTERS)]
        squatters = [stack.enter_context(dealer(address, one)) for one in ids]
        answer = {"type": "act", "match": "m", "id": 1, "action": "draw"}
        heard = {say(answer).get("code", "nothing") for say in squatters}
    bad.tell("squatted ids", "" if heard == {"no-session"} else f"heard {heard}")


def other_account(address: str) -> None:
    """Come under the name of another, and with sessions it might have."""
    resumed = 0
    for n in range(HELLOS):
        session = str(n) if n % 2 else secrets.token_hex(16)
        with dealer(address) as say:
            welcome = say(bad.HELLO | {"name": "first", "session": session})
            resumed += bool(welcome.get("resumed"))
            say({"type": "bye"})
    bad.tell("another's session", f"{resumed} sessions" if resumed else "")


def garbage(address: str) -> None:
    """Send what is no message of this decade, or no message at all."""
    old = b"\x01\x00" + b"".join(bytes([len(word) + 1, 0]) + word for word in (b"hello", b"{}") * 9)
    web = b"GET / HTTP/1.1\r\nHost: ladder\r\n\r\n" * 9
    kinds = (old, web, GREETING + READY + b"\x00\x02{]", os.urandom(4_096), bytes(4_096), b"\xff" * 4_096)
    for n in range(NOISES):
        with connected(address) as end, contextlib.suppress(OSError):
            end.sendall(kinds[n % len(kinds)])
    bad.tell("noise", "")


def slow_loris(address: str) -> None:
    """Begin very many handshakes, end none, and wait to be thrown out."""
    with contextlib.ExitStack() as stack:
        waiting = [stack.enter_context(connected(address)) for _ in range(LORISES)]
        for n, end in enumerate(waiting):
            end.sendall(GREETING[: n % 64])
        until = time.monotonic() + PATIENCE_S
        kept = sum(not thrown_out(end, until) for end in waiting)
    bad.tell("open handshakes", f"{kept} are kept after {PATIENCE_S} s" if kept else "")


def thrown_out(end: socket.socket, until: float) -> bool:
    """Say whether the other side closes a connection in time."""
    try:
        end.settimeout(max(0.01, until - time.monotonic()))
        while end.recv(1_000):
            end.settimeout(max(0.01, until - time.monotonic()))
    except TimeoutError:
        return False
    except ConnectionError:
        pass
    return True


def storm(address: str) -> None:
    """Come, say hello and go without a word, again and again, always as the same bot."""
    session = None
    lost = 0
    for _ in range(COMINGS):
        with dealer(address) as say:
            welcome = say(bad.HELLO | {"name": "restless", "session": session})
            lost += session is not None and welcome.get("session") != session
            session = welcome.get("session")
    with dealer(address) as say:
        say(bad.HELLO | {"session": session})
        say({"type": "bye"})
    bad.tell("more than one bot", f"{lost} new sessions" if lost else "")


STRANGERS: dict[str, Callable[[str], None]] = {
    stranger.__name__: stranger for stranger in (squats, other_account, garbage, slow_loris, storm)
}

if __name__ == "__main__":
    bad.cap()
    STRANGERS[sys.argv[1]](sys.argv[2])
