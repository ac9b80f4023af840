"""The README and the documents are true: commands run, code works, links lead somewhere."""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from referee.cli import COMMANDS
from tests.end_to_end.hubs import ROOT
from tournaments.plan import load

README = (ROOT / "README.md").read_text()
DOCUMENTS = sorted(path for path in ROOT.glob("**/*.md") if ".venv" not in path.parts)


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


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_of_documents_lead_somewhere(document: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", document.read_text()):
        if not re.match("[a-z]+:", target):
            assert (document.parent / target).exists(), target


def test_the_demo_plays_a_tournament_of_every_game_of_ours() -> None:
    assert "tournaments/examples/demo/$$game.toml" in (ROOT / "Makefile").read_text()
    for folder in (ROOT / "referee" / "games").glob("*/__init__.py"):
        game = folder.parent.name.replace("_", "-")
        assert load(ROOT / "tournaments" / "examples" / "demo" / f"{game}.toml").game == game
