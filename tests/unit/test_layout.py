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


FOLDERS = [path for path in SOURCES if path.name == "__init__.py"]


@pytest.mark.parametrize("path", FOLDERS, ids=lambda path: str(path.parent.relative_to(ROOT)))
def test_a_folder_says_what_lives_there_and_what_it_promises_or_imports(path: Path) -> None:
    head, _, rest = (ast.get_docstring(ast.parse(path.read_text())) or "").partition("\n\n")
    assert head.endswith(".")
    assert rest.endswith(".")


def test_folders_of_unit_tests_are_those_of_the_packages() -> None:
    tests = ROOT / "tests" / "unit"
    strange = [
        str(inside)
        for path in tests.rglob("*")
        if path.is_dir() and path.name != "__pycache__"
        if not (ROOT / (inside := path.relative_to(tests))).is_dir()
    ]
    assert strange == []


def layers_of_the_referee() -> list[list[str]]:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    (layers,) = [c["layers"] for c in contracts if c["name"].startswith("inside the referee")]
    return [[name.strip().removeprefix("referee.") for name in layer.split("|")] for layer in layers]


def test_the_picture_of_the_readme_has_the_layers_of_the_contract() -> None:
    (picture,) = re.findall(
        r"^```\n(cli .*?)^```", (ROOT / "README.md").read_text(), re.MULTILINE | re.DOTALL
    )
    drawn = [re.split(r"\s{2,}", line)[0].split(" | ") for line in picture.splitlines()]
    assert drawn == layers_of_the_referee()
    assert len(drawn) <= 12


def test_every_module_of_the_referee_has_its_layer() -> None:
    named = {f"referee.{name}" for layer in layers_of_the_referee() for name in layer}
    modules = {
        f"referee.{path.stem}"
        for path in (ROOT / "referee").iterdir()
        if path.suffix in ("", ".py") and path.stem[0] not in "_."
    }
    assert modules == named


def public_classes() -> dict[str, list[str]]:
    """Return the modules of every public class by its name, without games and sample bots."""
    found: dict[str, list[str]] = {}
    for path in SOURCES:
        inside = path.relative_to(ROOT)
        if inside.parts[0] == "sample_bots" or inside.parts[:2] == ("referee", "games"):
            continue
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found.setdefault(node.name, []).append(str(inside))
    return found


def test_no_two_public_classes_share_a_name() -> None:
    assert {name: modules for name, modules in public_classes().items() if len(modules) > 1} == {}


def test_no_module_has_the_name_of_a_class_of_another_module() -> None:
    # Commands are named as users type them, and the limits of the protocol are a message of it too.
    classes = {name.lower(): modules for name, modules in public_classes().items()}
    clashes = {
        str(inside): classes[name]
        for path in SOURCES
        if (inside := path.relative_to(ROOT)).parts[0] not in ("sample_bots", "protocol")
        and inside.parts[:2] != ("referee", "games")
        and inside.parts[:3] != ("referee", "cli", "commands")
        and (name := path.stem.replace("_", "")) in classes
        and str(inside) not in classes[name]
    }
    assert clashes == {}


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
