"""A grade: the points of each test and why, with what a student may see of it."""

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from tournaments.grading.scale_file import Visibility
from tournaments.rating.clustered import Estimate

Reader = Literal["student", "staff"]


class GradedTest(Struct, frozen=True):
    """The points of one test."""

    name: str
    points: float
    most: float
    comment: tuple[str, ...] = ()
    """Lines for the student: the result, and what to do about a failure."""
    rate: Estimate | None = None
    """The win rate in percent, of a test about one."""
    visibility: Visibility = "visible"

    @property
    def is_full(self) -> bool:
        """Whether all its points were reached."""
        return self.points >= self.most


class Grade(Struct, frozen=True):
    """The grade of one bot."""

    title: str
    bot: str
    points: float
    most: float
    marks: tuple[GradedTest, ...]
    notes: tuple[str, ...] = ()
    """What a student must know of the grade as a whole."""
    staff_notes: tuple[str, ...] = ()
    """What the teacher alone reads."""
    took_s: float = 0.0
    referee: str = ""
    """The version of the referee."""

    @property
    def headline(self) -> str:
        """The grade in one line."""
        return f"{self.bot}: {self.points:g} of {self.most:g} points"


def seen_by(grade: Grade, reader: Reader) -> Grade:
    """Return what a reader may see: hidden tests have for students neither a name nor a reason."""
    if reader == "staff":
        return grade
    marks: list[GradedTest] = []
    hidden = 0
    for mark in grade.marks:
        if mark.visibility == "visible":
            marks.append(mark)
        else:
            hidden += 1
            marks.append(GradedTest(f"Hidden test {hidden}", mark.points, mark.most))
    return replace(grade, marks=tuple(marks), staff_notes=())


def text_of(lines: Sequence[str]) -> str:
    """Return lines as one text."""
    return "\n".join(lines)
