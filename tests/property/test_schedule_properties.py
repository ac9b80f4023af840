"""Properties of every schedule, for all bots, seats, blocks and results."""

import random
import re
from collections import Counter
from itertools import combinations, pairwise
from math import comb

import msgspec
from hypothesis import assume, given
from hypothesis import strategies as st

from referee.chance import KeyedChance
from referee.hub.fixture import Fixture
from tests.unit.tournaments.plans import plan, played, winner
from tournaments.config.plan import Plan
from tournaments.pairing.matching import most_pairs
from tournaments.pairing.rounds import points
from tournaments.pairing.schedule import balance, expected, fixtures
from tournaments.pairing.swiss import most_repeats, rests_again
from tournaments.results import Played

NAMES = st.text(st.characters(min_codepoint=32, max_codepoint=0x2FF), min_size=1, max_size=8)


@st.composite
def plans(draw: st.DrawFn, *formats: str, most: int = 9) -> Plan:
    """Return a plan of one of these formats."""
    seats = draw(st.integers(2, 4))
    bots = draw(st.lists(NAMES, min_size=seats, max_size=most, unique=True).map(tuple))
    style = draw(st.sampled_from(formats))
    return plan(
        bots,
        seats,
        format=style,
        blocks=draw(st.integers(1, 3)),
        rounds=draw(st.integers(1, 6)),
        seed=draw(st.text(min_size=1, max_size=6)),
        hero=draw(st.sampled_from(bots)) if style == "gauntlet" else None,
        groups=draw(st.sampled_from(["all", "few"])) if style in ("round-robin", "gauntlet") else "all",
        common_deals=draw(st.booleans()),
    )


ANY = plans("round-robin", "gauntlet", "swiss", "knockout")


PEOPLE = st.integers(2, 9).flatmap(
    lambda count: st.tuples(
        st.just(count), st.sets(st.sampled_from(list(combinations(range(count), 2))), max_size=18)
    )
)
"""How many there are, and which of them may be paired."""


def random_result(fixture: Fixture, luck: int) -> Played:
    """Return a result that depends on the match and on nothing else; ties are frequent."""
    chance = KeyedChance(luck.to_bytes(32, "big"))
    scores = [chance.below(fixture.match, 3) for _ in fixture.bots]
    return played(fixture, tuple(1 + sum(other > score for other in scores) for score in scores))


def play(terms: Plan, luck: int) -> list[list[Fixture]]:
    """Play a tournament to its end; return what was known at each step."""
    steps = [fixtures(terms)]
    while True:
        known = fixtures(terms, [random_result(fixture, luck) for fixture in steps[-1]])
        if known == steps[-1]:
            return steps
        steps.append(known)


@given(plans("round-robin"))
def test_in_a_round_robin_all_meet_equally_often_in_all_seats(terms: Plan) -> None:
    known = fixtures(terms)
    found = balance(known)
    assert set(found.pairs) == set(combinations(sorted(terms.names), 2))
    assert found.seating == 0
    assert len(known) == expected(terms)
    bots, seats = len(terms.bots), terms.seats
    if terms.groups == "all":
        assert len(known) == comb(bots, seats) * terms.blocks * seats
    # Up to nine bots an exact design is always found.
    assert found.is_even
    assert found.meetings[0] * comb(bots, 2) == len(known) * comb(seats, 2)


@given(plans("gauntlet"))
def test_in_a_gauntlet_the_hero_meets_all_equally_often_in_all_seats(terms: Plan) -> None:
    assume(len(terms.bots) > 1)
    known = fixtures(terms)
    found = balance(known)
    assert all(terms.hero in fixture.bots for fixture in known)
    assert found.seating == 0
    assert set(found.seats) == set(terms.names)
    assert len({count for pair, count in found.pairs.items() if terms.hero in pair}) == 1
    assert len({count for pair, count in found.pairs.items() if terms.hero not in pair}) <= 1
    assert len(known) == expected(terms)


@given(plans("round-robin", "gauntlet"), NAMES, st.integers(0, 9))
def test_another_bot_only_adds_matches(terms: Plan, name: str, at: int) -> None:
    assume(name not in terms.names)
    terms = msgspec.structs.replace(terms, groups="all")
    bots = list(terms.bots)
    bots.insert(at, msgspec.structs.replace(bots[0], name=name))
    more = fixtures(msgspec.structs.replace(terms, bots=tuple(bots)))
    before = fixtures(terms)
    by_match = {fixture.match: fixture for fixture in more}
    assert all(by_match[fixture.match] == fixture for fixture in before)
    known = {fixture.match for fixture in before}
    assert all(name in fixture.bots for fixture in more if fixture.match not in known)


@given(plans("round-robin", "gauntlet"), st.integers(1, 3))
def test_more_blocks_only_add_matches(terms: Plan, more: int) -> None:
    longer = fixtures(msgspec.structs.replace(terms, blocks=terms.blocks + more))
    assert longer[: len(fixtures(terms))] == fixtures(terms)


@given(ANY, st.integers(0, 9))
def test_ids_are_different_and_safe_as_file_names(terms: Plan, luck: int) -> None:
    known = play(terms, luck)[-1]
    ids = [fixture.match for fixture in known]
    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{1,100}", one) for one in ids)


