"""`referee entries` as a teacher runs it: real programs, real builds, and what is left on record."""

import json
import os
import re
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.campaigns.faults.disks import disk
from tests.classroom import programs
from tests.classroom.checks import check_class, whys
from tests.classroom.export import blackboard, export, roster
from tests.classroom.submissions import (
    AGAIN,
    BROKEN,
    EVERYTHING,
    GOOD,
    HOSTILE,
    LATE,
    TEAM_A,
    TEAM_B,
    Author,
    ClassEntry,
    as_file,
    as_folder,
    as_zip,
)
from tests.end_to_end.boxes import needs_box
from tests.end_to_end.commands import Ended, Workspace, workspace_in
from tournaments.config.entry_record import read_record
from tournaments.config.plan import load
from tournaments.entries.class_roster import ClassRoster
from tournaments.entries.intake import Intake
from tournaments.entries.submissions import find_submissions

EVENT = """\
# The event of our class.
game = "gangsters"
seed = "b0b5c1d2e4f6a798b0b5c1d2e4f6a798"
seats = 2
blocks = 1
deadline = 2026-11-18T12:00:00Z
"""
ANN = Author("1", "Ann")
BO = Author("2", "Bo")


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    monkeypatch.setenv("TZ", "UTC")
    with workspace_in(tmp_path) as found:
        yield found


def take(workspace: Workspace, *words: str) -> tuple[Ended, dict[str, Any]]:
    """Take in the folder `subs`, and return the end of the command and its document."""
    ended = workspace.run("entries", "subs", "--into", "event.toml", "--json", *words)
    return ended, json.loads(ended.out) if ended.out else {}


def states(document: dict[str, Any]) -> dict[str, str]:
    return {one["submission"]["bot"]: one["submission"]["state"] for one in document["taken"]}


def test_honest_bots_are_entered_and_play(workspace: Workspace) -> None:
    workspace.write("event.toml", EVENT)
    entries = (
        ClassEntry(ANN, as_zip({"ann/main.py": programs.PYTHON})),
        ClassEntry(BO, as_file(".py", programs.KIT)),
    )
    export(entries, workspace.folder / "subs")
    ended, document = take(workspace)
    assert ended.code == 0, ended
    assert states(document) == {"Ann": "entered", "Bo": "entered"}
    text = (workspace.folder / "event.toml").read_text()
    assert text.startswith(EVENT)
    assert 'entries = "event-entries"' in text
    played = workspace.run("tournament", "run", "event.toml", "--quiet")
    assert played.code == 0, played
    table = workspace.run("tournament", "standings", "event.toml").out
    assert "Ann" in table
    assert "Bo" in table


def test_the_last_good_submission_counts_and_only_new_ones_are_tried(workspace: Workspace) -> None:
    workspace.write("event.toml", EVENT)
    broken = ClassEntry(ANN, as_file(".py", programs.SYNTAX_ERROR), "SyntaxError", "2026-11-18-09-00-00")
    good = ClassEntry(ANN, as_file(".py", programs.PYTHON), time="2026-11-18-10-00-00")
    worse = ClassEntry(ANN, as_folder({"main.py": programs.CRASH}), "IndexError", "2026-11-18-11-00-00")
    subs = export((broken, good), workspace.folder / "subs")
    ended, document = take(workspace)
    assert ended.code == 0
    check_class(document, (broken, good))
    (workspace.folder / "empty").mkdir()
    nothing = workspace.run("entries", "empty", "--into", "event.toml")
    assert nothing.code == 0
    assert nothing.out.startswith("there are no submissions in this folder\n")
    worse.write(subs / blackboard(worse))
    ended, document = take(workspace)
    assert [one["is_new"] for one in document["taken"]] == [False, False, True]
    check_class(document, (worse,))
    plan = load(workspace.folder / "event.toml")
    assert plan.names == ("Ann",)
    assert (plan.bots[0].folder / "bot.py").read_text() == programs.PYTHON
    assert len(read_record(plan.entries).submissions) == 3
    shown = workspace.run("entries", "list", "event.toml", "--all").out
    assert "NOT entered" in shown
    assert "entered" in shown


def test_a_file_that_is_replaced_while_it_is_taken_in_is_tried_by_the_next_intake(
    workspace: Workspace,
) -> None:
    workspace.write("event.toml", EVENT + 'entries = "event-entries"\n')
    subs = export((ClassEntry(ANN, as_file(".py", programs.PYTHON)),), workspace.folder / "subs")
    [ann] = find_submissions(subs, ClassRoster()).submissions
    plans = [load(workspace.folder / "event.toml")]

    def replace(stage: str, _text: str) -> None:
        if stage == "unpacking":
            ann.paths[0].write_text(programs.KIT)

    with Intake(plans, report=replace) as intake:
        taken = intake.take(ann).submission
    assert (taken.state, taken.why) == (
        "failed",
        "it was changed while it was read: the next intake tries it",
    )
    _, document = take(workspace)
    assert states(document) == {"Ann": "entered"}


