"""A ladder with keys that is restarted: bots come back by themselves, and what was kept goes on."""

import json
import os
import shlex
import signal
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest

from referee.gate.cooldown import Suspension
from referee.server.kept_state import KeptState, read_state, write_state
from tests.end_to_end.commands import Command, Workspace, workspace_in
from tests.end_to_end.keyed import Keys, Peer, hears, serving
from tests.end_to_end.ladders import kept_by_ladder
from tournaments.site.notes import is_paused, public_notes
from tournaments.store.ladder_versions import ladder_versions_of
from tournaments.store.ladders import store_path
from tournaments.store.store import Store


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with workspace_in(tmp_path) as workspace:
        yield workspace


def free_port() -> str:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return str(taken.getsockname()[1])


def daemon(workspace: Workspace, port: str, *words: str) -> Command:
    """Start a daemon that says when it is back, and wait until it listens."""
    running = workspace.start(
        "serve", "coins", "--bind", port, "--keys", "keys", "--back-in", "1", *words, listen="out"
    )
    running.wait_for("Listening at")
    return running


def come_back(serving: Command, *accounts: str) -> None:
    """Wait until all these bots go on with their sessions."""
    # They may be quicker than the daemon is with its first lines, which have been read then.
    missing = set(accounts) - {line.split()[1] for line in serving.heard if "has come back" in line}
    while missing:
        missing.discard(serving.wait_for("has come back").split()[1])


def test_bots_with_keys_survive_two_restarts_and_a_pause(workspace: Workspace) -> None:
    keys, port = Keys(workspace.folder, "alice", "bob"), free_port()
    serving = daemon(workspace, port)
    bots = [
        workspace.start(
            *("join", port, "--key", str(keys.path(account)), "--server-key", keys.server),
            *("--version", "1.4", "--", "random"),
            # Its stderr goes to a file: a pipe that is not read fills up, and the bot waits.
            listen="out",
        )
        for account in ("alice", "bob")
    ]
    serving.wait_for(": 1. ")

    # The first restart: the daemon starts itself again, in the same process.
    serving.signal(signal.SIGHUP)
    serving.wait_for("So far, in")
    come_back(serving, "alice", "bob")
    serving.wait_for(": 1. ")

    # The second one: it is stopped, paused meanwhile, and started again by its operator.
    serving.signal(signal.SIGTERM)
    assert serving.end().code == 0
    before = len(kept_by_ladder(workspace.folder / "serve"))
    assert workspace.run("site", "pause", "serve").code == 0
    paused = daemon(workspace, port)
    paused.wait_for("paused by the organiser")
    come_back(paused, "alice", "bob")
    paused.signal(signal.SIGTERM)
    assert paused.end().code == 0
    assert len(kept_by_ladder(workspace.folder / "serve")) == before, "a pause outlasts a restart"

    assert workspace.run("site", "resume", "serve").code == 0
    resumed = daemon(workspace, port)
    come_back(resumed, "alice", "bob")
    resumed.wait_for(": 1. ")
    for bot in bots:
        bot.signal()
    said = [bot.end() for bot in bots]
    assert [one.code for one in said] == [0, 0], said
    resumed.signal(signal.SIGTERM)
    assert resumed.end().code == 0
    for one in said:
        assert one.err.count("connecting again in") == 3
        assert one.err.count("with the same session") == 3
        assert one.err.count("welcome at") == 1, "the bot itself has had one session"
        assert "against " in one.err
        assert "has about" in one.err, "its author is sent its rating"
    rows = kept_by_ladder(workspace.folder / "serve")
    assert len(rows) > before
    assert {bot for row in rows for bot in row.bots} == {"alice@1.4", "bob@1.4"}
    assert {name for row in rows for name in row.result.names} == {"alice", "bob"}
    verified = workspace.run("tournament", "verify", "serve")
    assert verified.code == 0, verified
    check_account(workspace, "alice", "alice@1.4", len(rows) - sum(row.result.void for row in rows))


