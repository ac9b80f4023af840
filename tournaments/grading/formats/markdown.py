"""Markdown, as GitHub shows it in the summary of a step (`$GITHUB_STEP_SUMMARY`)."""

import re
from collections.abc import Iterator, Sequence

from tournaments.grading.grade import Grade, text_of


def document(grade: Grade) -> str:
    """Return the summary."""
    return text_of(list(_lines(grade))) + "\n"


def _lines(grade: Grade) -> Iterator[str]:
    yield f"## {_escaped(grade.title)}"
    yield ""
    yield f"**{_escaped(grade.headline)}**"
    yield ""
    yield "| Test | Points | of | Result |"
    yield "|---|--:|--:|---|"
    for mark in grade.marks:
        first = mark.comment[0] if mark.comment else ""
        yield f"| {_escaped(mark.name)} | {mark.points:g} | {mark.most:g} | {_escaped(first)} |"
    for mark in grade.marks:
        if len(mark.comment) > 1:
            yield ""
            yield f"### {_escaped(mark.name)}"
            yield ""
            yield from _fenced(mark.comment)
    for title, lines in (("", grade.notes), ("### For the staff", grade.staff_notes)):
        if lines:
            yield ""
            yield from [title, ""] if title else []
            yield from (f"- {_escaped(line)}" for line in lines)


def _escaped(text: str) -> str:
    """Return text that is no markup: a bot's name or message may hold any characters."""
    return re.sub(r"([\\`*_{}\[\]()<>#+!|~&@:.-])", r"\\\1", text)


def _fenced(lines: Sequence[str]) -> list[str]:
    """Return lines as they are, in a fence that is longer than any in them."""
    longest = max((len(run) for line in lines for run in re.findall(r"`+", line)), default=0)
    fence = "`" * max(3, longest + 1)
    return [f"{fence}text", *lines, fence]
