"""A missing tool is never passed over in silence, and never reported in hundreds of lines."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.lacking import ALL_TOOLS, MOST_REASONS, lacking, summary

ROOT = Path(__file__).parents[3]

MANY_SKIPS = """
import pytest
from tests.lacking import lacking

@pytest.mark.parametrize("number", range(40))
def test_skipped(number):
    lacking("there is no chromium" if number else "there is no faketime")
"""


def test_a_missing_tool_skips_the_test_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(ALL_TOOLS, raising=False)
    with pytest.raises(pytest.skip.Exception, match="there is no chromium"):
        lacking("there is no chromium")


def test_a_missing_tool_is_a_failure_where_all_are_meant_to_be_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(ALL_TOOLS, "1")
    with pytest.raises(pytest.fail.Exception, match="there is no chromium"):
        lacking("there is no chromium")


def test_skips_are_counted_by_reason_the_commonest_first() -> None:
    lines = summary(["Skipped: no go", "Skipped: no chromium\nat all", "Skipped: no chromium"])
    assert lines[:3] == ["3 tests were skipped:", "    2  no chromium", "    1  no go"]
    assert len(lines) == 4
    assert ".ci/setup" in lines[3]


def test_without_skips_there_is_no_summary() -> None:
    assert summary([]) == []


def test_many_and_long_reasons_are_cut() -> None:
    lines = summary(f"reason {number} {'x' * 500}" for number in range(MOST_REASONS + 3))
    assert len(lines) == MOST_REASONS + 3
    assert lines[-2] == "    3  for 3 more reasons; `pytest -rs` lists all"
    assert max(map(len, lines)) < 140


@pytest.mark.parametrize("processes", ["0", "2"])
def test_the_end_of_a_run_has_one_line_for_each_reason(tmp_path: Path, processes: str) -> None:
    (tmp_path / "test_many.py").write_text(MANY_SKIPS)
    command = [sys.executable, "-m", "pytest", "-p", "tests.conftest", "-c", str(ROOT / "pyproject.toml")]
    ended = subprocess.run(
        [*command, "-q", "-n", processes, "-m", "not slow", "-p", "no:cacheprovider", str(tmp_path)],
        cwd=ROOT,
        env={name: value for name, value in os.environ.items() if name != ALL_TOOLS},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.stdout.count("there is no") == 2, ended.stdout
    assert "   39  there is no chromium\n" in ended.stdout
    assert ended.stdout.count(".ci/setup") == 1
    assert ended.stdout.count("`make test-slow`") == 1
