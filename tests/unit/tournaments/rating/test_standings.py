"""Standings: what the results say of bots."""

import itertools
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.hub.fixture import Fixture
from referee.match.faults import PROFILES
from tests.unit.tournaments.rows import contest, row
from tournaments.config.entrants import Entrant
from tournaments.config.plan import Plan
from tournaments.pairing.play_order import order_of_play
from tournaments.rating.ratings import rate
from tournaments.rating.standings import Meeting, Standings, history, stand, standings, times
from tournaments.report import export
from tournaments.results import Played


def stood(played: Sequence[Played], bots: Sequence[str] = "abc", anchor: str | None = None) -> Standings:
    return stand("evening", "coins", bots, played, anchor)


def test_the_table_is_ordered_by_rating_then_points_then_name() -> None:
    played = [row("ab", (1, 2)), row("bc", (1, 2)), row("de", (1, 1))]
    table = stood(played, "edcba").table
    assert [line.name for line in table] == ["a", "b", "d", "e", "c"]
    assert [line.points for line in table] == [1.0, 1.0, 0.5, 0.5, 0.0]


def test_ratings_are_those_of_the_fit() -> None:
    played = contest("abc", 40)
    by_name = {line.name: line for line in stood(played).table}
    for rated in rate(played, "abc").rows:
        line = by_name[rated.bot]
        assert line.elo == pytest.approx(rated.elo, abs=0.051)
        assert rated.interval is not None
        assert line.interval == pytest.approx(rated.interval, abs=0.051)
        assert line.blocks == rated.blocks == 80


def test_a_bot_that_has_not_played_is_last_and_has_no_rating() -> None:
    last = stood(contest("ab", 40), "cab").table[-1]
    assert (last.name, last.elo, last.se, last.interval, last.matches, last.blocks) == (
        "c",
        None,
        None,
        None,
        0,
        0,
    )


def test_under_thirty_blocks_there_is_a_rating_but_no_interval() -> None:
    few, enough = (stood(contest("ab", blocks), "ab") for blocks in (29, 30))
    assert [(line.elo is None, line.interval is None) for line in few.table] == [(False, True)] * 2
    assert few.gaps[0].superior is None
    assert all(line.interval is not None for line in enough.table)
    assert enough.gaps[0].superior is not None


def test_the_second_table_knows_nothing_of_forfeited_matches() -> None:
    fair = contest("abc", 5)
    lost = [row("ab", (2, 1), faults=("late", ""), block=f"x{n}", deal=f"x{n}") for n in range(3)]
    both = stood([*fair, *lost])
    assert both.forfeited == 3
    assert both.without_forfeits == stood(fair).table
    assert {line.name: line.faults for line in both.table} == {"a": {"late": 3}, "b": {}, "c": {}}


def test_without_forfeits_there_is_no_second_table() -> None:
    assert stood(contest("abc", 2)).without_forfeits == ()


def test_the_cross_table_has_both_sides_of_every_comparison() -> None:
    played = [row("ab", (1, 2)), row("ba", (1, 1)), row("abc", (1, 3, 2))]
    cross = stood(played).cross
    assert cross["a"] == {"b": Meeting(2, 1, 0), "c": Meeting(1, 0, 0)}
    assert cross["b"] == {"a": Meeting(0, 1, 2), "c": Meeting(0, 0, 1)}
    assert cross["c"] == {"a": Meeting(0, 0, 1), "b": Meeting(1, 0, 0)}
    assert cross["a"]["b"].compared == 3
    assert cross["a"]["b"].percent == pytest.approx(250 / 3)


def test_losers_that_the_game_does_not_order_are_not_compared() -> None:
    cross = stood([row("abc", (1, 2, 2), ties="unordered")]).cross
    assert cross["b"] == {"a": Meeting(0, 0, 1)}


def test_neighbours_have_their_own_error_and_likelihood() -> None:
    result = stood(contest("abc", 40))
    ratings = rate(contest("abc", 40), "abc")
    assert [(gap.name, gap.other) for gap in result.gaps] == list(
        itertools.pairwise(line.name for line in result.table)
    )
    gap = result.gaps[0]
    difference = ratings.difference(gap.name, gap.other)
    assert gap.se == pytest.approx(difference.se, abs=0.051)
    assert gap.superior == pytest.approx(difference.los, abs=0.0001)


