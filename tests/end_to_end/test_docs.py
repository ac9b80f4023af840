"""The README and the guides are true: their code works, their commands are ours."""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

from referee.chance import KeyedChance, deal_key
from referee.cli import COMMANDS
from tests.end_to_end.hubs import ROOT
from tournaments.config.plan import load

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


def test_the_game_of_the_guide_is_found_by_its_entry_point_and_keeps_the_contract(tmp_path: Path) -> None:
    guide = (ROOT / "docs" / "add-a-game.md").read_text()
    code = "\n\n".join(re.findall(r"^```python\n(.*?)^```", guide, re.MULTILINE | re.DOTALL))
    (entry,) = re.findall(r'^(\w+) = "(\w+:GAME)"$', guide, re.MULTILINE)
    about = tmp_path / "duels-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: duels\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[referee.games]\n{entry[0]} = {entry[1]}\n")
    (tmp_path / "duels").mkdir()
    (tmp_path / "duels" / "__init__.py").write_text(code)
    (tmp_path / "duels" / "RULES.md").write_text("# Duels\n")
    env = {"PATH": "/usr/bin:/bin", "PYTHONPATH": f"{tmp_path}:{ROOT}"}

    def referee(*words: str) -> str:
        command = [sys.executable, "-m", "referee", *words]
        return subprocess.run(
            command, cwd=tmp_path, env=env, capture_output=True, check=True, text=True
        ).stdout

    assert "duels" in referee("games")
    report = json.loads(
        referee("play", "duels", "--bot", "random", "--bot", "first", "--deals", "3", "--json")
    )
    assert all(not any(match["faults"]) for match in report["matches"])
    assert "OK" in referee("replay", "verify", *(match["replay"] for match in report["matches"]))

    names: dict[str, Any] = {}
    exec(compile(code, "add-a-game.md", "exec"), names)
    game = names["GAME"]
    for seed in range(20):
        state, events = game.new(2, KeyedChance(deal_key("guide", str(seed))), {"cards": 1 + seed % 6})
        steps = 0
        while state.outcome() is None:
            for seat in (0, 1, None):
                assert game.follow(seat, [event.seen_by(seat) for event in events]) == state.view(seat)
                other = game.imagine(state.view(seat), KeyedChance(deal_key("other", str(seed))))
                assert other.view(seat) == state.view(seat)
                assert seat is None or state.chosen or other.legal(seat) == state.legal(seat)
            seat = state.to_act()[0]
            events += state.apply(seat, state.legal(seat)[seed % len(state.legal(seat))])
            steps += 1
        assert steps <= game.longest(2, state.options)


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


def test_the_demo_plays_a_tournament_of_every_game_of_ours() -> None:
    assert "tournaments/examples/demo/$$game.toml" in (ROOT / "Makefile").read_text()
    for folder in (ROOT / "referee" / "games").glob("*/__init__.py"):
        game = folder.parent.name.replace("_", "-")
        assert load(ROOT / "tournaments" / "examples" / "demo" / f"{game}.toml").game == game
