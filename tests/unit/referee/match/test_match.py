"""A match from start to end in fake time: readiness, answers, time and plans."""

from hashlib import sha256

import msgspec
import pytest

from protocol.messages import Ask, Error, Start
from referee.match.faults import FaultCode
from referee.match.match import Match
from referee.match.result import Acted
from referee.match.seat import SeatConfig
from tests.toys.script import (
    CLASSROOM,
    CLOCK,
    FIRST_NS,
    KEY,
    MOVE_NS,
    MS,
    STRICT,
    Script,
    ScriptRun,
    ScriptState,
    Step,
    actions,
    at_once,
    codes,
    faults,
    turns,
)

# Start and ready.


def test_every_seat_is_sent_a_start_and_no_seat_is_asked_before_all_are_ready() -> None:
    run = ScriptRun(turns(1, 0))
    assert codes(run.took(run.match.begin(5))) == [(0, "start"), (1, "start")]
    assert run.match.deadline_ns == 5 + CLOCK.ready_ms * MS + 1
    assert run.ready(1) == []
    assert [run.match.owes(seat) for seat in (0, 1)] == [True, False]
    assert codes(run.ready(0)) == [(1, "ask")]


def test_the_start_says_what_the_bot_must_know_and_nothing_of_the_key() -> None:
    configs = {1: SeatConfig("guest", latency_ms=25)}
    run = ScriptRun(turns(0), configs=configs)
    run.took(run.match.begin(0))
    start = run.to(1, Start)[0]
    assert (start.game, start.seat, start.seats, start.names) == ("script", 1, 2, ["bot0", "guest"])
    assert start.clock == msgspec.structs.replace(CLOCK, grace_ms=CLOCK.grace_ms + 25)
    assert start.commit == sha256(b"commit:" + KEY + b"m1").hexdigest()
    assert KEY.hex() not in repr(run.sent)


def test_a_second_ready_is_an_error_and_no_fault() -> None:
    run = ScriptRun(turns(0))
    run.match.begin(0)
    run.ready(0)
    assert codes(run.ready(0)) == [(0, "not-now")]
    assert codes(run.ready(1)) == [(0, "ask")]
    assert codes(run.ready(1)) == [(1, "not-now")]
    assert run.match.log == []


def test_a_ready_at_the_last_nanosecond_is_in_time() -> None:
    run = ScriptRun(turns(0))
    run.match.begin(0)
    run.ready(0)
    assert run.tick(CLOCK.ready_ms * MS) == []
    assert codes(run.ready(1)) == [(0, "ask")]


def test_a_ready_one_nanosecond_later_is_not() -> None:
    run = ScriptRun(turns(0))
    run.match.begin(0)
    run.ready(0)
    run.now_ns = CLOCK.ready_ms * MS + 1
    assert codes(run.ready(1)) == [(1, "not-ready"), (0, "end"), (1, "end")]
    assert run.result.ranks == (1, 2)
    assert run.result.faults == ("", "not-ready")


def test_a_late_ready_does_not_forestall_one_that_arrived_in_time() -> None:
    run = ScriptRun(turns(0))
    run.match.begin(0)
    run.now_ns = CLOCK.ready_ms * MS + 1
    assert run.ready(0) == []
    assert run.match.ready(1, CLOCK.ready_ms * MS) == []
    assert codes(run.tick()) == [(0, "not-ready"), (0, "end"), (1, "end")]
    assert run.result.faults == ("not-ready", "")


def person_and_bot(*actors: int) -> ScriptRun:
    """Return a match in which seat 1 has ten times as long to be ready."""
    slow = SeatConfig("person", clock=msgspec.structs.replace(CLOCK, ready_ms=10 * CLOCK.ready_ms))
    run = ScriptRun(turns(*actors), configs={1: slow})
    run.took(run.match.begin(0))
    return run


def test_a_seat_has_the_time_of_its_own_clock_to_be_ready() -> None:
    run = person_and_bot(0)
    run.ready(0)
    assert run.tick(CLOCK.ready_ms * MS + 1) == []
    assert run.tick(9 * CLOCK.ready_ms * MS - 1) == []
    assert codes(run.ready(1)) == [(0, "ask")]


