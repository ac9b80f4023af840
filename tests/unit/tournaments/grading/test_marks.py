"""Points and reasons follow from what was found out about a bot."""

from typing import Any

from msgspec.structs import replace

from tournaments.grading.confinement import Confinement
from tournaments.grading.facts import BotStart, ConformanceTrial, GradingFacts, StaffMeeting
from tournaments.grading.grade import Grade, GradedTest, seen_by
from tournaments.grading.marks import grade_of
from tournaments.grading.scale_file import CheckPoints, RateTest, Scale
from tournaments.rating.block_scores import BlockScore

NO_CHECKS = CheckPoints()
WON, SPLIT, LOST = BlockScore(4, 4), BlockScore(2, 4), BlockScore(0, 4)


def rate_test(**settings: Any) -> RateTest:
    given: dict[str, Any] = {
        "name": "Beats random",
        "against": "random",
        "game": None,
        "at": ((50.0, 10.0), (80.0, 30.0)),
        "measure": "estimate",
        "between": "steps",
        "visibility": "visible",
    }
    return RateTest(**given | settings)


def meeting(*blocks: BlockScore, **settings: Any) -> StaffMeeting:
    matches = 2 * len(blocks)
    given: dict[str, Any] = {"game": "coins", "against": "random", "planned": matches, "played": matches}
    return StaffMeeting(blocks=blocks, **given | settings)


def facts(*meetings: StaffMeeting, **settings: Any) -> GradingFacts:
    given: dict[str, Any] = {
        "bot": "mine",
        "start": BotStart(True),
        "conformance": None,
        "confinement": Confinement("class", "class"),
        "out_of_time": False,
        "interrupted": False,
        "limit_s": 60.0,
        "took_s": 3.0,
    }
    return GradingFacts(meetings=meetings, **given | settings)


def scale(*tests: RateTest, checks: CheckPoints = NO_CHECKS, **settings: Any) -> Scale:
    most = checks.total + sum(test.most for test in tests)
    given: dict[str, Any] = {"title": "Task", "most": most, "checks": checks, "tests": tests}
    return Scale(**given | settings)


def mark(grade: Grade, name: str) -> GradedTest:
    return next(one for one in grade.marks if one.name == name)


def test_a_win_rate_gets_its_points_and_says_what_the_next_step_is() -> None:
    found = grade_of(scale(rate_test()), facts(meeting(WON, SPLIT, SPLIT)))
    [only] = found.marks
    assert (only.points, only.most, found.points) == (10, 30, 10)
    assert "66.7 % won in 3 deals" in only.comment[0]
    assert "30 points from 80 % on" in only.comment[1]


def test_the_lower_end_of_the_interval_is_less_than_the_win_rate() -> None:
    blocks = [WON] * 24 + [LOST] * 6
    by_estimate = grade_of(scale(rate_test()), facts(meeting(*blocks)))
    by_low = grade_of(scale(rate_test(measure="low")), facts(meeting(*blocks)))
    assert (by_estimate.points, by_low.points) == (30, 10)
    assert "the lower end" in by_low.marks[0].comment[0]


def test_without_an_interval_its_lower_end_gives_no_points() -> None:
    found = grade_of(scale(rate_test(measure="low")), facts(meeting(WON, WON)))
    assert found.points == 0
    assert "no interval" in found.marks[0].comment[1]


def test_a_test_about_all_staff_bots_takes_all_meetings_together() -> None:
    both = facts(meeting(WON, WON), meeting(LOST, LOST, against="first"))
    assert grade_of(scale(rate_test(against=None)), both).points == 10


def test_faults_take_points_off_and_are_explained_with_the_stderr() -> None:
    checks = CheckPoints(no_faults=10, each_fault=3)
    lost = facts(meeting(LOST, LOST, faults={"crashed": 2}), stderr="Traceback\nValueError: \x1b[2J\n")
    found = mark(grade_of(scale(checks=checks), lost), "Loses no match by a fault")
    assert (found.points, found.most) == (4, 10)
    text = "\n".join(found.comment)
    assert "2 matches lost because the bot ended its process in mid-match (crashed)" in text
    assert "ValueError: \\x1b[2J" in text


