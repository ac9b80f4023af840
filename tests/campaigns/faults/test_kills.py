"""`kill -9` of every kind of process at any moment of a tournament.

The referee itself and its forkserver are ours: killed at any moment, the same command again ends with the
table of an unbroken run. A bot, its supervisor and its gate belong together: the bot loses its running
matches by a fault of its own, and no other bot is affected.
"""

import os
import random
import select
import signal
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.campaigns.faults.figures import Figure
from tests.end_to_end.boxes import needs_box
from tests.end_to_end.commands import Command, Workspace, workspace_in
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

BOTS = ("ann", "bob", "cleo", "dora")
JOBS = 2


def children(pid: int) -> list[int]:
    try:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def session_of(pid: int) -> int:
    try:
        return os.getsid(pid)
    except ProcessLookupError:
        return 0


def family(referee: int) -> dict[str, list[int]]:
    """Return the processes of a referee by kind; gates and supervisors are forked from the forkserver."""
    found: dict[str, list[int]] = {
        "referee": [referee],
        "forkserver": [],
        "gate": [],
        "supervisor": [],
        "bot": [],
    }
    for forkserver in children(referee):
        found["forkserver"].append(forkserver)
        for below in children(forkserver):
            bots = children(below)
            found["bot"] += bots
            # A supervisor has a session of its own; one that has no bot yet, or no more, is left alone.
            if session_of(below) == forkserver:
                found["gate"].append(below)
            elif bots:
                found["supervisor"].append(below)
    return found


def run_until(workspace: Workspace, luck: random.Random) -> tuple[Command, Fifo, list[str]]:
    """Run the tournament up to some moment: so many lines of its log, or so many milliseconds."""
    path = workspace.folder / "log"
    path.unlink(missing_ok=True)
    log = Fifo(path)
    command = workspace.start("tournament", "run", "spring.toml", "--log", "log", "--quiet")
    wanted = luck.choice([2, 3, 3, 4, 5, 8])
    end = time.monotonic() + (luck.uniform(0.05, 1.5) if luck.random() < 0.25 else 60)
    lines: list[str] = []
    while len(lines) < wanted and (left_s := end - time.monotonic()) > 0:
        if not select.select([log], [], [], left_s)[0] or command.process.poll() is not None:
            break
        lines += log.lines()
    wait_busily(luck.uniform(0, 0.008))
    return command, log, lines


def wait_busily(seconds: float) -> None:
    """Let a moment pass that is shorter than one could sleep."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        pass


def kill_one(command: Command, kind: str, luck: random.Random) -> bool:
    """Kill a process of this kind; False if there is none at this moment."""
    found = family(command.process.pid)[kind]
    if not found:
        return False
    try:
        os.kill(luck.choice(found), signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True


def two_folders(tmp_path: Path, **terms: Any) -> tuple[Workspace, Workspace]:
    """Return a workspace with an unbroken run, and one with nothing yet."""
    (tmp_path / "unbroken").mkdir()
    (tmp_path / "broken").mkdir()
    whole, broken = Workspace(tmp_path / "unbroken"), Workspace(tmp_path / "broken")
    for workspace in (whole, broken):
        write_plan(workspace, BOTS, **terms)
    play(whole)
    return whole, broken


@pytest.mark.faults
@pytest.mark.timeout(1_800)
@pytest.mark.parametrize(
    ("kills", "blocks"),
    [pytest.param(4, 6, id="some"), pytest.param(100, 60, id="many", marks=pytest.mark.slow)],
)
def test_our_own_processes_killed_cost_time_and_nothing_else(
    tmp_path: Path, kills: int, blocks: int, figure: Figure
) -> None:
    whole, _ = two_folders(tmp_path, blocks=blocks)
    rows = {one.match: repeatable(one) for one in stored(whole)}
    luck = random.Random(f"{kills} of ours")
    kept: dict[str, Played] = {}
    struck: Counter[str] = Counter()
    with workspace_in(tmp_path / "broken") as workspace:
        for number in range(kills):
            kind = ("referee", "forkserver")[number % 2]
            command, log, lines = run_until(workspace, luck)
            if not kill_one(command, kind, luck):
                # It was too early for a forkserver: the run must not go on to its end.
                kind = "referee"
                kill_one(command, kind, luck)
            struck[kind] += 1
            ended = command.end()
            assert ended.code in (-signal.SIGKILL, 0, 1, 2), ended
            lines += log.lines()
            log.close()
            now = {one.match: one for one in stored(workspace)}
            assert kept.items() <= now.items(), "lost"
            assert reported(lines) - void(lines) <= now.keys(), "acknowledged and lost"
            assert all(repeatable(one) == rows[match] for match, one in now.items()), "not as it should be"
            check_replays(workspace, [now[match] for match in now.keys() - kept.keys()])
            kept = now
        assert 0 < len(kept) < len(rows), "the kills came too late or too early to show anything"
        assert workspace.run("tournament", "run", "spring.toml").code == 0
        assert outcome(workspace) == outcome(whole)
        assert [repeatable(one) for one in stored(workspace)] == list(rows.values())
        assert eventually(lambda: not processes(str(workspace.folder)))
    figure(f"{dict(struck)} killed, {len(rows)} matches: 0 lost, 0 doubled, the same table")


def void(lines: list[str]) -> set[str]:
    """Return the matches of which a log says that they were void."""
    return reported(line for line in lines if "void" in line)


@pytest.mark.faults
@pytest.mark.timeout(1_800)
@pytest.mark.parametrize(
    ("kills", "blocks"),
    [pytest.param(3, 4, id="some"), pytest.param(100, 60, id="many", marks=pytest.mark.slow)],
)
@pytest.mark.parametrize("kind", ["bot", "supervisor", pytest.param("gate", marks=needs_box)])
def test_a_killed_process_of_a_bot_costs_only_that_bot(
    tmp_path: Path, kind: str, kills: int, blocks: int, figure: Figure
) -> None:
    luck = random.Random(f"{kills} of {kind}")
    struck = 0
    with workspace_in(tmp_path) as workspace:
        # A trusted bot has no gate process.
        level = {"level": "class"} if kind == "gate" else {}
        write_plan(workspace, BOTS, blocks=blocks, jobs=JOBS, **level)
        over = False
        while not over:
            log = Fifo(workspace.folder / "log")
            command = workspace.start("tournament", "run", "spring.toml", "--log", "log", "--quiet")
            while command.process.poll() is None:
                # One for every match that is over, a little later.
                if select.select([log], [], [], 0.1)[0] and reported(log.lines()) and struck < kills:
                    wait_busily(luck.uniform(0, 0.008))
                    struck += kill_one(command, kind, luck)
            log.close()
            (workspace.folder / "log").unlink()
            ended = command.end()
            over = ended.code == 0
            # What was killed before its bot was there is no bot's fault: it ends the command.
            assert over or (ended.code == 1 and "cannot start bot" in ended.err), ended
        assert workspace.run("tournament", "run", "spring.toml").code == 0
        rows = stored(workspace)
        assert len(rows) == len({one.match for one in rows}) == blocks * 12
        check_replays(workspace, rows)
    lost = Counter(fault for one in rows for fault in one.result.faults if fault)
    expected = {"bot": {"crashed"}, "supervisor": {"crashed"}, "gate": {"disconnected"}}[kind]
    assert set(lost) <= expected
    # One process of a bot plays at most all matches that are played at once.
    assert sum(any(one.result.faults) for one in rows) <= struck * JOBS
    assert struck
    figure(f"{struck} killed, {len(rows)} matches all there, faults {dict(lost)}")