def test_groups_that_never_met_are_named_and_not_compared() -> None:
    played = [*contest("ab", 31), *contest("xy", 31)]
    result = stood(played, "abxy")
    assert result.groups == (("a", "b"), ("x", "y"))
    assert "a, b; x, y" in result.notes[0]
    assert all({gap.name, gap.other} in ({"a", "b"}, {"x", "y"}) for gap in result.gaps)


def test_an_anchor_is_fixed() -> None:
    line = next(line for line in stood(contest("abc", 40), anchor="c").table if line.name == "c")
    assert (line.elo, line.se) == (1500.0, 0.0)


@given(st.randoms(use_true_random=False))
def test_the_same_results_in_any_order_are_the_same_bytes(luck: random.Random) -> None:
    played = contest("abcd", 8, seats=3, fault=0.1)
    mixed = luck.sample(played, len(played))
    expected = stood(played, "abcd")
    assert export.standings_json(stood(mixed, "dbca")) == export.standings_json(expected)
    assert export.standings_csv(stood(mixed, "dbca")) == export.standings_csv(expected)
    assert history(mixed, "dbca") == history(played, "abcd")


def test_measured_times_are_no_part_of_the_standings() -> None:
    slow, fast = (contest("abc", 5, charged_ms=used) for used in (900, 1))
    assert export.standings_json(stood(slow)) == export.standings_json(stood(fast))
    assert export.matches_csv(slow) == export.matches_csv(fast)
    assert [one.charged_ms for one in times(slow, "abc")] == [900 * 20] * 3
    assert [one.per_match_us for one in times(slow, "abc")] == [40_000.0] * 3
    assert times(slow, "ba")[0].name == "b"
    assert times([], "a")[0].per_match_us == 0


def test_history_ends_with_the_ratings_of_the_table() -> None:
    played = contest("abc", 12)
    steps = history(played, "abc")
    assert len(steps) == 12
    assert [step.blocks for step in steps] == [3 * n for n in range(1, 13)]
    assert steps[-1].elo == {line.name: line.elo for line in stood(played).table}


def test_history_has_so_many_steps_at_most() -> None:
    steps = history(contest("ab", 95), "ab", most=10)
    assert len(steps) == 10
    assert steps[-1].blocks == 95


def test_history_goes_by_rounds_and_then_by_blocks_of_every_group() -> None:
    def at(block: str, bots: str, of_round: int) -> Played:
        return row(bots, (1, 2), block=block, round=of_round)

    played = [at("ab-10", "ab", 1), at("ab-9", "ab", 1), at("cd-1", "cd", 2), at("bc-1", "bc", 1)]
    steps = history(played, "abcd")
    assert [(step.blocks, sorted(step.elo)) for step in steps] == [
        (2, ["a", "b", "c"]),
        (3, ["a", "b", "c"]),
        (4, ["a", "b", "c", "d"]),
    ]


def test_without_results_all_bots_are_in_the_table_and_nothing_is_compared() -> None:
    result = stood([])
    assert [line.name for line in result.table] == ["a", "b", "c"]
    assert (result.matches, result.gaps, result.cross["a"]) == (0, (), {})
    assert history([], "abc") == []


def test_standings_of_a_plan_are_those_of_its_bots(tmp_path: Path) -> None:
    settings: dict[str, Any] = {"seats": 2, "profile": PROFILES["strict"], "options": {}, "anchor": "a"}
    bots = tuple(Entrant(name, tmp_path, sample="first") for name in "abc")
    plan = Plan(
        tmp_path / "t.toml",
        "spring",
        "coins",
        "seed",
        bots=bots,
        store=tmp_path,
        replays=tmp_path,
        **settings,
    )
    played = contest("abc", 4)
    planned = [Fixture(one.match, one.bots, one.deal, one.block) for one in played]
    order = [fixture.match for fixture in order_of_play(planned, plan.seed)]
    found = standings(plan, played, planned)
    without_plan = stand("spring", "coins", "abc", played, "a", order)
    assert found == msgspec.structs.replace(without_plan, format="round-robin")
    assert [line.deals for line in found.memory] == [8, 8, 8]
