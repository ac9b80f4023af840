"""How the work is divided on hosts of any size: fairly for the clocks of all bots."""

import os

import pytest

from referee import registry
from referee.hub.capacity import WorkDivision, divide_host, spare_cores, thinking_at_once
from referee.process.spec import LEVELS, Level
from tests.unit.tournaments.plans import plan
from tournaments.config.host_share import division_of

TURNS = registry.game("gangsters").info
AT_ONCE = registry.game("coins").info


def on(cores: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the system say that this process may use so many processors."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(cores)))


@pytest.mark.parametrize("cores", [1, 2, 3, 4, 7, 8, 16, 32, 200])
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("workers", [None, 1, 2, 3, 256])
def test_there_are_never_more_bots_to_act_than_processors_the_referee_counted(
    monkeypatch: pytest.MonkeyPatch, cores: int, level: Level, workers: int | None
) -> None:
    on(cores, monkeypatch)
    for info, seats in ((TURNS, 2), (AT_ONCE, 2), (AT_ONCE, 6)):
        found = divide_host(info, seats, level, workers=workers)
        assert 1 <= found.workers <= found.jobs
        needed = found.jobs * thinking_at_once(info, seats) + spare_cores(found.workers, level)
        assert needed <= cores or found == WorkDivision(1, 1, found.light_jobs)


def test_without_a_wish_there_is_a_worker_for_every_four_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    for cores in (1, 4, 7, 8, 32):
        on(cores, monkeypatch)
        found.append(divide_host(TURNS, 2, "trusted"))
    assert found == [
        WorkDivision(1, 1, 8),
        WorkDivision(1, 4, 32),
        WorkDivision(1, 7, 56),
        WorkDivision(2, 7, 64),
        WorkDivision(8, 31, 256),
    ]


def test_where_an_organiser_would_leave_room_for_one_match_it_plays_itself(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    on(2, monkeypatch)
    assert divide_host(TURNS, 2, "trusted", workers=2) == WorkDivision(1, 2, 16)
    assert divide_host(TURNS, 2, "trusted", workers=2, jobs=4) == WorkDivision(2, 4)


def test_a_command_divides_the_work_as_a_file_with_the_same_words(monkeypatch: pytest.MonkeyPatch) -> None:
    on(8, monkeypatch)
    terms = plan(game="gangsters", options={})
    assert division_of(terms) == WorkDivision(2, 7, 64)
    assert division_of(terms, workers=1) == WorkDivision(1, 8, 64)
    assert division_of(terms, workers=4) == WorkDivision(4, 7, 64)
    assert division_of(terms, jobs=3) == WorkDivision(2, 3)
    assert division_of(plan(game="gangsters", options={}, asked_workers=4)) == WorkDivision(4, 7, 64)


def test_the_level_of_a_command_counts_too(monkeypatch: pytest.MonkeyPatch) -> None:
    on(8, monkeypatch)
    assert division_of(plan(game="gangsters", options={}).at_level("class", ())) == WorkDivision(2, 6, 64)
