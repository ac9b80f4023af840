"""The report that a bot has ended: no process of the bot is alive when it comes, at any level."""

import os
import signal
import sys
from pathlib import Path

import pytest

from referee.process.reports import EndCause
from referee.process.spec import Level, program
from tests.end_to_end.boxes import BOXED, WatchedBot, needs_box, own, watched
from tests.end_to_end.hubs import processes
from tests.end_to_end.test_supervisor import started

__all__ = ["own"]

LEVELS = ["trusted", *(pytest.param(level, marks=needs_box) for level in BOXED)]

CROWD = """
import mmap, os, signal, sys, tempfile, time

def stay(ready):
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
    hoard = bytearray(24 << 20)
    for place in range(0, len(hoard), 4096):
        hoard[place] = 1
    shared[0] = 1
    os.write(ready, b"x")
    time.sleep(600)

file = tempfile.TemporaryFile()
file.truncate(1 << 20)
shared = mmap.mmap(file.fileno(), 1 << 20)
heard, ready = os.pipe()
for n in range(8):
    if os.fork() == 0:
        if n % 2:
            os.setsid()
        if n % 4 > 1 and os.fork():
            os._exit(0)
        stay(ready)
if os.fork() == 0:
    os.write(ready, b"x")
    os.kill(os.getpid(), signal.SIGSTOP)
got = 0
while got < 9:
    got += len(os.read(heard, 9))
print("settled", flush=True)
"""
"""Processes that fork, fork twice, leave the session, ignore signals, are stopped, and take time to end."""


def mark_of(request: pytest.FixtureRequest) -> str:
    return f"gone-{os.getpid()}-{abs(hash(request.node.name))}"


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("then", ["exits", "is-killed", "loses-its-supervisor"])
def test_no_process_of_a_bot_is_alive_when_its_end_is_reported(
    level: Level, then: str, own: Path, request: pytest.FixtureRequest
) -> None:
    mark = mark_of(request)
    code = CROWD + ("" if then == "exits" else "time.sleep(600)\n")
    what = program([sys.executable, "-c", code], own, {"MARK": mark}, level=level)
    with watched(what) as bot:
        bot.hear("settled")
        assert then == "exits" or len(processes(mark)) >= 9
        if then == "is-killed":
            bot.process.kill()
        elif then == "loses-its-supervisor":
            if not bot.process.contained:
                pytest.skip("this host has no PID namespace for us")
            os.kill(bot.process.pid, signal.SIGKILL)
        bot.hear()
        assert processes(mark) == []
        assert bot.process.end is not None
        lost = bot.process.end.cause is EndCause.SUPERVISOR_LOST
        assert lost == (then == "loses-its-supervisor")


@pytest.mark.parametrize("then", ["exits", "loses-its-supervisor"])
def test_none_is_alive_either_where_the_host_has_no_pid_namespaces_for_us(
    then: str, own: Path, request: pytest.FixtureRequest
) -> None:
    mark = mark_of(request)
    code = CROWD + ("" if then == "exits" else "time.sleep(600)\n")
    with started(program([sys.executable, "-c", code], own, {"MARK": mark}), contained=False) as process:
        bot = WatchedBot(process)
        bot.hear("settled")
        if then == "loses-its-supervisor":
            os.kill(process.pid, signal.SIGKILL)
        bot.hear()
        assert processes(mark) == []
