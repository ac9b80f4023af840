"""`referee grade` with real bots: a good one, and every way in which a bot can be bad."""

import json
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from referee.process.sandbox.levels import BUBBLEWRAP
from tests.end_to_end.boxes import needs_box
from tests.end_to_end.commands import SILENT, Ended, Workspace, workspace_in
from tests.end_to_end.hubs import BAD

STAFF = """
game = "coins"
seed = "the secret seed"
blocks = 2
{more}
[clock]
first_ms = 1000
move_ms = 500
bank_ms = 0

[[bots]]
name = "opponent"
sample = "first"
"""
SCALE = """
title = "Coins"
[checks]
submitted = 5
starts = 5
no_faults = 10
each_fault = 3
[[scale]]
against = "opponent"
at = [[25, 20], [100, 80]]
"""


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with workspace_in(tmp_path) as workspace:
        workspace.write("staff.toml", STAFF.format(more=""))
        workspace.write("grade.toml", SCALE)
        yield workspace


def grade(workspace: Workspace, *words: str) -> Ended:
    return workspace.run("grade", "--against", "staff.toml", "--scale", "grade.toml", *words)


def graded(workspace: Workspace, *words: str) -> dict[str, Any]:
    """Return the grade of a bot, for the staff."""
    ended = grade(workspace, "--for", "staff", "--json", *words)
    assert ended.code == 0, ended
    found: dict[str, Any] = json.loads(ended.out)
    return found


def points(found: dict[str, Any]) -> list[float]:
    return [mark["points"] for mark in found["marks"]]


def text(found: dict[str, Any]) -> str:
    return "\n".join(line for mark in found["marks"] for line in mark["comment"])


def test_a_good_bot_gets_points_by_the_scale_and_the_same_ones_again(workspace: Workspace) -> None:
    workspace.write("grade.toml", SCALE.replace("starts = 5", "starts = 5\nconformance = 10"))
    found = graded(workspace, "--", "first")
    assert points(found)[:4] == [5, 5, 10, 10], found
    assert found["marks"][4]["rate"]["deals"] == 2
    again = graded(workspace, "--", "first")
    assert again["marks"] == found["marks"]


@pytest.mark.parametrize(
    ("bot", "expected", "why"),
    [
        (
            "illegal",
            [5, 5, 0, 0],
            "4 matches lost because the bot sent an action that",
        ),
        ("exits", [5, 5, 0, 0], "ended its process in mid-match"),
        ("thinks_for_ever", [5, 5, 0, 0], "answered after its time was up"),
        ("exits_at_once", [5, 0, 0, 0], "The bot could not play: it did not start"),
    ],
)
def test_a_bad_bot_is_graded_with_the_reason(
    workspace: Workspace, bot: str, expected: list[float], why: str
) -> None:
    found = graded(workspace, "--", str(BAD), bot)
    assert points(found) == expected
    assert why in text(found)


def test_a_bot_that_is_no_program_or_has_a_bug_gets_its_reason_and_stderr(workspace: Workspace) -> None:
    missing = text(graded(workspace, "--", "nothing.py"))
    assert "there is no program 'nothing.py'" in missing
    assert str(workspace.folder) not in missing
    (workspace.folder / "anna").mkdir()
    workspace.write("anna/typo.py", "import nosuchmodule\n")
    found = graded(workspace, "--", str(workspace.folder / "anna" / "typo.py"))
    assert (points(found), found["bot"]) == ([5, 0, 0, 0], "typo")
    assert "ModuleNotFoundError: No module named 'nosuchmodule'" in text(found)
    assert 'File "./typo.py", line 1' in text(found)
    assert str(workspace.folder) not in json.dumps(found), "paths of the staff's host"


def test_when_the_time_is_over_what_was_played_counts(workspace: Workspace) -> None:
    workspace.write("staff.toml", STAFF.format(more="").replace("bank_ms = 0", "bank_ms = 600000"))
    found = graded(workspace, "--time-limit", "4", "--", str(BAD), "thinks_for_ever")
    assert points(found) == [5, 5, 0, 0]
    assert "The 4 s were over: 4 matches were not played" in found["notes"][0]


