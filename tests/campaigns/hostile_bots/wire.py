"""Bots that attack the referee over the wire, beyond those of `tests/bad_bots/bad.py`.

Run as `wire.py NAME [WORD]`.
"""

import contextlib
import json
import os
import sys
import time
from collections.abc import Callable
from typing import Any

from tests.bad_bots import bad
from tests.campaigns.hostile_bots.zmtp import RawDealer

MOST_PARTS = 24 << 20
"""Frames of a message without end, after which it ends."""

WORD = sys.argv[2] if len(sys.argv) > 2 else ""


def honest() -> None:
    """Does nothing wrong."""
    bad.play(lambda ask: str(ask["legal"][0]), lambda _: None)


def exits_with_zero() -> None:
    """Ends before its hello, and says all is well."""
    sys.exit(0)


def exits_while_answered() -> None:
    """Ends in mid-match while the referee is busy answering it."""
    ask = bad.until_ask()
    for _ in range(40):
        bad.act(ask | {"id": 1}, "draw")
    bad.until_sent()
    os._exit(7)


# Time.


def patience_s(ask: dict[str, Any]) -> float:
    """Return all the time there is for an ask."""
    return float(sum(ask["clock"].values())) / 1_000


def sleeps() -> None:
    """Answers every ask well after its time."""

    def choose(ask: dict[str, Any]) -> str:
        time.sleep(patience_s(ask) + 0.5)
        return str(ask["legal"][0])

    bad.play(choose, lambda _: None)


def a_millisecond_late() -> None:
    """Answers one ask a millisecond after its time."""
    ask = bad.until_ask()
    time.sleep(patience_s(ask) + 0.001)
    bad.act(ask, ask["legal"][0])
    bad.wait()


def drips() -> None:
    """Sends its answer a byte a second."""
    if not bad.ADDRESS:
        ask = bad.until_ask()
        trickle(answer(ask, ask["legal"][0]) + b"\n", lambda byte: bool(os.write(1, byte)))
        return
    dealer = RawDealer(bad.ADDRESS)
    dealer.say(bad.HELLO)
    while (ask := dealer.heard())["type"] != "ask":
        if ask["type"] == "start":
            dealer.say({"type": "ready", "match": ask["match"]})
    trickle(dealer.frame(answer(ask, ask["legal"][0])), dealer.end.sendall)


def trickle(data: bytes, send: Callable[[bytes], object]) -> None:
    """Send bytes a second apart, as long as they are read."""
    for n in range(len(data)):
        send(data[n : n + 1])
        time.sleep(1)


def never_reads() -> None:
    """Asks for as many messages as it may, and reads none of them."""
    bad.until_ask()
    for n in range(60):
        bad.say({"type": "ping", "n": n})
    time.sleep(60)


# Messages.


def answer(ask: dict[str, Any], action: str) -> bytes:
    """Return the bytes of an answer."""
    return json.dumps({"type": "act", "match": ask["match"], "id": ask["id"], "action": action}).encode()


def of_another_seat() -> None:
    """Plays a card that is not in its hand but may be in another."""
    ask = bad.until_ask()
    cards = (f"{colour}{value}" for colour in "RGBP" for value in range(1, 13))
    foreign = (action for card in cards if (action := f"play {card} 1") not in ask["legal"])
    bad.act(ask, next(foreign))
    bad.wait()


def one_bad_message() -> None:
    """Sends the message that is named, in place of an answer."""
    bad.raw(MESSAGES[WORD](bad.until_ask()))
    bad.wait()


def packed(head: bytes) -> Callable[[dict[str, Any]], bytes]:
    """Return an answer in msgpack whose action begins as given."""

    def message(ask: dict[str, Any]) -> bytes:
        match = str(ask["match"]).encode()
        fields = b"\xa4type\xa3act\xa5match" + bytes([0xD9, len(match)]) + match + b"\xa2id\x03\xa6action"
        return b"\x84" + fields + head

    return message


def spelled(pattern: bytes) -> Callable[[dict[str, Any]], bytes]:
    """Return an answer in JSON whose id and action are spelled as given."""
    return lambda ask: b'{"type":"act","match":"%s",%s}' % (ask["match"].encode(), pattern)


