"""The codec: hostile bytes, two encodings with one verdict, and what the bytes of good messages are."""

import json
import subprocess
import sys
import time
from typing import Any, get_args

import msgpack  # type: ignore[import-untyped]
import msgspec
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from protocol import codec, limits
from protocol.codec import Encoding, encode, encoding_of, from_referee
from protocol.errors import MalformedError, ProtocolError, TooLargeError
from protocol.messages import Act, FromBot, FromReferee, Message, Ping
from protocol.untrusted import from_bot
from tests.unit.protocol.strategies import from_bots, from_referees, leaves, maps


def verdict(data: bytes) -> FromBot | str:
    """Return the message, or the code of the error after a look at its text."""
    try:
        return from_bot(data)
    except ProtocolError as error:
        text = str(error)
        assert text
        assert text.isprintable()
        assert len(text) <= 200
        return error.code


@given(message=from_bots, encoding=st.sampled_from(Encoding))
def test_every_message_of_a_bot_survives_the_journey(message: FromBot, encoding: Encoding) -> None:
    data = encode(message, encoding)
    assert encoding_of(data) is encoding
    assert from_bot(data) == message


@given(message=from_referees, encoding=st.sampled_from(Encoding))
def test_every_message_of_the_referee_survives_the_journey(message: FromReferee, encoding: Encoding) -> None:
    data = encode(message, encoding)
    assert encoding_of(data) is encoding
    assert from_referee(data) == message


@given(message=from_bots | from_referees)
def test_json_text_stays_on_one_line_and_is_utf_8(message: Message) -> None:
    data = encode(message, Encoding.JSON)
    assert b"\n" not in data
    assert b"\r" not in data
    assert isinstance(json.loads(data.decode()), dict)


@settings(max_examples=300)
@given(data=st.binary(max_size=200))
@example(b"")
@example(b"{")
@example(b"\xc1")
def test_arbitrary_bytes_raise_nothing_but_a_protocol_error(data: bytes) -> None:
    verdict(data)