def test_a_seat_that_may_take_longer_gives_the_others_no_more_time_to_be_ready() -> None:
    run = person_and_bot(0)
    assert codes(run.tick(CLOCK.ready_ms * MS + 1)) == [(0, "not-ready"), (0, "end"), (1, "end")]
    assert run.result.faults == ("not-ready", "")


def test_a_seat_over_the_time_of_its_own_clock_is_not_ready() -> None:
    run = person_and_bot(0)
    run.ready(0)
    assert codes(run.tick(10 * CLOCK.ready_ms * MS + 1))[0] == (1, "not-ready")
    assert f"no ready within {10 * CLOCK.ready_ms} ms" in str(run.last)


def test_all_seats_not_ready_are_tied_and_unordered() -> None:
    run = ScriptRun(turns(0, of=3))
    run.match.begin(0)
    assert codes(run.run_out())[:3] == [(seat, "not-ready") for seat in range(3)]
    assert (run.result.ranks, run.result.ties, run.result.reason) == ((1, 1, 1), "unordered", "forfeit")


def test_with_three_seats_play_begins_without_the_one_that_is_not_ready() -> None:
    run = ScriptRun(turns(0, 1, 2, of=3))
    run.match.begin(0)
    run.ready(0)
    run.ready(2)
    assert codes(run.run_out()) == [(1, "not-ready"), (0, "ask")]
    assert faults(run.match) == [(1, "not-ready", 0, True)]


def test_a_crash_before_ready_does_not_wait_for_the_deadline() -> None:
    run = ScriptRun(turns(0, 1, 2, of=3))
    run.match.begin(0)
    run.ready(0)
    run.fault(0)
    run.ready(2)
    assert not run.match.owes(0)
    assert codes(run.fault(1)) == [(1, "crashed"), (0, "end"), (1, "end"), (2, "end")]
    assert run.result.ranks == (3, 2, 1)


def test_the_last_seat_that_waits_may_crash_and_play_begins() -> None:
    run = ScriptRun(turns(2, 1, 0, of=3))
    run.match.begin(0)
    run.ready(0)
    run.ready(2)
    assert codes(run.fault(1)) == [(1, "crashed"), (2, "ask")]


def test_a_strike_before_ready_changes_nothing_else() -> None:
    run = ScriptRun(turns(0), CLASSROOM)
    run.match.begin(0)
    before = run.match.deadline_ns
    assert codes(run.fault(0, FaultCode.MALFORMED)) == [(0, "malformed")]
    assert run.match.deadline_ns == before
    assert run.match.owes(0)


def test_a_match_deals_for_itself_from_its_key() -> None:
    match = Match("m1", Script(), [SeatConfig("x"), SeatConfig("y")], KEY, STRICT)
    assert match.commit == sha256(b"commit:" + KEY + b"m1").hexdigest()
    match.begin(0)
    match.ready(0, 0)
    assert codes(match.ready(1, 0)) == [(0, "ask")]


# Asks and answers.


def test_a_match_goes_from_start_to_end() -> None:
    run = ScriptRun(turns(0, 1, 0)).begin()
    assert codes(run.act(0, "a")) == [(1, "ask")]
    assert codes(run.act(1, "b")) == [(0, "ask")]
    assert codes(run.act(0, "c")) == [(0, "end"), (1, "end")]
    assert actions(run.match) == [(0, "a", "bot"), (1, "b", "bot"), (0, "c", "bot")]
    result = run.result
    assert (result.match, result.game, result.names) == ("m1", "script", ("bot0", "bot1"))
    assert (result.ranks, result.scores, result.reason) == ((1, 2), (20, 10), "the script is over")
    assert (result.ties, result.faults, result.decisions) == ("draw", ("", ""), 3)
    assert run.match.deadline_ns is None


def test_request_ids_count_per_seat_from_one() -> None:
    run = ScriptRun(turns(0, 0, 1, 0, 1)).begin()
    for seat in (0, 0, 1, 0, 1):
        run.act(seat, "a")
    assert run.asks(0) == [1, 2, 3]
    assert run.asks(1) == [1, 2]


