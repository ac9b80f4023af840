"""Bad messages are quoted as they came: bounded, printable, with a mark where they go wrong."""

import pytest

from protocol.errors import ProtocolError
from protocol.untrusted import from_bot
from referee.gate.quoting import quote_of
from referee.gate.records import QUOTE_LENGTH, Quote


def quote(data: bytes, *, is_text: bool = True) -> Quote | None:
    with pytest.raises(ProtocolError) as caught:
        from_bot(data)
    return quote_of(data, caught.value, is_text=is_text)


@pytest.mark.parametrize(
    ("data", "rest"),
    [
        (b"thinking about it", "thinking about it"),
        (b'{"type":"act", "match":"m", "id":1 "action":"x"}', '"action":"x"}'),
        (b'{"type":"act","match":"m","id":1,"action":"x"} more', "more"),
        (b'{"type":"act","match":"m","id":"one","action":"x"}', '"one","action":"x"}'),
        (b'{"type":"shout","match":"m"}', '"shout","match":"m"}'),
    ],
)
def test_the_mark_is_where_the_message_goes_wrong(data: bytes, rest: str) -> None:
    found = quote(data)
    assert found is not None
    assert found.text == data.decode()
    assert found.text[found.mark :].lstrip() == rest
    assert found.bytes == len(data)


def test_what_cannot_be_printed_is_spelled_out_and_accents_are_not() -> None:
    found = quote("début \x1b[2J\u202e".encode() + b"\xff")
    assert found is not None
    assert found.text == r"début \x1b[2J\u202e\xff"


def test_of_a_long_message_the_part_around_the_mark_is_quoted() -> None:
    found = quote(b'{"type":"act","pad":"' + b"x" * 30_000 + b'","id":\xc3\x28}')
    assert found is not None
    assert len(found.text) <= QUOTE_LENGTH
    assert found.bytes > 30_000
    long = quote(b'{"type":"act","pad":"' + b"x" * 30_000 + b'","id":here}')
    assert long is not None
    assert long.text[long.mark :] == "here}"
    assert long.text.startswith("…")


def test_a_message_that_may_hold_a_token_is_not_quoted() -> None:
    assert quote(b'{"type":"hello","token":"abc"') is None
    assert quote(b"my token is abc") is None


def test_bytes_that_are_no_text_are_quoted_without_a_mark() -> None:
    found = quote(b"\xc1\x00\x01", is_text=False)
    assert found is not None
    assert found.mark == -1
    assert found.text.isprintable()
