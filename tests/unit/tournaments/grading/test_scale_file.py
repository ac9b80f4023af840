"""The scale of a grade: points for percentages, and mistakes with their lines."""

from pathlib import Path

import pytest

from tests.unit.tournaments.plans import plan
from tournaments.config.mistakes import PlanError
from tournaments.config.plan import Plan
from tournaments.grading.scale_file import Scale, load_scale

STAFF = [plan(("random", "solution"), blocks=20, game="coins")]


def load(tmp_path: Path, text: str, staff: list[Plan] = STAFF) -> Scale:
    file = tmp_path / "grade.toml"
    file.write_text(text)
    return load_scale(file, staff)


def mistakes(tmp_path: Path, text: str, staff: list[Plan] = STAFF) -> list[str]:
    with pytest.raises(PlanError) as caught:
        load(tmp_path, text, staff)
    return str(caught.value).replace(str(tmp_path), "").splitlines()


def test_steps_give_the_points_of_the_last_threshold_that_is_reached(tmp_path: Path) -> None:
    scale = load(tmp_path, '[[scale]]\nagainst = "random"\nat = [[50, 10], [80, 30]]\n')
    [test] = scale.tests
    assert [test.points(percent) for percent in (0, 49.9, 50, 79.9, 80, 100)] == [0, 0, 10, 10, 30, 30]
    assert (scale.most, test.name) == (30, "Against random")


def test_linear_points_grow_evenly_between_thresholds(tmp_path: Path) -> None:
    [test] = load(tmp_path, 'between = "linear"\n[[scale]]\nat = [[50, 10], [90, 30]]\n').tests
    assert [test.points(percent) for percent in (49, 50, 60, 90, 95)] == [0, 10, 15, 30, 30]
    assert test.name == "Against all staff bots"


def test_checks_count_to_the_total(tmp_path: Path) -> None:
    scale = load(tmp_path, "[checks]\nsubmitted = 1\nstarts = 2\nconformance = 3\nno_faults = 4.5\n")
    assert scale.most == 10.5


def test_a_max_below_the_sum_leaves_room_for_extra_points(tmp_path: Path) -> None:
    assert load(tmp_path, "max = 20\n[[scale]]\nat = [[50, 30]]\n").most == 20


def test_every_mistake_has_its_line_and_what_would_be_right(tmp_path: Path) -> None:
    found = mistakes(
        tmp_path,
        "\n".join(
            [
                "max = 99",
                "[[scale]]",
                'against = "randon"',
                "at = [[0.5, 10], [0.9, 20]]",
                "[[scale]]",
                'game = "coin"',
                "at = [[80, 30], [50, 10]]",
                "[[scale]]",
                'against = "random"',
                'measure = "low"',
                "at = [[50, 1]]",
            ]
        ),
    )
    assert [line.partition(": ")[0] for line in found] == [f"/grade.toml:{n}" for n in (1, 3, 4, 6, 7, 10)]
    text = "\n".join(found)
    assert "can never be reached: the tests add up to 31" in text
    assert "no staff bot is called 'randon': did you mean random" in text
    assert "write 90, not 0.9" in text
    assert "the staff does not play 'coin'" in text
    assert "must ascend" in text
    assert "at least 30 deals, not 20" in text


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", "there is nothing to be graded"),
        ("points = 3\n", "there is no such key here"),
        ("[[scale]]\nat = [50, 10]\n", "is a list of pairs [percent, points]"),
        ("[[scale]]\nat = []\n", "is a list of pairs [percent, points]"),
        ("[[scale]]\nat = [[120, 10]]\n", "is a list of pairs [percent, points]"),
        ("[[scale]]\nat = [[50, 10]]\n[[scale]]\nat = [[50, 10]]\n", "another test is called"),
        ("[checks]\nstarts = 1\neach_fault = 2\n", "add no_faults"),
        ('measure = "lower"\n', 'cannot be "lower"'),
        ("max = \n", "this is no TOML"),
        ("[checks]\nstarts = -1\n", "a number from 0"),
    ],
)
def test_a_mistake_is_named(tmp_path: Path, text: str, found: str) -> None:
    assert found in mistakes(tmp_path, text)[0]


def test_a_scale_that_is_not_there_is_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match=r"cannot read .*: No such file"):
        load_scale(tmp_path / "none.toml", STAFF)
