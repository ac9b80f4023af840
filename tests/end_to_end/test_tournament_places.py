"""A knockout, a Swiss tournament and pools from the command line: all readers name the same places."""

import csv
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from referee.cli import main
from tests.end_to_end.commands import path_for_imports

TOP = """
name = "Cup"
game = "coins"
seed = "b0b5c1d2e4f6a798b0b5c1d2e4f6a798"
blocks = 1
"""
FORMATS = {
    "knockout": 'format = "knockout"\nthird_place = true\n',
    "swiss": 'format = "swiss"\nrounds = 2\n',
    "pools": 'pools = 2\norder = "points"\n',
}
BOTS = "".join(
    f'[[bots]]\nname = "{name}"\nsample = "{"first" if name == "bob" else "random"}"\n'
    for name in ("ann", "bob", "cyd", "dee", "eve")
)


@pytest.fixture(scope="module", params=FORMATS)
def file(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the file of a tournament that is played."""
    path = tmp_path_factory.mktemp(request.param) / f"{request.param}.toml"
    path.write_text(TOP + FORMATS[request.param] + BOTS)
    command = [sys.executable, "-m", "referee", "tournament", "run", str(path), "--quiet"]
    env = {"PATH": "/usr/bin:/bin", "HOME": str(path.parent), "PYTHONPATH": path_for_imports()}
    ended = subprocess.run(command, env=env, capture_output=True, text=True, timeout=120)
    assert ended.returncode == 0, ended.stderr
    return path


def said(file: Path, command: str, *words: str) -> str:
    result = CliRunner().invoke(main, ["tournament", command, str(file), *words], prog_name="referee")
    assert result.exit_code == 0, result.output
    return result.stdout


def test_status_table_csv_and_json_name_the_same_places(file: Path) -> None:
    standings = json.loads(said(file, "standings", "--json"))["standings"]
    status = json.loads(said(file, "status", "--json"))
    rows = list(csv.DictReader(io.StringIO(said(file, "export", "--table"))))
    assert [row["bot"] for row in rows] == [line["name"] for line in standings["table"]]
    assert [(int(row["place"]), int(row["place_to"]), row["pool"]) for row in rows] == [
        (line["place"], line["place_to"], line["pool"]) for line in standings["table"]
    ]
    assert status["leaders"] == [line["name"] for line in standings["table"] if line["place"] == 1]
    assert status["complete"]
    assert standings["order"] in said(file, "standings")
    assert f"winner      {', '.join(status['leaders'])}" in said(file, "status")


def test_rounds_are_printed_and_exported_with_their_points(file: Path) -> None:
    rounds = json.loads(said(file, "rounds", "--json"))["rounds"]
    rows = list(csv.DictReader(io.StringIO(said(file, "export", "--rounds"))))
    groups = [group for one in rounds for group in one["groups"]]
    resting = [bot for one in rounds for bot in one["resting"]]
    assert [row["bot"] for row in rows if row["rests"] == "0"] == [
        bot for group in groups for bot in group["bots"]
    ]
    assert [row["bot"] for row in rows if row["rests"] == "1"] == resting
    text = said(file, "rounds")
    for one in rounds:
        assert f"{one['title']}: " in text
    assert all(group["played"] == group["matches"] for group in groups)


def test_check_names_order_pools_and_third_place(file: Path) -> None:
    text = said(file, "check")
    expected = {
        "knockout": ("knockout with a match for third place", "by the round that a bot reaches"),
        "swiss": ("swiss of 2 rounds", "by Swiss points, then Buchholz, wins, rating and lot"),
        "pools": (
            "round-robin in 2 pools of 2 or 3 bots",
            "by points, then head-to-head, wins and rating, in each pool",
        ),
    }[file.stem]
    for words in expected:
        assert words in text


def test_the_results_can_be_verified(file: Path) -> None:
    assert said(file, "verify").startswith("OK ")


@pytest.mark.parametrize("file", ["pools"], indirect=True)
def test_a_store_does_not_go_on_with_other_pools(file: Path) -> None:
    other = file.with_name("other.toml")
    other.write_text(file.read_text().replace("pools = 2", 'store = "pools.sqlite"\npools = 1'))
    result = CliRunner().invoke(main, ["tournament", "run", str(other)], prog_name="referee")
    assert result.exit_code == 1
    assert "belongs to a tournament with another number of pools" in result.output