@settings(max_examples=300)
@given(message=from_bots, encoding=st.sampled_from(Encoding), data=st.data())
def test_damaged_messages_raise_nothing_but_a_protocol_error(
    message: FromBot, encoding: Encoding, data: st.DataObject
) -> None:
    whole = bytearray(encode(message, encoding))
    place = data.draw(st.integers(0, len(whole) - 1))
    whole[place : place + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
    verdict(bytes(whole))


@given(data=st.binary(max_size=100).filter(lambda data: not data.startswith(b"{")))
def test_bytes_that_are_no_message_raise_an_error_for_the_bot(data: bytes) -> None:
    with pytest.raises(MalformedError) as caught:
        from_referee(data)
    assert str(caught.value).isprintable()


odd_leaves = st.one_of(
    leaves,
    st.floats(),
    st.integers(-(2**63), 2**64 - 1),
    st.sampled_from(["\ud800", "x" * 4097, "é" * 2049, "draw", "\x1b", "m1", ""]),
)
odd_values = st.recursive(odd_leaves, lambda inner: st.lists(inner, max_size=2) | maps(inner), max_leaves=4)
odd_fields = st.sampled_from(
    [
        "match",
        "id",
        "action",
        "actions",
        "n",
        "code",
        "why",
        "name",
        "protocol",
        "games",
        "wants",
        "capacity",
        "x",
    ]
)


def both(plain: object) -> tuple[FromBot | str, FromBot | str]:
    """Return the verdicts on the same plain values, written in the two encodings by other libraries."""
    return (
        verdict(json.dumps(plain).encode("utf-8", "surrogatepass")),
        verdict(msgpack.packb(plain, unicode_errors="surrogatepass")),
    )


@settings(max_examples=400)
@given(
    kind=st.sampled_from(["hello", "ready", "act", "ping", "pong", "error", "bye", "ask", "", "ACT"]),
    fields=st.dictionaries(odd_fields, odd_values, max_size=5),
)
def test_both_encodings_get_the_same_verdict(kind: str, fields: dict[str, Any]) -> None:
    in_json, in_msgpack = both({"type": kind, **fields})
    assume("too-large" not in (in_json, in_msgpack))  # JSON takes more bytes
    assert in_json == in_msgpack


@settings(max_examples=400)
@given(message=from_bots, data=st.data())
def test_both_encodings_get_the_same_verdict_on_nearly_good_messages(
    message: FromBot, data: st.DataObject
) -> None:
    plain = msgspec.to_builtins(message)
    plain[data.draw(st.sampled_from(sorted(plain)) | odd_fields)] = data.draw(odd_values)
    in_json, in_msgpack = both(plain)
    assume("too-large" not in (in_json, in_msgpack))  # JSON takes more bytes
    assert in_json == in_msgpack


@given(message=from_bots)
def test_an_independent_decoder_reads_the_same(message: FromBot) -> None:
    data = encode(message, Encoding.MSGPACK)
    assert msgspec.msgpack.decode(data, type=FromBot) == from_bot(data)
    assert msgpack.unpackb(data) == json.loads(encode(message, Encoding.JSON))


@pytest.mark.parametrize(
    "text",
    [
        '{ "id" : 1 , "action" : "draw",\t"type":"act", "match":"m1" } \r\n',
        '{"type":"act","match":"m1","id":1,"action":"draw","actions":null}',
        '{"type":"act","match":"m1","id":1,"action":"draw","comment":{"depth":[1,2,{"x":null}]}}',
        '{"type":"act","match":"m1","id":1,"action":"dr\\u0061w"}',
    ],
)
def test_a_bot_may_write_its_messages_in_its_own_way(text: str) -> None:
    assert from_bot(text.encode()) == Act("m1", 1, "draw")


def test_a_message_may_have_exactly_the_greatest_size() -> None:
    data = b'{"type":"ping"}'.ljust(limits.MESSAGE_BYTES)
    assert from_bot(data) == Ping()
    with pytest.raises(TooLargeError, match="65537 bytes, more than 65536"):
        from_bot(data + b" ")


def nested(depth: int) -> object:
    return [] if depth == 1 else [nested(depth - 1)]


@pytest.mark.parametrize(
    "plain",
    [
        {"type": "ping", "x": nested(limits.DEPTH - 1)},
        {"type": "ping", "x": [0] * limits.LIST_LENGTH},
        {"type": "ping", "x": [[0] * 255, [0] * 255, [0] * 255, [0] * 253]},
        {"type": "ping", **{f"x{i}": 0 for i in range(limits.MAP_LENGTH - 1)}},
        {"type": "ping", "x": "é" * (limits.STRING_BYTES // 2)},
        {"type": "ping", "x": "a" * limits.STRING_BYTES},
        {"type": "ping", "a" * limits.STRING_BYTES: 0},
        {"type": "ping", "x": limits.INTEGER},
        {"type": "ping", "x": -limits.INTEGER},
    ],
)
def test_each_limit_is_allowed_to_be_reached(plain: object) -> None:
    assert both(plain) == (Ping(), Ping())


@pytest.mark.parametrize(
    "data",
    [
        b"{" + b",".join(b'"k%d":0' % i for i in range(6_000)) + b',"k5999":0}',
        b'{"x":[' + b"{}," * 21_000 + b"0]}",
        b'{"x":' + b"[" * 65_000,
        b'{"x":[' + b"9" * 4_300 + b"]}",
        b"\x81\xa1x\xdc\x01\x00" + (b"\xdc\x00\xf0" + b"\x80" * 240) * 256,
        b"\x81\xa1x\xdc\x01\x00" + (b"\xdc\x00\xf0" + b"\x90" * 240) * 256,
        b"\x81\xa1x" + b"\x91" * 65_000,
    ],
    ids=["keys", "maps", "open lists", "digits", "msgpack maps", "msgpack lists", "msgpack open lists"],
)
def test_no_message_is_dear(data: bytes) -> None:
    used = []
    for _ in range(3):
        began = time.process_time()
        assert verdict(data[: limits.MESSAGE_BYTES]) == "malformed"
        used.append(time.process_time() - began)
    # A few milliseconds, unless the collector comes by; a cost that grows with the square of the size would
    # take seconds every time.
    assert min(used) < 0.1


def test_an_error_names_the_place() -> None:
    with pytest.raises(MalformedError, match=r"^\$\.id: expected int, got str$"):
        from_bot(b'{"type":"act","match":"m1","id":"1","action":"draw"}')


def test_an_error_does_not_repeat_what_the_bot_wrote() -> None:
    with pytest.raises(MalformedError) as caught:
        from_bot(b'{"type":"hello","protocol":[1],"name":"a","wants":"rm -rf"}')
    assert "rm" not in str(caught.value)
    with pytest.raises(MalformedError, match=r"^\$\['\\u202e'\]: expected an integer, got a float$"):
        from_bot('{"type":"ping","\u202e":0.5}'.encode())


def test_the_message_types_of_a_bot_are_those_listed() -> None:
    with pytest.raises(MalformedError) as caught:
        from_bot(b'{"type":"?"}')
    listed = str(caught.value).removeprefix("$.type: expected one of ").split(", ")
    assert sorted(listed) == sorted(record.__name__.lower() for record in get_args(FromBot))


def test_the_pure_python_msgpack_is_refused() -> None:
    code = "import protocol.untrusted"
    environment = {"MSGPACK_PUREPYTHON": "1"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "without its compiled extension" in done.stderr


def test_the_text_of_an_error_is_cut() -> None:
    key = "k" * 30
    data = json.dumps({"type": "ping", key: [[[[[[{key: {key: 0.5}}]]]]]]}).encode()
    with pytest.raises(MalformedError) as caught:
        from_bot(data)
    assert len(str(caught.value)) <= codec.TEXT_LENGTH
