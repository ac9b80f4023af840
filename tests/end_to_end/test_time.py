"""Processes that are stopped, and clocks that jump: only a bot that was too slow by itself is late."""

import json
import os
import shutil
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.end_to_end.commands import Workspace, workspace_in
from tests.end_to_end.hubs import eventually, processes
from tests.lacking import lacking

PATIENT = """
import sys
from protocol.client import run
count = 0
def choose(view, legal):
    global count
    count += 1
    if count == 2:
        with open(sys.argv[1], "w") as fifo:
            fifo.write("asked")
        with open(sys.argv[2]) as fifo:
            fifo.read()
    return legal[0]
run(choose, name="patient")
"""
"""Reports through one FIFO that it was asked for the second time, and answers when another is written to."""

MOVE_S = 2.5
BOTH = pytest.mark.parametrize("transport", ["stdio", "zmq"])


class Scene:
    """A match of a patient bot against one that is never slow."""

    def __init__(self, workspace: Workspace, *words: str) -> None:
        script = workspace.write("patient.py", PATIENT)
        self._asked, self._told = workspace.folder / "asked", workspace.folder / "told"
        os.mkfifo(self._asked)
        os.mkfifo(self._told)
        bot = f"patient={sys.executable} {script} {self._asked} {self._told}"
        clock = f"first=20000,move={MOVE_S * 1_000:.0f},bank=0"
        terms = ("--deal", "1", "--clock", clock, "--seed", "t", "--json", "--quiet")
        self.command = workspace.start("play", "coins", "--bot", bot, "--bot", "first", *terms, *words)
        assert self.command.wait_for_fifo(self._asked) == "asked"

    def let_answer(self) -> None:
        with self._told.open("w") as fifo:
            fifo.write("go on")

    def stop(self, pid: int) -> None:
        os.kill(pid, signal.SIGSTOP)
        stat = Path(f"/proc/{pid}/stat")
        assert eventually(lambda: stat.read_text().rpartition(")")[2].split()[0] == "T")

    def match(self) -> dict[str, Any]:
        """Return what came of the match."""
        ended = self.command.end()
        assert ended.code == 0, ended.err
        match: dict[str, Any] = json.loads(ended.out)["matches"][0]
        return match


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with workspace_in(tmp_path) as workspace:
        yield workspace


@BOTH
def test_no_bot_loses_because_the_referee_was_stopped(workspace: Workspace, transport: str) -> None:
    scene = Scene(workspace, "--transport", transport)
    hub = scene.command.process.pid
    scene.stop(hub)
    scene.let_answer()
    # Longer than the time for a decision: the bot has long answered, but the hub did not run.
    time.sleep(1.5 * MOVE_S)
    os.kill(hub, signal.SIGCONT)
    match = scene.match()
    assert (match["faults"], match["reason"]) == (["", ""], "most coins")
    # The time in which the hub did not run is not charged to the bot.
    assert max(match["charged_ms"]) < MOVE_S * 1_000


@BOTH
def test_a_bot_that_is_stopped_is_late_and_no_other_is_harmed(workspace: Workspace, transport: str) -> None:
    scene = Scene(workspace, "--transport", transport)
    hub = scene.command.process.pid
    (bot,) = [pid for pid in processes(str(workspace.folder / "told")) if pid != hub]
    scene.stop(bot)
    match = scene.match()
    assert (match["faults"], match["ranks"]) == (["late", ""], [2, 1])


@pytest.mark.parametrize("jump_s", [3_600, -3_600])
def test_a_jump_of_the_wall_clock_changes_nothing(
    workspace: Workspace, jump_s: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = next(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"), None)
    if library is None or shutil.which("faketime") is None:
        lacking("faketime is not installed: wall clocks that jump are not tested")
    wall = workspace.write("wall", "+0")
    # Only the wall clock; and it looks at the file every time, so that the clock jumps while they play.
    settings = {
        "LD_PRELOAD": str(library),
        "FAKETIME_TIMESTAMP_FILE": str(wall),
        "FAKETIME_NO_CACHE": "1",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
    }
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    hours = {time.strftime("%Y-%m-%dT%H", time.gmtime())}
    scene = Scene(workspace)
    wall.write_text(f"{jump_s:+d}")
    scene.let_answer()
    match = scene.match()
    assert (match["faults"], match["reason"]) == (["", ""], "most coins")
    assert max(match["charged_ms"]) < 60_000
    began = json.loads((workspace.folder / match["replay"]).read_bytes().splitlines()[0])["started"]
    hours.add(time.strftime("%Y-%m-%dT%H", time.gmtime()))
    assert began[:13] in hours, "the label is the time it began"
