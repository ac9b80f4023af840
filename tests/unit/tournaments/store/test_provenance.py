"""The lock: what a run was made with."""

import sys
from hashlib import sha256
from pathlib import Path

import msgspec
import pytest

from referee.process.spec import BotSpec, program
from tournaments.store.provenance import Provenance, changed, is_news, lock


@pytest.fixture
def bot(tmp_path: Path) -> BotSpec:
    (tmp_path / "bot.py").write_text("import book")
    (tmp_path / "book.py").write_text("openings = []")
    (tmp_path / "diary.txt").write_text("what the bot writes while it plays")
    return BotSpec("ada", program([sys.executable, "bot.py", "--fast"], tmp_path, {"SECRET": "hush"}))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "spring.toml"
    path.write_text("seed = 1")
    return path


def test_a_bot_is_known_by_its_program_its_script_and_what_lies_beside_it(file: Path, bot: BotSpec) -> None:
    [known] = lock(file, [bot]).bots
    folder = file.parent
    assert set(known.files) == {sys.executable, str(folder / "bot.py"), str(folder / "book.py")}
    assert known.files[str(folder / "bot.py")] == sha256(b"import book").hexdigest()


def test_a_bot_that_is_a_module_is_known_by_its_file(file: Path, tmp_path: Path) -> None:
    (tmp_path / "pack").mkdir()
    (tmp_path / "pack" / "bot.py").touch()
    spec = BotSpec("ada", program([sys.executable, "-m", "pack.bot"], env={"PYTHONPATH": str(tmp_path)}))
    [known] = lock(file, [spec]).bots
    assert str(tmp_path / "pack" / "bot.py") in known.files


def test_nothing_of_the_environment_is_kept(file: Path, bot: BotSpec) -> None:
    assert b"hush" not in msgspec.json.encode(lock(file, [bot]))


def test_the_host_and_the_versions_are_recorded(file: Path, bot: BotSpec) -> None:
    told = lock(file, [bot])
    assert told.host.cores >= 1
    assert told.host.loop_ms > 0
    assert told.host.hash_ms > 0
    assert told.packages["sqlalchemy"][0].isdigit()
    assert told.file == sha256(b"seed = 1").hexdigest()
    assert msgspec.json.decode(msgspec.json.encode(told), type=Provenance) == told


def test_a_bot_whose_files_differ_has_changed(file: Path, bot: BotSpec) -> None:
    before = lock(file, [bot])
    assert changed(before, lock(file, [bot])) == []
    (file.parent / "diary.txt").write_text("it wrote more")
    assert changed(before, lock(file, [bot])) == []
    (file.parent / "book.py").write_text("openings = [1]")
    assert changed(before, lock(file, [bot])) == ["ada"]
    assert changed(before, lock(file, [])) == []


def test_a_run_that_differs_in_measured_times_alone_is_no_news(file: Path, bot: BotSpec) -> None:
    first, again = lock(file, [bot]), lock(file, [bot])
    assert is_news([], first)
    assert not is_news([first], again)
    (file.parent / "bot.py").write_text("import book  # better")
    later = lock(file, [bot])
    assert is_news([first], later)
