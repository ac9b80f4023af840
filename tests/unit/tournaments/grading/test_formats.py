"""A grade in the formats of platforms: each has the fields and kinds that its platform publishes."""

import csv
import io
import json
from typing import Annotated, Any, Literal
from xml.etree import ElementTree

import msgspec
import pytest
from msgspec import Meta, Struct
from msgspec.structs import replace

from referee.errors import ConfigError
from tournaments.grading.formats import classroom50, csv_table
from tournaments.grading.grade import Grade, GradedTest
from tournaments.grading.writing import FORMATS, render
from tournaments.rating.clustered import Estimate

EVIL = "<b>|`$(x)`\x1b[2J"
RATE = Estimate(62.0, 40, 5.0, (51.9, 72.1))
GRADE = Grade(
    title="Poker",
    bot="=mine",
    points=37.55,
    most=70.0,
    marks=(
        GradedTest("Starts", 10.0, 10.0, ("The bot starts.",)),
        GradedTest(
            "Beats random", 27.55, 30.0, ("62 % won.", "  ```", EVIL), Estimate(62.0, 40, 5.0, (51.9, 72.1))
        ),
        GradedTest("Beats the solution", 0.0, 30.0, ("10 % won.",), visibility="hidden"),
    ),
    notes=("The 60 s were over.",),
    staff_notes=("the seed is short",),
    took_s=12.3,
)


class GradescopeTest(Struct, forbid_unknown_fields=True):
    score: float
    max_score: float
    name: str
    output: str
    output_format: Literal["text", "html", "simple_format", "md", "ansi"]
    status: Literal["passed", "failed"]
    visibility: Literal["hidden", "after_due_date", "after_published", "visible"]


class GradescopeResults(Struct, forbid_unknown_fields=True):
    score: float
    execution_time: int
    output: str
    output_format: Literal["text", "html", "simple_format", "md", "ansi"]
    stdout_visibility: Literal["hidden", "after_due_date", "after_published", "visible"]
    tests: list[GradescopeTest]


def test_gradescope_gets_all_tests_with_their_visibility_and_hides_them_itself() -> None:
    found = msgspec.json.decode(render(GRADE, "gradescope", "student"), type=GradescopeResults)
    assert (found.score, found.stdout_visibility) == (37.55, "hidden")
    assert [test.visibility for test in found.tests] == ["visible", "visible", "hidden"]
    assert [test.status for test in found.tests] == ["passed", "failed", "failed"]
    assert "the seed" not in str(found)


def test_the_text_for_gradescope_has_a_total_only_if_no_test_is_hidden() -> None:
    assert "37.55" not in json.loads(render(GRADE, "gradescope", "staff"))["output"]
    shown = replace(GRADE, marks=GRADE.marks[:2])
    assert json.loads(render(shown, "gradescope", "staff"))["output"].startswith("=mine: 37.55 of 70 points")


class PrairieTest(Struct, forbid_unknown_fields=True):
    name: str
    points: float
    max_points: float
    message: str
    output: str


class PrairieResults(Struct, forbid_unknown_fields=True):
    gradable: bool
    score: Annotated[float, Meta(ge=0, le=1)]
    message: str
    output: str
    tests: list[PrairieTest]


def test_prairielearn_gets_a_part_of_one() -> None:
    text = render(GRADE, "prairielearn", "student")
    found = msgspec.json.decode(text, type=PrairieResults)
    assert found.score == pytest.approx(37.55 / 70, abs=1e-3)
    assert [test.name for test in found.tests] == ["Starts", "Beats random", "Hidden test 1"]
    assert len(text.encode()) < 1_000_000


def test_the_last_line_of_autolab_has_a_number_for_each_problem() -> None:
    *feedback, last = render(GRADE, "autolab", "student").splitlines()
    found = json.loads(last)
    assert list(found) == ["scores"]
    assert found["scores"] == {"Starts": 10, "Beats random": 27.55, "Hidden test 1": 0}
    assert feedback[0] == "Poker - =mine: 37.55 of 70 points"
    assert "\x1b" not in "".join(feedback)


_Time = Annotated[str, Meta(pattern=r"^\d{4}-\d{2}-\d{2}T([01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$")]
_Some = Annotated[str, Meta(min_length=1)]
_Count = Annotated[int, Meta(ge=0)]


class Classroom50Test(Struct, rename={"name": "test-name", "most": "max-score"}):
    name: _Some
    passed: bool
    score: _Count
    most: _Count


