"""A bot that travels means the same on another host, or the host is named that lacks something."""

import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from referee.errors import LaunchError
from referee.process.spec import BotSpec, program
from referee.worker.travel import BotPacker, Word, settle


def bot_in(folder: Path, **env: str) -> BotSpec:
    folder.mkdir()
    (folder / "bot.py").write_text("")
    return BotSpec("ann", program([sys.executable, str(folder / "bot.py"), "--fast"], folder, env))


def test_words_that_name_the_folder_of_a_bot_are_written_anew(tmp_path: Path) -> None:
    spec = bot_in(tmp_path / "ann", DATA=f"{tmp_path / 'ann'}:/elsewhere")
    packer = BotPacker()
    sent = packer.pack(spec)
    assert sent.words == (Word("python", ""), Word("folder", "bot.py"), Word("text", "--fast"))
    assert list(packer.tars) == [sent.digest]
    there = settle(sent, tmp_path / "copy", tmp_path / "spare", "alpha").program
    assert there.argv == [sys.executable, str(tmp_path / "copy" / "bot.py"), "--fast"]
    assert there.folder == str(tmp_path / "copy")
    assert there.env["DATA"] == f"{tmp_path / 'copy'}:/elsewhere"


def test_a_bot_of_a_sandbox_keeps_its_words_and_gets_the_unpacked_bundle(tmp_path: Path) -> None:
    spec = bot_in(tmp_path / "ann")
    confined = replace(spec, program=replace(spec.program, level="class"))
    there = settle(BotPacker().pack(confined), tmp_path / "copy", tmp_path / "spare", "alpha").program
    assert (there.argv, there.folder) == (spec.program.argv, spec.program.folder)
    assert there.bundle == str(tmp_path / "copy")


def test_a_host_without_a_program_of_a_bot_is_named_with_both(tmp_path: Path) -> None:
    sent = BotPacker().pack(bot_in(tmp_path / "ann"))
    lacking = replace(sent, words=(Word("host", "/opt/no/java"), *sent.words[1:]))
    with pytest.raises(LaunchError, match="host alpha lacks /opt/no/java, which bot ann needs"):
        settle(lacking, tmp_path / "copy", tmp_path / "spare", "alpha")


def test_a_folder_with_what_stays_here_does_not_travel(tmp_path: Path) -> None:
    spec = bot_in(tmp_path / "ann")
    (tmp_path / "ann" / "event.toml").write_text("seed = 1")
    packer = BotPacker((tmp_path / "ann" / "event.toml",))
    with pytest.raises(LaunchError, match=r"bot ann cannot be sent to other hosts: .* holds event\.toml"):
        packer.pack(spec)
    assert not packer.tars