def test_after_ctrl_c_there_is_a_grade_of_what_was_played(workspace: Workspace) -> None:
    os.mkfifo(workspace.folder / "asked")
    workspace.write("staff.toml", STAFF.format(more="").replace("first_ms = 1000", "first_ms = 600000"))
    workspace.write("silent.py", SILENT)
    words = ("--against", "staff.toml", "--scale", "grade.toml", "--format", "csv", "--out", "g.csv")
    command = workspace.start("grade", *words, "--", "silent.py", str(workspace.folder / "asked"))
    command.wait_for_fifo(workspace.folder / "asked")
    command.signal(signal.SIGTERM)
    ended = command.end()
    assert ended.code == 130
    assert "The grading was interrupted: 4 matches were not played" in ended.out
    assert "silent,total,10.0,100.0" in (workspace.folder / "g.csv").read_text()


@pytest.mark.parametrize("when", ["start", "examination"])
def test_ctrl_c_before_the_matches_leaves_a_grade_too(workspace: Workspace, when: str) -> None:
    asked = workspace.folder / "asked"
    os.mkfifo(asked)
    workspace.write("grade.toml", SCALE.replace("starts = 5", "starts = 5\nconformance = 10"))
    mute = f"import signal\nopen({str(asked)!r}, 'w').write('begun')\nsignal.pause()\n"
    workspace.write("silent.py", mute if when == "start" else SILENT)
    words = ("--against", "staff.toml", "--scale", "grade.toml", "--format", "csv", "--out", "g.csv")
    command = workspace.start("grade", *words, "--", "silent.py", str(asked))
    command.wait_for_fifo(asked)
    command.signal(signal.SIGTERM)
    ended = command.end()
    assert ended.code == 130
    table = (workspace.folder / "g.csv").read_text()
    if when == "start":
        assert "silent,total,5.0,110.0" in table
        assert "the grading was interrupted before it had started" in ended.out
    else:
        assert "silent,total,10.0,110.0" in table
        assert "Not examined, because the grading was interrupted." in ended.out
        assert "The grading was interrupted: 4 matches were not played" in ended.out


def test_every_output_for_students_is_without_seed_and_command_of_the_staff(workspace: Workspace) -> None:
    outs = []
    for format in ("gradescope", "prairielearn", "junit", "markdown", "csv"):
        outs += ["--format", format, "--out", f"results/{format}"]
    ended = grade(workspace, *outs, "--format", "autolab", "--", "first")
    assert ended.code == 0, ended
    assert json.loads(ended.out.splitlines()[-1])["scores"]["Submitted"] == 5
    written = sorted((workspace.folder / "results").iterdir())
    assert len(written) == 5
    for shown in [ended.out, ended.err, *(path.read_text() for path in written)]:
        assert "secret" not in shown
        assert "staff.toml" not in shown
        assert "sample_bots" not in shown


def test_matches_with_more_seats_are_filled_with_copies_of_the_staff_bot(workspace: Workspace) -> None:
    workspace.write("staff.toml", STAFF.format(more="seats = 3"))
    found = graded(workspace, "--name", "Ann", "--", "first")
    assert (found["bot"], found["marks"][3]["rate"]["deals"]) == ("Ann", 2)


def test_a_staff_bot_that_does_not_start_is_a_mistake_of_the_teacher(workspace: Workspace) -> None:
    broken = STAFF.format(more="").replace('sample = "first"', 'command = "false"')
    workspace.write("staff.toml", broken)
    ended = grade(workspace, "--", "first")
    assert ended.code == 2
    assert "staff.toml: staff bots cannot play:\nbot opponent" in ended.err


@needs_box
def test_in_a_sandbox_a_bot_cannot_read_the_files_of_the_staff(workspace: Workspace) -> None:
    workspace.write("staff.toml", STAFF.format(more='level = "class"'))
    (workspace.folder / "submission").mkdir()
    spy = "import sys\nsys.exit(open(sys.argv[1]).read())\n"
    workspace.write("submission/spy.py", spy)
    found = graded(workspace, "--", "submission/spy.py", str(workspace.folder / "staff.toml"))
    assert "No such file or directory" in text(found)
    assert "secret" not in json.dumps(found)
    ended = grade(workspace, "--", str(workspace.write("beside.py", spy)))
    assert ended.code == 2
    assert "give it a folder of its own" in ended.err


def test_without_a_sandbox_the_teacher_is_asked_first_and_the_report_says_so(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A container without user namespaces is like a host without the program.
    workspace.write("staff.toml", STAFF.format(more='level = "class"'))
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent))
    ended = grade(workspace, "--", "first")
    assert ended.code == 2
    assert f"--accept-gap {BUBBLEWRAP}" in ended.err
    found = graded(workspace, "--accept-gap", BUBBLEWRAP, "--", "first")
    assert found["staff_notes"][0] == (
        "level class is not kept here, so bots run at level trusted, not confined"
    )
    assert "no box can be made" in found["staff_notes"][1]
