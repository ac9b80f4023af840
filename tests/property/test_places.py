"""Properties of places, for all formats, fields and results, whole and interrupted."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from tests.property.test_schedule_properties import plans, play, random_result
from tests.unit.tournaments.plans import plan
from tournaments.config.plan import Plan
from tournaments.pairing.schedule import fixtures, rounds_of
from tournaments.placing.knockout_order import knockout_order
from tournaments.rating.standings import Standings, qualified, standings
from tournaments.results import Played

LUCK = st.integers(0, 99)


def results_of(terms: Plan, luck: int, share: float = 1.0) -> list[Played]:
    """Return the results of a tournament, or of the first part of it, as if it had been interrupted."""
    known = play(terms, luck)[-1]
    return [random_result(fixture, luck) for fixture in known[: round(len(known) * share)]]


def stood(terms: Plan, results: list[Played]) -> Standings:
    return standings(terms, results, fixtures(terms, results))


@given(plans("knockout", most=20), st.booleans(), LUCK)
def test_any_results_of_a_knockout_give_all_places_and_one_winner(
    terms: Plan, third: bool, luck: int
) -> None:
    terms = plan(
        terms.names, terms.seats, format="knockout", seed=terms.seed, third_place=third and terms.seats == 2
    )
    places = knockout_order(rounds_of(terms, results_of(terms, luck)), terms.names).places
    assert set(places) == set(terms.names)
    assert [name for name, place in places.items() if place.place == 1] == [next(iter(places))]
    sharing = Counter((place.place, place.place_to) for place in places.values())
    taken = [place for (first, last) in sharing for place in range(first, last + 1)]
    assert sorted(taken) == list(range(1, len(terms.names) + 1))
    assert all(count == last - first + 1 for (first, last), count in sharing.items())


@given(plans("knockout", most=12), LUCK, st.floats(0, 1))
def test_places_of_an_interrupted_knockout_hold_those_of_its_end(
    terms: Plan, luck: int, share: float
) -> None:
    end = knockout_order(rounds_of(terms, results_of(terms, luck)), terms.names).places
    part = knockout_order(rounds_of(terms, results_of(terms, luck, share)), terms.names).places
    for name, place in part.items():
        assert place.place <= end[name].place <= end[name].place_to <= place.place_to


@given(plans("round-robin", "gauntlet", "swiss", most=6), LUCK, st.floats(0, 1), st.booleans())
def test_places_of_a_table_add_up(terms: Plan, luck: int, share: float, by_points: bool) -> None:
    if by_points and terms.format != "swiss":
        terms = plan(
            terms.names, terms.seats, format=terms.format, hero=terms.hero, seed=terms.seed, order="points"
        )
    table = stood(terms, results_of(terms, luck, share)).table
    assert {line.name for line in table} == set(terms.names)
    sharing = Counter((line.place, line.place_to) for line in table)
    taken = [place for (first, last) in sharing for place in range(first, last + 1)]
    assert sorted(taken) == list(range(1, len(table) + 1))
    assert [line.place for line in table] == sorted(line.place for line in table)


@given(plans("swiss", most=7), LUCK)
def test_swiss_points_and_buchholz_are_those_that_a_person_would_count(terms: Plan, luck: int) -> None:
    results = results_of(terms, luck)
    table = {line.name: line for line in stood(terms, results).table}
    points: dict[str, int] = {}
    rests: Counter[str] = Counter()
    for bot in terms.names:
        points[bot] = 0
        for number in range(1, terms.rounds + 1):
            mine = [one for one in results if one.round == number and bot in one.bots]
            if not mine:
                rests[bot] += 1
                points[bot] += terms.blocks * terms.seats * (terms.seats - 1)
            for one in mine:
                rank = dict(zip(one.bots, one.result.ranks, strict=True))
                others = [rank[other] for other in one.bots if other != bot]
                points[bot] += sum(
                    2 if other > rank[bot] else 1 if other == rank[bot] else 0 for other in others
                )
    for bot, line in table.items():
        opponents = {
            (one.round, other) for one in results if bot in one.bots for other in one.bots if other != bot
        }
        buchholz = sum(points[other] for _, other in opponents)
        buchholz += rests[bot] * (terms.seats - 1) * points[bot]
        assert (line.swiss_points, line.buchholz, line.rests) == (points[bot], buchholz, rests[bot])
    keys = [(-(line.swiss_points or 0), -(line.buchholz or 0), -line.wins) for line in table.values()]
    assert keys == sorted(keys)
    assert [line.place for line in table.values()] == list(range(1, len(table) + 1))


@given(st.integers(2, 4), st.integers(4, 13), LUCK, st.integers(1, 3))
def test_pools_meet_only_among_themselves_and_qualify_row_by_row(
    pools: int, bots: int, luck: int, take: int
) -> None:
    terms = plan(max(bots, 2 * pools), pools=pools)
    results = results_of(terms, luck)
    found = stood(terms, results)
    pool = {line.name: line.pool for line in found.table}
    assert len(found.pools) == pools
    assert max(map(len, found.pools.values())) - min(map(len, found.pools.values())) <= 1
    assert all(pool[one.bots[0]] == pool[one.bots[1]] for one in results)
    chosen = qualified(found, take)
    assert len(chosen) == len(set(chosen)) == sum(min(take, len(own)) for own in found.pools.values())
    assert chosen[:pools] == [own[0].name for own in found.pools.values()]
    assert Counter(pool[name] for name in chosen).most_common()[0][1] <= take


@given(st.integers(2, 5), st.integers(2, 20))
def test_a_bot_that_is_added_at_the_end_changes_no_pool(pools: int, bots: int) -> None:
    before, after = (
        {frozenset(fixture.bots) for fixture in fixtures(plan(n, pools=pools))} for n in (bots, bots + 1)
    )
    assert before <= after
