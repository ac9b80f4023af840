"""What a bad bot costs beyond its own match; `test_hostile_bots.py` has all kinds of bad bots."""

import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from msgspec.structs import replace

from referee.process.spec import BotSpec, program
from tests.end_to_end.hubs import HASTY, bad, eventually, pairings, play, sample


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


DIGS = """
import json, os, sys
os.chdir(os.environ["TMPDIR"])
for _ in range(3_000):
    os.mkdir("d")
    os.chdir("d")
print(json.dumps({"type": "hello", "protocol": [1], "name": "digs"}), flush=True)
sys.stdin.read()
"""


def test_folders_too_deep_to_be_followed_in_its_scratch_folder_cost_a_bot_its_match_and_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    digs = BotSpec("digs", program([sys.executable, "-c", DIGS], tmp_path), "stdio")
    try:
        (finished,) = play([digs, sample("first")], pairings(["digs", "first"], 1, "m", HASTY), jobs=1)
        assert finished.result.faults == ("not-ready", "")
        # The supervisor of a bot may still be removing what the bot has left when the hub has ended.
        assert eventually(lambda: not list(tmp_path.iterdir()))
    finally:
        # What is left of them pytest could not remove.
        subprocess.run(["rm", "-rf", *tmp_path.iterdir()], check=True)
