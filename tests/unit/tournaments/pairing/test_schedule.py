"""Schedules: who meets whom in which seats, and what follows from results."""

import re
from collections import Counter
from itertools import combinations
from math import comb
from typing import Any

import pytest

from referee.hub.fixture import Fixture
from referee.process.spec import Level
from referee.wording import lasting
from tests.unit.tournaments.plans import plan, played, winner
from tournaments.config.plan import Plan
from tournaments.pairing.design import all_groups, few_groups
from tournaments.pairing.formats import knockout
from tournaments.pairing.knockout import MORE_DEALS
from tournaments.pairing.outlook import outlook
from tournaments.pairing.play_order import order_of_play
from tournaments.pairing.rounds import points
from tournaments.pairing.schedule import Balance, balance, expected, fixtures, rightful
from tournaments.results import Played


def meetings(groups: tuple[tuple[int, ...], ...]) -> set[int]:
    counts = Counter(pair for group in groups for pair in combinations(group, 2))
    return {counts[pair] for pair in combinations(range(1 + max(map(max, groups))), 2)}


def play_on(terms: Plan, results: list[Played]) -> list[Fixture]:
    """Play everything that is known, the first by name winning; return what is known then."""
    there = {one.match for one in results}
    results += [played(fixture) for fixture in fixtures(terms, results) if fixture.match not in there]
    return fixtures(terms, results)


def whole(terms: Plan) -> list[Fixture]:
    """Play a tournament to its end."""
    results: list[Played] = []
    while len(known := play_on(terms, results)) > len(results):
        pass
    return known


# Round robin and gauntlet.


def test_a_round_robin_of_two_seats() -> None:
    known = fixtures(plan(("cat", "ant", "bee"), blocks=2))
    assert [fixture.bots for fixture in known[:6]] == [
        ("ant", "cat"),
        ("cat", "ant"),
        ("bee", "cat"),
        ("cat", "bee"),
        ("ant", "bee"),
        ("bee", "ant"),
    ]
    assert [fixture.round for fixture in known] == [1] * 12
    assert all(fixture.shared for fixture in known)


def test_the_first_deal_of_all_groups_comes_before_the_second_of_any() -> None:
    known = fixtures(plan(4, blocks=3))
    assert [fixture.block[:4] for fixture in known] == ["0001"] * 12 + ["0002"] * 12 + ["0003"] * 12


def test_matches_of_a_block_share_their_deal_and_others_do_not() -> None:
    known = fixtures(plan(4, 3, blocks=3))
    deals = {fixture.block: fixture.deal for fixture in known}
    assert len(set(deals.values())) == len(deals) == 4 * 3
    assert all(fixture.deal == deals[fixture.block] for fixture in known)


def test_common_deals_are_the_same_in_every_group_and_never_shown() -> None:
    known = fixtures(plan(4, blocks=2, common_deals=True))
    assert [fixture.deal for fixture in known] == ["0001"] * 12 + ["0002"] * 12
    assert len({fixture.block for fixture in known}) == 12
    assert all(fixture.shared for fixture in known)


def test_who_follows_whom_changes_from_deal_to_deal() -> None:
    known = fixtures(plan(4, 4, blocks=6))
    rounds_of_four = [fixture.bots for fixture in known if fixture.bots[0] == "bot00"]
    followers = Counter(bots[1] for bots in rounds_of_four)
    assert followers == {"bot01": 2, "bot02": 2, "bot03": 2}


def test_a_gauntlet_is_one_against_all() -> None:
    known = fixtures(plan(5, format="gauntlet", hero="bot03"))
    assert Counter(pair for fixture in known for pair in combinations(sorted(fixture.bots), 2)) == {
        ("bot00", "bot03"): 2,
        ("bot01", "bot03"): 2,
        ("bot02", "bot03"): 2,
        ("bot03", "bot04"): 2,
    }


@pytest.mark.parametrize("groups", ["all", "few"])
def test_the_hero_is_in_every_group_of_a_gauntlet(groups: str) -> None:
    terms = plan(8, 4, format="gauntlet", hero="bot03", groups=groups)
    known = fixtures(terms)
    assert all("bot03" in fixture.bots for fixture in known)
    counts = balance(known).pairs
    assert len({count for pair, count in counts.items() if "bot03" in pair}) == 1
    assert len(known) == (7 if groups == "few" else 35) * 4


# Few groups.