@pytest.mark.parametrize("wrong", [0, 1, 3, 99])
def test_an_answer_with_another_id_is_stale_and_changes_nothing(wrong: int) -> None:
    run = ScriptRun(turns(0, 0, 1)).begin()
    run.act(0, "a")
    before = run.match.deadline_ns
    sends = run.act(0, "a", ask=wrong, after_ns=7 * MS)
    assert codes(sends) == [(0, "stale")]
    assert sends[0][1] == Error(
        "stale", f"answer to ask {wrong}, but the open ask is 2", match="m1", id=wrong
    )
    assert run.match.deadline_ns == before
    assert run.state.history == ["0 a"]
    assert faults(run.match) == []


def test_an_answer_out_of_turn_is_stale() -> None:
    run = ScriptRun(turns(0, 1)).begin()
    assert codes(run.act(1, "a", ask=1)) == [(1, "stale")]
    assert run.state.history == []


def test_an_answer_before_the_play_is_stale() -> None:
    run = ScriptRun(turns(0, 1))
    run.match.begin(0)
    assert codes(run.act(0, "a", ask=1)) == [(0, "stale")]


def test_a_stale_answer_is_stale_even_in_the_strictest_match_after_the_deadline() -> None:
    run = ScriptRun(turns(0, 1)).begin()
    assert codes(run.act(0, "a", ask=9, after_ns=FIRST_NS + 1)) == [(0, "stale")]
    assert codes(run.tick())[0] == (0, "late")


def test_nothing_is_said_after_the_end() -> None:
    run = ScriptRun(turns(0)).begin()
    run.act(0, "a")
    assert run.act(0, "a") == run.ready(0) == run.fault(1) == run.tick(10**12) == []
    assert run.match.abandon("too late") == []
    assert run.match.open_messages(0) == []
    assert run.result.faults == ("", "")
    assert run.match.void_reason is None


# Time.


def test_an_answer_at_the_limit_is_in_time_and_empties_the_bank() -> None:
    run = ScriptRun(turns(0, 1, 0)).begin()
    assert run.match.deadline_ns == FIRST_NS + 1
    assert run.tick(FIRST_NS) == []
    assert codes(run.act(0, "a")) == [(1, "ask")]
    assert run.match.clock(0).bank_ns == 0


def test_an_answer_one_nanosecond_over_the_limit_is_late() -> None:
    run = ScriptRun(turns(0, 1, 0)).begin()
    assert codes(run.act(0, "a", after_ns=FIRST_NS + 1)) == [(0, "late"), (0, "end"), (1, "end")]
    assert run.state.history == []
    assert (run.result.ranks, run.result.faults) == ((2, 1), ("late", ""))


def test_silence_is_late_one_nanosecond_after_the_limit() -> None:
    run = ScriptRun(turns(0, 1, 0)).begin()
    assert run.tick(FIRST_NS) == []
    assert codes(run.tick(1)) == [(0, "late"), (0, "end"), (1, "end")]


def test_the_first_decision_of_each_seat_has_more_time() -> None:
    run = ScriptRun(turns(0, 1, 0)).begin()
    run.act(0, "a")
    assert run.match.deadline_ns == FIRST_NS + 1
    run.act(1, "a", after_ns=50 * MS)
    assert run.match.deadline_ns == 50 * MS + MOVE_NS + 1
    assert [ask.clock.move_ms for ask in run.to(0, Ask)] == [500, 100]


def test_time_beyond_the_move_is_taken_from_the_bank() -> None:
    run = ScriptRun(turns(0, 0, 0, 0, 1)).begin()
    run.act(0, "a", after_ns=510 * MS)
    run.act(0, "a", after_ns=110 * MS)
    assert run.match.clock(0).bank_ns == 300 * MS
    run.act(0, "a", after_ns=160 * MS)
    assert run.match.clock(0).bank_ns == 250 * MS
    assert [ask.clock.bank_ms for ask in run.to(0, Ask)] == [300, 300, 300, 250]
    assert run.match.deadline_ns == run.now_ns + MOVE_NS - 50 * MS + 1
    assert [entry.us for entry in run.match.log if isinstance(entry, Acted)] == [500_000, 100_000, 150_000]


def test_time_runs_from_the_moment_the_ask_left() -> None:
    run = ScriptRun(turns(0, 1)).begin()
    run.act(0, "a", after_ns=520 * MS, sent_ns=15 * MS)
    entry = run.match.log[0]
    assert isinstance(entry, Acted)
    assert entry.us == (520 - 15 - CLOCK.grace_ms) * 1_000


