"""The tally of results."""

from referee.match.result import Result
from tests.unit.tournaments.rows import result
from tournaments.rating.tally import Tally


def tallied(*results: Result) -> Tally:
    tally = Tally()
    for one in results:
        tally.add(one)
    return tally


def test_the_winner_has_the_point() -> None:
    first, second = tallied(result("ab", (2, 1))).table()
    assert (first.name, first.wins, first.points, first.percent) == ("b", 1, 1.0, 100.0)
    assert (second.name, second.losses, second.points) == ("a", 1, 0.0)


def test_those_who_share_the_first_place_share_its_point() -> None:
    table = tallied(result("abcd", (1, 4, 1, 1))).table()
    assert [(s.name, s.draws, s.wins, s.points) for s in table[:3]] == [
        (name, 1, 0, 0.333) for name in ("a", "c", "d")
    ]
    assert (table[3].name, table[3].losses) == ("b", 1)


def test_three_thirds_are_a_whole_point() -> None:
    table = tallied(*[result("abc", (1, 1, 1))] * 3).table()
    assert [s.points for s in table] == [1.0] * 3


def test_the_second_place_of_many_is_a_loss() -> None:
    table = tallied(result("abc", (1, 2, 3))).table()
    assert [(s.name, s.losses) for s in table] == [("a", 0), ("b", 1), ("c", 1)]


def test_the_table_is_sorted_by_points_then_name() -> None:
    tally = tallied(result("cb", (1, 2)), result("ab", (1, 2)), result("cd", (2, 1)), result("ca", (1, 2)))
    assert [(s.name, s.points) for s in tally.table()] == [("c", 2.0), ("a", 1.0), ("d", 1.0), ("b", 0.0)]
    assert tally.leader() == "c"


def test_the_order_of_matches_does_not_matter() -> None:
    some = [result("abc", (1, 1, 2)), result("bca", (1, 1, 1)), result("cab", (3, 1, 2))]
    assert tallied(*some).table() == tallied(*reversed(some)).table()


def test_faults_scores_and_times_are_added_up() -> None:
    late = ("late", "")
    table = tallied(
        result("ab", (2, 1), scores=(10, 11), faults=late),
        result("ab", (2, 1), scores=(10, 11), faults=late),
        result("ab", (2, 1), scores=(10, 11), faults=("crashed", "")),
    ).table()
    assert table[1].faults == {"crashed": 1, "late": 2}
    assert table[0].faults == {}
    assert [(s.score, s.charged_ms, s.took_us) for s in table] == [(33, 15, 120_000), (30, 15, 120_000)]


def test_the_time_of_an_answer_has_a_median_and_a_slowest() -> None:
    times = [4_000, 40_000, 400_000, 0]
    (one, _) = tallied(*(result("ab", (1, 2), took_us=us) for us in times)).table()
    # A match without an answer, such as one lost before it began, says nothing about the time of answers.
    assert (one.took_us, one.median_us, one.slowest_us) == (444_000, 10_000, 200_000)


def test_a_void_match_is_listed_but_not_counted() -> None:
    tally = tallied(result("ab", (1, 1), void=True, match="m-3"), result("ab", (1, 2)))
    assert tally.void == ["m-3"]
    assert tally.counted == 1
    assert [s.matches for s in tally.table()] == [1, 1]


def test_a_bot_that_has_not_played_is_in_the_table_and_no_bot_leads() -> None:
    tally = Tally(["b", "a"])
    assert [(s.name, s.matches, s.percent) for s in tally.table()] == [("a", 0, 0.0), ("b", 0, 0.0)]
    assert tally.leader() == ""
