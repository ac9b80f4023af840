"""Quotes bad messages for the authors of bots: bounded, printable, with a mark where they go wrong."""

import re
from typing import Final

from protocol.errors import MalformedError, ProtocolError
from referee.gate.records import QUOTE_LENGTH, Quote
from referee.wording import clean

_SHOWN: Final = 80
"""Bytes of a bad message that stand in the reason of a fault."""

_AROUND: Final = 100
"""Characters before and after the mark that are quoted."""

_CUT: Final = "…"


def quoted(data: bytes) -> str:
    """Return the beginning of a bad message for the reason of a fault; '' if a token may be in it."""
    if b"token" in data:
        return ""
    text = data[:_SHOWN].decode(errors="replace")
    return f"; it was {text!a}{'...' if len(data) > _SHOWN else ''}"


def quote_of(data: bytes, error: ProtocolError, *, is_text: bool) -> Quote | None:
    """Return a bad message as it came, with the place that the error names; None if it may hold a token.

    `is_text`: the bot writes JSON text. Other bytes have no places that people could find.
    """
    if not is_text or not isinstance(error, MalformedError):
        return beginning(data)
    if b"token" in data:
        return None
    text = data.decode(errors="backslashreplace")
    at = _place(text, error)
    if at is None:
        return beginning(data)
    start = max(0, at - _AROUND) if at > 2 * _AROUND else 0
    before = (_CUT if start else "") + clean(text[start:at])
    after = text[at : at + 2 * _AROUND]
    rest = _CUT if at + len(after) < len(text) else ""
    return Quote((before + clean(after) + rest)[:QUOTE_LENGTH], min(len(before), QUOTE_LENGTH), len(data))


def beginning(data: bytes) -> Quote | None:
    """Return the beginning of a bad message, without a mark; None if it may hold a token."""
    if b"token" in data:
        return None
    most = 3 * _AROUND
    text = clean(data[:most].decode(errors="backslashreplace"))
    return Quote((text + (_CUT if len(data) > most else ""))[:QUOTE_LENGTH], -1, len(data))


def _place(text: str, error: MalformedError) -> int | None:
    """Return the character where JSON text goes wrong; None if no place is known."""
    if not text.startswith("{"):
        return 0
    if error.at is not None:
        return min(error.at, len(text))
    # The text of the error begins with a path: `$.action: expected a text`.
    field = re.match(r"\$\.(\w+)", str(error))
    found = re.search(rf'"{field[1]}"\s*:\s*', text) if field else None
    return found.end() if found else None
