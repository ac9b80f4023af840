"""Bots in sandboxes: honest ones play as usual, and the supervisor's reports about others are true."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import venv
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from referee.errors import LaunchError
from referee.process.client import BotProcess
from referee.process.forkserver import Forkserver
from referee.process.reports import EndCause
from referee.process.sandbox import bubblewrap
from referee.process.sandbox.levels import ACCEPTABLE, gaps
from referee.process.spec import BotSpec, Level, ResourceLimits, Transport, program
from tests.end_to_end.boxes import BOXED, WatchedBot, kept, needs_box, needs_root, own, watched
from tests.end_to_end.hubs import ROOT, eventually, pairings, play, processes, sample
from tournaments.config.bots import read_program

__all__ = ["own"]

pytestmark = needs_box
boxed = pytest.mark.parametrize("level", BOXED)


def at_level(spec: BotSpec, level: Level) -> BotSpec:
    folder = str(ROOT / "sample_bots" / "python")
    env = spec.program.env | {"PYTHONPATH": str(ROOT)}
    return msgspec.structs.replace(
        spec, program=msgspec.structs.replace(spec.program, level=level, folder=folder, env=env)
    )


@pytest.mark.parametrize("transport", ["stdio", "zmq"])
def test_honest_bots_play_the_same_match_at_every_level(transport: Transport, tmp_path: Path) -> None:
    played = {}
    for level in ("trusted", *BOXED):
        bot = at_level(sample("first", transport), level)
        finished = play([bot], pairings(["first", "first"], 2), replays=tmp_path / level)
        assert [(one.result.void, one.result.faults) for one in finished] == [(False, ("", ""))] * 2
        assert all(one.replay is not None and one.replay.is_file() for one in finished)
        played[level] = [one.play for one in finished]
    assert played["trusted"] == played["class"] == played["contest"]


@boxed
def test_a_bot_that_may_choose_how_to_speak_plays(level: Level) -> None:
    (finished,) = play([at_level(sample("random", "auto"), level)], pairings(["random", "random"], 1))
    assert (finished.result.void, finished.result.faults) == (False, ("", ""))


RUNTIMES = {
    "our python": [sys.executable, "-c", "import zmq, msgpack, protocol.client; print('runs')"],
    "python3": ["python3", "-c", "print('runs')"],
    "sh": ["sh", "-c", "echo runs"],
    "perl": ["perl", "-e", "print 'runs'"],
    "node": ["node", "-e", "require('worker_threads'); console.log('runs')"],
    "java": ["java", "Main.java"],
    "cc": ["./main"],
    "go": ["./main"],
}
SOURCES = {
    "java": (
        "Main.java",
        'class Main { public static void main(String[] a) { System.out.print("runs"); } }',
        [],
    ),
    "cc": ("main.c", '#include <stdio.h>\nint main(void) { puts("runs"); }', ["cc", "-o", "main", "main.c"]),
    "go": (
        "main.go",
        'package main\nfunc main() { println("runs") }',
        ["go", "build", "-o", "main", "main.go"],
    ),
}


@pytest.mark.parametrize("name", RUNTIMES)
def test_a_runtime_runs_inside(name: str, own: Path) -> None:
    if shutil.which(name) is None and name != "our python":
        pytest.skip(f"{name} is not installed")
    if name in SOURCES:
        file, text, build = SOURCES[name]
        (own / file).write_text(text)
        if build:
            subprocess.run(build, cwd=own, check=True, capture_output=True)
    with kept(RUNTIMES[name], own, "contest") as bot:
        ended = bot.end()
    # Nothing but what it was meant to print: a warning on stdout would break the protocol.
    assert (ended.code, bot.stderr.strip()) == (0, "runs")


def test_an_interpreter_in_a_closed_home_runs_and_shows_nothing_else(tmp_path: Path, own: Path) -> None:
    home = tmp_path / "home"
    tool = home / "lang" / "bin" / "tool"
    tool.parent.mkdir(parents=True)
    tool.write_text('#!/bin/sh\ncat "$(dirname "$(readlink -f "$0")")/../words"; ls "$1" "$2"\n')
    tool.chmod(0o755)
    (home / "lang" / "words").write_text("runs\n")
    (home / "secret").write_text("hush")
    (home / "links").mkdir()
    (home / "links" / "tool").symlink_to("../lang/bin/tool")
    home.chmod(0o700)
    with kept([str(home / "links" / "tool"), str(home), str(home / "links")], own, "contest") as bot:
        assert bot.end().code == 0
    assert bot.stderr.split() == ["runs", f"{home}:", "lang", "links", f"{home}/links:", "tool"]


def test_a_link_in_the_folder_of_a_bot_does_not_let_it_see_where_it_leads(tmp_path: Path, own: Path) -> None:
    tool = tmp_path / "house" / "bin" / "tool"
    tool.parent.mkdir(parents=True)
    tool.write_text("#!/bin/sh\necho runs\n")
    tool.chmod(0o755)
    (own / "bot").symlink_to(tool)
    with pytest.raises(LaunchError, match=r"it is a link to .* outside"), kept(["./bot"], own, "contest"):
        pass
    (own / "bot").unlink()
    (own / "bot").symlink_to(os.path.realpath("/bin/sh"))
    with kept(["./bot", "-c", "exit 3"], own, "contest") as bot:
        assert bot.end().code == 3


def test_an_operator_may_name_a_bot_through_a_link(
    tmp_path: Path, own: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (own / "bot.py").write_text("print('it runs', flush=True)")
    (tmp_path / "folder").symlink_to(own)
    (tmp_path / "file.py").symlink_to(own / "bot.py")
    monkeypatch.chdir(tmp_path)
    for name in ("folder/bot.py", "file.py"):
        with watched(read_program(name, level="class")) as bot:
            assert bot.hear().strip() == "it runs"


@boxed
def test_a_link_that_takes_the_place_of_a_bots_folder_is_not_followed(
    level: Level, tmp_path: Path, own: Path
) -> None:
    closed = tmp_path / "closed"
    (closed / "results").mkdir(parents=True)
    (closed / "results" / "secret").touch()
    closed.chmod(0o700)
    entry = own / "entry"
    entry.mkdir()
    listing = program(["ls", "."], entry, level=level)
    entry.rmdir()
    entry.symlink_to(closed / "results")
    with pytest.raises(LaunchError, match="cannot be read"), watched(listing):
        pass


def test_a_virtual_environment_in_the_folder_of_a_bot_runs(own: Path) -> None:
    venv.create(own / "venv", symlinks=True)
    code = "import sys; print(sys.prefix)"
    with kept(["venv/bin/python", "-c", code], own, "contest") as bot:
        assert bot.end().code == 0
    assert bot.stderr.strip() == str(own / "venv")


@boxed
def test_the_end_of_a_bot_is_reported_as_without_a_sandbox(level: Level, own: Path) -> None:
    with kept(["sh", "-c", "exit 7"], own, level) as bot:
        assert bot.end().in_words() == "exited with code 7"
    with kept(["sh", "-c", "kill -SEGV $$"], own, level) as bot:
        assert bot.end().in_words() == "ended by signal 11 (SIGSEGV)"
    with kept(["sh", "-c", "while :; do :; done"], own, level, ResourceLimits(cpu_s=1)) as bot:
        assert bot.end().signal == signal.SIGXCPU


@boxed
def test_a_bot_is_asked_to_go_before_it_is_made_to(level: Level, own: Path) -> None:
    with kept(
        ["sh", "-c", "trap 'echo going; exit 5' TERM; echo there; while :; do sleep 0.1; done"], own, level
    ) as bot:
        bot.hear("there")
        bot.process.terminate()
        assert (bot.end().code, "going" in bot.stderr) == (5, True)


@boxed
@pytest.mark.parametrize("hub_lets_go", [True, False])
def test_the_end_of_hub_or_supervisor_is_the_end_of_the_box(
    level: Level, hub_lets_go: bool, own: Path
) -> None:
    mark = f"boxed-{level}-{hub_lets_go}-{os.getpid()}"
    command = ["sh", "-c", "(setsid sleep 600 &) ; echo there; sleep 600"]
    with kept(command, own, level, MARK=mark) as bot:
        bot.hear("there")
        assert processes(mark)
        if hub_lets_go:
            bot.process.close()
        else:
            os.kill(bot.process.pid, signal.SIGKILL)
        assert eventually(lambda: not processes(mark)), processes(mark)


@boxed
def test_a_program_that_is_not_in_the_sandbox_is_reported(level: Level, own: Path) -> None:
    script = own / "broken"
    script.write_text("#!/no/such/interpreter\n")
    script.chmod(0o755)
    with kept(["./broken"], own, level) as bot:
        assert "No such file" in bot.failure()


@boxed
def test_a_folder_that_is_closed_to_others_is_shown_to_its_bot(level: Level, own: Path) -> None:
    (own / "word").write_text("runs")
    (own / "word").chmod(0o600)
    own.chmod(0o700)
    with kept(["cat", "word"], own, level) as bot:
        assert (bot.end().code, bot.stderr) == (0, "runs")


@needs_root
def test_an_interpreter_that_is_closed_to_the_bot_is_reported_with_the_remedy(
    tmp_path: Path, own: Path
) -> None:
    tool = tmp_path / "lang" / "bin" / "tool"
    tool.parent.mkdir(parents=True)
    tool.write_text("#!/bin/sh\n")
    tool.chmod(0o755)
    (tmp_path / "lang").chmod(0o700)
    with kept([str(tool)], own, "class") as bot:
        assert f"chmod -R o+rX {tmp_path / 'lang'}" in bot.failure()


READS = """
import os
for name in ("fifo", "bot.py"):
    try:
        os.close(os.open(name, os.O_RDWR))
        print("opened", name)
    except OSError:
        pass
