"""The places of a knockout: reached, shared, and still possible."""

import pytest

from tests.unit.tournaments.plans import plan, played
from tournaments.config.plan import Plan
from tournaments.pairing.rounds import Round, RoundGroup
from tournaments.pairing.schedule import expected, fixtures, rightful, rounds_of
from tournaments.placing.knockout_order import knockout_order
from tournaments.results import Played


def play(terms: Plan, rounds: int = 99, ranks: tuple[int, ...] | None = None) -> list[Played]:
    """Play so many rounds; by default the first by name wins."""
    results: list[Played] = []
    while True:
        there = {one.match for one in results}
        new = [one for one in fixtures(terms, results) if one.match not in there and one.round <= rounds]
        if not new:
            return results
        results += [played(one, ranks) for one in new]


def places(terms: Plan, results: list[Played]) -> dict[str, tuple[int, int]]:
    order = knockout_order(rounds_of(terms, results), terms.names)
    return {name: (place.place, place.place_to) for name, place in order.places.items()}


def test_bots_that_leave_in_one_round_share_their_places() -> None:
    terms = plan(tuple("abcdefgh"), format="knockout")
    assert places(terms, play(terms)) == {
        "a": (1, 1),
        "b": (2, 2),
        **dict.fromkeys("cd", (3, 4)),
        **dict.fromkeys("efgh", (5, 8)),
    }


def test_third_place_is_played_for_on_request() -> None:
    terms = plan(tuple("abcdefgh"), format="knockout", third_place=True)
    results = play(terms)
    assert places(terms, results)["c"] == (3, 3)
    assert places(terms, results)["d"] == (4, 4)
    assert len(results) == expected(terms) == 8 * 2
    assert len([one for one in results if one.round == 3]) == 4
    assert all(rightful(terms, one) for one in results)


def test_the_final_may_be_over_before_third_place_is_decided() -> None:
    terms = plan(tuple("abcd"), format="knockout", third_place=True)
    results = play(terms, rounds=1)
    final = [one for one in fixtures(terms, results) if one.round == 2 and "a" in one.bots]
    results += [played(one) for one in final]
    assert places(terms, results) == {"a": (1, 1), "b": (2, 2), "c": (3, 4), "d": (3, 4)}


def test_with_three_bots_no_match_for_third_place_is_needed() -> None:
    terms = plan(tuple("abc"), format="knockout", third_place=True)
    assert places(terms, play(terms)) == {"a": (1, 1), "b": (2, 2), "c": (3, 3)}
    assert len(play(terms)) == expected(terms) == 4


def test_places_that_the_lot_decided_are_called_so() -> None:
    terms = plan(tuple("abcd"), format="knockout", third_place=True)
    order = knockout_order(rounds_of(terms, play(terms, ranks=(1, 1))), terms.names)
    assert all(place.by_lot for place in order.places.values())
    # Only the final is a tie.
    results = play(terms, rounds=1)
    known = {one.match for one in results}
    while new := [one for one in fixtures(terms, results) if one.match not in known]:
        known |= {one.match for one in new}
        results += [played(one, (1, 1) if "a" in one.bots else None) for one in new]
    order = knockout_order(rounds_of(terms, results), terms.names)
    assert {name for name, place in order.places.items() if place.by_lot} == {"a", "b"}


def test_of_three_only_those_with_equal_points_are_decided_by_lot() -> None:
    final = RoundGroup(
        bots=("a", "b", "c"),
        points=(6, 6, 2),
        matches=3,
        played=3,
        deals=1,
        deals_done=1,
        title="Final",
        goes_on=1,
        through=("a",),
        decided="lot",
    )
    order = knockout_order([Round(1, "Final", (final,))], "abc")
    assert {name for name, place in order.places.items() if place.by_lot} == {"a", "b"}


def test_as_long_as_a_bot_is_in_its_places_are_those_that_it_may_reach() -> None:
    terms = plan(tuple("abcdef"), format="knockout")
    assert places(terms, []) == {"a": (1, 4), "b": (1, 4), **dict.fromkeys("cdef", (1, 6))}
    first = [one for one in fixtures(terms) if "c" in one.bots]
    assert places(terms, [played(one) for one in first]) == {
        "a": (1, 4),
        "b": (1, 4),
        "c": (1, 4),
        "d": (1, 6),
        "e": (1, 6),
        "f": (5, 6),
    }


def test_before_the_luck_is_drawn_every_place_is_open() -> None:
    assert places(plan(tuple("ab"), format="knockout", seed=""), []) == {"a": (1, 2), "b": (1, 2)}


def test_behind_the_winner_of_a_final_of_three_points_decide_and_equals_share() -> None:
    terms = plan(tuple("abc"), 3, format="knockout")
    assert places(terms, play(terms)) == {"a": (1, 1), "b": (2, 2), "c": (3, 3)}
    tied = [played(one, tuple(1 if bot == "b" else 2 for bot in one.bots)) for one in fixtures(terms)]
    assert places(terms, tied) == {"b": (1, 1), "a": (2, 3), "c": (2, 3)}


def test_the_round_in_which_a_bot_left_is_kept() -> None:
    terms = plan(tuple("abcd"), format="knockout", third_place=True)
    order = knockout_order(rounds_of(terms, play(terms)), terms.names)
    assert {name: place.out_in for name, place in order.places.items()} == {"a": None, "b": 2, "c": 1, "d": 1}


@pytest.mark.parametrize(
    ("rounds", "words"), [(0, "Semifinals: 0 of 4 matches are over."), (9, "a has won.")]
)
def test_the_sentence_says_how_far_it_is(rounds: int, words: str) -> None:
    terms = plan(tuple("abcd"), format="knockout")
    order = knockout_order(rounds_of(terms, play(terms, rounds)), terms.names)
    assert order.sentence == f"Ordered by the round that a bot reached. {words}"
