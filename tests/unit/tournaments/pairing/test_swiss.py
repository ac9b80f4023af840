"""Swiss rounds: what is promised of repeated meetings and rests, against exhaustive search and simulation."""

import subprocess
import sys
from collections.abc import Iterator
from itertools import combinations

import pytest

from tests.campaigns.statistics.schedules import CROWDED, SMALL, Field, event
from tournaments.pairing.design import Round
from tournaments.pairing.swiss import Course, is_free, least_repeats, most_repeats


def partitions(bots: tuple[int, ...], seats: int, resting: int) -> Iterator[Round]:
    """Return all rounds of some bots."""
    if len(bots) == resting:
        yield ()
        return
    if resting:
        yield from partitions(bots[1:], seats, resting - 1)
    for mates in combinations(bots[1:], seats - 1):
        group = (bots[0], *mates)
        rest = tuple(bot for bot in bots if bot not in group)
        yield from ((group, *others) for others in partitions(rest, seats, resting))


def fewest(field: Field) -> int:
    """Return the fewest repeated meetings of any schedule with fair rests, by trying all of them."""
    everyone = tuple(range(field.bots))
    choices = [
        (
            [pair for group in one for pair in combinations(group, 2)],
            set(everyone).difference(*one),
        )
        for one in partitions(everyone, field.seats, field.bots % field.seats)
    ]
    met = dict.fromkeys(combinations(everyone, 2), 0)
    rests = dict.fromkeys(everyone, 0)
    best = 10**9

    def search(left: int, repeats: int) -> None:
        nonlocal best
        if repeats >= best:
            return
        if not left:
            best = repeats
            return
        for pairs, resting in choices if left < field.rounds else choices[:1]:
            more = sum(met[pair] for pair in pairs)
            if any(rests[bot] > min(rests.values()) for bot in resting):
                continue
            for pair in pairs:
                met[pair] += 1
            for bot in resting:
                rests[bot] += 1
            search(left - 1, repeats + more)
            for pair in pairs:
                met[pair] -= 1
            for bot in resting:
                rests[bot] -= 1

    search(field.rounds, 0)
    return best


@pytest.mark.parametrize(
    "field",
    [
        Field(4, 2, 5),
        Field(5, 2, 5),
        Field(6, 2, 5),
        Field(6, 3, 4),
        Field(7, 3, 3),
        Field(8, 4, 4),
        Field(8, 3, 3),
        Field(9, 3, 4),
    ],
    ids=str,
)
def test_no_schedule_of_a_small_field_repeats_fewer_meetings_than_are_planned(field: Field) -> None:
    assert most_repeats(*field) == fewest(field) >= least_repeats(*field)


@pytest.mark.parametrize("field", [*SMALL, *CROWDED[1:3], Field(16, 4, 5)], ids=str)
def test_with_any_results_no_more_meetings_are_repeated_than_are_planned(field: Field) -> None:
    for seed in range(6):
        found = event(field, seed)
        assert found.repeats == most_repeats(*field) == least_repeats(*field)
        assert found.rests <= 1


@pytest.mark.parametrize(
    "field", [Field(9, 3, 4), Field(16, 4, 5), Field(25, 5, 6), Field(15, 3, 7), Field(20, 4, 5)], ids=str
)
def test_known_schedules_without_repeats_are_found(field: Field) -> None:
    assert not is_free(*field)
    assert most_repeats(*field) == 0


def test_a_large_field_has_a_free_choice_and_repeats_nothing() -> None:
    field = Field(96, 4, 5)
    assert is_free(*field)
    found = event(field, 1)
    assert found.repeats == 0
    assert found.distance < 6


def test_neighbours_in_the_standings_meet() -> None:
    course = Course(12, 3, 3)
    order = [3, 1, 4, 11, 5, 9, 2, 6, 8, 7, 10, 0]
    assert set(course.next(order)) == {(1, 3, 4), (5, 9, 11), (2, 6, 8), (0, 7, 10)}


def test_the_last_of_those_that_have_rested_least_rests() -> None:
    course = Course(7, 3, 3)
    rests = [set(range(7)).difference(*course.next(range(7))) for _ in range(3)]
    assert rests == [{6}, {5}, {4}]


def test_an_odd_number_of_bots_meets_and_rests_once_in_as_many_rounds() -> None:
    # Some of these have no such schedule if the last of the bots that have not rested always rests.
    found = [event(Field(5, 2, 5), seed) for seed in range(20)]
    assert all(one.repeats == 0 and one.rests <= 1 for one in found)


@pytest.mark.parametrize("field", [Field(2, 2, 3), Field(3, 3, 2), Field(5, 4, 6), Field(3, 2, 7)], ids=str)
def test_fields_that_are_hardly_larger_than_a_match(field: Field) -> None:
    found = event(field, 1)
    assert [len(one) for one in found.rounds] == [field.bots // field.seats] * field.rounds
    assert found.repeats == least_repeats(*field)
    assert found.rests <= 1


def test_rounds_do_not_depend_on_the_hashes_of_a_process() -> None:
    program = (
        "from tests.campaigns.statistics.schedules import Field, event;"
        "print([event(field, 1).rounds for field in (Field(7, 2, 7), Field(16, 4, 5), Field(20, 3, 4))])"
    )
    runs = [
        subprocess.run(
            [sys.executable, "-c", program],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": "."},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert runs[0] == runs[1]