def test_an_ask_cannot_have_left_before_it_was_made() -> None:
    run = ScriptRun(turns(0, 1, 0)).begin()
    run.act(0, "a", after_ns=400 * MS)
    run.act(1, "a", after_ns=30 * MS, sent_ns=1)
    entry = run.match.log[1]
    assert isinstance(entry, Acted)
    assert entry.us == 20_000


def times(run: ScriptRun) -> list[tuple[int, int, str]]:
    return [(entry.us, entry.took_us, entry.by) for entry in run.match.log if isinstance(entry, Acted)]


def test_the_real_time_of_a_decision_is_logged_beside_the_charged_one() -> None:
    run = ScriptRun(turns(0, 1)).begin()
    run.act(0, "a", after_ns=7 * MS)
    run.act(1, "a", after_ns=30 * MS, sent_ns=7 * MS + 5_000)
    # Within grace nothing is charged; the time begins when the ask has left.
    assert times(run) == [(0, 7_000, "bot"), (30_000 - 5 - 10_000, 30_000 - 5, "bot")]


def test_the_real_time_counts_what_the_referee_itself_was_late() -> None:
    run = ScriptRun(turns(0)).begin()
    run.match.stalled(100 * MS)
    run.act(0, "a", after_ns=130 * MS)
    assert times(run) == [(20_000, 130_000, "bot")]


