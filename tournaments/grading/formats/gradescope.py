"""Gradescope: `results.json`, as https://gradescope-autograders.readthedocs.io/en/latest/specs/ describes it.

`score` counts, not the sum of the tests. The platform itself hides tests by their visibility, the total while
any test is hidden, and the output of the grader from students. The `output` here is shown, so it then says no
total either: less the points of the tests that are shown, it would be those of the hidden ones.
"""

from typing import Any

import msgspec

from tournaments.grading.grade import Grade, text_of


def document(grade: Grade) -> str:
    """Return the file; of the whole grade, because the platform hides what is hidden."""
    tests: list[dict[str, Any]] = [
        {
            "name": mark.name,
            "score": mark.points,
            "max_score": mark.most,
            "status": "passed" if mark.is_full else "failed",
            "output": text_of(mark.comment),
            "output_format": "text",
            "visibility": mark.visibility,
        }
        for mark in grade.marks
    ]
    is_shown = all(mark.visibility == "visible" for mark in grade.marks)
    found: dict[str, Any] = {
        "score": grade.points,
        "execution_time": round(grade.took_s),
        "output": text_of([grade.headline if is_shown else grade.bot, *grade.notes]),
        "output_format": "text",
        "stdout_visibility": "hidden",
        "tests": tests,
    }
    return msgspec.json.format(msgspec.json.encode(found)).decode() + "\n"
