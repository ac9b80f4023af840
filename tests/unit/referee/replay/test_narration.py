"""What a watcher may learn from a replay that is shown."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import pytest

from referee import registry
from referee.chance import deal_key
from referee.errors import ConfigError, RecordError
from referee.match.faults import Fault
from referee.match.result import Acted, Result, SeatResult
from referee.replay import files, playback
from referee.replay.format import Replay
from referee.replay.ledger import NO_ANSWER, ledger
from referee.replay.narration import (
    BoardChoice,
    Watcher,
    headline,
    known_result,
    moments,
    text_of,
    watcher_of,
)
from tests.unit.referee.replay.played import SimulatedMatch

REFEREE = Watcher(sees_all=True)
PUBLIC = Watcher()


def saved(simulated: SimulatedMatch, folder: Path) -> Replay:
    return files.read(simulated.save(folder / f"{simulated.match.id}.jsonl"))


@pytest.fixture(params=["coins", "chicago-poker"])
def replay(request: pytest.FixtureRequest, tmp_path: Path) -> Replay:
    return saved(SimulatedMatch("story", game=request.param, seats=3).ready().play_out(), tmp_path)


@pytest.mark.parametrize("seat", [None, 0, 1, 2])
def test_a_watcher_sees_exactly_the_events_the_game_lets_it_see(replay: Replay, seat: int | None) -> None:
    steps = list(playback.replay_events(replay))
    expected = [event.seen_by(seat) for step in steps for event in step.events]
    shown = [event for m in moments(replay, Watcher(seat), BoardChoice.NONE) for event in m.events]
    assert shown == expected


@pytest.mark.parametrize("seat", [None, 0, 1, 2])
def test_the_last_board_follows_from_the_events_seen(replay: Replay, seat: int | None) -> None:
    told = list(moments(replay, Watcher(seat), BoardChoice.LAST))
    events = [event for m in told for event in m.events]
    assert told[-1].view == registry.game(replay.header.game).follow(seat, events)


@pytest.mark.parametrize("seat", [None, 0, 1, 2])
def test_a_watcher_reads_no_action_but_its_own(replay: Replay, seat: int | None) -> None:
    acted = [(e.seat, e.action) for e in replay.entries if isinstance(e, Acted)]
    shown = [(m.seat, m.action) for m in moments(replay, Watcher(seat), BoardChoice.NONE) if m.action]
    assert shown == [(who, action) for who, action in acted if who == seat]


def test_options_that_are_not_those_of_the_game_are_reported_as_a_flaw(replay: Replay) -> None:
    header = msgspec.structs.replace(replay.header, options={"speed": 3})
    with pytest.raises(RecordError, match="the hash of the play does not fit"):
        list(text_of(msgspec.structs.replace(replay, header=header), REFEREE, BoardChoice.NONE))


class MeasuredSeat(SeatResult, frozen=True):
    """A seat with a field that does not exist yet."""

    peak_memory_mb: int = 512


class MeasuredResult(Result, frozen=True, tag="result", tag_field="type"):
    """A result with a field that does not exist yet."""

    host_load: int = 3


@pytest.mark.parametrize("seat", [None, 0, 1, 2])
def test_a_new_field_of_a_result_is_shown_to_the_referee_alone(replay: Replay, seat: int | None) -> None:
    seats = tuple(MeasuredSeat(**msgspec.structs.asdict(one)) for one in replay.result.seats)
    result = MeasuredResult(**msgspec.structs.asdict(replay.result) | {"seats": seats})
    public = known_result(replay.result, Watcher(seat))
    assert known_result(result, Watcher(seat)) == public
    assert public.keys() == {"type", "match", "game", "seats", "reason", "ties", "void"}
    assert {key for one in public["seats"] for key in one} == {"name", "rank", "score", "fault"}
    whole = known_result(result, REFEREE)
    assert (whole["host_load"], whole["seats"][0]["peak_memory_mb"]) == (3, 512)
    # What is shown is shown under the same name, with the same value.
    assert public.items() <= (known_result(replay.result, REFEREE) | {"seats": public["seats"]}).items()


def test_the_reason_of_a_void_match_is_shown_to_the_referee_alone(replay: Replay) -> None:
    void = msgspec.structs.replace(replay.result, void=True, reason="seat 1 holds the ace")
    assert "ace" not in str(known_result(void, PUBLIC))
    assert known_result(void, PUBLIC)["void"]
    assert known_result(void, REFEREE)["reason"] == "seat 1 holds the ace"


def test_the_referee_reads_every_action_and_every_secret(replay: Replay) -> None:
    told = list(moments(replay, REFEREE, BoardChoice.LAST))
    assert sum(m.action is not None for m in told) == len(replay.entries)
    *_, last = playback.replay_events(replay)
    assert told[-1].view == last.state.reveal()


def test_what_a_seat_is_shown_does_not_depend_on_what_is_hidden_from_it(tmp_path: Path) -> None:
    # Two matches that differ in a choice of seat 1 that was made, but not turned up.
    shown: list[tuple[list[str], list[Any]]] = []
    for choice in (0, 1):
        simulated = SimulatedMatch("hidden").ready()
        hidden = simulated.match.state.legal(1)[choice]
        simulated.answer(1, hidden)
        simulated.match.abandon(f"an error after {hidden}")
        replay = saved(simulated, tmp_path)
        for watcher in (PUBLIC, Watcher(0)):
            text = list(text_of(replay, watcher, BoardChoice.EVERY))
            shown.append(
                (text, [msgspec.to_builtins(m) for m in moments(replay, watcher, BoardChoice.EVERY)])
            )
    assert shown[0] == shown[2]
    assert shown[1] == shown[3]


def test_times_are_shown_to_the_referee_and_the_own_seat_alone(replay: Replay) -> None:
    told = [m for m in moments(replay, REFEREE, BoardChoice.NONE) if m.by == "bot"]
    assert {(m.us, m.took_us) for m in told} == {(3_000, 8_000)}
    assert any("(8.0 ms, 3.0 ms charged)" in line for line in text_of(replay, REFEREE, BoardChoice.NONE))
    for watcher in (PUBLIC, Watcher(0)):
        timed = [m for m in moments(replay, watcher, BoardChoice.NONE) if m.us or m.took_us]
        assert all(m.seat == watcher.seat for m in timed)


def test_no_other_watcher_sees_seed_key_or_commands(replay: Replay) -> None:
    assert headline(replay, REFEREE)["key"] == deal_key("story", "7").hex()
    for seat in (None, 0, 1, 2):
        assert headline(replay, Watcher(seat)).keys().isdisjoint({"key", "seed", "deal", "bots", "beacon"})


def test_the_reason_of_a_fault_is_shown_to_its_own_seat_alone(tmp_path: Path) -> None:
    simulated = SimulatedMatch("fault", seats=3, strikes=2).ready()
    for _ in range(2):
        simulated.answer(1, "show 99")
    simulated.play_out()
    replay = saved(simulated, tmp_path)
    for watcher, strikes, quotes in ((REFEREE, 2, True), (Watcher(1), 2, True), (Watcher(0), 1, False)):
        faults = [m for m in moments(replay, watcher, BoardChoice.NONE) if m.fault]
        assert len(faults) == strikes
        assert any("show 99" in line for line in text_of(replay, watcher, BoardChoice.EVERY)) == quotes


@pytest.mark.parametrize(
    ("board", "most"),
    [(BoardChoice.NONE, 0), (BoardChoice.LAST, 1), (BoardChoice.TURNS, 30), (BoardChoice.EVERY, 99)],
)
def test_boards_are_drawn_as_often_as_asked_and_never_twice_the_same(
    tmp_path: Path, board: BoardChoice, most: int
) -> None:
    replay = saved(SimulatedMatch("board").ready().play_out(), tmp_path)
    views = [m.view for m in moments(replay, PUBLIC, board) if m.view]
    assert len(views) <= most
    assert bool(views) == (board is not BoardChoice.NONE)
    assert all(one != other for one, other in pairwise(views))


def test_a_watcher_is_named_by_role_number_or_name(replay: Replay) -> None:
    assert watcher_of(replay, "referee") == REFEREE
    assert watcher_of(replay, "public") == PUBLIC
    assert watcher_of(replay, "1") == watcher_of(replay, "Bo") == Watcher(1)
    with pytest.raises(ConfigError, match="did you mean public"):
        watcher_of(replay, "pubic")


def test_a_name_cannot_command_the_terminal(tmp_path: Path) -> None:
    simulated = SimulatedMatch("names").ready().play_out()
    replay = saved(simulated, tmp_path)
    header = msgspec.structs.replace(replay.header, names=("\x1b[2J", "\x1b[2J"))
    seats = tuple(msgspec.structs.replace(seat, name="\x1b[2J") for seat in replay.result.seats)
    result = msgspec.structs.replace(replay.result, seats=seats)
    named = msgspec.structs.replace(replay, header=header, result=result)
    text = "\n".join(text_of(named, REFEREE, BoardChoice.EVERY))
    assert "\x1b" not in text
    assert "\\x1b[2J#0" in text


# The ledger of the clock.


def test_the_ledger_books_as_the_clock_does(tmp_path: Path) -> None:
    for number in range(40):
        simulated = SimulatedMatch(f"ledger {number}", seats=3, strikes=3).misbehave(5)
        replay = saved(simulated, tmp_path)
        for seat in range(3):
            lines = ledger(replay, seat)
            answered = [line for line in lines if line.by != NO_ANSWER]
            assert [line.decision for line in lines] == list(range(1, len(lines) + 1))
            if replay.result.reason == "most coins":
                left = answered[-1].bank_us if answered else 40_000
                assert left == simulated.match.clock(seat).bank_ns // 1000


def test_a_decision_without_an_answer_ends_the_ledger(tmp_path: Path) -> None:
    simulated = SimulatedMatch("late", seats=2, strikes=1).ready()
    simulated.answer(0, simulated.pick(0))
    simulated.wait()
    replay = saved(simulated, tmp_path)
    assert isinstance(replay.entries[-1], Fault)
    assert [(line.decision, line.by) for line in ledger(replay, 1)] == [(1, NO_ANSWER)]