ALI = ClassEntry(TEAM_A, as_file(".py", programs.PYTHON), time="2026-11-18-09-00-00")
BEA = ClassEntry(TEAM_B, as_file(".py", programs.KIT), time="2026-11-18-09-30-00")


def test_a_roster_is_kept_so_the_next_intake_needs_none(workspace: Workspace) -> None:
    workspace.write("event.toml", EVENT)
    subs = export((ALI,), workspace.folder / "subs")
    roster((ALI, BEA), workspace.folder / "class.csv")
    _, document = take(workspace, "--roster", "class.csv")
    assert states(document) == {"The Aces": "entered"}
    (workspace.folder / "class.csv").unlink()
    BEA.write(subs / blackboard(BEA))
    ended, document = take(workspace)
    assert ended.code == 0, ended
    assert ended.err == "the roster is that of an earlier intake: event-entries/roster.csv\n"
    assert [one["submission"]["state"] for one in document["taken"]] == ["replaced", "entered"]
    assert document["record"]["submissions"][1]["authors"] == ["Ali Demir", "Bea Costa"]


def test_the_roster_by_which_links_are_given_is_that_of_the_next_intake(workspace: Workspace) -> None:
    workspace.write("event.toml", EVENT)
    export((BEA,), workspace.folder / "subs")
    roster((ALI, BEA), workspace.folder / "class.csv")
    assert workspace.run("site", "token", "event.toml", "--roster", "class.csv").code == 0
    _, document = take(workspace)
    assert states(document) == {"The Aces": "entered"}


def test_a_roster_that_comes_later_says_whose_bots_these_are(workspace: Workspace) -> None:
    workspace.write("event.toml", EVENT)
    ann = ClassEntry(ANN, as_file(".py", programs.PYTHON))
    subs = export((ann, ALI, BEA), workspace.folder / "subs")
    _, document = take(workspace)
    assert states(document) == {"Ann": "entered", "Ali Demir": "entered", "Bea Costa": "entered"}
    roster((ann, ALI, BEA), workspace.folder / "class.csv")
    shown = workspace.run("entries", "subs", "--into", "event.toml", "--roster", "class.csv").out
    assert "Bea Costa is of team The Aces, whose bot is Ali Demir: leave out one of the two" in shown
    record = read_record(workspace.folder / "event-entries")
    (team,) = record.of_bot("Ali Demir")
    assert (team.owner, team.ids, team.authors) == (
        "team:the aces",
        ("1005", "1006"),
        ("Ali Demir", "Bea Costa"),
    )
    again = BEA._replace(time="2026-11-18-10-30-00")
    again.write(subs / blackboard(again))
    take(workspace)
    assert [one.state for one in read_record(workspace.folder / "event-entries").of_bot("Ali Demir")] == [
        "replaced",
        "entered",
    ]


def test_of_several_new_ones_of_an_author_the_older_are_called_replaced(workspace: Workspace) -> None:
    workspace.write("event.toml", EVENT)
    newer = ClassEntry(BO, as_file(".py", programs.PYTHON), time="2026-11-18-10-00-00")
    older = ClassEntry(BO, as_file(".py", programs.KIT), time="2026-11-18-09-00-00")
    export((newer, older), workspace.folder / "subs")
    _, document = take(workspace)
    assert [one["submission"]["state"] for one in document["taken"]] == ["replaced", "entered"]


def test_a_late_one_waits_until_it_is_approved(workspace: Workspace) -> None:
    workspace.write("event.toml", EVENT + '[[bots]]\nname = "first"\nsample = "first"\n')
    export(LATE, workspace.folder / "subs")
    ended = workspace.run("entries", "subs", "--into", "event.toml")
    assert ended.code == 1
    assert "waits: Yan Late: it came at 2026-11-19 08:00, after the deadline of 2026-11-18 12:00" in ended.out
    assert load(workspace.folder / "event.toml").names == ("first",)
    assert workspace.run("entries", "approve", "event.toml", "Yan Lat").code == 2
    assert workspace.run("entries", "approve", "event.toml", "Yan Late").code == 0
    assert load(workspace.folder / "event.toml").names == ("first", "Yan Late")
    assert workspace.run("entries", "leave-out", "event.toml", "first", "Yan Late").code == 0
    assert load(workspace.folder / "event.toml").names == ()
    again = workspace.run("entries", "approve", "event.toml", "first")
    assert (again.code, again.err) == (0, "first takes part again\n")
    nothing = workspace.run("entries", "approve", "event.toml", "first")
    assert nothing.code == 2
    assert "nothing to approve" in nothing.err


