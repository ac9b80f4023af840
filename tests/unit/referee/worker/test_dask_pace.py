"""From when on a batch takes too long, by what such matches took before."""

import pytest

from referee.match.faults import PROFILES
from referee.worker.batch import Batch
from referee.worker.dask_pace import BatchPace
from referee.worker.orders import MatchOrder


def batch(*matches: str, bots: tuple[str, str] = ("ann", "bob")) -> Batch:
    profile = PROFILES["strict"]
    orders = tuple(
        MatchOrder(match, "chicago", bots, bytes(32), profile, {}, bots, reveal=True, deal=match, clocks={})
        for match in matches
    )
    return Batch("code", "event", profile, (), {}, orders)


@pytest.fixture
def pace() -> BatchPace:
    """Matches of ann and bob take 50 s, those of cleo and dora 500 s."""
    known = BatchPace()
    known.took(batch("one", "two"), 100)
    known.took(batch("three", bots=("cleo", "dora")), 500)
    return known


def test_a_batch_is_late_after_four_times_what_its_matches_took(pace: BatchPace) -> None:
    assert not pace.is_late(batch("four", "five"), 400)
    assert pace.is_late(batch("four", "five"), 401)


def test_matches_of_bots_that_think_long_are_given_their_time(pace: BatchPace) -> None:
    assert not pace.is_late(batch("six", bots=("cleo", "ann")), 4 * 500)


def test_bots_of_which_nothing_is_known_are_never_late(pace: BatchPace) -> None:
    assert not pace.is_late(batch("seven", bots=("ann", "eve")), 1e6)


def test_no_batch_is_late_within_a_minute() -> None:
    quick = BatchPace()
    quick.took(batch("one"), 0.05)
    assert not quick.is_late(batch("two"), 60)
    assert quick.is_late(batch("two"), 61)


def test_a_match_that_was_late_has_twice_the_time_when_it_is_played_again(pace: BatchPace) -> None:
    pace.let_go(batch("four", "five"))
    assert not pace.is_late(batch("four"), 400)
    assert pace.is_late(batch("four"), 401)
    assert pace.is_late(batch("eight"), 201)
