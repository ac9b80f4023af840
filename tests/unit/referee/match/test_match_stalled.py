"""Time in which the referee itself did not run, or was slow to look, is charged to no seat."""

from referee.match.result import Acted
from tests.toys.script import CLOCK, FIRST_NS, MOVE_NS, MS, STRICT, ScriptRun, at_once, codes, faults, turns

READY_NS = CLOCK.ready_ms * MS


def charged_us(run: ScriptRun) -> list[int]:
    return [entry.us for entry in run.match.log if isinstance(entry, Acted)]


def test_a_stall_moves_the_deadline_of_an_open_ask() -> None:
    run = ScriptRun(turns(0, 1)).begin()
    run.match.stalled(3_000 * MS)
    assert run.match.deadline_ns == FIRST_NS + 3_000 * MS + 1
    assert run.tick(FIRST_NS + 3_000 * MS) == []
    assert codes(run.tick(1)) == [(0, "late"), (0, "end"), (1, "end")]


def test_what_was_answered_during_a_stall_is_in_time_and_not_charged() -> None:
    run = ScriptRun(turns(0, 1)).begin()
    run.match.stalled(10 * FIRST_NS)
    assert codes(run.act(0, "a", after_ns=10 * FIRST_NS + 20 * MS)) == [(1, "ask")]
    assert charged_us(run) == [(20 - CLOCK.grace_ms) * 1_000]
    assert run.match.clock(0).bank_ns == CLOCK.bank_ms * MS


def test_several_stalls_in_one_decision_add_up() -> None:
    run = ScriptRun(turns(0, 1)).begin()
    for _ in range(3):
        run.match.stalled(100 * MS)
    run.act(0, "a", after_ns=360 * MS, sent_ns=5 * MS)
    assert charged_us(run) == [(360 - 5 - 300 - CLOCK.grace_ms) * 1_000]


def test_a_stall_is_no_gift_for_the_next_decision() -> None:
    run = ScriptRun(turns(0, 0, 1)).begin()
    run.match.stalled(500 * MS)
    run.act(0, "a", after_ns=500 * MS)
    assert run.match.deadline_ns == run.now_ns + MOVE_NS + 1


def test_a_stall_moves_the_deadlines_of_all_who_choose_at_once() -> None:
    run = ScriptRun(at_once(1, of=3)).begin()
    run.match.stalled(700 * MS)
    run.act(1, "a", after_ns=700 * MS)
    assert run.tick(FIRST_NS) == []
    assert codes(run.tick(1)) == [(0, "late"), (2, "late"), (0, "end"), (1, "end"), (2, "end")]


def test_a_stall_moves_the_deadline_for_ready() -> None:
    run = ScriptRun(turns(0, 1))
    run.took(run.match.begin(0))
    run.match.stalled(2 * READY_NS)
    run.now_ns = 3 * READY_NS
    run.ready(0)
    assert codes(run.ready(1)) == [(0, "ask")]


def test_a_stall_after_the_end_changes_nothing() -> None:
    run = ScriptRun(turns(0)).begin()
    run.act(0, "a")
    run.match.stalled(MS)
    assert run.match.deadline_ns is None


def test_what_is_asked_next_is_asked_now_and_not_when_the_last_answer_arrived() -> None:
    run = ScriptRun(turns(0, 1)).begin()
    late_ns = 10 * FIRST_NS
    # It arrived at once, but lay there until now.
    run.took(run.match.act(0, 1, ["a"], 0, 1 * MS, late_ns))
    assert run.match.deadline_ns == late_ns + FIRST_NS + 1
    run.now_ns = late_ns
    assert run.tick(FIRST_NS) == []
    assert faults(run.match) == []


def test_what_is_asked_first_is_asked_now_and_not_when_the_last_ready_arrived() -> None:
    run = ScriptRun(turns(0, 1), STRICT)
    run.took(run.match.begin(0))
    run.ready(0)
    run.took(run.match.ready(1, 1 * MS, 5 * READY_NS))
    assert run.match.deadline_ns == 5 * READY_NS + FIRST_NS + 1
