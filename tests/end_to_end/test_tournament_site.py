"""`--site` of `referee tournament run` and `export`: what is written, what is said, and what is refused."""

import base64
import gzip
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.end_to_end.commands import Workspace, path_for_imports, workspace_in
from tests.end_to_end.ladders import write_plan
from tests.unit.tournaments.rows import row
from tournaments.store import ladders
from tournaments.store.ladders import LadderTerms
from tournaments.store.store import Store


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with workspace_in(tmp_path) as workspace:
        yield workspace


def test_a_folder_with_other_files_is_refused_before_a_match_is_played(workspace: Workspace) -> None:
    write_plan(workspace)
    (workspace.folder / "papers").mkdir()
    (workspace.folder / "papers" / "thesis.txt").write_text("mine")
    ended = workspace.run("tournament", "run", "spring.toml", "--site", "papers")
    assert ended.code == 2
    assert "files that are not of a site; name a new folder" in ended.err
    assert [path.name for path in (workspace.folder / "papers").iterdir()] == ["thesis.txt"]
    assert not (workspace.folder / "spring.db").exists()


def test_the_folder_of_replays_and_two_outputs_are_refused(workspace: Workspace) -> None:
    write_plan(workspace)
    ended = workspace.run("tournament", "run", "spring.toml", "--site", "replays")
    assert (ended.code, "replays are kept there" in ended.err) == (2, True)
    ended = workspace.run("tournament", "export", "spring.toml", "--site", "site", "--html", "page.html")
    assert (ended.code, "exclude each other" in ended.err) == (2, True)


def test_replays_that_cannot_be_shown_are_named_and_the_rest_is_made(workspace: Workspace) -> None:
    write_plan(workspace)
    assert workspace.run("tournament", "run", "spring.toml", "--quiet", "--site", "site").code == 0
    replays = sorted((workspace.folder / "replays").glob("*.jsonl"))
    replays[0].write_text("{}")
    ended = workspace.run("tournament", "export", "spring.toml", "--site", "site")
    assert ended.code == 0
    assert f"match {replays[0].name.removesuffix('.jsonl')} is not shown:" in ended.err
    assert f"The site has {len(replays) - 1} replays (0 made now)" in ended.err
    assert "Open site/index.html in a browser" in ended.err
    event = json.loads((workspace.folder / "site" / "data" / "event.json").read_text())
    assert (event["version"], event["played"], event["state"]["running"]) == (1, len(replays), False)


def test_the_folder_of_a_ladder_can_be_exported(workspace: Workspace) -> None:
    folder = workspace.folder / "ladder"
    folder.mkdir()
    with Store(folder / ladders.STORE) as store:
        ladders.note(store, LadderTerms("Ladder", "coins", 2, {"rounds": 3}))
        store.add([row("ab", (1, 2), match="l-1", replay="")])
    ended = workspace.run("tournament", "export", "ladder", "--site", "site")
    assert ended.code == 0, ended.err
    assert "<h1>Ladder</h1>" in (workspace.folder / "site" / "index.html").read_text()


IMPOSTOR = """
import os, sys
here = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(here, "imported"), "a") as imported:
    imported.write(" ".join(sys.orig_argv) + "\\n")
sys.path[:] = [place for place in sys.path if os.path.abspath(place) != here]
del sys.modules["socket"]
import socket
"""
"""Notes which process takes it for the module of Python, and then gives that."""


def test_a_bot_with_the_name_of_a_module_is_not_run_by_processes_of_ours(workspace: Workspace) -> None:
    write_plan(workspace, blocks=7)
    workspace.write("socket.py", IMPOSTOR)
    ended = subprocess.run(
        [
            sys.executable,
            "-P",
            "-m",
            "referee",
            "tournament",
            "run",
            "spring.toml",
            "--web",
            "0",
            "--site",
            "s",
        ],
        cwd=workspace.folder,
        env=os.environ | {"HOME": str(workspace.folder), "PYTHONPATH": path_for_imports()},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (ended.returncode, "(14 made now)" in ended.stderr) == (0, True), ended.stderr
    imported = workspace.folder / "imported"
    found = imported.read_text() if imported.exists() else ""
    # Sample bots are bots: they begin in the folder of the tournament.
    assert [line for line in found.splitlines() if "sample_bots" not in line] == []


FLAKY = """
import os, sys
before = len(os.listdir(sys.argv[1]))
open(os.path.join(sys.argv[1], str(before)), "w")
if before:
    sys.exit("the password is hunter2")
from protocol.client import run
run(lambda view, legal: legal[0])
"""
"""Starts once, and then no more."""


def test_the_site_of_a_bot_that_did_not_start_has_neither_its_command_nor_its_stderr(
    workspace: Workspace,
) -> None:
    (workspace.folder / "starts").mkdir()
    script = workspace.write("flaky.py", FLAKY)
    command = f"{sys.executable} {script} {workspace.folder / 'starts'}"
    bot = f'[[bots]]\nname = "flaky"\ncommand = "{command}"'
    write_plan(workspace, ("ann",), extra=bot, blocks=1, fresh=True)
    assert workspace.run("tournament", "run", "spring.toml", "--quiet", "--site", "site").code == 0
    (why,) = (workspace.folder / "site" / "why").iterdir()
    assert "it did not start: exited with code 1" in why.read_text()
    replay = (workspace.folder / "site" / "replays" / f"{why.stem}.js").read_text()
    packed = json.loads(f"[{replay.removeprefix('refereeFrames(').removesuffix(');' + chr(10))}]")[1]
    for shown in (why.read_text(), gzip.decompress(base64.b64decode(packed)).decode()):
        assert "hunter2" not in shown
        assert "flaky.py" not in shown
    # The operator and the author read it.
    said = workspace.run("why", why.stem, "--replays", "replays").out
    assert "hunter2" in said
    assert "flaky.py" in said
