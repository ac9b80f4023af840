"""Dice and wheel against their exact probabilities: many throws from fixed keys, so each run is the same."""

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction

from referee.chance import KeyedChance
from referee.games.vengeance import GAME
from referee.games.vengeance.wheel import spin
from tests.rules.vengeance.build import position

# A chi-square of k classes has mean k - 1 and variance 2 (k - 1): five deviations are far out.


def fits(seen: Counter[int], expected: dict[int, Fraction]) -> bool:
    """Return whether counts fit probabilities, by Pearson's chi-square."""
    total = seen.total()
    square = sum((seen[key] - total * share) ** 2 / (total * share) for key, share in expected.items())
    freedom = len(expected) - 1
    return set(seen) <= set(expected) and (square - freedom) ** 2 < 25 * 2 * freedom


def keys(count: int, label: int) -> Iterable[bytes]:
    return ((label * 1_000_003 + number).to_bytes(32, "big") for number in range(count))


def even(count: int) -> dict[int, Fraction]:
    return {number: Fraction(1, count) for number in range(count)}


def test_the_measure_itself_separates_a_loaded_die_from_a_fair_one() -> None:
    assert fits(Counter({number: 1000 + number for number in range(6)}), even(6))
    assert not fits(Counter({number: 1000 + 50 * number for number in range(6)}), even(6))


def test_dice_totals_and_doubles_are_as_likely_as_they_should_be() -> None:
    totals: Counter[int] = Counter()
    doubles: Counter[int] = Counter()
    for key in keys(4000, 1):
        state = position(chance=KeyedChance(key))
        state.begin_turn(0, [])
        totals[sum(state.roll)] += 1
        doubles[int(state.roll[0] == state.roll[1])] += 1
    assert fits(totals, {total: Fraction(6 - abs(total - 7), 36) for total in range(2, 13)})
    assert fits(doubles, {0: Fraction(5, 6), 1: Fraction(1, 6)})


def test_every_stop_of_the_wheel_is_equally_likely() -> None:
    stops: Counter[int] = Counter()
    for key in keys(4000, 2):
        state = position(chance=KeyedChance(key))
        spin(state, 0, [])
        stops.update(state.spun)
    assert stops.total() == 4000
    assert fits(stops, even(36))


def test_a_figure_in_the_open_is_shot_by_one_spin_in_eighteen() -> None:
    shot: Counter[int] = Counter()
    for key in keys(3000, 3):
        state = position({3: "Y", 4: "BB", 20: "G"}, chance=KeyedChance(key))
        spin(state, 0, [])
        dead = [gang for gang in (1, 2) if state.pool[gang]]
        shot[sum(dead)] += 1
        assert state.pool[2] in (0, 2), "on a danger cell both die or none"
        assert not state.pool[3], "a safe cell is safe"
    hit = Fraction(1, 18)
    assert fits(shot, {0: 1 - 2 * hit, 1: hit, 2: hit})


def test_every_seat_is_equally_likely_to_begin() -> None:
    for seats in (2, 3, 4):
        first: Counter[int] = Counter()
        for key in keys(1500, 3 + seats):
            state, _ = GAME.new(seats, KeyedChance(key))
            first[state.first] += 1
        assert fits(first, even(seats))


def test_dice_do_not_shift_the_wheel() -> None:
    key = bytes(range(32))
    stops = []
    for extra in range(3):
        luck = KeyedChance(key)
        for _ in range(extra):
            luck.below("dice", 6)
        stops.append([luck.below("wheel", 36) for _ in range(5)])
    assert stops[0] == stops[1] == stops[2]
