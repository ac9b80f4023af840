"""Every command in bad surroundings: no traceback, no error of the referee itself, no hang.

COMMANDS has a call of every command, SURROUNDINGS what is wrong around it. Inputs are named by absolute
paths, outputs by relative ones, so that a call also makes sense where the working folder is bad. A few calls
are tried in all surroundings by `make test`, all of them by `make test-slow`.
"""

import ctypes
import itertools
import os
import re
import resource
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Final, NamedTuple

import click
import pytest

from referee.cli import main
from referee.match.result import Acted
from referee.replay.files import read
from tests.end_to_end import warm_start
from tests.end_to_end.commands import Workspace, path_for_imports
from tests.end_to_end.hubs import eventually, processes
from tournaments.config.cautions import new_seed

_PATIENCE_S = 120
_AT_ONCE = 3

CODES: Final = {0, 1, 2, 10, 11, 130, 141}
"""The documented exit codes, without that of an error of the referee itself."""

NOISE: Final = re.compile(
    r"Traceback|Exception ignored|Fatal Python|^\w+Error: |referee: an error of the referee itself", re.M
)

COMMANDS: Final = {
    "help": "--help",
    "version": "--version",
    "games": "games",
    "games-one": "games chicago",
    "rules": "rules coins",
    "new-bot": "new-bot python made-bot",
    "new-bot-list": "new-bot --list",
    "play": "play coins --bot random --bot first --seed 1",
    "play-json": "play coins --bot random --bot first --seed 1 --json",
    "play-human": "play coins --bot human --bot first",
    "serve": "serve coins --bind 127.0.0.1:{port} --folder ladder",
    "join": "join 127.0.0.1:{port} -- random",
    "key-new": "key new made.key",
    "key-allow": "key allow alice {public} --keys made-keys",
    "key-revoke": "key revoke alice --keys {here}/keys",
    "key-list": "key list --keys {here}/keys",
    "replay-show": "replay show {replay}",
    "replay-page": "replay page {replay} --out made.html",
    "replay-verify": "replay verify {replay}",
    "site-show": "site show {here}/spring.toml --web {port}",
    "site-export": "site export {here}/spring.toml --out made-site",
    "site-token": "site token {here}/spring.toml",
    "site-login": "site login http://127.0.0.1:{port} --key no.key --server-key {public}",
    "site-announce": "site announce {here}/spring.toml Lunch",
    "site-freeze": "site freeze {here}/spring.toml",
    "site-reveal": "site reveal {here}/spring.toml",
    "site-pause": "site pause {here}/spring.toml",
    "site-resume": "site resume {here}/spring.toml",
    "entries-take": "entries take {here}/submissions --into {here}/spring.toml",
    "entries-list": "entries list {here}/spring.toml",
    "entries-approve": "entries approve {here}/spring.toml ann",
    "entries-leave-out": "entries leave-out {here}/spring.toml ann",
    "feedback": "feedback {here}/spring.toml --out made-feedback",
    "why": "why {replay}",
    "why-id": "why coins-0001",
    "tournament-new": "tournament new made.toml --game coins",
    "tournament-check": "tournament check {here}/spring.toml",
    "tournament-commit": "tournament commit {here}/luck.toml",
    "tournament-reveal": "tournament reveal {here}/luck.toml --beacon 9f3e",
    "tournament-run": "tournament run {here}/spring.toml --html made.html",
    "tournament-status": "tournament status {here}/spring.toml",
    "tournament-standings": "tournament standings {here}/spring.toml",
    "tournament-rounds": "tournament rounds {here}/spring.toml",
    "tournament-versions": "tournament versions {here}/spring.toml",
    "tournament-history": "tournament history {here}/spring.toml",
    "tournament-pair": "tournament pair {here}/spring.toml ann bob",
    "tournament-names": "tournament names {here}/spring.toml",
    "tournament-verify": "tournament verify {here}/spring.toml",
    "tournament-export": "tournament export {here}/spring.toml",
    "store-copy": "store copy {here}/spring.toml made.sqlite",
    "sprt": "sprt random first --game coins --max-blocks 2",
    "sprt-plan": "sprt random first --game coins --plan --pilot 2",
    "grade": "grade --against {here}/spring.toml --scale {here}/grade.toml -- first",
    "grade-new": "grade --new made",
    "repeat": "repeat {replay} --seat 0 -- first",
    "at": "at {replay} --seat 0 --decision 1 -- first",
    "positions": "positions {here}/suite.toml -- first",
    "check": "check --game coins --seats 2 --step hello -- random",
    "worker": "worker tcp://127.0.0.1:{port} --processors 1",
    "doctor": "doctor --level trusted",
    "completion": "completion bash",
}
"""A call of every command."""

