"""The tree keeps its budgets: modules are small, packages import what they may."""

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("protocol", "referee", "sample_bots", "tournaments")
SOURCES = sorted(
    path
    for package in PACKAGES
    for path in (ROOT / package).rglob("*.py")
    if "node_modules" not in path.parts  # other people's
)
MOST_LINES = 450


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_module_is_small_and_says_what_it_is_for(path: Path) -> None:
    text = path.read_text()
    assert len(text.splitlines()) <= MOST_LINES
    assert ast.get_docstring(ast.parse(text)), "no docstring"


def test_every_module_of_the_referee_has_its_layer() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    (layers,) = [c["layers"] for c in contracts if c["name"].startswith("inside the referee")]
    named = {name.strip() for layer in layers for name in layer.split("|")}
    modules = {
        f"referee.{path.stem}"
        for path in (ROOT / "referee").iterdir()
        if path.suffix in ("", ".py") and path.stem[0] not in "_."
    }
    assert modules == named


def test_importing_the_protocol_imports_nothing_of_the_referee() -> None:
    script = "import protocol.client, sys; print([m for m in sys.modules if m.startswith('referee')])"
    told = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert told.stdout == "[]\n"


def test_error_trees_in_docstrings_are_the_classes() -> None:
    for package in ("protocol", "referee"):
        tree = ast.parse((ROOT / package / "errors.py").read_text())
        drawn = set(re.findall(r"\b(\w+Error)\b(?=\s{2,}|$)", ast.get_docstring(tree) or "", re.MULTILINE))
        assert drawn == {node.name for node in tree.body if isinstance(node, ast.ClassDef)}
