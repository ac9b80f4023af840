"""JUnit XML: a test that has all its points passes, every other one fails with its reason."""

from tournaments.grading.grade import Grade, text_of
from tournaments.report import junit


def document(grade: Grade) -> str:
    """Return the document."""
    cases = [
        junit.TestCase(
            mark.name,
            "passed" if mark.is_full else "failed",
            "" if mark.is_full else f"{mark.points:g} of {mark.most:g} points",
            text_of(mark.comment),
        )
        for mark in grade.marks
    ]
    return junit.document(grade.title, cases)
