"""`referee tournament` on the folder of a ladder: verify, status, standings and export."""

import json
import random
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from referee.cli import main
from tests.end_to_end.commands import Workspace, workspace_in
from tests.end_to_end.ladders import kept_by_ladder
from tournaments.store.ladders import STORE
from tournaments.store.store import Store

OLD = Path(__file__).parents[1] / "data" / "referee-0.1.0"


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a ladder on which six matches were played, and the daemon's log beside it."""
    folder = tmp_path_factory.mktemp("ladder")
    with workspace_in(folder) as workspace:
        words = ("--matches", "6", "--log", "log", "--log-format", "json")
        serving = workspace.start("serve", "coins", "--bind", "0", *words, listen="out")
        address = serving.wait_for("Listening at").split()[-1]
        for name in ("first", "random"):
            workspace.start("join", address, "--", name)
        assert serving.end().code == 0
    return folder


@pytest.fixture
def workspace(played: Path, tmp_path: Path) -> Iterator[Workspace]:
    shutil.copytree(played, tmp_path, dirs_exist_ok=True)
    with workspace_in(tmp_path) as workspace:
        yield workspace


def verdict(workspace: Workspace, *words: str) -> dict[str, Any]:
    asked = ["tournament", "verify", str(workspace.folder / "serve"), "--json", *words]
    result = CliRunner().invoke(main, asked, prog_name="referee")
    assert result.exit_code in (0, 1), result.output
    told: dict[str, Any] = json.loads(result.stdout)
    assert (result.exit_code == 0) == told["ok"] == (not told["flaws"])
    return told


def test_an_untouched_ladder_is_in_order_and_its_head_was_printed(workspace: Workspace) -> None:
    told = verdict(workspace)
    assert (told["ok"], told["results"], told["replays"]) == (True, 6, 6)
    end = json.loads((workspace.folder / "log").read_text().splitlines()[-1])
    assert (end["event"], end["results"], end["head"]) == ("end", 6, told["head"])
    assert told["head"] in (workspace.folder / "serve" / "standings.html").read_text()
    assert verdict(workspace, "--head", told["head"])["heads"] == {told["head"]: 6}
    ended = workspace.run("tournament", "verify", "serve", "--quiet")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out == f"OK  6 results, 6 replays played again\nhead {told['head']}\n"


@pytest.mark.parametrize("count", [60, pytest.param(1_000, marks=pytest.mark.slow)])
@pytest.mark.timeout(1_800)
def test_every_changed_byte_of_results_and_replays_is_found(workspace: Workspace, count: int) -> None:
    luck = random.Random(f"{count} flips of a ladder")
    store = workspace.folder / "serve" / STORE
    files = [store, *sorted((workspace.folder / "serve").glob("*.jsonl"))]
    assert len(files) == 7
    sizes = [path.stat().st_size for path in files]
    before, found = contents(store), 0
    for _ in range(count):
        (path,) = luck.choices(files, sizes)
        data = path.read_bytes()
        place, by = luck.randrange(len(data)), luck.randrange(1, 256)
        path.write_bytes(data[:place] + bytes([data[place] ^ by]) + data[place + 1 :])
        flaws = verdict(workspace)["flaws"]
        what = f"{path.name}, byte {place} changed by {by:#x}"
        if flaws or path != store:
            assert any(str(path) in flaw for flaw in flaws), what
            found += 1
        else:
            # A byte of the database that carries nothing.
            assert contents(store) == before, what
        path.write_bytes(data)
        for beside in ("-wal", "-shm"):
            store.with_name(f"{store.name}{beside}").unlink(missing_ok=True)
    assert found
    assert verdict(workspace)["ok"]


def contents(path: Path) -> object:
    with Store(path, write=False) as store:
        return store.contents()


def test_results_and_replays_that_do_not_belong_together_are_found(workspace: Workspace) -> None:
    one, other = sorted((workspace.folder / "serve").glob("*-r?.jsonl"))[:2]
    shutil.copy(other, one)
    (flaw,) = verdict(workspace)["flaws"]
    assert flaw == f"{one}: a whole replay, but not the one that was committed with the result"
    one.unlink()
    (flaw,) = verdict(workspace)["flaws"]
    assert flaw == f"{one}: cannot be read: No such file or directory"


def test_results_are_shown_as_those_of_a_tournament_are(workspace: Workspace) -> None:
    rows = kept_by_ladder(workspace.folder / "serve")
    for where in ("serve", f"serve/{STORE}"):
        status = json.loads(workspace.run("tournament", "status", where, "--json").out)
        assert (status["format"], status["game"], status["played"]) == ("ladder", "coins", 6)
        assert (status["running"], status["void"], status["chain"]["results"]) == (None, 0, 6)
        table = json.loads(workspace.run("tournament", "standings", where, "--json").out)["standings"]
        assert (table["matches"], {line["name"] for line in table["table"]}) == (6, {"first", "random"})
        document = json.loads(workspace.run("tournament", "export", where, "--json").out)
        assert [match["match"] for match in document["matches"]] == [row.match for row in rows]
    shown = workspace.run("tournament", "status", "serve")
    assert "played      6 matches\n" in shown.out
    assert "state       not being played\n" in shown.out
    assert len(workspace.run("tournament", "export", "serve").out.splitlines()) == 1 + 2 * 6
    assert len(workspace.run("tournament", "export", "serve", "--grades").out.splitlines()) == 1 + 2
    assert workspace.run("tournament", "export", "serve", "--html", "page.html").code == 0
    address = f"page-matches/{rows[0].match}.html"
    assert f'href="{address}"' in (workspace.folder / "page.html").read_text()
    assert "Result: most coins" in (workspace.folder / address).read_text()


