"""`referee tournament verify` finds every change of a result or a replay, and reports nothing else."""

import json
import os
import random
import shutil
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from referee.cli import main
from referee.replay import files
from referee.replay.hashchain import START
from tests.end_to_end.commands import Workspace, workspace_in
from tests.end_to_end.ladders import play, stored, write_plan
from tournaments.store import chain
from tournaments.store.errors import StoreError
from tournaments.store.schema import MatchRows
from tournaments.store.store import Store


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a tournament that was played to its end."""
    folder = tmp_path_factory.mktemp("finished")
    with workspace_in(folder) as workspace:
        write_plan(workspace, ["ann", "bob", "cleo"], blocks=2)
        play(workspace)
    return folder


@pytest.fixture
def workspace(finished: Path, tmp_path: Path) -> Iterator[Workspace]:
    """Give a copy of that tournament."""
    shutil.copytree(finished, tmp_path, dirs_exist_ok=True)
    with workspace_in(tmp_path) as workspace:
        yield workspace


def verify(workspace: Workspace, *words: str) -> Result:
    asked = ["tournament", "verify", str(workspace.folder / "spring.toml"), *words]
    return CliRunner().invoke(main, asked, prog_name="referee")


def verdict(workspace: Workspace, *words: str) -> dict[str, Any]:
    """Return what the command has found; its exit code must say the same."""
    result = verify(workspace, "--json", *words)
    assert result.exit_code in (0, 1), result.output
    told: dict[str, Any] = json.loads(result.stdout)
    assert (result.exit_code == 0) == told["ok"] == (not told["flaws"])
    return told


def store_of(workspace: Workspace) -> Path:
    return workspace.folder / "spring.db"


def replays_of(workspace: Workspace) -> list[Path]:
    return sorted((workspace.folder / "replays").glob("*.jsonl"))


def change(workspace: Workspace, *statements: str) -> None:
    """Change the store behind the referee's back."""
    with closing(sqlite3.connect(store_of(workspace))) as connection, connection:
        for statement in statements:
            connection.execute(statement)


def test_an_untouched_tournament_is_in_order(workspace: Workspace) -> None:
    result = verify(workspace)
    assert result.exit_code == 0, result.output
    with Store(store_of(workspace), write=False) as store:
        head = store.head()
    assert f"OK  12 results, 12 replays played again\nhead {head.hash}\n" == result.stdout
    assert "12/12 matches" not in result.stdout
    told = verdict(workspace)
    assert (told["results"], told["head"]) == (12, head.hash)
    assert (told["stray"], told["running"]) == ([], False)


# Any changed byte.


def flips(workspace: Workspace, seed: str) -> Iterator[tuple[Path, int, int]]:
    """Return places among all bytes of store and replays, and what to change there, without end."""
    luck = random.Random(seed)
    files = [store_of(workspace), *replays_of(workspace)]
    sizes = [path.stat().st_size for path in files]
    while True:
        (path,) = luck.choices(files, sizes)
        yield path, luck.randrange(path.stat().st_size), luck.randrange(1, 256)


@contextmanager
def flipped(path: Path, place: int, by: int) -> Iterator[None]:
    """Change a byte for a while."""
    data = path.read_bytes()
    path.write_bytes(data[:place] + bytes([data[place] ^ by]) + data[place + 1 :])
    try:
        yield
    finally:
        path.write_bytes(data)
        for beside in (f"{path.name}-wal", f"{path.name}-shm"):
            path.with_name(beside).unlink(missing_ok=True)


