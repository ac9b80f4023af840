"""CSV (RFC 4180): a line for each test and one for the total; the columns never depend on the data."""

from tournaments.grading.grade import Grade
from tournaments.report.export import csv_text, safe_cell

HEADS = ("bot", "test", "points", "max", "percent", "low", "high", "deals", "comment")


def document(grade: Grade) -> str:
    """Return the table."""
    rows: list[list[object]] = []
    for mark in grade.marks:
        rate = mark.rate
        cells = [None] * 4 if rate is None else [rate.value, *(rate.interval or (None, None)), rate.deals]
        comment = " ".join(mark.comment)
        rows.append(
            [*map(safe_cell, (grade.bot, mark.name)), mark.points, mark.most, *cells, safe_cell(comment)]
        )
    total = [safe_cell(grade.bot), "total", grade.points, grade.most, None, None, None, None]
    return csv_text(HEADS, [*rows, [*total, safe_cell(" ".join(grade.notes))]])