print(sorted(os.listdir()), open("bot.py").read() == open("copy.py").read(), flush=True)
"""


@boxed
def test_what_its_author_changes_while_it_runs_does_not_reach_a_bot(level: Level, own: Path) -> None:
    for name in ("bot.py", "copy.py"):
        (own / name).write_text(READS)
    with closing(Forkserver()) as forkserver:
        bot = program([sys.executable, "bot.py"], own, level=level)
        with closing(BotProcess(forkserver, bot)) as first:
            assert WatchedBot(first).end().code == 0
        os.mkfifo(own / "fifo", 0o666)
        (own / "copy.py").write_text("changed")
        # Neither a bot that is started later, nor one in another match: a run has one program of each bot.
        with closing(BotProcess(forkserver, bot)) as second:
            assert WatchedBot(second).end().code == 0
        assert second.stderr.since(0) == first.stderr.since(0) == "['bot.py', 'copy.py'] True\n"


@needs_root
def test_no_two_bots_are_the_same_user(own: Path) -> None:
    mark = f"users-{os.getpid()}"
    with (
        kept(["sleep", "600"], own, "contest", MARK=mark + "-one"),
        kept(["sleep", "600"], own, "contest", MARK=mark + "-two"),
    ):
        assert eventually(lambda: all(users(f"{mark}-{n}") for n in ("one", "two")))
        one, two = users(mark + "-one"), users(mark + "-two")
    assert len(one) == len(two) == 1
    assert len({0, *one, *two}) == 3


def users(mark: str) -> set[int]:
    found = set()
    for pid in processes(mark):
        status = Path(f"/proc/{pid}/status").read_text()
        if status.startswith("Name:\tsleep"):
            found.add(int(status.partition("Uid:\t")[2].split()[0]))
    return found


THREADS = """
import threading
started = 0
try:
    for started in range(100):
        threading.Thread(target=threading.Event().wait, daemon=True).start()
