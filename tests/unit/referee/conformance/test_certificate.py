"""The files of a program, as a certificate names them."""

from hashlib import sha256
from pathlib import Path

import pytest

from referee.conformance.certificate import program_files
from referee.errors import LaunchError
from referee.process.spec import Program


def digests(argv: list[str], folder: Path, **env: str) -> dict[str, str]:
    return {Path(file.path).name: file.sha256 for file in program_files(Program(argv, str(folder), env))}


def test_the_program_and_the_scripts_on_its_command_line_are_its_files(tmp_path: Path) -> None:
    (tmp_path / "bot.jar").write_bytes(b"jar")
    (tmp_path / "weights.bin").write_bytes(b"weights")
    found = digests(["/bin/sh", "-jar", "bot.jar", f"{tmp_path}/weights.bin", "--level", "3"], tmp_path)
    assert list(found) == ["sh", "bot.jar", "weights.bin"]
    assert found["bot.jar"] == sha256(b"jar").hexdigest()
    assert found["weights.bin"] == sha256(b"weights").hexdigest()


def test_a_module_is_found_where_python_would_find_it(tmp_path: Path) -> None:
    package = tmp_path / "lib" / "bots"
    package.mkdir(parents=True)
    (package / "clever.py").write_bytes(b"clever")
    found = digests(["/bin/sh", "-m", "bots.clever"], tmp_path, PYTHONPATH=str(tmp_path / "lib"))
    assert found["clever.py"] == sha256(b"clever").hexdigest()


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    assert list(digests(["/bin/sh", "."], tmp_path)) == ["sh"]


def test_an_interpreter_of_the_host_is_no_file_of_the_bot_unless_it_is_all_there_is(tmp_path: Path) -> None:
    (tmp_path / "bot.sh").write_text("exit")
    assert list(digests(["/bin/sh", "bot.sh"], tmp_path, PATH="/usr/bin:/bin")) == ["bot.sh"]
    assert list(digests(["/bin/sh", "bot.sh"], tmp_path, PATH="/elsewhere")) == ["sh", "bot.sh"]
    assert list(digests(["/bin/sh", "-i"], tmp_path, PATH="/usr/bin:/bin")) == ["sh"]


def test_a_link_out_of_the_folder_is_refused_and_never_read(tmp_path: Path) -> None:
    (tmp_path / "bot.py").symlink_to("/proc/kmsg")
    with pytest.raises(LaunchError, match=r"bot\.py: it is a link to /proc/kmsg"):
        digests(["/bin/sh", "bot.py"], tmp_path)
