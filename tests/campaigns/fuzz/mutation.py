"""Inputs that are nearly right: bytes and plain values, changed in a few places."""

from collections.abc import Sequence
from random import Random
from typing import Any

BYTES = (0x00, 0x01, 0x0A, 0x20, 0x22, 0x5C, 0x7B, 0x7D, 0x7F, 0x80, 0x90, 0xC0, 0xC1, 0xC6, 0xD9, 0xDF, 0xFF)
"""Ends of ranges, quotes and brackets, and the first bytes of msgpack's kinds."""

VALUES: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    -1,
    1,
    17,
    2**31,
    2**53 - 1,
    2**53,
    -(2**53),
    2**63,
    2**64 - 1,
    1.0,
    float("nan"),
    float("inf"),
    "",
    " ",
    "²",
    "\x00",
    "\x1b[2J",
    "\u202e",
    "é" * 65,
    "x" * 257,
    "9" * 400,
    [],
    {},
    [[[[[[[[[]]]]]]]]],
    {"type": {"type": "act"}},
    ["draw", 1],
)
"""Values of a wrong type or size."""


def mutated(data: bytes, luck: Random, others: Sequence[bytes], tokens: Sequence[bytes] = ()) -> bytes:
    """Return the data with one to four changes."""
    changed = bytearray(data)
    for _ in range(1 + luck.getrandbits(2)):
        _change(changed, luck, others, tokens)
    return bytes(changed)


def _change(data: bytearray, luck: Random, others: Sequence[bytes], tokens: Sequence[bytes]) -> None:
    random = luck.random
    at = int(random() * (len(data) + 1))
    kind = luck.getrandbits(3)
    if kind == 0 and at < len(data):
        data[at] ^= 1 << luck.getrandbits(3)
    elif kind == 1 and at < len(data):
        data[at] = BYTES[int(random() * len(BYTES))]
    elif kind == 2:
        data[at:at] = luck.randbytes(1 + luck.getrandbits(2))
    elif kind == 3:
        del data[at : at + 1 + luck.getrandbits(4)]
    elif kind == 4:
        # Some of it again, now and then very often.
        piece = bytes(data[at : at + 1 + luck.getrandbits(4)])
        data[at:at] = piece * (1000 if random() < 0.01 else 1 + luck.getrandbits(2))
    elif kind == 5:
        other = others[int(random() * len(others))]
        data[at:] = other[int(random() * (len(other) + 1)) :]
    elif kind == 6 and tokens:
        data[at:at] = tokens[int(random() * len(tokens))]
    else:
        data[at:at] = bytes((BYTES[int(random() * len(BYTES))],))


def altered(value: Any, luck: Random) -> Any:
    """Return a plain value with one change somewhere inside; the value itself stays as it is."""
    if isinstance(value, dict) and value and luck.random() < 0.9:
        return _altered_map(value, luck)
    if isinstance(value, list) and value and luck.random() < 0.9:
        at = luck.randrange(len(value))
        if luck.random() < 0.2:
            return [*value[:at], *value[at + 1 :]]
        if luck.random() < 0.2:
            return [*value, *value]
        return [*value[:at], altered(value[at], luck), *value[at + 1 :]]
    if type(value) is int and luck.random() < 0.5:
        return value + luck.choice((-1, 1, 7))
    if isinstance(value, str) and luck.random() < 0.5:
        return _altered_text(value, luck)
    return luck.choice(VALUES)


def _altered_map(record: dict[str, Any], luck: Random) -> dict[str, Any]:
    key = luck.choice(list(record))
    kind = luck.random()
    if kind < 0.1:
        return {name: inner for name, inner in record.items() if name != key}
    if kind < 0.2:
        return record | {luck.choice((f"{key}_", "x", "", "type", "é")): luck.choice(VALUES)}
    if kind < 0.25:
        return dict(reversed(record.items()))
    return record | {key: altered(record[key], luck)}


def _altered_text(text: str, luck: Random) -> str:
    at = luck.randint(0, len(text))
    return (
        text[:at] + luck.choice(("", "7", " ", "-", "\n", "é", "²", text)) + text[at + luck.getrandbits(1) :]
    )
