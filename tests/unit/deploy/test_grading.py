"""The recipes for grading platforms: each is run in the folders that its platform makes."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from referee.cli.commands.grade import grade

ROOT = Path(__file__).parents[3]
DEPLOY = ROOT / "deploy"
GRADING = DEPLOY / "grading"
SCRIPTS = [*sorted(DEPLOY.glob("*/*.sh")), DEPLOY / "gradescope" / "run_autograder"]

STAFF = """
game = "coins"
seed = "the secret seed"
blocks = 1
[[bots]]
name = "opponent"
sample = "first"
"""
SCALE = """
[checks]
submitted = 5
starts = 5
[[scale]]
name = "Beats it"
at = [[0, 10]]
"""
LAST = """
import json, os, sys
def say(kind, **fields):
    print(json.dumps({"type": kind} | fields), flush=True)
say("hello", protocol=[1], name="b", token=os.environ["REFEREE_TOKEN"])
for line in sys.stdin:
    message = json.loads(line)
    match message["type"]:
        case "start":
            say("ready", match=message["match"])
        case "ask":
            say("act", match=message["match"], id=message["id"], action=message["legal"][-1])
        case "bye":
            break
"""


def staff_folder(folder: Path, settings: str = "") -> Path:
    """Make the folder of a teacher."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "staff.toml").write_text(STAFF)
    (folder / "grade.toml").write_text(SCALE)
    (folder / "grade.env").write_text(f"{(GRADING / 'grade.env').read_text()}\n{settings}\n")
    shutil.copy(GRADING / "grade-submission.sh", folder)
    return folder


def submission(folder: Path, code: str = LAST) -> Path:
    """Make the folder of a student."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "bot.py").write_text(code)
    return folder


def run(*words: str | Path, folder: Path, **environment: str | Path) -> str:
    """Run a script as a platform would, with the referee of the tests; return its output."""
    env = os.environ | {"REFEREE": f"{Path(sys.executable).parent}/referee"}
    env |= {name: str(value) for name, value in environment.items()}
    ended = subprocess.run(
        list(map(str, words)), cwd=folder, env=env, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended
    return ended.stdout


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_script_has_no_mistake_of_syntax_and_can_be_run(script: Path) -> None:
    assert subprocess.run(["bash", "-n", script], check=False).returncode == 0
    assert os.access(script, os.X_OK)


def test_gradescope_finds_its_results(tmp_path: Path) -> None:
    staff_folder(tmp_path / "source")
    submission(tmp_path / "submission")
    run("bash", DEPLOY / "gradescope" / "run_autograder", folder=tmp_path, AUTOGRADER=tmp_path)
    found: dict[str, Any] = json.loads((tmp_path / "results" / "results.json").read_text())
    assert (found["score"], len(found["tests"])) == (20, 3)


def test_a_bot_that_is_not_built_gets_the_log_of_its_build(tmp_path: Path) -> None:
    staff_folder(tmp_path / "source", 'BUILD="echo unknown type; false"')
    submission(tmp_path / "submission")
    run("bash", DEPLOY / "gradescope" / "run_autograder", folder=tmp_path, AUTOGRADER=tmp_path)
    found = json.loads((tmp_path / "results" / "results.json").read_text())
    assert found["score"] == 5
    assert "unknown type" in found["tests"][1]["output"]


def test_prairielearn_finds_its_results(tmp_path: Path) -> None:
    staff_folder(tmp_path / "tests")
    submission(tmp_path / "student", "print('hello, world')\n")
    script = GRADING / "grade-submission.sh"
    run("bash", DEPLOY / "prairielearn" / "run.sh", folder=tmp_path, GRADE=tmp_path, GRADER=script)
    assert json.loads((tmp_path / "results" / "results.json").read_text())["score"] == 0.25


def test_the_settings_of_prairielearn_name_the_script_of_the_image() -> None:
    options = json.loads((DEPLOY / "prairielearn" / "info.json").read_text())["externalGradingOptions"]
    copied = re.search(r"^COPY (.+) /usr/local/bin/$", (GRADING / "Containerfile").read_text(), re.MULTILINE)
    assert copied
    names = [f"/usr/local/bin/{Path(word).name}" for word in copied[1].split() if word.endswith(".sh")]
    assert options["entrypoint"] in names
    assert options["timeout"] <= 600
    assert all((DEPLOY / word).is_file() for word in copied[1].split() if word.endswith(".sh"))


def test_the_last_line_of_autolab_has_the_scores(tmp_path: Path) -> None:
    staff = staff_folder(tmp_path / "staff-files")
    shutil.copy(DEPLOY / "autolab" / "autograde.sh", staff)
    lab = tmp_path / "lab"
    lab.mkdir()
    shutil.copy(DEPLOY / "autolab" / "autograde-Makefile", lab / "Makefile")
    for name, source in (("autograde.tar", staff), ("handin.tar", submission(tmp_path / "student"))):
        subprocess.run(["tar", "--create", "--file", lab / name, "--directory", source, "."], check=True)
    last = run("make", "--silent", folder=lab).splitlines()[-1]
    assert json.loads(last) == {
        "scores": {"Submitted": 5, "Starts and says hello": 5, "Beats it": 10},
    }
    (lab / "handin.tar").write_text("no archive")
    shutil.rmtree(lab / "submission")
    last = run("make", "--silent", folder=lab).splitlines()[-1]
    assert json.loads(last)["scores"]["Submitted"] == 5


def test_classroom_50_finds_its_results(tmp_path: Path) -> None:
    staff = staff_folder(tmp_path / "bundle")
    checkout = submission(tmp_path / "checkout")
    given = {
        "CLASSROOM50_BUNDLE_DIR": str(staff),
        "CLASSROOM": "ai",
        "ASSIGNMENT": "coins",
        "ASSIGNMENT_TYPE": "individual",
        "OWNER": "alice",
        "SUBMISSION_TAG": "submit/2026-06-01T14-32-05Z-a1b2c3d",
        "COMMIT_URL": "https://example.org/1",
        "RELEASE_URL": "https://example.org/2",
    }
    run(sys.executable, DEPLOY / "classroom50" / "autograder.py", folder=checkout, **given)
    found = json.loads((checkout / "result.json").read_text())
    assert (found["score"], found["max-score"], found["owner"]) == (20, 20, "alice")
    assert (checkout / "release-body.md").read_text().startswith("## grade")


def test_the_workflow_calls_the_script_with_options_of_ours() -> None:
    text = (DEPLOY / "github-actions" / "grade.yml").read_text()
    assert "grade-submission.sh staff submission" in text
    options = {name for parameter in grade.params for name in parameter.opts}
    assert {"--format", "--out"} <= set(
        re.findall(r"--[a-z]+", text.partition("grade-submission.sh")[2])
    ) & options
