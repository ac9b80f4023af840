"""The lock: what a run was made with."""

import os
import sys
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import msgspec
import pytest

from referee.errors import LaunchError
from referee.process.spec import BotSpec, program
from tournaments.store import provenance
from tournaments.store.provenance import Provenance, is_news, program_of


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


def lock(file: Path, bots: list[BotSpec]) -> Provenance:
    return provenance.lock(file, map(program_of, bots))


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


def test_a_run_that_differs_in_measured_times_alone_is_no_news(file: Path, bot: BotSpec) -> None:
    first, again = lock(file, [bot]), lock(file, [bot])
    assert is_news([], first)
    assert not is_news([first], again)
    (file.parent / "bot.py").write_text("import book  # better")
    later = lock(file, [bot])
    assert is_news([first], later)


def confined(folder: Path) -> BotSpec:
    return BotSpec("ada", program([sys.executable, "bot.py", "--fast"], folder, level="class"))


def test_a_bot_of_a_sandbox_is_known_by_everything_in_its_folder(file: Path, bot: BotSpec) -> None:
    folder = file.parent
    [known] = lock(file, [confined(folder)]).bots
    names = ("book.py", "bot.py", "diary.txt", "spring.toml")
    assert list(known.files) == [str(folder / name) for name in names]
    assert (known.count, len(known.digest)) == (4, 64)


def test_only_so_many_files_of_a_bot_are_named_and_all_count(file: Path, bot: BotSpec) -> None:
    for number in range(300):
        (file.parent / f"{number}.txt").touch()
    [known] = lock(file, [confined(file.parent)]).bots
    assert (len(known.files), known.count) == (200, 304)


def sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(200 << 30)


HOSTILE: dict[str, Callable[[Path], object]] = {
    "x.py": lambda path: path.symlink_to("/proc/kmsg"),
    "sh.py": lambda path: path.symlink_to("/etc/shadow"),
    "fifo.py": os.mkfifo,
    "sparse.py": sparse,
    "\udcff.py": Path.touch,
    "two\nlines.py": Path.touch,
}


@pytest.mark.parametrize("level", ["trusted", "class"])
@pytest.mark.parametrize("name", HOSTILE, ids=ascii)
def test_a_hostile_file_is_refused_at_once_with_the_name_of_bot_and_file(
    file: Path, bot: BotSpec, level: str, name: str
) -> None:
    HOSTILE[name](file.parent / name)
    with pytest.raises(LaunchError, match="bot ada: ") as refusal:
        lock(file, [bot if level == "trusted" else confined(file.parent)])
    assert ascii(name)[1:-1] in str(refusal.value)
    assert str(refusal.value).isprintable()


def test_a_word_of_the_command_that_is_too_long_for_a_file_is_none(file: Path) -> None:
    spec = BotSpec("ada", program([sys.executable, "x" * 5_000], file.parent))
    [known] = lock(file, [spec]).bots
    assert list(known.files) == [sys.executable]


def test_a_script_of_the_operator_outside_of_the_folder_is_known_through_its_links(
    file: Path, tmp_path: Path
) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "shared").mkdir()
    (tmp_path / "real.py").write_text("import book")
    (tmp_path / "shared" / "bot.py").symlink_to("../real.py")
    (tmp_path / "shared" / "shadow.py").symlink_to("/etc/shadow")
    spec = BotSpec("ada", program([sys.executable, "../shared/bot.py"], tmp_path / "own"))
    [known] = lock(file, [spec]).bots
    assert known.files[str(tmp_path / "shared" / "bot.py")] == sha256(b"import book").hexdigest()
    assert known.files[str(tmp_path / "shared" / "shadow.py")] == ""
