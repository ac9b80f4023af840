"""What all tests share: the toy game (installed as a third party would), hypothesis, the list of skips."""

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings

from tests.lacking import summary
from tests.scheduling import ByModule

if TYPE_CHECKING:
    from tests.postgres import PostgresServer

TOYS = str(Path(__file__).parent / "toys")

# A folder with a .dist-info on the path is an installed distribution; subprocesses inherit it.
if TOYS not in sys.path:
    sys.path.append(TOYS)
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [os.environ.get("PYTHONPATH"), TOYS]))

# All processes that tests start read what is compiled here: to compile it again takes most of them longer.
sys.dont_write_bytecode = False

# What a shell starts in the background ignores Ctrl-C, and commands that tests start would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

pytest.register_assert_rewrite("tests.contract.checks", "tests.contract.secrecy")

slow = [HealthCheck.too_slow, HealthCheck.data_too_large]  # a whole match is one example
settings.register_profile(
    "default",
    deadline=None,
    max_examples=15,
    print_blob=True,
    report_multiple_bugs=False,
    suppress_health_check=slow,
)
settings.register_profile("quick", settings.get_profile("default"), max_examples=5)
settings.register_profile("ci", settings.get_profile("default"), derandomize=True)
settings.register_profile("slow", settings.get_profile("default"), max_examples=60)
settings.register_profile("thorough", settings.get_profile("default"), max_examples=500)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> ByModule | None:
    """Hand out tests by module, unless another way was asked for by `--dist`."""
    if config.getoption("dist") != "load":
        return None
    config.option.loadscopereorder = False
    return ByModule(config, log)


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


@pytest.fixture(scope="session")
def postgres() -> Iterator["PostgresServer"]:
    """Start a PostgreSQL server, once for all tests of this process."""
    from tests.postgres import postgres_server

    with postgres_server() as server:
        yield server
