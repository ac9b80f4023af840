"""The order of play: other deals between two matches of one deal, and a lot for what comes first."""

from collections import Counter
from itertools import pairwise

import pytest

from referee.hub.fixture import Fixture
from tests.unit.tournaments.plans import plan, played
from tournaments.config.plan import Plan
from tournaments.pairing.contest import Contest, fixtures_of
from tournaments.pairing.play_order import DISTANCE, order_of_play
from tournaments.pairing.schedule import fixtures
from tournaments.results import Played


def ordered(terms: Plan) -> list[Fixture]:
    return order_of_play(fixtures(terms), terms.seed)


def distances(order: list[Fixture], bot: str) -> list[int]:
    """Return how many matches on a bot plays the same deal again, for all its matches."""
    own = [fixture.deal for fixture in order if bot in fixture.bots]
    last: dict[str, int] = {}
    found = []
    for at, deal in enumerate(own):
        if deal in last:
            found.append(at - last[deal])
        last[deal] = at
    return found


@pytest.mark.parametrize("common_deals", [True, False])
@pytest.mark.parametrize(("bots", "seats"), [(2, 2), (4, 2), (3, 3), (5, 3), (6, 4)])
def test_a_bot_plays_many_other_deals_before_the_same_one_again(
    bots: int, seats: int, common_deals: bool
) -> None:
    terms = plan(bots, seats, blocks=2 * DISTANCE, common_deals=common_deals)
    order = ordered(terms)
    assert sorted(order, key=str) == sorted(fixtures(terms), key=str)
    for name in terms.names:
        assert min(distances(order, name)) >= DISTANCE


def test_a_plan_with_fewer_deals_has_all_of_them_between() -> None:
    order = ordered(plan(2, blocks=5))
    assert [fixture.block[:4] for fixture in order] == ["0001", "0002", "0003", "0004", "0005"] * 2


def test_a_gauntlet_keeps_the_distance_for_those_that_play_least() -> None:
    terms = plan(5, format="gauntlet", hero="bot03", blocks=2 * DISTANCE)
    order = ordered(terms)
    assert all(min(distances(order, name)) >= DISTANCE for name in terms.names)


def test_a_batch_is_as_small_as_it_can_be() -> None:
    # So a run that is stopped has complete blocks of all groups.
    order = ordered(plan(9, blocks=4))
    complete = Counter(fixture.block for fixture in order[: len(order) // 2])
    assert set(complete.values()) == {2}


def test_the_first_rotation_of_a_block_is_a_lot_of_its_own() -> None:
    order = order_of_play(fixtures_of(Contest("coins", ("ann", "bob"), 2, "x"), deals=400), "x")
    first: dict[str, str] = {}
    for fixture in order:
        first.setdefault(fixture.block, fixture.bots[0])
    begins = list(first.values())
    assert 150 < begins.count("ann") < 250
    assert 150 < sum(one == other for one, other in pairwise(begins)) < 250


def test_the_order_follows_from_the_seed() -> None:
    def rotations(seed: str) -> list[tuple[str, ...]]:
        return [fixture.bots for fixture in ordered(plan(2, blocks=40, seed=seed))]

    assert rotations("one") == rotations("one")
    assert rotations("one") != rotations("two")


@pytest.mark.parametrize("style", ["swiss", "knockout"])
def test_rounds_stay_in_their_order_and_a_continued_run_keeps_its_own(style: str) -> None:
    terms = plan(6, format=style, rounds=3, blocks=4)
    results: list[Played] = []
    order = ordered(terms)
    while len(order) > len(results):
        results += [played(one) for one in order[len(results) :]]
        before, order = order, order_of_play(fixtures(terms, results), terms.seed)
        assert order[: len(before)] == before
    rounds = [fixture.round for fixture in order]
    assert rounds == sorted(rounds)


def test_without_mirroring_the_order_is_the_plan() -> None:
    planned = fixtures_of(Contest("coins", ("ann", "bob"), 2, "x", mirrored=False), deals=40)
    assert order_of_play(planned, "x") == planned
