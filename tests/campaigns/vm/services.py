"""The units of `deploy/` inside the machine: they start, play, drain, and come back."""

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

from tests.campaigns.vm.confinement import AS_ROOT, by_the_kernel, ended_for_memory
from tests.campaigns.vm.shell import REFEREE, UNITS, drop_in, expect, run, shown, until

LADDER, TOURNAMENT = "referee.service", "referee-tournament@spring.service"
STATE, LOGS = Path("/var/lib/referee"), Path("/var/log/referee")

PLAN = """
name = "spring"
game = "chicago-poker"
seed = "a seed for the machine"
format = "gauntlet"
hero = "first"
blocks = 1
level = "contest"
fresh = true
jobs = 2
store = "/var/lib/referee/spring.sqlite"
replays = "/var/lib/referee/spring-replays"

[clock]
hello_ms = 300000
ready_ms = 300000
first_ms = 300000
bank_ms = 600000

[[bots]]
name = "first"
sample = "first"

[[bots]]
name = "random"
sample = "random"
"""

GREEDY = {
    "eats-memory": ("bad_bots/bad.py", "memory"),
    "six-hogs": ("campaigns/hostile_bots/host.py", "memory"),
    "fork-bomb": ("campaigns/hostile_bots/host.py", "crashed"),
    "spins-in-six": ("campaigns/hostile_bots/host.py", "cpu"),
}
"""Hostile bots that want more than their share: where they are, and what they should lose by."""

SPIN_S, PLENTY_S = 20, 600
"""Processor time for bots that lose by it, and for others: on a busy host a start alone takes much of it."""

BOT = """
[[bots]]
name = "{name}"
command = "/opt/referee/bin/python tests/{file} {word}"
folder = "{folder}"
env = {{ PYTHONPATH = "{folder}" }}
limits = {{ memory_mib = 96, processes = 8, cpu_s = {cpu_s} }}
"""


def units_are_well_formed() -> Iterator[str]:
    """As systemd sees it, with the referee installed."""
    for unit in (LADDER, "referee-tournament@.service"):
        said = run("systemd-analyze", "verify", str(UNITS / unit))
        expect(said, holds=said == "")
        name = unit.replace("@", "@spring")
        (level,) = re.findall(r"exposure level.*", run("systemd-analyze", "security", "--no-pager", name))
        yield f"{unit}: nothing wrong, {level}"


def asked(path: str) -> str:
    """Return what the ladder's port for supervisors answers; nothing while it does not."""
    with (
        contextlib.suppress(URLError, OSError),
        urlopen(f"http://127.0.0.1:9100{path}", timeout=30) as answer,
    ):
        return str(answer.read().decode())
    return ""


def finished() -> int:
    """Return how many matches the ladder has finished."""
    found = re.search(r"^referee_matches_finished_total (\S+)", asked("/metrics"), re.MULTILINE)
    return int(float(found[1])) if found else 0


def _is_well() -> bool:
    return '"ok"' in asked("/healthz")


@contextlib.contextmanager
def joined(*names: str) -> Iterator[None]:
    """Let bots of this host play on the ladder."""
    words = [REFEREE, "join", "tcp://127.0.0.1:7878", "--"]
    bots = [subprocess.Popen([*words, name], stdout=subprocess.DEVNULL) for name in names]
    try:
        yield
    finally:
        for bot in bots:
            bot.terminate()
            bot.wait()


def the_ladder_starts_plays_and_drains() -> Iterator[str]:
    """Start, status, health, matches, stop."""
    run("systemctl", "start", LADDER)
    until("health", _is_well)
    yield f"/healthz: {asked('/healthz').strip()}"
    yield from run("systemctl", "status", "--no-pager", LADDER).splitlines()[:9]
    with joined("random", "first"):
        until("matches", lambda: finished() >= 2)
        run("systemctl", "stop", LADDER)
    log = [json.loads(line) for line in (LOGS / "ladder.jsonl").read_text().splitlines()]
    void = [line for line in log if line["event"] == "match" and line["void"]]
    yield from (line["text"] for line in log if line["event"] != "match" and "stop" in line["text"])
    yield f"{log[-1]['event']}: {log[-1]['text']}; void: {len(void)}"
    told = shown(LADDER, "Result", "ExecMainStatus", "ActiveState")
    yield f"{told}; {oct(STATE.stat().st_mode & 0o777)} {STATE}"
    expect(f"{told} {void}", holds=told["Result"] == "success" and told["ExecMainStatus"] == "0" and not void)
    expect("the ladder's folder is open to others", holds=STATE.stat().st_mode & 0o077 == 0)
    expect(f"the last of the log is {log[-1]}", holds=log[-1]["event"] == "end")


