"""The search bot is better than the samples with two seats: view and events suffice to play well.

Deals are mirrored, and the number of trials is the bound, so that every run is the same one. That a bot as
good as the sample would do so well by luck is less likely than one in a hundred. Chicago is played in its
long form as well as in the quick one. Most of its strength there, and in Chicago Poker, is in what it takes
for sensible (its taste, its patience): that search adds something shows only over very many deals.
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
        ("chicago", "classic", 200, 60),
        ("chicago", "quick", 100, 60),
        ("gangsters", None, 12, 40),
        ("poker", None, 150, 40),
        ("vengeance", None, 12, 80),
    ],
)
def test_it_beats_the_sample(name: str, preset: str | None, deals: int, trials: int) -> None:
    game, sample = HEROES[name]
    options = None if preset is None else game.info.presets[preset]
    found = wins_by_deal(game, searching(trials), sample, 2, deals, options)
    error = stdev(found) / sqrt(deals)
    assert mean(found) - CLEARLY * error > 1 / 2, f"{mean(found):.1%} ± {error:.1%} of {deals} mirrored deals"
