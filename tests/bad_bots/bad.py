"""Bots that do one thing wrong each. Run as `bad.py NAME`; on stdin/stdout or ZeroMQ, without the kit.

The table `kinds.py` of the hostile bots says what the referee must make of each, and the other programs there
speak as these do. All of them are capped: where nothing holds them they end by themselves.
"""

import contextlib
import json
import os
import resource
import signal
import sys
import time
from collections.abc import Callable
from typing import Any

ADDRESS = os.environ.get("REFEREE_ADDRESS")
HELLO = {"type": "hello", "protocol": [1], "name": "bad"}
if os.environ.get("REFEREE_TOKEN"):
    HELLO["token"] = os.environ["REFEREE_TOKEN"]

MOST_S = 120
"""How long each of these lives at most."""

_CAPS = {
    resource.RLIMIT_AS: 2 << 30,
    resource.RLIMIT_CPU: 60,
    resource.RLIMIT_FSIZE: 64 << 20,
    resource.RLIMIT_NOFILE: 1_024,
    resource.RLIMIT_CORE: 0,
}


def cap() -> None:
    """Bound what this process may do to the host, also where the referee does not."""
    for what, most in _CAPS.items():
        soft, hard = resource.getrlimit(what)
        if hard == resource.RLIM_INFINITY or hard > most:
            # The soft limit stays below: what it says when it is met is the referee's business.
            soft = most if soft == resource.RLIM_INFINITY else min(soft, most)
            resource.setrlimit(what, (soft, most))
    signal.alarm(MOST_S)


def dial() -> Any:
    """Return a socket that is connected to the referee's."""
    import zmq

    socket: zmq.Socket[bytes] = zmq.Context.instance().socket(zmq.DEALER)
    socket.setsockopt(zmq.LINGER, 0)
    socket.connect(ADDRESS or "")
    return socket


_socket = dial() if ADDRESS else None


def say(message: dict[str, Any]) -> None:
    """Send a message."""
    raw(json.dumps(message).encode())


def raw(data: bytes) -> None:
    """Send a line, or a frame, as it is."""
    if _socket is not None:
        _socket.send(data)
        return
    sys.stdout.buffer.write(data + b"\n")
    sys.stdout.buffer.flush()


def frames(*parts: bytes) -> None:
    """Send one message of several frames."""
    assert _socket is not None
    _socket.send_multipart(parts)


def until_sent() -> None:
    """Wait until all that was said is on its way: what ZeroMQ still holds would be lost with the process."""
    if _socket is not None:
        say({"type": "ping", "n": 1_000_000})
        while heard() != {"type": "pong", "n": 1_000_000}:
            pass


def heard(within_ms: int | None = None) -> dict[str, Any]:
    """Return the next message of the referee; end at the end of the input."""
    if _socket is not None:
        line = _socket.recv() if _socket.poll(within_ms) else b""
    else:
        line = sys.stdin.buffer.readline()
    if not line:
        sys.exit(0)
    message: dict[str, Any] = json.loads(line)
    if message["type"] == "bye":
        sys.exit(0)
    return message


def tell(attack: str, got: str) -> None:
    """Report on the log how far an attack came; nothing means nowhere."""
    sys.stderr.write(json.dumps({"attack": attack, "got": got}) + "\n")
    sys.stderr.flush()


def play(choose: Callable[[dict[str, Any]], str | None], note: Callable[[dict[str, Any]], None]) -> None:
    """Play: `choose` answers asks, or has seen to it itself; `note` hears all other messages."""
    say(HELLO)
    while True:
        message = heard()
        if message["type"] == "start":
            say({"type": "ready", "match": message["match"]})
        if message["type"] == "ask":
            action = choose(message)
            if action is not None:
                act(message, action)
        else:
            note(message)


def until_ask(number: int = 3) -> dict[str, Any]:
    """Play honestly up to an ask, and return it."""
    say(HELLO)
    while True:
        message = heard()
        if message["type"] == "start":
            say({"type": "ready", "match": message["match"]})
        elif message["type"] == "ask":
            if message["id"] == number:
                return message
            act(message, message["legal"][0])


def act(ask: dict[str, Any], action: str) -> None:
    """Answer an ask."""
    say({"type": "act", "match": ask["match"], "id": ask["id"], "action": action})


def wait() -> None:
    """Read what comes, and answer nothing, until the end of the input."""
    while True:
        heard()


def silent() -> None:
    """Never says hello."""
    wait()


def other_version() -> None:
    """Speaks another protocol version."""
    say(HELLO | {"protocol": [2, 3]})
    wait()


def never_ready() -> None:
    """Says hello, and nothing more."""
    say(HELLO)
    wait()


def exits_at_once() -> None:
    """Ends before its hello."""
    sys.stderr.write("cannot find my model\n")
    sys.exit(3)


def exits() -> None:
    """Ends in mid-match."""
    until_ask()
    sys.stderr.write("out of ideas\n")
    sys.exit(7)


