"""A tournament with a beacon, by its commands: commit, reveal, run, and every part of the luck checked."""

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner, Result

from referee.chance import Beacon, commitment, deal_key
from referee.cli import main
from referee.cli.output.play_again import play_again
from referee.replay import files
from referee.replay.explanation import MatchFiles
from referee.replay.format import Header, PlayHash, Reveal, chained, play_hash
from tests.end_to_end.commands import Workspace, workspace_in
from tests.end_to_end.hubs import ROOT
from tests.end_to_end.ladders import stored, write_plan
from tournaments.store.store import Store

SEED = "b0b5c1d2e4f6a7981c2d3e4f5a6b7c8d"
TERMS: dict[str, Any] = {"seed": SEED, "beacon": "drand round 5000000", "blocks": 1}
TEXT = 'luck = "seven hens"'
"""Of the last bot."""


def ask(workspace: Workspace, command: str, *words: str) -> Result:
    asked = ["tournament", command, str(workspace.folder / "spring.toml"), *words]
    return CliRunner().invoke(main, asked, prog_name="referee")


def verdict(workspace: Workspace, *words: str) -> dict[str, Any]:
    result = ask(workspace, "verify", "--json", *words)
    assert result.exit_code in (0, 1), result.output
    found: dict[str, Any] = json.loads(result.stdout)
    assert (result.exit_code == 0) == found["ok"]
    return found


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a tournament with a beacon that was played to its end."""
    folder = tmp_path_factory.mktemp("finished")
    with workspace_in(folder) as workspace:
        write_plan(workspace, ["ann", "bob", "cleo"], extra=TEXT, **TERMS)
        for words in (["commit"], ["reveal", "--beacon", "9f3e"], ["run", "--quiet"]):
            result = ask(workspace, *words)
            assert result.exit_code == 0, result.output
    return folder


@pytest.fixture
def workspace(finished: Path, tmp_path: Path) -> Iterator[Workspace]:
    shutil.copytree(finished, tmp_path, dirs_exist_ok=True)
    with workspace_in(tmp_path) as workspace:
        yield workspace


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[Workspace]:
    """Give a tournament with a beacon of which nothing is committed."""
    with workspace_in(tmp_path) as workspace:
        write_plan(workspace, ["ann", "bob"], extra=TEXT, **TERMS)
        yield workspace


def files_of(workspace: Workspace) -> set[str]:
    return {path.name for path in workspace.folder.iterdir()}


# The commands.


def test_a_run_before_the_luck_is_drawn_is_refused_with_the_command_and_leaves_nothing(
    fresh: Workspace,
) -> None:
    result = ask(fresh, "run")
    assert result.exit_code == 2
    assert f"referee tournament commit {fresh.folder / 'spring.toml'}" in result.stderr
    assert files_of(fresh) == {"spring.toml"}
    assert ask(fresh, "commit").exit_code == 0
    result = ask(fresh, "run", "--html", str(fresh.folder / "x.html"))
    assert result.exit_code == 2
    assert f"referee tournament reveal {fresh.folder / 'spring.toml'} --beacon VALUE" in result.stderr
    assert files_of(fresh) == {"spring.toml", "spring.commit.json"}


def test_check_status_and_tables_say_how_far_the_luck_is(fresh: Workspace) -> None:
    assert "nothing is committed; hash of the seed:\n" in ask(fresh, "check").stdout
    ask(fresh, "commit")
    for command in ("check", "status"):
        assert "committed as:\n" in ask(fresh, command).stdout
    found = json.loads(ask(fresh, "status", "--json").stdout)
    assert (found["complete"], found["left"], found["luck"]["value"]) == (False, 2, None)
    assert json.loads(ask(fresh, "standings", "--json").stdout)["standings"]["matches"] == 0
    assert verdict(fresh)["ok"]
    ask(fresh, "reveal", "--beacon", "9f3e")
    for command in ("check", "status"):
        told = ask(fresh, command).stdout
        assert "gave '9f3e'; fingerprint of the seed of all deals:\n" in told
        hashes = [line for line in told.splitlines() if re.search("[0-9a-f]{64}", line)]
        assert [len(line) <= 80 for line in hashes] == [True]
    found = json.loads(ask(fresh, "check", "--json").stdout)["luck"]
    assert found["chosen_by"] == ["operator", "beacon", "entrants"]
    assert found["texts"] == {"bob": "seven hens"}


def test_commit_and_reveal_print_what_to_publish_and_what_to_do_next(fresh: Workspace) -> None:
    committed = ask(fresh, "commit")
    document = json.loads((fresh.folder / "spring.commit.json").read_text())
    for text in (document["commitment"], document["seed_hash"], document["plan_hash"], "--beacon VALUE"):
        assert text in committed.stdout
    assert "spring.commit.json is there already" in ask(fresh, "commit").stdout
    assert json.loads(ask(fresh, "commit", "--json").stdout) == document
    revealed = ask(fresh, "reveal", "--beacon", " 9f3e\n")
    document = json.loads((fresh.folder / "spring.reveal.json").read_text())
    assert document["value"] == "9f3e"
    for text in (document["fingerprint"], document["commitment"], "referee tournament run "):
        assert text in revealed.stdout
    assert json.loads(ask(fresh, "reveal", "--beacon", "9f3e", "--json").stdout) == document
    again = ask(fresh, "reveal", "--beacon", "9F3E")
    assert (again.exit_code, "a beacon has one value" in again.stderr) == (2, True)


@pytest.mark.parametrize("words", [["commit"], ["reveal", "--beacon", "9f3e"]])
def test_luck_is_not_drawn_after_the_first_match(fresh: Workspace, words: list[str]) -> None:
    write_plan(fresh, ["ann", "bob"], seed=SEED, blocks=1)
    assert ask(fresh, "run", "--quiet").exit_code == 0
    write_plan(fresh, ["ann", "bob"], **TERMS)
    result = ask(fresh, *words)
    assert result.exit_code == 2
    assert "has 2 results, and luck is drawn before the first match" in result.stderr
    assert "spring.commit.json" not in files_of(fresh)


def test_files_that_were_lost_after_the_first_match_are_written_again_for_the_same_luck_only(
    workspace: Workspace,
) -> None:
    paths = [workspace.folder / f"spring.{name}.json" for name in ("commit", "reveal")]
    published = [path.read_bytes() for path in paths]
    paths[1].unlink()
    other = ask(workspace, "reveal", "--beacon", "9f3f")
    assert (other.exit_code, "luck is drawn before the first match" in other.stderr) == (2, True)
    assert ask(workspace, "reveal", "--beacon", "9f3e").exit_code == 0
    for path in paths:
        path.unlink()
    for words in (["commit"], ["reveal", "--beacon", "9f3e"]):
        assert ask(workspace, *words).exit_code == 0
    assert [path.read_bytes() for path in paths] == published
    assert verdict(workspace)["ok"]


@pytest.mark.parametrize("command", ["status", "standings", "export"])
def test_results_are_not_left_out_silently_if_the_luck_is_lost(workspace: Workspace, command: str) -> None:
    (workspace.folder / "spring.reveal.json").unlink()
    result = ask(workspace, command)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "has 6 results, but the luck is not drawn: restore spring.reveal.json" in result.stderr


@pytest.mark.parametrize("words", [["commit"], ["reveal", "--beacon", "9f3e"]])
def test_without_a_beacon_there_is_nothing_to_draw(fresh: Workspace, words: list[str]) -> None:
    write_plan(fresh, ["ann", "bob"], seed=SEED)
    result = ask(fresh, *words)
    assert (result.exit_code, "no beacon is named" in result.stderr) == (2, True)


def test_a_value_that_a_terminal_would_obey_is_not_printed(fresh: Workspace) -> None:
    ask(fresh, "commit")
    ended = fresh.run("tournament", "reveal", "spring.toml", "--beacon", "\x1b[2Jx")
    assert ended.code == 2
    assert "\x1b" not in ended.err
    # Bytes that are no UTF-8 reach a program as lone surrogates.
    ended = fresh.run("tournament", "reveal", "spring.toml", "--beacon", os.fsdecode(b"\xff\xfe"))
    assert (ended.code, "one line without characters that are not printed" in ended.err) == (2, True)


# What was played.


def test_results_replays_and_terms_follow_from_all_parts(workspace: Workspace) -> None:
    found = verdict(workspace)
    assert (found["ok"], found["results"], found["replays"]) == (True, 6, 6)
    assert f"commitment {found['luck']['commitment']}\n" in ask(workspace, "verify").stdout
    beacon = Beacon("drand round 5000000", "9f3e", found["luck"]["plan_hash"])
    for one in stored(workspace):
        replay = files.read(workspace.folder / "replays" / one.replay)
        assert (replay.header.seed, replay.header.beacon) == (SEED, beacon)
        assert replay.key == deal_key(beacon.seed(SEED), one.deal)
    with Store(workspace.folder / "spring.db", write=False) as store:
        notes = [(note["results"], note["name"], note["value"]) for note in store.contents().notes]
    (noted,) = [value for results, name, value in notes if name == "terms" and results == 0]
    assert json.loads(noted)["value of the beacon"] == "9f3e"
    assert json.loads(noted)["commitment"] == found["luck"]["commitment"]


def test_the_program_in_the_documentation_agrees_and_notices_a_change(workspace: Workspace) -> None:
    (code,) = re.findall(
        r"^```python\n(.*?)^```", (ROOT / "docs" / "luck.md").read_text(), re.MULTILINE | re.DOTALL
    )
    workspace.write("check_luck.py", code)
    replay = f"replays/{stored(workspace)[0].replay}"
    words = [sys.executable, "-W", "ignore", "check_luck.py", "spring.commit.json", "spring.reveal.json"]

    def ended() -> int:
        done = subprocess.run([*words, replay], cwd=workspace.folder, capture_output=True, env={})
        return done.returncode

    assert ended() == 0
    for name, old, new in (
        ("spring.commit.json", "seven hens", "seven hen"),
        ("spring.reveal.json", "9f3e", "9f3f"),
        (replay, SEED, SEED[::-1]),
    ):
        path = workspace.folder / name
        text = path.read_text()
        path.write_text(text.replace(old, new))
        assert ended() == 1, name
        path.write_text(text)
    assert ended() == 0


def test_the_report_and_the_documents_say_who_chose_the_luck(workspace: Workspace) -> None:
    page = workspace.folder / "spring.html"
    assert ask(workspace, "export", "--html", str(page)).exit_code == 0
    found = json.loads(ask(workspace, "export", "--json").stdout)["luck"]
    for text in (found["commitment"], found["fingerprint"], found["plan_hash"], "9f3e", "seven hens"):
        assert text in page.read_text()
    assert SEED not in page.read_text()
    assert SEED not in json.dumps(found)
    write_plan(workspace, ["ann", "bob"], seed=SEED, store="x.db", replays="x")
    for name in ("spring.commit.json", "spring.reveal.json"):
        (workspace.folder / name).unlink()
    assert json.loads(ask(workspace, "standings", "--json").stdout)["luck"]["chosen_by"] == ["operator"]


def test_the_command_that_plays_a_match_again_has_the_seed_of_its_deal(workspace: Workspace) -> None:
    one = stored(workspace)[0]
    replay = files.read(workspace.folder / "replays" / one.replay)
    command = shlex.split(play_again(MatchFiles(replay, None)))
    ended = workspace.run(*command[1:], "--replays", "again", "--quiet")
    assert ended.code == 0, ended
    (again,) = (workspace.folder / "again").glob("*.jsonl")
    assert files.read(again).key == replay.key


def test_a_run_that_is_interrupted_continues_with_the_same_luck(fresh: Workspace) -> None:
    write_plan(fresh, ["ann", "bob"], **TERMS | {"blocks": 40, "jobs": 1})
    ask(fresh, "commit")
    ask(fresh, "reveal", "--beacon", "9f3e")
    running = fresh.start("tournament", "run", "spring.toml", "--log", "/dev/stderr")
    running.wait_for(" match ")
    running.signal(signal.SIGINT)
    assert running.end().code == 130
    before = {one.match: one.play for one in stored(fresh)}
    assert 0 < len(before) < 80
    assert ask(fresh, "run", "--quiet").exit_code == 0
    assert len(stored(fresh)) == 80
    assert verdict(fresh)["ok"]


# Changes.


def rewrite(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def without_beacon(workspace: Workspace) -> None:
    forget(workspace)
    write_plan(workspace, ["ann", "bob", "cleo"], seed=SEED, blocks=1)


def forget(workspace: Workspace) -> None:
    for name in ("spring.commit.json", "spring.reveal.json"):
        (workspace.folder / name).unlink()


def commit_anew(workspace: Workspace, value: str) -> None:
    """Do what an operator does who is not content with the luck: remove both files, and draw again."""
    forget(workspace)
    store = workspace.folder / "spring.db"
    store.rename(aside := store.with_suffix(".aside"))
    assert ask(workspace, "commit").exit_code == 0
    assert ask(workspace, "reveal", "--beacon", value).exit_code == 0
    aside.rename(store)


CHANGES: dict[str, tuple[Callable[[Workspace], None], str]] = {
    "the plan": (
        lambda w: rewrite(w.folder / "spring.toml", "blocks = 1", "blocks = 2"),
        "spring.toml: blocks: not as committed in spring.commit.json",
    ),
    "a text": (
        lambda w: rewrite(w.folder / "spring.toml", "seven hens", "six hens"),
        "spring.toml: bots: not as committed",
    ),
    "the seed": (
        lambda w: rewrite(w.folder / "spring.toml", SEED, SEED[::-1]),
        "spring.toml: seed: not as committed",
    ),
    "the value": (
        lambda w: rewrite(w.folder / "spring.reveal.json", "9f3e", "9f3f"),
        "spring.reveal.json: not as it was written: the fingerprint",
    ),
    "the committed plan": (
        lambda w: rewrite(w.folder / "spring.commit.json", "seven hens", "six hens"),
        "spring.commit.json: not as it was written",
    ),
    "no commitment": (
        lambda w: (w.folder / "spring.commit.json").unlink(),
        "spring.commit.json: there is no such file",
    ),
    "no value": (
        lambda w: (w.folder / "spring.reveal.json").unlink(),
        "results, but the luck of the tournament is not drawn",
    ),
    "another value": (
        lambda w: commit_anew(w, "9f3f"),
        "of a tournament with another seed and another value of the beacon than in spring.toml",
    ),
    "no beacon any more": (
        without_beacon,
        "of a tournament with another seed than in spring.toml",
    ),
}


@pytest.mark.parametrize(("alter", "flaw"), CHANGES.values(), ids=CHANGES)
def test_verify_finds_a_change_of_any_part_of_the_luck(
    workspace: Workspace, alter: Callable[[Workspace], None], flaw: str
) -> None:
    alter(workspace)
    found = verdict(workspace)
    assert any(flaw in one for one in found["flaws"]), found["flaws"]
    assert not verdict(workspace, "--replays-only")["ok"]


@pytest.mark.parametrize(
    "name", ["the plan", "the value", "the committed plan", "no commitment", "another value"]
)
def test_a_changed_tournament_is_not_played_on(workspace: Workspace, name: str) -> None:
    CHANGES[name][0](workspace)
    result = ask(workspace, "run")
    assert result.exit_code == (1 if name == "another value" else 2), result.output


def test_a_replay_that_was_made_with_other_luck_is_found_though_all_its_hashes_fit(
    workspace: Workspace,
) -> None:
    path = workspace.folder / "replays" / stored(workspace)[0].replay
    replay = files.read(path)
    assert isinstance(replay.header.beacon, Beacon)
    other = msgspec.structs.replace(replay.header.beacon, value="9f3f")
    key = deal_key(other.seed(SEED), replay.header.deal)
    header: Header = msgspec.structs.replace(
        replay.header, beacon=other, commit=commitment(key, replay.header.match)
    )
    play = play_hash(header, replay.entries, replay.result, key)
    path.write_bytes(
        b"".join(chained([header, *replay.entries, replay.result, Reveal(key.hex()), PlayHash(play)]))
    )
    assert any(str(path) in flaw for flaw in verdict(workspace)["flaws"])
    (flaw,) = verdict(workspace, "--replays-only")["flaws"]
    assert str(path) in flaw


# Bots.

LISTENER = """
import json, os, sys
def say(**message):
    print(json.dumps(message), flush=True)
