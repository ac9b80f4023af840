"""`referee key`, `serve --keys` and `join --key`, as their users meet them."""

import json
import os
import shlex
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.gate.keystore import SERVER
from tests.end_to_end.commands import Command, Workspace, workspace_in
from tests.end_to_end.ladders import kept_by_ladder


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with workspace_in(tmp_path) as workspace:
        yield workspace


def enrol(workspace: Workspace, account: str) -> str:
    """Make a key for a bot, let it in, and return the daemon's public key."""
    made = workspace.run("key", "new", f"{account}.key")
    assert made.code == 0, made.err
    allowed = workspace.run("key", "allow", account, made.out.strip())
    assert allowed.code == 0, allowed.err
    return allowed.out.strip()


def daemon(workspace: Workspace, *words: str) -> tuple[Command, str]:
    """Start a daemon with keys and return it with its address."""
    command = ("serve", "coins", "--bind", "0", "--keys", "keys", "--json", *words)
    running = workspace.start(*command, listen="out")
    said = json.loads(running.wait_for('"open"'))
    assert said["server_key"] == json.loads(workspace.run("key", "list", "--json").out)["server"]
    return running, said["address"]


def test_bots_with_keys_join_by_both_ways_and_play_under_their_accounts(workspace: Workspace) -> None:
    server = enrol(workspace, "alice")
    assert enrol(workspace, "bob") == server
    serving, address = daemon(workspace, "--matches", "3")
    bots = [
        workspace.start("join", address, "--key", "alice.key", "--server-key", server, "--", "random"),
        workspace.start(
            "join", address, "--key", "bob.key", "--server-key", server, "--direct", "--", "first"
        ),
    ]
    assert serving.end().code == 0
    assert [bot.end().code for bot in bots] == [0, 0]
    rows = kept_by_ladder(workspace.folder / "serve")
    assert [sorted(row.result.names) for row in rows] == [["alice", "bob"]] * 3
    assert [row.result.faults for row in rows] == [("", "")] * 3


def test_the_daemon_prints_how_its_own_keys_are_allowed(workspace: Workspace) -> None:
    made = workspace.run("key", "new", "alice.key").out.strip()
    assert workspace.run("key", "allow", "alice", made, "--keys", "my keys").code == 0
    running = workspace.start("serve", "coins", "--bind", "0", "--keys", "my keys", listen="out")
    line = running.wait_for("To allow a bot: ").strip()
    words = shlex.split(line.removeprefix("To allow a bot: referee "))
    other = workspace.run("key", "new", "bob.key").out.strip()
    replaced = {"NAME": "bob", "PUBLICKEY": other}
    assert workspace.run(*(replaced.get(word, word) for word in words)).code == 0
    assert "bob" in workspace.run("key", "list", "--keys", "my keys").out
    running.signal()
    assert running.end().code == 0


def test_a_bot_that_may_not_enter_gets_the_reason_before_anything_is_started(workspace: Workspace) -> None:
    server = enrol(workspace, "alice")
    workspace.run("key", "new", "mallory.key")
    other = workspace.run("key", "new", "other.key").out.strip()
    serving, address = daemon(workspace)
    tries = {
        "refuses this key": ("--key", "mallory.key", "--server-key", server),
        "--server-key is not its public key": ("--key", "alice.key", "--server-key", other),
        "give --key and --server-key": (),
        "server-key together": ("--key", "alice.key"),
        "is no public key": ("--key", "alice.key", "--server-key", "short"),
        "the name of its account": ("--key", "alice.key", "--server-key", server, "--name", "zoe"),
        "No such file": ("--key", "nobody.key", "--server-key", server),
    }
    for why, words in tries.items():
        ended = workspace.run("join", address, *words, "--", "first")
        assert (ended.code, ended.out) == (2, ""), ended
        assert why in ended.err
    (workspace.folder / "alice.key").chmod(0o640)
    ended = workspace.run("join", address, "--key", "alice.key", "--server-key", server, "--", "first")
    assert ended.code == 2
    assert "alice.key has mode 0640, so that others can reach it: chmod 600 alice.key" in ended.err
    serving.signal()
    assert "has come" not in serving.end().out


