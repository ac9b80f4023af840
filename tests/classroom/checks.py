"""Compares what came of the submissions of a class with what must come of them."""

from collections.abc import Iterable
from typing import Any

from tests.classroom.export import blackboard
from tests.classroom.submissions import ClassEntry


def whys(document: dict[str, Any]) -> dict[str, str]:
    """Return by source why each submission is not entered, from what `referee entries --json` prints."""
    return {one["submission"]["source"]: one["submission"]["why"] for one in document["taken"]}


def check_class(document: dict[str, Any], entries: Iterable[ClassEntry]) -> None:
    """Compare what came of each submission with what must come of it."""
    by_name = whys(document)
    for entry in entries:
        (why,) = [text for name, text in by_name.items() if name.startswith(blackboard(entry))]
        assert entry.fails in why, (entry.author, why)
        assert bool(entry.fails) == bool(why), (entry.author, why)
