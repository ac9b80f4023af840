"""Tournaments whose results are in PostgreSQL: as with a file, and the server may end at any moment."""

import json
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.end_to_end.commands import Workspace, workspace_in
from tests.end_to_end.ladders import Outcome, check_replays, outcome, play, said, write_plan
from tests.postgres import PostgresServer, postgres_server
from tournaments.config.plan import load
from tournaments.live.event_reading import read_event, state_of
from tournaments.live.sources import tournament_source
from tournaments.results import Played
from tournaments.store.store import Store

BOTS = ["ann", "bob", "cleo"]
BLOCKS = 20
SECRET = "s3cr3t-w0rd"


@pytest.fixture(scope="module")
def killed() -> Iterator[PostgresServer]:
    """Start a server that tests kill."""
    with postgres_server(is_killed=True) as server:
        yield server


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    """Play the tournament in one piece, with a file as its store."""
    return played_in_a_file(tmp_path_factory.mktemp("files") / "unbroken", BLOCKS)


def played_in_a_file(folder: Path, blocks: int) -> Outcome:
    """Play the tournament in one piece, with a file as its store."""
    folder.mkdir()
    whole = Workspace(folder)
    write_plan(whole, BOTS, blocks=blocks)
    play(whole)
    return outcome(whole)


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with workspace_in(tmp_path) as workspace:
        yield workspace


def in_database(workspace: Workspace, server: PostgresServer, *, blocks: int = BLOCKS) -> None:
    """Write the tournament with a store of its own; its URL has a password, which the server ignores."""
    address = server.address()
    url = address.whole.replace("referee@", f"referee:{SECRET}@")
    write_plan(workspace, BOTS, blocks=blocks, store=url)


def rows(workspace: Workspace) -> list[Played]:
    with Store(load(workspace.folder / "spring.toml").store, write=False) as store:
        return store.played()


def test_every_command_works_as_with_a_file_and_no_password_is_shown(
    workspace: Workspace, postgres: PostgresServer
) -> None:
    in_database(workspace, postgres, blocks=1)
    ran = workspace.run(
        *("tournament", "run", "spring.toml", "--log", "log", "--html", "report.html", "--site", "site")
    )
    assert ran.code == 0, ran
    texts = [ran.out, ran.err]
    for command in ("check", "status", "standings", "rounds", "versions", "export"):
        texts.append(said(workspace, command))
        if command not in ("rounds", "export"):
            texts.append(said(workspace, command, "--json"))
    status = json.loads(said(workspace, "status", "--json"))
    assert (status["complete"], status["running"], status["played"]) == (True, None, 6)
    assert status["store"].startswith("postgresql://referee:***@/referee?host=")
    for words in (
        ("tournament", "verify", "spring.toml"),
        ("tournament", "history", "spring.toml"),
        ("tournament", "pair", "spring.toml", "ann", "bob"),
        ("site", "announce", "spring.toml", "Lunch"),
        ("site", "freeze", "spring.toml"),
        ("site", "export", "spring.toml", "--out", "again"),
        ("feedback", "spring.toml", "--out", "feedback"),
        ("why", "--bot", "ann", "spring.toml"),
        ("store", "copy", "spring.toml", "copy.sqlite"),
    ):
        ended = workspace.run(*words)
        texts += [ended.out, ended.err]
        assert ended.code == 0, ended
    with Store(workspace.folder / "copy.sqlite", write=False) as copy:
        notes = copy.contents().notes
    texts += [str(notes)]
    assert any("Lunch" in note["value"] for note in notes)
    written = [path for path in workspace.folder.rglob("*") if path.is_file() and path.name != "spring.toml"]
    assert workspace.folder / "spring.lock.json" in written
    assert not [text for text in texts if SECRET in text]
    assert not [path for path in written if SECRET.encode() in path.read_bytes()]


def test_a_store_is_copied_to_a_database_and_back_with_its_head(
    workspace: Workspace, postgres: PostgresServer
) -> None:
    write_plan(workspace, ["ann", "bob"], blocks=1)
    play(workspace)
    url = postgres.url(postgres.new_database())
    there = workspace.run("store", "copy", "spring.toml", url, "--json")
    assert there.code == 0, there
    document = json.loads(there.out)
    assert document["to"].endswith("&schema=spring")
    back = workspace.run("store", "copy", f"{url}&schema=spring", "back.sqlite")
    assert back.code == 0, back
    assert f"head {document['chain']['hash']}\n" in back.out
    assert back.out.startswith("copied 2 results and ")
    nothing = workspace.run("store", "copy", f"{url}&schema=none", "more.sqlite")
    assert (nothing.code, "there is no such store" in nothing.err) == (1, True)


