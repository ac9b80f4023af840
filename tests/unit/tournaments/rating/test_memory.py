"""Whether bots remember deals: simulated tournaments, and the arithmetic against counting all lots."""

import itertools
import random
from collections.abc import Sequence
from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.campaigns.deal_memory.simulation import HONEST, REMEMBERING, World, lines, named
from tests.unit.tournaments.rows import row
from tournaments.rating.memory import LEVEL, MemoryLine, memory
from tournaments.results import Played


def deal(number: int, ranks_of_a: Sequence[int], deal: str = "", bots: str = "ab") -> list[Played]:
    """Return a deal of two bots in two rotations, in the order of play."""
    block = f"{bots}-{number}"
    seatings = [(bots, ranks_of_a[0]), (bots[::-1], ranks_of_a[1])]
    return [
        row(
            seats,
            (rank, 3 - rank) if seats[0] == bots[0] else (3 - rank, rank),
            match=f"{block}-{turn}",
            block=block,
            deal=deal or block,
        )
        for turn, (seats, rank) in enumerate(seatings)
    ]


def found(played: Sequence[Played], bots: str = "ab") -> dict[str, MemoryLine]:
    return {line.name: line for line in memory(played, [one.match for one in played], bots)}


def learned(deals: int, **terms: str) -> list[Played]:
    """Return deals in which `a` lost the first match and won the second."""
    return [one for number in range(deals) for one in deal(number, (2, 1), **terms)]


# The error rate, simulated: `make memory` plays more tournaments.

TIMES = 120


@pytest.mark.parametrize("world", HONEST.values(), ids=HONEST)
def test_honest_bots_are_named_no_more_often_than_the_level_allows(world: World) -> None:
    most = LEVEL + 3 * sqrt(LEVEL * (1 - LEVEL) / TIMES)
    assert named(world, TIMES)[""] <= TIMES * most


@pytest.mark.parametrize("world", HONEST.values(), ids=HONEST)
def test_small_probabilities_are_not_more_frequent_than_they_say(world: World) -> None:
    luck = random.Random(3)
    found = [line.p for _ in range(100) for line in lines(world, luck).values()]
    for level in (0.05, 0.2):
        # Bots of one tournament depend on each other, so the allowance is that of the tournaments.
        most = level + 4 * sqrt(level * (1 - level) / 100)
        assert sum(p <= level for p in found) <= most * len(found)


@pytest.mark.parametrize("world", REMEMBERING.values(), ids=REMEMBERING)
def test_bots_that_remember_are_named_and_their_opponents_are_not(world: World) -> None:
    times = 40
    counts = named(world, times)
    for bot, _ in world.memory:
        assert counts[bot] >= 0.75 * times
    honest = sum(counts[bot] for bot in world.bots if bot not in dict(world.memory))
    assert honest <= 1


def test_two_that_remember_hide_each_other_when_they_only_meet_each_other() -> None:
    both = World(2, (0.0, 0.0), 80, memory=(("a", 2.0), ("b", 2.0)))
    assert not named(both, 20)[""]


# The arithmetic.


def test_the_first_match_is_that_of_the_schedule_and_not_that_of_the_rows() -> None:
    played = learned(10)
    schedule = [one.match for one in played]
    for rows in (played, played[::-1]):
        one, two = memory(rows, schedule, "ab")
        assert (one.name, one.deals, one.first, one.later, one.named) == ("a", 10, 0.0, 100.0, True)
        assert one.p == pytest.approx(1 / 1024, rel=0.01)
        assert (two.name, two.first, two.later, two.p, two.named) == ("b", 100.0, 0.0, 1.0, False)


@given(st.lists(st.tuples(*[st.integers(1, 3)] * 3), min_size=1, max_size=6))
def test_the_probability_is_that_of_counting_all_lots(deals: list[tuple[int, int, int]]) -> None:
    played = []
    for number, places in enumerate(deals):
        for turn, place in enumerate(places):
            ranks = {"a": place, "b": 1.5, "c": 2.5}
            order = [*"abc"[turn:], *"abc"[:turn]]
            ranked = [1 + sum(ranks[other] < ranks[bot] for other in order) for bot in order]
            played.append(row(order, ranked, match=f"{number}-{turn}", block=f"{number}", deal=f"{number}"))
    wins = {1: 2, 2: 1, 3: 0}
    firsts = [sum(wins[place] for place in lot) for lot in itertools.product(*deals)]
    observed = sum(wins[places[0]] for places in deals)
    exact = sum(one <= observed for one in firsts) / len(firsts)
    assert found(played, "abc")["a"].p == pytest.approx(exact, rel=0.01)


def test_the_interval_encloses_the_gain() -> None:
    played = [*learned(5), *deal(6, (1, 1)), *deal(7, (1, 2)), *deal(8, (2, 2))]
    line = found(played)["a"]
    assert line.interval is not None
    low, high = line.interval
    assert low < line.later - line.first == 50.0 < high
    assert found(deal(1, (2, 1)))["a"].interval is None


def test_the_level_is_corrected_for_the_number_of_bots() -> None:
    alone = learned(7)
    assert found(alone)["a"].p == pytest.approx(1 / 128, rel=0.01)
    # Two bots: one half of the level for the smaller probability.
    assert not found(alone)["a"].named
    assert found(learned(8))["a"].named
    others = [one for number in range(5) for one in deal(number, (1, 1), bots="cd")]
    assert not found([*learned(8), *others], "abcd")["a"].named
    assert found([*learned(9), *others], "abcd")["a"].named


def test_deals_that_were_not_played_in_all_rotations_do_not_count() -> None:
    whole = learned(3)
    assert found(whole[:-1])["a"].deals == 2
    once = [row("ab", (1, 2), match=f"m{number}") for number in range(9)]
    assert found(once) == {}


def test_of_a_common_deal_only_the_first_group_of_a_bot_counts() -> None:
    played = [
        *deal(1, (2, 1), deal="x", bots="ab"),
        *deal(1, (1, 1), deal="x", bots="ac"),
        *deal(1, (2, 2), deal="x", bots="bc"),
    ]
    lines = found(played, "abc")
    assert [(line.deals, line.first, line.later) for line in lines.values()] == [
        (1, 0.0, 100.0),
        (1, 100.0, 0.0),
        (1, 0.0, 0.0),
    ]


def test_matches_that_the_schedule_does_not_have_do_not_count() -> None:
    assert memory(learned(3), [], "ab") == ()


def test_copies_of_a_bot_in_one_match_count_as_one_bot() -> None:
    played = [
        row(order, ranks, match=f"{number}-{turn}", block=f"{number}", deal=f"{number}")
        for number in range(9)
        for turn, (order, ranks) in enumerate([("noo", (3, 1, 2)), ("ono", (2, 1, 3)), ("oon", (2, 3, 1))])
    ]
    lines = found(played, "no")
    assert (lines["n"].first, lines["n"].later, lines["n"].named) == (0.0, 100.0, True)
    assert (lines["o"].first, lines["o"].later, lines["o"].named) == (100.0, 0.0, False)
