"""A recorded decision becomes a position of a suite, which `referee positions` reads as it is."""

import json
from pathlib import Path

import pytest

from referee.errors import ConfigError
from referee.hub.interview import InterviewAnswer
from referee.hub.position_suite import read_tasks
from referee.hub.suite_file import add_position, verdicts_at
from referee.match.faults import FaultCode
from referee.replay.position import Recorded, recorded
from tests.unit.referee.replay.played import SimulatedMatch


@pytest.fixture
def replay(tmp_path: Path) -> Path:
    (tmp_path / "replays").mkdir()
    return SimulatedMatch().ready().play_out().save(tmp_path / "replays" / "m-1.jsonl")


def answer(action: str) -> InterviewAnswer:
    return InterviewAnswer([action], 1)


@pytest.mark.parametrize("name", ["suite.toml", "suite.jsonl", "other/suite.toml"])
def test_the_action_that_was_played_is_forbidden(tmp_path: Path, replay: Path, name: str) -> None:
    found = recorded(replay, 0, 1)
    file = tmp_path / name
    add_position(file, replay, found, verdicts_at(found, (), ()))
    (task,) = read_tasks(file)
    assert task.position.state.view(0) == found.position.state.view(0)
    assert task.failure(answer(found.action)) == "forbidden"
    other = next(action for action in found.position.state.legal(0) if action != found.action)
    assert task.failure(answer(other)) == ""
    written = file.read_text()
    path = json.loads(written)["replay"] if name.endswith("l") and "toml" not in name else written
    assert ("../replays/m-1.jsonl" if "/" in name else "replays/m-1.jsonl") in path


def test_positions_are_appended_and_what_was_there_stays_as_it_is(tmp_path: Path, replay: Path) -> None:
    file = tmp_path / "suite.toml"
    first = recorded(replay, 0, 1)
    legal = first.position.state.legal(0)
    file.write_text(
        f'# mine\n[[positions]]\nreplay = "replays/m-1.jsonl"\nseat = 1\ndecision = 1\n'
        f'forbidden = ["{recorded(replay, 1, 1).action}"]'
    )
    before = file.read_text()
    add_position(file, replay, first, verdicts_at(first, legal[:1], ()))
    assert file.read_text().startswith(before)
    tasks = list(read_tasks(file))
    assert len(tasks) == 2
    assert tasks[1].allowed == legal[:1]


def test_a_position_that_is_there_already_is_refused_and_the_file_stays(tmp_path: Path, replay: Path) -> None:
    file = tmp_path / "suite.toml"
    found = recorded(replay, 0, 1)
    add_position(file, replay, found, verdicts_at(found, (), ()))
    before = file.read_bytes()
    with pytest.raises(ConfigError, match="has this position already: m-1, seat 0, decision 1"):
        add_position(file, replay, found, verdicts_at(found, (), ()))
    assert file.read_bytes() == before


def test_a_file_with_a_mistake_is_not_added_to(tmp_path: Path, replay: Path) -> None:
    file = tmp_path / "suite.toml"
    file.write_text("[[positions]]\nreplay = 'nowhere.jsonl'\nseat = 0\ndecision = 1\n")
    before = file.read_bytes()
    found = recorded(replay, 0, 1)
    with pytest.raises(ConfigError, match=r"suite\.toml, line 1, position 1"):
        add_position(file, replay, found, verdicts_at(found, (), ()))
    assert file.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def unanswered(folder: Path) -> Recorded:
    simulated = SimulatedMatch(seats=3).ready()
    simulated.fail(1, FaultCode.CRASHED)
    return recorded(simulated.play_out().save(folder / "m-2.jsonl"), 1, 1)


def test_where_there_was_no_answer_every_legal_one_passes(tmp_path: Path) -> None:
    found = unanswered(tmp_path)
    assert found.action == ""
    verdicts = verdicts_at(found, (), ())
    assert verdicts.allowed == found.position.state.legal(1)
    add_position(tmp_path / "suite.toml", tmp_path / "m-2.jsonl", found, verdicts)
    (task,) = read_tasks(tmp_path / "suite.toml")
    assert task.failure(answer(verdicts.allowed[0])) == ""


def test_an_action_that_is_not_legal_there_is_refused(replay: Path) -> None:
    with pytest.raises(ConfigError, match="'show 99' is not legal at decision 1"):
        verdicts_at(recorded(replay, 0, 1), ("show 99",), ())
