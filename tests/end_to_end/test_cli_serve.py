"""`referee serve` and `referee join` with real bots."""

import json
import os
import signal
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.end_to_end.commands import SILENT, Command, Workspace, workspace_in
from tests.end_to_end.ladders import kept_by_ladder
from tournaments.store.ladders import STORE

CHATTY = """
from protocol.client import run
print("loading the model", flush=True)
run(lambda view, legal: legal[0], name="chatty")
"""


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with workspace_in(tmp_path) as workspace:
        yield workspace


def daemon(workspace: Workspace, *words: str, game: str = "coins") -> tuple[Command, str]:
    """Start a daemon and return it with its address."""
    running = workspace.start("serve", game, "--bind", "0", *words, listen="out")
    return running, running.wait_for("Listening at").split()[-1]


def test_bots_join_play_and_leave_when_a_signal_stops_the_daemon(workspace: Workspace) -> None:
    serving, address = daemon(workspace)
    workspace.write("chatty.py", CHATTY)
    bots = [
        workspace.start("join", address, "--", "random"),
        workspace.start("join", address, "--direct", "--", "first"),
        workspace.start("join", address, "--name", "alice", "--", "chatty.py"),
    ]
    come = {serving.wait_for("has come").split()[1] for _ in bots}
    assert come == {"random", "first", "alice"}
    serving.wait_for(": 1. ")
    serving.signal(signal.SIGTERM)
    ended = serving.end()
    assert ended.code == 0, ended.err
    said = [bot.end() for bot in bots]
    assert [bot.code for bot in said] == [0, 0, 0], said
    assert f"welcome at {address}" in said[0].err
    assert "the daemon says bye" in said[0].err
    assert "loading the model" in said[2].err
    rows = kept_by_ladder(workspace.folder / "serve")
    assert rows
    for row in rows:
        assert f"\n{row.match}: " in ended.out
        assert (workspace.folder / "serve" / f"{row.match}.jsonl").is_file()


def test_more_matches_than_bots_of_this_host_can_think_in_are_warned_of(workspace: Workspace) -> None:
    many = len(os.sched_getaffinity(0)) + 1
    serving, _ = daemon(workspace, "--jobs", str(many))
    serving.signal(signal.SIGTERM)
    assert (
        f"referee: {many} matches at once, so up to {2 * many} bots think at the same time"
        in serving.end().err
    )
    elsewhere, _ = daemon(workspace, "--jobs", str(many), "--bind", "0.0.0.0:0", "--insecure")
    elsewhere.signal(signal.SIGTERM)
    assert "at the same time" not in elsewhere.end().err, "bots of other hosts think there"


def test_so_many_matches_are_played_and_the_next_daemon_goes_on_from_the_table(workspace: Workspace) -> None:
    serving, address = daemon(workspace, "--matches", "3", "--folder", "evening")
    for name in ("first", "random"):
        workspace.start("join", address, "--", name)
    ended = serving.end()
    assert ended.code == 0, ended.err
    results = kept_by_ladder(workspace.folder / "evening")
    assert len(results) == 3
    again, _ = daemon(workspace, "--folder", "evening")
    again.signal()
    later = again.end()
    assert later.code == 0
    assert later.out.startswith("So far, in 3 matches:\n")
    table = [line.split() for line in ended.out.splitlines()[-2:]]
    # Matches can be drawn, so the two may share the places.
    assert [row[0] for row in table] in (["1", "2"], ["1-2", "1-2"])
    assert {row[1] for row in table} == {"first", "random"}
    assert [line.split() for line in later.out.splitlines()[-2:]] == table
    assert kept_by_ladder(workspace.folder / "evening") == results


def test_the_ladder_stands_in_a_page_beside_the_results(workspace: Workspace) -> None:
    serving, address = daemon(workspace, "--matches", "4", "--even")
    page = workspace.folder / "serve" / "standings.html"
    assert "0 matches" in page.read_text()
    for name in ("first", "random"):
        workspace.start("join", address, "--", name)
    assert serving.end().code == 0
    told = page.read_text()
    assert "2 bots, 4 matches" in told
    replays = list(page.parent.glob("coins-*.jsonl"))
    assert all(f">{replay.stem}<" in told for replay in replays)
    assert "referee tournament export" in told
    assert not list(page.parent.glob("*.tmp"))
    workspace.run("tournament", "export", "serve", "--html", "ladder.html")
    told = (workspace.folder / "ladder.html").read_text()
    assert len(replays) == 4
    for replay in replays:
        assert f'href="ladder-matches/{replay.stem}.html"' in told
        assert (workspace.folder / "ladder-matches" / f"{replay.stem}.html").exists()


