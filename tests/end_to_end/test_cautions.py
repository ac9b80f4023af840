"""Warnings about cheats before matches are rated, and what a bot with hidden opponents is sent."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.end_to_end.commands import Workspace, workspace_in
from tests.end_to_end.hubs import START_MS

FIRST = """
from protocol.client import run
run(lambda view, legal: legal[0])
"""

LISTENER = """
import json, os, sys
def say(**message):
    print(json.dumps(message), flush=True)
token = os.environ.get("REFEREE_TOKEN")
say(type="hello", protocol=[1], name="me", wants=["view", "legal", "events"], token=token)
with open("heard", "a") as heard:
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] in ("start", "ask", "end"):
            heard.write(line)
            heard.flush()
        if message["type"] == "start":
            say(type="ready", match=message["match"])
        if message["type"] == "ask":
            say(type="act", match=message["match"], id=message["id"], action=message["legal"][0])
"""
"""Plays the first action, and keeps all that it is sent in a match."""

GOOD_SEED = "b0b5c1d2e4f6a798"
SHORT = "the seed is short"
MEMORY = "can remember deals"


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with workspace_in(tmp_path) as workspace:
        workspace.write("bot.py", FIRST)
        yield workspace


def tournament(workspace: Workspace, bots: dict[str, str], seed: str = GOOD_SEED, more: str = "") -> None:
    """Write a tournament of Coins; a bot is a sample, or a file of the workspace."""
    tables = [
        f'[[bots]]\nname = "{name}"\n'
        + (f'command = "{what}"' if what.endswith(".py") else f'sample = "{what}"')
        for name, what in bots.items()
    ]
    clock = f"[clock]\nhello_ms = {START_MS}\nready_ms = {START_MS}\ngrace_ms = {START_MS}"
    head = f'game = "coins"\nseed = "{seed}"\nblocks = 2\njobs = 1\n{more}'
    workspace.write("plan.toml", "\n".join([head, clock, *tables]))


def test_a_tournament_warns_once_of_a_short_seed_and_of_bots_that_can_remember(workspace: Workspace) -> None:
    tournament(workspace, {"mine": "bot.py", "random": "random"}, "7")
    ended = workspace.run("tournament", "run", "plan.toml", "--quiet")
    assert ended.code == 0
    assert (ended.err.count(SHORT), ended.err.count(MEMORY)) == (1, 1)
    assert 'level = "class"' in ended.err
    told = workspace.run("tournament", "check", "plan.toml").out
    assert (told.count(SHORT), told.count(MEMORY)) == (1, 1)


def test_a_tournament_of_samples_warns_of_nothing(workspace: Workspace) -> None:
    tournament(workspace, {"first": "first", "random": "random"}, "7")
    ended = workspace.run("tournament", "run", "plan.toml", "--quiet")
    assert ended.code == 0
    assert not ended.err


@pytest.mark.parametrize(
    ("words", "warned"),
    [
        (["--bot", "bot.py", "--bot", "random"], True),
        (["--bot", "bot.py", "--bot", "random", "--fresh"], True),
        (["--bot", "bot.py", "--bot", "random", "--no-mirror"], False),
        (["--bot", "bot.py", "--bot", "random", "--deal", "1"], False),
        (["--bot", "random", "--bot", "first"], False),
    ],
    ids=["mirrored", "fresh", "each deal once", "one match", "samples"],
)
def test_play_warns_of_bots_that_can_remember_a_deal_that_comes_again(
    workspace: Workspace, words: list[str], warned: bool
) -> None:
    ended = workspace.run("play", "coins", *words, "--seed", "7", "--quiet")
    assert ended.code == 0
    assert ended.err.count(MEMORY) == warned
    assert SHORT not in ended.err


def test_a_sequential_test_warns_of_both(workspace: Workspace) -> None:
    words = ["sprt", "bot.py", "random", "--game", "coins", "--max-blocks", "2", "--quiet"]
    ended = workspace.run(*words, "--seed", "7")
    assert (ended.err.count(SHORT), ended.err.count(MEMORY)) == (1, 1)
    assert SHORT not in workspace.run(*words).err


def test_a_ladder_warns_of_a_short_seed_and_plays_each_deal_once(workspace: Workspace) -> None:
    daemon = workspace.start("serve", "coins", "--bind", "127.0.0.1:0", "--seed", "7", listen="out")
    daemon.wait_for("Listening at")
    daemon.signal()
    ended = daemon.end()
    assert (ended.err.count(SHORT), ended.err.count(MEMORY)) == (1, 0)


@pytest.mark.parametrize("common", ["true", "false"])
def test_no_byte_depends_on_which_hidden_opponent_is_which(tmp_path: Path, common: str) -> None:
    heard = []
    for number, opponents in enumerate([("ann", "bob"), ("bob", "ann")]):
        folder = tmp_path / str(number)
        folder.mkdir()
        with workspace_in(folder) as workspace:
            workspace.write("me.py", LISTENER)
            workspace.write("bot.py", FIRST)
            workspace.write("twin.py", FIRST)
            bots = {"me": "me.py", opponents[0]: "bot.py", opponents[1]: "twin.py"}
            tournament(workspace, bots, more=f"aliases = true\ncommon_deals = {common}\n")
            assert workspace.run("tournament", "run", "plan.toml").code == 0
            heard.append((folder / "heard").read_bytes())
            ids = [json.loads(line)["match"] for line in heard[-1].splitlines() if b'"start"' in line]
            assert len(set(ids)) == 8
    assert heard[0] == heard[1]
    assert not any(name in heard[0] for name in (b"ann", b"bob", b"-r0", b"-r1", b"0001"))
