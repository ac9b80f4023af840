"""`make vm` itself needs half an hour and root; what it says without its tools does not."""

import os
import subprocess
import sys
from pathlib import Path

from tests.campaigns.vm.__main__ import TOOLS

ROOT = Path(__file__).parents[3]


def test_missing_tools_are_named_with_their_packages_and_nothing_is_built(tmp_path: Path) -> None:
    told = subprocess.run(
        [sys.executable, "-m", "tests.campaigns.vm", "--folder", str(tmp_path / "machine")],
        cwd=ROOT,
        env=os.environ | {"PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.returncode == 2
    assert all(f"{tool} (Debian: {package})" in told.stderr for tool, package in TOOLS.items())
    assert list(tmp_path.iterdir()) == []


def test_a_check_that_does_not_exist_is_bad_input() -> None:
    told = subprocess.run(
        [sys.executable, "-m", "tests.campaigns.vm", "doctors"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.returncode == 2
    assert "the_machine" in told.stderr
