"""The search bot beats the sample of each game clearly: the proof that view and events suffice to play well.

Deals are mirrored, and the number of trials is the bound, so that every run is the same one. That a bot as
good as the sample would do so well by luck is less likely than one in a hundred.
"""

from math import sqrt
from statistics import mean, stdev

import pytest

from tests.unit.sample_bots.arena import HEROES, searching, wins_by_deal

# One in a hundred, in standard errors.
CLEARLY = 2.33


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(
    ("name", "preset", "deals", "trials"),
    [
        ("chicago", "quick", 12, 20),
        ("gangsters", "classic", 12, 40),
        ("poker", "classic", 30, 100),
        ("vengeance", "classic", 20, 80),
    ],
)
def test_it_beats_the_sample(name: str, preset: str, deals: int, trials: int) -> None:
    game, sample = HEROES[name]
    found = wins_by_deal(game, searching(trials), sample, 2, deals, game.info.presets[preset])
    error = stdev(found) / sqrt(deals)
    assert mean(found) - CLEARLY * error > 1 / 2, f"{mean(found):.1%} ± {error:.1%} of {deals} mirrored deals"