def the_ladder_comes_back_after_a_kill() -> Iterator[str]:
    """Kill -9 of the main process."""
    run("systemctl", "start", LADDER)
    until("health", _is_well)
    with joined("random", "first"):
        until("a match", lambda: finished() >= 1)
        first = shown(LADDER, "MainPID")["MainPID"]
        os.kill(int(first), signal.SIGKILL)
        until("the restart", lambda: shown(LADDER, "NRestarts")["NRestarts"] == "1")
        until("health", _is_well)
        until("a match after it", lambda: finished() >= 1)
    told = shown(LADDER, "MainPID", "NRestarts", "ActiveState")
    yield f"killed {first}; {told}; /healthz: {asked('/healthz').strip()}"
    run("systemctl", "stop", LADDER)
    expect("it did not stop", holds=shown(LADDER, "Result")["Result"] == "success")


def _enrol() -> None:
    """Write the plan, and give every greedy bot a folder of its own."""
    text = PLAN
    for name, (file, fault) in GREEDY.items():
        folder = Path("/srv/greedy", name)
        for part in ("bad_bots", "campaigns/hostile_bots"):
            shutil.copytree(Path("tests", part), folder / "tests" / part)
        word, cpu_s = name.replace("-", "_"), SPIN_S if fault == "cpu" else PLENTY_S
        text += BOT.format(name=name, file=file, word=word, folder=folder, cpu_s=cpu_s)
    Path("/etc/referee").mkdir()
    Path("/etc/referee/spring.toml").write_text(text)


def _matches(log: Path) -> list[dict[str, Any]]:
    lines = map(json.loads, log.read_text().splitlines()) if log.exists() else ()
    return [line for line in lines if line["event"] == "match"]


def greedy_bots_lose_their_own_matches_in_a_contest_that_outlives_a_kill() -> Iterator[str]:
    """Bots in boxes at level contest, in the unit; kill -9 of its main process in between."""
    _enrol()
    drop_in("referee-tournament@spring", AS_ROOT)
    before = len(ended_for_memory())
    log = LOGS / "spring.jsonl"
    run("systemctl", "start", TOURNAMENT)
    until("a result", lambda: bool(_matches(log)))
    tree = run("systemctl", "status", "--no-pager", "--full", TOURNAMENT, code=None).splitlines()
    yield from (line.strip() for line in tree if "referee-bot-" in line or "─hub" in line)
    os.kill(int(shown(TOURNAMENT, "MainPID")["MainPID"]), signal.SIGKILL)
    until("the restart", lambda: shown(TOURNAMENT, "NRestarts")["NRestarts"] == "1")
    until("the end", lambda: shown(TOURNAMENT, "ActiveState")["ActiveState"] in ("inactive", "failed"))
    told = shown(TOURNAMENT, "Result", "ExecMainStatus", "NRestarts")
    yield str(told)
    found = {tuple(zip(line["bots"], line["faults"], strict=True)) for line in _matches(log)}
    yield from sorted(", ".join(f"{bot}: {fault or 'no fault'}" for bot, fault in one) for one in found)
    # By which of its limits a bot loses that goes over several is stated above.
    wrong = [pair for one in found for pair in one if bool(pair[1]) != (pair[0] in GREEDY)]
    yield from run(REFEREE, "tournament", "verify", "/etc/referee/spring.toml").splitlines()
    yield from by_the_kernel(before)
    expect(f"{told} {wrong}", holds=told["Result"] == "success" and not wrong)
    expect(f"{len(found)} kinds of results", holds=len(found) == 2 * (len(GREEDY) + 1))
