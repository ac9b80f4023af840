"""PrairieLearn: the `results.json` of an external grader, https://docs.prairielearn.com/externalGrading/.

The score is a part of 1. A bot that does not start is gradable too: it was submitted, and has its points.
"""

from typing import Any

import msgspec

from tournaments.grading.grade import Grade, text_of


def document(grade: Grade) -> str:
    """Return the file."""
    found: dict[str, Any] = {
        "gradable": True,
        "score": round(grade.points / grade.most, 4),
        "message": grade.headline,
        "output": text_of(grade.notes),
        "tests": [
            {
                "name": mark.name,
                "points": mark.points,
                "max_points": mark.most,
                "message": mark.comment[0] if mark.comment else "",
                "output": text_of(mark.comment[1:]),
            }
            for mark in grade.marks
        ],
    }
    return msgspec.json.format(msgspec.json.encode(found)).decode() + "\n"
