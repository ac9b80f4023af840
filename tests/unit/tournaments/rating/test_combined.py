"""The combined table of several games: points for places, or the mean of the ratings."""

from math import sqrt
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tournaments.config.file_keys import Combine
from tournaments.rating.combined import CombinedLine, GameTable, combine
from tournaments.rating.standings import StandingLine, stand

EMPTY = stand("event", "coins", [], [])


def line(name: str, elo: float | None, points: float = 0, matches: int = 10, se: float = 10) -> StandingLine:
    half = 1.96 * se
    return StandingLine(
        name=name,
        matches=matches,
        wins=0,
        draws=0,
        losses=0,
        points=points,
        percent=50,
        score=0,
        faults={},
        elo=elo,
        se=None if elo is None else se,
        interval=None if elo is None else (elo - half, elo + half),
        blocks=40,
    )


def game(name: str, *lines: StandingLine, weight: float = 1) -> GameTable:
    """Return the table of a game: bots of equal ratings have the same place."""
    ratings = [line.elo or 0 for line in lines]
    placed = [replace(line, place=1 + sum(other > (line.elo or 0) for other in ratings)) for line in lines]
    return GameTable(name, weight, replace(EMPTY, table=tuple(placed)))


def by_name(rule: Combine, *games: GameTable) -> dict[str, CombinedLine]:
    return {line.name: line for line in combine(rule, games).lines}


def test_a_bot_gets_a_point_for_every_bot_behind_it() -> None:
    found = by_name("places", game("a", line("x", 1600), line("y", 1500), line("z", 1400)))
    assert [found[name].value for name in "xyz"] == [2, 1, 0]


def test_bots_that_share_places_share_the_points() -> None:
    found = by_name("places", game("a", line("x", 1500), line("y", 1500), line("z", 1400)))
    assert [found[name].value for name in "xyz"] == [1.5, 1.5, 0]
    assert found["x"].place == found["y"].place == 1
    assert found["z"].place == 3
    assert [found[name].shown for name in "xyz"] == ["1-2", "1-2", "3"]


def test_places_that_are_shared_are_shown_as_such() -> None:
    found = by_name("places", game("a", line("x", 1600), line("y", 1500), line("z", 1500)))
    shown = {name: found[name].games["a"].shown for name in "xyz"}
    assert shown == {"x": "1", "y": "2-3", "z": "2-3"}


def test_ties_in_one_pool_change_nothing_in_another() -> None:
    def pool(name: str, *bots: tuple[str, int, int]) -> list[StandingLine]:
        return [replace(line(bot, 1500), place=at, place_to=to, pool=name) for bot, at, to in bots]

    def points(*table: StandingLine) -> dict[str, float | None]:
        return {
            one.name: one.value
            for one in combine("places", [GameTable("a", 1, replace(EMPTY, table=table))]).lines
        }

    clear = pool("B", ("x", 1, 1), ("y", 2, 2), ("z", 3, 3))
    apart = points(*pool("A", ("u", 1, 1), ("v", 2, 2), ("w", 3, 3)), *clear)
    tied = points(*pool("A", ("u", 1, 3), ("v", 1, 3), ("w", 1, 3)), *clear)
    assert [apart[name] for name in "xyzuvw"] == [4.5, 2.5, 0.5, 4.5, 2.5, 0.5]
    assert [tied[name] for name in "xyzuvw"] == [4.5, 2.5, 0.5, 2.5, 2.5, 2.5]


def test_the_points_of_a_game_are_multiplied_by_its_weight() -> None:
    one = game("a", line("x", 1600), line("y", 1400))
    other = game("b", line("y", 1600), line("x", 1400), weight=3)
    found = combine("places", [one, other])
    assert [(line.name, line.value) for line in found.lines] == [("y", 3), ("x", 1)]