DAEMONS: Final = ("serve", "site-show", "worker")
"""The calls that end by a signal alone."""

QUICK: Final = ("help", "games", "play", "why-id")
"""The calls that `make test` tries."""

TOURNAMENT = """
name = "spring"
game = "coins"
seed = "s3"
format = "round-robin"
blocks = 1
seats = 2
store = "spring.db"
replays = "spring"
[[bots]]
name = "ann"
sample = "random"
[[bots]]
name = "bob"
sample = "first"
"""

SUITE = """
[[positions]]
replay = "{replay}"
seat = 0
decision = 1
allowed = ["{action}"]
"""


class Surroundings(NamedTuple):
    """What is wrong around a command."""

    closed: tuple[int, ...] = ()
    """Standard descriptors that are closed."""
    full: int | None = None
    """The standard descriptor that can take nothing."""
    is_unread: bool = False
    """Whether nothing reads the output."""
    folder: str = "good"
    """The working folder: good, deleted, or locked."""
    words: tuple[bytes, ...] | None = None
    """The words behind the name of the command, instead of those of the call."""
    env: Mapping[str, str] = {}

    @property
    def are_words_alone(self) -> bool:
        """Whether nothing but words is wrong, and these need no interpreter that decodes them."""
        return self == Surroundings(words=self.words) and all(word.isascii() for word in self.words or ())


SURROUNDINGS: Final = {
    **{
        "closed-" + "".join(map(str, closed)): Surroundings(closed=closed)
        for count in (1, 2, 3)
        for closed in itertools.combinations((0, 1, 2), count)
    },
    "full-output": Surroundings(full=1),
    "full-errors": Surroundings(full=2),
    "unread": Surroundings(is_unread=True),
    "deleted-folder": Surroundings(folder="deleted"),
    "locked-folder": Surroundings(folder="locked"),
    "no-words": Surroundings(words=()),
    "wrong-option": Surroundings(words=(b"--nonsense",)),
    "wrong-words": Surroundings(words=(b"nonsense", b"", b"a/b", b"-")),
    "not-utf-8": Surroundings(words=(b"\xff\xfe",)),
    "two-not-utf-8": Surroundings(words=(b"chicago", b"\xff.py", b"--", b"\xff")),
    "no-colour": Surroundings(env={"NO_COLOR": "1"}),
    "dumb-terminal": Surroundings(env={"TERM": "dumb"}),
    "narrow": Surroundings(env={"COLUMNS": "40"}),
    "locale-c": Surroundings(env={"LC_ALL": "C"}),
    "ascii": Surroundings(env={"PYTHONIOENCODING": "ascii"}),
    "strict-warnings": Surroundings(env={"PYTHONWARNINGS": "error"}),
}


class Prepared(NamedTuple):
    """The files that calls read."""

    here: Path
    replay: Path
    public: str

    def words(self, call: str, port: int) -> list[bytes]:
        """Return the words of a call."""
        values = {"here": self.here, "replay": self.replay, "public": self.public, "port": port}
        return [word.format_map(values).encode() for word in COMMANDS[call].split()]


