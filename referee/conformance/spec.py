"""The numbered paragraphs of SPEC.md, so that a verdict can cite them and quote their text."""

import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

_PARAGRAPH = re.compile(r"^\*\*(\d+\.\d+)\*\* (.*?)(?=^\*\*\d+\.\d+\*\* |^## |\Z)", re.MULTILINE | re.DOTALL)


@cache
def paragraphs() -> Mapping[str, str]:
    """Return all numbered paragraphs by number, with their tables."""
    text = (files("protocol") / "SPEC.md").read_text("utf-8")
    return {number: body.strip() for number, body in _PARAGRAPH.findall(text)}


def quote(number: str) -> str:
    """Return the text of one paragraph; its sentences on one line, its setups a row a line."""
    lines: list[str] = []
    joins = False
    for line in paragraphs()[number].splitlines():
        table = line.startswith("|")
        if joins and line and not table:
            lines[-1] += f" {line}"
        elif line:
            lines.append(line)
        joins = bool(line) and not table
    return "\n".join(lines)