class Classroom50Result(Struct, forbid_unknown_fields=True, rename={"most": "max-score"}):
    """What the schema `classroom50/result/v1` demands."""

    schema: Literal["classroom50/result/v1"]
    classroom: _Some
    assignment: _Some
    assignment_type: Literal["individual", "group"]
    owner: _Some
    submission: Annotated[str, Meta(pattern="^submit/")]
    commit: _Some
    release: _Some
    review: _Some
    datetime: _Time
    score: _Count
    most: _Count
    tests: list[Classroom50Test]
    graded_at: _Time


SURROUNDINGS = {
    "CLASSROOM": "ai",
    "ASSIGNMENT": "poker",
    "ASSIGNMENT_TYPE": "individual",
    "OWNER": "alice",
    "SUBMISSION_TAG": "submit/2026-06-01T14-32-05Z-a1b2c3d",
    "COMMIT_URL": "https://example.org/commit/1",
    "RELEASE_URL": "https://example.org/release/1",
}


def test_classroom_50_gets_whole_points_and_the_identity_of_the_submission() -> None:
    found = msgspec.json.decode(classroom50.document(GRADE, SURROUNDINGS), type=Classroom50Result)
    assert (found.score, found.most) == (38, 70)
    assert found.score == sum(test.score for test in found.tests) <= found.most
    assert all(test.score <= test.most for test in found.tests)
    assert found.review == found.commit
    reviewed = classroom50.document(GRADE, SURROUNDINGS | {"REVIEW_URL": "https://example.org/diff"})
    assert json.loads(reviewed)["review"] == "https://example.org/diff"


def test_classroom_50_is_refused_outside_of_its_runner() -> None:
    with pytest.raises(ConfigError, match="OWNER is not set"):
        classroom50.check_surroundings({**SURROUNDINGS, "OWNER": ""})


def test_junit_fails_tests_without_all_points() -> None:
    root = ElementTree.fromstring(render(GRADE, "junit", "student"))
    assert (root.get("tests"), root.get("failures")) == ("3", "2")
    assert [case.get("name") for case in root.iter("testcase")] == ["Starts", "Beats random", "Hidden test 1"]


JUNIT_ATTRIBUTES = {
    "testsuites": {"name", "time", "tests", "failures", "errors"},
    "testsuite": {"name", "time", "tests", "failures", "errors", "skipped"},
    "testcase": {"name", "time", "classname"},
    "failure": {"message", "type"},
    "system-out": set[str](),
}
"""What the schema of Jenkins, `junit-10.xsd` of its plugin xunit, allows of what we write."""


def test_junit_has_no_attribute_that_its_schema_does_not_know() -> None:
    root = ElementTree.fromstring(render(GRADE, "junit", "student"))
    for element in root.iter():
        assert set(element.attrib) <= JUNIT_ATTRIBUTES[element.tag], element.tag


def test_markdown_holds_no_markup_of_a_bot() -> None:
    text = render(GRADE, "markdown", "student")
    assert "| Beats random | 27.55 | 30 | 62 % won\\. |" in text
    assert "````text\n62 % won.\n  ```" in text
    named = render(
        Grade("T", "<img src=x>|**", 0, 1, (GradedTest("a|b", 0, 1, ("x|y",)),)), "markdown", "student"
    )
    assert "\\<img src=x\\>\\|\\*\\*" in named
    assert "| a\\|b | 0 | 1 | x\\|y |" in named


def test_the_columns_of_csv_do_not_depend_on_the_data_and_no_cell_is_a_formula() -> None:
    rows = list(csv.reader(io.StringIO(render(GRADE, "csv", "student"))))
    assert tuple(rows[0]) == csv_table.HEADS
    assert {len(row) for row in rows} == {len(csv_table.HEADS)}
    assert rows[2][:8] == ["'=mine", "Beats random", "27.55", "30.0", "62.0", "51.9", "72.1", "40"]
    assert rows[-1][1:4] == ["total", "37.55", "70.0"]


@pytest.mark.parametrize("format", [name for name in FORMATS if name not in ("gradescope", "classroom50")])
def test_a_student_finds_no_hidden_test_and_no_note_of_the_staff_in_any_format(format: str) -> None:
    text = render(GRADE, format, "student")
    assert "solution" not in text
    assert "the seed is short" not in text
    assert "solution" in render(GRADE, format, "staff")


def test_a_grade_without_tests_of_rates_has_all_formats(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in SURROUNDINGS.items():
        monkeypatch.setenv(name, value)
    plain: dict[str, Any] = {name: render(Grade("T", "b", 0, 1, ()), name, "staff") for name in FORMATS}
    assert all(plain.values())