except RuntimeError:
    pass
print("started", started, flush=True)
"""


@boxed
def test_the_kernel_counts_threads_where_the_supervisor_counts_processes(level: Level, own: Path) -> None:
    with kept([sys.executable, "-c", THREADS], own, level, ResourceLimits(processes=4)) as bot:
        bot.hear("started")
        bot.end()
    limit = bubblewrap.tasks(ResourceLimits(processes=4))
    assert limit - 6 <= int(bot.stderr.split()[1]) <= limit


SHARES = """
import os, time
hoard = os.urandom(60 << 20)
for _ in range(4):
    if os.fork() == 0:
        time.sleep(600)
time.sleep(1)
print("there", flush=True)
"""
SOCKETS = """
import os, socket, time
for _ in range(3):
    if os.fork() == 0:
        pairs = [socket.socketpair() for _ in range(100)]
        time.sleep(600)
time.sleep(600)
"""
PIPES = """
import os, time
for _ in range(12):
    if os.fork() == 0:
        pipes = [os.pipe() for _ in range(120)]
        for _, end in pipes:
            os.write(end, bytes(65_536))
        time.sleep(600)
time.sleep(600)
"""


@boxed
def test_what_processes_share_counts_once(level: Level, own: Path) -> None:
    with kept([sys.executable, "-c", SHARES], own, level, ResourceLimits(memory_mib=150)) as bot:
        assert "there" in bot.hear("there"), bot.process.end


@boxed
@pytest.mark.parametrize("code", [SOCKETS, PIPES], ids=["sockets", "pipes"])
def test_what_waits_in_sockets_and_pipes_counts(level: Level, code: str, own: Path) -> None:
    with kept([sys.executable, "-c", code], own, level, ResourceLimits(memory_mib=64)) as bot:
        assert bot.end().cause is EndCause.MEMORY


# On the command line, and in a tournament file.


def referee(folder: Path, *words: str, **env: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "referee", *words],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT)} | env,
        capture_output=True,
        text=True,
        check=False,
    )


ALL_GAPS = [f"--accept-gap={name}" for name in ACCEPTABLE]

SPY = """
import os, sys
from protocol.client import run
secrets = [name for name in sys.argv[1:] if os.path.exists(name)]
if secrets:
    sys.exit(f"I see {secrets}")