def check_account(workspace: Workspace, account: str, version: str, matches: int) -> None:
    """Check what the commands that take an account say of its only version."""
    history = json.loads(workspace.run("tournament", "history", "serve", account, "--json").out)
    assert [line["name"] for line in history["lines"]] == [version]
    assert len(history["matches"]) == matches
    explained = workspace.run("why", "--bot", account, "serve")
    assert explained.code == 0, explained
    assert f"--bot {version}" in explained.out, "an account stands for its newest version"


def test_another_program_under_a_key_is_another_version(workspace: Workspace) -> None:
    keys, port = Keys(workspace.folder, "alice", "bob"), free_port()
    serving = daemon(workspace, port)
    program = "from protocol.client import run\nrun(lambda view, legal: legal[{}])\n"

    def join(account: str, *command: str, listen: str = "err") -> Command:
        key = ("--key", str(keys.path(account)), "--server-key", keys.server)
        return workspace.start("join", port, *key, "--", *command, listen=listen)

    other = join("bob", "random", listen="out")
    for action in (0, -1):
        workspace.write("mine.py", program.format(action))
        bot = join("alice", "mine.py")
        bot.wait_for("against bob: ")
        bot.signal()
        assert bot.end().code == 0
    other.signal()
    assert other.end().code == 0
    serving.signal(signal.SIGTERM)
    assert serving.end().code == 0
    with Store(store_path(workspace.folder / "serve"), write=False) as store:
        versions = [one for _, one in ladder_versions_of(store)]
    mine = [one for one in versions if one.bot == "alice"]
    assert [one.kept_as for one in mine] == ["alice", "alice@2"]
    assert len({one.program for one in mine}) == 2
    assert all(len(one.program) == 64 and one.kit == "python-kit 1" for one in mine)
    table = workspace.run("tournament", "export", "serve", "--table").out
    assert [line.split(",")[0] for line in table.splitlines()[1:]].count("alice") == 0
    assert "alice@2" in table, "the table has the newest version, and no other"
    history = workspace.run("tournament", "history", "serve", "alice").out
    assert "alice since" in history
    assert "alice@2 since" in history


def test_a_bot_of_a_daemon_that_was_killed_comes_back_with_a_new_session(workspace: Workspace) -> None:
    port = free_port()
    words = ("serve", "coins", "--bind", port)
    serving = workspace.start(*words, listen="out")
    serving.wait_for("Listening at")
    bots = [workspace.start("join", port, "--", name) for name in ("random", "first")]
    bots[0].wait_for("against first: ")
    serving.signal(signal.SIGKILL)
    serving.process.wait()
    bots[0].wait_for("is lost; trying to connect again")
    again = workspace.start(*words, listen="out")
    bots[0].wait_for("again, with a new session")
    bots[0].wait_for("against first: ")
    for bot in bots:
        bot.signal()
    assert [bot.end().code for bot in bots] == [0, 0]
    again.signal(signal.SIGTERM)
    assert again.end().code == 0


def test_a_bot_that_joins_once_ends_with_the_restart(workspace: Workspace) -> None:
    port = free_port()
    serving = workspace.start("serve", "coins", "--bind", port, "--back-in", "1", listen="out")
    serving.wait_for("Listening at")
    bot = workspace.start("join", port, "--once", "--", "random")
    serving.wait_for("has come")
    serving.signal(signal.SIGTERM)
    ended = bot.end()
    assert ended.code == 0, ended
    assert "connecting again" not in ended.err
    assert serving.end().code == 0


