"""Disks that are really full, or really read-only: a clear error, and nothing that counted is lost."""

import os
import sys
from pathlib import Path

import pytest

from tests.campaigns.faults.disks import Disk, disk
from tests.end_to_end.commands import Ended, Workspace
from tests.end_to_end.ladders import check_replays, outcome, play, repeatable, stored, write_plan

pytestmark = pytest.mark.faults

BLOCKS = 40


def run(small: Disk) -> Ended:
    plan = str(small.folder / "spring.toml")
    return small.run(sys.executable, "-m", "referee", "tournament", "run", plan, "--quiet")


def tournament(tmp_path: Path) -> Workspace:
    """Play the tournament on a disk that has room, and return where."""
    (tmp_path / "whole").mkdir()
    whole = Workspace(tmp_path / "whole")
    write_plan(whole, blocks=BLOCKS)
    play(whole)
    return whole


def test_a_full_disk_ends_a_tournament_that_goes_on_when_there_is_room(tmp_path: Path) -> None:
    whole = tournament(tmp_path)
    with disk(tmp_path / "small", "320k") as small:
        workspace = Workspace(small.outside)
        write_plan(workspace, blocks=BLOCKS)
        full = run(small)
        assert full.code in (1, 2)
        assert "No space left on device" in full.err or "the disk is full" in full.err
        assert "Traceback" not in full.err
        left = Workspace(small.copy())
        before = stored(left)
        assert len(before) < 2 * BLOCKS
        check_replays(left, before)
        # As full as before: it says the same, and still loses nothing.
        again = run(small)
        assert again.code in (1, 2)
        assert {one.match for one in before} <= {one.match for one in stored(Workspace(small.copy()))}
        small.resize("8M")
        assert run(small).code == 0
        workspace = Workspace(small.copy())
        assert [repeatable(one) for one in stored(workspace)] == [repeatable(one) for one in stored(whole)]
        assert outcome(workspace) == outcome(whole)
        assert not list((workspace.folder / "replays").glob(".*"))


def test_a_read_only_disk_is_named_and_nothing_is_lost(tmp_path: Path) -> None:
    with disk(tmp_path / "small", "8M") as small:
        workspace = Workspace(small.outside)
        write_plan(workspace, blocks=1)
        assert run(small).code == 0
        before = stored(Workspace(small.copy()))
        write_plan(workspace, blocks=3)
        small.must("mount", "-o", "remount,ro", str(small.folder))
        ended = run(small)
        assert ended.code in (1, 2)
        assert "cannot be written" in ended.err
        assert "ead-only" in ended.err
        assert "Traceback" not in ended.err
        assert stored(Workspace(small.copy())) == before
        # Commands that only read still work.
        plan = str(small.folder / "spring.toml")
        assert small.run(sys.executable, "-m", "referee", "tournament", "standings", plan).code == 0
        small.must("mount", "-o", "remount,rw", str(small.folder))
        assert run(small).code == 0
        assert len(stored(Workspace(small.copy()))) == 6


def test_a_daemon_and_a_play_on_a_read_only_disk_say_so_and_start_nothing(tmp_path: Path) -> None:
    with disk(tmp_path / "small", "1M") as small:
        small.must("mount", "-o", "remount,ro", str(small.folder))
        folder = str(small.folder / "kept")
        for words in (
            ("serve", "coins", "--bind", "0", "--folder", folder),
            ("play", "coins", "--bot", "first", "--bot", "random", "--replays", folder),
        ):
            ended = small.run(sys.executable, "-m", "referee", *words)
            assert ended.code == 2
            assert "Read-only file system" in ended.err
            assert "Traceback" not in ended.err
    assert not os.listdir(tmp_path / "small"), "nothing of this was ever on the real disk"
