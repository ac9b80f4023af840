"""Files that commands write: those that cannot be written are refused before anything starts."""

import os
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from referee.cli import main
from referee.cli.options.terms import replay_folder
from referee.errors import ConfigError


def run(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("mine")
    (tmp_path / "spring.toml").touch()
    return tmp_path


COMMANDS = {
    "sprt": ("sprt", "random", "first", "--game", "coins", "--junit"),
    "positions": ("positions", "suite.toml", "--junit", "{}", "--", "random"),
    "check": ("check", "--junit", "{}", "--", "random"),
    "certificate": ("check", "--certificate", "{}", "--", "random"),
    "run": ("tournament", "run", "spring.toml", "--html"),
}
UNWRITABLE = ["/proc/nothing/out", "file/out", "/proc/out", "/sys/out"]


@pytest.mark.parametrize("path", UNWRITABLE)
@pytest.mark.parametrize("command", COMMANDS)
def test_an_output_that_cannot_be_written_is_refused_before_anything_starts(
    folder: Path, command: str, path: str
) -> None:
    words = COMMANDS[command]
    result = run(*(path if word == "{}" else word for word in words), *([] if "{}" in words else [path]))
    assert result.exit_code == 2, result.output
    assert f"cannot write {path}" in result.output
    assert sorted(os.listdir(folder)) == ["file", "spring.toml"]


def test_a_check_of_an_output_changes_nothing(folder: Path) -> None:
    # All of these fail later, because there is no such game, suite or tournament.
    for path in ("file", "new", "out/new.html"):
        assert run("tournament", "run", "spring.toml", "--html", path).exit_code == 2
    assert sorted(os.listdir(folder)) == ["file", "spring.toml"]
    assert (folder / "file").read_text() == "mine"


def test_a_fifo_is_not_opened_to_be_checked(folder: Path) -> None:
    os.mkfifo(folder / "fifo")
    result = run("tournament", "run", "spring.toml", "--html", "fifo")
    assert "cannot write" not in result.output


def fail_in(folder: Path, name: str = "") -> None:
    with replay_folder(folder):
        if name:
            (folder / name).touch()
        raise KeyError


def test_a_folder_of_replays_is_removed_only_if_it_was_made_for_nothing(folder: Path) -> None:
    with pytest.raises(KeyError):
        fail_in(folder / "new")
    assert not (folder / "new").exists()
    with pytest.raises(KeyError):
        fail_in(folder / "new", "match.jsonl")
    (folder / "old").mkdir()
    with pytest.raises(KeyError):
        fail_in(folder / "old")
    assert (folder / "old").exists()
    assert (folder / "new" / "match.jsonl").exists()


def test_a_folder_of_replays_that_cannot_be_written_is_refused(folder: Path) -> None:
    with pytest.raises(ConfigError, match="for replays"), replay_folder(Path("/proc")):
        pass
