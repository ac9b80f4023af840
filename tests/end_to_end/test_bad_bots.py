"""Every bad bot loses its match for its own reason; the others notice nothing."""

import pytest

from referee.launch import Limits
from tests.end_to_end.hubs import HASTY, bad, eventually, pairings, play, processes, sample

VERDICTS = {
    "silent": "no-hello",
    "other_version": "version",
    "never_ready": "not-ready",
    "exits_at_once": "crashed",
    "exits": "crashed",
    "segfaults": "crashed",
    "thinks_for_ever": "late",
    "spins": "cpu",
    "illegal": "illegal",
    "malformed_json": "malformed",
    "wrong_type": "malformed",
    "too_large": "too-large",
    "flood": "flood",
    "says_bye": "disconnected",
    "closes_stdout": "disconnected",
    "eats_memory": "memory",
    "forks": "crashed",
    "writes_a_lot": "crashed",
    "opens_a_lot": "crashed",
    "stale_then_good": "",
    "chatters": "",
    "ignores_sigterm": "",
    "leaves_a_daemon": "",
}


LIMITS = {
    "eats_memory": Limits(memory_mib=64),
    "spins": Limits(cpu_s=1),
    "forks": Limits(processes=8),
    "writes_a_lot": Limits(file_mib=1),
    "opens_a_lot": Limits(open_files=16),
}


@pytest.mark.parametrize("name", VERDICTS)
def test_a_bad_bot_loses_for_its_own_reason_and_nobody_else_is_harmed(name: str) -> None:
    limits = LIMITS.get(name, Limits())
    # The spinning bot must meet its processor limit before its clock.
    profile = HASTY if name != "spins" else None
    bots = [bad(name, limits), sample("first"), sample("random")]
    matches = [
        *pairings(["bad", "first"], 1, "bad", *([profile] if profile else [])),
        *pairings(["random", "first"], 2, "good"),
    ]
    finished = play(bots, matches, jobs=3, profile=HASTY)
    results = {f.result.match: f.result for f in finished}
    assert results["bad0"].faults == (VERDICTS[name], "")
    if VERDICTS[name]:
        assert results["bad0"].ranks == (2, 1)
        assert results["bad0"].reason == "forfeit"
    for match in ("good0", "good1"):
        assert results[match].faults == ("", "")
    assert all(f.void is None for f in finished)
    assert eventually(lambda: not processes(f"bad.py\x00{name}") and not processes("sleep\x00987"))


def test_in_a_game_of_three_the_house_plays_a_failed_seat_on() -> None:
    bots = [bad("exits"), sample("first"), sample("random")]
    (finished,) = play(bots, pairings(["bad", "first", "random"], 1), jobs=1)
    result = finished.result
    assert result.faults == ("crashed", "", "")
    assert result.ranks[0] == 3
    assert result.reason in ("goal", "last-business")


def test_the_classroom_forgives_two_illegal_actions_but_not_the_clock() -> None:
    bots = [bad("illegal"), sample("first")]
    classroom = HASTY.__class__("classroom", 3, HASTY.clock)
    (finished,) = play(bots, pairings(["bad", "first"], 1, "m", classroom), jobs=1)
    # It sends one illegal action and then nothing: late, again and again, until the third strike.
    assert finished.result.faults == ("late", "")
