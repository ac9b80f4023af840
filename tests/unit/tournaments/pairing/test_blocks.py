"""Plans: who sits where with which deal, and what the matches are called."""

import itertools
import re
from typing import Any

import pytest

from referee.chance import deal_key
from tournaments.pairing.blocks import Contest, match_id, plan, rotated, single, tables

ABC = ("cat", "ant", "bee")


def contest(bots: tuple[str, ...] = ABC, seats: int = 3, **settings: Any) -> Contest:
    return Contest("coins", bots, seats, settings.pop("seed", "demo"), **settings)


def test_a_block_is_one_deal_in_all_rotations() -> None:
    planned = plan(contest())
    assert [p.bots for p in planned] == [("cat", "ant", "bee"), ("bee", "cat", "ant"), ("ant", "bee", "cat")]
    assert {p.deal for p in planned} == {"0001"}
    assert {p.key for p in planned} == {deal_key("demo", "0001")}


def test_over_a_block_every_bot_sits_in_every_seat_once() -> None:
    bots = tuple("abcdef")
    planned = plan(contest(bots, 6))
    for seat in range(6):
        assert sorted(p.bots[seat] for p in planned) == list(bots)


def test_more_bots_than_seats_meet_in_every_combination_with_deals_of_their_own() -> None:
    planned = plan(contest(tuple("abcd"), 2))
    assert tables("abcd", 2) == list(itertools.combinations("abcd", 2))
    assert len(planned) == 12
    assert {frozenset(p.bots) for p in planned} == {frozenset(t) for t in itertools.combinations("abcd", 2)}
    assert [p.deal for p in planned[::2]] == ["0001", "0002", "0003", "0004", "0005", "0006"]


def test_tables_take_turns_until_the_deals_are_played() -> None:
    planned = plan(contest(("a", "b", "c"), 2), deals=4)
    assert [frozenset(p.bots) for p in planned[::2]] == [frozenset(t) for t in ("ab", "ac", "bc", "ab")]


def test_so_many_matches_are_exactly_so_many() -> None:
    assert [p.deal for p in plan(contest(), matches=4)] == ["0001", "0001", "0001", "0002"]


def test_a_longer_plan_begins_with_the_shorter_one() -> None:
    assert plan(contest(), matches=50)[:7] == plan(contest(), matches=7)


def test_without_mirroring_every_deal_is_played_once_and_seats_still_rotate() -> None:
    planned = plan(contest(mirrored=False), matches=6)
    assert len({p.deal for p in planned}) == 6
    assert [p.bots[0] for p in planned] == ["cat", "bee", "ant"] * 2
    assert not any(p.again for p in planned)


def test_a_key_that_other_matches_share_is_to_stay_secret() -> None:
    assert all(p.again for p in plan(contest(), deals=2))


def test_ids_are_different_and_safe_as_file_names() -> None:
    planned = plan(contest(tuple("abcd"), 2, seed="../../etc: \n"), deals=40)
    ids = [p.match for p in planned]
    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{1,100}", id) for id in ids)


def test_an_id_does_not_contain_the_seed() -> None:
    assert "demo" not in match_id(contest(), ABC, "0001")


@pytest.mark.parametrize(
    "other",
    [contest(seed="other"), contest(options={"rounds": 2}), contest(bots=("cat", "ant", "dog"))],
    ids=["seed", "options", "bots"],
)
def test_other_terms_give_other_ids(other: Contest) -> None:
    assert plan(other)[0].match != plan(contest())[0].match


def test_a_single_deal_with_the_seats_as_they_were_is_the_same_match_again() -> None:
    everything = plan(contest(tuple("dbca"), 3), deals=9)
    for planned in everything:
        [again] = single(contest(planned.bots, 3), str(int(planned.deal)))
        assert again == planned


def test_rotating_all_the_way_round_changes_nothing() -> None:
    assert rotated(ABC, 3) == rotated(ABC, 0) == ABC


def test_neither_seed_nor_key_is_printed() -> None:
    assert "demo" not in repr(contest())
    assert "key" not in repr(plan(contest())[0])
