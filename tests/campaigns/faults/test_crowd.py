"""Many bots from elsewhere at once: all of them are let in, and all of them play."""

import pytest

from benchmarks.crowd import gather
from tests.campaigns.faults.figures import Figure


@pytest.mark.faults
@pytest.mark.parametrize("bots", [100, pytest.param(1_000, marks=pytest.mark.slow)])
@pytest.mark.timeout(600)
def test_a_crowd_plays_at_once_and_no_bot_is_lost(bots: int, figure: Figure) -> None:
    crowd = gather(bots, bots // 2)
    figure("; ".join(crowd.lines()))
    assert (crowd.matches, crowd.faults) == (bots // 2, 0)