token = os.environ.get("REFEREE_TOKEN")
say(type="hello", protocol=[1], name="me", wants=["view", "legal", "events"], token=token)
with open("heard", "a") as heard:
    for line in sys.stdin:
        message = json.loads(line)
        heard.write(line)
        heard.flush()
        if message["type"] == "start":
            say(type="ready", match=message["match"])
        if message["type"] == "ask":
            say(type="act", match=message["match"], id=message["id"], action=message["legal"][0])
"""


def test_a_bot_is_sent_nothing_of_the_luck_and_its_parts(fresh: Workspace) -> None:
    fresh.write("bot.py", LISTENER)
    write_plan(
        fresh, ["ann"], extra='[[bots]]\nname = "me"\ncommand = "bot.py"\nluck = "seven hens"', **TERMS
    )
    for words in (["commit"], ["reveal", "--beacon", "9f3e77"], ["run", "--quiet"]):
        result = ask(fresh, *words)
        assert result.exit_code == 0, result.output
    heard = (fresh.folder / "heard").read_text()
    luck = json.loads(ask(fresh, "status", "--json").stdout)["luck"]
    assert '"commit"' in heard
    for secret in (SEED, "9f3e77", "seven hens", "drand", luck["commitment"], luck["fingerprint"]):
        assert secret not in heard