@pytest.mark.timeout(1_800)
@pytest.mark.parametrize("count", [60, pytest.param(1_000, marks=pytest.mark.slow)])
def test_every_changed_byte_of_a_result_or_a_replay_is_found(
    workspace: Workspace, count: int, capsys: pytest.CaptureFixture[str]
) -> None:
    before = read(store_of(workspace))
    found = {"store": 0, "replays": 0}
    unread = 0
    for (path, place, by), _ in zip(flips(workspace, f"{count} flips"), range(count), strict=False):
        is_store = path == store_of(workspace)
        with flipped(path, place, by):
            told = verdict(workspace)
            if told["ok"]:
                # A byte of the database that carries nothing: all that can be read is the same.
                assert is_store, f"{path.name}, byte {place} changed by {by:#x}"
                assert read(path) == before, f"{path.name}, byte {place} changed by {by:#x}"
                unread += 1
                continue
        assert any(str(path) in flaw for flaw in told["flaws"]), told["flaws"]
        found["store" if is_store else "replays"] += 1
    with capsys.disabled():
        sys.stdout.write(f"\n{count} changed bytes: {found} found, {unread} of the store carry nothing\n")
    assert all(found.values())
    assert verdict(workspace)["ok"]


def test_every_changed_byte_that_stands_for_a_result_is_found(workspace: Workspace) -> None:
    """Change each byte of every text of one row in turn, where it stands in the file of the store."""
    row = stored(workspace)[3]
    data = store_of(workspace).read_bytes()
    texts = [row.play, row.digest, row.replay, *row.bots]
    places = {place for text in texts for place in _places(data, text.encode())}
    assert len(places) > 150
    for place in sorted(places)[::7]:
        with flipped(store_of(workspace), place, 1):
            told = verdict(workspace)
        assert any(str(store_of(workspace)) in flaw for flaw in told["flaws"]), f"byte {place}"


def _places(data: bytes, text: bytes) -> Iterator[int]:
    """Return the places of all bytes of a text, wherever it stands."""
    begin = data.find(text)
    while begin >= 0:
        yield from range(begin, begin + len(text))
        begin = data.find(text, begin + 1)


def read(path: Path) -> object:
    """Return everything that can be read from a store."""
    with Store(path, write=False) as store:
        return store.contents(), store.head(), store.played()


# Changes that keep the file whole.


TAMPERING = {
    "a score": "UPDATE seats SET score = score + 1 WHERE rowid = 3",
    "a winner": "UPDATE seats SET rank = 3 - rank",
    "a name": "UPDATE seats SET bot = 'bob' WHERE bot = 'ann'",
    "a date": "UPDATE matches SET finished = '2020-01-01T00:00:00+00:00' WHERE number = 5",
    "a match taken out": "DELETE FROM matches WHERE number = 4",
    "a seat taken out": "DELETE FROM seats WHERE rowid = 4",
    "another order": "UPDATE matches SET number = 100 - number",
    "an alias": "UPDATE seats SET name = 'zoe' WHERE rowid = 3",
    "a match made void": "UPDATE matches SET void = 1 WHERE number = 5",
    "another kind of value": "UPDATE seats SET rank = 'first' WHERE rowid = 2",
    "a note": "UPDATE notes SET value = '[]' WHERE name = 'provenance'",
    "a note taken out": "DELETE FROM notes WHERE name = 'provenance'",
    "the version": """UPDATE notes SET value = replace(value, '"referee"', '"referee" ') WHERE number = 1""",
}


@pytest.mark.parametrize("statement", TAMPERING.values(), ids=TAMPERING)
def test_a_change_of_the_store_breaks_the_chain(workspace: Workspace, statement: str) -> None:
    change(workspace, statement)
    told = verdict(workspace)
    assert any("spring.db" in flaw for flaw in told["flaws"]), told["flaws"]


def rechain(workspace: Workspace, *statements: str) -> None:
    """Do what a forger does who has our tools: change results, and make every link anew."""
    change(workspace, *statements)
    change(
        workspace,
        "UPDATE matches SET number = (SELECT count(*) FROM matches m WHERE m.number <= matches.number)",
    )
    with Store(store_of(workspace), write=False) as store:
        contents = store.contents()
    before = START
    with closing(sqlite3.connect(store_of(workspace))) as connection, connection:
        for entry in contents.entries():
            before = chain.link(before, entry)
            table, row = ("matches", entry.match) if isinstance(entry, MatchRows) else ("notes", entry)
            connection.execute(f"UPDATE {table} SET chain = ? WHERE number = ?", (before, row["number"]))


