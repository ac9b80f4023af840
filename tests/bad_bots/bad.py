"""Bots that do one thing wrong each. Run as `bad.py NAME`; on stdin/stdout, without the kit.

`VERDICTS` in test_bad_bots.py says what the referee must make of each.
"""

import json
import os
import signal
import sys
import time
from collections.abc import Callable
from typing import Any

HELLO = {"type": "hello", "protocol": [1], "name": "bad"}


def say(message: dict[str, Any]) -> None:
    """Send a message."""
    raw(json.dumps(message))


def raw(line: str) -> None:
    """Send a line as it is."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def heard() -> dict[str, Any]:
    """Return the next message of the referee; end at the end of the input."""
    line = sys.stdin.readline()
    if not line:
        sys.exit(0)
    message: dict[str, Any] = json.loads(line)
    return message


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
    """Plays a card nobody has."""
    act(until_ask(), "play Z99 1")
    wait()


def malformed_json() -> None:
    """Sends half a message."""
    until_ask()
    raw('{"type":"act","match":')
    wait()


def wrong_type() -> None:
    """Sends an id that is a text."""
    ask = until_ask()
    say({"type": "act", "match": ask["match"], "id": "3", "action": "draw"})
    wait()


def too_large() -> None:
    """Sends a line without end."""
    until_ask()
    raw("x" * 100_000)
    wait()


def flood() -> None:
    """Sends stale answers without end."""
    ask = until_ask()
    for _ in range(500):
        act(ask | {"id": 1}, "draw")
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
    while sys.stdin.readline():
        pass


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
    say(HELLO)
    while True:
        message = heard()
        if message["type"] == "start":
            say({"type": "ready", "match": message["match"]})
        elif message["type"] == "ask":
            act(message | {"id": message["id"] - 1}, "draw")
            act(message, message["legal"][0])


def chatters() -> None:
    """Writes a lot to its stderr, and plays on."""
    say(HELLO)
    while True:
        message = heard()
        if message["type"] == "start":
            say({"type": "ready", "match": message["match"]})
        elif message["type"] == "ask":
            sys.stderr.write("thinking hard " * 1_000 + "\n")
            act(message, message["legal"][0])


def ignores_sigterm() -> None:
    """Does not go when told to."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    say(HELLO)
    while True:
        line = sys.stdin.readline()
        if not line:
            while True:
                time.sleep(60)
        message = json.loads(line)
        if message["type"] == "start":
            say({"type": "ready", "match": message["match"]})
        elif message["type"] == "ask":
            act(message, message["legal"][0])


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
    BOTS[sys.argv[1]]()