def test_a_daemon_of_two_games_plays_each_with_the_bots_that_speak_it(workspace: Workspace) -> None:
    bot = "from protocol.client import run\nrun(lambda view, legal: legal[0], name='{}', games={})\n"
    workspace.write("both.py", bot.format("both", ["coins", "gangsters"]))
    workspace.write("coiner.py", bot.format("coiner", ["coins"]))
    workspace.write("ganger.py", bot.format("ganger", ["gangsters"]))
    workspace.write(
        "ladder.toml",
        'announcement = "Final on Friday"\nrated = ["00:00-24:00"]\nzone = "Europe/Berlin"\n'
        '[[games]]\ngame = "coins"\noptions = { rounds = 2 }\n[[games]]\ngame = "gangsters"\n',
    )
    serving = workspace.start("serve", "ladder.toml", "--bind", "0", "--folder", "two", listen="out")
    address = serving.wait_for("Listening at").split()[-1]
    bots = [workspace.start("join", address, "--", name) for name in ("both.py", "coiner.py", "ganger.py")]
    bots[0].wait_for("announcement: Final on Friday")
    bots[1].wait_for("coins-")
    bots[2].wait_for("gangsters-")
    serving.signal(signal.SIGTERM)
    assert serving.end().code == 0
    assert [bot.end().code for bot in bots] == [0, 0, 0]
    for game, speaker in (("coins", "coiner"), ("gangsters", "ganger")):
        rows = kept_by_ladder(workspace.folder / "two" / game)
        assert rows
        assert {frozenset(row.bots) for row in rows} == {frozenset({"both", speaker})}
        assert (workspace.folder / "two" / game / f"{rows[0].match}.jsonl").is_file()
        assert (workspace.folder / "two" / game / "standings.html").is_file()
    named = workspace.run("tournament", "standings", "two")
    assert named.code == 2
    assert "it has no results.db; name one of two/coins, two/gangsters" in named.err
    for game in ("coins", "gangsters"):
        match = kept_by_ladder(workspace.folder / "two" / game)[0].match
        assert f"Match {match}, {game}" in workspace.run("why", match, "two").out
    assert workspace.run("tournament", "standings", "two/coins").code == 0


def test_suspensions_outlast_the_daemon_and_sessions_a_planned_end_only(tmp_path: Path) -> None:
    keys = Keys(tmp_path, "alice", "bob")
    (tmp_path / "serve").mkdir(mode=0o700)
    write_state(tmp_path / "serve", KeptState(0.0, {}, {"bob": Suspension(600.0, 80.0)}))
    # Written in 1970: that suspension is over, but the next one is longer than the first.
    with ExitStack() as stack:
        with serving(tmp_path, keys) as (served, _):
            assert served.cooldown.send("bob", 0.0) == 160.0
            alice = stack.enter_context(Peer(served.address, keys.pairs["alice"], keys.server))
            alice.say(type="hello", protocol=[1], name="x")
            session = hears(served, alice, "welcome")["session"]
            served.back_ms = 1_500
        said: list[Any] = []
        while not said or said[-1]["type"] != "bye":
            assert alice.socket.poll(60_000), said
            said.append(alice.hear())
    assert said[-1] == {"type": "bye", "why": "the referee is restarted", "back_ms": 1_500}
    assert [one.name for one in read_state(tmp_path / "serve").sessions.values()] == ["alice"]
    assert os.stat(tmp_path / "serve" / "daemon.json").st_mode & 0o777 == 0o600
    with serving(tmp_path, keys) as (served, _):
        assert read_state(tmp_path / "serve").sessions == {}, "after a kill these would be lost"
        with Peer(served.address, keys.pairs["bob"], keys.server) as thief:
            thief.say(type="hello", protocol=[1], name="x", session=session)
            assert not hears(served, thief, "welcome").get("resumed"), "a session belongs to its account"
        with Peer(served.address, keys.pairs["alice"], keys.server) as alice:
            alice.say(type="hello", protocol=[1], name="x", session=session)
            assert hears(served, alice, "welcome") == {
                "type": "welcome",
                "protocol": 1,
                "session": session,
                "limits": {"message_bytes": 65536, "messages_per_decision": 64, "plan": 64},
                "resumed": True,
            }


def act(url: str, token: str, **order: str) -> dict[str, object]:
    """Carry out an act of the organiser on a site."""
    request = Request(
        f"{url}api/v1/organiser",
        json.dumps(order).encode(),
        {"Content-Type": "application/json", "Authorization": f"Bearer {token}"},
    )
    with urlopen(request, timeout=60) as answer:
        return dict(json.load(answer))


