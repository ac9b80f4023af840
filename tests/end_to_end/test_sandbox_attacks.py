"""Every attack of the doctor, really tried at every level: what the level promises holds, and the rest shows
that the attack is none on paper."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

import pytest

from referee.process.sandbox import attacks, selftest
from referee.process.sandbox.attacks import channels
from referee.process.sandbox.levels import ACCEPTABLE
from referee.process.spec import Level
from tests.end_to_end.boxes import BOXED, NO_BOX, kept, needs_box, own
from tests.end_to_end.hubs import ROOT, eventually, processes
from tests.end_to_end.terminals import INTERRUPT, terminal

__all__ = ["own"]

FREE = (
    *("secret-file", "open-file", "write-outside", "other-processes", "network", "local-sockets"),
    *(
        "authors-folder",
        "locks",
        "watches",
        "shared-memory",
        "load",
        "ports",
        "counters",
        "notes",
        "cache-probing",
        "cache-evicting",
    ),
    *("much-data", "many-files", "memory-of-nobody", "memory-of-sockets", "memory-of-pages"),
    *("memory-of-queues", "memory-of-programs", "memory-of-timers", "files-of-threads"),
)
"""What nothing holds at level trusted: these attacks can succeed, so that failing means something."""


@cache
def findings(level: Level) -> dict[str, selftest.AttackResult]:
    return {finding.attack: finding for finding in selftest.examine(level).findings}


@needs_box
@pytest.mark.parametrize("attack", attacks.ALL)
@pytest.mark.parametrize("level", BOXED)
def test_a_box_holds(level: Level, attack: str) -> None:
    found = findings(level)[attack]
    assert found.held, found


@pytest.mark.parametrize("attack", sorted(selftest.promises("trusted")))
def test_what_is_promised_of_trusted_bots_holds(attack: str) -> None:
    found = findings("trusted")[attack]
    assert found.held, found


@pytest.mark.parametrize("attack", FREE)
def test_an_attack_succeeds_where_nothing_holds_it(attack: str) -> None:
    assert attack not in selftest.promises("trusted")
    found = findings("trusted")[attack]
    assert not found.held
    assert found.how


@needs_box
def test_the_doctor_says_what_holds_and_its_exit_code_too() -> None:
    gaps = [f"--accept-gap={gap}" for gap in ACCEPTABLE]
    words = [sys.executable, "-m", "referee", "doctor", "--json", "--level=contest", *gaps]
    told = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    answer = json.loads(told.stdout)
    assert (told.returncode, answer["holds"], list(answer["levels"])) == (0, True, ["contest"]), told.stderr
    assert [one["attack"] for one in answer["levels"]["contest"]["attacks"]] == list(attacks.ALL)


def test_two_doctors_may_work_at_once() -> None:
    with selftest.lay_decoys() as one, selftest.lay_decoys() as other:
        assert one["mark"] != other["mark"]
        assert channels.locks(one) == channels.locks(other) == "feels a lock"


def test_without_bubblewrap_the_doctor_says_how_to_get_it(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "referee", "doctor", "--level", "contest"]
    env = os.environ | {"PATH": str(tmp_path)}
    told = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False, env=env)
    assert told.returncode == 1
    assert "no sandbox can be made on this host" in told.stdout
    assert "apt install bubblewrap" in told.stdout


def python_for_all() -> str:
    """Return an interpreter like ours that any user can execute."""
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    for path in (os.path.realpath(sys.executable), f"/usr/bin/{version}", f"/usr/local/bin/{version}"):
        if os.path.exists(path) and all(parent.stat().st_mode & 0o001 for parent in Path(path).parents):
            return path
    pytest.skip(f"no {version} that other users can execute is installed: rootless boxes are not tried")


@needs_box
def test_a_box_holds_without_root() -> None:
    if os.geteuid() != 0:
        pytest.skip("we are not root: the tests above are this test")
    site = next(path for path in sys.path if path.endswith("site-packages"))
    if not all(parent.stat().st_mode & 0o001 for parent in (*Path(site).parents, *ROOT.parents)):
        pytest.skip("other users cannot read this checkout: rootless boxes are not tried")
    told = subprocess.run(
        [python_for_all(), "-m", "referee", "doctor", "--level", "class", "--json"],
        cwd="/",
        env={"PATH": os.environ["PATH"], "PYTHONPATH": f"{ROOT}:{site}", "HOME": "/nonexistent"},
        capture_output=True,
        text=True,
        check=False,
        user=61_234,
        group=61_234,
        extra_groups=[],
    )
    answer = json.loads(told.stdout or "{}")
    assert told.returncode == 0, told.stdout + told.stderr
    assert all(one["held"] for one in answer["levels"]["class"]["attacks"])


HOLDS = (
    "import fcntl, sys; f = open({file!r}); fcntl.flock(f, fcntl.LOCK_EX); print('held', flush=True); input()"
)
FEELS = """
import fcntl
try:
    fcntl.flock(open({file!r}), fcntl.LOCK_EX | fcntl.LOCK_NB)
    print("free", flush=True)