def test_further_actions_of_a_plan_take_no_time_and_a_missed_decision_takes_all_of_it() -> None:
    run = ScriptRun(turns(0, 0, 1), CLASSROOM).begin()
    run.act(0, "a", "b", after_ns=12 * MS)
    assert times(run) == [(2_000, 12_000, "bot"), (0, 0, "plan")]
    began_ns = run.now_ns
    run.run_out()
    us, took_us, by = times(run)[2]
    assert (took_us, by) == ((run.now_ns - began_ns) // 1_000, "house")
    assert us == took_us - 10_000


def test_a_delay_of_ours_is_not_counted() -> None:
    run = ScriptRun(turns(0, 1)).begin()
    deadline_ns = run.match.deadline_ns
    assert deadline_ns is not None
    run.match.excuse(1, 700 * MS)  # It owes nothing.
    assert run.match.deadline_ns == deadline_ns
    run.match.excuse(0, 700 * MS)
    assert run.match.deadline_ns == deadline_ns + 700 * MS
    assert run.tick(deadline_ns + 699 * MS) == []
    run.now_ns = 0
    bank_ns = run.match.clock(0).bank_ns
    run.act(0, "a", after_ns=510 * MS + 700 * MS)
    assert run.match.clock(0).bank_ns == bank_ns
    assert run.match.log == [Acted(0, "a", 500_000, "bot", 1_210_000)]


def test_a_delay_of_ours_is_not_counted_before_ready() -> None:
    run = ScriptRun(turns(0, 1))
    run.match.begin(0)
    run.ready(1)
    late_ns = CLOCK.ready_ms * MS + 500 * MS
    run.match.excuse(1, 600 * MS)  # It is ready.
    assert run.match.deadline_ns == CLOCK.ready_ms * MS + 1
    run.match.excuse(0, 600 * MS)
    assert run.match.tick(late_ns) == []
    assert codes(run.took(run.match.ready(0, late_ns))) == [(0, "ask")]


def test_the_latency_allowance_is_capped_by_the_profile() -> None:
    configs = {0: SeatConfig("near", latency_ms=30), 1: SeatConfig("far", latency_ms=5_000)}
    run = ScriptRun(turns(0, 1), configs=configs)
    assert [run.match.clock(seat).control.grace_ms for seat in (0, 1)] == [40, 50]


def test_the_time_used_is_reported() -> None:
    run = ScriptRun(turns(0, 1, 0)).begin()
    run.act(0, "a", after_ns=20 * MS)
    run.act(1, "a", after_ns=9 * MS)
    run.act(0, "a", after_ns=30 * MS)
    assert [seat.charged_ms for seat in run.result.seats] == [30, 0]


def test_the_time_that_answers_really_took_is_reported_also_within_the_grace() -> None:
    run = ScriptRun(turns(0, 1, 0, 0)).begin()
    for seat, ms in ((0, 20), (1, 9), (0, 30), (0, 3)):
        run.act(seat, "a", after_ns=ms * MS)
    assert [(one.took_us, one.median_us, one.slowest_us) for one in run.result.seats] == [
        (53_000, 20_000, 30_000),
        (9_000, 9_000, 9_000),
    ]


# Plans.


def test_a_plan_is_applied_while_the_same_seat_decides_and_learns_nothing() -> None:
    run = ScriptRun(turns(0, 0, 0, 1)).begin()
    assert codes(run.act(0, "a", "b", "c")) == [(1, "ask")]
    assert actions(run.match) == [(0, "a", "bot"), (0, "b", "plan"), (0, "c", "plan")]


def test_a_plan_costs_the_time_of_one_decision() -> None:
    run = ScriptRun(turns(0, 0, 1)).begin()
    run.act(0, "a", "b", after_ns=70 * MS)
    assert [entry.us for entry in run.match.log if isinstance(entry, Acted)] == [60_000, 0]


def test_the_rest_of_a_plan_is_dropped_when_another_seat_is_to_act() -> None:
    run = ScriptRun(turns(0, 1, 0)).begin()
    assert codes(run.act(0, "a", "nonsense", "c")) == [(1, "ask")]
    assert run.state.history == ["0 a"]


def test_the_rest_of_a_plan_is_dropped_on_news() -> None:
    run = ScriptRun(ScriptState([Step((0,)), Step((0,), news=True), Step((0,)), Step((1,))], 2)).begin()
    assert codes(run.act(0, "a", "b", "c")) == [(0, "ask")]
    assert run.state.history == ["0 a", "0 b"]
    assert run.asks(0) == [1, 2]


def test_the_rest_of_a_plan_is_dropped_when_several_choose_at_once() -> None:
    run = ScriptRun(ScriptState([Step((0,)), Step((0, 1))], 2)).begin()
    assert codes(run.act(0, "a", "b")) == [(0, "ask"), (1, "ask")]


def test_the_rest_of_a_plan_is_dropped_when_the_game_is_over() -> None:
    run = ScriptRun(turns(0, 0)).begin()
    assert codes(run.act(0, "a", "b", "nonsense")) == [(0, "end"), (1, "end")]
    assert run.result.faults == ("", "")


def test_the_rest_of_a_plan_is_dropped_when_a_seat_has_left_meanwhile() -> None:
    run = ScriptRun(turns(0, 0, 1, 2, of=3, leaving=True)).begin()
    run.fault(1)
    assert codes(run.act(0, "a", "b")) == [(0, "ask")]
    assert run.state.history == ["0 a", "1 left"]


def test_an_illegal_action_in_a_plan_is_a_fault_and_what_went_before_stands() -> None:
    run = ScriptRun(turns(0, 0, 1)).begin()
    assert codes(run.act(0, "a", "nonsense")) == [(0, "illegal"), (0, "end"), (1, "end")]
    assert run.state.history == ["0 a"]
    assert run.result.ranks == (2, 1)


def test_an_illegal_action_in_a_plan_is_a_strike_in_the_classroom_and_a_new_ask_follows() -> None:
    run = ScriptRun(turns(0, 0, 1), CLASSROOM).begin()
    assert codes(run.act(0, "a", "nonsense", "b")) == [(0, "illegal"), (0, "ask")]
    assert run.asks(0) == [1, 2]
    assert codes(run.act(0, "b")) == [(1, "ask")]
    assert run.state.history == ["0 a", "0 b"]


def test_a_plan_of_one_action_is_that_action() -> None:
    run = ScriptRun(turns(0, 0)).begin()
    run.took(run.match.act(0, 1, ["b"], 0, 0))
    assert actions(run.match) == [(0, "b", "bot")]


def test_of_a_plan_in_a_simultaneous_decision_only_the_first_action_counts() -> None:
    run = ScriptRun(at_once(2, 2)).begin()
    run.act(0, "a", "b")
    assert codes(run.act(1, "c", "nonsense")) == [(0, "ask"), (1, "ask")]
    assert actions(run.match) == [(0, "a", "bot"), (1, "c", "bot")]