def segfaults() -> None:
    """Is ended by a signal in mid-match."""
    until_ask()
    os.kill(os.getpid(), signal.SIGSEGV)


def thinks_for_ever() -> None:
    """Never answers one ask."""
    until_ask()
    wait()


def spins() -> None:
    """Burns processor time in mid-match."""
    until_ask()
    while True:
        pass


def illegal() -> None:
    """Plays a card that no seat has."""
    act(until_ask(), "play Z99 1")
    wait()


def malformed_json() -> None:
    """Sends half a message."""
    until_ask()
    raw(b'{"type":"act","match":')
    wait()


def wrong_type() -> None:
    """Sends an id that is a text."""
    ask = until_ask()
    say({"type": "act", "match": ask["match"], "id": "3", "action": "draw"})
    wait()


def too_large() -> None:
    """Sends a line without end."""
    until_ask()
    raw(b"x" * 100_000)
    wait()


def flood() -> None:
    """Sends stale answers without end."""
    ask = until_ask()
    for _ in range(500):
        act(ask | {"id": 1}, "draw")
    wait()


def hellos() -> None:
    """Says hello without end, and so has its ask sent again and again."""
    until_ask()
    while True:
        say(HELLO)
        while heard()["type"] != "ask":
            pass


def newlines() -> None:
    """Sends blank lines without end."""
    until_ask()
    while True:
        raw(b"\n" * 1_000)


def real_time_signal() -> None:
    """Is ended by a signal that has no name."""
    until_ask()
    os.kill(os.getpid(), signal.SIGRTMIN + 6)


def says_a_long_bye() -> None:
    """Leaves with as many words as it may."""
    until_ask()
    say({"type": "bye", "why": "x" * 1_000})
    wait()


def says_bye() -> None:
    """Leaves politely in mid-match."""
    until_ask()
    say({"type": "bye", "why": "dinner"})
    wait()


def closes_stdout() -> None:
    """Closes its stdout and lives on."""
    until_ask()
    os.close(1)
    wait()


def eats_memory() -> None:
    """Uses more memory than it may (the test allows 64 MiB; this stops by itself at 256)."""
    until_ask()
    hoard = [bytearray(os.urandom(1 << 20)) for _ in range(256)]
    wait()
    del hoard


def forks() -> None:
    """Starts more processes than it may (the test allows 8; this stops by itself at 20)."""
    until_ask()
    for _ in range(20):
        if os.fork() == 0:
            time.sleep(60)
            os._exit(0)
    wait()


def writes_a_lot() -> None:
    """Writes a file larger than it may (the test allows 1 MiB), in the folder that is its own."""
    until_ask()
    assert os.listdir(os.environ["TMPDIR"]) == []
    with open(os.path.join(os.environ["TMPDIR"], "big"), "wb") as file:
        file.write(bytes(2 << 20))
    wait()


def opens_a_lot() -> None:
    """Opens more files than it may (the test allows 16)."""
    until_ask()
    hoard = [open(os.devnull) for _ in range(20)]  # noqa: SIM115 - to be kept open is the point
    wait()
    del hoard


def stale_then_good() -> None:
    """Answers an old ask again before the right one, every time: odd, but no fault."""
    codes: list[str] = []

    def choose(ask: dict[str, Any]) -> str:
        act(ask | {"id": ask["id"] - 1}, ask["legal"][-1])
        return str(ask["legal"][0])

    def note(message: dict[str, Any]) -> None:
        if message["type"] == "error":
            codes.append(message["code"])
        elif message["type"] == "end":
            tell("old answers", "" if set(codes) == {"stale"} else f"other answers than stale: {set(codes)}")

    play(choose, note)


def chatters() -> None:
    """Writes a lot to its stderr, and plays on."""

    def choose(ask: dict[str, Any]) -> str:
        sys.stderr.write("thinking hard " * 1_000 + "\n")
        return str(ask["legal"][0])

    play(choose, lambda _: None)


def ignores_sigterm() -> None:
    """Ignores SIGTERM and the end of its input."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    with contextlib.suppress(SystemExit):
        play(lambda ask: str(ask["legal"][0]), lambda _: None)
    while True:
        time.sleep(60)


def leaves_a_daemon() -> None:
    """Starts a process that leaves its session, then plays honestly."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            os.execvp("sleep", ["sleep", "987"])
        os._exit(0)
    until_ask(1_000_000)


BOTS: dict[str, Callable[[], None]] = {
    bot.__name__: bot
    for bot in (
        silent,
        other_version,
        never_ready,
        exits_at_once,
        exits,
        segfaults,
        thinks_for_ever,
        spins,
        illegal,
        malformed_json,
        wrong_type,
        too_large,
        flood,
        hellos,
        newlines,
        real_time_signal,
        says_a_long_bye,
        says_bye,
        closes_stdout,
        eats_memory,
        forks,
        writes_a_lot,
        opens_a_lot,
        stale_then_good,
        chatters,
        ignores_sigterm,
        leaves_a_daemon,
    )
}

if __name__ == "__main__":
    cap()
    BOTS[sys.argv[1]]()