@pytest.mark.faults
@pytest.mark.parametrize(
    ("kills", "blocks"), [(1, BLOCKS), pytest.param(5, 20 * BLOCKS, marks=pytest.mark.slow, id="many")]
)
def test_a_server_that_is_killed_in_mid_run_and_comes_back_costs_nothing(
    workspace: Workspace, killed: PostgresServer, tmp_path: Path, kills: int, blocks: int
) -> None:
    in_database(workspace, killed, blocks=blocks)
    command = workspace.start("tournament", "run", "spring.toml", "--log", "-", "--quiet")
    for _ in range(kills):
        command.wait_for(" match ")
        killed.kill()
        assert SECRET not in command.wait_for("waiting until it is back")
        killed.start()
        command.wait_for("is back; going on")
    ended = command.end()
    assert ended.code == 0, ended
    assert outcome(workspace) == played_in_a_file(tmp_path / "unbroken", blocks)
    check_replays(workspace, rows(workspace))
    assert workspace.run("tournament", "verify", "spring.toml").code == 0


@pytest.mark.faults
def test_a_run_that_is_given_up_while_the_server_is_gone_continues_later(
    workspace: Workspace, killed: PostgresServer, unbroken: Outcome
) -> None:
    in_database(workspace, killed)
    command = workspace.start("tournament", "run", "spring.toml", "--log", "-", "--quiet")
    command.wait_for(" match ")
    killed.kill()
    command.wait_for("waiting until it is back")
    command.signal(signal.SIGINT)
    command.wait_for("stopping: ")
    command.signal(signal.SIGINT)
    ended = command.end()
    killed.start()
    assert ended.code != 0
    assert "the server gives no connection" in ended.err
    assert "Traceback" not in ended.err
    assert workspace.run("tournament", "run", "spring.toml").code == 0
    assert outcome(workspace) == unbroken


@pytest.mark.faults
def test_a_run_that_is_killed_frees_its_place_at_once(
    workspace: Workspace, postgres: PostgresServer, unbroken: Outcome
) -> None:
    in_database(workspace, postgres)
    for _ in range(2):
        command = workspace.start("tournament", "run", "spring.toml", "--log", "-", "--quiet")
        command.wait_for(" match ")
        # It must not be over before the others have looked at it.
        command.signal(signal.SIGSTOP)
        second = workspace.run("tournament", "run", "spring.toml")
        assert (second.code, f"process {command.process.pid} on host" in second.err) == (1, True), second
        assert f"played by process {command.process.pid}" in said(workspace, "status")
        before = {one.match: one for one in rows(workspace)}
        command.process.kill()
        command.end()
        assert before.items() <= {one.match: one for one in rows(workspace)}.items()
    assert workspace.run("tournament", "run", "spring.toml").code == 0
    assert outcome(workspace) == unbroken


def test_a_site_notices_what_is_new_in_a_database(workspace: Workspace, postgres: PostgresServer) -> None:
    in_database(workspace, postgres, blocks=1)
    source = tournament_source(load(workspace.folder / "spring.toml"))
    assert SECRET not in repr(source)
    before = state_of(source, [])
    assert read_event(source, []).public.played == []
    assert workspace.run("tournament", "run", "spring.toml").code == 0
    played = state_of(source, [])
    assert workspace.run("site", "announce", "spring.toml", "Lunch").code == 0
    announced = state_of(source, [])
    assert before != played != announced == state_of(source, [])
    event = read_event(source, []).public
    assert (len(event.played), event.notes.announcement) == (6, "Lunch")


def test_results_out_of_reach_are_no_flaw(workspace: Workspace, tmp_path: Path) -> None:
    write_plan(workspace, BOTS, store=f"postgresql://me:{SECRET}@/db?host={tmp_path}")
    for command in ("run", "status", "standings", "verify"):
        ended = workspace.run("tournament", command, "spring.toml")
        assert (ended.code, ended.out) == (1, "")
        assert "me:***@/db" in ended.err
        assert "the server gives no connection" in ended.err
        assert SECRET not in ended.err


def test_a_changed_row_is_found_by_verify(workspace: Workspace, postgres: PostgresServer) -> None:
    in_database(workspace, postgres, blocks=1)
    assert workspace.run("tournament", "run", "spring.toml").code == 0
    plan = load(workspace.folder / "spring.toml")
    assert not isinstance(plan.store, Path)
    postgres.run("UPDATE matches SET decisions = decisions + 1 WHERE number = 3", plan.store)
    verdict = workspace.run("tournament", "verify", "spring.toml")
    assert verdict.code == 1
    assert "result 3 (match " in verdict.out + verdict.err
    assert SECRET not in verdict.out + verdict.err
    assert workspace.run("tournament", "run", "spring.toml").code == 1