run(lambda view, legal: legal[0])
"""


def test_a_level_that_cannot_be_kept_is_refused_by_name_and_nothing_starts(tmp_path: Path) -> None:
    missing = [gap.name for gap in gaps("contest")]
    if not missing:
        pytest.skip("this host lacks nothing for level contest")
    told = referee(tmp_path, "play", "chicago-poker", "--bot=random", "--bot=first", "--level=contest")
    assert told.returncode == 2
    assert all(f"--accept-gap {name}" in told.stderr for name in missing)
    assert list(tmp_path.iterdir()) == []


def test_bots_play_at_level_contest_when_its_gaps_are_accepted(tmp_path: Path) -> None:
    words = [
        "play",
        "chicago-poker",
        "--bot=random",
        "--bot=first",
        "--matches=2",
        "--json",
        "--level=contest",
    ]
    told = referee(tmp_path, *words, *ALL_GAPS)
    assert told.returncode == 0, told.stderr
    assert [match["faults"] for match in json.loads(told.stdout)["matches"]] == [["", ""]] * 2


def test_a_gap_that_does_not_exist_or_cannot_be_accepted_is_refused(tmp_path: Path) -> None:
    play = ("play", "chicago-poker", "--bot=random", "--bot=first", "--level=class")
    told = referee(tmp_path, *play, "--accept-gap=memori")
    assert (told.returncode, "did you mean memory?" in told.stderr) == (2, True)
    told = referee(tmp_path, *play, "--accept-gap=bubblewrap")
    assert (told.returncode, "--level trusted" in told.stderr) == (2, True)


def test_without_bubblewrap_there_is_no_level_class(tmp_path: Path) -> None:
    told = referee(tmp_path, "play", "chicago-poker", "--bot=random", "--bot=first", "--level=class", PATH="")
    assert told.returncode == 2
    assert "apt install bubblewrap" in told.stderr


def test_a_host_that_forbids_a_part_of_the_sandbox_is_reported_before_anything_starts(tmp_path: Path) -> None:
    # As under systemd's ProtectHostname=. Not below tmp_path, which is closed to the users of bots.
    refusal = "bwrap: Can't set hostname to box: Operation not permitted"
    words = ("play", "chicago-poker", "--bot=random", "--bot=first", "--level=class")
    with tempfile.TemporaryDirectory() as folder:
        picky = Path(folder, "bwrap")
        picky.write_text(f'#!/bin/sh\ncase "$*" in *--hostname*) echo "{refusal}" >&2; exit 1;; esac\n')
        for path in (picky.parent, picky):
            path.chmod(0o755)
        told = referee(tmp_path, *words, PATH=f"{folder}{os.pathsep}{os.environ['PATH']}")
    assert told.returncode == 2
    assert refusal in told.stderr


def test_a_bot_may_not_live_where_secrets_or_others_are(tmp_path: Path) -> None:
    for path in ("spy.py", "a/spy.py", "a/b/spy.py"):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(SPY)
    play = ("play", "chicago-poker", "--level=class")
    told = referee(tmp_path, *play, "--bot=spy.py", "--bot=random")
    assert (told.returncode, str(tmp_path / "replays") in told.stderr) == (2, True)
    told = referee(tmp_path, *play, "--bot=outer=a/spy.py", "--bot=inner=a/b/spy.py")
    assert (told.returncode, "holds bot inner" in told.stderr) == (2, True)


TOURNAMENT = """
game = "chicago-poker"
seed = "hush"
blocks = 1
level = "contest"
accept_gaps = {gaps}

