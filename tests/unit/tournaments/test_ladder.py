"""The ladder: who meets next."""

import random
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from referee.result import Result
from tournaments.ladder import Ladder, evenness, next_table, seated


def result(names: tuple[str, ...], ranks: tuple[int, ...], number: int, reason: str = "goal") -> Result:
    seats = len(names)
    return Result(
        match=f"run-{number}",
        game="coins",
        names=names,
        ranks=ranks,
        scores=(0,) * seats,
        reason=reason,
        ties="draw",
        faults=("",) * seats,
        used_ms=(1,) * seats,
        decisions=3,
    )


def test_even_opponents_teach_most() -> None:
    assert evenness(0) > evenness(100) > evenness(-300) > evenness(2_000) > 0


def test_the_least_known_bot_plays_next() -> None:
    met = {"a": {"b": 40}, "b": {"a": 40}}
    assert next_table(["a", "b", "new"], 2, {"a": 1500, "b": 1500}, met)[0] == "new"


def test_of_equally_known_opponents_the_nearest_in_rating_is_chosen() -> None:
    elo = {"weak": 1100, "middle": 1480, "hero": 1500, "strong": 1900}
    met = {one: {other: 20 for other in elo if other != one} for one in elo}
    met["hero"] = {}
    for other in ("weak", "middle", "strong"):
        met[other] = {name: 30 for name in elo if name not in (other, "hero")}
    assert next_table(list(elo), 2, elo, met) == ("hero", "middle")


def test_those_who_met_often_meet_somebody_else() -> None:
    met = {"a": {"b": 6}, "b": {"a": 6, "x": 4}, "c": {"x": 10}}
    assert next_table(["a", "b", "c"], 2, {"a": 1500, "b": 1500, "c": 1500}, met) == ("a", "c")


def test_without_results_the_first_by_name_play() -> None:
    assert next_table(["c", "b", "a"], 2, {}, {}) == ("a", "b")


@given(st.integers(2, 6), st.integers(0, 8), st.randoms(use_true_random=False))
def test_a_table_is_a_function_of_what_is_known_and_nobody_sits_twice(
    seats: int, more: int, luck: random.Random
) -> None:
    bots = [f"bot{n}" for n in range(seats + more)]
    elo = {bot: luck.gauss(1500, 200) for bot in bots}
    met = {bot: {other: luck.randrange(9) for other in bots if other != bot} for bot in bots}
    table = next_table(bots, seats, elo, met)
    assert len(set(table)) == seats
    assert set(table) <= set(bots)
    assert next_table(luck.sample(bots, len(bots)), seats, elo, met) == table


def test_a_bot_sits_where_it_has_sat_least() -> None:
    assert seated(("a", "b"), {("a", 0): 3, ("b", 1): 3}) == ("b", "a")
    assert seated(("a", "b"), {("a", 0): 1, ("b", 0): 4}) == ("a", "b")


def test_too_few_bots_make_no_table() -> None:
    assert Ladder("l", "coins", 3).choose(["a", "b"], []) is None


def test_running_matches_count_as_if_they_were_over() -> None:
    ladder = Ladder("l", "coins", 2)
    tables: list[tuple[str, ...]] = []
    for _ in range(6):
        table = ladder.choose(["a", "b", "c", "d"], tables)
        assert table is not None
        tables.append(table)
    assert {frozenset(table) for table in tables} == {
        frozenset(p) for p in ("ab", "cd", "ac", "bd", "ad", "bc")
    }


def test_void_matches_are_not_kept() -> None:
    ladder = Ladder("l", "coins", 2)
    ladder.add(result(("a", "b"), (1, 1), 1, reason="void"), "")
    assert ladder.played == []
    assert ladder.standings().table == ()


def simulated(ladder: Ladder, strength: dict[str, float], matches: int) -> Counter[frozenset[str]]:
    """Play on a ladder; return who met how often."""
    luck = random.Random(3)
    met: Counter[frozenset[str]] = Counter()
    for number in range(matches):
        table = ladder.choose(list(strength), [])
        assert table is not None
        met[frozenset(table)] += 1
        one, other = table
        wins = luck.random() < 1 / (1 + 10 ** ((strength[other] - strength[one]) / 400))
        ladder.add(result(table, (1, 2) if wins else (2, 1), number), "play")
    return met


STRENGTH = {"a": 2100.0, "b": 2050.0, "c": 1500.0, "d": 1450.0, "e": 900.0, "f": 850.0}


def test_in_the_long_run_equals_meet_more_often_and_everybody_is_placed() -> None:
    ladder = Ladder("l", "coins", 2)
    met = simulated(ladder, STRENGTH, 400)
    near = sum(met[frozenset(pair)] for pair in ("ab", "cd", "ef"))
    far = sum(met[frozenset(pair)] for pair in ("ae", "af", "be", "bf"))
    assert near > 5 * far
    table = ladder.standings().table
    assert {line.name for line in table[:2]} == {"a", "b"}
    assert {line.name for line in table[4:]} == {"e", "f"}
    assert min(line.matches for line in table) > 60


def test_on_an_even_ladder_all_meet_equally_often() -> None:
    met = simulated(Ladder("l", "coins", 2, even=True), STRENGTH, 150)
    assert len(met) == 15
    assert max(met.values()) - min(met.values()) <= 2


def test_seats_are_shared_evenly() -> None:
    ladder = Ladder("l", "coins", 2)
    simulated(ladder, STRENGTH, 200)
    first = Counter(match.bots[0] for match in ladder.played)
    for line in ladder.standings().table:
        assert abs(first[line.name] - line.matches / 2) <= 4


def test_a_newcomer_plays_until_it_is_known() -> None:
    ladder = Ladder("l", "coins", 2)
    simulated(ladder, STRENGTH, 200)
    table = ladder.choose([*STRENGTH, "new"], [])
    assert table is not None
    assert "new" in table


def test_ratings_of_a_ladder_that_goes_on_are_those_of_its_results() -> None:
    first, again = Ladder("l", "coins", 2), Ladder("l", "coins", 2)
    simulated(first, STRENGTH, 80)
    for number, match in enumerate(first.played):
        again.add(result(match.bots, match.ranks, number), match.play)
    assert again.standings() == first.standings()
    assert again.choose(list(STRENGTH), []) is not None
