"""The JSON Schema for bots in other languages."""

import json
import re
import subprocess
import sys
from typing import get_args

import msgspec
import pytest

from protocol import schema
from protocol.messages import FromBot, FromReferee, Message

RECORDS = {record.__name__: record for record in (*get_args(FromBot), *get_args(FromReferee))}


def test_the_checked_in_schema_is_fresh() -> None:
    fresh = schema.FILE.read_text(encoding="utf-8") == schema.text()
    assert fresh, "run: python -m protocol.schema --write"


@pytest.mark.parametrize("name", RECORDS)
def test_a_message_has_its_fields_in_the_schema(name: str) -> None:
    record: type[Message] = RECORDS[name]
    definition = schema.schema()["$defs"][name]
    fields = msgspec.structs.fields(record)
    assert set(definition["properties"]) == {"type", *(field.name for field in fields)}
    assert set(definition["required"]) == {"type", *(field.name for field in fields if field.required)}
    assert definition["properties"]["type"] == {"enum": [name.lower()]}


def test_both_directions_are_defined_and_every_reference_leads_somewhere() -> None:
    document = schema.schema()
    text = json.dumps(document)
    assert set(re.findall(r'"#/\$defs/(\w+)"', text)) <= set(document["$defs"])
    for name, union in (("FromBot", FromBot), ("FromReferee", FromReferee)):
        expected = [{"$ref": f"#/$defs/{record.__name__}"} for record in get_args(union)]
        assert document["$defs"][name]["anyOf"] == expected


def test_patterns_are_not_written_in_pythons_dialect() -> None:
    assert r"\\Z" not in schema.text()
    assert schema.schema()["$defs"]["Act"]["properties"]["actions"]["anyOf"][0]["items"]["pattern"] == (
        r"^[\x20-\x7e]+$"
    )


def test_the_module_prints_the_schema() -> None:
    command = [sys.executable, "-m", "protocol.schema"]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == schema.text()
    wrong = subprocess.run([*command, "--help-me"], capture_output=True, text=True, check=False)
    assert wrong.returncode == 2
    assert "usage" in wrong.stderr
