"""The staff's file: a tournament file of which one bot is enough, and deals that are the same for all."""

from pathlib import Path

import pytest

from referee.chance import deal_key
from tournaments.config.mistakes import PlanError
from tournaments.grading.staff import STUDENT, meeting_fixtures, planner_of, staff_plans

STAFF = """
game = "coins"
seed = "a secret"
blocks = 3
{more}
[[bots]]
name = "random"
sample = "random"
"""


def staff(tmp_path: Path, more: str = "") -> Path:
    file = tmp_path / "staff.toml"
    file.write_text(STAFF.format(more=more))
    return file


def test_one_staff_bot_is_enough_and_its_copies_fill_the_seats(tmp_path: Path) -> None:
    [plan] = staff_plans(staff(tmp_path, "seats = 3"))
    planned = meeting_fixtures(plan)
    assert len(planned) == 3 * 3
    assert {one.programs.count(STUDENT) for one in planned} == {1}
    assert {one.programs.count("random") for one in planned} == {2}


def test_every_deal_is_played_in_all_seats_before_the_next(tmp_path: Path) -> None:
    [plan] = staff_plans(staff(tmp_path))
    seats = [(one.fixture.deal, one.programs.index(STUDENT)) for one in meeting_fixtures(plan)]
    assert seats == [(f"random-000{deal}", seat) for deal in (1, 2, 3) for seat in (0, 1)]


def test_ids_and_replays_of_matches_do_not_disclose_seed_or_staff(tmp_path: Path) -> None:
    [plan] = staff_plans(staff(tmp_path))
    for one in meeting_fixtures(plan):
        assert "random" not in one.fixture.match
        assert one.fixture.shared
    assert not planner_of(plan).writes_seed


def test_cards_depend_on_the_seed_and_the_staff_bot_alone(tmp_path: Path) -> None:
    [plan] = staff_plans(staff(tmp_path))
    [more] = staff_plans(staff(tmp_path, '[[bots]]\nname = "first"\nsample = "first"\n'))
    keys = {deal_key(plan.seed, one.fixture.deal) for one in meeting_fixtures(plan)}
    others = {deal_key(more.seed, one.fixture.deal) for one in meeting_fixtures(more)}
    assert keys < others


@pytest.mark.parametrize(
    ("more", "found"),
    [
        ('format = "swiss"', "staff.toml:5: format: has no meaning here"),
        ('beacon = "drand 1"', "beacon: has no meaning here"),
        ('[[bots]]\nname = "student"\nsample = "first"', "is the name of the graded bot"),
        ("seats = 99", "seats"),
    ],
)
def test_what_has_no_meaning_for_a_grade_is_a_mistake(tmp_path: Path, more: str, found: str) -> None:
    with pytest.raises(PlanError) as caught:
        staff_plans(staff(tmp_path, more))
    assert found in str(caught.value)
