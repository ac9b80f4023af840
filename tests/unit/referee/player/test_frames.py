"""Frames of a replay: they show each viewer what it saw, and no more."""

import base64
import gzip
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.errors import RecordError
from referee.match.faults import FaultCode
from referee.player.frames import FORMAT, difference, frames, packed, viewer_names, watcher_named
from referee.player.linker import board_source
from referee.replay import files
from referee.replay.format import Replay
from referee.replay.ledger import ledger
from referee.replay.narration import BoardChoice, Watcher, known_result, moments
from referee.replay.playback import game_of, replay_events
from tests.unit.referee.player.applied import as_loaded, patched, views_of
from tests.unit.referee.replay.played import SimulatedMatch

GAMES = ["coins", "chicago-poker", "gangsters", "vengeance", "chicago"]

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["", "a", "b"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from("abcd"), inner, max_size=4),
    max_leaves=12,
)


def saved(simulated: SimulatedMatch, folder: Path) -> Replay:
    return files.read(simulated.save(folder / f"{simulated.match.id}.jsonl"))


@pytest.fixture(scope="module", params=GAMES)
def replay(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Replay:
    simulated = SimulatedMatch("frames", game=request.param, seats=2, strikes=3).misbehave(40)
    return saved(simulated, tmp_path_factory.mktemp("frames"))


@settings(max_examples=300, deadline=None)
@given(JSON, JSON)
def test_a_difference_leads_from_one_value_to_the_other(old: Any, new: Any) -> None:
    assert patched(old, as_loaded(difference(old, new))) == new


def test_every_view_is_that_of_the_engine(replay: Replay) -> None:
    document = frames(replay)
    game = game_of(replay)
    views = {viewer: views_of(document, viewer) for viewer in document["tracks"]}
    states = replay_events(replay)
    for at, step in enumerate(states):
        for viewer, shown in views.items():
            watcher = watcher_named(viewer)
            view = step.state.reveal() if watcher.sees_all else step.state.view(watcher.seat)
            if board_source(game) is None:
                view = view | {"text": game.draw(view)}
            assert shown[at] == as_loaded(view), f"step {at} of {viewer}"


@pytest.mark.parametrize("viewer", ["public", "everything", "0", "1"])
def test_a_track_holds_what_a_narration_for_the_same_viewer_says(replay: Replay, viewer: str) -> None:
    said = [
        moment
        for moment in moments(replay, watcher_named(viewer), BoardChoice.NONE)
        if moment.events or moment.action or moment.fault
    ]
    track = [step for step in frames(replay, [viewer])["tracks"][viewer] if step.keys() - {"view"}]
    assert [step.get("events", []) for step in track] == [moment.events for moment in said]
    assert [step.get("said", []) for step in track] == [moment.told for moment in said]
    for step, moment in zip(track, said, strict=True):
        did = step.get("did", {})
        known = {"seat": moment.seat, "action": moment.action, "fault": moment.fault, "why": moment.why}
        assert {name: did.get(name) for name in known} == known
        assert (did.get("us"), did.get("took_us")) == (moment.us, moment.took_us)


def test_legal_actions_are_those_of_the_position_and_contain_the_one_that_was_taken(replay: Replay) -> None:
    document = frames(replay)
    states = [step.state.clone() for step in replay_events(replay)]
    for at, numbers in enumerate(document["legal"]):
        did = document["tracks"]["everything"][at + 1].get("did", {})
        if "action" not in did:
            assert numbers is None
            continue
        legal = [document["actions"][number] for number in numbers]
        assert legal == states[at].legal(did["seat"])
        assert did["action"] in legal


def test_decisions_and_banks_are_those_of_the_ledger(replay: Replay) -> None:
    track = frames(replay)["tracks"]["everything"]
    for seat in range(2):
        booked = [(line.decision, line.bank_us) for line in ledger(replay, seat) if line.by]
        deeds = [step["did"] for step in track if step.get("did", {}).get("seat") == seat]
        assert [(did["decision"], did["bank_us"]) for did in deeds if "bank_us" in did] == booked


def test_the_document_of_a_seat_has_no_time_action_or_bank_of_another(replay: Replay) -> None:
    document = frames(replay, ["0"])
    deeds = [step["did"] for step in document["tracks"]["0"] if "did" in step]
    assert all(did["seat"] == 0 for did in deeds if did.keys() - {"seat", "fault", "final"})
    assert document["banks_us"][1] is None
    assert document["deal"] == ""
    assert document["result"] == known_result(replay.result, Watcher(0))
    assert replay.key.hex() not in str(document)


def test_a_document_does_not_depend_on_a_choice_that_its_viewers_did_not_see(tmp_path: Path) -> None:
    shown = []
    for choice in (0, 1):
        simulated = SimulatedMatch("hidden").ready()
        hidden = simulated.match.state.legal(1)[choice]
        simulated.answer(1, hidden)
        simulated.match.abandon(f"an error after {hidden}")
        replay = saved(simulated, tmp_path)
        shown.append([packed(frames(replay, ["public"])), packed(frames(replay, ["0", "public"]))])
    assert shown[0] == shown[1]


@pytest.mark.parametrize("game", ["coins", "chicago-poker", "vengeance"])
def test_the_strike_of_another_seat_leaves_no_trace_in_a_document(game: str, tmp_path: Path) -> None:
    shown = []
    for strikes in (0, 1):
        simulated = SimulatedMatch("strike", game=game, strikes=3).ready()
        first = simulated.owing()[0]
        for _ in range(strikes):
            simulated.answer(first, "no such action")
        simulated.play_out()
        replay = saved(simulated, tmp_path)
        viewers = ["public", str(1 - first)]
        document = frames(replay, viewers)
        shown.append(document)
        assert len(frames(replay)["tracks"]["everything"]) == len(replay.entries) + 1
    # Times of the other seat are its own, and a match with a strike takes as long for it.
    assert packed(shown[0]) == packed(shown[1])


@pytest.mark.parametrize("code", [FaultCode.CRASHED, FaultCode.LATE, FaultCode.MEMORY])
def test_a_final_fault_is_explained_to_all(code: FaultCode, tmp_path: Path) -> None:
    simulated = SimulatedMatch("fault", strikes=1).ready()
    simulated.fail(1, code)
    document = frames(saved(simulated, tmp_path), ["public"])
    (did,) = [step["did"] for step in document["tracks"]["public"] if "fault" in step.get("did", {})]
    assert did == {"seat": 1, "fault": code.value, "final": True}
    assert document["faults"][code.value]["meaning"]
    assert document["result"]["seats"][1]["fault"] == code.value


def test_a_match_that_is_void_before_its_first_decision_has_a_document(tmp_path: Path) -> None:
    simulated = SimulatedMatch("void").ready()
    simulated.match.abandon("the operator's wish")
    document = frames(saved(simulated, tmp_path))
    assert [len(track) for track in document["tracks"].values()] == [1] * 4
    assert document["legal"] == []
    assert document["result"]["void"]
    assert document["result"]["reason"] == "the operator's wish"


def test_matches_with_all_that_can_go_wrong_have_documents(tmp_path: Path) -> None:
    for number in range(30):
        simulated = SimulatedMatch(f"wild {number}", seats=3, strikes=2).misbehave(4)
        replay = saved(simulated, tmp_path)
        document = frames(replay)
        assert {len(track) for track in document["tracks"].values()} == {len(replay.entries) + 1}
        assert len(document["legal"]) == len(replay.entries)


def test_a_replay_that_does_not_verify_is_refused(tmp_path: Path) -> None:
    replay = saved(SimulatedMatch("changed").ready().play_out(), tmp_path)
    with pytest.raises(RecordError):
        frames(msgspec.structs.replace(replay, entries=replay.entries[:-1]))


def test_a_packed_document_is_compressed_json_and_always_the_same(tmp_path: Path) -> None:
    document = frames(saved(SimulatedMatch("packed").ready().play_out(), tmp_path))
    text = packed(document)
    assert msgspec.json.decode(gzip.decompress(base64.b64decode(text))) == as_loaded(document)
    assert text == packed(document)
    assert document["format"] == FORMAT


def test_names_that_are_alike_or_hostile_are_safe_and_differ(tmp_path: Path) -> None:
    replay = saved(SimulatedMatch("names").ready().play_out(), tmp_path)
    name = "\x1b[2J\u202e<b>"
    header = msgspec.structs.replace(replay.header, names=(name, name))
    seats = tuple(msgspec.structs.replace(seat, name=name) for seat in replay.result.seats)
    result = msgspec.structs.replace(replay.result, seats=seats)
    names = frames(msgspec.structs.replace(replay, header=header, result=result))["names"]
    assert len(set(names)) == 2
    assert all("\x1b" not in each and "\u202e" not in each for each in names)


def test_viewers_are_named_as_in_the_address() -> None:
    assert viewer_names(2) == ["public", "everything", "0", "1"]
    assert watcher_named("everything") == Watcher(sees_all=True)
    assert watcher_named("1") == Watcher(1)