def test_a_bot_whose_key_is_revoked_is_sent_home(workspace: Workspace) -> None:
    server = enrol(workspace, "alice")
    serving, address = daemon(workspace)
    bot = workspace.start("join", address, "--key", "alice.key", "--server-key", server, "--", "first")
    serving.wait_for("alice has come")
    assert workspace.run("key", "revoke", "alice").code == 0
    serving.wait_for("alice has gone: its key was revoked")
    assert "the daemon says bye: its key was revoked" in bot.end().err
    again = workspace.run("join", address, "--key", "alice.key", "--server-key", server, "--", "first")
    assert again.code == 2
    assert "refuses this key" in again.err
    serving.signal()
    assert serving.end().code == 0


def test_a_bridge_brings_its_bot_back_through_a_gate_that_was_opened_anew(workspace: Workspace) -> None:
    server = enrol(workspace, "alice")
    assert enrol(workspace, "bob") == server
    serving, address = daemon(workspace)
    bot = workspace.start("join", address, "--key", "alice.key", "--server-key", server, "--", "first")
    bot.wait_for("welcome at")
    os.kill(gate_of(serving), signal.SIGKILL)
    serving.wait_for("the public gate has ended")
    bot.wait_for("saying hello again")
    # That it is back shows when it plays: only connected bots get a match.
    workspace.start("join", address, "--key", "bob.key", "--server-key", server, "--", "random")
    serving.wait_for('"result"')
    serving.signal()
    ended = serving.end()
    assert ended.code == 0
    assert "alice has gone" not in ended.out
    assert bot.end().code == 0


def gate_of(serving: Command) -> int:
    """Return the one process, below the daemon, that listens."""
    found = []
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    listening = {row[9] for row in rows if row[3] == "0A"}
    for pid in descendants(serving.process.pid):
        links = [os.readlink(link) for link in Path(f"/proc/{pid}/fd").iterdir() if link.is_symlink()]
        if any(link[8:-1] in listening for link in links if link.startswith("socket:[")):
            found.append(pid)
    (gate,) = found
    return gate


def descendants(pid: int) -> list[int]:
    children = [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return children + [one for child in children for one in descendants(child)]


def test_the_list_is_shown(workspace: Workspace) -> None:
    server = enrol(workspace, "bob")
    enrol(workspace, "alice")
    shown = workspace.run("key", "list")
    rows = [line.split("\t") for line in shown.out.splitlines()]
    assert [row[0] for row in rows] == ["alice", "bob"]
    assert f"2 accounts; the daemon's own public key is {server}" in shown.err
    said = json.loads(workspace.run("key", "list", "--json").out)
    assert said == {"server": server, "accounts": dict(rows)}


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("key", "list"), "referee key allow NAME PUBLICKEY --keys keys"),
        (("serve", "coins", "--bind", "0", "--keys", "keys"), "referee key allow NAME PUBLICKEY --keys keys"),
        (("serve", "coins", "--bind", "ipc://x", "--keys", "keys"), "needs a TCP address"),
        (("serve", "coins", "--bind", "0", "--keys", "keys", "--insecure"), "exclude each other"),
        (("key", "allow", "alice", "KEY"), "'KEY' is no public key"),
        (("key", "allow", "Alice", "K" * 40), "'Alice' cannot be an account"),
        (("key", "new", "no/folder/a.key"), "cannot write no/folder/a.key: No such file or directory"),
    ],
)
def test_bad_input_starts_nothing_and_leaves_nothing(
    workspace: Workspace, words: tuple[str, ...], why: str
) -> None:
    ended = workspace.run(*words)
    assert (ended.code, ended.out) == (2, "")
    assert why in ended.err
    assert not (workspace.folder / "keys").exists()
    assert not (workspace.folder / "serve").exists()


def test_a_daemon_whose_key_others_can_read_does_not_start(workspace: Workspace) -> None:
    enrol(workspace, "alice")
    (workspace.folder / "keys" / SERVER).chmod(0o644)
    ended = workspace.run("serve", "coins", "--bind", "0", "--keys", "keys")
    assert (ended.code, ended.out) == (2, "")
    assert f"chmod 600 keys/{SERVER}" in ended.err