@given(ANY, st.integers(0, 9))
def test_a_block_is_one_deal_with_all_rotations_of_one_group(terms: Plan, luck: int) -> None:
    known = play(terms, luck)[-1]
    blocks: dict[str, list[Fixture]] = {}
    for fixture in known:
        blocks.setdefault(fixture.block, []).append(fixture)
    for block in blocks.values():
        group = block[0].bots
        assert len(set(group)) == terms.seats
        assert {one.bots for one in block} == {group[n:] + group[:n] for n in range(terms.seats)}
        assert len({(one.deal, one.round) for one in block}) == 1
        assert all(one.shared for one in block)
    deals = Counter(block[0].deal for block in blocks.values())
    assert terms.common_deals or set(deals.values()) == {1}


@given(ANY, st.integers(0, 9), st.randoms())
def test_a_schedule_is_a_function_of_plan_and_results(terms: Plan, luck: int, order: random.Random) -> None:
    steps = play(terms, luck)
    results = [random_result(fixture, luck) for fixture in steps[-1]]
    order.shuffle(results)
    assert fixtures(terms, results) == steps[-1]
    # What half of the results make known is part of what all do.
    assert set(fixtures(terms, results[: len(results) // 2])) <= set(steps[-1])


@given(ANY, st.integers(0, 9))
def test_a_round_adds_to_the_rounds_before(terms: Plan, luck: int) -> None:
    steps = play(terms, luck)
    for before, after in pairwise(steps):
        assert {fixture.match for fixture in before} < {fixture.match for fixture in after}


@given(plans("swiss"), st.integers(0, 9))
def test_in_a_swiss_round_every_bot_plays_once_or_rests(terms: Plan, luck: int) -> None:
    known = play(terms, luck)[-1]
    rests: Counter[str] = Counter(dict.fromkeys(terms.names, 0))
    for number in range(1, terms.rounds + 1):
        groups = {frozenset(fixture.bots) for fixture in known if fixture.round == number}
        seated = [bot for group in groups for bot in group]
        assert len(seated) == len(set(seated)) == len(terms.bots) - len(terms.bots) % terms.seats
        rests.update(set(terms.names) - set(seated))
    assert max(rests.values()) - min(rests.values()) <= 1
    assert len(known) == expected(terms)


@given(plans("swiss", most=10), st.integers(0, 9))
def test_a_swiss_tournament_repeats_no_more_meetings_than_are_planned(terms: Plan, luck: int) -> None:
    bots, seats, rounds = len(terms.bots), terms.seats, terms.rounds
    assume(seats == 2 or not rests_again(bots, seats, rounds))
    known = play(msgspec.structs.replace(terms, blocks=1), luck)[-1]
    counts = [count // seats for count in balance(known).pairs.values()]
    most = most_repeats(bots, seats, rounds)
    assert most is not None
    assert sum(count * (count - 1) // 2 for count in counts) <= most


@given(st.integers(2, 10), st.integers(1, 12), st.integers(0, 9))
def test_with_two_seats_meetings_are_spread_evenly_over_all_pairs(bots: int, rounds: int, luck: int) -> None:
    known = play(plan(bots, format="swiss", rounds=rounds), luck)[-1]
    counts = balance(known).pairs.values()
    assert max(counts) - min(counts) <= 2


@given(plans("knockout", most=20), st.integers(0, 9))
def test_a_knockout_ends_with_one_winner_who_never_was_out(terms: Plan, luck: int) -> None:
    known = play(terms, luck)[-1]
    results = [random_result(fixture, luck) for fixture in known]
    last = max(fixture.round for fixture in known)
    final = {bot for fixture in known if fixture.round == last for bot in fixture.bots}
    assert len(final) == terms.seats
    assert winner(terms, results) in final
    assert len(known) >= expected(terms)
    for number in range(1, last):
        of_round = [result for result in results if result.round == number]
        later = {bot for fixture in known if fixture.round > number for bot in fixture.bots}
        for group in {frozenset(result.bots) for result in of_round}:
            sums = points(result for result in of_round if frozenset(result.bots) == group)
            worst, next_to_worst = sorted(group, key=lambda bot: sums[bot])[:2]
            assert sums[worst] == sums[next_to_worst] or worst not in later


@given(PEOPLE)
def test_no_more_pairs_can_be_made_than_are(people: tuple[int, set[tuple[int, int]]]) -> None:
    count, allowed = people
    partners = [[b for b in range(count) if (min(a, b), max(a, b)) in allowed] for a in range(count)]
    mates = most_pairs(partners)
    made = {(a, b) for a, b in enumerate(mates) if 0 <= a < b}
    assert made <= allowed
    assert all(mates[b] == a for a, b in made)
    assert len([mate for mate in mates if mate >= 0]) == 2 * len(made)
    assert len(made) == _most(frozenset(range(count)), allowed)


def _most(people: frozenset[int], allowed: set[tuple[int, int]]) -> int:
    """Count the most pairs by trying everything."""
    if not people:
        return 0
    one = min(people)
    rest = people - {one}
    with_one = (1 + _most(rest - {other}, allowed) for other in rest if (one, other) in allowed)
    return max([_most(rest, allowed), *with_one])