def take_out(workspace: Workspace, number: int) -> None:
    """Do what a forger does who takes out a result: number those behind it, and make every link anew."""
    rechain(
        workspace,
        f"DELETE FROM seats WHERE number = {number}",
        f"DELETE FROM matches WHERE number = {number}",
        f"UPDATE seats SET number = -(number - 1) WHERE number > {number}",
        "UPDATE seats SET number = -number WHERE number < 0",
    )


@pytest.fixture(scope="module")
def nameless(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a finished tournament whose replays do not name the bots."""
    folder = tmp_path_factory.mktemp("nameless")
    with workspace_in(folder) as workspace:
        write_plan(workspace, ["ann", "bob", "cleo"], aliases=True)
        play(workspace)
    return folder


FORGERIES = {
    "bots swapped": (
        "UPDATE seats SET bot = CASE bot WHEN 'ann' THEN 'bob' WHEN 'bob' THEN 'ann' ELSE bot END",
        "bots is ('bob', 'ann'), but should be ('ann', 'bob')",
    ),
    "a bot renamed": ("UPDATE seats SET bot = 'zoe' WHERE bot = 'ann'", "play no match of this id"),
    "another block": ("UPDATE matches SET block = 'x' WHERE number = 2", "block is x, but should be 0"),
    "another round": ("UPDATE matches SET round = 2 WHERE number = 2", "round is 2, but should be 1"),
    "a replay elsewhere": (
        "UPDATE matches SET replay = '../replays/' || replay WHERE number = 3",
        "the replay has another name: ../replays/coins-",
    ),
    "the terms taken out": (
        "UPDATE notes SET name = 'lost' WHERE name = 'terms'",
        "results, but not under which terms they were played",
    ),
}


@pytest.mark.parametrize(("statement", "flaw"), FORGERIES.values(), ids=FORGERIES)
def test_what_no_replay_contains_is_checked_against_the_tournament_file(
    nameless: Path, tmp_path: Path, statement: str, flaw: str
) -> None:
    workspace = Workspace(shutil.copytree(nameless, tmp_path / "copy"))
    assert verdict(workspace)["ok"]
    rechain(workspace, statement)
    told = verdict(workspace)
    assert any(flaw in one for one in told["flaws"]), told["flaws"]


def test_bots_that_were_taken_out_of_the_file_are_no_forgery(workspace: Workspace) -> None:
    write_plan(workspace, ["ann", "bob"])
    told = verdict(workspace)
    assert (told["ok"], told["uncounted"], told["left"]) == (True, 8, 0)
    assert "8 results not counted for the present file." in verify(workspace).stdout


def test_results_of_another_tournament_are_found(workspace: Workspace) -> None:
    write_plan(workspace, ["ann", "bob", "cleo"], extra="[options]\nrounds = 3")
    flaws = verdict(workspace)["flaws"]
    assert flaws[0] == f"{store_of(workspace)}, of a tournament with another options than in spring.toml"
    assert all("played with other options than those of the tournament file" in flaw for flaw in flaws[1:])
    assert len(flaws) == 13


def test_results_taken_out_at_the_end_are_named_by_their_replays_and_betrayed_by_a_head(
    workspace: Workspace,
) -> None:
    head = verdict(workspace)["head"]
    last = stored_in_order(workspace)[-1]
    take_out(workspace, 12)
    told = verdict(workspace)
    assert (told["ok"], told["missed"], told["left"]) == (True, [f"{last}.jsonl"], 1)
    shown = verify(workspace).stdout
    assert f"1 replay of played matches without a result ({last}.jsonl)" in shown
    assert "1 match of the file without a result." in shown
    assert not verdict(workspace, "--head", head)["ok"]


def stored_in_order(workspace: Workspace) -> list[str]:
    with Store(store_of(workspace), write=False) as store:
        return [one.match for one in store.all_played()]


def test_an_emptied_store_beside_its_replays_is_found(workspace: Workspace) -> None:
    store_of(workspace).write_bytes(b"")
    (flaw,) = verdict(workspace)["flaws"]
    assert flaw == f"{store_of(workspace)}: there is no result, but there are 12 replays of played matches"


def test_ranks_that_were_chained_anew_are_found_by_the_replays(workspace: Workspace) -> None:
    rechain(
        workspace,
        "UPDATE seats SET rank = 3 - rank "
        "WHERE number IN (SELECT number FROM matches WHERE match LIKE '%r0')",
    )
    flaws = verdict(workspace)["flaws"]
    assert all("rank of seat 0 is" in flaw for flaw in flaws)
    assert len(flaws) == len(list((workspace.folder / "replays").glob("*r0.jsonl")))


def test_bots_that_were_swapped_and_chained_anew_are_found_by_the_replays(workspace: Workspace) -> None:
    rechain(workspace, "UPDATE seats SET bot = 'cleo' WHERE bot = 'ann'")
    assert any("but the result is that of" in flaw for flaw in verdict(workspace)["flaws"])


def test_a_result_taken_out_with_its_replay_is_betrayed_by_a_head(workspace: Workspace) -> None:
    head = verdict(workspace)["head"]
    (workspace.folder / "replays" / f"{stored_in_order(workspace)[2]}.jsonl").unlink()
    take_out(workspace, 3)
    assert verdict(workspace)["ok"], "there is nothing left to find it by"
    told = verdict(workspace, "--head", head)
    assert told["flaws"] == [f"the head {head} is not in the chain: results up to it were changed or removed"]
    assert told["heads"] == {head: None}


def test_a_head_stays_in_the_chain_when_results_are_added(workspace: Workspace) -> None:
    head = verdict(workspace)["head"]
    write_plan(workspace, ["ann", "bob", "cleo"], blocks=3)
    play(workspace)
    told = verdict(workspace, "--head", head)
    assert (told["ok"], told["results"], told["heads"]) == (True, 18, {head: 12})
    assert told["head"] != head
    assert f"head {head} stood for 12 results; 6 came since" in verify(workspace, "--head", head).stdout


# Replays.


def test_a_replay_that_is_gone_is_missed(workspace: Workspace) -> None:
    (gone, *_) = replays_of(workspace)
    gone.unlink()
    (flaw,) = verdict(workspace)["flaws"]
    assert flaw == f"{gone}: cannot be read: No such file or directory"


def test_a_changed_line_of_a_replay_is_named(workspace: Workspace) -> None:
    (path, *_) = replays_of(workspace)
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join([*lines[:2], lines[2].replace('"seat":', '"seat": '), *lines[3:]]))
    (flaw,) = verdict(workspace)["flaws"]
    assert flaw.startswith(f"{path}, line 3: the chain breaks")


def test_the_replay_of_another_match_under_this_name_is_found(workspace: Workspace) -> None:
    one, other, *_ = replays_of(workspace)
    shutil.copy(other, one)
    (flaw,) = verdict(workspace)["flaws"]
    assert flaw == f"{one}: a whole replay, but not the one that was committed with the result"


def test_a_replay_without_a_result_is_reported_and_examined(workspace: Workspace) -> None:
    one = stored(workspace)[0]
    change(workspace, "DELETE FROM seats WHERE number = 12", "DELETE FROM matches WHERE number = 12")
    stray = workspace.folder / "replays" / "another.jsonl"
    shutil.copy(workspace.folder / "replays" / one.replay, stray)
    told = verdict(workspace)
    assert "another.jsonl" in told["stray"]
    assert f"{stray}: line 1: the replay of match {one.match}" in told["flaws"]


def test_another_seed_does_not_explain_the_replays(workspace: Workspace) -> None:
    write_plan(workspace, ["ann", "bob", "cleo"], seed="another")
    other, *flaws = verdict(workspace)["flaws"]
    assert other == f"{store_of(workspace)}, of a tournament with another seed than in spring.toml"
    assert len(flaws) == 12
    assert all("the luck is not that of the seed in the tournament file" in flaw for flaw in flaws)


def test_a_pipe_among_the_replays_does_not_block(workspace: Workspace) -> None:
    pipe = workspace.folder / "replays" / "coins.jsonl"
    os.mkfifo(pipe)
    (flaw,) = verdict(workspace)["flaws"]
    assert flaw == f"{pipe}: this is no file, but a pipe or a device"


def test_replays_can_be_verified_without_the_store(workspace: Workspace) -> None:
    store_of(workspace).unlink()
    (flaw,) = verdict(workspace)["flaws"]
    assert "there is no store, but there are replays" in flaw
    alone = verify(workspace, "--replays-only")
    assert (alone.exit_code, alone.stdout) == (0, "OK  12 replays played again\n")
    (path, *_) = replays_of(workspace)
    path.write_bytes(path.read_bytes()[:-5])
    assert f"not OK  {path}, line" in verify(workspace, "--replays-only").stdout


def test_packed_replays_are_verified_too(workspace: Workspace) -> None:
    for path in replays_of(workspace):
        files.write(path.with_name(f"{path.name}.gz"), [path.read_bytes()], compress=True)
        path.unlink()
    assert verdict(workspace, "--replays-only")["ok"]


# Before, during and after a run.


def test_nothing_played_is_in_order(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    write_plan(workspace)
    told = verdict(workspace)
    assert (told["ok"], told["results"], told["head"]) == (True, 0, "0" * 64)


def test_a_store_whose_chain_is_broken_is_not_written_to(workspace: Workspace) -> None:
    change(workspace, "UPDATE seats SET score = score + 1 WHERE rowid = 1")
    with pytest.raises(StoreError, match="not as it was committed; restore a copy"):
        Store(store_of(workspace))
    ended = workspace.run("tournament", "run", "spring.toml")
    assert ended.code == 1
    assert "not as it was committed; restore a copy" in ended.err


def test_a_killed_run_leaves_everything_in_order(workspace: Workspace) -> None:
    write_plan(workspace, ["ann", "bob", "cleo"], blocks=100)
    command = workspace.start("tournament", "run", "spring.toml")
    command.wait_for("matches, ")
    command.process.kill()
    command.end()
    killed = verdict(workspace)
    assert killed["ok"]
    write_plan(workspace, ["ann", "bob", "cleo"], blocks=2)
    play(workspace)
    later = verdict(workspace, "--head", killed["head"])
    assert (later["ok"], later["heads"]) == (True, {killed["head"]: killed["results"]})


def test_a_tournament_can_be_verified_while_it_is_played(workspace: Workspace) -> None:
    write_plan(workspace, ["ann", "bob", "cleo"], blocks=200)
    command = workspace.start("tournament", "run", "spring.toml")
    command.wait_for("matches, ")
    told = verdict(workspace)
    command.signal()
    assert (told["ok"], told["running"]) == (True, True)
    assert told["results"] > 12
    assert command.end().code == 130
    later = verdict(workspace, "--head", told["head"])
    assert (later["ok"], later["running"]) == (True, False)
    assert later["heads"] == {told["head"]: told["results"]}


def test_the_head_is_printed_after_a_run_and_in_all_documents(workspace: Workspace) -> None:
    ended = workspace.run("tournament", "run", "spring.toml", "--html", "spring.html")
    head = verdict(workspace)["head"]
    assert f"In the store: 12 results, head {head}\n" in ended.err
    assert f"Chain of results: 12 results, head {head}." in (workspace.folder / "spring.html").read_text()
    for words in (["run", "--quiet"], ["standings"], ["export"], ["status"]):
        command, *options = words
        told = json.loads(workspace.run("tournament", command, "spring.toml", *options, "--json").out)
        assert told["chain"] == {"results": 12, "hash": head}, command


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--head", "5f0c"], "'5f0c' is no head: a head is 64 hex digits"),
        (["--head", "0" * 64, "--replays-only"], "exclude each other"),
    ],
)
def test_a_wrong_question_is_bad_input(workspace: Workspace, words: list[str], said: str) -> None:
    result = verify(workspace, *words)
    assert result.exit_code == 2
    assert said in result.stderr
