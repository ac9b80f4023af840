"""`referee tournament run`, `status`, `standings` and `export` with real bots."""

import json
import os
import re
import shlex
import signal
import stat
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.end_to_end.boxes import needs_box
from tests.end_to_end.commands import SILENT, Workspace, path_for_imports, workspace_in
from tests.end_to_end.hubs import ROOT
from tests.end_to_end.ladders import (
    check_replays,
    outcome,
    play,
    repeatable,
    reported,
    said,
    stored,
    write_plan,
)
from tournaments.store.store import Store

FIRST = """
from protocol.client import run
run(lambda view, legal: legal[0])
"""

LIMITED = """
import resource, sys
from referee.cli import main
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), resource.RLIM_INFINITY))
main(sys.argv[2:], prog_name="referee")
"""
"""Runs a command that can write no file larger than this, as on a disk that is full."""

POWERLESS = """
import ctypes, os, sys
ctypes.CDLL(None).prctl(24, 1)  # PR_CAPBSET_DROP, CAP_DAC_OVERRIDE: even root must keep to permissions
os.execv(sys.executable, [sys.executable, "-m", "referee", *sys.argv[1:]])
"""


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with workspace_in(tmp_path) as workspace:
        yield workspace


def left(workspace: Workspace) -> list[str]:
    """Return what is in the workspace, besides the captured output of commands."""
    return sorted(path.name for path in workspace.folder.iterdir() if not path.name.startswith("other-"))


