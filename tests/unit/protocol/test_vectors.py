"""The golden messages: what the code makes of them is what the files say."""

import json
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest

import protocol
from protocol.codec import Encoding, encode, from_referee
from protocol.errors import ProtocolError
from protocol.messages import FromBot, FromReferee
from protocol.text import line
from protocol.untrusted import from_bot

VECTORS = Path(protocol.__file__).parent / "vectors"
MESSAGES: list[dict[str, Any]] = json.loads((VECTORS / "messages.json").read_text(encoding="utf-8"))
INVALID: list[dict[str, Any]] = json.loads((VECTORS / "invalid.json").read_text(encoding="utf-8"))


def read(vector: dict[str, Any], data: bytes) -> FromBot | FromReferee:
    return from_bot(data) if vector["from"] == "bot" else from_referee(data)


def name(vector: dict[str, Any]) -> str:
    return str(vector["name"])


@pytest.mark.parametrize("vector", MESSAGES, ids=name)
def test_a_golden_message_is_written_as_the_file_says(vector: dict[str, Any]) -> None:
    message = read(vector, vector["json"].encode())
    entry = {
        "name": vector["name"],
        "from": vector["from"],
        "json": encode(message, Encoding.JSON).decode(),
        "msgpack": encode(message, Encoding.MSGPACK).hex(),
        "line": line(message),
    }
    complete = json.dumps(entry, ensure_ascii=False, indent=1)
    assert vector == entry, f"if this is what it should be, the entry is:\n{complete}"


@pytest.mark.parametrize("vector", MESSAGES, ids=name)
def test_a_golden_message_reads_the_same_in_both_encodings(vector: dict[str, Any]) -> None:
    assert read(vector, bytes.fromhex(vector["msgpack"])) == read(vector, vector["json"].encode())


@pytest.mark.parametrize(("sender", "union"), [("bot", FromBot), ("referee", FromReferee)])
def test_every_message_and_every_optional_field_has_a_golden_message(sender: str, union: object) -> None:
    for record in get_args(union):
        vectors = [json.loads(v["json"]) for v in MESSAGES if v["from"] == sender]
        fields = {key for v in vectors if v["type"] == record.__name__.lower() for key in v}
        assert fields == {"type", *(field.encode_name for field in msgspec.structs.fields(record))}


@pytest.mark.parametrize("vector", INVALID, ids=name)
def test_a_bad_message_gets_its_verdict(vector: dict[str, Any]) -> None:
    data = (
        vector["json"].encode()
        if "json" in vector
        else bytes.fromhex(vector.get("msgpack") or vector.get("hex", ""))
    )
    with pytest.raises(ProtocolError) as caught:
        from_bot(data.ljust(vector.get("pad_to", 0)))
    text = str(caught.value)
    assert caught.value.code == vector["code"]
    assert vector["why"] in text
    assert text.isprintable()
    assert len(text) <= 200


def test_names_of_golden_messages_are_unique() -> None:
    for vectors in (MESSAGES, INVALID):
        assert len({vector["name"] for vector in vectors}) == len(vectors)
