"""What all tests share: the toy game (installed as a third party would), hypothesis, the list of skips."""

import os
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.lacking import summary

TOYS = str(Path(__file__).parent / "toys")

# A folder with a .dist-info on the path is an installed distribution; subprocesses inherit it.
if TOYS not in sys.path:
    sys.path.append(TOYS)
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [os.environ.get("PYTHONPATH"), TOYS]))

pytest.register_assert_rewrite("tests.contract.checks", "tests.contract.secrecy")

slow = [HealthCheck.too_slow, HealthCheck.data_too_large]  # a whole match is one example
settings.register_profile(
    "default",
    deadline=None,
    max_examples=25,
    print_blob=True,
    report_multiple_bugs=False,
    suppress_health_check=slow,
)
settings.register_profile("quick", settings.get_profile("default"), max_examples=5)
settings.register_profile("ci", settings.get_profile("default"), derandomize=True)
settings.register_profile("thorough", settings.get_profile("default"), max_examples=500)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print what was left out and how to get it, once, after the failures."""
    skipped = terminalreporter.stats.get("skipped", [])
    lines = summary(report.longrepr[2] for report in skipped if isinstance(report.longrepr, tuple))
    if "not slow" in config.option.markexpr:
        lines.append("Slow tests were left out: `make test-slow` runs them.")
    if lines:
        terminalreporter.section("left out")
        for line in lines:
            terminalreporter.line(line)
