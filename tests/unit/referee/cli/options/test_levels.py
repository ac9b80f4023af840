"""The folder of a bot in a sandbox, derived from its command line, and what it may not contain."""

import os
import pwd
from pathlib import Path

import pytest

from referee.errors import LaunchError
from referee.process.sandbox.levels import check_folders
from tests.end_to_end.hubs import ROOT
from tournaments.config.bots import read_bots, read_program


@pytest.fixture(autouse=True)
def bots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for path in ("a/bot.py", "b/Bot.jar", "c/bot", "c/book.bin", "d/bin/python"):
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text("#!/bin/sh\n")
        os.chmod(path, 0o755)


@pytest.mark.parametrize(
    ("command", "folder"),
    [
        ("a/bot.py", "a"),
        ("sh a/bot.py --fast", "a"),
        ("sh -x b/Bot.jar", "b"),
        ("sh b", "b"),
        ("./c/bot --book c/book.bin", "c"),
        ("c/bot --model a/bot.py", "c"),
        ("d/bin/python a/bot.py", "a"),
    ],
)
def test_a_boxed_bot_runs_in_the_folder_of_its_file(command: str, folder: str) -> None:
    found = read_program(command, level="class")
    assert (found.folder, found.level) == (str(Path(folder).resolve()), "class")
    # As it no longer runs here, what its words name is found from anywhere.
    assert not any(Path(word).parts[:1] in (("a",), ("b",), ("c",)) for word in found.argv)
    assert read_program(command).folder == os.getcwd()


def test_a_boxed_sample_runs_in_the_folder_of_samples() -> None:
    assert read_program("random", level="contest").folder == str(ROOT / "sample_bots" / "python")


def test_a_command_without_a_file_cannot_be_boxed() -> None:
    with pytest.raises(LaunchError, match="names a file"):
        read_program("sh -c true", level="class")


def test_folders_must_not_hold_secrets_or_others(tmp_path: Path) -> None:
    check_folders(read_bots(["a/bot.py", "c/bot", "random", "first"], level="class"), [tmp_path / "replays"])
    with pytest.raises(LaunchError, match=r"a/replays; give it a folder of its own"):
        check_folders(read_bots(["a/bot.py"], level="class"), [Path("a/replays")])
    Path("a/deep").mkdir()
    Path("a/deep/bot.py").touch()
    nested = read_bots(["a/bot.py", "deep=a/deep/bot.py"], level="contest")
    with pytest.raises(LaunchError, match="holds bot deep"):
        check_folders(nested, [])
    check_folders(read_bots(["a/bot.py", "a/bot.py"], level="contest"), [])


def test_an_interpreter_must_not_lie_among_secrets() -> None:
    with pytest.raises(LaunchError, match="seed"):
        check_folders(read_bots(["d/bin/python a/bot.py"], level="contest"), [Path("d/seed")])


def test_no_bot_is_shown_a_home_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "a"))
    with pytest.raises(LaunchError, match="home folder"):
        check_folders(read_bots(["a/bot.py"], level="class"), [])
    check_folders(read_bots(["a/bot.py"]), [Path("a/replays")])


def test_no_bot_is_shown_the_home_folder_of_another_user(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def user(number: int, home: Path) -> pwd.struct_passwd:
        return pwd.struct_passwd(("somebody", "x", number, number, "", str(home), "/bin/sh"))

    monkeypatch.setattr(pwd, "getpwall", lambda: [user(1_234, tmp_path / "a"), user(77, tmp_path / "c")])
    with pytest.raises(LaunchError, match="home folder"):
        check_folders(read_bots(["a/bot.py"], level="class"), [])
    # What services call their home is no home.
    check_folders(read_bots(["c/bot"], level="class"), [])
