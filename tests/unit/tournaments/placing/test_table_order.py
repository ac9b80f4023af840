"""The order of round robins and gauntlets: by rating or by points, in pools or not."""

from tests.unit.tournaments.placing.lines import Line
from tournaments.placing.places import OfficialOrder
from tournaments.placing.table_order import by_points, by_rating, in_pools


def places(order: OfficialOrder) -> list[tuple[str, int, int]]:
    return [(name, place.place, place.place_to) for name, place in order.places.items()]


def never_met(one: str, other: str) -> int:
    return 0


def test_by_rating_equal_ratings_are_parted_by_points_and_equals_share_their_places() -> None:
    order = by_rating(
        [
            Line("a", points=1, elo=1500.0),
            Line("b", points=2, elo=1500.0),
            Line("unrated", points=9),
            Line("d", points=2, elo=1500.0),
            Line("best", elo=1600.0),
        ]
    )
    assert places(order) == [("best", 1, 1), ("b", 2, 3), ("d", 2, 3), ("a", 4, 4), ("unrated", 5, 5)]
    assert order.sentence == "Ordered by rating, then points."


def test_equal_points_are_parted_by_head_to_head_then_wins_then_rating() -> None:
    margins = {("a", "b"): 2, ("b", "a"): -2}
    lines = [
        Line("b", points=5, wins=5, elo=1700.0),
        Line("a", points=5, wins=1, elo=1300.0),
        Line("d", points=3, wins=1, elo=1400.0),
        Line("c", points=3, wins=1, elo=1450.0),
        Line("e", points=3, wins=2, elo=1000.0),
    ]
    order = by_points(lines, lambda one, other: margins.get((one, other), 0), percent=False)
    assert [name for name, _, _ in places(order)] == ["a", "b", "e", "c", "d"]
    assert [place.head_to_head for place in order.places.values()] == [2, -2, 0, 0, 0]
    assert order.sentence == "Ordered by points, then head-to-head, wins and rating."


def test_head_to_head_counts_only_bots_with_equal_points() -> None:
    lines = [Line("a", points=5), Line("b", points=4), Line("c", points=4)]
    order = by_points(lines, lambda one, other: 7 if (one, other) == ("b", "a") else 0, percent=False)
    assert places(order) == [("a", 1, 1), ("b", 2, 3), ("c", 2, 3)]


def test_a_bot_with_more_matches_has_no_advantage_where_percent_counts() -> None:
    lines = [Line("hero", points=9, percent=45.0), Line("other", points=2, percent=66.7)]
    assert [name for name, _, _ in places(by_points(lines, never_met, percent=True))] == ["other", "hero"]
    assert by_points(lines, never_met, percent=True).ordered_by[0] == "points of 100 matches"


def test_the_row_decides_which_of_equals_stands_first_and_no_place() -> None:
    order = by_rating([Line("a"), Line("b")], row=lambda name: name == "a")
    assert places(order) == [("b", 1, 2), ("a", 1, 2)]


def test_every_pool_has_its_own_places() -> None:
    lines = [Line("a", elo=1.0), Line("b", elo=4.0), Line("c", elo=3.0), Line("d", elo=2.0)]
    order = in_pools({"A": ("a", "d"), "B": ("b", "c")}, lines, by_rating)
    assert [(name, place.pool, place.place) for name, place in order.places.items()] == [
        ("d", "A", 1),
        ("a", "A", 2),
        ("b", "B", 1),
        ("c", "B", 2),
    ]
    assert order.sentence == "Each pool is ordered by rating, then points."