def referee(folder: Path, *words: str) -> str:
    ended = Workspace(folder).run(*words)
    assert ended.code == 0, ended.err
    return ended.out


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    here = tmp_path_factory.mktemp("prepared")
    referee(here, "play", "coins", "--bot", "random", "--bot", "first", "--deal", "0001", "--seed", "1")
    [replay] = (here / "replays").glob("*.jsonl")
    (here / "spring.toml").write_text(TOURNAMENT)
    drawn = TOURNAMENT.replace("spring", "luck").replace('"s3"', f'"{new_seed()}"\nbeacon = "tomorrow"')
    (here / "luck.toml").write_text(drawn)
    referee(here, "tournament", "commit", "luck.toml")
    public = re.findall(r"\S{40}", referee(here, "key", "new", "alice.key"))[0]
    referee(here, "key", "allow", "alice", public, "--keys", "keys")
    first = next(entry for entry in read(replay).entries if isinstance(entry, Acted) and entry.seat == 0)
    (here / "grade.toml").write_text("[checks]\nstarts = 1\n")
    (here / "suite.toml").write_text(SUITE.format(replay=replay, action=first.action))
    return Prepared(here, replay, public)


def leaves(command: click.Command, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Return the names of all commands below a command."""
    if not isinstance(command, click.Group):
        yield path
        return
    context = click.Context(command)
    for name in command.list_commands(context):
        found = command.get_command(context, name)
        assert found is not None
        yield from leaves(found, (*path, name))


def test_the_table_has_a_call_of_every_command() -> None:
    calls = [tuple(call.split()) for call in COMMANDS.values()]
    missing = [path for path in leaves(main) if not any(call[: len(path)] == path for call in calls)]
    assert not missing


def free_port() -> int:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def locked() -> None:
    # PR_CAPBSET_DROP of CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH: even root must keep to permissions.
    prctl = ctypes.CDLL(None).prctl
    prctl(24, 1)
    prctl(24, 2)


def prepare_child(around: Surroundings, folder: Path) -> Callable[[], None]:
    """Return what is done in the process of a command before it starts."""

    def prepare() -> None:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if around.folder == "deleted":
            os.chdir(folder)
            folder.rmdir()
        if around.folder == "locked":
            locked()
        for descriptor in around.closed:
            os.close(descriptor)

    return prepare


def name_in(words: list[bytes]) -> list[bytes]:
    """Return the words of a call that name its command."""
    names = [[word.encode() for word in path] for path in leaves(main)]
    return next((name for name in names if words[: len(name)] == name), [])


class Ended(NamedTuple):
    """How a command ended."""

    code: int
    err: str


def start(
    words: list[bytes],
    around: Surroundings,
    folder: Path,
    env: Mapping[str, str],
    opened: ExitStack,
    *flags: str,
) -> "subprocess.Popen[bytes]":
    output: int = subprocess.DEVNULL
    if around.is_unread:
        reading, output = os.pipe()
        os.close(reading)
        opened.callback(os.close, output)
    full = os.open("/dev/full", os.O_WRONLY)
    opened.callback(os.close, full)
    if around.folder == "locked":
        folder.chmod(0o555)
        opened.callback(folder.chmod, 0o755)
    return subprocess.Popen(
        [sys.executable.encode(), *(flag.encode() for flag in flags), b"-m", b"referee", *words],
        cwd="/" if around.folder == "deleted" else folder,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=full if around.full == 1 else output,
        stderr=full if around.full == 2 else subprocess.PIPE,
        preexec_fn=prepare_child(around, folder),
    )


def is_listening(port: int) -> bool:
    with closing(socket.socket()) as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


def end_of(running: "subprocess.Popen[bytes]", port: int | None) -> Ended:
    """Wait for the end; a daemon, which listens at a port, is ended when it does."""
    if port is not None:
        eventually(lambda: running.poll() is not None or is_listening(port))
        if running.poll() is None:
            running.terminate()
    try:
        _, err = running.communicate(timeout=_PATIENCE_S)
    except subprocess.TimeoutExpired:
        running.kill()
        running.communicate()
        return Ended(-1, "it hangs")
    return Ended(running.returncode, (err or b"").decode(errors="replace"))


def complaint(call: str, around: Surroundings, folder: Path, prepared: Prepared) -> str:
    """Run a call in its surroundings; return what is wrong with its end, or ''."""
    folder.mkdir()
    port = free_port()
    words = prepared.words(call, port)
    if around.words is not None:
        words = [*name_in(words), *around.words]
    is_daemon = call in DAEMONS and around.words is None
    env = os.environ | {"PYTHONPATH": path_for_imports(), "HOME": str(folder)} | dict(around.env)
    if is_daemon or not around.are_words_alone or not warm_start.is_enough(env):
        with ExitStack() as opened:
            ended = end_of(start(words, around, folder, env, opened), port if is_daemon else None)
    else:
        code, _, err = warm_start.run(folder, [os.fsdecode(word) for word in words], env)
        ended = Ended(code, err)
    if ended.code in CODES and not NOISE.search(ended.err):
        return ""
    return f"{b' '.join(words)!r}: code {ended.code}: {ended.err}"


def complaints(calls: Iterator[str], around: Surroundings, folder: Path, prepared: Prepared) -> list[str]:
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        found = pool.map(lambda call: complaint(call, around, folder / call, prepared), calls)
        return [each for each in found if each]


@pytest.mark.parametrize("name", SURROUNDINGS)
def test_a_few_commands_end_well_in_bad_surroundings(name: str, prepared: Prepared, tmp_path: Path) -> None:
    assert not complaints(iter(QUICK), SURROUNDINGS[name], tmp_path, prepared)
    assert eventually(lambda: not processes(str(tmp_path))), "processes are left"


@pytest.mark.slow
@pytest.mark.parametrize("name", SURROUNDINGS)
def test_every_command_ends_well_in_bad_surroundings(name: str, prepared: Prepared, tmp_path: Path) -> None:
    calls = (call for call in COMMANDS if call not in QUICK)
    assert not complaints(calls, SURROUNDINGS[name], tmp_path, prepared)
    assert eventually(lambda: not processes(str(tmp_path))), "processes are left"


# Ctrl-C at any moment.


def interrupted(call: str, imports: int, folder: Path, prepared: Prepared) -> str | None:
    """Interrupt a call after this number of imports of its own; return what is wrong with its end, or ''.

    If it has not so many imports, return None.

    The interpreter reports its imports on stderr. Before the first one of click it is still its own start.
    """
    folder.mkdir()
    words = prepared.words(call, free_port())
    env = os.environ | {"PYTHONPATH": path_for_imports(), "HOME": str(folder)}
    with ExitStack() as opened:
        begins = start(words, Surroundings(), folder, env, opened, "-X", "importtime")
        running = opened.enter_context(begins)
        assert running.stderr is not None
        begun, left, heard = False, imports, []
        for line in running.stderr:
            heard.append(line.decode(errors="replace"))
            begun = begun or b"click" in line
            left -= begun
            if left == 0:
                running.send_signal(signal.SIGINT)
        code = running.wait(_PATIENCE_S)
    said = "".join(line for line in heard if not line.startswith("import time:"))
    if code in CODES and not NOISE.search(said):
        return "" if left <= 0 else None
    return f"{b' '.join(words)!r} after {imports} imports: code {code}: {said}"


MOMENTS: Final = (1, 3, 10, 30, 60, 90, 120, 150, 180, 210, 240, 280, 320, 360)


def check_interrupts(call: str, folder: Path, prepared: Prepared) -> None:
    """Interrupt a command at many moments of its imports: it ends well, and leaves no process."""
    found: list[str | None] = []
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        for at in range(0, len(MOMENTS), _AT_ONCE):
            moments = MOMENTS[at : at + _AT_ONCE]
            found += pool.map(lambda n: interrupted(call, n, folder / str(n), prepared), moments)
            if None in found:
                # It ended before the last of these moments, and so before all later ones.
                break
    assert found[0] is not None
    assert not [each for each in found if each]
    assert eventually(lambda: not processes(str(folder))), "processes are left"


@pytest.mark.parametrize("call", QUICK)
def test_a_few_commands_can_be_interrupted_during_their_imports(
    call: str, prepared: Prepared, tmp_path: Path
) -> None:
    check_interrupts(call, tmp_path, prepared)


@pytest.mark.slow
@pytest.mark.parametrize("call", [call for call in COMMANDS if call not in QUICK and call not in DAEMONS])
def test_every_command_can_be_interrupted_during_its_imports(
    call: str, prepared: Prepared, tmp_path: Path
) -> None:
    check_interrupts(call, tmp_path, prepared)
