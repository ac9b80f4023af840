"""The kernel keeps to the limits of a bot's control group. Few hosts let us have one; `make vm` does."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from referee.process.sandbox import cgroup
from tests.lacking import lacking

MakeGroup = Callable[[int, int], cgroup.Group]

pytestmark = pytest.mark.slow

HOARDER = """
import os, sys, time
for _ in range(int(sys.argv[1])):
    if os.fork() == 0:
        break
hoard = [os.urandom(1 << 20) for _ in range(int(sys.argv[2]))]
print("has all it wanted", flush=True)
time.sleep(60)
"""

CROWD = """
import threading
started, end = 0, threading.Event()
try:
    for _ in range(100):
        threading.Thread(target=end.wait).start()
        started += 1
except RuntimeError:
    pass
print(started)
end.set()
"""

SPINNERS = """
import os, time
for _ in range(3):
    if os.fork() == 0:
        break
end = time.monotonic() + 3
while time.monotonic() < end:
    pass
"""


@pytest.fixture
def make_group() -> Iterator[MakeGroup]:
    """Return what makes a group of this process, which ends with the test."""
    cgroup.settle()
    nest = cgroup.nest()
    missing = [name for name in cgroup.CONTROLLERS if name not in cgroup.usable(nest)]
    if nest is None or missing:
        lacking(f"control groups of version 2 that we may write are missing: {', '.join(missing)}")
    made: list[cgroup.Group] = []

    def make(memory_mib: int, tasks: int) -> cgroup.Group:
        made.append(cgroup.Group(nest, os.getpid(), memory_mib, tasks))
        return made[-1]

    yield make
    for group in made:
        group.end()


def own() -> Path:
    nest = cgroup.nest()
    assert nest is not None
    return nest / f"referee-bot-{os.getpid()}"


def run(group: cgroup.Group, script: str, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-I", "-S", "-c", script, *words],
        preexec_fn=group.enter,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("words", [("0", "256"), ("5", "24")], ids=["one process", "six processes"])
def test_memory_is_held_and_all_that_took_it_ends(make_group: MakeGroup, words: tuple[str, str]) -> None:
    group = make_group(96, 0)
    ended = run(group, HOARDER, *words)
    assert ended.returncode == -9
    assert ended.stdout.count("all it wanted") < int(words[0]) + 1
    assert group.ran_out_of_memory()
    assert (own() / "cgroup.procs").read_text() == ""


def test_memory_within_the_limit_is_left_alone(make_group: MakeGroup) -> None:
    group = make_group(96, 0)
    with subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", HOARDER, "0", "24"],
        preexec_fn=group.enter,
        stdout=subprocess.PIPE,
        text=True,
    ) as child:
        assert child.stdout is not None
        assert "all it wanted" in child.stdout.readline()
        assert not group.ran_out_of_memory()
        group.end()


def test_threads_are_counted_and_more_are_refused(make_group: MakeGroup) -> None:
    # Its first thread counts.
    assert run(make_group(0, 10), CROWD).stdout == "9\n"


def test_four_busy_processes_have_one_processor_together(make_group: MakeGroup) -> None:
    if len(os.sched_getaffinity(0)) == 1:
        lacking("a second processor is missing")
    group = make_group(0, 0)
    began = time.monotonic()
    with subprocess.Popen([sys.executable, "-I", "-S", "-c", SPINNERS], preexec_fn=group.enter) as child:
        assert child.wait() == 0
    took = time.monotonic() - began
    words = (own() / "cpu.stat").read_text().split()
    told = dict(zip(words[::2], map(int, words[1::2]), strict=True))
    assert told["nr_throttled"] > 0
    assert told["usage_usec"] / 1e6 < 1.2 * took
