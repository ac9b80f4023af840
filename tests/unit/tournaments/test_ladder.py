"""The ladder: who meets next."""

import itertools
import random
from collections import Counter
from collections.abc import Iterable

from hypothesis import given
from hypothesis import strategies as st

from tests.unit.tournaments.rows import row
from tournaments.ladder import Ladder, evenness, next_group, seated


def test_even_opponents_teach_most() -> None:
    assert evenness(0) > evenness(100) > evenness(-300) > evenness(2_000) > 0


def everybody(names: Iterable[str], waited: int = 1) -> dict[str, int]:
    return dict.fromkeys(names, waited)


def met(**times: int) -> dict[str, dict[str, int]]:
    """Return who met how often, given pairs of letters."""
    counts: dict[str, dict[str, int]] = {}
    for pair, count in times.items():
        one, other = tuple(pair)
        counts.setdefault(one, {})[other] = count
        counts.setdefault(other, {})[one] = count
    return counts


def test_the_least_known_bot_plays_next() -> None:
    assert next_group(everybody("abn"), 2, {"a": 1500, "b": 1500}, met(ab=40))[0] == "n"


def test_a_bot_that_has_waited_long_enough_plays_next() -> None:
    known = met(ab=40, ac=40, bc=40)
    assert next_group(everybody("abcn") | {"b": 500}, 2, {}, known)[0] == "b"


def test_of_equally_known_opponents_the_nearest_in_rating_is_chosen() -> None:
    elo = {"h": 1500, "w": 1100, "m": 1480, "s": 1900}
    assert next_group(everybody("hmsw") | {"h": 3}, 2, elo, met(mw=9, ms=9, sw=9)) == ("h", "m")


def test_bots_that_met_often_meet_others() -> None:
    known = met(ab=6, bx=4, cx=10)
    assert next_group(everybody("abc") | {"a": 3}, 2, {}, known) == ("a", "c")


def test_groups_that_seldom_met_are_brought_together() -> None:
    # Every bot has played equally often; c is known well, but c against a is not.
    known = met(ab=30, cd=30, bc=1)
    assert next_group(everybody("abcd") | {"a": 2}, 2, {}, known) == ("a", "d")


def test_without_results_the_first_by_name_play() -> None:
    assert next_group(everybody("cba"), 2, {}, {}) == ("a", "b")


@given(st.integers(2, 6), st.integers(0, 8), st.randoms(use_true_random=False))
def test_a_group_is_a_function_of_what_is_known_and_no_bot_sits_twice(
    seats: int, more: int, luck: random.Random
) -> None:
    bots = [f"bot{n}" for n in range(seats + more)]
    elo = {bot: luck.gauss(1500, 200) for bot in bots}
    known: dict[str, dict[str, int]] = {bot: {} for bot in bots}
    for one, other in itertools.combinations(bots, 2):
        known[one][other] = known[other][one] = luck.randrange(9)
    waited = {bot: luck.randint(1, 9) for bot in bots}
    group = next_group(waited, seats, elo, known)
    assert len(set(group)) == seats
    assert set(group) <= set(bots)
    mixed = {bot: waited[bot] for bot in luck.sample(bots, len(bots))}
    assert next_group(mixed, seats, elo, known) == group


def test_a_bot_sits_where_it_has_sat_least() -> None:
    assert seated(("a", "b"), {("a", 0): 3, ("b", 1): 3}) == ("b", "a")
    assert seated(("a", "b"), {("a", 0): 1, ("b", 0): 4}) == ("a", "b")


def test_too_few_bots_make_no_group() -> None:
    assert Ladder("l", "coins", 3).choose(["a", "b"], []) is None


def test_running_matches_count_as_if_they_were_over() -> None:
    ladder = Ladder("l", "coins", 2)
    groups: list[tuple[str, ...]] = []
    for _ in range(3):
        group = ladder.choose(["a", "b", "c", "d"], groups)
        assert group is not None
        groups.append(group)
    first, second, third = map(set, groups)
    assert first | second == {*"abcd"}
    assert third not in (first, second)


