"""A seat file asks a bot the same as the replay does, and holds nothing that is hidden from the seat."""

import json
from pathlib import Path

import pytest

from referee import registry
from referee.errors import ConfigError, RecordError
from referee.player.frames import frames
from referee.replay import files
from referee.replay.ledger import ledger
from referee.replay.position import recorded
from referee.replay.seat_file import read_seat_file, seat_file_bytes
from tests.unit.referee.replay.played import SimulatedMatch

every_game = pytest.mark.parametrize("game", sorted(registry.ids()))


def written(folder: Path, game: str, seat: int, *, wild: bool = False) -> tuple[Path, Path]:
    """Play a match; return its replay, and the file of a seat."""
    simulated = SimulatedMatch("s-3", game=game, strikes=3 if wild else 1, options=None)
    simulated = simulated.misbehave(6) if wild else simulated.ready().play_out()
    path = simulated.save(folder / "m-1.jsonl")
    replay = files.read(path)
    own = folder / "m-1.seat.json"
    own.write_bytes(seat_file_bytes(seat, replay.header.clock, 1, frames(replay, [str(seat)]), "1.2.3"))
    return path, own


@every_game
@pytest.mark.parametrize("wild", [False, True])
def test_a_seat_file_has_the_decisions_of_the_replay(tmp_path: Path, game: str, wild: bool) -> None:
    path, own = written(tmp_path, game, 1, wild=wild)
    count = len(ledger(files.read(path), 1))
    assert read_seat_file(own).decisions == count
    for decision in range(1, count + 1, max(1, count // 8)):
        real, seen = recorded(path, 1, decision), recorded(own, None, decision)
        for each in (real, seen):
            assert each.position.seat == 1
        assert seen.position.state.view(1) == real.position.state.view(1)
        assert seen.position.state.legal(1) == real.position.state.legal(1)
        sent = [event.seen_by(1) for event in seen.position.events]
        assert sent == [event.seen_by(1) for event in real.position.events]
        assert (seen.action, seen.by, seen.clock) == (real.action, real.by, real.clock)


def test_a_seat_file_has_neither_key_nor_seed_nor_the_actions_of_others(tmp_path: Path) -> None:
    path, own = written(tmp_path, "chicago-poker", 0)
    replay = files.read(path)
    for secret in (replay.key.hex(), replay.header.commit, '"seed"', '"key"'):
        assert secret not in own.read_text()
    steps = json.loads(own.read_text())["frames"]["tracks"]["0"]
    did = [step["did"] for step in steps if "did" in step]
    assert did
    assert {each["seat"] for each in did} == {0}


def test_another_seat_and_a_decision_that_is_not_there_are_refused(tmp_path: Path) -> None:
    path, own = written(tmp_path, "coins", 1)
    with pytest.raises(ConfigError, match="it has what seat 1 saw, and nothing of other seats"):
        recorded(own, "Ada", 1)
    with pytest.raises(ConfigError, match="so there is no 99"):
        recorded(own, "Bo", 99)
    with pytest.raises(ConfigError, match=r"which seat is asked\? Add --seat: it has 0 \(Ada\), 1 \(Bo\)"):
        recorded(path, None, 1)


@pytest.mark.parametrize("text", ["", "{}", '{"type":"seat"}', "not JSON", '{"type":"seat","format":9}'])
def test_a_file_that_is_none_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "m.seat.json"
    path.write_text(text)
    with pytest.raises(RecordError, match=r"m\.seat\.json: not the file of a seat"):
        recorded(path, None, 1)


def test_events_that_no_match_has_are_refused(tmp_path: Path) -> None:
    _, own = written(tmp_path, "chicago-poker", 1)
    own.write_text(own.read_text().replace('"event":"started"', '"event":"nonsense"'))
    with pytest.raises(RecordError, match="its events are not those of a match"):
        recorded(own, None, 1)