def test_a_store_that_is_removed_is_noticed_and_its_results_are_saved(workspace: Workspace) -> None:
    serving, address = daemon(workspace)
    for name in ("first", "random"):
        workspace.start("join", address, "--", name)
    serving.wait_for(": 1. ")
    folder = workspace.folder / "serve"
    for path in folder.glob(f"{STORE}*"):
        path.unlink()
    ended = serving.end()
    assert ended.code == 1
    assert f"{STORE}: the store was removed or replaced while it was in use" in ended.err
    [saved] = folder.glob("results-saved-*.db")
    assert f"all results are saved in {saved.relative_to(workspace.folder)}" in ended.err
    saved.rename(folder / STORE)
    assert kept_by_ladder(folder)


def test_an_address_that_cannot_be_bound_leaves_no_store(workspace: Workspace) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        ended = workspace.run("serve", "coins", "--bind", str(taken.getsockname()[1]))
    assert ended.code == 2
    assert not (workspace.folder / "serve" / STORE).exists()


def test_a_daemon_speaks_json_to_machines(workspace: Workspace) -> None:
    serving = workspace.start("serve", "coins", "--bind", "0", "--matches", "1", "--json", listen="out")
    address = json.loads(serving.wait_for('"open"'))["address"]
    for name in ("first", "random"):
        workspace.start("join", address, "--", name)
    ended = serving.end()
    assert ended.code == 0
    said = [json.loads(line) for line in ended.out.splitlines()]
    assert [line["type"] for line in said if line["type"] != "note"] == ["open", "table", "result", "table"]
    assert {standing["name"] for standing in said[-1]["table"]} == {"first", "random"}


def test_a_second_signal_abandons_what_runs(workspace: Workspace) -> None:
    fifo = workspace.folder / "fifo"
    os.mkfifo(fifo)
    workspace.write("silent.py", SILENT)
    serving, address = daemon(workspace, "--clock", "first=600000")
    silent = workspace.start("join", address, "--", "silent.py", str(fifo))
    workspace.start("join", address, "--", "first")
    assert silent.wait_for_fifo(fifo) == "asked"
    serving.signal()
    serving.wait_for("finishing the match that runs, for at most 30 s")
    serving.signal()
    ended = serving.end()
    assert ended.code == 0
    assert "void: interrupted by the operator" in ended.out
    assert silent.end().code == 0


def test_the_author_of_a_remote_bot_reads_what_to_ask_the_organiser_for(workspace: Workspace) -> None:
    workspace.write(
        "stubborn.py", 'from protocol.client import run\nrun(lambda view, legal: "no such action")\n'
    )
    serving, address = daemon(workspace, "--matches", "1", "--folder", "kept/here")
    bot = workspace.start("join", address, "--", "stubborn.py")
    workspace.start("join", address, "--", "first")
    asked = bot.wait_for("  why: ")
    assert serving.end().code == 0
    (row,) = kept_by_ladder(workspace.folder / "kept" / "here")
    # A daemon without a site has no place to log in to, and its folders are not the author's affair.
    assert asked.rstrip().endswith(f"why: ask the organiser for the output of: referee why {row.match}")
    assert "illegal" in workspace.run("why", row.match, "--replays", "kept/here").out
    assert "kept" not in bot.end().err


def test_a_taken_port_is_named(workspace: Workspace) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        ended = workspace.run("serve", "coins", "--bind", str(port))
    assert ended.code == 2
    assert f"cannot listen at tcp://127.0.0.1:{port}: Address already in use" in ended.err


def test_two_daemons_do_not_share_a_folder(workspace: Workspace) -> None:
    serving, _ = daemon(workspace)
    ended = workspace.run("serve", "coins", "--bind", "0")
    assert ended.code == 2
    assert "another daemon keeps its results in serve" in ended.err
    serving.signal()
    assert serving.end().code == 0


def test_a_damaged_store_is_named(workspace: Workspace) -> None:
    (workspace.folder / "serve").mkdir()
    (workspace.folder / "serve" / STORE).write_text("rubbish\n")
    ended = workspace.run("serve", "coins", "--bind", "0")
    assert ended.code == 1
    assert f"serve/{STORE}: not a database" in ended.err


def test_binding_to_the_network_without_keys_is_refused_with_the_options_that_help(
    workspace: Workspace,
) -> None:
    ended = workspace.run("serve", "coins", "--bind", "0.0.0.0:0")
    assert (ended.code, ended.out) == (2, "")
    assert "tcp://0.0.0.0:0 can be reached from other hosts: give --keys FOLDER" in ended.err
    assert not (workspace.folder / "serve").exists()


