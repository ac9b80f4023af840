"""A bot that does not start: what explains it is kept for its author, and for no other reader."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from referee.errors import RecordError
from tests.end_to_end.commands import Workspace, path_for_imports, workspace_in
from tests.end_to_end.hubs import ROOT
from tests.end_to_end.ladders import Ear, write_plan
from tournaments.config.plan import load
from tournaments.failed_starts import FILE, FailedStart, failed_starts
from tournaments.runner import TournamentRunner
from tournaments.store.store import Store

MARK = "THE-MARK-OF-CRASH"
FIRST = "from protocol.client import run\nrun(lambda view, legal: legal[0])\n"
CRASHING = f"raise ValueError('{MARK}')\n"
CHESS = "from protocol.client import run\nrun(lambda view, legal: legal[0], games=['chess'])\n"


def bot(workspace: Workspace, name: str, source: str) -> str:
    """Write a bot in a folder of its own, and return its table in the tournament file."""
    (workspace.folder / "bots" / name).mkdir(parents=True, exist_ok=True)
    workspace.write(f"bots/{name}/{name}.py", source)
    command = json.dumps([sys.executable, f"{name}.py"])
    return (
        f'[[bots]]\nname = "{name}"\ncommand = {command}\nfolder = "bots/{name}"\n'
        f'env = {{ PYTHONPATH = "{ROOT}" }}\n'
    )


class Patient(Ear):
    """Listens to a runner that has something to say."""

    def note(self, text: str) -> None:
        assert text


class StopsAfterOne(Patient):
    """Stops the run after the first round."""

    def expects(self, total: int) -> None:
        if self.heard:
            raise KeyboardInterrupt


def played(workspace: Workspace, listener: type[Ear] = Patient) -> dict[str, FailedStart]:
    """Play the tournament in process, and return what was kept of bots that do not start."""
    plan = load(workspace.folder / "spring.toml")
    with Store(plan.store) as store, suppress(KeyboardInterrupt):
        TournamentRunner(plan, store, listener(store)).run()
    return failed_starts(plan.replays)


@pytest.fixture(scope="module")
def event(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """Return an event that was played without three bots, and fed back."""
    with workspace_in(tmp_path_factory.mktemp("event")) as found:
        extra = bot(found, "crash", CRASHING) + bot(found, "chess", CHESS)
        extra += '[[bots]]\nname = "ghost"\ncommand = "./nowhere"\nfolder = "bots"\n'
        write_plan(found, ["ann", "bob"], extra=extra, blocks=1)
        ended = found.run("tournament", "run", "spring.toml", "--html", "spring.html", "--site", "site")
        assert ended.code == 0, ended.err
        ended = found.run("feedback", "spring.toml", "--out", "out", "--json")
        assert ended.code == 0, ended.err
        out = {one["bot"]: one["left_out"] for one in json.loads(ended.out)}
        assert out == {"ann": False, "bob": False, "crash": True, "chess": True, "ghost": True}
        yield found


def test_bots_that_lose_their_matches_without_a_start_are_called_so_everywhere(tmp_path: Path) -> None:
    with workspace_in(tmp_path) as found:
        extra = bot(found, "crash", CRASHING)
        write_plan(found, ["ann", "bob"], extra=extra, blocks=1, broken="forfeit")
        ended = found.run("tournament", "run", "spring.toml", "--html", "spring.html", "--site", "site")
        assert ended.code == 0, ended.err
        why = "does not start: its process ended before its hello"
        assert f"Loses its matches: crash: {why}." in ended.out
        assert f"forfeits    crash: {why}" in found.run("tournament", "status", "spring.toml").out
        for page in ("spring.html", "site/index.html"):
            text = (found.folder / page).read_text()
            assert "Lost without a start" in text
            assert why in text
        found.write("bots/crash/crash.py", FIRST)
        mended = found.run("tournament", "run", "spring.toml")
        assert mended.code == 0, mended.err
        assert "Loses its matches" not in mended.out


def text_of(event: Workspace, name: str) -> str:
    return (event.folder / "out" / name / "feedback.txt").read_text()


def words_of(event: Workspace, name: str) -> str:
    return " ".join(text_of(event, name).split())


def test_the_file_is_private_and_has_a_version(event: Workspace) -> None:
    path = event.folder / "replays" / FILE
    assert path.stat().st_mode & 0o777 == 0o600
    kept = json.loads(path.read_text())
    assert kept["format"] == 1
    assert [one["bot"] for one in kept["bots"]] == ["crash", "chess", "ghost"]
    assert str(event.folder) not in path.read_text()


def test_the_author_reads_reason_stderr_and_cure(event: Workspace) -> None:
    crash = words_of(event, "crash")
    assert "Left out of the event: does not start: its process ended before its hello." in crash
    assert "crashed: exited with code 1" in crash
    assert 'File "./crash.py", line 1' in text_of(event, "crash")
    assert f"ValueError: {MARK}" in text_of(event, "crash")
    assert "What to do: look at the end of its stderr, and start it by hand as its command says." in crash
    assert "not-ready: it does not play coins; its hello lists chess" in words_of(event, "chess")
    assert "let it list coins among the games of its hello" in words_of(event, "chess")
    assert "cannot start './nowhere'" in words_of(event, "ghost")
    assert "see that its command names a program that is there" in words_of(event, "ghost")
    folder = event.folder / "out" / "crash"
    assert MARK in (folder / "feedback.html").read_text()
    assert MARK in json.loads((folder / "feedback.json").read_text())["starts"][0]["stderr"]
    assert MARK in (folder / "stderr" / "start-1.txt").read_text()
    assert [line for line in text_of(event, "crash").splitlines() if len(line) > 80] == []


def test_why_of_the_bot_prints_the_same_text(event: Workspace) -> None:
    ended = event.run("why", "--bot", "crash", "spring.toml")
    assert ended.code == 0, ended.err
    assert ended.out.startswith(text_of(event, "crash"))


def test_the_command_tries_the_start_as_pasted(event: Workspace) -> None:
    (note,) = json.loads((event.folder / "out" / "crash" / "feedback.json").read_text())["starts"]
    assert f"  $ {note['command']}\n" in text_of(event, "crash")
    here = {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "PYTHONPATH": path_for_imports()}
    env = os.environ | here | {"BOT": str(event.folder / "bots" / "crash")}
    ended = subprocess.run(
        ["sh", "-c", note["command"]], env=env, capture_output=True, text=True, check=False
    )
    assert ended.returncode != 0
    assert MARK in ended.stdout + ended.stderr


def test_no_other_reader_gets_a_byte_of_its_stderr(event: Workspace) -> None:
    own = [event.folder / "out" / "crash", event.folder / "replays" / FILE, event.folder / "bots"]
    found = [
        str(path)
        for path in event.folder.rglob("*")
        if path.is_file() and not any(path.is_relative_to(each) for each in own)
        if MARK.encode() in path.read_bytes()
    ]
    assert found == []
    for words in (
        ("why", "--bot", "ann", "spring.toml"),
        ("why", "--bot", "ghost", "spring.toml"),
        ("tournament", "status", "spring.toml", "--json"),
        ("tournament", "standings", "spring.toml"),
        ("tournament", "export", "spring.toml", "--table"),
        ("tournament", "export", "spring.toml", "--grades"),
    ):
        ended = event.run(*words)
        assert ended.code == 0, ended.err
        assert MARK not in ended.out + ended.err


def test_a_bot_that_starts_leaves_the_file_and_the_last_one_removes_it(tmp_path: Path) -> None:
    with workspace_in(tmp_path) as workspace:
        extra = bot(workspace, "crash", CRASHING) + bot(workspace, "chess", CHESS)
        write_plan(workspace, ["ann", "bob"], extra=extra, blocks=1)
        replays = workspace.folder / "replays"
        assert list(played(workspace)) == ["crash", "chess"]
        (replays / f".{FILE}.0123").write_text("half of it")
        bot(workspace, "crash", FIRST)
        assert list(played(workspace)) == ["chess"]
        assert not (replays / f".{FILE}.0123").exists(), "a killed run left it"
        bot(workspace, "chess", FIRST)
        assert played(workspace) == {}
        assert not (replays / FILE).exists()


def test_a_bot_that_is_out_for_good_keeps_its_reason_when_the_others_are_tried_again(tmp_path: Path) -> None:
    with workspace_in(tmp_path) as workspace:
        extra = bot(workspace, "crash", CRASHING) + bot(workspace, "mine", FIRST)
        write_plan(workspace, ["ann", "bob", "cleo"], extra=extra, format="swiss", blocks=1, rounds=2)
        before = played(workspace, StopsAfterOne)
        assert list(before) == ["crash"]
        bot(workspace, "mine", CRASHING)
        after = played(workspace)
        assert list(after) == ["crash", "mine"], "a Swiss that has begun tries its own bots only"
        assert after["crash"] == before["crash"]


def test_a_bot_that_the_organiser_took_out_has_no_failed_start(tmp_path: Path) -> None:
    with workspace_in(tmp_path) as workspace:
        extra = bot(workspace, "mine", FIRST)
        write_plan(workspace, ["ann", "bob", "cleo"], extra=extra, format="swiss", blocks=1, rounds=2)
        played(workspace, StopsAfterOne)
        assert workspace.run("entries", "leave-out", "spring.toml", "mine").code == 0
        assert played(workspace) == {}


def test_bots_that_lose_without_a_start_are_explained_too(tmp_path: Path) -> None:
    with workspace_in(tmp_path) as workspace:
        extra = bot(workspace, "crash", CRASHING)
        write_plan(workspace, ["ann", "bob"], extra=extra, blocks=1, broken="forfeit")
        played(workspace)
        text = workspace.run("why", "--bot", "crash", "spring.toml").out
        assert "It did not start, so it lost its matches." in text
        assert "referee check --game coins -- " in text
        assert "Place 3 of 3" in text


def test_a_run_that_cannot_keep_the_reasons_does_not_begin(tmp_path: Path) -> None:
    with workspace_in(tmp_path) as workspace:
        write_plan(workspace, ["ann", "bob"], extra=bot(workspace, "crash", CRASHING), blocks=1)
        (workspace.folder / "replays" / FILE).mkdir(parents=True)
        with pytest.raises(RecordError, match=f"{FILE}: cannot be written"):
            played(workspace)
