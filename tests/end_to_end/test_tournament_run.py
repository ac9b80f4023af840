"""`referee tournament run`, `status`, `standings` and `export` with real bots."""

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.end_to_end.commands import SILENT, Desk, desk_in
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
def desk(tmp_path: Path) -> Iterator[Desk]:
    with desk_in(tmp_path) as desk:
        yield desk


def script(desk: Desk, source: str, *words: str) -> "subprocess.CompletedProcess[str]":
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    return subprocess.run(
        [sys.executable, "-c", source, *words],
        cwd=desk.folder,
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_tournament_is_played_and_reported(desk: Desk) -> None:
    write_plan(desk, ["ann", "bob", "cleo"], blocks=2)
    before = json.loads(said(desk, "status", "--json"))
    assert (before["played"], before["left"], before["complete"], before["leader"]) == (0, 12, False, "")
    assert not (desk.folder / "spring.db").exists()
    ended = desk.run("tournament", "run", "spring.toml", "--log", "spring.log", "--html", "out/spring.html")
    assert ended.code == 0
    assert "1/12 matches" in ended.err
    assert "The report is in out/spring.html" in ended.err
    played = stored(desk)
    assert len(played) == 12
    assert Counter(bot for one in played for bot in one.bots) == {"ann": 8, "bob": 8, "cleo": 8}
    check_replays(desk, played)
    log = (desk.folder / "spring.log").read_text().splitlines()
    assert sum(" match " in line for line in log) == 12
    after = json.loads(said(desk, "status", "--json"))
    assert (after["played"], after["left"], after["complete"], after["running"]) == (12, 0, True, None)
    assert after["leader"] in ("ann", "bob", "cleo")
    assert "complete" in said(desk, "status")
    table = said(desk, "standings")
    assert ended.out == table
    assert all(name in table for name in ("ann", "bob", "cleo"))
    assert "<html" in (desk.folder / "out" / "spring.html").read_text()
    assert said(desk, "export").count("\n") == 1 + 24
    lock = json.loads((desk.folder / "spring.lock.json").read_text())
    assert [bot["name"] for bot in lock[0]["bots"]] == ["ann", "bob", "cleo"]
    assert any(
        name.endswith("first.py") and len(hash) == 64 for name, hash in lock[0]["bots"][0]["files"].items()
    )


def test_a_finished_tournament_is_not_played_again(desk: Desk) -> None:
    write_plan(desk)
    play(desk)
    before = stored(desk)
    again = desk.run("tournament", "run", "spring.toml", "--json")
    assert again.code == 0
    assert again.err == "4 of 4 matches are in the store already\n"
    assert stored(desk) == before
    told = json.loads(again.out)["standings"]
    assert told == json.loads(said(desk, "standings", "--json"))["standings"]


def test_a_bot_that_is_added_plays_only_what_is_missing(desk: Desk) -> None:
    write_plan(desk, ["ann", "bob"])
    play(desk)
    before = stored(desk)
    write_plan(desk, ["ann", "bob", "cleo"])
    ended = desk.run("tournament", "run", "spring.toml")
    assert ended.code == 0
    assert "4 of 12 matches are in the store already" in ended.err
    after = stored(desk)
    assert [one for one in after if "cleo" not in one.bots] == before
    assert sum("cleo" in one.bots for one in after) == 8
    write_plan(desk, ["ann", "bob"])
    table = json.loads(said(desk, "standings", "--json"))["standings"]
    assert (table["matches"], len(table["table"])) == (4, 2)


def test_more_blocks_are_played_on_top_of_those_that_were(desk: Desk) -> None:
    write_plan(desk, blocks=1)
    play(desk)
    before = stored(desk)
    write_plan(desk, blocks=3)
    play(desk)
    after = stored(desk)
    assert len(after) == 6
    assert [one for one in after if one in before] == before


def test_the_number_of_matches_at_once_does_not_change_the_table(desk: Desk) -> None:
    write_plan(desk, ["ann", "bob", "cleo"], blocks=4)
    assert desk.run("tournament", "run", "spring.toml", "--quiet", "--jobs", "1").code == 0
    one_by_one, rows = outcome(desk), [repeatable(one) for one in stored(desk)]
    (desk.folder / "spring.db").unlink()
    assert desk.run("tournament", "run", "spring.toml", "--quiet", "--jobs", "6").code == 0
    assert outcome(desk) == one_by_one
    assert [repeatable(one) for one in stored(desk)] == rows


@pytest.mark.parametrize("terms", [{"format": "swiss", "rounds": 2}, {"format": "knockout"}])
def test_rounds_follow_one_another(desk: Desk, terms: dict[str, Any]) -> None:
    write_plan(desk, ["ann", "bob", "cleo", "dora"], blocks=1, **terms)
    ended = desk.run("tournament", "run", "spring.toml", "--quiet")
    assert (ended.code, ended.err) == (0, "")
    played = stored(desk)
    assert {one.round for one in played} == {1, 2}
    assert {bot for one in played if one.round == 1 for bot in one.bots} == {"ann", "bob", "cleo", "dora"}
    told = json.loads(said(desk, "status", "--json"))
    assert (told["complete"], told["round"], told["left"]) == (True, 2, 0)


def test_hidden_names_are_seats(desk: Desk) -> None:
    write_plan(desk, aliases=True, blocks=1)
    play(desk)
    played = stored(desk)
    assert {one.bots for one in played} == {("ann", "bob"), ("bob", "ann")}
    for one in played:
        header = json.loads((desk.folder / "replays" / one.replay).read_text().splitlines()[0])
        assert header["names"] == ["seat-0", "seat-1"]


# What goes wrong before the first match.


def test_a_bot_that_does_not_start_is_reported_with_its_stderr_before_any_match(desk: Desk) -> None:
    desk.write("broken.py", "import sys; sys.exit('I lack my book of openings')")
    write_plan(desk, extra=table("broken", "broken.py"))
    ended = desk.run("tournament", "run", "spring.toml")
    assert ended.code == 2
    assert "bot broken" in ended.err
    assert "did not start" in ended.err
    assert "I lack my book of openings" in ended.err
    assert stored(desk) == []


def test_a_bot_whose_program_is_not_there_is_named(desk: Desk) -> None:
    write_plan(desk, extra='[[bots]]\nname = "ghost"\ncommand = "./nowhere"')
    ended = desk.run("tournament", "run", "spring.toml")
    assert ended.code == 2
    assert "bot ghost: cannot start './nowhere'" in ended.err


def test_a_report_that_cannot_be_written_is_known_before_any_match(desk: Desk) -> None:
    write_plan(desk)
    ended = desk.run("tournament", "run", "spring.toml", "--html", "spring.toml/report.html")
    assert ended.code == 2
    assert "cannot write spring.toml/report.html" in ended.err
    assert stored(desk) == []


def test_a_store_of_another_seed_is_refused(desk: Desk) -> None:
    write_plan(desk, seed="one")
    play(desk)
    before = stored(desk)
    write_plan(desk, seed="two")
    ended = desk.run("tournament", "run", "spring.toml")
    assert ended.code == 1
    assert "spring.db: belongs to a tournament with another seed; name another store" in ended.err
    assert stored(desk) == before


@pytest.mark.parametrize("form", ["swiss", "knockout"])
def test_a_tournament_in_rounds_takes_no_bot_in_once_it_has_begun(desk: Desk, form: str) -> None:
    write_plan(desk, ["ann", "bob"], format=form, blocks=1)
    play(desk)
    before = stored(desk)
    write_plan(desk, ["ann", "bob", "cleo"], format=form, blocks=1)
    ended = desk.run("tournament", "run", "spring.toml")
    assert ended.code == 1
    assert "belongs to a tournament with another list of bots" in ended.err
    assert stored(desk) == before


def test_a_bot_that_has_changed_is_reported(desk: Desk) -> None:
    desk.write("mine.py", "from sample_bots.python.first import main\nmain()\n")
    bot = table("mine", "mine.py")
    write_plan(desk, ["ann"], extra=bot, blocks=1)
    first = desk.run("tournament", "run", "spring.toml", "--quiet")
    assert (first.code, first.err) == (0, "")
    desk.write("mine.py", "# faster now\nfrom sample_bots.python.first import main\nmain()\n")
    write_plan(desk, ["ann"], extra=bot, blocks=2)
    second = desk.run("tournament", "run", "spring.toml", "--quiet")
    assert second.code == 0
    assert "bot mine is not what it was in the last run" in second.err
    lock = json.loads((desk.folder / "spring.lock.json").read_text())
    assert len(lock) == 2


def test_a_second_process_on_the_same_store_is_refused(desk: Desk) -> None:
    running, bot = silent(desk)
    write_plan(desk, ["ann"], extra=bot)
    command = desk.start("tournament", "run", "spring.toml")
    command.wait_for_fifo(running)
    second = desk.run("tournament", "run", "spring.toml")
    assert second.code == 1
    assert f"spring.db: process {command.process.pid} is playing this tournament" in second.err
    told = json.loads(said(desk, "status", "--json"))
    assert told["running"] == command.process.pid
    command.process.kill()


def test_a_store_that_may_only_be_read_is_refused_and_can_be_looked_at(desk: Desk) -> None:
    write_plan(desk, store="kept/spring.db")
    play(desk)
    table = said(desk, "standings")
    folder = desk.folder / "kept"
    write_plan(desk, store="kept/spring.db", blocks=3)
    for path in folder.iterdir():
        path.chmod(0o400)
    folder.chmod(0o500)
    try:
        ended = script(desk, POWERLESS, "tournament", "run", "spring.toml")
        looked = script(desk, POWERLESS, "tournament", "standings", "spring.toml")
    finally:
        folder.chmod(0o700)
    assert ended.returncode == 1
    assert "spring.db: cannot be written: Permission denied" in ended.stderr
    assert (looked.returncode, looked.stdout) == (0, table)


def test_a_store_whose_file_may_only_be_read_is_refused(desk: Desk) -> None:
    write_plan(desk)
    play(desk)
    (desk.folder / "spring.db").chmod(0o400)
    ended = script(desk, POWERLESS, "tournament", "run", "spring.toml")
    assert ended.returncode == 1
    assert "spring.db: it cannot be written: it is read-only" in ended.stderr


# What goes wrong later.


def test_a_full_disk_ends_the_run_and_loses_nothing(desk: Desk) -> None:
    write_plan(desk, ["ann", "bob", "cleo"], blocks=40)
    ended = script(desk, LIMITED, str(200 * 1024), "tournament", "run", "spring.toml", "--log", "log")
    assert ended.returncode == 1
    assert "spring.db: it cannot be written (is the disk full?)" in ended.stderr
    assert "to continue: referee tournament run spring.toml" in ended.stderr
    kept = stored(desk)
    assert 0 < len(kept) < 240
    assert reported((desk.folder / "log").read_text().splitlines()) == {one.match for one in kept}
    check_replays(desk, kept)
    play(desk)
    after = stored(desk)
    assert len(after) == 240
    assert [one for one in after if one in kept] == kept


def silent(desk: Desk) -> tuple[Path, str]:
    """Return a FIFO that is written when the bot is asked, and a bot that never answers."""
    desk.write("silent.py", SILENT)
    fifo = desk.folder / "asked"
    os.mkfifo(fifo)
    return fifo, table("silent", "silent.py", str(fifo))


def table(name: str, *words: str) -> str:
    """Return the table of a bot in Python that can import the kit."""
    command = json.dumps([sys.executable, *words])
    return f'[[bots]]\nname = "{name}"\ncommand = {command}\nenv = {{ PYTHONPATH = "{ROOT}" }}'


def test_the_first_interrupt_finishes_what_runs_and_the_same_command_goes_on(desk: Desk) -> None:
    write_plan(desk, ["ann", "bob", "cleo"], blocks=200)
    command = desk.start("tournament", "run", "spring.toml")
    command.wait_for("matches, ")
    command.signal(signal.SIGINT)
    ended = command.end()
    assert ended.code == 130
    assert "finishing" in ended.err
    kept = stored(desk)
    assert 0 < len(kept) < 1_200
    safe = f"kept in the store: {len(kept)} match{'' if len(kept) == 1 else 'es'}"
    assert f"{safe}; to continue: referee tournament run spring.toml" in ended.err
    write_plan(desk, ["ann", "bob", "cleo"], blocks=1)
    play(desk)
    assert [one for one in stored(desk) if one in kept] == kept


def test_the_second_interrupt_abandons_matches_and_no_bot_is_blamed(desk: Desk) -> None:
    asked, bot = silent(desk)
    write_plan(desk, ["ann"], extra=bot, jobs=1)
    command = desk.start("tournament", "run", "spring.toml")
    command.wait_for_fifo(asked)
    command.signal()
    command.wait_for("finishing the match that runs; Ctrl-C again abandons it")
    command.signal()
    ended = command.end()
    assert ended.code == 130
    assert "abandoning the running matches" in ended.err
    assert "void" not in ended.err
    assert stored(desk) == []
