"""The order of a Swiss tournament: points, Buchholz, wins, rating, lot; rests and open rounds."""

from tests.unit.tournaments.placing.lines import Line
from tests.unit.tournaments.plans import plan
from tournaments.pairing.rounds import Round, RoundGroup
from tournaments.placing.swiss_order import swiss_order


def met(one: str, points: int, other: str, others: int, *, matches: int = 2, played: int = 2) -> RoundGroup:
    return RoundGroup((one, other), (points, others), matches, played, 1, played // matches)


def one_round(number: int, *groups: RoundGroup, resting: str = "") -> Round:
    return Round(number, f"Round {number}", groups, tuple(resting))


def test_points_come_before_buchholz_and_buchholz_before_wins_and_rating() -> None:
    terms = plan(("a", "b", "c", "d"), format="swiss", rounds=2)
    rounds = [
        one_round(1, met("a", 4, "b", 0), met("c", 4, "d", 0)),
        one_round(2, met("a", 4, "c", 0), met("b", 2, "d", 2)),
    ]
    lines = [Line("a"), Line("b", wins=0, elo=1000.0), Line("c"), Line("d", wins=9, elo=2000.0)]
    order = swiss_order(terms, rounds, lines, str)
    assert list(order.places) == ["a", "c", "b", "d"]
    assert [(one.swiss_points, one.buchholz) for one in order.places.values()] == [
        (8, 6),
        (4, 10),
        (2, 10),
        (2, 6),
    ]
    assert order.sentence == "Ordered by Swiss points, then Buchholz, wins, rating and lot."


def test_a_rest_counts_like_draws_and_like_opponents_with_as_many_points() -> None:
    terms = plan(("a", "b", "c"), format="swiss", rounds=1)
    order = swiss_order(terms, [one_round(1, met("a", 4, "b", 0), resting="c")], map(Line, "abc"), str)
    assert [(name, one.swiss_points, one.buchholz, one.rests) for name, one in order.places.items()] == [
        ("a", 4, 0, 0),
        ("c", 2, 2, 1),
        ("b", 0, 4, 0),
    ]


def test_a_round_that_is_not_over_does_not_count() -> None:
    terms = plan(("a", "b"), format="swiss", rounds=3)
    rounds = [one_round(1, met("a", 4, "b", 0)), one_round(2, met("b", 2, "a", 0, played=1))]
    order = swiss_order(terms, rounds, map(Line, "ab"), str)
    assert [(name, one.swiss_points) for name, one in order.places.items()] == [("a", 4), ("b", 0)]
    assert order.sentence == "Ordered by Swiss points after 1 of 3 rounds, then Buchholz, wins and rating."


def test_the_lot_parts_equals_when_all_rounds_are_over_and_not_before() -> None:
    rounds = [one_round(1, met("a", 2, "b", 2))]
    lots = {"a": "9", "b": "1"}
    whole = swiss_order(plan(("a", "b"), format="swiss", rounds=1), rounds, map(Line, "ab"), lots.__getitem__)
    assert [(name, one.place, one.place_to, one.by_lot) for name, one in whole.places.items()] == [
        ("b", 1, 1, True),
        ("a", 2, 2, True),
    ]
    part = swiss_order(plan(("a", "b"), format="swiss", rounds=2), rounds, map(Line, "ab"), lots.__getitem__)
    assert [(one.place, one.place_to, one.by_lot) for one in part.places.values()] == [(1, 2, False)] * 2
