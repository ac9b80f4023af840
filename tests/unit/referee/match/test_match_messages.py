"""What a match sends to whom: what a seat wants and may know, each thing once."""

import json
from hashlib import sha256

import msgspec
import pytest

from protocol.messages import Ask, End, Error, Start, Tell
from referee.match.seat import SeatConfig
from tests.toys.script import CLASSROOM, KEY, LEGAL, ScriptRun, ScriptState, Step, codes, events, turns

# What is sent.


def test_events_ride_in_the_next_ask_once_each_and_in_order() -> None:
    run = ScriptRun(turns(0, 1, 1, 0, 0)).begin()
    for seat in (0, 1, 1, 0, 0):
        run.act(seat, "a")
    everything = ["deal", "took 0", "took 1", "took 1", "took 0", "took 0"]
    assert events(run, 0) == events(run, 1) == everything
    assert [len(ask.events) for ask in run.to(0, Ask)] == [1, 3, 1]
    assert [len(ask.events) for ask in run.to(1, Ask)] == [2, 1]


def test_by_default_an_ask_holds_view_and_legal_actions() -> None:
    run = ScriptRun(turns(0)).begin()
    ask = run.to(0, Ask)[0]
    assert ask.view == {"left": 1, "secret": "hush0"}
    assert ask.legal == LEGAL


@pytest.mark.parametrize(
    ("wants", "view", "legal", "told"),
    [
        ({"view"}, True, False, False),
        ({"legal"}, False, True, False),
        ({"events"}, False, False, True),
        (set(), False, False, False),
    ],
)
def test_a_bot_is_sent_what_it_wants_and_nothing_else(
    wants: set[str], view: bool, legal: bool, told: bool
) -> None:
    run = ScriptRun(turns(0, 1, 0), configs={0: SeatConfig("picky", frozenset(wants))}).begin()
    for seat in (0, 1, 0):
        run.act(seat, "a")
    for ask in run.to(0, Ask):
        assert (ask.view is not None, ask.legal is not None, bool(ask.events)) == (view, legal, told)
    assert bool(run.to(0, End)[0].events) is told
    assert run.to(0, Tell) == []


def test_a_legal_list_that_no_bot_wants_is_not_made() -> None:
    fast = SeatConfig("fast", frozenset({"view"}))
    run = ScriptRun(ScriptState([Step((0,)), Step((1,))], 2, lists=False), configs={0: fast, 1: fast}).begin()
    run.act(0, "a")
    run.act(1, "a")
    assert run.result.reason == "the script is over"


def test_a_stream_brings_events_at_once_and_not_again() -> None:
    configs = {1: SeatConfig("listener", frozenset({"stream"}))}
    run = ScriptRun(turns(0, 0, 1, 0, 0), configs=configs).begin()
    assert codes(run.last) == [(0, "ask"), (1, "tell")]
    assert codes(run.act(0, "a")) == [(0, "ask"), (1, "tell")]
    assert codes(run.act(0, "a")) == [(1, "ask")]
    assert codes(run.act(1, "a")) == [(0, "ask"), (1, "tell")]
    run.act(0, "a")
    run.act(0, "a")
    assert events(run, 1) == events(run, 0) == ["deal", *(f"took {seat}" for seat in (0, 0, 1, 0, 0))]


def test_a_stream_gives_nothing_away_while_others_choose() -> None:
    configs = {2: SeatConfig("listener", frozenset({"stream"}))}
    run = ScriptRun(ScriptState([Step((0, 1)), Step((0,))], 3), configs=configs).begin()
    assert run.act(1, "a") == []
    assert codes(run.act(0, "a")) == [(0, "ask"), (2, "tell")]


def test_a_failed_seat_is_streamed_nothing() -> None:
    configs = {2: SeatConfig("listener", frozenset({"stream"}))}
    run = ScriptRun(turns(0, 1, 0, of=3), configs=configs).begin()
    run.fault(2)
    assert codes(run.act(0, "a")) == [(1, "ask")]


def test_every_seat_is_sent_the_end_with_faults_and_the_key() -> None:
    run = ScriptRun(turns(0, 1, of=3)).begin()
    run.fault(2)
    run.act(0, "a")
    run.act(1, "a")
    for seat in range(3):
        (end,) = run.to(seat, End)
        assert (end.ranks, end.scores, end.faults) == ([1, 2, 3], [30, 20, 10], ["", "", "crashed"])
        assert (end.reason, end.ties, end.reveal) == ("the script is over", "draw", KEY.hex())


def test_what_the_end_reveals_opens_the_commitment_of_the_start() -> None:
    run = ScriptRun(turns(0)).begin()
    run.act(0, "a")
    reveal = run.to(1, End)[0].reveal
    assert reveal is not None
    committed = sha256(b"commit:" + bytes.fromhex(reveal) + b"m1").hexdigest()
    assert run.to(1, Start)[0].commit == committed


def test_the_key_is_kept_while_the_deal_is_still_to_be_played_again() -> None:
    run = ScriptRun(turns(0), reveal=False).begin()
    run.act(0, "a")
    assert [run.to(seat, End)[0].reveal for seat in (0, 1)] == [None, None]
    assert KEY.hex() not in repr(run.sent)


def test_no_message_holds_a_secret_of_another_seat() -> None:
    configs = {2: SeatConfig("listener", frozenset({"stream", "view", "legal"}))}
    run = ScriptRun(ScriptState([Step((0,)), Step((0, 1, 2)), Step((2,))] * 2, 3), CLASSROOM, configs).begin()
    run.act(0, "nonsense")
    for _ in range(2):
        run.act(0, "a")
        for seat in (2, 0, 1):
            run.act(seat, "b")
        run.act(2, "c")
    assert run.match.result is not None
    for seat, message in run.sent:
        text = json.dumps(msgspec.to_builtins(message))
        assert all(f"hush{other}" not in text for other in range(3) if other != seat)
    assert "hush1" in repr(run.to(1, Ask))


def test_games_that_do_not_order_seats_say_so() -> None:
    run = ScriptRun(ScriptState([Step((0,))], 3, ties="unordered")).begin()
    run.act(0, "a")
    assert (run.result.ranks, run.result.ties) == ((1, 1, 1), "unordered")


def test_a_long_illegal_action_is_quoted_in_part() -> None:
    run = ScriptRun(turns(0)).begin()
    error = run.act(0, "x" * 500)[0][1]
    assert isinstance(error, Error)
    assert error.why == f"'{'x' * 80}' is not legal: it is not in the script"


# Connections that come back.


def test_a_bot_that_comes_back_is_sent_what_is_open() -> None:
    run = ScriptRun(turns(0, 1))
    starts = run.match.begin(0)
    assert run.match.open_messages(1) == [starts[1][1]]
    run.ready(1)
    assert run.match.open_messages(1) == []
    run.ready(0)
    before = run.match.deadline_ns
    assert run.match.open_messages(0) == run.to(0, Ask)
    assert run.match.open_messages(1) == []
    assert run.match.deadline_ns == before


def test_a_stream_brings_news_before_others_choose_at_once() -> None:
    configs = {2: SeatConfig("listener", frozenset({"stream"}))}
    run = ScriptRun(ScriptState([Step((0,)), Step((0, 1))], 3), configs=configs).begin()
    assert codes(run.act(0, "a")) == [(0, "ask"), (1, "ask"), (2, "tell")]
