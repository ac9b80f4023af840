"""A bot that remembers deals is named by the standings, `play` and `sprt`; honest bots are not."""

import csv
import io
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.end_to_end.commands import Workspace, workspace_in
from tests.end_to_end.ladders import said, write_plan

REMEMBERS = """
from protocol.client import Bot, run

SEEN = {}

class Remembers(Bot):
    def start(self, start):
        deal = start.match.rpartition("-r")[0]
        # What the other bot holds now, turn by turn, is what this bot held the first time: both show the
        # lowest card then.
        self.theirs = list(SEEN.get(deal, []))
        self.own = SEEN.setdefault(deal, [])

    def choose(self, view, legal):
        if view["phase"] != "show":
            return "pass"
        self.own.append(view["hand"])
        if not self.theirs:
            return legal[0]
        low = min(self.theirs.pop(0))
        better = [action for action in legal if int(action.split()[1]) > low]
        return better[0] if better else legal[0]

run(Remembers, name="remembers")
"""
"""Beats the sample `first`, which always shows its lowest card, when a deal comes again."""


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with workspace_in(tmp_path) as workspace:
        workspace.write("remembers.py", REMEMBERS)
        yield workspace


def test_a_tournament_names_the_bot_that_remembers_and_no_other(workspace: Workspace) -> None:
    extra = f'[[bots]]\nname = "elephant"\ncommand = "{sys.executable} remembers.py"'
    write_plan(workspace, ["ann", "bob"], extra=extra, blocks=30, jobs=1)
    ended = workspace.run("tournament", "run", "spring.toml", "--quiet")
    assert ended.code == 0, ended.err
    warnings = [line for line in ended.out.splitlines() if line.startswith("Warning: ")]
    assert [line.split()[2] for line in warnings] == ["elephant"]
    assert "remember" in warnings[0]
    assert "docs/security.md" in warnings[0]
    found = json.loads(said(workspace, "standings", "--json"))["standings"]
    lines = {line["name"]: line for line in found["memory"]}
    assert {name: (line["deals"], line["named"]) for name, line in lines.items()} == {
        "elephant": (60, True),
        "ann": (60, False),
        "bob": (60, False),
    }
    assert lines["elephant"]["interval"][0] > 0
    assert found["memory_level"] == 0.01
    table = list(csv.DictReader(io.StringIO(said(workspace, "export", "--table"))))
    assert {line["bot"]: line["memory_named"] for line in table} == {"elephant": "1", "ann": "0", "bob": "0"}


def test_in_new_processes_for_every_match_it_is_not_named(workspace: Workspace) -> None:
    extra = f'[[bots]]\nname = "elephant"\ncommand = "{sys.executable} remembers.py"'
    write_plan(workspace, ["ann"], extra=extra, blocks=12, jobs=1, fresh=True)
    ended = workspace.run("tournament", "run", "spring.toml", "--quiet")
    assert ended.code == 0, ended.err
    assert "Warning: " not in ended.out


def test_play_and_sprt_name_it_too(workspace: Workspace) -> None:
    words = (
        "--bot",
        "elephant=remembers.py",
        "--bot",
        "first",
        "--deals",
        "40",
        "--jobs",
        "1",
        "--seed",
        "7",
    )
    ended = workspace.run("play", "coins", *words)
    assert ended.code == 0, ended.err
    assert "Warning: bot elephant seems to remember deals" in ended.out
    document = json.loads(workspace.run("play", "coins", *words, "--json").out)
    assert [(line["name"], line["named"]) for line in document["memory"]] == [
        ("elephant", True),
        ("first", False),
    ]
    words = ("--game", "coins", "--elo0", "300", "--elo1", "310", "--jobs", "1", "--max-blocks", "40")
    ended = workspace.run("sprt", "elephant=remembers.py", "first", *words, "--seed", "7", "--json")
    verdict = json.loads(ended.out)
    assert [(line["name"], line["named"]) for line in verdict["memory"]] == [
        ("elephant", True),
        ("first", False),
    ]


def test_without_mirrored_deals_there_is_nothing_to_compare(workspace: Workspace) -> None:
    words = ("--bot", "random", "--bot", "first", "--matches", "4", "--no-mirror", "--json")
    assert json.loads(workspace.run("play", "coins", *words).out)["memory"] == []
