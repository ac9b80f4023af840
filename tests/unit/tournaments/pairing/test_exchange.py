"""The search by exchanges: its arithmetic, against a full count."""

import random

import pytest

from tournaments.pairing.design import Round
from tournaments.pairing.exchange import Exchange, History, Weights


def shuffled(bots: int, seats: int, count: int, luck: random.Random) -> tuple[Round, ...]:
    rounds = []
    for _ in range(count):
        order = luck.sample(range(bots), bots - bots % seats)
        rounds.append(tuple(tuple(order[at : at + seats]) for at in range(0, len(order), seats)))
    return tuple(rounds)


def test_history_counts_meetings_and_rests() -> None:
    before = History(5, 2, [((0, 1), (2, 3)), ((0, 1), (2, 4)), ((0, 1), (3, 4))])
    assert before.met[0].tolist() == [0, 3, 0, 0, 0]
    assert before.rests.tolist() == [0, 0, 1, 1, 1]
    assert (before.repeats, before.repeated_rests) == (3, 0)


@pytest.mark.parametrize(
    ("bots", "seats", "count"), [(11, 3, 3), (9, 2, 4), (14, 4, 2), (12, 3, 3), (7, 6, 2)]
)
def test_every_step_changes_the_weight_by_what_was_computed(bots: int, seats: int, count: int) -> None:
    luck = random.Random(bots)
    before = History(bots, seats, shuffled(bots, seats, 4, luck))
    weights = Weights(before, luck.sample(range(bots), bots))
    search = Exchange(weights, shuffled(bots, seats, count, luck))
    for _ in range(60):
        search.search(1)
        assert search.weight == weights.of(search.rounds)
    seated = [sorted(bot for group in one for bot in group) for one in search.rounds]
    assert all(len(set(one)) == len(one) == bots - bots % seats for one in seated)


def test_fixed_rounds_stay() -> None:
    luck = random.Random(1)
    rounds = shuffled(12, 3, 3, luck)
    search = Exchange(Weights(History(12, 3), range(12)), rounds)
    assert search.search(50, fixed=1, goal=search.weight - 1)
    assert sorted(search.rounds[0]) == sorted(tuple(sorted(group)) for group in rounds[0])


def test_what_all_pairs_have_had_changes_no_weight() -> None:
    luck = random.Random(2)
    cycle = [((0, 1), (2, 3)), ((0, 2), (1, 3)), ((0, 3), (1, 2))]
    rounds = shuffled(4, 2, 2, luck)
    assert Weights(History(4, 2), range(4)).of(rounds) == Weights(History(4, 2, cycle), range(4)).of(rounds)
