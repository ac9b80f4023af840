"""Results for a gradebook: a line for each bot, in columns that never depend on the data."""

import csv
import io

from msgspec.structs import replace

from tests.unit.tournaments.rows import contest, played_on_ladder, row
from tournaments.rating.combined import WholePlace
from tournaments.rating.earlier_versions import with_earlier
from tournaments.rating.standings import stand
from tournaments.report.grades import (
    HEADS,
    Enrolled,
    EventGrades,
    WholeEvent,
    accounts_enrolled,
    grades_csv,
)


def table(*events: EventGrades) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(grades_csv(events))))


def test_columns_never_depend_on_the_data() -> None:
    bots = ["a", "b", "c"]
    faulty = stand("Spring", "coins", bots, contest(bots, 4, fault=0.9))
    for standings in (stand("Empty", "coins", [], []), faulty):
        assert grades_csv([EventGrades(standings)]).splitlines()[0] == ",".join(HEADS)


def test_a_bot_has_its_id_authors_rank_points_rating_and_faults() -> None:
    played = [row("ab", (1, 2), match="m1"), row("ba", (2, 1), match="m2", faults=("late", ""))]
    enrolled = (Enrolled("a", ("s123",), ("Ann", "Bo")), Enrolled("b"))
    first, second = table(EventGrades(stand("Spring", "coins", ["a", "b"], played), enrolled))
    assert [first[head] for head in HEADS[:6]] == ["s123", "a", "Ann; Bo", "Spring", "1", "2.0"]
    assert (first["faults"], second["faults"], second["id"]) == ("0", "1", "b")
    assert float(first["rating"]) > float(second["rating"])
    assert first["comment"] == "First in 2 matches of 2, and lost none by a fault."
    assert second["comment"].startswith(
        "Lost 1 of 2 matches by a fault: it answered after its time was up; let it"
    )


def test_the_points_of_a_swiss_are_those_that_order_its_table() -> None:
    standings = stand("Spring", "coins", ["a", "b"], [row("ab", (1, 2))])
    lines = tuple(replace(line, swiss_points=6 if line.name == "a" else 2) for line in standings.table)
    found = table(EventGrades(replace(standings, table=lines)))
    assert [(line["name"], float(line["points"])) for line in found] == [("a", 6), ("b", 2)]


def test_the_commonest_of_several_faults_is_counted_in_words() -> None:
    played = [
        row("ab", (1, 2), match="m1", faults=("", "late")),
        row("ab", (1, 2), match="m2", faults=("", "late")),
        row("ab", (1, 2), match="m3", faults=("", "crashed")),
    ]
    text = table(EventGrades(stand("Spring", "coins", ["a", "b"], played)))[1]["comment"]
    assert text.startswith("Lost 3 of 3 matches by a fault: twice it answered after its time was up")
    text = table(EventGrades(stand("Spring", "coins", ["a", "b"], played[1:])))[1]["comment"]
    assert text.startswith("Lost 2 of 2 matches by a fault: once it ")


def test_each_student_of_a_team_has_a_line() -> None:
    standings = stand("Spring", "coins", ["a", "b"], [row("ab", (1, 2))])
    lines = table(EventGrades(standings, (Enrolled("a", ("s1", "s2"), ("Ann", "Bo")),)))
    assert [(line["id"], line["name"], line["rank"]) for line in lines] == [
        ("s1", "a", "1"),
        ("s2", "a", "1"),
        ("b", "b", "2"),
    ]


def test_a_bot_that_was_left_out_or_has_not_played_has_a_line_too() -> None:
    standings = replace(
        stand("Spring", "coins", ["a", "b", "c"], [row("ab", (1, 2))]),
        left_out={"broken": "it does not start"},
    )
    lines = {line["name"]: line for line in table(EventGrades(standings, (Enrolled("broken", ("s9",)),)))}
    assert (lines["c"]["rank"], lines["c"]["comment"]) == ("", "It has not played.")
    assert (lines["broken"]["id"], lines["broken"]["rank"]) == ("s9", "")
    assert lines["broken"]["comment"] == "Left out: it does not start."


def test_a_version_on_a_ladder_has_the_id_of_its_account() -> None:
    rows = [played_on_ladder(1, "ann@1.3", "bob"), played_on_ladder(2, "bob", "ann@1.4")]
    standings = with_earlier(stand("Ladder", "coins", ["ann@1.3", "ann@1.4", "bob"], rows), ("ann@1.3",))
    ladder = EventGrades(standings, accounts_enrolled(standings, rows))
    assert sorted((one["id"], one["name"]) for one in table(ladder)) == [("ann", "ann@1.4"), ("bob", "bob")]


def test_no_cell_is_evaluated_by_a_spreadsheet() -> None:
    standings = stand("=Spring", "coins", ["=cmd()", "b"], [row(["=cmd()", "b"], (1, 2))])
    line = table(EventGrades(standings, (Enrolled("=cmd()", ("+1",), ("@x",)),)))[0]
    assert [line[head] for head in HEADS[:4]] == ["'+1", "'=cmd()", "'@x", "'=Spring"]


def test_several_events_follow_each_other() -> None:
    one = EventGrades(stand("One", "coins", ["a", "b"], [row("ab", (1, 2))]))
    two = EventGrades(stand("Two", "coins", ["a", "b"], [row("ab", (2, 1))]))
    assert [(line["event"], line["name"]) for line in table(one, two)] == [
        *(("One", "a"), ("One", "b")),
        *(("Two", "b"), ("Two", "a")),
    ]


def test_the_whole_of_an_event_comes_first_with_a_line_for_each_student() -> None:
    late = [row("ab", (2, 1), faults=("late", ""))]
    enrolled = (Enrolled("a", ("s1",)), Enrolled("b", ("s2",)), Enrolled("c", ("s3",)))
    parts = [
        EventGrades(stand("Day: one", "coins", ["a", "b"], [row("ab", (1, 2))]), enrolled),
        EventGrades(
            replace(stand("Day: two", "coins", ["a", "b"], late), left_out={"c": "crashed"}), enrolled
        ),
    ]
    whole = WholeEvent("Day", {"b": WholePlace(1, 1.5), "a": WholePlace(2, 0.5)})
    lines = list(csv.DictReader(io.StringIO(grades_csv(parts, whole))))
    assert [line["event"] for line in lines] == ["Day"] * 3 + ["Day: one"] * 3 + ["Day: two"] * 3
    shown = [[line[head] for head in ("id", "rank", "points", "rating", "faults")] for line in lines[:3]]
    assert shown == [["s2", "1", "1.5", "", "0"], ["s1", "2", "0.5", "", "1"], ["s3", "", "", "", "0"]]
    assert [line["comment"] for line in lines[:3]] == [
        "Place 1 of 2 in the whole event; lost none of 2 matches by a fault.",
        "Place 2 of 2 in the whole event; lost 1 of 2 matches by a fault.",
        "Left out: crashed.",
    ]
