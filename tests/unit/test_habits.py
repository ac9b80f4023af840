"""Makefile, hooks and package agree: every target is explained, hooks check the same, types are shipped."""

import re
import subprocess
from pathlib import Path

from hatchling.builders.wheel import WheelBuilder

ROOT = Path(__file__).parents[2]
MAKEFILE = (ROOT / "Makefile").read_text()
PACKAGES = ("protocol", "referee", "sample_bots", "tournaments")


def make(*words: str) -> str:
    ended = subprocess.run(["make", *words], cwd=ROOT, capture_output=True, text=True, check=True)
    return ended.stdout


def test_help_lists_every_target_with_a_sentence_and_is_what_plain_make_prints() -> None:
    (phony,) = re.findall(r"^\.PHONY: (.+)$", MAKEFILE, re.MULTILINE)
    listed = dict(re.findall(r"^  make (\S+) +(\S.+)$", make("help"), re.MULTILINE))
    assert list(listed) == phony.split()
    assert make() == make("help")


def test_every_target_is_declared_phony() -> None:
    (phony,) = re.findall(r"^\.PHONY: (.+)$", MAKEFILE, re.MULTILINE)
    assert re.findall(r"^([a-z-]+):", MAKEFILE, re.MULTILINE) == phony.split()


def test_hooks_and_make_lint_run_the_same_commands() -> None:
    recipe = re.search(r"^lint:.*\n((?:\t.+\n)+)", MAKEFILE, re.MULTILINE)
    assert recipe
    commands = recipe[1].replace("$(BIN)", ".venv/bin").replace("\t", "").splitlines()
    config = (ROOT / ".pre-commit-config.yaml").read_text()
    assert re.findall(r"^ +entry: (.+)$", config, re.MULTILINE) == commands
    assert config.count("- id:") == config.count("language: system") == len(commands)


def test_the_wheel_ships_types_and_every_file_of_the_packages() -> None:
    shipped = {file.distribution_path for file in WheelBuilder(str(ROOT)).recurse_included_files()}
    assert {f"{package}/py.typed" for package in PACKAGES} <= shipped
    tracked = subprocess.run(
        ["git", "ls-files", *PACKAGES], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert set(tracked.stdout.splitlines()) - shipped == set()
