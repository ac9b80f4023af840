"""Autolab: feedback for the student, and as the last line of the output the scores by problem.

https://docs.autolabproject.com/lab/ describes it: the names of the problems are those of the tests.
"""

import msgspec

from tournaments.grading.formats.text import report_lines
from tournaments.grading.grade import Grade, text_of


def document(grade: Grade) -> str:
    """Return the report with its last line."""
    scores = {"scores": {mark.name: mark.points for mark in grade.marks}}
    return text_of([*report_lines(grade), msgspec.json.encode(scores).decode()]) + "\n"
