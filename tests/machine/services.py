"""The units of `deploy/` inside the machine: they start, play, drain, and come back."""

import contextlib
import json
import os
import re
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

from tests.machine.confinement import ended_for_memory
from tests.machine.shell import REFEREE, UNITS, expect, run, shown, until

LADDER, TOURNAMENT = "referee.service", "referee-tournament@spring.service"
STATE, LOGS = Path("/var/lib/referee"), Path("/var/log/referee")

PLAN = """
name = "spring"
game = "chicago-poker"
seed = "a seed for the machine"
blocks = 4
level = "class"
fresh = true
jobs = 2
store = "/var/lib/referee/spring.sqlite"
replays = "/var/lib/referee/spring-replays"

[clock]
hello_ms = 120000
ready_ms = 120000

[[bots]]
name = "random"
sample = "random"

[[bots]]
name = "first"
sample = "first"

[[bots]]
name = "hog"
command = "/opt/referee/bin/python bad.py eats_memory"
folder = "/srv/hog"
limits = { memory_mib = 64 }
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


def a_tournament_goes_on_after_a_kill() -> Iterator[str]:
    """Bots in boxes at level class, one of which is greedy; kill -9 of the main process in between."""
    hog = Path("/srv/hog")
    hog.mkdir(exist_ok=True)
    (hog / "bad.py").write_bytes(Path("tests/bad_bots/bad.py").read_bytes())
    Path("/etc/referee").mkdir(exist_ok=True)
    Path("/etc/referee/spring.toml").write_text(PLAN)
    before = len(ended_for_memory())
    log = LOGS / "spring.jsonl"
    run("systemctl", "start", TOURNAMENT)
    until("a result", lambda: log.exists() and '"event":"match"' in log.read_text().replace(" ", ""))
    groups = run("systemctl", "status", "--no-pager", TOURNAMENT, code=None).splitlines()
    yield from (line for line in groups if "─" in line)
    os.kill(int(shown(TOURNAMENT, "MainPID")["MainPID"]), signal.SIGKILL)
    until("the restart", lambda: shown(TOURNAMENT, "NRestarts")["NRestarts"] == "1")
    until("the end", lambda: shown(TOURNAMENT, "ActiveState")["ActiveState"] in ("inactive", "failed"))
    told = shown(TOURNAMENT, "Result", "ExecMainStatus", "NRestarts")
    yield str(told)
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    faults = {
        tuple(zip(line["bots"], line["faults"], strict=True)) for line in lines if line["event"] == "match"
    }
    yield from sorted(" ".join(f"{bot}: {fault or 'no fault'}" for bot, fault in one) for one in faults)
    wrong = [one for one in faults if any(fault != ("memory" if bot == "hog" else "") for bot, fault in one)]
    yield run(REFEREE, "tournament", "verify", "/etc/referee/spring.toml").strip()
    yield f"the kernel ended {len(ended_for_memory()) - before} bots for their memory"
    expect(
        f"{told} {wrong}", holds=told["Result"] == "success" and told["ExecMainStatus"] == "0" and not wrong
    )
