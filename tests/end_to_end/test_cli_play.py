"""`referee play` with real bots."""

import json
import os
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from referee.replay import files, playback
from sample_bots.catalog import GENERAL
from tests.end_to_end.boxes import needs_box
from tests.end_to_end.commands import SILENT, Workspace, workspace_in
from tests.end_to_end.terminals import terminal

CRASH = """
from protocol.client import run
def choose(view, legal):
    raise RuntimeError("I did not think of this")
run(choose)
"""

COUNTS_MATCHES = """
from protocol.client import Bot, run
class Once(Bot):
    matches = 0
    def start(self, start):
        Once.matches += 1
        if Once.matches > 1:
            raise SystemExit("I have been here before")
    def choose(self, view, legal):
        return legal[0]
run(Once)
"""


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with workspace_in(tmp_path) as workspace:
        yield workspace


def played(workspace: Workspace, *words: str) -> dict[str, Any]:
    ended = workspace.run("play", *words, "--json", "--quiet")
    assert ended.code == 0, ended.err
    assert ended.err == ""
    document: dict[str, Any] = json.loads(ended.out)
    return document


def plays(document: dict[str, Any]) -> dict[str, str]:
    return {match["match"]: match["play"] for match in document["matches"]}


def test_two_bots_play_mirrored_deals_and_the_table_says_who_won(workspace: Workspace) -> None:
    ended = workspace.run(
        "play", "chicago-poker", "--bot", "random", "--bot", "first", "--deals", "2", "--seed", "demo"
    )
    assert ended.code == 0
    assert ended.out.startswith("Chicago Poker, 2 seats, 4 matches of 2 deals, seed demo, profile strict,")
    table = [line.split() for line in ended.out.splitlines()[2:5]]
    assert table[0][:2] == ["bot", "matches"]
    assert sorted(row[0] for row in table[1:]) == ["first", "random"]
    assert [row[1] for row in table[1:]] == ["4", "4"]
    assert sum(float(row[5]) for row in table[1:]) == 4
    assert "1/4 matches" in ended.err
    replays = [files.read(path) for path in sorted((workspace.folder / "replays").glob("*.jsonl"))]
    for block in (replays[:2], replays[2:]):
        assert {replay.header.names for replay in block} == {("first", "random"), ("random", "first")}
        assert len({replay.key for replay in block}) == 1
    for replay in replays:
        playback.verify(replay)
    assert len({replay.key for replay in replays}) == 2
    [hint] = [line for line in ended.out.splitlines() if "to look at one:" in line]
    shown = workspace.run(*shlex.split(hint.partition("to look at one: referee ")[2]))
    assert shown.code == 0
    assert shown.out.startswith("Chicago Poker, match chicago-poker-")


def test_the_same_seed_gives_the_same_play_over_every_transport_with_four_seats(workspace: Workspace) -> None:
    bots = ("--bot", "random", "--bot", "first", "--bot", "random", "--bot", "random")
    words = ("chicago-poker", *bots, "--seed", "7")
    document = played(workspace, *words)
    assert [match["bots"].index("first") for match in document["matches"]] == [1, 2, 3, 0]
    assert document["settings"]["seed"] == "7"
    assert document["settings"]["options"]["edition"]
    assert sum(standing["points"] for standing in document["table"]) == 4
    assert all((workspace.folder / match["replay"]).is_file() for match in document["matches"])
    again = played(workspace, *words, "--transport", "stdio", "--jobs", "1", "--fresh", "--compress")
    assert plays(again) == plays(document)
    assert all(match["replay"].endswith(".jsonl.gz") for match in again["matches"])


@pytest.mark.parametrize(
    ("words", "lives_on"),
    [
        ("--level=trusted", True),
        ("--level=trusted --fresh", False),
        pytest.param("--level=class", False, marks=needs_box),
        pytest.param("--level=class --no-fresh", True, marks=needs_box),
    ],
)
def test_bots_that_are_not_trusted_forget_a_deal_before_it_comes_again(
    workspace: Workspace, words: str, lives_on: bool
) -> None:
    folder = workspace.folder / "mine"
    folder.mkdir()
    (folder / "bot.py").write_text(COUNTS_MATCHES)
    bots = ("--bot", "mine/bot.py", "--bot", "first")
    ended = workspace.run("play", "coins", *bots, "--deals", "1", "--json", *words.split())
    faults = [match["faults"] for match in json.loads(ended.out)["matches"]]
    assert any("crashed" in str(fault) for fault in faults) is lives_on


def test_one_deal_can_be_played_again_as_it_was(workspace: Workspace) -> None:
    document = played(workspace, "coins", "--bot", "random", "--bot", "random", "--deals", "2", "--seed", "x")
    match = document["matches"][-1]
    bots = [word for name in match["bots"] for word in ("--bot", f"{name}=random")]
    again = played(workspace, "coins", *bots, "--seed", "x", "--deal", match["deal"])
    assert plays(again) == {match["match"]: match["play"]}


