"""`referee tournament verify FOLDER`: whether results and replays of a ladder are as they were written."""

import json
import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from referee.cli import main
from referee.server.daybook import RESULTS
from tests.end_to_end.commands import Desk, desk_in


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a ladder on which six matches were played, and the daemon's log beside it."""
    folder = tmp_path_factory.mktemp("ladder")
    with desk_in(folder) as desk:
        words = ("--matches", "6", "--log", "log", "--log-format", "json")
        serving = desk.start("serve", "coins", "--bind", "0", *words, listen="out")
        address = serving.wait_for("Listening at").split()[-1]
        for name in ("first", "random"):
            desk.start("join", address, "--", name)
        assert serving.end().code == 0
    return folder


@pytest.fixture
def desk(played: Path, tmp_path: Path) -> Iterator[Desk]:
    shutil.copytree(played, tmp_path, dirs_exist_ok=True)
    with desk_in(tmp_path) as desk:
        yield desk


def verdict(desk: Desk, *words: str) -> dict[str, Any]:
    asked = ["tournament", "verify", str(desk.folder / "serve"), "--json", *words]
    result = CliRunner().invoke(main, asked, prog_name="referee")
    assert result.exit_code in (0, 1), result.output
    told: dict[str, Any] = json.loads(result.stdout)
    assert (result.exit_code == 0) == told["ok"] == (not told["flaws"])
    return told


def test_an_untouched_ladder_is_in_order_and_its_head_was_printed(desk: Desk) -> None:
    told = verdict(desk)
    assert (told["ok"], told["results"], told["replays"], told["unhashed"]) == (True, 6, 6, 0)
    end = json.loads((desk.folder / "log").read_text().splitlines()[-1])
    assert (end["event"], end["results"], end["head"]) == ("end", 6, told["head"])
    assert told["head"] in (desk.folder / "serve" / "standings.html").read_text()
    assert verdict(desk, "--head", told["head"])["heads"] == {told["head"]: 6}
    ended = desk.run("tournament", "verify", "serve", "--quiet")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out == f"OK  6 results, 6 replays played again\nhead {told['head']}\n"


@pytest.mark.parametrize("count", [60, pytest.param(1_000, marks=pytest.mark.slow)])
@pytest.mark.timeout(1_800)
def test_any_changed_byte_of_results_and_replays_is_found(desk: Desk, count: int) -> None:
    luck = random.Random(f"{count} flips of a ladder")
    files = sorted((desk.folder / "serve").glob("*.jsonl"))
    assert len(files) == 7
    sizes = [path.stat().st_size for path in files]
    for _ in range(count):
        (path,) = luck.choices(files, sizes)
        data = path.read_bytes()
        place, by = luck.randrange(len(data)), luck.randrange(1, 256)
        path.write_bytes(data[:place] + bytes([data[place] ^ by]) + data[place + 1 :])
        flaws = verdict(desk)["flaws"]
        assert any(str(path) in flaw for flaw in flaws), f"{path.name}, byte {place} changed by {by:#x}"
        path.write_bytes(data)
    assert verdict(desk)["ok"]


def test_results_and_replays_that_do_not_belong_together_are_found(desk: Desk) -> None:
    one, other = sorted((desk.folder / "serve").glob("*-r?.jsonl"))[:2]
    shutil.copy(other, one)
    (flaw,) = verdict(desk)["flaws"]
    assert flaw == f"{one}: a whole replay, but not the one that was committed with the result"
    one.unlink()
    (flaw,) = verdict(desk)["flaws"]
    assert flaw == f"{one}: cannot be read: No such file or directory"


def test_a_line_that_was_cut_off_is_reported_and_is_no_forgery(desk: Desk) -> None:
    head = verdict(desk)["head"]
    path = desk.folder / "serve" / RESULTS
    path.write_bytes(path.read_bytes()[:-9])
    ended = desk.run("tournament", "verify", "serve")
    assert ended.code == 0
    assert "the last line is cut off, as after a crash" in ended.out
    assert "1 replay of played matches without a result" in ended.out
    told = verdict(desk, "--head", head)
    assert (told["ok"], told["results"], told["heads"]) == (False, 5, {head: None})


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["."], "neither a tournament file nor the folder of a ladder: it has no results.jsonl"),
        (["serve", "--replays-only"], "--replays-only is for tournaments"),
        (["serve", "--head", "5f0c"], "'5f0c' is no head"),
        (["nowhere"], "nowhere"),
    ],
)
def test_a_wrong_question_is_bad_input(desk: Desk, words: list[str], said: str) -> None:
    ended = desk.run("tournament", "verify", *words)
    assert ended.code == 2
    assert said in ended.err
