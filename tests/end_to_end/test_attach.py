"""`referee play --attach`: the referee waits for a bot that its author starts, as in a debugger."""

import os
import pty
import select
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.end_to_end.commands import Command, Workspace, path_for_imports, workspace_in

BOT = """
import sys
from protocol.client import Bot, run

class Mine(Bot):
    def __init__(self):
        self.seen = 0
    def see(self, events):
        self.seen += len(events)
    def choose(self, view, legal):
        if len(sys.argv) > 1 and view["turn"] == int(sys.argv[1]):
            sys.exit(f"left after {self.seen} events")
        return legal[0]

run(Mine)
"""


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with workspace_in(tmp_path) as found:
        found.write("mine.py", BOT)
        yield found


@pytest.fixture
def address() -> str:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{free.getsockname()[1]}"


def waiting(workspace: Workspace, address: str, *words: str) -> Command:
    """Start a run, and return it when it waits for the bot."""
    coins = ("play", "coins", "--seed", "7", "--set", "rounds=4", "--address", address, "--matches", "1")
    command = workspace.start(*coins, *words)
    command.wait_for("REFEREE_ADDRESS=")
    return command


def by_hand(workspace: Workspace, address: str, *words: str) -> "subprocess.CompletedProcess[str]":
    """Start the bot as its author does, and wait for its end."""
    env = os.environ | {"PYTHONPATH": path_for_imports(), "REFEREE_ADDRESS": f"tcp://{address}"}
    return subprocess.run(
        [sys.executable, *words],
        cwd=workspace.folder,
        env=env,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_a_bot_that_is_started_by_hand_plays_and_is_dismissed(workspace: Workspace, address: str) -> None:
    command = waiting(workspace, address, "--bot", "first", "--attach", "me")
    assert by_hand(workspace, address, "mine.py").returncode == 0
    ended = command.end()
    assert ended.code == 0, ended.err
    assert "me has come" in ended.err
    assert "me " in ended.out


def test_a_bot_that_is_named_keeps_its_seat_and_its_command_is_printed(
    workspace: Workspace, address: str
) -> None:
    bots = ("--bot", "first", "--bot", "me=mine.py", "--attach", "me")
    command = workspace.start("play", "coins", "--seed", "7", "--address", address, "--deal", "0001", *bots)
    assert "mine.py" in command.wait_for("REFEREE_ADDRESS=")
    assert by_hand(workspace, address, "mine.py").returncode == 0
    assert command.end().code == 0
    shown = workspace.run("replay", "show", str(next((workspace.folder / "replays").glob("*.jsonl"))))
    assert "seat 1  me" in shown.out


def test_a_bot_that_is_started_anew_goes_on_at_the_same_decision(workspace: Workspace, address: str) -> None:
    command = waiting(workspace, address, "--bot", "first", "--attach", "me")
    left = by_hand(workspace, address, "mine.py", "3")
    assert "left after" in left.stderr
    again = by_hand(workspace, address, "mine.py")
    assert again.returncode == 0, again.stderr
    assert "error" not in again.stderr
    ended = command.end()
    assert ended.code == 0, ended.err
    assert "me is here again" in ended.err
    assert "faults" not in ended.out or "crashed" not in ended.out
    replay = next((workspace.folder / "replays").glob("*.jsonl")).read_text()
    assert '"type":"fault"' not in replay


def test_a_bot_on_stdin_and_stdout_comes_over_the_bridge(workspace: Workspace, address: str) -> None:
    command = waiting(workspace, address, "--bot", "first", "--attach", "me")
    joined = by_hand(workspace, address, "-m", "referee", "join", address, "--", sys.executable, "mine.py")
    assert joined.returncode == 0, joined.stderr
    assert command.end().code == 0


def test_ctrl_c_ends_a_run_that_waits(workspace: Workspace, address: str) -> None:
    command = waiting(workspace, address, "--bot", "first", "--attach", "me")
    command.signal()
    assert command.end().code == 130


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("--attach", "me", "--address", "nowhere"), "is no address"),
        (("--attach", ""), "--attach ''"),
        (("--attach", "First"), "looks like first"),
        (("--bot", "Ann=human", "--attach", "Ann"), "that is a person"),
    ],
)
def test_what_cannot_be_waited_for_is_refused(
    workspace: Workspace, words: tuple[str, ...], reason: str
) -> None:
    ended = workspace.run("play", "coins", "--bot", "first", *words)
    assert ended.code == 2
    assert reason in ended.err


def test_an_address_that_other_hosts_can_reach_is_cautioned_of(workspace: Workspace, address: str) -> None:
    for host, warned in (("0.0.0.0", True), ("127.0.0.1", False)):
        where = address.replace("127.0.0.1", host)
        command = waiting(workspace, where, "--bot", "random", "--attach", "me")
        command.signal()
        ended = command.end()
        assert ("any program that connects there is taken for the bot" in ended.err) is warned


def test_an_address_that_is_taken_is_named(workspace: Workspace, address: str) -> None:
    host, _, port = address.partition(":")
    with socket.socket() as taken:
        taken.bind((host, int(port)))
        taken.listen()
        ended = workspace.run("play", "coins", "--bot", "first", "--attach", "me", "--address", address)
    assert ended.code == 2
    assert "Address already in use" in ended.err
    assert "Choose another --address" in ended.err


class Debugger:
    """A bot in pdb, in a terminal of its own."""

    def __init__(self, workspace: Workspace, address: str, *words: str) -> None:
        self._ours, theirs = pty.openpty()
        env = os.environ | {
            "PYTHONPATH": path_for_imports(),
            "REFEREE_ADDRESS": f"tcp://{address}",
            "TERM": "dumb",
            "HOME": str(workspace.folder),
        }
        self.process = subprocess.Popen(
            [sys.executable, "-m", "pdb", *words],
            cwd=workspace.folder,
            env=env,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
        )
        os.close(theirs)
        self.text = ""

    def prompt(self, after: int = 0) -> str:
        """Wait for a prompt; return what was written before it."""
        end = time.monotonic() + 60
        while "(Pdb)" not in self.text[after:]:
            ready, _, _ = select.select([self._ours], [], [], max(0.0, end - time.monotonic()))
            assert ready, f"no prompt:\n{self.text}"
            self.text += os.read(self._ours, 65_536).decode(errors="replace")
        return self.text[after:]

    def type(self, line: str) -> str:
        """Type a line, and return what is written until the next prompt."""
        os.write(self._ours, f"{line}\n".encode())
        return self.prompt(len(self.text))

    def leave(self) -> None:
        """Let the bot run on."""
        os.write(self._ours, b"continue\n")

    def close(self) -> None:
        """End it."""
        self.process.kill()
        self.process.wait()
        os.close(self._ours)


def test_a_bot_is_stopped_in_pdb_and_looked_at_while_the_match_waits(
    workspace: Workspace, address: str
) -> None:
    command = waiting(
        workspace, address, "--bot", "first", "--attach", "me", "--clock", "first=300,move=100,bank=0"
    )
    debugger = Debugger(workspace, address, "mine.py")
    try:
        debugger.prompt()
        debugger.type("break 11")
        assert "choose" in debugger.type("continue")
        # The clock of the other bots would be over by now; that of this one is off.
        assert "hand" in debugger.type("p sorted(view)")
        assert "show" in debugger.type("p legal[0]")
        debugger.type("import time; time.sleep(1)")
        debugger.type("disable 1")
        debugger.leave()
        ended = command.end()
    finally:
        debugger.close()
    assert ended.code == 0, ended.err
    assert "late" not in ended.out