MESSAGES: dict[str, Callable[[dict[str, Any]], bytes]] = {
    "huge-action": lambda ask: answer(ask, "x" * 65_536),
    "random-bytes": lambda _: b"\xc1" + os.urandom(500).replace(b"\n", b"."),
    "deep": spelled(b'"id":3,"action":"draw","x":' + b"[" * 30_000 + b"]" * 30_000),
    "map-bomb": lambda ask: answer(ask, "draw")[:-1] + b',"x":[' + b'{"a":{}},' * 6_000 + b"0]}",
    "nan": spelled(b'"id":NaN,"action":"draw"'),
    "bool": spelled(b'"id":true,"action":"draw"'),
    "huge-number": spelled(b'"id":18446744073709551615,"action":"draw"'),
    "twice": spelled(b'"id":3,"action":"draw","action":"draw"'),
    "not-utf8": spelled(b'"id":3,"action":"dr\xffw"'),
    "escape": spelled(b'"id":3,"action":"\\u001b[2Jdraw\\nillegal"'),
    "empty": lambda _: b"",
    "claims-text": packed(b"\xdb\xff\xff\xff\xffdraw"),
    "claims-list": packed(b"\xdd\xff\xff\xff\xff"),
    "claims-map": packed(b"\xdf\xff\xff\xff\xff"),
    "claims-bytes": packed(b"\xc6\xff\xff\xff\xffdraw"),
    "ext": packed(b"\xc7\x04\x01draw"),
    "oversize-by-far": lambda _: b"x" * (1 << 20),
}


def two_parts() -> None:
    """Sends its answer in two frames."""
    ask = bad.until_ask()
    bad.frames(answer(ask, ask["legal"][0]), b"{}")
    bad.wait()


def endless_parts() -> None:
    """Sends one message of frames without end."""
    dealer = RawDealer(bad.ADDRESS or "")
    dealer.say(bad.HELLO)
    while (ask := dealer.heard())["type"] != "ask":
        if ask["type"] == "start":
            dealer.say({"type": "ready", "match": ask["match"]})
    many = dealer.frame(b"", more=True) * 32_768
    # That its gate has ended is no reason for it to end: which of the two is heard of first is chance.
    with contextlib.suppress(OSError):
        for _ in range(MOST_PARTS // 32_768):
            dealer.end.sendall(many)
    time.sleep(60)


# Answers that are none: odd, but harmless.


def told_off(attack: str, expected: set[str], choose: Callable[[dict[str, Any]], str | None]) -> None:
    """Play, and report whether the error codes are the expected ones."""
    codes: set[str] = set()

    def note(message: dict[str, Any]) -> None:
        if message["type"] == "error":
            codes.add(message["code"])
        elif message["type"] == "end":
            right = codes and codes <= expected
            bad.tell(attack, "" if right else f"was told {sorted(codes)}, not {sorted(expected)}")

    bad.play(choose, note)


def replies_twice() -> None:
    """Sends every answer twice: the second one is too late to be one."""

    def choose(ask: dict[str, Any]) -> None:
        bad.act(ask, ask["legal"][0])
        bad.act(ask, ask["legal"][-1])

    # The answer that ends the match is followed by one to no match.
    told_off("second answers", {"stale", "unknown-match"}, choose)


def other_match() -> None:
    """Answers for matches of others, whose ids it guesses."""

    def choose(ask: dict[str, Any]) -> str:
        for n in range(4):
            bad.act(ask | {"match": f"honest-{n}"}, ask["legal"][0])
        return str(ask["legal"][0])

    told_off("answers for others", {"unknown-match"}, choose)


def blank_lines() -> None:
    """Sends blank lines before every answer."""

    def choose(ask: dict[str, Any]) -> str:
        bad.raw(b"\n\r\n")
        return str(ask["legal"][0])

    def note(message: dict[str, Any]) -> None:
        if message["type"] == "end":
            bad.tell("blank lines", "")

    bad.play(choose, note)


# Others' places, at the gates of this host.


def squats() -> None:
    """Announces, at its own gate, the routing ids that ZeroMQ would give out next."""
    from tests.campaigns.hostile_bots import gate

    gate.squats(bad.ADDRESS or "")
    honest()


def other_seat() -> None:
    """Says hello at the gates of other seats, with its own token."""
    from tests.campaigns.hostile_bots.gate import dealer

    own = (bad.ADDRESS or "").removeprefix("ipc://")
    folder = os.path.dirname(own)
    gates = [path for name in os.listdir(folder) if (path := f"{folder}/{name}") != own and "." not in name]
    got = []
    for gate in gates[:16]:
        with dealer(f"ipc://{gate}") as say:
            said = say(bad.HELLO, 2_000).get("type", "refuse")
            got += [] if said == "refuse" else [f"{gate} said {said}"]
    bad.tell("others' gates", ", ".join(got))
    honest()


BOTS: dict[str, Callable[[], None]] = {
    bot.__name__: bot
    for bot in (
        *(honest, exits_with_zero, exits_while_answered, sleeps, a_millisecond_late, drips, never_reads),
        *(of_another_seat, one_bad_message, two_parts, endless_parts),
        *(replies_twice, other_match, blank_lines, squats, other_seat),
    )
}

if __name__ == "__main__":
    bad.cap()
    BOTS[sys.argv[1]]()