except BlockingIOError:
    print("taken", flush=True)
"""


@pytest.mark.parametrize(("level", "felt"), [("trusted", "taken"), ("class", "free"), ("contest", "free")])
def test_a_bot_does_not_feel_the_lock_of_another(level: Level, felt: str, own: Path) -> None:
    if NO_BOX and level != "trusted":
        pytest.skip(f"bubblewrap is missing: {NO_BOX}")
    file = shutil.which("sh")
    assert file is not None
    holding = HOLDS.replace("input()", "import time; time.sleep(60)").format(file=file)
    with kept([sys.executable, "-c", holding], own, level) as one:
        one.hear("held")
        with kept([sys.executable, "-c", FEELS.format(file=file)], own, level) as other:
            assert other.hear(felt).strip() == felt


def test_ctrl_c_ends_the_doctor_without_a_word_of_its_decoy(tmp_path: Path) -> None:
    with terminal(tmp_path, "doctor", "--level", "trusted") as running:

        def has_decoy() -> bool:
            """Return whether a child that is called as the decoy has a handler for the signal."""
            children = Path(f"/proc/{running.process.pid}/task/{running.process.pid}/children").read_text()
            decoys = [
                Path("/proc", pid, "status").read_text()
                for pid in children.split()
                if b"-I" in Path("/proc", pid, "cmdline").read_bytes()
            ]
            return any(int(status.split("SigCgt:")[1].split()[0], 16) & 2 for status in decoys)

        assert eventually(has_decoy)
        running.press(INTERRUPT)
        assert running.end() == 130
    assert running.text.endswith("referee: interrupted\n")
    assert "Traceback" not in running.text


def test_ctrl_c_while_the_sandbox_is_tried_leaves_no_process() -> None:
    # As the real one: its child waits for it, and for ever if it is killed alone.
    with tempfile.TemporaryDirectory() as name:
        folder, mark = Path(name), f"tried-{os.getpid()}"
        folder.chmod(0o755)
        running = folder / "running"
        os.mkfifo(running)
        running.chmod(0o666)
        (folder / "bwrap").write_text(f"#!/bin/sh\nsleep 600 &\necho > {running}\nwait\n")
        (folder / "bwrap").chmod(0o755)
        env = os.environ | {"PATH": f"{folder}:{os.environ['PATH']}", "MARK": mark}
        words = [sys.executable, "-m", "referee", "doctor", "--level", "class"]
        with subprocess.Popen(words, cwd=ROOT, env=env, stderr=subprocess.DEVNULL) as command:
            running.read_text()
            command.send_signal(signal.SIGINT)
            assert command.wait(60) == 130
        assert eventually(lambda: processes(mark) == [], within_s=10)
