"""The tools around a test: how it ends if one is missing, the summary of a run, and coverage kept out."""

import os
from collections import Counter
from collections.abc import Iterable
from typing import NoReturn

import pytest

ALL_TOOLS = "REFEREE_NO_SKIPS"
"""Set in the environment of a host that has every tool: there a missing tool is a failure."""

MOST_REASONS = 8
"""Reasons that are printed at the end of a run."""

_WIDTH = 120
"""A longer reason is cut."""


def lacking(what: str) -> NoReturn:
    """End a test that lacks a tool: skip it with the reason, or fail where no tool may be missing."""
    if os.environ.get(ALL_TOOLS):
        pytest.fail(f"{what} ({ALL_TOOLS} is set, so this is a failure)", pytrace=False)
    pytest.skip(what)


def summary(reasons: Iterable[str]) -> list[str]:
    """Return a few lines, given the reason of every skipped test: the commonest reasons, and the remedy."""
    counts = Counter(reason.removeprefix("Skipped: ").split("\n")[0] for reason in reasons)
    if not counts:
        return []
    shown = counts.most_common(MOST_REASONS)
    lines = [f"{counts.total()} tests were skipped:"]
    lines += [f"{count:5}  {why if len(why) <= _WIDTH else why[: _WIDTH - 1] + '…'}" for why, count in shown]
    rest = counts.total() - sum(count for _, count in shown)
    if rest:
        lines.append(f"{rest:5}  for {len(counts) - len(shown)} more reasons; `pytest -rs` lists all")
    lines.append(
        f"`.ci/setup` (as root, on Debian) installs the tools; {ALL_TOOLS}=1 makes a missing tool a failure."
    )
    return lines


def unmeasured() -> dict[str, str]:
    """Return the environment of a process whose imports are counted: `make coverage` would add its own."""
    return {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")}