def test_binding_to_the_network_without_keys_is_warned_of_if_it_is_wanted(workspace: Workspace) -> None:
    serving, _ = daemon(workspace, "--bind", "0.0.0.0:0", "--insecure")
    serving.signal()
    assert "Warning: any program that reaches this address can play" in serving.end().err


def test_a_missing_daemon_is_reported(workspace: Workspace) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        ended = workspace.run("join", str(port), "--", "first")
    assert ended.code == 2
    assert f"no daemon listens at tcp://127.0.0.1:{port}" in ended.err


@pytest.mark.parametrize("how", [(), ("--direct",)], ids=["bridge", "direct"])
def test_an_interrupt_takes_a_bot_home_and_the_daemon_hears_of_it(
    workspace: Workspace, how: tuple[str, ...]
) -> None:
    serving, address = daemon(workspace)
    bot = workspace.start("join", address, *how, "--", "first")
    serving.wait_for("first has come")
    bot.signal()
    ended = bot.end()
    assert ended.code == 0, ended.err
    if not how:
        serving.wait_for("first has gone: it said bye")
    serving.signal()
    assert serving.end().code == 0


def test_a_bot_that_crashes_at_a_daemon_is_reported(workspace: Workspace) -> None:
    workspace.write("dies.py", "import sys; sys.exit('no model file')")
    serving, address = daemon(workspace)
    ended = workspace.run("join", address, "--", "dies.py", "--fast")
    assert ended.code == 1
    assert "no model file" in ended.err
    assert "dies.py --fast: exited with code 1" in ended.err
    workspace.write(
        "quits.py",
        "import sys\nfrom protocol.client import run\nrun(lambda view, legal: sys.exit('no idea'))\n",
    )
    workspace.start("join", address, "--", "first", listen="out")
    ended = workspace.run("join", address, "--", "quits.py")
    assert ended.code == 1
    match = ended.err.partition(" against first: lost, because your bot ended in it")[0].split()[-1]
    assert f"  why: ask the organiser for the output of: referee why {match}\n" in ended.err
    serving.signal()
    assert serving.end().code == 0


def test_a_bot_that_is_refused_gets_the_reason(workspace: Workspace) -> None:
    workspace.write(
        "old.py", """print('{"type":"hello","protocol":[99],"name":"old"}', flush=True); input(); input()"""
    )
    serving, address = daemon(workspace)
    ended = workspace.run("join", address, "--", "old.py")
    assert ended.code == 1
    assert "the daemon says refuse: this referee speaks protocol 1" in ended.err
    serving.signal()
    assert serving.end().code == 0


def said_as(workspace: Workspace, hello: str) -> str:
    """Write a bot that says this hello and reads on; return its file."""
    workspace.write("says.py", f"import sys\nprint({hello!r}, flush=True)\nfor line in sys.stdin: pass\n")
    return "says.py"


def test_a_hello_that_is_no_message_is_reported_to_the_author_and_ends_the_bot(workspace: Workspace) -> None:
    serving, address = daemon(workspace)
    ended = workspace.run("join", address, "--", said_as(workspace, '{"type":"hello","protocol":[1]}'))
    assert ended.code == 1
    assert "the daemon does not take the bot's hello: malformed: " in ended.err
    assert "$.name: missing" in ended.err
    assert "saying hello again" not in ended.err
    serving.signal()
    assert serving.end().code == 0


def test_a_bot_whose_token_is_not_set_joins_without_one(workspace: Workspace) -> None:
    hello = '{"type":"hello","protocol":[1],"name":"bare","token":""}'
    serving, address = daemon(workspace)
    bot = workspace.start("join", address, "--", said_as(workspace, hello))
    assert "bare has come" in serving.wait_for("bare has come")
    bot.signal()
    bot.end()
    serving.signal()
    assert serving.end().code == 0


def test_the_author_of_a_bot_that_is_sent_away_reads_why(workspace: Workspace) -> None:
    workspace.write(
        "stubborn.py", 'from protocol.client import run\nrun(lambda view, legal: "no such action")\n'
    )
    serving, address = daemon(workspace)
    bot = workspace.start("join", address, "--", "stubborn.py")
    other = workspace.start("join", address, "--", "first")
    assert "bye: you lost 3 matches in a row by your own fault" in bot.wait_for("the daemon says")
    bot.end()
    serving.signal()
    assert serving.end().code == 0
    other.end()