def test_points_for_faults_never_fall_below_nothing() -> None:
    checks = CheckPoints(no_faults=10, each_fault=3)
    lost = facts(meeting(LOST, LOST, LOST, faults={"late": 6}))
    assert grade_of(scale(checks=checks), lost).points == 0


def test_a_bot_that_does_not_start_has_the_points_of_its_submission_and_the_reason() -> None:
    checks = CheckPoints(submitted=5, starts=5, conformance=10, no_faults=5)
    broken = facts(start=BotStart(False, "it did not start: exited with code 1", "SyntaxError: here"))
    found = grade_of(scale(rate_test(), checks=checks), broken)
    assert found.points == 5
    assert [one.points for one in found.marks] == [5, 0, 0, 0, 0]
    assert any("SyntaxError: here" in line for line in mark(found, "Starts and says hello").comment)
    assert "it did not start: exited with code 1" in mark(found, "Beats random").comment[0]


def test_a_teacher_can_keep_the_stderr_back() -> None:
    broken = facts(start=BotStart(False, "it did not start", "the seed is 7"))
    found = grade_of(scale(checks=CheckPoints(starts=5), shows_stderr=False), broken)
    assert "seed" not in str(found)


def test_without_a_check_for_it_the_reason_of_a_failure_is_a_note() -> None:
    broken = facts(start=BotStart(False, "it did not start", "ImportError: x"))
    assert any("ImportError: x" in line for line in grade_of(scale(rate_test()), broken).notes)
    faulty = facts(meeting(LOST, faults={"illegal": 1}))
    assert any("illegal" in line for line in grade_of(scale(rate_test()), faulty).notes)


def test_what_the_kit_found_is_named() -> None:
    examined = facts(conformance=ConformanceTrial(False, ("ready: nothing came",)))
    found = grade_of(scale(checks=CheckPoints(conformance=10)), examined)
    assert (found.points, found.marks[0].comment[0]) == (0, "ready: nothing came")
    passed = facts(conformance=ConformanceTrial(True))
    assert grade_of(scale(checks=CheckPoints(conformance=10)), passed).points == 10


def test_matches_that_were_not_played_are_said_to_be_so_and_the_others_count() -> None:
    late = facts(meeting(WON, planned=20, played=3), out_of_time=True)
    found = grade_of(scale(rate_test()), late)
    assert found.points == 30
    assert "17 matches were not played" in found.notes[0]
    assert any("--time-limit" in line for line in found.staff_notes)


def test_no_more_than_the_maximum_is_given() -> None:
    assert grade_of(scale(rate_test(), most=20.0), facts(meeting(WON))).points == 20


def test_the_staff_reads_of_faults_of_its_bots_and_of_what_the_host_lacks() -> None:
    there = facts(
        meeting(WON, staff_faults={"late": 2}, void=("the disk is full",)),
        confinement=Confinement("class", "trusted", ("bubblewrap: no box can be made; install it",)),
    )
    text = "\n".join(grade_of(scale(rate_test()), there).staff_notes)
    assert "the staff bot random lost 2 matches by its own faults (2 late)" in text
    assert "level class is not kept here, so bots run at level trusted" in text
    assert "no box can be made" in text
    assert "the disk is full" in text


def test_a_student_sees_of_a_hidden_test_its_points_alone_and_no_notes_of_the_staff() -> None:
    hidden = rate_test(name="Beats the solution", visibility="hidden")
    found = grade_of(
        scale(rate_test(), hidden), facts(meeting(WON), confinement=Confinement("class", "class"))
    )
    seen = seen_by(found, "student")
    assert [one.name for one in seen.marks] == ["Beats random", "Hidden test 1"]
    assert (seen.marks[1].points, seen.marks[1].comment, seen.marks[1].rate) == (30, (), None)
    assert not seen.staff_notes
    assert seen_by(found, "staff") == found
    assert seen == replace(found, marks=seen.marks, staff_notes=())
