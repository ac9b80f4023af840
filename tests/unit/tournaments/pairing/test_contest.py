"""Contests: which bots sit where with which deal, for `play` and `sprt`."""

import itertools
from typing import Any

from referee.hub.capacity import WorkDivision
from referee.match.faults import PROFILES
from referee.process.spec import BotSpec, Program
from referee.registry import game
from tournaments.pairing.contest import Contest, blocks, fixtures_of, single
from tournaments.rating.sprt import Sprt
from tournaments.sprt_runner import SprtSetting

ABC = ("cat", "ant", "bee")


def contest(bots: tuple[str, ...] = ABC, seats: int = 3, **settings: Any) -> Contest:
    return Contest("coins", bots, seats, settings.pop("seed", "demo"), **settings)


def test_a_block_is_one_deal_in_all_rotations() -> None:
    planned = fixtures_of(contest())
    assert [p.bots for p in planned] == [("cat", "ant", "bee"), ("bee", "cat", "ant"), ("ant", "bee", "cat")]
    assert {p.deal for p in planned} == {"0001"}
    assert len({p.block for p in planned}) == 1


def test_over_a_block_every_bot_sits_in_every_seat_once() -> None:
    bots = tuple("abcdef")
    planned = fixtures_of(contest(bots, 6))
    for seat in range(6):
        assert sorted(p.bots[seat] for p in planned) == list(bots)


def test_more_bots_than_seats_meet_in_every_combination_with_deals_of_their_own() -> None:
    planned = fixtures_of(contest(tuple("abcd"), 2))
    assert len(planned) == 12
    assert {frozenset(p.bots) for p in planned} == {frozenset(t) for t in itertools.combinations("abcd", 2)}
    assert [p.deal for p in planned[::2]] == ["0001", "0002", "0003", "0004", "0005", "0006"]


def test_groups_take_turns_until_the_deals_are_played() -> None:
    planned = fixtures_of(contest(("a", "b", "c"), 2), deals=4)
    assert [frozenset(p.bots) for p in planned[::2]] == [frozenset(t) for t in ("ab", "ac", "bc", "ab")]


def test_so_many_matches_are_exactly_so_many() -> None:
    assert [p.deal for p in fixtures_of(contest(), matches=4)] == ["0001", "0001", "0001", "0002"]


def test_a_longer_plan_begins_with_the_shorter_one() -> None:
    assert fixtures_of(contest(), matches=50)[:7] == fixtures_of(contest(), matches=7)


def test_without_mirroring_every_deal_is_played_once_and_seats_still_rotate() -> None:
    planned = fixtures_of(contest(mirrored=False), matches=6)
    assert len({p.deal for p in planned}) == 6
    assert [p.bots[0] for p in planned] == ["cat", "bee", "ant"] * 2
    assert not any(p.shared for p in planned)


def test_a_deal_that_other_matches_share_stays_secret() -> None:
    assert all(p.shared for p in fixtures_of(contest(), deals=2))


def test_a_single_deal_with_the_seats_as_they_were_is_the_same_match_again() -> None:
    everything = fixtures_of(contest(tuple("dbca"), 3), deals=9)
    for planned in everything:
        [again] = single(contest(planned.bots, 3), str(int(planned.deal)))
        assert again == planned


def test_a_contest_does_not_print_its_seed() -> None:
    assert "demo" not in repr(contest())


def test_in_a_sequential_test_the_new_bot_sits_once_in_every_seat_of_a_deal() -> None:
    # A bot may be called like a copy of the other one.
    for new, old in (("new", "old"), ("old-2", "old")):
        setting = SprtSetting(
            game=game("coins"),
            new=BotSpec(new, Program(["x"], "", {})),
            old=BotSpec(old, Program(["x"], "", {})),
            seats=4,
            options={"rounds": 2},
            profile=PROFILES["strict"],
            seed="hush",
            work=WorkDivision(),
            most_blocks=9,
            replays=None,
            test=Sprt(),
        )
        planned = next(blocks(setting.contest))
        assert [fixture.bots.index(new) for fixture in planned] == [0, 1, 2, 3]
        assert all(len(set(fixture.bots)) == 4 for fixture in planned)
        assert all(fixture.shared for fixture in planned)
