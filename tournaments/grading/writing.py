"""The formats of a grade by name, and how a grade is written to files."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

from msgspec import Struct

from referee.player.page import write_page
from tournaments.grading.formats import (
    autolab,
    classroom50,
    csv_table,
    gradescope,
    junit_xml,
    markdown,
    prairielearn,
    text,
)
from tournaments.grading.grade import Grade, Reader, seen_by


class GradeFormat(Struct, frozen=True):
    """One format."""

    document: Callable[[Grade], str]
    begins: bytes
    """How a file of this format begins; b"" for any."""
    hides: bool = True
    """Whether we must leave out hidden tests for students; otherwise the platform does."""
    check: Callable[[], None] = lambda: None
    """Refuses surroundings in which it cannot be written, before anything is played."""


FORMATS: Final = {
    "gradescope": GradeFormat(gradescope.document, b"{", hides=False),
    "autolab": GradeFormat(autolab.document, b""),
    "prairielearn": GradeFormat(prairielearn.document, b"{"),
    "classroom50": GradeFormat(classroom50.document, b"{", check=classroom50.check_surroundings),
    "junit": GradeFormat(junit_xml.document, b"<"),
    "markdown": GradeFormat(markdown.document, b"#"),
    "csv": GradeFormat(csv_table.document, b"bot,"),
    "text": GradeFormat(text.document, b""),
}
"""The formats by the name that `--format` takes."""


def render(grade: Grade, format: str, reader: Reader) -> str:
    """Return a grade in a format, as far as its reader may see it."""
    found = FORMATS[format]
    return found.document(seen_by(grade, reader) if found.hides else grade)


def write(grade: Grade, format: str, reader: Reader, path: Path) -> None:
    """Write a grade to a file, whole or not at all; raises RefereeError if it cannot be written."""
    write_page(path, render(grade, format, reader))
