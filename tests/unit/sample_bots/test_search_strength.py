"""The search bot beats the sample of each game clearly: the proof that view and events suffice to play well.

Deals are mirrored, and the number of trials is the bound, so that every run is the same one. That a bot as
good as the sample would do so well by luck is less likely than one in a hundred.
"""

from math import sqrt
from statistics import mean, stdev

import pytest

from tests.unit.sample_bots.arena import HEROES, match, searching

# One in a hundred, in standard errors.
CLEARLY = 2.33


def scores(name: str, seats: int, deals: int, trials: int) -> list[float]:
    """Return what the search bot wins of each deal, played from every seat against samples."""
    game, sample = HEROES[name]
    found = []
    for deal in range(deals):
        won = 0.0
        for seat in range(seats):
            makes = [sample] * seats
            makes[seat] = searching(trials)
            ranks = match(game, makes, f"strength {deal}").outcome.ranks
            won += (ranks[seat] == 1) / ranks.count(1)
        found.append(won / seats)
    return found


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(
    ("name", "deals", "trials"),
    [("chicago", 12, 24), ("gangsters", 12, 40), ("poker", 40, 100), ("vengeance", 25, 80)],
)
def test_it_beats_the_sample(name: str, deals: int, trials: int) -> None:
    found = scores(name, 2, deals, trials)
    error = stdev(found) / sqrt(deals)
    assert mean(found) - CLEARLY * error > 1 / 2, f"{mean(found):.1%} ± {error:.1%} of {deals} mirrored deals"