def test_more_bots_than_seats_meet_in_turn_under_the_terms_that_were_set(workspace: Workspace) -> None:
    bots = ("--bot", "a=random", "--bot", "b=random", "--bot", "c=random")
    terms = ("--set", "rounds=2", "--clock", "move=900,bank=0", "--profile", "classroom", "--no-mirror")
    document = played(workspace, "coins", *bots, "--seats", "2", *terms)
    assert [set(match["bots"]) for match in document["matches"]] == [{"a", "b"}, {"a", "c"}, {"b", "c"}]
    assert document["settings"]["options"]["rounds"] == 2
    assert document["settings"]["profile"]["clock"]["move_ms"] == 900
    assert document["settings"]["profile"]["strikes"] == 3


def test_a_bot_that_crashes_is_a_result_with_a_reason(workspace: Workspace) -> None:
    workspace.write("crash.py", CRASH)
    ended = workspace.run("play", "coins", "--bot", "first", "--bot", "crash.py", "--replays", "here")
    assert ended.code == 0
    [told, _] = [line for line in ended.out.splitlines() if "referee why" in line]
    assert "crash (seat" in told
    assert "ended its process in mid-match (crashed)" in told
    why = workspace.run(*shlex.split(told.partition("referee ")[2]))
    assert why.code == 0
    assert "RuntimeError: I did not think of this" in why.out


def test_a_bot_that_dies_at_its_start_is_reported_with_its_stderr(workspace: Workspace) -> None:
    workspace.write("dies.py", "import sys; sys.exit('no model file')")
    ended = workspace.run("play", "coins", "--bot", "first", "--bot", "dies.py --fast", "--json")
    assert ended.code == 2
    assert ended.out == ""
    assert "dies.py --fast) did not start: crashed: exited with code 1" in ended.err
    assert "no model file" in ended.err


def test_the_stderr_of_a_bot_that_did_not_start_cannot_command_the_terminal(workspace: Workspace) -> None:
    workspace.write("dies.py", "import sys; sys.exit('\\x1b[31mred\\x07 \\u202e')")
    ended = workspace.run("play", "coins", "--bot", "first", "--bot", "dies.py")
    assert ended.code == 2
    assert "\n\\x1b[31mred\\x07 \\u202e\n" in ended.err


def test_a_bot_that_cannot_be_executed_is_reported_with_its_command_line(workspace: Workspace) -> None:
    workspace.write("broken", "#!/nowhere/at-all\n").chmod(0o755)
    ended = workspace.run("play", "coins", "--bot", "first", "--bot", "./broken --level 3")
    assert ended.code == 2
    assert "broken --level 3) did not start" in ended.err
    assert "No such file" in ended.err


def test_a_bot_that_does_not_say_hello_is_reported(workspace: Workspace) -> None:
    ended = workspace.run("play", "coins", "--bot", "first", "--bot", "sleep 3600", "--clock", "hello=1500")
    assert ended.code == 2
    assert "sleep 3600) did not start: no-hello: no hello within 1500 ms" in ended.err


def test_a_bot_of_another_game_is_reported(workspace: Workspace) -> None:
    ended = workspace.run("play", "coins", "--bot", "first", "--bot", "poker")
    assert ended.code == 2
    assert "bot poker does not play coins; it plays chicago-poker" in ended.err


def test_one_interrupt_lets_running_matches_end_and_shows_what_was_played(workspace: Workspace) -> None:
    words = ("play", "coins", "--bot", "random", "--bot", "random", "--matches", "5000", "--json")
    running = workspace.start(*words)
    running.wait_for("matches, ")
    running.signal()
    running.wait_for("stopping: ")  # No match may run at that moment, or several.
    ended = running.end()
    assert ended.code == 130
    document = json.loads(ended.out)
    assert document["interrupted"]
    assert document["planned"] == 5_000
    assert 0 < len(document["matches"]) < 5_000
    assert all((match["void"], match["void_reason"]) == (False, None) for match in document["matches"])
    assert len(list((workspace.folder / "replays").glob("*.jsonl"))) == len(document["matches"])


def test_a_second_interrupt_abandons_running_matches(workspace: Workspace) -> None:
    workspace.write("silent.py", SILENT)
    fifo = workspace.folder / "fifo"
    os.mkfifo(fifo)
    bots = ("--bot", "random", "--bot", f"silent.py {fifo}")
    running = workspace.start("play", "coins", *bots, "--clock", "first=600000", "--jobs", "1")
    assert running.wait_for_fifo(fifo) == "asked"
    running.signal()
    running.wait_for("stopping: finishing the match that runs; Ctrl-C again abandons it")
    running.signal()
    ended = running.end()
    assert ended.code == 130
    assert "Void, and not counted:" in ended.out
    assert "interrupted by the operator" in ended.out
    assert "1 of 2 matches were not played." in ended.out


def test_an_interrupt_while_bots_start_starts_nothing(workspace: Workspace) -> None:
    fifo = workspace.folder / "fifo"
    os.mkfifo(fifo)
    workspace.write("slow.sh", f"echo begun > {fifo}; exec sleep 3600")
    # Every deal once: where deals come again there is a warning too.
    running = workspace.start("play", "coins", "--bot", "first", "--bot", "sh slow.sh", "--no-mirror")
    assert running.wait_for_fifo(fifo) == "begun\n"
    running.signal()
    ended = running.end()
    assert ended.code == 130
    assert ended.err == "referee: interrupted\n"


