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


def test_playing_loads_neither_the_store_nor_the_arithmetic_of_ratings() -> None:
    code = "import referee.cli.commands.play, sys; print({'numpy', 'sqlalchemy'} & set(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=240, check=True
    )
    assert done.stdout == "set()\n"


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


def test_a_page_of_replays_is_written_named_like_them_and_replaces_only_a_page(
    replay: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    made = run("replay", "page", replay)
    assert (made.returncode, made.stdout) == (0, "")
    assert made.stderr.startswith("m-1.html: 1 match, ")
    page = tmp_path / "m-1.html"
    assert page.read_text().startswith("<!doctype html>")
    assert run("replay", "page", replay.parent, "--out", page).returncode == 0
    refused = run("replay", "page", replay, "--out", replay)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "a file of another kind" in refused.stderr
    assert run("replay", "verify", replay).returncode == 0


def test_a_page_for_some_viewers_is_smaller_and_an_unknown_viewer_is_refused(
    replay: Path, tmp_path: Path
) -> None:
    whole, some = tmp_path / "whole.html", tmp_path / "some.html"
    assert run("replay", "page", replay, "--out", whole).returncode == 0
    assert run("replay", "page", replay, "--as", "public", "--as", "Ada", "--out", some).returncode == 0
    assert some.stat().st_size < whole.stat().st_size
    unknown = run("replay", "page", replay, "--as", "Eve", "--out", some)
    assert unknown.returncode == 2
    assert "no seat or bot 'Eve'" in unknown.stderr


def test_a_page_of_a_damaged_replay_or_an_empty_folder_is_not_written(replay: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    (tmp_path / "empty").mkdir()
    empty = run("replay", "page", tmp_path / "empty", "--out", page)
    assert empty.returncode == 2
    assert "has no replays" in empty.stderr
    replay.write_bytes(replay.read_bytes().replace(b'"us":3000', b'"us":2000', 1))
    damaged = run("replay", "page", replay, "--out", page)
    assert damaged.returncode == 1
    assert "the chain breaks" in damaged.stderr
    assert not page.exists()