def test_void_matches_are_not_kept() -> None:
    ladder = Ladder("l", "coins", 2)
    ladder.add(row("ab", (1, 1), void=True))
    assert ladder.played == []
    assert ladder.standings().table == ()


def simulated(ladder: Ladder, strength: dict[str, float], matches: int) -> Counter[frozenset[str]]:
    """Play on a ladder; return who met how often."""
    luck = random.Random(3)
    times: Counter[frozenset[str]] = Counter()
    for number in range(matches):
        group = ladder.choose(list(strength), [])
        assert group is not None
        times[frozenset(group)] += 1
        one, other = group
        wins = luck.random() < 1 / (1 + 10 ** ((strength[other] - strength[one]) / 400))
        ladder.add(row(group, (1, 2) if wins else (2, 1), match=f"run-{number}", round=number + 1))
    return times


STRENGTH = {"a": 2100.0, "b": 2050.0, "c": 1500.0, "d": 1450.0, "e": 900.0, "f": 850.0}


def shares(ladder: Ladder) -> dict[str, int]:
    return {line.name: line.matches for line in ladder.standings().table}


def test_in_the_long_run_equals_meet_more_often_and_every_bot_is_placed() -> None:
    ladder = Ladder("l", "coins", 2)
    times = simulated(ladder, STRENGTH, 400)
    near = sum(times[frozenset(pair)] for pair in ("ab", "cd", "ef"))
    far = sum(times[frozenset(pair)] for pair in ("ae", "af", "be", "bf"))
    assert near > 5 * far
    table = ladder.standings().table
    assert [{line.name for line in table[n : n + 2]} for n in (0, 2, 4)] == [{*"ab"}, {*"cd"}, {*"ef"}]
    assert min(shares(ladder).values()) > 100


def test_a_hopeless_bot_does_not_take_the_ladder_for_itself() -> None:
    ladder = Ladder("l", "coins", 2)
    simulated(ladder, dict.fromkeys("abcdef", 1500.0) | {"weak": 300.0}, 400)
    # 114 would be an equal share.
    assert all(80 < matches < 150 for matches in shares(ladder).values())


def test_a_newcomer_plays_all_the_time_at_first_and_half_of_it_later() -> None:
    ladder = Ladder("l", "coins", 2)
    old = dict.fromkeys("abcdef", 1500.0)
    simulated(ladder, old, 900)
    simulated(ladder, old | {"new": 1500.0}, 200)
    plays = ["new" in match.bots for match in ladder.played[900:]]
    assert sum(plays[:50]) > 40
    assert sum(plays[-50:]) <= 26
    assert shares(ladder)["new"] < min(matches for name, matches in shares(ladder).items() if name != "new")


def test_groups_of_equal_strength_do_not_play_apart() -> None:
    ladder = Ladder("l", "coins", 2)
    times = simulated(ladder, dict.fromkeys("abcdef", 1500.0), 300)
    assert len(times) == 15
    # 20 would be the share of every pair.
    assert min(times.values()) >= 10


def test_on_an_even_ladder_all_meet_equally_often() -> None:
    times = simulated(Ladder("l", "coins", 2, even=True), STRENGTH, 150)
    assert len(times) == 15
    assert set(times.values()) == {10}


def test_seats_are_shared_evenly() -> None:
    ladder = Ladder("l", "coins", 2)
    simulated(ladder, STRENGTH, 200)
    first = Counter(match.bots[0] for match in ladder.played)
    for line in ladder.standings().table:
        assert abs(first[line.name] - line.matches / 2) <= 4


def test_ratings_of_a_ladder_that_goes_on_are_those_of_its_results() -> None:
    first, again = Ladder("l", "coins", 2), Ladder("l", "coins", 2)
    simulated(first, STRENGTH, 80)
    for match in first.played:
        again.add(match)
    assert again.standings() == first.standings()
    assert again.choose(list(STRENGTH), []) is not None
