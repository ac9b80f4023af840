"""The messages as JSON Schema, for bots in other languages: `python -m protocol.schema`.

`$defs` holds every message; `FromBot` and `FromReferee` are the two directions. With `--write` it updates
`messages.schema.json` beside this file. What a schema cannot say (limits on nesting, printable names, exactly
one of `action` and `actions`) is in SPEC.md.
"""

import json
import sys
from pathlib import Path
from typing import Any, get_args

import msgspec

from protocol import limits
from protocol.messages import FromBot, FromReferee

FILE = Path(__file__).with_name("messages.schema.json")
"""The checked-in schema."""


def schema() -> dict[str, Any]:
    """Return the schema of all messages."""
    directions = {"FromBot": get_args(FromBot), "FromReferee": get_args(FromReferee)}
    records = dict.fromkeys(record for group in directions.values() for record in group)
    _, components = msgspec.json.schema_components(records, ref_template="#/$defs/{name}")
    for name, group in directions.items():
        components[name] = {"anyOf": [{"$ref": f"#/$defs/{record.__name__}"} for record in group]}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"Referee protocol, version {limits.VERSION}",
        "anyOf": [{"$ref": f"#/$defs/{name}"} for name in directions],
        "$defs": components,
    }


def text() -> str:
    """Return the schema as it stands in the file."""
    return json.dumps(schema(), indent=2) + "\n"


def print_or_write(arguments: list[str], module: str, made: str, file: Path) -> int:
    """Print what was made from the messages, or with `--write` update its file; return the exit code."""
    if arguments == ["--write"]:
        file.write_text(made, encoding="utf-8")
        return 0
    if arguments:
        sys.stderr.write(f"usage: python -m {module} [--write]\n")
        return 2
    sys.stdout.write(made)
    return 0


def main(arguments: list[str]) -> int:
    """Print the schema, or with `--write` update the file."""
    return print_or_write(arguments, "protocol.schema", text(), FILE)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
