"""The README and the guides are true: their code works, their commands are ours."""

import json
import re
import shlex
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path
from typing import Any

import pytest

from referee import registry
from referee.cli import COMMANDS
from referee.replay import files
from tests.browser import pictures
from tests.end_to_end.hubs import ROOT
from tests.end_to_end.terminals import terminal

README = (ROOT / "README.md").read_text()


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


def test_the_bot_of_the_readme_is_ten_lines_and_plays(tmp_path: Path) -> None:
    (code,) = blocks("python")
    assert len([line for line in code.splitlines() if line.strip()]) <= 10
    (tmp_path / "mybot.py").write_text(code)
    (command,) = [line for block in blocks("sh") for line in block.splitlines() if "mybot.py" in line]
    words = shlex.split(command)
    assert words[0] == "referee"
    words[words.index("--matches") + 1] = "2"
    played = subprocess.run(
        [sys.executable, "-m", *words, "--json"],
        cwd=tmp_path,
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        check=True,
        text=True,
    )
    report = json.loads(played.stdout)
    assert len(report["matches"]) == 2
    assert all(not any(match["faults"]) for match in report["matches"])


@pytest.fixture(scope="module")
def guide() -> str:
    return (ROOT / "docs" / "add-a-game.md").read_text()


@pytest.fixture(scope="module")
def python(guide: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the Python of an environment in which the referee and the game of the guide are installed."""
    source, home = tmp_path_factory.mktemp("duels"), tmp_path_factory.mktemp("environment")
    written: dict[str, list[str]] = {}
    for language, text in re.findall(r"^```(\w+)\n(.*?)^```", guide, re.MULTILINE | re.DOTALL):
        written.setdefault(language, []).append(text)
    *game, bot = written["python"]
    (source / "duels").mkdir()
    (source / "duels" / "__init__.py").write_text("\n\n".join(game))
    (source / "duels" / "bot.py").write_text(bot)
    (source / "duels" / "RULES.md").write_text(*written["markdown"])
    (source / "pyproject.toml").write_text(*written["toml"])
    (source / "duels" / "picture").mkdir()
    (source / "duels" / "picture" / "board.js").write_text(*written["js"])
    (source / "duels" / "picture" / "board.css").write_text(*written["css"])
    venv.create(home, symlinks=True)
    packages = Path(sysconfig.get_path("purelib", "venv", {"base": str(home)}))
    # The referee and what it needs come from this tree and its environment, the game from its own wheel.
    ours = [str(ROOT), *(path for path in sys.path if path.endswith("-packages"))]
    (packages / "referee.pth").write_text("\n".join(ours))
    # The build backend is that of this environment: nothing is downloaded.
    offline = ["--no-index", "--no-deps", "--no-build-isolation", "--quiet", "--disable-pip-version-check"]
    pip = [sys.executable, "-m", "pip", "install", *offline, "--target", str(packages), str(source)]
    subprocess.run(pip, check=True)
    return home / "bin" / "python"


def commands(guide: str) -> list[list[str]]:
    found = re.findall(r"^```sh\n(.*?)^```", guide, re.MULTILINE | re.DOTALL)
    return [shlex.split(line) for block in found for line in block.splitlines()]


def ran(python: Path, folder: Path, *words: str) -> str:
    """Run a command of the guide in the environment, and return what it printed."""
    env = {"PATH": f"{python.parent}:/usr/bin:/bin", "HOME": str(folder)}
    command = [str(python), "-m", *words]
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_a_game_that_is_installed_from_outside_is_played_checked_and_rated(
    guide: str, python: Path, tmp_path: Path
) -> None:
    words = [words[1:] for words in commands(guide) if words[0] == "referee"]
    printed = {" ".join(some[:2]): ran(python, tmp_path, "referee", *some) for some in words[:2]}
    assert "Duels (duels), 2 seats" in printed["games duels"]
    assert printed["rules duels"].startswith("# Duels")
    for some in words[2:]:
        printed[" ".join(some)] = ran(python, tmp_path, "referee", *some)
    assert {some[0] for some in words} == {"games", "rules", "play", "check", "tournament", "replay"}
    assert ".board .duels-card" in (tmp_path / "duels.html").read_text()
    assert "duels" in (tmp_path / "demo.html").read_text()
    replays = [*(tmp_path / "replays").glob("*.jsonl"), *(tmp_path / "demo-replays").glob("*.jsonl")]
    assert len(replays) > 12
    assert "OK" in ran(python, tmp_path, "referee", "replay", "verify", *map(str, replays))
    assert not any(seat for path in replays for seat in files.read(path).result.faults)


def test_a_person_gets_hints_in_a_game_that_is_installed_from_outside(
    guide: str, python: Path, tmp_path: Path
) -> None:
    (command,) = re.findall(r"`referee (play duels --bot Ann=human .*?)`", guide)
    with terminal(tmp_path, *shlex.split(command), python=python) as ann:
        ann.expect("Ann: Your action?")
        ann.type("hint")
        ann.expect("The sample bot duels would take ")
        ann.expect("it plays its highest card")
        ann.type("1")
        while ann.expect("Your action?", "The match is over") == "Your action?":
            ann.type("1")
        assert ann.end() == 0


def test_a_game_that_is_installed_from_outside_keeps_the_contract(guide: str, python: Path) -> None:
    (words,) = [words for words in commands(guide) if words[0] == "pytest"]
    told = ran(python, ROOT, *words, "-p", "no:cacheprovider", "-q")
    assert int(re.findall(r"(\d+) passed", told)[0]) > 20, told
    assert "failed" not in told
    assert "skipped" not in told


def test_the_simulator_of_the_guide_does_what_is_said_and_its_bot_plays(tmp_path: Path) -> None:
    guide = (ROOT / "docs" / "simulate.md").read_text()
    *library, bot = re.findall(r"^```python\n(.*?)^```", guide, re.MULTILINE | re.DOTALL)
    names: dict[str, Any] = {}
    for number, code in enumerate(library):
        exec(compile(code, f"simulate.md, block {number}", "exec"), names)
    assert names["imagined"].view(0) == names["view"]
    (tmp_path / "searcher.py").write_text(bot)
    command = ["play", "gangsters", "--bot", "searcher.py", "--bot", "random", "--deals", "1", "--json"]
    played = subprocess.run(
        [sys.executable, "-m", "referee", *command, "--set", "ply_cap=12", "--clock", "first=400,move=400"],
        cwd=tmp_path,
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        check=True,
        text=True,
    )
    assert all(not any(match["faults"]) for match in json.loads(played.stdout)["matches"])


def test_the_two_commands_of_the_readme_are_targets_of_the_makefile() -> None:
    commands = [line.split("#")[0].strip() for line in blocks("sh")[0].splitlines()]
    assert commands == ["make demo", "make test"]
    makefile = (ROOT / "Makefile").read_text()
    for command in commands:
        assert re.search(rf"^{command.split()[1]}:", makefile, re.MULTILINE)
    assert "make test" in (ROOT / ".ci" / "run").read_text()


def test_the_readme_names_every_command() -> None:
    for command in COMMANDS:
        assert f"`referee {command}" in README, command


def test_every_picture_of_the_documents_is_taken_by_the_script_and_shown() -> None:
    taken = {f"{shot.name}.png" for shot in (*pictures.SHOTS, pictures.SEAT)}
    assert {path.name for path in pictures.PICTURES.iterdir()} == taken
    texts = [README, *(path.read_text() for path in (ROOT / "docs").glob("*.md"))]
    shown = {name for text in texts for name in re.findall(r"pictures/([\w-]+\.png)", text)}
    assert shown == taken, "take them again: python -m tests.browser.pictures"


def test_the_demo_plays_a_tournament_of_every_game_and_names_none() -> None:
    makefile = (ROOT / "Makefile").read_text()
    assert "tournament new demo/$$game.toml --like demo --game $$game" in makefile
    assert not [game for game in registry.ids() if re.search(rf"\b{game}\b", makefile)]