def script(workspace: Workspace, source: str, *words: str) -> "subprocess.CompletedProcess[str]":
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    return subprocess.run(
        [sys.executable, "-c", source, *words],
        cwd=workspace.folder,
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_tournament_is_played_and_reported(workspace: Workspace) -> None:
    write_plan(workspace, ["ann", "bob", "cleo"], blocks=2)
    before = json.loads(said(workspace, "status", "--json"))
    assert (before["played"], before["left"], before["complete"], before["leader"]) == (0, 12, False, "")
    assert not (workspace.folder / "spring.db").exists()
    ended = workspace.run(
        "tournament", "run", "spring.toml", "--log", "spring.log", "--html", "out/spring.html"
    )
    assert ended.code == 0
    assert "1/12 matches" in ended.err
    assert "The report is in out/spring.html" in ended.err
    played = stored(workspace)
    assert len(played) == 12
    assert Counter(bot for one in played for bot in one.bots) == {"ann": 8, "bob": 8, "cleo": 8}
    check_replays(workspace, played)
    log = (workspace.folder / "spring.log").read_text().splitlines()
    assert sum(" match " in line for line in log) == 12
    after = json.loads(said(workspace, "status", "--json"))
    assert (after["played"], after["left"], after["complete"], after["running"]) == (12, 0, True, None)
    assert after["leader"] in ("ann", "bob", "cleo")
    assert "complete" in said(workspace, "status")
    # Within the grace nothing is charged, and yet every answer takes some time.
    assert after["took_us"] > 0
    assert after["charged_ms"] * 1_000 <= after["took_us"]
    assert " s used by all bots, " in said(workspace, "status")
    table = said(workspace, "standings")
    assert ended.out == table
    assert all(name in table for name in ("ann", "bob", "cleo"))
    assert "<html" in (workspace.folder / "out" / "spring.html").read_text()
    assert said(workspace, "export").count("\n") == 1 + 24
    assert said(workspace, "export", "--grades").count("\n") == 1 + 3
    lock = json.loads((workspace.folder / "spring.lock.json").read_text())
    assert [bot["name"] for bot in lock[0]["bots"]] == ["ann", "bob", "cleo"]
    assert any(
        name.endswith("first.py") and len(hash) == 64 for name, hash in lock[0]["bots"][0]["files"].items()
    )


def test_a_finished_tournament_is_not_played_again(workspace: Workspace) -> None:
    write_plan(workspace)
    play(workspace)
    before = stored(workspace)
    again = workspace.run("tournament", "run", "spring.toml", "--json")
    assert again.code == 0
    assert again.err == "4 of 4 matches are in the store already\n"
    assert stored(workspace) == before
    told = json.loads(again.out)["standings"]
    assert told == json.loads(said(workspace, "standings", "--json"))["standings"]


def test_a_store_that_is_removed_during_a_run_is_noticed(workspace: Workspace) -> None:
    write_plan(workspace, ["ann", "bob", "cleo"], blocks=400)
    command = workspace.start("tournament", "run", "spring.toml")
    command.wait_for("matches, ")
    for path in workspace.folder.glob("spring.db*"):
        path.unlink()
    ended = command.end()
    assert ended.code == 1
    assert "In the store" not in ended.err
    assert "spring.db: the store was removed or replaced while it was in use" in ended.err
    assert f"are in {workspace.folder / 'replays'}" in ended.err
    [saved] = workspace.folder.glob("spring-saved-*.db")
    assert f"all results are saved in {saved}" in ended.err
    saved.rename(workspace.folder / "spring.db")
    write_plan(workspace, ["ann", "bob", "cleo"], blocks=1)
    kept = stored(workspace)
    play(workspace)
    assert kept == [one for one in stored(workspace) if one in kept] != []


def test_replays_and_store_are_closed_to_other_users_for_any_umask(workspace: Workspace) -> None:
    write_plan(workspace)
    before = os.umask(0)
    try:
        ended = workspace.run("tournament", "run", "spring.toml", "--html", "spring.html")
    finally:
        os.umask(before)
    assert ended.code == 0
    modes = {path: stat.S_IMODE(path.stat().st_mode) for path in workspace.folder.rglob("*")}
    replays = workspace.folder / "replays"
    assert modes[replays] == 0o700
    assert {mode for path, mode in modes.items() if path.parent == replays} == {0o600}
    assert {mode for path, mode in modes.items() if path.name.startswith("spring.db")} == {0o600}
    assert modes[workspace.folder / "spring.html"] == 0o666, "what is published is for all"


@pytest.mark.parametrize("level", ["trusted", pytest.param("class", marks=needs_box)])
def test_a_hostile_folder_is_refused_at_once_and_nothing_is_left(workspace: Workspace, level: str) -> None:
    own = workspace.folder / "own"
    own.mkdir()
    (own / "mine.py").write_text(FIRST)
    (own / "x.py").symlink_to("/proc/kmsg")
    write_plan(workspace, ["ann"], extra=table("mine", "mine.py") + '\nfolder = "own"')
    ended = workspace.run("tournament", "run", "spring.toml", "--level", level)
    assert ended.code == 2
    assert "1 of 2 bots does not start, and a match has 2 seats: nothing can be played:" in ended.err
    assert f"bot mine: {own / 'x.py'}: it is a link to" in ended.err
    assert left(workspace) == ["own", "spring.toml"]


@needs_box
def test_bots_of_a_sandbox_are_kept_beside_the_store(workspace: Workspace) -> None:
    own = workspace.folder / "own"
    own.mkdir()
    (own / "mine.py").write_text(FIRST)
    write_plan(workspace, ["ann"], extra=table("mine", "mine.py") + '\nfolder = "own"')
    ended = workspace.run("tournament", "run", "spring.toml", "--level", "class")
    assert ended.code == 0, ended.err
    bundles = workspace.folder / "spring-bots"
    assert stat.S_IMODE(bundles.stat().st_mode) == 0o700
    lock = json.loads((workspace.folder / "spring.lock.json").read_text())
    digests = {bot["name"]: bot["digest"] for bot in lock[0]["bots"]}
    assert {path.name for path in bundles.iterdir()} == set(digests.values())
    assert (bundles / digests["mine"] / "mine.py").read_text() == FIRST


def test_a_bot_that_is_added_plays_only_what_is_missing(workspace: Workspace) -> None:
    write_plan(workspace, ["ann", "bob"])
    play(workspace)
    before = stored(workspace)
    write_plan(workspace, ["ann", "bob", "cleo"])
    ended = workspace.run("tournament", "run", "spring.toml")
    assert ended.code == 0
    assert "4 of 12 matches are in the store already" in ended.err
    after = stored(workspace)
    assert [one for one in after if "cleo" not in one.bots] == before
    assert sum("cleo" in one.bots for one in after) == 8
    write_plan(workspace, ["ann", "bob"])
    table = json.loads(said(workspace, "standings", "--json"))["standings"]
    assert (table["matches"], len(table["table"])) == (4, 2)


def test_more_blocks_are_played_on_top_of_those_that_were(workspace: Workspace) -> None:
    write_plan(workspace, blocks=1)
    play(workspace)
    before = stored(workspace)
    write_plan(workspace, blocks=3)
    play(workspace)
    after = stored(workspace)
    assert len(after) == 6
    assert [one for one in after if one in before] == before


def test_the_number_of_matches_at_once_does_not_change_the_table(workspace: Workspace) -> None:
    write_plan(workspace, ["ann", "bob", "cleo"], blocks=4)
    assert workspace.run("tournament", "run", "spring.toml", "--quiet", "--jobs", "1").code == 0
    one_by_one, rows = outcome(workspace), [repeatable(one) for one in stored(workspace)]
    (workspace.folder / "spring.db").unlink()
    assert workspace.run("tournament", "run", "spring.toml", "--quiet", "--jobs", "6").code == 0
    assert outcome(workspace) == one_by_one
    assert [repeatable(one) for one in stored(workspace)] == rows


@pytest.mark.parametrize("terms", [{"format": "swiss", "rounds": 2}, {"format": "knockout"}])
def test_rounds_follow_one_another(workspace: Workspace, terms: dict[str, Any]) -> None:
    write_plan(workspace, ["ann", "bob", "cleo", "dora"], blocks=1, **terms)
    ended = workspace.run("tournament", "run", "spring.toml", "--quiet")
    assert (ended.code, ended.err) == (0, "")
    played = stored(workspace)
    assert {one.round for one in played} == {1, 2}
    assert {bot for one in played if one.round == 1 for bot in one.bots} == {"ann", "bob", "cleo", "dora"}
    told = json.loads(said(workspace, "status", "--json"))
    assert (told["complete"], told["round"], told["left"]) == (True, 2, 0)


def test_hidden_names_are_seats(workspace: Workspace) -> None:
    write_plan(workspace, aliases=True, blocks=1)
    play(workspace)
    played = stored(workspace)
    assert {one.bots for one in played} == {("ann", "bob"), ("bob", "ann")}
    for one in played:
        header = json.loads((workspace.folder / "replays" / one.replay).read_text().splitlines()[0])
        assert header["names"] == ["seat-0", "seat-1"]


# What goes wrong before the first match.


def test_a_bot_that_does_not_start_is_reported_with_its_stderr_before_any_match(workspace: Workspace) -> None:
    workspace.write("broken.py", "import sys; sys.exit('I lack my book of openings')")
    write_plan(workspace, extra=table("broken", "broken.py"), broken="stop")
    ended = workspace.run("tournament", "run", "spring.toml")
    assert ended.code == 2
    assert "bot broken" in ended.err
    assert "did not start" in ended.err
    assert "I lack my book of openings" in ended.err
    assert left(workspace) == ["broken.py", "spring.toml"]


def test_a_bot_whose_program_is_not_there_is_named(workspace: Workspace) -> None:
    write_plan(workspace, extra='[[bots]]\nname = "ghost"\ncommand = "./nowhere"', broken="stop")
    ended = workspace.run("tournament", "run", "spring.toml")
    assert ended.code == 2
    assert "bot ghost: cannot start './nowhere'" in ended.err


def test_a_report_that_cannot_be_written_is_known_before_any_match(workspace: Workspace) -> None:
    write_plan(workspace)
    ended = workspace.run("tournament", "run", "spring.toml", "--html", "spring.toml/report.html")
    assert ended.code == 2
    assert "cannot write spring.toml/report.html" in ended.err
    assert left(workspace) == ["spring.toml"]


@pytest.mark.parametrize("name", ["spring.toml", "spring.db", "bot.py"])
def test_a_report_does_not_overwrite_a_file_of_another_kind(workspace: Workspace, name: str) -> None:
    workspace.write("bot.py", FIRST)
    write_plan(workspace)
    before = left(workspace)
    ended = workspace.run("tournament", "run", "spring.toml", "--html", name)
    assert ended.code == 2
    assert f"cannot write {name}" in ended.err
    assert "name another file" in ended.err
    assert left(workspace) == before


def test_a_report_replaces_a_report(workspace: Workspace) -> None:
    write_plan(workspace, blocks=1)
    for _ in range(2):
        ended = workspace.run("tournament", "run", "spring.toml", "--html", "spring.html")
        assert ended.code == 0, ended.err


def test_pages_of_matches_that_cannot_be_written_are_known_before_any_match(workspace: Workspace) -> None:
    workspace.write("spring-matches", "a file, where a folder must be")
    write_plan(workspace)
    ended = workspace.run("tournament", "run", "spring.toml", "--html", "spring.html")
    assert ended.code == 2
    assert "cannot write spring-matches" in ended.err
    assert left(workspace) == ["spring-matches", "spring.toml"]


def test_a_store_that_is_no_store_is_refused_and_nothing_is_left(workspace: Workspace) -> None:
    workspace.write("notes.txt", "buy milk\n" * 100)
    write_plan(workspace, store="notes.txt")
    ended = workspace.run("tournament", "run", "spring.toml")
    assert ended.code == 1
    assert "notes.txt: not a database; name another file" in ended.err
    assert left(workspace) == ["notes.txt", "spring.toml"]


def test_a_run_that_fails_leaves_no_report(workspace: Workspace) -> None:
    write_plan(workspace, extra='[[bots]]\nname = "ghost"\ncommand = "./nowhere"', broken="stop")
    ended = workspace.run("tournament", "run", "spring.toml", "--html", "out/spring.html")
    assert ended.code == 2
    assert left(workspace) == ["spring.toml"]


def test_a_store_of_a_run_that_failed_is_not_bound_to_its_terms(workspace: Workspace) -> None:
    workspace.write("broken.py", "raise SystemExit(1)")
    write_plan(workspace, extra=table("broken", "broken.py"), seed="one", broken="stop")
    with Store(workspace.folder / "spring.db"):
        pass
    assert workspace.run("tournament", "run", "spring.toml").code == 2
    write_plan(workspace, seed="two")
    play(workspace)


def test_a_store_of_another_seed_is_refused(workspace: Workspace) -> None:
    write_plan(workspace, seed="one")
    play(workspace)
    before = stored(workspace)
    write_plan(workspace, seed="two")
    ended = workspace.run("tournament", "run", "spring.toml")
    assert ended.code == 1
    assert "spring.db: belongs to a tournament with another seed; name another store" in ended.err
    assert stored(workspace) == before


@pytest.mark.parametrize("form", ["swiss", "knockout"])
def test_a_tournament_in_rounds_takes_no_bot_in_once_it_has_begun(workspace: Workspace, form: str) -> None:
    write_plan(workspace, ["ann", "bob"], format=form, blocks=1)
    play(workspace)
    before = stored(workspace)
    write_plan(workspace, ["ann", "bob", "cleo"], format=form, blocks=1, next_event="in May")
    ended = workspace.run("tournament", "run", "spring.toml")
    assert ended.code == 0
    late = f"spring has begun, and a {form} takes no bots after its first match: the next event starts in May"
    assert f"bot cleo does not play: {late}" in ended.err
    assert f"Left out: cleo: {late}." in ended.out
    assert stored(workspace) == before


def test_a_second_process_on_the_same_store_is_refused(workspace: Workspace) -> None:
    running, bot = silent(workspace)
    write_plan(workspace, ["ann"], extra=bot)
    command = workspace.start("tournament", "run", "spring.toml")
    command.wait_for_fifo(running)
    second = workspace.run("tournament", "run", "spring.toml")
    assert second.code == 1
    assert f"spring.db: process {command.process.pid} is playing this tournament" in second.err
    told = json.loads(said(workspace, "status", "--json"))
    assert told["running"] == command.process.pid
    command.process.kill()


def test_a_store_that_may_only_be_read_is_refused_and_can_be_looked_at(workspace: Workspace) -> None:
    write_plan(workspace, store="kept/spring.db")
    play(workspace)
    table = said(workspace, "standings")
    folder = workspace.folder / "kept"
    write_plan(workspace, store="kept/spring.db", blocks=3)
    for path in folder.iterdir():
        path.chmod(0o400)
    folder.chmod(0o500)
    try:
        ended = script(workspace, POWERLESS, "tournament", "run", "spring.toml")
        looked = script(workspace, POWERLESS, "tournament", "standings", "spring.toml")
    finally:
        folder.chmod(0o700)
    assert ended.returncode == 2
    assert "spring.db: cannot be written: Permission denied" in ended.stderr
    assert (looked.returncode, looked.stdout) == (0, table)


def test_a_store_whose_file_may_only_be_read_is_refused(workspace: Workspace) -> None:
    write_plan(workspace)
    play(workspace)
    (workspace.folder / "spring.db").chmod(0o400)
    ended = script(workspace, POWERLESS, "tournament", "run", "spring.toml")
    assert ended.returncode == 1
    assert "spring.db: it cannot be written: it is read-only" in ended.stderr


def test_a_place_where_replays_cannot_be_kept_is_refused_before_anything_starts(workspace: Workspace) -> None:
    write_plan(workspace)
    (workspace.folder / "replays").write_text("a file, and no folder")
    ended = workspace.run("tournament", "run", "spring.toml")
    assert ended.code == 2
    assert f"{workspace.folder / 'replays'}: replays cannot be kept there: File exists" in ended.err
    assert [path.name for path in workspace.folder.glob("spring*")] == ["spring.toml"]


# What goes wrong later.


def test_a_full_disk_ends_the_run_and_loses_nothing(workspace: Workspace) -> None:
    write_plan(workspace, ["ann", "bob", "cleo"], blocks=40)
    ended = script(workspace, LIMITED, str(200 * 1024), "tournament", "run", "spring.toml", "--log", "log")
    assert ended.returncode == 1
    assert "spring.db: it cannot be written (is the disk full?)" in ended.stderr
    assert "to continue: referee tournament run spring.toml" in ended.stderr
    kept = stored(workspace)
    assert 0 < len(kept) < 240
    assert reported((workspace.folder / "log").read_text().splitlines()) == {one.match for one in kept}
    check_replays(workspace, kept)
    play(workspace)
    after = stored(workspace)
    assert len(after) == 240
    assert [one for one in after if one in kept] == kept


def silent(workspace: Workspace) -> tuple[Path, str]:
    """Return a FIFO that is written when the bot is asked, and a bot that never answers."""
    workspace.write("silent.py", SILENT)
    fifo = workspace.folder / "asked"
    os.mkfifo(fifo)
    return fifo, table("silent", "silent.py", str(fifo))


def table(name: str, *words: str) -> str:
    """Return the table of a bot in Python that can import the kit."""
    command = json.dumps([sys.executable, *words])
    return f'[[bots]]\nname = "{name}"\ncommand = {command}\nenv = {{ PYTHONPATH = "{ROOT}" }}'


def test_the_first_interrupt_finishes_what_runs_and_the_same_command_goes_on(workspace: Workspace) -> None:
    write_plan(workspace, ["ann", "bob", "cleo"], blocks=200)
    command = workspace.start("tournament", "run", "spring.toml")
    command.wait_for("matches, ")
    command.signal(signal.SIGINT)
    ended = command.end()
    assert ended.code == 130
    # Between two matches there is nothing to finish.
    assert "stopping: finishing" in ended.err or "stopping: no match runs" in ended.err
    kept = stored(workspace)
    assert 0 < len(kept) < 1_200
    safe = f"kept in the store: {len(kept)} match{'' if len(kept) == 1 else 'es'}"
    assert f"{safe}; to continue: referee tournament run spring.toml" in ended.err
    write_plan(workspace, ["ann", "bob", "cleo"], blocks=1)
    play(workspace)
    assert [one for one in stored(workspace) if one in kept] == kept


def test_the_second_interrupt_abandons_matches_and_no_bot_is_blamed(workspace: Workspace) -> None:
    asked, bot = silent(workspace)
    write_plan(workspace, ["ann"], extra=bot, jobs=1)
    command = workspace.start("tournament", "run", "spring.toml")
    command.wait_for_fifo(asked)
    command.signal()
    command.wait_for("finishing the match that runs; Ctrl-C again abandons it")
    command.signal()
    ended = command.end()
    assert ended.code == 130
    assert "abandoning the running matches" in ended.err
    assert "void" not in ended.err
    assert stored(workspace) == []


CRASH = """
import sys
from protocol.client import run
run(lambda view, legal: sys.exit("no idea"))
"""


def pasted(workspace: Workspace, explained: str) -> "subprocess.CompletedProcess[str]":
    """Run the command to try again in a shell, as a person does who pastes it."""
    command = explained.partition("To try again:\n")[2]
    here = {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "PYTHONPATH": path_for_imports()}
    return subprocess.run(
        ["sh", "-c", command],
        cwd=workspace.folder,
        env=os.environ | here | {"TMPDIR": str(workspace.folder)},
        capture_output=True,
        text=True,
        check=False,
    )


@needs_box
@pytest.mark.parametrize("level", ["trusted", "class"])
def test_the_command_to_try_again_can_be_pasted_for_a_bot_with_a_folder(
    workspace: Workspace, level: str
) -> None:
    (workspace.folder / "its own").mkdir()
    workspace.write("its own/crash.py", CRASH)
    bot = '[[bots]]\nname = "a bot = x"\ncommand = "crash.py"\nfolder = "its own"'
    write_plan(workspace, ["ann"], extra=bot, blocks=1, level=level)
    assert workspace.run("tournament", "run", "spring.toml").code == 0
    explained = workspace.run("why", stored(workspace)[0].match)
    repeated = pasted(workspace, explained.out)
    assert repeated.returncode == 0, repeated.stderr
    assert "1 crashed" in repeated.stdout
    assert [path.name for path in (workspace.folder / "its own").iterdir()] == ["crash.py"]


def test_a_fault_is_reported_with_its_match_and_the_command_that_explains_it(workspace: Workspace) -> None:
    workspace.write("crash.py", CRASH)
    write_plan(workspace, ["ann"], extra='[[bots]]\nname = "crash"\ncommand = "crash.py"', blocks=1)
    ended = workspace.run("tournament", "run", "spring.toml")
    assert ended.code == 0, ended.err
    lost = {one.match for one in stored(workspace) if "crashed" in one.result.faults}
    assert len(lost) == 2
    commands = re.findall(r"crash \(seat \d\) .* \(crashed\): referee (why \S+.*)", ended.out)
    assert {shlex.split(command)[1] for command in commands} == lost
    explained = workspace.run(*shlex.split(commands[0]))
    assert explained.code == 0, explained.err
    assert "no idea" in explained.out
    repeated = pasted(workspace, explained.out)
    assert repeated.returncode == 0, repeated.stderr
    assert "1 crashed" in repeated.stdout
    for words in (("standings", "spring.toml", "--json"), ("run", "spring.toml", "--json")):
        document = json.loads(workspace.run("tournament", *words).out)
        assert {one["match"] for one in document["faults"]} == lost
        assert {(one["bot"], one["fault"]) for one in document["faults"]} == {("crash", "crashed")}
