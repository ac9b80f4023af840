"""What a bad bot costs beyond its own match; `test_hostile_bots.py` has all kinds of bad bots."""

from msgspec.structs import replace

from tests.end_to_end.hubs import HASTY, bad, pairings, play, sample


def test_in_a_game_of_three_the_house_plays_a_failed_seat_on() -> None:
    bots = [bad("exits"), sample("first"), sample("random")]
    (finished,) = play(bots, pairings(["bad", "first", "random"], 1), jobs=1)
    result = finished.result
    assert result.faults == ("crashed", "", "")
    assert result.ranks[0] == 3
    assert result.reason in ("goal", "last-business")


def test_the_classroom_forgives_two_illegal_actions_but_not_the_clock() -> None:
    bots = [bad("illegal"), sample("first")]
    classroom = HASTY.__class__("classroom", 3, replace(HASTY.clock, ready_ms=60_000))
    (finished,) = play(bots, pairings(["bad", "first"], 1, "m", classroom), jobs=1)
    # It sends one illegal action and then nothing: late, again and again, until the third strike.
    assert finished.result.faults == ("late", "")
