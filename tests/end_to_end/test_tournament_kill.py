"""`kill -9` at any moment, then the same command: nothing that counted is lost, and the table is the same."""

import random
import select
import time
from pathlib import Path
from typing import Any

import pytest

from tests.end_to_end.commands import Workspace, workspace_in
from tests.end_to_end.hubs import eventually, processes
from tests.end_to_end.ladders import (
    Fifo,
    check_replays,
    outcome,
    play,
    repeatable,
    reported,
    stored,
    write_plan,
)
from tournaments.results import Played

SWISS = {"format": "swiss", "rounds": 4, "blocks": 4}


def kill_somewhere(workspace: Workspace, luck: random.Random) -> list[str]:
    """Run the tournament, kill it at some moment, and return the lines it logged until then.

    The moment is so many lines of the log and a few milliseconds, or so many milliseconds after the start:
    while the store is made, the bots start, a replay is written, a row is committed, or between.
    """
    path = workspace.folder / "log"
    path.unlink(missing_ok=True)
    log = Fifo(path)
    wanted = luck.choice([1, 2, 3, 3, 4, 5, 8])
    patience_s = luck.uniform(0.05, 1.5) if luck.random() < 0.25 else 60
    delay_s = luck.uniform(0, 0.008)
    command = workspace.start("tournament", "run", "spring.toml", "--log", "log", "--quiet")
    end = time.monotonic() + patience_s
    lines: list[str] = []
    try:
        while len(lines) < wanted and (left_s := end - time.monotonic()) > 0:
            if not select.select([log], [], [], left_s)[0]:
                break
            lines += log.lines()
        until = time.monotonic() + delay_s
        while time.monotonic() < until:
            pass
        command.process.kill()
        command.process.wait()
        lines += log.lines()
    finally:
        log.close()
    command.end()
    return lines


@pytest.mark.faults
@pytest.mark.timeout(1_800)
@pytest.mark.parametrize(
    ("kills", "terms"),
    [
        pytest.param(6, {"blocks": 12}, id="some"),
        pytest.param(4, SWISS, id="in-rounds"),
        pytest.param(60, {"blocks": 60}, id="many", marks=pytest.mark.slow),
        pytest.param(20, SWISS | {"blocks": 12}, id="many-in-rounds", marks=pytest.mark.slow),
    ],
)
def test_a_killed_tournament_ends_with_the_table_of_an_unbroken_one(
    tmp_path: Path, kills: int, terms: dict[str, Any]
) -> None:
    bots = ["ann", "bob", "cleo", "dora"]
    unbroken, broken = tmp_path / "unbroken", tmp_path / "broken"
    unbroken.mkdir()
    broken.mkdir()
    whole = Workspace(unbroken)
    write_plan(whole, bots, **terms)
    play(whole)
    rows = {one.match: repeatable(one) for one in stored(whole)}
    luck = random.Random(f"{kills} kills")
    kept: dict[str, Played] = {}
    with workspace_in(broken) as workspace:
        write_plan(workspace, bots, **terms)
        for _ in range(kills):
            lines = kill_somewhere(workspace, luck)
            now = {one.match: one for one in stored(workspace)}
            # What was there is still there, what was reported is there, and all of it is as it should be.
            assert kept.items() <= now.items()
            assert reported(lines) <= now.keys()
            assert all(repeatable(one) == rows[match] for match, one in now.items())
            check_replays(workspace, [now[match] for match in now.keys() - kept.keys()])
            kept = now
        assert 0 < len(kept) < len(rows), "the kills came too late or too early to show anything"
        ended = workspace.run("tournament", "run", "spring.toml")
        assert ended.code == 0
        assert f"{len(kept)} of " in ended.err
        assert outcome(workspace) == outcome(whole)
        assert [repeatable(one) for one in stored(workspace)] == list(rows.values())
        # A kill leaves no process behind, and no half-written file.
        assert eventually(lambda: not processes(str(workspace.folder)))
        assert not list((workspace.folder / "replays").glob(".*"))
