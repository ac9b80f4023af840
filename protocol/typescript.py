"""The messages as TypeScript types, for the JavaScript kit: `python -m protocol.typescript`.

They are made from the JSON Schema of `protocol.schema`, so that messages are described once. With `--write`
it updates `javascript/messages.d.ts`.
"""

import json
import sys
from pathlib import Path
from typing import Any

from protocol.schema import print_or_write, schema

FILE = Path(__file__).with_name("javascript") / "messages.d.ts"
"""The checked-in types."""

_HEAD = """\
// Made from messages.schema.json by `python -m protocol.typescript --write`: do not edit.

/** One event as one seat sees it: a map whose `event` names its kind. */
export type Seen = Record<string, any>;

/** What one seat may know of the position; each game describes its own in its RULES.md. */
export type View = Record<string, any>;
"""

_SCALARS = {"string": "string", "integer": "number", "boolean": "boolean", "null": "null"}


def text() -> str:
    """Return the types as they stand in the file."""
    return "\n".join([_HEAD, *(_declaration(name, made) for name, made in schema()["$defs"].items())])


def _declaration(name: str, definition: dict[str, Any]) -> str:
    if "properties" not in definition:
        return f"export type {name} = {_type(definition)};\n"
    required = definition["required"]
    fields = "".join(
        f"  {field}{'' if field in required else '?'}: {_type(kind)};\n"
        for field, kind in definition["properties"].items()
    )
    return f"/** {definition['description']} */\nexport interface {name} {{\n{fields}}}\n"


def _type(kind: dict[str, Any]) -> str:
    """Return the type of one value."""
    if "$ref" in kind:
        return str(kind["$ref"]).rpartition("/")[2]
    if "enum" in kind:
        return " | ".join(json.dumps(word) for word in kind["enum"])
    if "anyOf" in kind:
        return " | ".join(map(_type, kind["anyOf"]))
    if kind["type"] == "array":
        items = _type(kind["items"])
        return f"({items})[]" if " | " in items else f"{items}[]"
    if kind["type"] == "object":
        values = _type(kind["additionalProperties"]) if "additionalProperties" in kind else "any"
        return f"Record<string, {values}>"
    return _SCALARS[kind["type"]]


def main(arguments: list[str]) -> int:
    """Print the types, or with `--write` update the file."""
    return print_or_write(arguments, "protocol.typescript", text(), FILE)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