def test_the_hero_of_a_gauntlet_may_be_left_out(workspace: Workspace) -> None:
    named = "".join(f'[[bots]]\nname = "{name}"\nsample = "first"\n' for name in ("ann", "bo", "cy"))
    workspace.write("event.toml", EVENT + 'format = "gauntlet"\nhero = "ann"\n' + named)
    assert workspace.run("entries", "leave-out", "event.toml", "ann").code == 0
    status = workspace.run("tournament", "status", "event.toml")
    assert status.code == 0, status
    assert "not complete" in status.out
    assert workspace.run("tournament", "standings", "event.toml").code == 0
    ended = workspace.run("tournament", "run", "event.toml")
    assert ended.code == 2
    assert "hero: ann is left out; `referee entries approve event.toml BOT` takes it in again" in ended.err


def test_a_late_one_of_a_bot_that_plays_is_shown_beside_it(workspace: Workspace) -> None:
    workspace.write("event.toml", EVENT)
    in_time = ClassEntry(ANN, as_file(".py", programs.PYTHON), time="2026-11-18-10-00-00")
    late = ClassEntry(ANN, as_file(".py", programs.KIT), time="2026-11-18-13-00-00")
    subs = export((in_time, late), workspace.folder / "subs")
    (subs / "leeann_LATE_12345_67890_bot.py").write_text(programs.PYTHON)
    ended = workspace.run("entries", "subs", "--into", "event.toml")
    assert "deadline was not applied" not in ended.out
    assert re.search(r"^ +Ann +waiting, an earlier one plays ", ended.out, re.M)
    assert re.search(r"^ +leeann +waiting ", workspace.run("entries", "list", "event.toml").out, re.M)


def test_a_name_that_is_no_utf8_is_cleaned_and_stops_no_intake(workspace: Workspace) -> None:
    workspace.write("event.toml", EVENT)
    subs = workspace.folder / "subs"
    subs.mkdir()
    for name in (b"M\xfcller.py", b"Mull\xe9r_2_assignsubmission_file_b\xf6t.py", b"\xff\xfe.py"):
        (subs / os.fsdecode(name)).write_text(programs.PYTHON)
    ended, document = take(workspace)
    assert ended.code == 0, ended
    assert states(document) == {"Müller": "entered", "Mullér": "entered", "ÿþ": "entered"}
    known, document = take(workspace)
    assert known.code == 0
    assert not any(one["is_new"] for one in document["taken"])


def test_a_format_that_takes_no_late_bots_says_when_the_next_event_is(workspace: Workspace) -> None:
    two = "".join(f'[[bots]]\nname = "{name}"\nsample = "first"\n' for name in ("first", "second"))
    text = EVENT.replace("deadline = 2026-11-18T12:00:00Z", 'format = "knockout"\nnext_event = "on Friday"')
    workspace.write("event.toml", text + two)
    assert workspace.run("tournament", "run", "event.toml", "--quiet").code == 0
    export((ClassEntry(ANN, as_file(".py", programs.PYTHON)),), workspace.folder / "subs")
    ended = workspace.run("entries", "subs", "--into", "event.toml")
    assert ended.code == 1
    assert "the next event starts on Friday" in ended.out
    assert "the next event starts on Friday" in workspace.run("entries", "approve", "event.toml", "Ann").err


