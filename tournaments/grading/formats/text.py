"""A grade as plain text for people."""

from collections.abc import Iterator

from referee.wording import aligned, clean
from tournaments.grading.grade import Grade


def document(grade: Grade) -> str:
    """Return the report."""
    return "".join(f"{line}\n" for line in report_lines(grade))


def report_lines(grade: Grade) -> Iterator[str]:
    """Return the report line by line: the total, a table of the tests, and the reasons of each."""
    yield clean(f"{grade.title} - {grade.headline}")
    yield ""
    width = max((len(f"{mark.points:g}") for mark in grade.marks), default=0)
    yield from aligned((mark.name, f"{mark.points:{width}g} of {mark.most:g}") for mark in grade.marks)
    for mark in grade.marks:
        if mark.comment:
            yield ""
            yield clean(mark.name)
            yield from (f"  {clean(line)}" for line in mark.comment)
    for title, lines in (("", grade.notes), ("For the staff", grade.staff_notes)):
        if lines:
            yield ""
            yield from [title] if title else []
            yield from (f"{'  ' if title else ''}{clean(line)}" for line in lines)
