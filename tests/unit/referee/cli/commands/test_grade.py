"""`referee grade` before anything is played: mistakes of the teacher, and new files."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from referee import registry
from referee.cli import main
from tournaments.config.plan import load
from tournaments.grading.scale_file import load_scale

STAFF = """
game = "coins"
seed = "the secret seed"
blocks = 2
[[bots]]
name = "opponent"
sample = "first"
"""
SCALE = '[[scale]]\nname = "Beats it"\nagainst = "opponent"\nat = [[25, 20], [100, 80]]\n'
FILES = ("--against", "staff.toml", "--scale", "grade.toml")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "staff.toml").write_text(STAFF)
    (tmp_path / "grade.toml").write_text(SCALE)
    return tmp_path


def run(*words: str) -> Result:
    return CliRunner().invoke(main, ["grade", *words])


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (FILES, "name the bot after `--`"),
        ((*FILES[:2], "--", "first"), "referee grade --new DIR"),
        ((*FILES[2:], "--", "first"), "--against FILE"),
        ((*FILES, "--out", "x.json", "--", "first"), "--out belongs to a --format"),
        (
            (*FILES, "--format", "csv", "--format", "text", "--", "first"),
            "cannot both be printed",
        ),
        ((*FILES, "--format", "csv", "--json", "--", "first"), "both use the output"),
        ((*FILES, "--format", "csv", "--out", "grade.toml", "--", "first"), "a file of another kind"),
        ((*FILES, "--format", "classroom50", "--out", "result.json", "--", "first"), "CLASSROOM"),
        ((*FILES, "--game", "coins", "--", "first"), "--game belongs to --new"),
        ((*FILES, "--accept-gap", "bubblewrab", "--", "first"), "is no gap that can be accepted"),
    ],
)
def test_mistakes_of_the_teacher_are_named_and_nothing_is_played(words: tuple[str, ...], why: str) -> None:
    ended = run(*words)
    assert (ended.exit_code, ended.stdout) == (2, "")
    assert why in ended.stderr


def test_a_dry_run_prints_what_is_graded() -> None:
    ended = run(*FILES, "--dry-run")
    assert ended.exit_code == 0
    assert "Beats it      80  20 from 25 %, 80 from 100 %" in ended.output
    assert "4 matches, each deal in all rotations" in ended.output
    assert "secret" not in ended.output


@pytest.mark.parametrize("game", registry.ids())
def test_a_new_pair_of_files_can_be_used_at_once(folder: Path, game: str) -> None:
    assert run("--new", "pair", "--game", game).exit_code == 0
    plan = load(folder / "pair" / "staff.toml")
    assert (plan.game, plan.seed) != ("", "please-change-me")
    assert load_scale(folder / "pair" / "grade.toml", [plan]).most == 100
    printed = run("--against", "pair/staff.toml", "--scale", "pair/grade.toml", "--dry-run", "--json")
    assert json.loads(printed.output)["games"] == [game]


def test_existing_files_are_not_overwritten(folder: Path) -> None:
    ended = run("--new", ".")
    assert (ended.exit_code, "exists already" in ended.stderr) == (2, True)
    assert (folder / "staff.toml").read_text() == STAFF