def test_bad_input_is_refused_before_anything_is_written(workspace: Workspace) -> None:
    workspace.write("event.toml", EVENT)
    workspace.write("class.csv", "shoe,size\n1,2\n")
    (workspace.folder / "subs").mkdir()
    for words, said in (
        (("nowhere", "--into", "event.toml"), "nowhere is not there"),
        (("event.toml", "--into", "event.toml"), "is a file: name the folder"),
        (("subs", "--into", "nothing.toml"), "cannot read nothing.toml"),
        (("subs", "--into", "event.toml", "--roster", "class.csv"), "class.csv:1: no column has ids"),
        (("subs",), "Missing option '--into'"),
        ((".", "--into", "event.toml"), "event.toml is in . itself: put the submissions into a folder of"),
    ):
        ended = workspace.run("entries", *words)
        assert ended.code == 2, words
        assert said in ended.err
    assert (workspace.folder / "event.toml").read_text() == EVENT


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT], ids=["kill", "Ctrl-C"])
def test_an_intake_that_is_ended_keeps_what_it_had_and_the_next_goes_on(
    workspace: Workspace, number: signal.Signals
) -> None:
    workspace.write("event.toml", EVENT)
    os.mkfifo(workspace.folder / "go")
    slow = f'command = "main.py"\nbuild = "read line < {workspace.folder}/go"\n'
    entries = (
        ClassEntry(ANN, as_file(".py", programs.PYTHON), time="2026-11-18-09-00-00"),
        ClassEntry(BO, as_folder({"bot.toml": slow, "main.py": programs.PYTHON}), time="2026-11-18-10-00-00"),
    )
    export(entries, workspace.folder / "subs")
    command = workspace.start("entries", "subs", "--into", "event.toml")
    writer = os.open(workspace.folder / "go", os.O_WRONLY)  # waits until the build reads
    command.signal(number)
    ended = command.end()
    os.close(writer)
    if number is signal.SIGINT:
        assert ended.code == 130
        assert "1 of 2 submissions is on record; the same command takes in the rest" in ended.err
    plan = load(workspace.folder / "event.toml")
    assert plan.names == ("Ann",)
    (workspace.folder / "subs" / blackboard(entries[1]) / "bot.toml").write_text('command = "main.py"\n')
    ended, document = take(workspace)
    assert ended.code == 0, ended
    assert states(document) == {"Ann": "entered", "Bo": "entered"}
    assert plan.entries is not None
    assert sorted(path.name for path in (plan.entries / "bots").iterdir()) == ["0001-ann", "0002-bo"]
    assert not list(plan.entries.glob(".unfinished*"))


def test_a_full_disk_is_no_fault_of_a_submission(tmp_path: Path) -> None:
    building = as_folder({"bot.toml": 'command = "main.py"\nbuild = "true"\n', "main.py": programs.PYTHON})
    padded = as_zip({"main.py": programs.PYTHON, "padding.txt": "x" * (4 << 20)})
    with disk(tmp_path / "small", "3m") as small, workspace_in(tmp_path) as workspace:
        workspace.write("event.toml", EVENT + f'entries = "{small.folder}/entries"\n')
        words = ("--into", str(workspace.folder / "event.toml"))
        command = [sys.executable, "-m", "referee", "entries"]
        for name, writer in (("built", building), ("unpacked", padded)):
            subs = workspace.folder / name
            export((ClassEntry(ANN, writer),), subs)
            ended = small.run(*command, str(subs), *words)
            assert ended.code == 2, ended
            assert "cannot be taken in: " in ended.err
            assert ended.err.count("\n") == 1
        assert not (small.outside / "entries" / "record.json").exists()
        small.resize("700m")
        ended = small.run(*command, str(workspace.folder / "unpacked"), *words)
        assert ended.code == 0, ended


def test_a_tool_that_this_host_lacks_is_named(workspace: Workspace) -> None:
    workspace.write("event.toml", EVENT)
    bot = 'command = "./bot"\nbuild = "test -d . && cobol-to-llama --fast"\n'
    export((ClassEntry(ANN, as_zip({"bot.toml": bot})),), workspace.folder / "subs")
    ended = workspace.run("entries", "subs", "--into", "event.toml")
    assert "this host has no cobol-to-llama, which builds it" in ended.out


def test_a_build_that_fails_is_quoted_and_leaves_only_its_log(workspace: Workspace) -> None:
    workspace.write("event.toml", EVENT)
    export((ClassEntry(ANN, as_file(".c", programs.C_ERROR)),), workspace.folder / "subs")
    ended = workspace.run("entries", "subs", "--into", "event.toml")
    assert ended.code == 1
    assert re.search(r"not entered: Ann: the build exited with code 1 \(cc .*\): .*undeclared", ended.out)
    log = workspace.folder / re.findall(r"the whole log: (.+)", ended.out)[0]
    assert "bot.c:1" in log.read_text()
    again = workspace.run("entries", "subs", "--into", "event.toml")
    assert again.code == 1
    assert "1 bot of them is not entered (`referee entries list event.toml` says why)" in again.out
    entries = workspace.folder / "event-entries"
    assert not list((entries / "bots").iterdir())


CONFINED = EVENT.replace("seats", 'level = "class"\nseats')


