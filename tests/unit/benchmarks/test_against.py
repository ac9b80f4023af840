"""Another revision is measured with the benchmarks of this one, and leaves nothing behind."""

import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.against import checked_out, compare
from benchmarks.echo import ROOT
from benchmarks.sheet import QUICK


def worktrees() -> str:
    words = ["git", "worktree", "list", "--porcelain"]
    return subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout


def test_a_revision_is_measured_by_the_benchmarks_of_this_tree_and_its_folder_goes_away() -> None:
    before = worktrees()
    with checked_out("HEAD") as folder:
        asked = "import referee, benchmarks; print(referee.__file__); print(benchmarks.__file__)"
        said = subprocess.run(
            [sys.executable, "-c", asked], cwd=folder, capture_output=True, text=True, check=True
        )
        assert all(Path(line).is_relative_to(folder) for line in said.stdout.split())
        here = ROOT / "benchmarks" / "play.py"
        assert (folder / "benchmarks" / "play.py").read_text() == here.read_text()
    assert not folder.exists()
    assert worktrees() == before


def test_the_ratios_of_the_same_code_are_near_one() -> None:
    (sheet,) = compare("HEAD", ["codec"], QUICK, ["--quick"])
    assert [row[0] for row in sheet.rows] == ["msgpack", "json"]
    sizes = [cell for row in sheet.rows for cell in row[1:3]]
    assert sizes == [1.0] * 4
    assert all(isinstance(cell, float) and 0.1 < cell < 10 for row in sheet.rows for cell in row[1:])


def test_an_unknown_revision_is_an_error() -> None:
    with pytest.raises(subprocess.CalledProcessError), checked_out("no-such-revision"):
        pass
