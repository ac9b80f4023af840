"""Which deals are still to be played, so that nothing of them may be shown."""

from tests.unit.tournaments.plans import plan, played
from tournaments.pairing.schedule import fixtures
from tournaments.site.model import left_seconds, open_deals


def test_a_deal_is_open_until_its_last_rotation_is_over() -> None:
    planned = fixtures(plan(3))
    block = [one for one in planned if one.block == planned[0].block]
    rest = [one for one in planned if one.block != planned[0].block]
    assert len(block) == 2
    done = [played(one) for one in rest]
    assert open_deals(planned, done) == {block[0].deal}
    assert open_deals(planned, [*done, played(block[0])]) == {block[0].deal}
    assert open_deals(planned, [*done, *map(played, block)]) == frozenset()


def test_a_common_deal_is_open_as_long_as_any_group_is_to_play_it() -> None:
    planned = fixtures(plan(3, common_deals=True, blocks=2))
    last = planned[-1]
    done = [played(one) for one in planned if one.match != last.match]
    assert open_deals(planned, done) == {last.deal}
    assert len({one.deal for one in planned}) == 2


def test_all_deals_of_a_round_are_open_that_may_get_further_matches() -> None:
    planned = fixtures(plan(4, format="knockout", common_deals=True))
    done = [played(one) for one in planned]
    assert open_deals(planned, done) == frozenset()
    assert open_deals(planned, done, more_of=1) == {one.deal for one in planned}


def test_the_expected_end_follows_from_the_pace() -> None:
    moments = [f"2026-01-01T00:00:{second:02}+00:00" for second in (0, 10, 20, 30)]
    assert left_seconds(moments, 6) == 60
    assert left_seconds(moments[:2], 6) is None
    assert left_seconds(moments, 0) is None