@needs_box
def test_a_build_in_the_box_can_write_to_its_own_folder_and_nowhere_else(workspace: Workspace) -> None:
    workspace.write("event.toml", CONFINED)
    secret = workspace.write("secret.txt", "the seed")
    secret.chmod(0o644)
    build = (
        f"cat {secret} > stolen; echo x > {workspace.folder}/planted; echo x > /usr/planted; "
        "(exec 3<>/dev/tcp/127.0.0.1/22) 2>/dev/null && touch network; "
        "cc -O1 -o bot main.c && echo built > mark"
    )
    bot = f"command = './bot'\nbuild = '''{build}'''\n"
    export((ClassEntry(ANN, as_folder({"bot.toml": bot, "main.c": programs.C})),), workspace.folder / "subs")
    ended, document = take(workspace)
    assert states(document) == {"Ann": "entered"}, (ended, document)
    folder = load(workspace.folder / "event.toml").bots[0].folder
    assert (folder / "mark").read_text() == "built\n"
    assert (folder / "stolen").read_text() == ""
    assert not (folder / "network").exists()
    assert not (workspace.folder / "planted").exists()
    assert not Path("/usr/planted").exists()
    assert not (folder / ".build-home").exists()
    assert folder.stat().st_uid == os.getuid()


@needs_box
def test_what_a_build_leaves_behind_changes_nothing_outside_and_stops_no_intake(workspace: Workspace) -> None:
    workspace.write("event.toml", CONFINED)
    key = workspace.write("private.key", "secret")
    key.chmod(0o600)
    builds = {
        "linked": f"ln -s {workspace.folder} d",
        "nested": "i=0; while [ $i -lt 3000 ]; do mkdir d && cd d; i=$((i+1)); done; exit 1",
        "closed": "mkdir d && touch d/f && chmod 0 d && exit 1",
        "painted": "printf '\\033]0;owned\\007'; exit 1",
    }
    subs = workspace.folder / "subs"
    for name, build in builds.items():
        as_folder({"bot.toml": f"command = './d/private.key'\nbuild = {json.dumps(build)}\n"})(subs / name)
    as_folder({"bot.toml": "command = 'no-such-program'\nlanguage = \"\\u001b[31m\"\n"})(subs / "lost")
    ended, document = take(workspace)
    assert ended.code == 1, ended
    assert set(states(document).values()) == {"failed"}
    assert key.stat().st_mode & 0o777 == 0o600
    entries = workspace.folder / "event-entries"
    assert not list((entries / "bots").iterdir())
    logs = "".join(path.read_text() for path in (entries / "logs").iterdir())
    assert "owned" in logs
    for text in (logs, (entries / "record.json").read_text()):
        assert "\x1b" not in text
        assert str(entries) not in text


@needs_box
def test_good_bots_of_several_languages_are_built_and_tested_in_the_box(workspace: Workspace) -> None:
    workspace.write("event.toml", CONFINED)
    export(GOOD, workspace.folder / "subs")
    known = roster((*GOOD, *BROKEN[:1]), workspace.folder / "class.csv")
    ended, document = take(workspace, "--roster", str(known))
    assert ended.code == 0, whys(document)
    check_class(document, GOOD)
    aces = next(one["submission"] for one in document["taken"] if one["submission"]["bot"] == "The Aces")
    assert aces["authors"] == ["Ali Demir", "Bea Costa"]
    assert {"Ann Lee", "Ann Lee-2", "Zoë Müller-Łukasz", "Robo \U0001f469\U0001f4bb"} <= set(states(document))


@needs_box
def test_hostile_archives_are_refused_and_leave_nothing(workspace: Workspace) -> None:
    workspace.write("event.toml", CONFINED)
    export(HOSTILE, workspace.folder / "subs")
    ended, document = take(workspace)
    assert ended.code == 1
    check_class(document, HOSTILE)
    entries = workspace.folder / "event-entries"
    assert not list((entries / "bots").iterdir())
    assert sum(path.stat().st_blocks for path in entries.rglob("*")) * 512 < 1 << 20
    assert not list(workspace.folder.rglob("climb.py"))


@needs_box
@pytest.mark.slow
def test_a_whole_class_is_taken_in(workspace: Workspace) -> None:
    workspace.write("event.toml", CONFINED)
    export(EVERYTHING, workspace.folder / "subs")
    ended, document = take(workspace, "--roster", str(roster(EVERYTHING, workspace.folder / "class.csv")))
    assert ended.code == 1
    check_class(document, (*GOOD, *BROKEN, *HOSTILE, *AGAIN))
    entered = {one.bot for one in read_record(workspace.folder / "event-entries").entered()}
    assert entered == {one.author.team or one.author.name for one in GOOD} - {
        "Robo \U0001f469\u200d\U0001f4bb"
    } | {"Ann Lee-2", "Ivy Loop", "Robo \U0001f469\U0001f4bb"}
    known, document = take(workspace, "--roster", "class.csv")
    assert known.code == 1
    assert not any(one["is_new"] for one in document["taken"])
