"""A match played through again from the file of one seat: the bot is sent what it was sent in the match."""

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from protocol.messages import Ask, End, Message
from referee import registry
from referee.errors import IllegalActionError, RecordError
from referee.match.faults import Fault, FaultCode
from referee.match.match import Match
from referee.match.result import Acted
from referee.match.seat import SeatConfig
from referee.player.seat_track import seat_track
from referee.replay.seat_file import seat_file_of
from referee.replay.seat_playback import SeatPlayback
from tests.unit.referee.replay.played import CLOCK, MS, SimulatedMatch

GAMES = ("chicago-poker", "gangsters", "vengeance", "chicago")


class NotedMatch(SimulatedMatch):
    """A match that notes what every seat was sent, and what its bot did at each ask."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        self.sent: dict[int, list[Message]] = defaultdict(list)
        self.did: dict[tuple[int, int], list[tuple[str, ...] | FaultCode]] = defaultdict(list)
        self.failed_between: set[int] = set()
        super().__init__(*args, **settings)

    def take(self, sends: Sequence[tuple[int, Message]]) -> None:
        super().take(sends)
        for seat, message in sends:
            self.sent[seat].append(message)

    def answer(self, seat: int, *actions: str) -> None:
        self.did[seat, self.asks[seat].id].append(actions)
        super().answer(seat, *actions)

    def fail(self, seat: int, code: FaultCode = FaultCode.CRASHED) -> None:
        if code is FaultCode.MALFORMED and not self.match.owes(seat):
            return  # The hub takes no notice of it either.
        if not self.match.owes(seat):
            self.failed_between.add(seat)
        self.did[seat, self.asks[seat].id if seat in self.asks else 0].append(code)
        super().fail(seat, code)


def repeated(noted: NotedMatch, seat: int, path: Path) -> tuple[list[Message], SeatPlayback, Match]:
    """Play a match again with what the bot of a seat did; return what it is sent now."""
    playback = SeatPlayback(path, seat_track(path, str(seat)))
    frames = playback.file.frames
    match = Match(
        frames.match,
        registry.game(frames.game),
        [SeatConfig(name) for name in frames.names],
        playback.key,
        playback.file.profile,
        frames.options,
        reveal=False,
        opening=(playback, playback.opening),
    )
    now_ns = 1_000
    sent = [message for own, message in match.begin(now_ns) if own == seat]
    sends = [send for own in range(len(frames.names)) for send in match.ready(own, now_ns)]
    script = {key: list(inputs) for key, inputs in noted.did.items()}
    while match.result is None:
        sent += [message for own, message in sends if own == seat]
        asked = max((message.id for message in sent if isinstance(message, Ask)), default=0)
        todo = script.get((seat, asked), [])
        if not todo:
            assert match.deadline_ns is not None
            now_ns = max(now_ns, match.deadline_ns)
            sends = match.tick(now_ns)
        elif isinstance(done := todo.pop(0), FaultCode):
            sends = match.fault(seat, done, "exit code 3", now_ns)
        else:
            asked_ns, now_ns = now_ns, now_ns + 8 * MS
            sends = match.act(seat, asked, playback.accept(done), asked_ns, now_ns)
    return [*sent, *(message for own, message in sends if own == seat)], playback, match


def asks_in(messages: Sequence[Message]) -> list[bytes]:
    """Return the asks as they travel."""
    return [msgspec.json.encode(message) for message in messages if isinstance(message, Ask)]


@pytest.mark.parametrize("game", GAMES)
def test_every_seat_is_asked_byte_for_byte_what_it_was_asked_in_the_match(tmp_path: Path, game: str) -> None:
    seats = registry.game(game).info.least_seats + 1
    noted = NotedMatch("whole", game, seats)
    noted.ready()
    while noted.match.result is None:
        seat = noted.owing()[0]
        noted.answer(seat, *(noted.plan(seat) if noted.luck.randrange(2) else [noted.pick(seat)]))
    planned = any(isinstance(entry, Acted) and entry.by == "plan" for entry in noted.match.log)
    assert planned == (game != "gangsters"), "a turn of Gangsters is one action"
    path = noted.save(tmp_path / "m-1.jsonl")
    for seat in range(seats):
        sent, playback, _ = repeated(noted, seat, path)
        assert asks_in(sent) == asks_in(noted.sent[seat])
        assert len(playback.decisions) == len(asks_in(sent)) > 3
        last, recorded = sent[-1], noted.sent[seat][-1]
        assert isinstance(last, End)
        assert isinstance(recorded, End)
        assert replace(last, reveal=recorded.reveal) == recorded


@pytest.mark.parametrize(
    ("game", "strikes", "seed"),
    [
        *(("coins", strikes, seed) for strikes in (1, 3) for seed in range(20)),
        *(("chicago-poker", 3, seed) for seed in range(10)),
    ],
)
def test_a_match_full_of_faults_is_asked_again_as_it_was(
    tmp_path: Path, game: str, strikes: int, seed: int
) -> None:
    options = {"rounds": 4} if game == "coins" else None
    noted = NotedMatch(f"wild-{seed}", game, 3, strikes, options)
    noted.misbehave(8 if game == "coins" else 30)
    path = noted.save(tmp_path / "m-1.jsonl")
    for seat in range(3):
        faults = faults_in(noted.match, seat)
        if any(decision == 0 for decision, _ in faults):
            continue  # It failed before it was asked at all.
        sent, playback, match = repeated(noted, seat, path)
        now, then = (
            [replace(message, clock=None) for message in messages if isinstance(message, Ask)]
            for messages in (sent, noted.sent[seat])
        )
        # A match can end while an ask is open; no line of its log is about that one.
        assert now == then[: len(now)]
        assert len({message.id for message in then[len(now) :]}) <= 1
        assert [(fault.decision, fault.code) for fault in playback.faults] == faults
        if seat not in noted.failed_between and len(now) == len(then):
            assert faults_in(match, seat)[: len(faults)] == faults


def faults_in(match: Match, seat: int) -> list[tuple[int, str]]:
    return [
        (entry.decision, entry.code.value)
        for entry in match.log
        if isinstance(entry, Fault) and entry.seat == seat
    ]


@pytest.mark.parametrize("game", ["chicago-poker", "vengeance"])
def test_a_bot_that_answers_differently_is_still_asked_as_in_the_match(tmp_path: Path, game: str) -> None:
    noted = NotedMatch("differs", game, 2)
    noted.ready()
    while noted.match.result is None:
        seat = noted.owing()[0]
        noted.answer(seat, *noted.plan(seat))
    path = noted.save(tmp_path / "m-1.jsonl")
    asked = {ask.id: ask for ask in noted.sent[0] if isinstance(ask, Ask)}
    for (seat, number), inputs in noted.did.items():
        if seat == 0:
            # No plan, or one that goes on from an action that was not played.
            (played,), legal = inputs, asked[number].legal or []
            assert isinstance(played, tuple)
            inputs[:] = [played[:1] if number % 2 else (legal[-1], "no such action")]
    sent, _, match = repeated(noted, 0, path)
    assert asks_in(sent) == asks_in(noted.sent[0])
    assert faults_in(match, 0) == []


def test_an_action_is_judged_by_the_rules_at_its_place(tmp_path: Path) -> None:
    path = SimulatedMatch("judged").ready().play_out().save(tmp_path / "m-1.jsonl")
    playback = SeatPlayback(path, seat_track(path, "0"))
    with pytest.raises(IllegalActionError, match="no such action"):
        playback.apply(0, "no such action")
    copy = playback.clone()
    copy.apply(0, copy.fallback(0))
    assert copy.view(0) != playback.view(0)
    assert playback.to_act() == [0]
    while playback.to_act():
        assert playback.outcome() is None
        playback.apply(0, playback.legal(0)[-1])
    assert playback.outcome() is not None


def test_the_strikes_of_an_older_file_are_those_of_its_profile(tmp_path: Path) -> None:
    path = SimulatedMatch("old", strikes=2).ready().play_out().save(tmp_path / "m-1.jsonl")
    file = seat_track(path, "0")
    assert (file.profile.name, file.profile.strikes, file.profile.clock) == ("test", 2, CLOCK)
    document = msgspec.to_builtins(file)
    del document["strikes"]
    for name, strikes in (("classroom", 3), ("strict", 1), ("test", 1)):
        document["frames"]["profile"] = name
        assert seat_file_of(msgspec.json.encode(document), path).profile.strikes == strikes


def test_events_that_are_not_those_of_a_match_are_refused_with_the_file(tmp_path: Path) -> None:
    path = SimulatedMatch("torn").ready().play_out().save(tmp_path / "m-1.jsonl")
    document = msgspec.to_builtins(seat_track(path, "0"))
    del document["frames"]["tracks"]["0"][0]
    with pytest.raises(RecordError, match=r"m-1\.jsonl: its events are not those of a match"):
        SeatPlayback(path, seat_file_of(msgspec.json.encode(document), path))
    document["frames"]["result"]["seats"] = []
    with pytest.raises(RecordError, match="its names and its result do not fit together"):
        seat_file_of(msgspec.json.encode(document), path)