def test_a_replay_that_cannot_be_written_ends_the_run_with_what_was_played(workspace: Workspace) -> None:
    words = (
        "play",
        "coins",
        "--bot",
        "random",
        "--bot",
        "first",
        "--deals",
        "3",
        "--seed",
        "x",
        "--jobs",
        "1",
    )
    third = sorted(match["match"] for match in played(workspace, *words[1:])["matches"])[2]
    (workspace.folder / "again" / f"{third}.jsonl").mkdir(parents=True)
    ended = workspace.run(*words, "--replays", "again", "--json")
    assert ended.code == 1
    assert f"again/{third}.jsonl: cannot be written" in ended.err
    written = {path.name for path in (workspace.folder / "again").glob("*.jsonl") if path.is_file()}
    assert {f"{match['match']}.jsonl" for match in json.loads(ended.out)["matches"]} == written
    assert 0 < len(written) < 6


@pytest.mark.parametrize(
    ("game", "option"),
    [
        ("chicago", "phases=1"),
        ("chicago-poker", "max_turns=6"),
        ("gangsters", "ply_cap=8"),
        ("vengeance", "max_rounds=2"),
    ],
)
def test_a_search_keeps_to_its_time(workspace: Workspace, game: str, option: str) -> None:
    rounds = ["--set", "rounds=1"] if game == "chicago" else []
    clock = ["--clock", "first=400,move=400"]
    document = played(workspace, game, "--bot", "search", "--bot", "random", "--set", option, *rounds, *clock)
    assert all(not any(match["faults"]) for match in document["matches"])


def test_a_search_that_is_bound_by_its_trials_does_the_same_again(workspace: Workspace) -> None:
    search = shlex.join([sys.executable, "-m", GENERAL["search"], "12"])
    words = ["gangsters", "--bot", f"search={search}", "--bot", "random", "--set", "ply_cap=8", "--seed", "s"]
    documents = [played(workspace, *words, "--clock", "first=600000,move=600000") for _ in range(2)]
    assert plays(documents[0]) == plays(documents[1])


PROCESSORS = len(os.sched_getaffinity(0))


@pytest.mark.parametrize(("game", "thinking"), [("coins", 2), ("gangsters", 1)])
def test_by_default_every_bot_that_may_be_to_act_has_a_processor_and_more_are_warned_of(
    workspace: Workspace, game: str, thinking: int
) -> None:
    words = ("play", game, "--bot", "first", "--bot", "random", "--seed", "w", "--matches", "1", "--json")
    fair = max(1, PROCESSORS // thinking)
    by_default = workspace.run(*words)
    assert json.loads(by_default.out)["settings"]["jobs"] == fair
    assert ("slow each other down" in by_default.err) == (fair * thinking > PROCESSORS)
    told = workspace.run(*words, "--jobs", str(fair + 1))
    assert (told.code, json.loads(told.out)["settings"]["jobs"]) == (0, fair + 1)
    [line] = [line for line in told.err.splitlines() if "slow each other down" in line]
    assert line.startswith(f"referee: {fair + 1} matches at once, so up to {(fair + 1) * thinking} bots")
    assert f"(--jobs {fair} is fair)" in line
    assert workspace.run(*words, "--jobs", str(fair + 1), "--quiet").err == ""


def test_a_match_of_more_thinking_bots_than_processors_is_played_and_a_line_says_so(
    workspace: Workspace,
) -> None:
    ours = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(ours)})
    try:
        told = workspace.run("play", "coins", "--bot", "first", "--bot", "random", "--matches", "2", "--json")
    finally:
        os.sched_setaffinity(0, ours)
    assert (told.code, json.loads(told.out)["settings"]["jobs"]) == (0, 1)
    [line] = [line for line in told.err.splitlines() if "slow each other down" in line]
    assert line.startswith("referee: 1 match at once, so up to 2 bots think at the same time on 1 of")
    assert "fair" not in line


def test_the_table_fits_a_terminal_of_80_columns(tmp_path: Path) -> None:
    (tmp_path / "crash.py").write_text(CRASH)
    bots = ("--bot", "greedy-chess=first", "--bot", "my-first-bot=crash.py")
    with terminal(tmp_path, "play", "chicago-poker", *bots, "--matches", "2", size=(80, 24)) as shown:
        assert shown.end() == 0
    table, _, times = shown.text.partition("Time (")
    rows = [line.split() for line in table.splitlines()]
    assert ["greedy-chess", "2", "2", "0", "0", "2", "100.0", "0"] in rows
    assert ["my-first-bot", "2", "0", "0", "2", "0", "0.0", "0", "2", "crashed"] in rows
    assert times.splitlines()[1].split() == [
        "bot",
        "used",
        "in",
        "all",
        "charged",
        "median",
        "answer",
        "slowest",
    ]
