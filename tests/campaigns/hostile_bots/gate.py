"""Strangers that attack the public gate. Run as `gate.py NAME ADDRESS`; stderr has what each reached.

One that finds a key in its environment, as every bot does, comes with it.
"""

import contextlib
import json
import os
import secrets
import socket
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Protocol

import zmq
from zmq.utils.monitor import recv_monitor_message

from protocol.keys import read_pair, secure
from tests.bad_bots import bad
from tests.campaigns.hostile_bots.zmtp import GREETING, READY, connected

FIRST_AUTOMATIC_ID = 0x6B8B4567
"""The number from which an unseeded libzmq counts its peers."""

SQUATTERS, HELLOS, NOISES, LORISES, COMINGS, CRIES = 40, 20, 60, 500, 150, 2_000
KEY, SERVER_KEY = os.environ.get("REFEREE_KEY"), os.environ.get("REFEREE_SERVER_KEY", "")
TURNS, TURN_MS = 3, 5_000
"""How often a squatter comes again, and how long it waits for an answer each time."""
PATIENCE_S = 30
"""How long a slow-loris waits to be thrown out."""


class Say(Protocol):
    """Says something to the gate, and returns the answer, {} if there is none in time."""

    def __call__(self, message: dict[str, Any], within_ms: int = 20_000) -> dict[str, Any]: ...


def stranger(identity: bytes = b"") -> "zmq.Socket[bytes]":
    """Return a socket that is not connected yet."""
    end: zmq.Socket[bytes] = zmq.Context.instance().socket(zmq.DEALER)
    end.setsockopt(zmq.LINGER, 0)
    if identity:
        end.setsockopt(zmq.IDENTITY, identity)
    if KEY:
        secure(end, read_pair(Path(KEY)), SERVER_KEY)
    return end


@contextlib.contextmanager
def dealer(address: str, identity: bytes = b"") -> Iterator[Say]:
    """Connect to a gate."""
    end = stranger(identity)
    end.connect(address)

    def say(message: dict[str, Any], within_ms: int = 20_000) -> dict[str, Any]:
        end.send(json.dumps(message).encode())
        answer: dict[str, Any] = json.loads(end.recv()) if end.poll(within_ms) else {}
        return answer

    try:
        yield say
    finally:
        end.close()


IDS = [b"\x00" + (FIRST_AUTOMATIC_ID + n).to_bytes(4, "big") for n in range(SQUATTERS)]
ANSWER = {"type": "act", "match": "m", "id": 1, "action": "draw"}


def squats(address: str) -> None:
    """Announce the routing ids that ZeroMQ would give out next."""
    with contextlib.ExitStack() as stack:
        squatters = [stack.enter_context(dealer(address, one)) for one in IDS]
        heard = {say(ANSWER).get("code", "nothing") for say in squatters}
    bad.tell("squatted ids", "" if heard == {"no-session"} else f"heard {heard}")


def squats_in_turn(address: str) -> None:
    """Announce them one after the other, where few connections may be had at once."""
    heard = {_heard_in_turn(address, one) for one in IDS}
    bad.tell("squatted ids", "" if heard == {"no-session"} else f"heard {heard}")


def _heard_in_turn(address: str, routing_id: bytes) -> str:
    """Announce one; again if it is kept out, because the gate has not yet seen the last one leave."""
    for _ in range(TURNS):
        with dealer(address, routing_id) as say:
            if code := say(ANSWER, TURN_MS).get("code"):
                return str(code)
    return "nothing"


def clamours(address: str) -> None:
    """Send very many messages and never a hello, and report whether the key is suspended."""
    end = stranger()
    # What it is kept out with waits here: it would have to wait itself, and hear of nothing.
    end.setsockopt(zmq.SNDHWM, CRIES)
    events = end.get_monitor_socket()
    end.connect(address)
    for _ in range(CRIES):
        end.send(b'{"type":"ping"}')
    minded = False
    until = time.monotonic() + PATIENCE_S
    while not minded and events.poll(max(0, round(1_000 * (until - time.monotonic())))):
        minded = recv_monitor_message(events)["event"] == zmq.Event.HANDSHAKE_FAILED_AUTH
    end.disable_monitor()
    end.close()
    bad.tell("a flood at the gate", "" if minded else "is borne")


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
    """Return whether the other side closes a connection in time."""
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
            welcome = say(
                bad.HELLO | {"name": "restless", "session": session}, 3_000 if KEY and session else 20_000
            )
            if KEY and not welcome:
                # It is kept out for a while.
                break
            lost += session is not None and welcome.get("session") != session
            session = welcome.get("session")
    with dealer(address) as say:
        if not KEY:
            say(bad.HELLO | {"session": session})
            say({"type": "bye"})
    bad.tell("coming in", "" if session else "never did")
    bad.tell("more than one bot", f"{lost} new sessions" if lost else "")


STRANGERS: dict[str, Callable[[str], None]] = {
    attack.__name__: attack
    for attack in (squats, squats_in_turn, clamours, other_account, garbage, slow_loris, storm)
}

if __name__ == "__main__":
    bad.cap()
    STRANGERS[sys.argv[1]](sys.argv[2])
