"""What importing the protocol brings along: a bot must start quickly and must not see the referee."""

import subprocess
import sys

import pytest

from tests.lacking import unmeasured

MODULES = [
    "protocol",
    "protocol.client",
    "protocol.codec",
    "protocol.schema",
    "protocol.text",
    "protocol.typescript",
]


def imported(statement: str) -> set[str]:
    """Return the modules that are there after the statement."""
    code = f"import sys\n{statement}\nprint(*sys.modules)"
    command = [sys.executable, "-c", code]
    ended = subprocess.run(command, env=unmeasured(), capture_output=True, text=True, check=True)
    return set(ended.stdout.split())


@pytest.mark.parametrize("module", [*MODULES, "sample_bots.python.first", "sample_bots.python.random_bot"])
def test_nothing_below_the_protocol_imports_the_referee(module: str) -> None:
    packages = {name.partition(".")[0] for name in imported(f"import {module}")}
    assert packages.isdisjoint({"referee", "tournaments", "click", "rich", "asyncio", "hypothesis"})


@pytest.mark.parametrize("module", MODULES)
def test_a_bot_on_pipes_does_not_pay_for_zeromq(module: str) -> None:
    assert "zmq" not in imported(f"import {module}")


def test_importing_the_package_alone_costs_nothing() -> None:
    assert imported("import protocol").isdisjoint({"msgspec", "msgpack", "typing", "json"})