def test_a_game_that_a_bot_did_not_play_gives_no_points_and_is_named() -> None:
    one = game("a", line("x", 1600), line("y", 1400))
    other = game("b", line("x", 1500), line("y", None, matches=0))
    found = combine("places", [one, other])
    assert [(line.name, line.value) for line in found.lines] == [("x", 1), ("y", 0)]
    assert "not all games have results of y" in found.notes[0]


def test_a_bot_without_a_rating_in_one_game_has_no_mean_and_comes_last() -> None:
    one = game("a", line("x", 1300), line("y", 1700))
    other = game("b", line("x", 1500), line("y", None, matches=0))
    found = combine("ratings", [one, other]).lines
    assert [(line.name, line.value) for line in found] == [("x", 1400), ("y", None)]


def test_equals_are_in_the_order_of_their_ratings() -> None:
    one = game("a", line("x", 1510), line("y", 1500))
    other = game("b", line("y", 1700), line("x", 1300))
    found = combine("places", [one, other]).lines
    assert [(line.name, line.place) for line in found] == [("y", 1), ("x", 1)]


def test_the_variances_of_independent_games_are_added() -> None:
    one = game("a", line("x", 1600, se=30), line("y", 1400))
    other = game("b", line("x", 1500, se=40), line("y", 1500))
    found = by_name("ratings", one, other)["x"]
    assert (found.value, found.se) == (1550, 25)
    assert found.interval is not None
    assert found.interval[1] - 1550 == pytest.approx(1.96 * 25, abs=0.1)


def test_the_interval_of_a_weighted_mean_covers_it_in_95_of_100_events() -> None:
    luck, truth, errors, weights = Random(7), (1620.0, 1480.0, 1550.0), (35.0, 20.0, 50.0), (1.0, 2.5, 0.5)
    mean = sum(w * t for w, t in zip(weights, truth, strict=True)) / sum(weights)
    covered = 0
    for _ in range(2_000):
        games = [
            game(str(n), line("x", luck.gauss(true, se), se=se), weight=weight)
            for n, (true, se, weight) in enumerate(zip(truth, errors, weights, strict=True))
        ]
        interval = by_name("ratings", *games)["x"].interval
        assert interval is not None
        covered += interval[0] <= mean <= interval[1]
    assert 0.935 <= covered / 2_000 <= 0.965


@given(
    st.lists(st.permutations("abcde"), min_size=1, max_size=4),
    st.lists(st.sampled_from([0.5, 1.0, 2.0, 3.0]), min_size=4, max_size=4),
)
def test_the_points_of_all_bots_are_those_of_all_places(
    orders: list[list[str]], weights: list[float]
) -> None:
    games = [
        game(str(n), *(line(name, 2000 - 10 * at) for at, name in enumerate(order)), weight=weights[n])
        for n, order in enumerate(orders)
    ]
    found = combine("places", games)
    assert sum(line.value or 0 for line in found.lines) == 10 * sum(weights[: len(orders)])
    assert [line.place for line in found.lines] == sorted(line.place for line in found.lines)


@given(st.permutations(range(3)))
def test_the_order_of_the_games_decides_nothing(order: list[int]) -> None:
    games = [
        game("a", line("x", 1600), line("y", 1500), line("z", 1400)),
        game("b", line("z", 1600), line("x", 1500), line("y", 1400), weight=2),
        game("c", line("y", 1600), line("z", 1500), line("x", 1400), weight=0.5),
    ]
    for rule in ("places", "ratings"):
        wanted = [(one.name, one.value) for one in combine(rule, games).lines]
        found = combine(rule, [games[at] for at in order]).lines
        assert [(one.name, one.value) for one in found] == wanted


def test_a_weight_of_all_games_changes_no_mean() -> None:
    light = by_name("ratings", game("a", line("x", 1600)), game("b", line("x", 1500)))["x"]
    heavy = by_name("ratings", game("a", line("x", 1600), weight=7), game("b", line("x", 1500), weight=7))[
        "x"
    ]
    assert (light.value, light.se) == (heavy.value, heavy.se) == (1550, round(10 / sqrt(2), 1))