@pytest.mark.parametrize(
    ("bots", "seats", "count", "times"),
    [
        (6, 3, 10, 2),
        (7, 3, 7, 1),
        (8, 4, 14, 3),
        (11, 5, 11, 2),
        (12, 4, 33, 3),
        (13, 4, 13, 1),
        (21, 5, 21, 1),
    ],
)
def test_known_designs_are_found(bots: int, seats: int, count: int, times: int) -> None:
    groups = few_groups(bots, seats)
    assert len(groups) == count
    assert meetings(groups) == {times}


@pytest.mark.parametrize("seats", [3, 4, 5, 6])
@pytest.mark.parametrize("bots", [10, 14])
def test_few_groups_are_few_and_nearly_even(bots: int, seats: int) -> None:
    groups = few_groups(bots, seats)
    assert len(set(groups)) == len(groups) < len(all_groups(bots, seats))
    assert len(set(Counter(bot for group in groups for bot in group).values())) == 1
    assert min(meetings(groups)) >= 1
    assert max(meetings(groups)) - min(meetings(groups)) <= 1


@pytest.mark.parametrize(
    ("bots", "seats", "count"),
    [(12, 5, 24), (14, 5, 28), (20, 6, 30), (22, 6, 33), (30, 6, 70), (31, 6, 62), (32, 6, 80)],
)
def test_listed_groups_are_as_even_as_their_number_allows(bots: int, seats: int, count: int) -> None:
    groups = few_groups(bots, seats)
    assert len(set(groups)) == len(groups) == count
    assert all(len(set(group)) == seats for group in groups)
    assert set(Counter(bot for group in groups for bot in group).values()) == {count * seats // bots}
    least, more = divmod(count * comb(seats, 2), comb(bots, 2))
    assert meetings(groups) == ({least, least + 1} if more else {least})


def test_an_uneven_choice_of_groups_is_reported() -> None:
    found = balance(fixtures(plan(14, 4, groups="few")))
    assert found.meetings == (8, 12)
    assert found.seating == 0
    assert not found.is_even


def test_balance_counts_meetings_and_seats() -> None:
    found = balance(fixtures(plan(("a", "b", "c"), format="gauntlet", hero="a"))[:3])
    assert found == Balance(
        matches=3,
        pairs={("a", "b"): 2, ("a", "c"): 1, ("b", "c"): 0},
        seats={"a": (2, 1), "b": (1, 1), "c": (0, 1)},
    )
    assert (found.meetings, found.seating, found.is_even) == ((0, 2), 1, False)
    assert balance([]).is_even


# Swiss.


def test_the_next_swiss_round_waits_for_the_last_match_of_this_one() -> None:
    terms = plan(6, format="swiss", rounds=3, blocks=2)
    first = fixtures(terms)
    assert len(first) == 3 * 2 * 2
    results = [played(fixture) for fixture in first]
    assert fixtures(terms, results[:-1]) == first
    second = fixtures(terms, results)
    assert second[: len(first)] == first
    assert {fixture.round for fixture in second[len(first) :]} == {2}


def test_winners_meet_winners() -> None:
    terms = plan(8, format="swiss", rounds=2)
    known = whole(terms)
    sums = points(played(fixture) for fixture in known if fixture.round == 1)
    assert set(sums.values()) | {0} == {0, 4}
    assert all(sums[f.bots[0]] == sums[f.bots[1]] for f in known if f.round == 2)


def test_no_two_bots_meet_twice_while_that_can_be_avoided() -> None:
    known = whole(plan(6, format="swiss", rounds=5))
    assert set(balance(known).pairs.values()) == {2}


def test_the_order_in_the_file_decides_nothing_in_a_swiss_tournament() -> None:
    names = tuple(f"bot{number}" for number in range(9))
    there, back = (plan(one, 3, format="swiss", rounds=4) for one in (names, names[::-1]))
    assert {fixture.match for fixture in whole(there)} == {fixture.match for fixture in whole(back)}


# Knockout.


def test_the_best_seed_meets_the_last() -> None:
    this = knockout("abcdefgh", 2)
    assert [one.group for one in this.groups] == [("a", "h"), ("b", "g"), ("c", "f"), ("d", "e")]
    assert not this.resting


def test_the_best_seeds_rest_until_the_bracket_is_full() -> None:
    this = knockout("abcdef", 2)
    assert [one.group for one in this.groups] == [("c", "f"), ("d", "e")]
    assert this.resting == ["a", "b"]


@pytest.mark.parametrize(
    ("bots", "seats", "sizes"),
    [
        (2, 2, [2]),
        (5, 2, [5, 4, 2]),
        (8, 4, [8, 4]),
        (7, 4, [7, 5, 4]),
        (16, 4, [16, 8, 4]),
        (6, 3, [6, 4, 3]),
    ],
)
def test_a_knockout_comes_down_to_a_full_final(bots: int, seats: int, sizes: list[int]) -> None:
    alive = list(range(bots))
    for size in sizes:
        assert len(alive) == size
        this = knockout([str(bot) for bot in alive], seats)
        assert this.is_final == (size == seats)
        alive = alive[: len(this.resting) + sum(one.through for one in this.groups)]
    assert len(alive) == 1


def test_the_better_half_of_a_group_goes_on() -> None:
    terms = plan(8, 4, format="knockout")
    known = whole(terms)
    final = {bot for fixture in known if fixture.round == 2 for bot in fixture.bots}
    assert final == {"bot00", "bot01", "bot02", "bot03"}
    assert winner(terms, [played(fixture) for fixture in known]) == "bot00"
    assert len(known) == expected(terms) == 3 * 4


def test_no_bot_has_won_before_the_final() -> None:
    terms = plan(4, format="knockout")
    assert winner(terms, [played(fixture) for fixture in fixtures(terms)]) is None


def test_a_tie_is_broken_by_further_deals_and_then_by_lot() -> None:
    terms = plan(2, format="knockout", blocks=2)
    results: list[Played] = []
    for deals in range(2, 2 + MORE_DEALS + 1):
        known = fixtures(terms, results)
        assert len(known) == deals * 2
        assert winner(terms, results) is None
        there = {one.match for one in results}
        results += [played(fixture, (1, 1)) for fixture in known if fixture.match not in there]
    assert len(fixtures(terms, results)) == len(results)
    lots = {winner(plan(2, format="knockout", blocks=2, seed=str(n)), _tied(str(n))) for n in range(20)}
    assert lots == {"bot00", "bot01"}


def _tied(seed: str) -> list[Played]:
    """Return a knockout of two in which nothing but ties happens."""
    terms = plan(2, format="knockout", blocks=2, seed=seed)
    results: list[Played] = []
    for _ in range(1 + MORE_DEALS):
        results = [played(fixture, (1, 1)) for fixture in fixtures(terms, results)]
    return results


def test_the_first_further_deal_that_is_no_tie_decides() -> None:
    terms = plan(2, format="knockout", blocks=1)
    results = [played(fixture, (1, 1)) for fixture in fixtures(terms)]
    further = fixtures(terms, results)[2:]
    results += [played(fixture, tuple(1 + (bot == "bot00") for bot in fixture.bots)) for fixture in further]
    assert winner(terms, results) == "bot01"
    assert len(fixtures(terms, results)) == 4


# Ids, and what lies ahead.


def test_ids_contain_neither_seed_nor_names_nor_repeated_meetings() -> None:
    known = fixtures(plan(("alice", "bob"), seed="s3cret", blocks=3))
    assert all(re.fullmatch(r"coins-000\d-[0-9a-f]{12}-r[01]", fixture.match) for fixture in known)
    assert len({fixture.match.split("-")[2] for fixture in known}) == 3


# Hidden names.


def hidden(seed: int, bots: tuple[str, ...] = ("me", "ann", "bob", "zoe"), **terms: Any) -> list[Fixture]:
    """Return the matches of a bot among others, as they are played, where names are hidden."""
    settings: dict[str, Any] = {"seats": 3, "aliases": True, "blocks": 4, "seed": f"seed {seed}"} | terms
    shown = plan(bots, **settings)
    return [one for one in order_of_play(fixtures(shown), shown.seed) if "me" in one.bots]


def test_ids_of_a_tournament_with_hidden_names_show_neither_deal_nor_rotation() -> None:
    known = [fixture.match for fixture in hidden(1)]
    assert all(re.fullmatch(r"coins-[0-9a-f]{16}", match) for match in known)
    assert len(set(known)) == len(known)


@pytest.mark.parametrize("common_deals", [True, False])
def test_neither_the_seats_nor_the_order_show_which_opponent_is_which(common_deals: bool) -> None:
    follows: Counter[str] = Counter()
    absent: Counter[str] = Counter()
    for seed in range(300):
        first = hidden(seed, common_deals=common_deals)[0]
        follows[first.bots[(first.bots.index("me") + 1) % 3]] += 1
        absent.update({"ann", "bob", "zoe"} - set(first.bots))
    for counts in (follows, absent):
        assert all(60 < counts[name] < 140 for name in ("ann", "bob", "zoe")), counts


@pytest.mark.parametrize("common_deals", [True, False])
def test_the_order_in_the_file_shows_in_nothing_that_a_bot_with_hidden_opponents_sees(
    common_deals: bool,
) -> None:
    shuffled = hidden(1, ("zoe", "bob", "me", "ann"), common_deals=common_deals)
    assert hidden(1, common_deals=common_deals) == shuffled


@pytest.mark.parametrize("style", ["round-robin", "swiss", "knockout"])
@pytest.mark.parametrize("common_deals", [True, False])
def test_a_result_under_an_opaque_id_has_its_rightful_match(style: str, common_deals: bool) -> None:
    terms = plan(6, 3, format=style, aliases=True, blocks=3, rounds=2, common_deals=common_deals)
    for fixture in whole(terms):
        assert rightful(terms, played(fixture)) == fixture


@pytest.mark.parametrize(
    "other", [{"seed": "x"}, {"options": {"rounds": 9}}, {"game": "chicago-poker"}], ids=str
)
def test_other_terms_give_other_ids_and_deals(other: dict[str, Any]) -> None:
    before, after = fixtures(plan()), fixtures(plan(**other))
    assert not {f.match for f in before} & {f.match for f in after}
    assert not {f.deal for f in before} & {f.deal for f in after}


def test_the_order_of_the_file_is_no_part_of_an_id() -> None:
    assert {f.match for f in fixtures(plan(("a", "b", "c"), 3))} == {
        f.match for f in fixtures(plan(("c", "a", "b"), 3))
    }


@pytest.mark.parametrize(
    ("level", "fresh", "warned"),
    [
        ("contest", False, True),
        ("contest", True, False),
        ("contest", None, False),
        ("trusted", False, False),
        ("trusted", None, False),
    ],
)
def test_bots_of_strangers_that_live_on_are_warned_of(level: Level, fresh: bool | None, warned: bool) -> None:
    of_strangers = plan(4, fresh=fresh).at_level(level, ())
    assert any("with `fresh = false` bots live on" in note for note in outlook(of_strangers).notes) == warned


def test_the_outlook_counts_and_warns() -> None:
    ahead = outlook(plan(4, blocks=5, seed="7"))
    assert ahead.matches == 6 * 5 * 2
    assert ahead.quick_s < ahead.slow_s < ahead.longest_s
    assert ahead.evenness is not None
    assert ahead.evenness.is_even
    assert [note.split(":")[0] for note in ahead.notes] == ["the seed is short", "a bot plays 15 blocks"]
    assert not outlook(plan(4, blocks=10, seed="b0b5c1d2e4f6a798")).notes


@pytest.mark.parametrize("style", ["swiss", "knockout"])
def test_the_outlook_of_what_depends_on_results_promises_no_balance(style: str) -> None:
    ahead = outlook(plan(5, format=style, rounds=3, blocks=4))
    assert ahead.evenness is None
    assert f"a bot plays {8 if style == 'swiss' else 4} blocks" in ahead.notes[-1]


@pytest.mark.parametrize(
    ("bots", "seats", "rounds", "told"),
    [
        (16, 4, 5, ""),
        (256, 4, 8, ""),
        (12, 4, 3, "up to 9 of the 54 meetings in 3 rounds are repeated"),
        (6, 2, 6, "6 rounds have 18 meetings, and there are 15 pairs of bots"),
        (256, 2, 200, "200 rounds of 256 bots are too many to plan them together"),
    ],
)
def test_the_outlook_says_how_often_bots_of_a_swiss_tournament_meet_again(
    bots: int, seats: int, rounds: int, told: str
) -> None:
    notes = outlook(plan(bots, seats, format="swiss", rounds=rounds, blocks=40)).notes
    again = [note.split(": ", 1)[1] for note in notes if "meet again" in note]
    assert again == [told] * bool(told)


@pytest.mark.parametrize(
    ("seconds", "told"), [(0.2, "1 s"), (59, "59 s"), (75, "1 min"), (7_200, "2 h"), (864_000, "10 days")]
)
def test_durations_are_printed_in_words(seconds: float, told: str) -> None:
    assert lasting(seconds) == told
