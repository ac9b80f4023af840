"""The codec: bytes of a bot, and bytes of a referee as a bot reads them."""

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import msgpack  # type: ignore[import-untyped]

import protocol
from protocol import codec
from protocol.codec import Encoding, encode, from_referee
from protocol.errors import ProtocolError
from protocol.text import line
from protocol.untrusted import from_bot
from tests.campaigns.fuzz.engine import Target
from tests.campaigns.fuzz.mutation import altered, mutated

VECTORS = Path(protocol.__path__[0]) / "vectors"
TOKENS = (
    b'"type":"act"',
    b'"match":"m1"',
    b'"id":1',
    b'"action":"draw"',
    b'"actions":["draw"]',
    b"\\ud800",
    b"1e999",
    b"\xa4type",
    b"\xa3act",
    b"\xdd\xff\xff\xff\xff",
    b"\xdf\xff\xff\xff\xff",
    b"\xdb\xff\xff\xff\xff",
    b"\xc9\x00\x00\x00\x01\x05\x00",
    b"\xca\x7f\xc0\x00\x00",
    b"\xcf\xff\xff\xff\xff\xff\xff\xff\xff",
)


@cache
def vectors() -> list[bytes]:
    """Return the golden messages, good and bad, in both encodings."""
    found: list[bytes] = []
    for name in ("messages.json", "invalid.json"):
        for entry in json.loads((VECTORS / name).read_text()):
            texts = [entry["json"].encode()] if "json" in entry else []
            packed = [bytes.fromhex(entry[kind]) for kind in ("msgpack", "hex") if kind in entry]
            found += [text for text in texts + packed if len(text) < 2_000]
    return found


@cache
def _plain() -> list[Any]:
    return [json.loads(entry["json"]) for entry in json.loads((VECTORS / "messages.json").read_text())]


def mutate(luck: Random, corpus: Sequence[bytes]) -> bytes:
    """Return a message with something changed: its bytes, or its values before they were written."""
    if luck.random() < 0.7:
        return mutated(corpus[int(luck.random() * len(corpus))], luck, corpus, TOKENS)
    plain = altered(luck.choice(_plain()), luck)
    if luck.getrandbits(1):
        return json.dumps(plain, ensure_ascii=bool(luck.getrandbits(1))).encode("utf-8", "surrogatepass")
    return bytes(msgpack.packb(plain, use_single_float=bool(luck.getrandbits(1))))


def check_bot(data: bytes) -> None:
    """A bot's bytes are a message, or a ProtocolError with a printable text."""
    try:
        message = from_bot(data)
    except ProtocolError as error:
        told = str(error)
        assert told.isprintable(), "the text of an error is not printable"
        assert len(told) <= codec.TEXT_LENGTH, "the text of an error is too long"
        return
    for encoding in Encoding:
        assert from_bot(encode(message, encoding)) == message, f"not the same again in {encoding}"
    shown = line(message)
    assert shown.isascii(), "a log line is not ASCII"
    assert shown.isprintable(), "a log line is not printable"


def check_referee(data: bytes) -> None:
    """A referee's bytes are a message, or a ProtocolError."""
    try:
        message = from_referee(data)
    except ProtocolError:
        return
    encode(message, Encoding.JSON)
    line(message)


CODEC = Target("codec", check_bot, mutate, vectors)
KIT = Target("kit", check_referee, mutate, vectors)
