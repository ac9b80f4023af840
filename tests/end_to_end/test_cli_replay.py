"""The commands that need no hub, as processes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.referee.replay.played import SimulatedMatch

REFEREE = [sys.executable, "-m", "referee"]


def run(*words: str | Path, **env: str) -> "subprocess.CompletedProcess[str]":
    command = [*REFEREE, *map(str, words)]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=240, env=os.environ | env, check=False
    )


@pytest.fixture
def replay(tmp_path: Path) -> Path:
    return SimulatedMatch("cli", match="m-1").ready().play_out().save(tmp_path / "m-1.jsonl")


def test_a_replay_is_verified_shown_and_explained(replay: Path) -> None:
    verified = run("replay", "verify", replay)
    assert (verified.returncode, verified.stderr) == (0, "")
    shown = run("replay", "show", replay, "--as", "public", "--board", "last")
    assert (shown.returncode, shown.stderr) == (0, "")
    assert "Result: most coins" in shown.stdout
    explained = run("why", "m-1", "--replays", replay.parent)
    assert (explained.returncode, explained.stderr) == (0, "")


def test_a_damaged_replay_exits_with_1_and_no_traceback(replay: Path) -> None:
    replay.write_bytes(replay.read_bytes().replace(b'"us":3000', b'"us":2000', 1))
    verified = run("replay", "verify", replay)
    assert (verified.returncode, verified.stderr) == (1, "")
    assert "line 2: the chain breaks" in verified.stdout
    shown = run("replay", "show", replay)
    assert (shown.returncode, shown.stdout) == (1, "")
    assert shown.stderr.startswith("referee: ")
    assert "Traceback" not in shown.stderr


def test_bad_input_exits_with_2() -> None:
    result = run("rules", "chess")
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith("referee: there is no game 'chess'")


def test_help_loads_no_command() -> None:
    code = (
        "import sys; from referee.cli import main; main(['--help'], standalone_mode=False); "
        "print([name for name in sys.modules if name.startswith(('referee.', 'rich', 'msgspec', 'zmq'))])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=240, check=True
    )
    assert done.stdout.splitlines()[-1] == "['referee.errors', 'referee.cli']"


@pytest.mark.parametrize(
    "words",
    [
        ["replay", "show", ""],
        ["why", ""],
        ["games"],
        ["tournament", "--help"],
        ["--help"],
        ["check", "--list"],
    ],
    ids=" ".join,
)
def test_a_reader_that_goes_away_is_no_noise(replay: Path, words: list[str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            [*REFEREE, *(word or str(replay) for word in words)],
            stdout=writing,
            stderr=subprocess.PIPE,
            timeout=240,
            check=False,
        )
    finally:
        os.close(writing)
    assert done.stderr == b""
    assert done.returncode == 141


def test_the_shell_completes_games() -> None:
    done = run(_REFEREE_COMPLETE="bash_complete", COMP_WORDS="referee rules coi", COMP_CWORD="2")
    assert done.stdout == "plain,coins\n"
