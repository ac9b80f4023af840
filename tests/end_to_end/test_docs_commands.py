"""The commands of README and documents are run, in the order of the page, in a folder of their own.

A command that cannot be run here is on a list with the reason, and its options are still checked. A command
that is neither run nor listed fails the test.
"""

import contextlib
import importlib.util
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote

import click
import pytest

from referee.cli import COMMANDS, main
from referee.gate.keystore import new_pair
from tests.classroom.export import export, plain, roster
from tests.classroom.submissions import ANN, ANN_TOO, GOOD, ZOE
from tests.end_to_end.commands import Workspace, workspace_in
from tests.end_to_end.hubs import ROOT

if TYPE_CHECKING:
    from tests.postgres import PostgresServer

DOCUMENTS = [ROOT / "README.md", ROOT / "sample_bots" / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
MAKEFILES = [ROOT / "Makefile", *(ROOT / "sample_bots").rglob("Makefile.in")]
"""The second one is the Makefile of `referee new-bot`."""

NOT_RUN = {
    "chmod": "opens files to other users; test_tournament_run.py looks at their modes",
    "cd": "only make targets follow, which are looked up",
    "echo": "writes to /sys/fs/cgroup as root",
    "mkdir": "writes to /sys/fs/cgroup as root",
    "pip": "installs packages",
    "sqlite3": "a program that need not be installed",
    "kill": "test_ladder_restart.py sends the signal to a daemon of its own",
    "systemd-run": "needs systemd and root; `make vm` runs it",
    "REFEREE_ADDRESS=tcp://games.example.org:7878": "needs that daemon; test_keyed_gate.py has one",
    "REFEREE_ADDRESS=tcp://127.0.0.1:7900": "needs the match that waits; test_attach.py has one",
    "doctor": "its result depends on the host; test_sandbox_attacks.py runs the attacks",
    "join": "needs the daemon at games.example.org; test_cli_serve.py has one",
    "worker": "needs a scheduler; test_cluster.py has one",
    "dask": "starts a scheduler; test_cluster.py has one",
    "for": "needs other hosts and SSH",
    "kubectl": "needs a Kubernetes",
    "srun": "needs a Slurm",
}
"""First words, and commands of ours, that are not run, with the reason."""

EXIT_CODES = {"sprt": 11, "sprt --plan": 0, "human": 130, "browser": 130, "--attach": 130}
"""The exit code of a command, or of a play with a bot of this name: two blocks leave the answer open, the
input of a person ends at once, and for one at a browser, or a bot in a debugger, the test presses Ctrl-C."""

QUICKER = {"check": ("--step", "act"), "sprt": ("--max-blocks", "2"), "sprt --plan": ()}
"""Options that shorten a command; the tests of the command run it in full."""

SPRING = ("tournament new spring.toml", "tournament run spring.toml")
PREPARED = {
    "docs/debug-a-bot.md": ("play chicago-poker --bot mybot.py --bot random --matches 20 --seed 7",),
    "docs/feedback.md": ("tournament new event.toml", "tournament run event.toml"),
    "docs/integrity.md": SPRING,
    "docs/monitoring.md": SPRING,
    "docs/postgresql.md": SPRING,
}
"""Commands that a page takes for granted."""

IN_FULL = {"docs/integrity.md"}
"""Pages that print how many matches were played."""

WRITTEN = {
    "docs/debug-a-bot.md": "suite.toml",
    "docs/ladder.md": "ladder.toml",
    "docs/luck.md": "spring.toml",
    "docs/run-a-contest.md": "open.toml",
}
"""The file that a reader of a page writes: its block of TOML."""


FEWEST = {"blocks": 1, "rounds": 2}
SHORT_GAMES = {"chicago-poker": 'preset = "quick"', "gangsters": "options = { target = 6 }"}
"""What makes the matches of an event short, where its file says nothing else."""

DATABASE = "postgresql://referee@db.example.org/events"
"""The database of a page; here it is one of a server of the tests."""

HANDED_IN = {"docs/run-a-class.md", "docs/run-a-contest.md"}
"""Pages whose reader has a folder of submissions and a list of the class."""


class Command(NamedTuple):
    """A command of a document, with the lines that are printed below it (of a console block)."""

    words: list[str]
    printed: list[str]


def commands(document: Path) -> Iterator[Command]:
    """Find the commands of all sh and console blocks of a document."""
    blocks = re.findall(r"^```(sh|console)\n(.*?)^```", document.read_text(), re.MULTILINE | re.DOTALL)
    for kind, block in blocks:
        if kind == "sh":
            yield from (Command(shlex.split(line, comments=True), []) for line in block.splitlines())
        else:
            for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
                line, *printed = part.splitlines()
                yield Command(shlex.split(line), printed)


PAGES = {str(document.relative_to(ROOT)): document for document in DOCUMENTS}
RUN_ELSEWHERE = {"docs/add-a-game.md"}
"""Its commands need the game of the guide: test_docs.py installs that first and runs all of them."""
WITH_COMMANDS = [name for name, page in PAGES.items() if name not in RUN_ELSEWHERE and any(commands(page))]


def free_port() -> str:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return str(probe.getsockname()[1])


def placeholders_replaced(word: str) -> str:
    """Put real values in place of what a reader replaces, and ports of this test in place of fixed ones."""
    word = word.replace("PUBLICKEY", new_pair().public).replace("COMMAND", "random")
    return re.sub(r"(0\.0\.0\.0:)?\b(7878|8000)\b", "127.0.0.1:0", re.sub(r"\b9100$", free_port(), word))


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    """Give a folder with the bot of the README, where `python` is the one that runs the tests."""
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    (code,) = re.findall(r"^```python\n(.*?)^```", (ROOT / "README.md").read_text(), re.MULTILINE | re.DOTALL)
    with workspace_in(tmp_path) as workspace:
        for name in ("mybot.py", "new.py", "old.py"):
            workspace.write(name, code)
        yield workspace


def play_a_ladder(workspace: Workspace) -> None:
    """Leave the folder of a ladder with one match, and one with the programs of its bots."""
    daemon = workspace.start("serve", "chicago-poker", "--bind", "0", "--matches", "1", listen="out")
    address = daemon.wait_for("Listening at").split()[-1]
    for bot in ("random", "first"):
        workspace.start("join", address, "--", bot)
        (workspace.folder / "finalists" / bot).mkdir(parents=True)
        workspace.write(f"finalists/{bot}/bot.py", (workspace.folder / "mybot.py").read_text())
    assert daemon.end().code == 0


def hand_in(workspace: Workspace) -> None:
    """Leave submissions of a few authors, and the list of their class; test_class_day.py has many."""
    few = [ANN, ANN_TOO, ZOE]
    entries = [entry for entry in GOOD if entry.author in few]
    export(entries, workspace.folder / "submissions", plain)
    roster(entries, workspace.folder / "class.csv")


def run(workspace: Workspace, words: list[str]) -> str:
    """Run a `referee` command as it stands in a document, check its exit code, and return its output."""
    name, *rest = map(placeholders_replaced, words)
    kind = f"{name} --plan" if "--plan" in rest else name
    bots = {word.rpartition("=")[2] for word in rest}
    if name == "serve":
        daemon = workspace.start(name, *([] if "--bind" in rest else ["--bind", "0"]), *rest, listen="out")
        daemon.wait_for("Listening at")
        daemon.signal(signal.SIGTERM)
        ended = daemon.end()
    elif name == "site" and rest[0].endswith((".toml", "/")):
        site = workspace.start(name, *rest, "--web", "0")
        site.wait_for("until Ctrl-C")
        site.signal()
        ended = site.end()
    elif "--attach" in rest:
        played = workspace.start(name, "--address", free_port(), *rest)
        played.wait_for("REFEREE_ADDRESS=")
        played.signal()
        ended = played.end()
    elif "browser" in bots:
        played = workspace.start(name, "--no-open", *rest, listen="out")
        played.wait_for("/seat.html#")
        played.signal()
        ended = played.end()
    else:
        ended = workspace.run(name, *QUICKER.get(kind, ()), *rest)
    person = next((bot for bot in ("human", "browser", "--attach") if bot in bots), kind)
    expected = EXIT_CODES.get(person, 0)
    assert ended.code == expected, f"{shlex.join(words)}: {ended}"
    return ended.out


def shorten_new(workspace: Workspace, words: list[str]) -> None:
    """Leave an event, or the staff of a grade, that was just written few short matches: others play more."""
    if words[:2] in (["tournament", "new"], ["grade", "--new"]):
        for file in workspace.folder.rglob("*.toml"):
            shorten(file)


def shorten(file: Path) -> None:
    """Change the file of an event to few short matches."""
    text = re.sub(r"^(blocks|rounds) = \d+", shortest, file.read_text(), flags=re.MULTILINE)
    keys = re.findall(r"^(\w+) =", text, re.MULTILINE)
    if "blocks" in keys and not {"preset", "options"} & {*keys}:
        for game, short in SHORT_GAMES.items():
            text = re.sub(rf'^game = "{game}".*$', rf"\g<0>\n{short}", text, flags=re.MULTILINE)
    file.write_text(text)


def shortest(key: re.Match[str]) -> str:
    return f"{key[1]} = {FEWEST[key[1]]}"


def printed_as_shown(shown: list[str], printed: str) -> bool:
    """Compare the output of a command with that of a document, where … stands for any text."""
    pattern = "\n".join(re.escape(line.rstrip()).replace("…", ".*") for line in shown)
    return re.fullmatch(pattern, "\n".join(line.rstrip() for line in printed.splitlines())) is not None


def make_has_target(target: str) -> bool:
    return any(re.search(rf"^{target}:", path.read_text(), re.MULTILINE) for path in MAKEFILES)


def prepare(workspace: Workspace, page: str) -> None:
    """Leave in the folder what a reader of the page has."""
    text = PAGES[page].read_text()
    for line in PREPARED.get(page, ()):
        run(workspace, line.split())
        if page not in IN_FULL:
            shorten_new(workspace, line.split())
    if "verify serve" in text:
        play_a_ladder(workspace)
    if page in HANDED_IN:
        hand_in(workspace)
    if page in WRITTEN:
        workspace.write(WRITTEN[page], *re.findall(r"^```toml\n(.*?)^```", text, re.MULTILINE | re.DOTALL))
        shorten(workspace.folder / WRITTEN[page])


def database(request: pytest.FixtureRequest) -> str:
    """Return the URL of an empty database, in place of that of a page."""
    server: PostgresServer = request.getfixturevalue("postgres")
    return f"postgresql://referee@{quote(str(server.folder), safe='')}/{server.new_database()}"


@pytest.mark.parametrize("page", WITH_COMMANDS)
def test_commands_of_a_page_can_be_run_in_its_order(
    page: str, workspace: Workspace, request: pytest.FixtureRequest
) -> None:
    prepare(workspace, page)
    found = list(commands(PAGES[page]))
    if DATABASE in PAGES[page].read_text():
        url = database(request)
        found = [Command([word.replace(DATABASE, url) for word in words], shown) for words, shown in found]
    for words, shown in found:
        match words:
            case ["referee", name, *rest] if name in NOT_RUN or [name, *rest][:2] == ["site", "login"]:
                with contextlib.chdir(workspace.folder):
                    accept(words[1:])
            case ["referee", *rest] if "--cluster" in rest:
                with contextlib.chdir(workspace.folder):
                    accept(rest)
            case ["openssl", *_]:
                subprocess.run(words, cwd=workspace.folder, check=True, capture_output=True)
            case ["referee", *rest] if "--head" in rest:
                head = re.findall(
                    r"^head (\w+)$", run(workspace, ["tournament", "verify", "spring.toml"]), re.M
                )
                run(workspace, [*rest[:-1], *head])
            case ["referee", *rest]:
                printed = run(workspace, rest)
                assert not shown or printed_as_shown(shown, printed), printed
                shorten_new(workspace, rest)
            case ["make", target, *_]:
                assert make_has_target(target), target
            case [".venv/bin/python", "-m", module, *_]:
                assert importlib.util.find_spec(module) is not None, module
            case _:
                assert words[0] in NOT_RUN, words


def accept(words: list[str]) -> click.Context:
    """Parse a command line of ours without running it."""
    command, context = find_command(words)
    depth = len(context.command_path.split())
    return command.make_context(command.name, words[depth:], parent=context)


def find_command(words: list[str]) -> tuple[click.Command, click.Context]:
    """Find the command that words begin with, and the context of the group it belongs to."""
    command, context = (
        main.get_command(click.Context(main), words[0]),
        click.Context(main, info_name="referee"),
    )
    assert command is not None, f"no command {words[0]}"
    if isinstance(command, click.Group) and len(words) > 1:
        context = click.Context(command, parent=context, info_name=words[0])
        command = command.get_command(context, words[1])
        assert command is not None, f"no command {words[0]} {words[1]}"
    return command, context


@pytest.mark.parametrize("page", PAGES)
def test_commands_within_sentences_exist_and_have_their_options(page: str) -> None:
    for text in re.findall(r"`referee ([a-z][^`]*)`", PAGES[page].read_text()):
        words = text.partition(" -- ")[0].replace(",", " ").split()
        if words[0] in COMMANDS:
            command, context = find_command([word for word in words if word != "…"])
            options = {each for parameter in command.get_params(context) for each in parameter.opts}
            options |= {
                each for parameter in command.get_params(context) for each in parameter.secondary_opts
            }
            assert {word for word in words if word.startswith("--")} <= options, text


def test_a_command_that_is_neither_run_nor_listed_is_noticed(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```sh\nrm -r x  # no\n```\n\n```console\n$ referee games\na\t…\nb\n$ ls\n```\n")
    assert list(commands(page)) == [
        Command(["rm", "-r", "x"], []),
        Command(["referee", "games"], ["a\t…", "b"]),
        Command(["ls"], []),
    ]
    assert not {"rm", "ls"} & set(NOT_RUN)
    assert printed_as_shown(["a\t…", "b"], "a\t1 2\nb\n")
    assert not printed_as_shown(["a\t…", "b"], "a\t1 2\nc\n")
