"""Strikes, falls, and what becomes of a seat whose bot has failed."""

import pytest

from protocol.messages import Ask, End, Error
from referee.match.faults import FORGIVABLE, FaultCode
from tests.toys.script import (
    CLASSROOM,
    CLOCK,
    HOUSE,
    MS,
    ScriptRun,
    ScriptState,
    Step,
    actions,
    at_once,
    codes,
    faults,
    turns,
)

UNFORGIVABLE = sorted(set(FaultCode) - FORGIVABLE)


# Strikes and falls.


@pytest.mark.parametrize("code", [FaultCode.ILLEGAL, FaultCode.MALFORMED])
def test_after_a_strike_the_same_ask_comes_again_with_its_id_and_deadline(code: FaultCode) -> None:
    run = ScriptRun(turns(0, 1), CLASSROOM).begin()
    before = run.match.deadline_ns
    run.now_ns += 200 * MS
    sends = run.act(0, "nonsense") if code is FaultCode.ILLEGAL else run.fault(0, code)
    assert codes(sends) == [(0, code.value), (0, "ask")]
    assert isinstance(sends[0][1], Error)
    assert sends[0][1].id == 1
    again = sends[1][1]
    assert isinstance(again, Ask)
    assert again.id == 1
    assert again.events == []
    assert run.match.owes(0)
    assert run.match.deadline_ns == before
    assert codes(run.act(0, "a")) == [(1, "ask")]
    assert faults(run.match) == [(0, code.value, 1, False)]


def test_a_strike_does_not_stop_the_clock() -> None:
    run = ScriptRun(turns(0, 1), CLASSROOM).begin()
    run.act(0, "nonsense", after_ns=600 * MS)
    run.act(0, "a", after_ns=10 * MS)
    assert run.match.clock(0).bank_ns == 200 * MS


def test_an_answer_to_a_resumed_connection_does_not_set_the_clock_back() -> None:
    run = ScriptRun(turns(0, 1)).begin()
    assert run.match.open_messages(0) == run.to(0, Ask)
    run.act(0, "a", after_ns=610 * MS, sent_ns=600 * MS)
    assert run.match.clock(0).bank_ns == 200 * MS


def test_the_third_strike_of_any_kind_loses() -> None:
    run = ScriptRun(turns(0, 1, 0, 0), CLASSROOM).begin()
    run.act(0, "nonsense")
    run.fault(0, FaultCode.MALFORMED)
    run.act(0, "a")
    run.act(1, "a")
    assert codes(run.run_out()) == [(0, "late"), (0, "end"), (1, "end")]
    assert run.result.faults == ("late", "")
    assert [final for *_, final in faults(run.match)] == [False, False, True]


def test_strikes_count_for_each_seat_alone() -> None:
    run = ScriptRun(turns(0, 1), CLASSROOM).begin()
    for _ in range(2):
        run.act(0, "nonsense")
        run.fault(1, FaultCode.MALFORMED)
    assert run.match.result is None


def test_after_a_strike_for_being_late_the_house_takes_that_decision_only() -> None:
    run = ScriptRun(turns(0, 0, 1), CLASSROOM).begin()
    sends = run.run_out()
    assert codes(sends) == [(0, "late"), (0, "ask")]
    assert actions(run.match) == [(0, HOUSE, "house")]
    assert run.asks(0) == [1, 2]
    assert isinstance(sends[1][1], Ask)
    assert sends[1][1].clock.bank_ms == 0
    assert run.match.deadline_ns == run.now_ns + (CLOCK.grace_ms + CLOCK.move_ms) * MS + 1
    assert codes(run.act(0, "a")) == [(1, "ask")]
    assert actions(run.match)[1:] == [(0, "a", "bot")]


def test_the_answer_that_came_too_late_for_a_strike_is_stale() -> None:
    run = ScriptRun(turns(0, 1), CLASSROOM).begin()
    run.run_out()
    assert codes(run.act(0, "a", ask=1)) == [(0, "stale")]


def test_after_a_strike_for_being_late_at_once_the_house_chooses_for_that_seat() -> None:
    run = ScriptRun(at_once(2, 2), CLASSROOM).begin()
    run.act(1, "b")
    assert codes(run.run_out()) == [(0, "late"), (0, "ask"), (1, "ask")]
    assert actions(run.match) == [(0, HOUSE, "house"), (1, "b", "bot")]


@pytest.mark.parametrize("code", UNFORGIVABLE)
def test_some_faults_are_never_forgiven(code: FaultCode) -> None:
    run = ScriptRun(turns(0, 1), CLASSROOM).begin()
    assert codes(run.fault(1, code)) == [(1, code.value), (0, "end"), (1, "end")]
    assert (run.result.ranks, run.result.reason) == ((1, 2), "forfeit")
    assert run.result.faults == ("", code.value)
    assert run.result.scores == (0, 0)


@pytest.mark.parametrize("code", sorted(FORGIVABLE))
def test_in_a_strict_match_the_first_fault_loses(code: FaultCode) -> None:
    run = ScriptRun(turns(0, 1)).begin()
    run.fault(1, code)
    assert run.result.faults == ("", code.value)