[[bots]]
name = "spy"
command = {command}
folder = "{folder}"

[[bots]]
name = "random"
sample = "random"
"""


def test_a_tournament_file_names_the_level_and_its_bots_see_nothing_of_it(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    own = tmp_path / "entries" / "spy"
    own.mkdir(parents=True)
    (own / "spy.py").write_text(SPY)
    file = tmp_path / "t.toml"
    secrets = [str(file), *(f"{tmp_path}/t{ending}" for ending in (".sqlite", "-replays")), "/etc/hostname"]
    terms = {"gaps": json.dumps(ACCEPTABLE), "command": json.dumps(["spy.py", *secrets])}
    file.write_text(TOURNAMENT.format(**terms, folder="entries/spy"))
    told = referee(tmp_path, "tournament", "run", "t.toml", "--json")
    assert told.returncode == 0, told.stderr
    replays = sorted((tmp_path / "t-replays").iterdir())
    assert [path.suffix for path in replays] == [".jsonl", ".jsonl"], "no fault, so no dossier"
    # The same bot where the file is: refused, and so by `check`.
    file.write_text(TOURNAMENT.format(**terms, folder="."))
    shutil.copy(own / "spy.py", tmp_path)
    (tmp_path / "t.sqlite").unlink()
    for words in (("check", "t.toml"), ("run", "t.toml")):
        told = referee(tmp_path, "tournament", *words)
        assert (told.returncode, "give it a folder of its own" in told.stderr) == (2, True)
    # The same bot, not confined, does see it.
    told = referee(tmp_path, "tournament", "run", "t.toml", "--level=trusted")
    assert (told.returncode, "I see" in told.stderr) == (2, True)


TOUCH = """
import contextlib, os
for file in ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", 0):
    with contextlib.suppress(OSError):
        os.utime(file)
with open("/dev/null", "w") as null:
    null.write("devices can be used")
print(len(os.urandom(8)), len(os.read(os.open("/dev/zero", os.O_RDONLY), 8)), flush=True)
"""


def test_no_bot_can_set_the_time_of_a_device_which_all_bots_see(own: Path) -> None:
    devices = [Path("/dev", name) for name in ("null", "zero", "full", "random", "urandom", "tty")]
    before = [device.stat().st_mtime_ns for device in devices]
    with kept([sys.executable, "-c", TOUCH], own, "class") as bot:
        assert bot.hear().strip() == "8 8"
    assert [device.stat().st_mtime_ns for device in devices] == before