def test_a_ladder_can_be_looked_at_while_it_is_played(workspace: Workspace) -> None:
    head = verdict(workspace)["head"]
    serving = workspace.start("serve", "coins", "--bind", "0", listen="out")
    address = serving.wait_for("Listening at").split()[-1]
    for name in ("first", "random"):
        workspace.start("join", address, "--", name)
    serving.wait_for(": 1. ")
    status = json.loads(workspace.run("tournament", "status", "serve", "--json").out)
    assert (status["running"], status["played"] > 6) == (serving.process.pid, True)
    told = verdict(workspace, "--head", head)
    assert (told["ok"], told["running"], told["heads"]) == (True, True, {head: 6})
    serving.signal()
    assert serving.end().code == 0
    later = verdict(workspace, "--head", told["head"])
    assert (later["ok"], later["heads"]) == (True, {told["head"]: told["results"]})


def test_results_taken_out_at_the_end_are_found_by_a_head(workspace: Workspace) -> None:
    head = verdict(workspace)["head"]
    with closing(sqlite3.connect(workspace.folder / "serve" / STORE)) as connection, connection:
        for table in ("seats", "matches"):
            connection.execute(f"DELETE FROM {table} WHERE number = 6")
    ended = workspace.run("tournament", "verify", "serve")
    assert ended.code == 0
    assert "1 replay of played matches without a result" in ended.out
    told = verdict(workspace, "--head", head)
    assert (told["ok"], told["results"], told["heads"]) == (False, 5, {head: None})


# Results of referee 0.1.0.


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (["tournament", "verify", "ladder"], "ladder/results.jsonl: results"),
        (["tournament", "status", "ladder"], "ladder/results.jsonl: results"),
        (["tournament", "standings", "ladder"], "ladder/results.jsonl: results"),
        (["tournament", "export", "ladder"], "ladder/results.jsonl: results"),
        (["serve", "gangsters", "--bind", "0", "--folder", "ladder"], "ladder/results.jsonl: results"),
        (["tournament", "run", "spring.toml"], "spring.db: a store"),
        (["tournament", "verify", "spring.toml"], "spring.db: a store"),
        (["tournament", "status", "spring.toml"], "spring.db: a store"),
        (["tournament", "standings", "spring.toml"], "spring.db: a store"),
        (["tournament", "export", "spring.toml"], "spring.db: a store"),
        (["tournament", "standings", "spring.db"], "spring.db: a store"),
        (["replay", "show", "ladder/71aea233-1.jsonl"], "ladder/71aea233-1.jsonl: a replay"),
        (["why", "71aea233-1", "--replays", "ladder"], "ladder/71aea233-1.jsonl: a replay"),
    ],
    ids=lambda words: " ".join(words[:3]) if isinstance(words, list) else "",
)
def test_files_of_referee_0_1_0_are_refused_in_one_sentence(
    tmp_path: Path, words: list[str], what: str
) -> None:
    shutil.copytree(OLD, tmp_path, dirs_exist_ok=True)
    with workspace_in(tmp_path) as workspace:
        ended = workspace.run(*words)
    assert (ended.code, ended.out) == (1, "")
    (line,) = ended.err.splitlines()
    assert line.startswith("referee: ")
    assert f"{what} written by referee 0.1.0 (" in line
    assert line.endswith("which this version does not read; read it with referee 0.1.0")


def test_replays_of_referee_0_1_0_do_not_verify_and_say_why(tmp_path: Path) -> None:
    shutil.copytree(OLD, tmp_path, dirs_exist_ok=True)
    with workspace_in(tmp_path) as workspace:
        ended = workspace.run("replay", "verify", "packed/gangsters-516c3c-0001-r0.jsonl.gz")
    assert (ended.code, ended.err) == (1, "")
    assert "a replay written by referee 0.1.0 (format 1), which this version does not read" in ended.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["."], "neither a tournament file nor the folder of a ladder: it has no results.db"),
        (["serve", "--replays-only"], "--replays-only is for tournaments"),
        (["serve", "--head", "5f0c"], "'5f0c' is no head"),
        (["nowhere"], "nowhere"),
    ],
)
def test_a_wrong_question_is_bad_input(workspace: Workspace, words: list[str], said: str) -> None:
    ended = workspace.run("tournament", "verify", *words)
    assert ended.code == 2
    assert said in ended.err
