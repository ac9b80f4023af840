"""A student gets feedback: an event of real bots, and every command that is printed, run as it stands."""

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.match.faults import FaultCode
from tests.end_to_end.boxes import needs_box
from tests.end_to_end.commands import Workspace, path_for_imports, workspace_in
from tests.end_to_end.hubs import ROOT
from tests.end_to_end.printing_bot import printing_bot

CHATTY = printing_bot("chatty", "thinking about d\\u00e9but")
CRASH = """
import os, sys
from protocol.client import run
word = os.environ["WORD"]
def choose(view, legal):
    print(word, file=sys.stderr)
    if view["turn"] > 1:
        raise ValueError("out of ideas")
    return legal[0]
run(choose)
"""
FOLDER = "zoé's \N{WOMAN}\N{ZERO WIDTH JOINER}\N{MICROSCOPE} bot"
"""The folder of the chatty bot."""

EVENT = f"""
name = "Class"
game = "coins"
seed = "THE-SEED-OF-THE-EVENT"
blocks = 2
aliases = true
common_deals = true
options = {{ rounds = 4, peek = "no" }}
[[bots]]
name = "Zoé & Co"
command = "chatty.py"
folder = "bots/{FOLDER}"
[[bots]]
name = "crash"
command = ["{sys.executable}", "crash.py"]
folder = "bots/crash"
env = {{ PYTHONPATH = "{ROOT}", WORD = "THE-WORD-OF-CRASH" }}
[[bots]]
name = "first"
sample = "first"
"""

BOXED = """
name = "Boxed"
game = "coins"
seed = "7"
blocks = 1
level = "class"
seats = 2
options = { rounds = 4, peek = "no" }
limits = { memory_mib = 300 }
[[bots]]
name = "chatty"
command = "bot.py"
folder = "bots/chatty"
[[bots]]
name = "steady"
command = "bot.py"
folder = "bots/steady"
[[bots]]
name = "first"
sample = "first"
"""


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    with workspace_in(tmp_path_factory.mktemp("class")) as found:
        for folder, name, source in ((FOLDER, "chatty.py", CHATTY), ("crash", "crash.py", CRASH)):
            (found.folder / "bots" / folder).mkdir(parents=True)
            found.write(f"bots/{folder}/{name}", source)
        found.write("event.toml", EVENT)
        assert found.run("tournament", "run", "event.toml").code == 0
        ended = found.run("feedback", "event.toml", "--out", "out")
        assert ended.code == 0, ended.err
        yield found


def folder_of(workspace: Workspace, bot: str) -> Path:
    found = {
        json.loads((path / "feedback.json").read_text())["bot"]: path
        for path in (workspace.folder / "out").iterdir()
    }
    return found[bot]