def test_with_three_seats_the_house_plays_on_for_a_failed_bot() -> None:
    run = ScriptRun(turns(0, 1, 2, 1, of=3)).begin()
    assert codes(run.act(0, "nonsense")) == [(0, "illegal"), (1, "ask")]
    run.act(1, "a")
    run.act(2, "a")
    run.act(1, "a")
    assert run.state.history == [f"0 {HOUSE}", "1 a", "2 a", "1 a"]
    assert run.result.ranks == (3, 1, 2)
    assert run.result.scores == (30, 20, 10)
    assert run.result.reason == "the script is over"


def test_a_later_fault_ranks_before_an_earlier_one() -> None:
    run = ScriptRun(turns(0, 1, 2, 3, of=4)).begin()
    run.fault(0)
    run.fault(1)
    run.act(2, "a")
    run.act(3, "a")
    assert run.result.ranks == (4, 3, 1, 2)


def test_seats_that_fail_at_the_same_moment_are_tied_behind_the_others() -> None:
    run = ScriptRun(ScriptState([Step((0, 1, 2)), Step((2,)), Step((3,))], 4)).begin()
    run.act(2, "a")
    run.run_out()
    run.act(2, "a")
    run.act(3, "a")
    assert run.result.ranks == (3, 3, 1, 2)


def test_when_all_but_one_have_failed_the_match_is_over_at_once() -> None:
    run = ScriptRun(turns(0, 1, 2, 0, of=3)).begin()
    run.fault(2)
    assert codes(run.fault(0, FaultCode.FLOOD)) == [(0, "flood"), (0, "end"), (1, "end"), (2, "end")]
    assert (run.result.ranks, run.result.reason) == ((2, 1, 3), "forfeit")
    assert (run.result.ties, run.result.faults) == ("unordered", ("flood", "", "crashed"))


def test_a_failed_seat_hears_nothing_more_until_the_end() -> None:
    run = ScriptRun(turns(0, 1, 2, 0, 1, of=3)).begin()
    run.fault(0)
    assert run.act(0, "a") == run.fault(0, FaultCode.FLOOD) == run.ready(0) == []
    assert run.match.open_messages(0) == []
    assert not run.match.owes(0)
    for seat in (1, 2, 1):
        run.act(seat, "a")
    kinds = [type(m).__name__ for s, m in run.sent if s == 0]
    assert kinds == ["Start", "Ask", "Error", "End"]
    assert run.to(0, End)[0].events == []
    assert run.result.faults == ("crashed", "", "")


def test_a_fault_of_another_seat_does_not_touch_an_open_ask() -> None:
    run = ScriptRun(turns(0, 1, 2, of=3)).begin()
    before = run.match.deadline_ns
    run.now_ns += 5 * MS
    assert codes(run.fault(2)) == [(2, "crashed")]
    assert run.match.deadline_ns == before
    assert codes(run.act(0, "a")) == [(1, "ask")]


# Seats that leave by the game's own rule.


def test_a_seat_leaves_between_decisions_and_never_while_an_ask_is_open() -> None:
    run = ScriptRun(turns(0, 1, 2, of=3, leaving=True)).begin()
    run.fault(1)
    assert run.state.history == []
    assert codes(run.act(0, "a")) == [(2, "ask")]
    assert run.state.history == ["0 a", "1 left"]


def test_a_seat_that_fails_at_its_own_decision_leaves_at_once() -> None:
    run = ScriptRun(turns(0, 1, 2, of=3, leaving=True)).begin()
    assert codes(run.fault(0)) == [(0, "crashed"), (1, "ask")]
    assert run.state.history == ["0 left"]


def test_a_seat_leaves_after_the_choices_of_all_are_applied() -> None:
    run = ScriptRun(at_once(2, 3, leaving=True)).begin()
    run.act(0, "a")
    run.fault(1)
    assert codes(run.act(2, "b")) == [(0, "ask"), (2, "ask")]
    assert run.state.history == ["0 a", f"1 {HOUSE}", "2 b", "1 left"]


def test_several_seats_leave_in_the_order_in_which_they_failed() -> None:
    run = ScriptRun(turns(0, 1, 2, 3, 0, of=4, leaving=True)).begin()
    run.fault(3)
    run.fault(1)
    run.act(0, "a")
    assert run.state.history == ["0 a", "3 left", "1 left"]


def test_no_seat_leaves_a_game_that_is_over() -> None:
    run = ScriptRun(turns(0, of=3, leaving=True)).begin()
    run.fault(1)
    run.act(0, "a")
    assert run.state.history == ["0 a"]
    assert run.result.ranks == (1, 3, 2)


def test_those_who_left_before_the_play_are_gone_from_the_first_decision() -> None:
    run = ScriptRun(at_once(1, 3, leaving=True))
    run.match.begin(0)
    run.ready(0)
    run.ready(2)
    assert codes(run.run_out()) == [(1, "not-ready"), (0, "ask"), (2, "ask")]


def test_after_an_ask_that_was_sent_again_the_next_is_timed_from_when_it_left() -> None:
    run = ScriptRun(turns(0, 0, 1)).begin()
    run.match.open_messages(0)
    run.act(0, "a")
    run.act(0, "a", after_ns=120 * MS, sent_ns=20 * MS)
    assert run.match.clock(0).bank_ns == 300 * MS
