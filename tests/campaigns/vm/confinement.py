"""Control groups inside the machine: what the doctor finds, what the kernel holds, what becomes of bots."""

import json
import os
import platform
from collections.abc import Iterator
from pathlib import Path

from tests.campaigns.vm.shell import (
    DELEGATE,
    PYTHON,
    REFEREE,
    WrongError,
    drop_in,
    expect,
    in_unit,
    run,
    shown,
    until,
)

AS_USER = (DELEGATE, "User=referee")

BY_HAND = f"""
mkdir -p /sys/fs/cgroup/referee/hub
echo '+memory +pids +cpu' > /sys/fs/cgroup/cgroup.subtree_control
echo $$ > /sys/fs/cgroup/referee/hub/cgroup.procs
{REFEREE} doctor --level contest --json
"""
"""The commands of docs/sandbox.md."""

AS_ROOT = """
User=root
CapabilityBoundingSet=CAP_SYS_ADMIN CAP_SETUID CAP_SETGID CAP_CHOWN CAP_DAC_OVERRIDE CAP_FOWNER CAP_KILL
"""
"""The settings of docs/operations.md."""


def the_machine() -> Iterator[str]:
    """Describe the machine."""
    yield f"Linux {platform.release()}, Python {platform.python_version()}, {os.cpu_count()} processors"
    yield f"{run('systemctl', '--version').splitlines()[0]}, {run('bwrap', '--version').strip()}"
    held = Path("/sys/fs/cgroup/cgroup.controllers").read_text().split()
    yield f"controllers: {' '.join(held)}"
    expect("memory, pids and cpu are missing", holds={"memory", "pids", "cpu"} <= set(held))


def ended_for_memory() -> list[str]:
    """Return the kernel's messages about bots over their memory."""
    lines = run("journalctl", "--dmesg", "--output=cat").splitlines()
    return [line for line in lines if line.startswith("oom-kill:") and "/referee-bot-" in line]


def diagnosis(said: str, gaps: tuple[str, ...] = ()) -> Iterator[str]:
    """Describe what a self-test found, and insist that these gaps and no others are there."""
    found = json.loads(said[said.index("{") :])
    contest = found["levels"]["contest"]
    names = tuple(gap["name"] for gap in contest["gaps"])
    held = [attack["attack"] for attack in contest["attacks"] if attack["held"]]
    rows = [
        f"{a['attack']}: {a['how']}" for a in contest["attacks"] if a["attack"].startswith(("memo", "for"))
    ]
    missing = ", ".join(names) or "nothing"
    yield f"level contest: {len(held)} of {len(contest['attacks'])} attacks held, missing: {missing}"
    yield from rows
    broken = [attack for attack in contest["attacks"] if not attack["held"]]
    expect(f"missing {names}, broken {broken}", holds=found["holds"] and names == gaps and not broken)


def examined(said: str, before: int, gaps: tuple[str, ...] = ()) -> Iterator[str]:
    """Describe what a self-test found, and the kernel's messages since."""
    yield from diagnosis(said, gaps)
    yield from by_the_kernel(before)


def by_the_kernel(before: int) -> Iterator[str]:
    """Describe what the kernel ended for its memory. On a slow machine the supervisor may be first."""
    told = ended_for_memory()[before:]
    yield f"bots that the kernel itself ended for their memory: {len(told)}"
    yield from told[:1]


def doctor_as_root_in_a_unit() -> Iterator[str]:
    """Contest, nothing accepted, in the group that one command makes."""
    before = len(ended_for_memory())
    yield from examined(in_unit(REFEREE, "doctor", "--level", "contest", "--json"), before)


def doctor_as_root_in_a_group_made_by_hand() -> Iterator[str]:
    """Contest, nothing accepted."""
    before = len(ended_for_memory())
    yield from examined(run("sh", "-c", BY_HAND), before)


def _doctor_in_unit(name: str, more: str, settings: str, gaps: tuple[str, ...]) -> Iterator[str]:
    before = len(ended_for_memory())
    unit = f"referee-tournament@{name}"
    said = Path(f"/var/log/referee/{name}.json")
    command = f"{REFEREE} doctor --level contest --json {more}"
    drop_in(unit, f"{settings}ExecStart=\nExecStart={command}\nStandardOutput=truncate:{said}\nRestart=no\n")
    said.parent.mkdir(exist_ok=True)
    run("systemctl", "start", unit)
    until("the doctor's end", lambda: shown(unit, "ActiveState")["ActiveState"] in ("inactive", "failed"))
    try:
        yield from examined(said.read_text(), before, gaps)
    except (WrongError, ValueError) as error:
        raise WrongError(f"{error}: {run('systemctl', 'status', unit, code=None)}") from error


def doctor_in_the_unit_of_tournaments() -> Iterator[str]:
    """All of the unit's settings, an ordinary user: only the users of bots are missing."""
    yield from _doctor_in_unit("doctor", "--accept-gap own-uid", "", ("own-uid",))


def doctor_in_the_unit_of_contests() -> Iterator[str]:
    """All of the unit's settings but those that level contest cannot have."""
    yield from _doctor_in_unit("contest-doctor", "", AS_ROOT, ())


def the_kernel_keeps_to_the_limits() -> Iterator[str]:
    """The tests that other hosts skip, as root and as an ordinary user."""
    for settings in ((DELEGATE,), AS_USER):
        test = "tests/end_to_end/test_cgroup_limits.py"
        words = ["-m", "pytest", "--noconftest", "-p", "no:cacheprovider", "-v", test]
        said = in_unit(PYTHON, *words, settings=settings)
        yield from (line for line in said.splitlines() if "::" in line)
        expect(said, holds="skipped" not in said and "passed" in said)