def shell(workspace: Workspace, command: str, **variables: str) -> "subprocess.CompletedProcess[str]":
    """Run a command as a person does who pastes it."""
    here = {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "PYTHONPATH": path_for_imports()}
    return subprocess.run(
        ["sh", "-c", command],
        cwd=workspace.folder,
        env=os.environ | here | {"TMPDIR": str(workspace.folder), "HOME": str(workspace.folder)} | variables,
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_print_on_stdout_is_named_with_its_cure_everywhere(workspace: Workspace) -> None:
    own = folder_of(workspace, "Zoé & Co")
    text = " ".join((own / "feedback.txt").read_text().split())
    cure = "the bot printed “thinking about début” on stdout, where only messages may go. Print to stderr: "
    assert f"{cure}print(..., file=sys.stderr)" in text
    assert "It sent, as it came (21 bytes): thinking about début ^ here" in text
    match = json.loads((own / "feedback.json").read_text())["parts"][0]["worth"][-1]["match"]
    assert cure in workspace.run("why", match, "event.toml").out
    assert workspace.run("tournament", "export", "event.toml", "--site", "site").code == 0
    assert cure in (workspace.folder / "site" / "why" / f"{match}.html").read_text()
    words = ("check", "--game", "coins", "--transport", "stdio", "--step", "clean-stdout")
    checked = workspace.run(*words, "--", sys.executable, f"bots/{FOLDER}/chatty.py")
    assert "print to stderr: print(..., file=sys.stderr)" in checked.out


def test_the_folder_of_a_bot_has_no_words_paths_or_secrets_of_others(workspace: Workspace) -> None:
    secrets = [
        "THE-SEED-OF-THE-EVENT",
        str(workspace.folder),
        "crash.py",
        "THE-WORD-OF-CRASH",
        "out of ideas",
    ]
    for path in folder_of(workspace, "Zoé & Co").rglob("*"):
        for secret in secrets if path.is_file() else ():
            assert secret.encode() not in path.read_bytes(), (path.name, secret)
    own = folder_of(workspace, "crash")
    # Not in every match that it lost: it may have said this before the next one began.
    said = "".join(path.read_text() for path in (own / "stderr").iterdir())
    assert "ValueError: out of ideas" in said
    assert "THE-WORD-OF-CRASH" in said
    text = " ".join((own / "feedback.txt").read_text().split())
    assert (
        "The organiser starts it with these variables, which the commands do not set: PYTHONPATH, WORD."
        in text
    )
    for path in own.rglob("*"):
        for secret in (secrets[0], secrets[1], "chatty.py") if path.is_file() else ():
            assert secret.encode() not in path.read_bytes(), (path.name, secret)


@pytest.mark.parametrize(("bot", "folder"), [("Zoé & Co", FOLDER), ("crash", "crash")])
def test_the_commands_that_repeat_a_match_run_on_the_author_s_host(
    workspace: Workspace, bot: str, folder: str
) -> None:
    own = folder_of(workspace, bot)
    part = json.loads((own / "feedback.json").read_text())["parts"][0]
    fault = next(one for one in part["worth"] if one["kind"] == "fault")
    places = {"BOT": str(workspace.folder / "bots" / folder), "FEEDBACK": str(own), "WORD": "mine"}
    # A process that ends between two matches fails before its first decision, at which it can be asked.
    again, *asks = fault["commands"]
    for command in asks:
        asked = shell(workspace, command, **places)
        # The author's own variables are not given to a bot, so the one that needs WORD says so.
        assert asked.returncode == (0 if bot == "Zoé & Co" else 2), asked.stderr
        assert "seat" in asked.stdout or "KeyError: 'WORD'" in asked.stderr
    repeated = shell(workspace, again, **places)
    assert repeated.returncode == (1 if bot == "Zoé & Co" else 2), repeated.stderr
    if bot == "Zoé & Co":
        text = " ".join(repeated.stdout.split())
        assert "1 answer, all the same as in the match." in text
        assert "The fault of the match, malformed at decision 2, came again." in text
        assert "the bot printed “thinking about début” on stdout" in text


@needs_box
def test_a_match_in_a_box_is_repeated_in_a_box(tmp_path: Path) -> None:
    steady = printing_bot("chatty", "", at=0)
    with workspace_in(tmp_path) as workspace:
        for name, source in (("chatty", CHATTY), ("steady", steady)):
            (tmp_path / "bots" / name).mkdir(parents=True)
            workspace.write(f"bots/{name}/bot.py", source)
        workspace.write("event.toml", BOXED)
        assert workspace.run("tournament", "run", "event.toml", "--quiet").code == 0
        assert workspace.run("feedback", "event.toml", "--out", "out").code == 0
        seen = set()
        for name in ("chatty", "steady"):
            own = folder_of(workspace, name)
            for worth in json.loads((own / "feedback.json").read_text())["parts"][0]["worth"]:
                command = worth["commands"][0]
                assert "referee repeat" in command
                assert "--level class --limit memory=300 -- " in command
                places = {"BOT": str(tmp_path / "bots" / name), "FEEDBACK": str(own)}
                repeated = shell(workspace, command, **places)
                assert repeated.returncode == (name == "chatty"), repeated.stderr
                assert "all the same as in the match." in repeated.stdout
                seen.add(name)
        assert seen == {"chatty", "steady"}


def test_the_command_of_why_runs_as_pasted_for_every_bot_that_failed(workspace: Workspace) -> None:
    seen = set()
    for dossier in sorted((workspace.folder / "event-replays").glob("*.dossier.json")):
        match = dossier.name.removesuffix(".dossier.json")
        faults = tuple(seat["fault"] for seat in json.loads(dossier.read_text())["seats"])
        if faults in seen:
            continue
        seen.add(faults)
        explained = workspace.run("why", match, "event.toml").out
        repeated = shell(workspace, explained.partition("To try again:\n")[2])
        assert repeated.returncode == 0, repeated.stderr
        # On a busy host a bot that is to crash may be late first: it fails again, for one reason or another.
        lost = [code for code in FaultCode if f"1 {code.value}" in repeated.stdout]
        assert bool(lost) == any(faults), repeated.stdout
    assert len(seen) >= 2


def test_why_finds_a_match_from_anywhere_and_says_where_it_looked(workspace: Workspace) -> None:
    match = next((workspace.folder / "event-replays").glob("*.jsonl")).name.removesuffix(".jsonl")
    far = shell(workspace, f"cd / && referee why {match} {shlex.quote(str(workspace.folder / 'event.toml'))}")
    assert far.returncode == 0, far.stderr
    lost = workspace.run("why", "no-such-match", "event.toml")
    assert lost.code == 2
    assert f"in {workspace.folder / 'event-replays'}" in lost.err
    below = workspace.run("why", "no-such-match")
    assert "those with matches: event-replays" in below.err
    assert "referee why MATCH event.toml" in below.err


def test_why_of_a_bot_prints_the_text_of_its_feedback(workspace: Workspace) -> None:
    ended = workspace.run("why", "--bot", "crash", "event.toml")
    assert ended.code == 0, ended.err
    written = (folder_of(workspace, "crash") / "feedback.txt").read_text()
    assert ended.out.partition("The page with its replays")[0].strip() in written
    wrong = workspace.run("why", "--bot", "crush", "event.toml")
    assert (wrong.code, "did you mean crash?" in wrong.err) == (2, True)
    assert workspace.run("why", "--bot", "crash").code == 2


def test_some_bots_only_as_archives_and_as_json(workspace: Workspace) -> None:
    ended = workspace.run("feedback", "event.toml", "--out", "zips", "--bot", "first", "--zip", "--json")
    (one,) = json.loads(ended.out)
    assert (one["bot"], one["path"], one["withheld"]) == ("first", "zips/first.zip", 0)
    assert [path.name for path in (workspace.folder / "zips").iterdir()] == ["first.zip"]


def test_an_event_without_results_and_a_file_in_place_of_a_folder_are_refused(workspace: Workspace) -> None:
    workspace.write("new.toml", EVENT.replace('"Class"', '"New"'))
    ended = workspace.run("feedback", "new.toml", "--out", "nothing")
    assert (ended.code, "no match has been played yet" in ended.err) == (2, True)
    ended = workspace.run("feedback", "event.toml", "--out", "event.toml")
    assert ended.code == 2


def test_a_recorded_decision_becomes_a_position_with_one_option(workspace: Workspace) -> None:
    own = folder_of(workspace, "Zoé & Co")
    file = next((own / "replays").iterdir())
    ended = workspace.run("at", str(file), "--decision", "1", "--add-to", "suite.toml")
    assert ended.code == 0, ended.err
    checked = workspace.run("positions", "suite.toml", "--", "first")
    assert checked.code in (0, 1)
    assert "of 1 pass" in checked.out
    assert workspace.run("at", str(file), "--decision", "1").code == 2