def test_the_site_of_two_games_pauses_both_and_announces_in_one(workspace: Workspace) -> None:
    serving = workspace.start(
        "serve", "coins", "gangsters", "--bind", "0", "--web", "0", "--folder", "two", listen="out"
    )
    address = serving.wait_for("Listening at").split()[-1]
    site = serving.wait_for("the site is at").split()[-1]
    bot = workspace.start("join", address, "--", "first")
    bot.wait_for(f"its site is {site.rstrip('/')}")
    token = workspace.run("site", "token", "two/coins", "--organiser").out.strip().rpartition("#")[2]
    assert act(f"{site}e/coins/", token, act="announce", text="Lunch until one")["ok"]
    bot.wait_for("notice: announcement: Lunch until one")
    assert act(f"{site}e/coins/", token, act="pause", text="")["ok"]
    bot.signal()
    assert bot.end().code == 0
    serving.signal(signal.SIGTERM)
    assert serving.end().code == 0
    noted = {}
    for game in ("coins", "gangsters"):
        with Store(store_path(workspace.folder / "two" / game), write=False) as store:
            noted[game] = (public_notes(store).announcement, is_paused(store))
    assert noted == {"coins": ("Lunch until one", True), "gangsters": ("", True)}


def test_the_command_of_join_logs_in_to_the_logs_of_every_game(workspace: Workspace) -> None:
    keys = Keys(workspace.folder, "alice")
    serving = workspace.start(
        *("serve", "coins", "gangsters", "--bind", "0", "--keys", "keys", "--web", "0", "--folder", "two"),
        listen="out",
    )
    site = serving.wait_for("the site is at").split()[-1].rstrip("/")
    login = ("--key", str(keys.path("alice")), "--server-key", keys.server)
    both = workspace.run("site", "login", site, *login)
    assert both.code == 0, both.err
    places = [line.partition("/author.html#")[0] for line in both.out.splitlines()]
    assert places == [f"{site}/e/coins", f"{site}/e/gangsters"]
    one = workspace.run("site", "login", places[1], *login)
    assert one.out.startswith(f"{places[1]}/author.html#")
    serving.signal(signal.SIGTERM)
    assert serving.end().code == 0


def test_after_a_fault_join_prints_a_command_that_runs_in_any_folder(workspace: Workspace) -> None:
    keys = Keys(workspace.folder, "alice", "bob")
    serving = workspace.start(
        *("serve", "coins", "--bind", "0", "--keys", "keys", "--web", "0"), listen="out"
    )
    address = serving.wait_for("Listening at").split()[-1]
    serving.wait_for("the site is at")
    workspace.write(
        "stubborn.py", 'from protocol.client import run\nrun(lambda view, legal: "no such action")\n'
    )
    bots = {"alice": "stubborn.py", "bob": "first"}
    joined = {
        name: workspace.start(
            *("join", address, "--key", os.path.relpath(keys.path(name), workspace.folder)),
            *("--server-key", keys.server, "--", bots[name]),
        )
        for name in bots
    }
    words = shlex.split(joined["alice"].wait_for("  why: ").partition("why: ")[2])
    assert words[:3] == ["referee", "site", "login"]
    assert Path(words[words.index("--key") + 1]).is_absolute()
    assert "/author.html#" in workspace.run(*words[1:]).out
    serving.signal(signal.SIGTERM)
    assert serving.end().code == 0


def test_a_ladder_without_rated_matches_has_no_feedback_and_says_so(workspace: Workspace) -> None:
    serving = workspace.start("serve", "coins", "--bind", "0", listen="out")
    serving.wait_for("Listening at")
    serving.signal(signal.SIGTERM)
    assert serving.end().code == 0
    for words in (("feedback", "serve", "--out", "feedback"), ("why", "--bot", "alice", "serve")):
        refused = workspace.run(*words)
        assert refused.code == 2
        assert "serve: no rated match has been played yet" in refused.err
    assert not (workspace.folder / "feedback").exists()
