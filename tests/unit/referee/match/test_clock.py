"""The clock of a seat: exact to the nanosecond."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.messages import AskClock, TimeControl
from referee.match.clock import LATENCY_BUDGET_MS, MS, SeatClock

CONTROL = TimeControl(ready_ms=1_000, first_ms=500, move_ms=100, bank_ms=300, grace_ms=10)


def later(bank_ms: int = 300, latency_ms: int = 0) -> SeatClock:
    """Return a clock whose first decision is over."""
    control = TimeControl(ready_ms=1_000, first_ms=500, move_ms=100, bank_ms=bank_ms, grace_ms=10)
    clock = SeatClock(control, latency_ms)
    clock.charge(0)
    return clock


def test_the_first_decision_has_its_own_time() -> None:
    clock = SeatClock(CONTROL)
    assert clock.limit_ns() == (10 + 500 + 300) * MS
    assert clock.ask_clock() == AskClock(move_ms=500, bank_ms=300, grace_ms=10)
    clock.charge(0)
    assert clock.limit_ns() == (10 + 100 + 300) * MS
    assert clock.ask_clock() == AskClock(move_ms=100, bank_ms=300, grace_ms=10)


def test_the_first_decision_charges_the_bank_beyond_its_own_time_only() -> None:
    clock = SeatClock(CONTROL)
    assert clock.charge((10 + 500) * MS + 1) == 500 * MS + 1
    assert clock.bank_ns == 300 * MS - 1


@pytest.mark.parametrize(
    ("elapsed_ns", "used_ns"), [(-5, 0), (0, 0), (10 * MS, 0), (10 * MS + 1, 1), (110 * MS, 100 * MS)]
)
def test_grace_is_taken_off_and_time_up_to_the_move_costs_no_bank(elapsed_ns: int, used_ns: int) -> None:
    clock = later()
    assert clock.charge(elapsed_ns) == used_ns
    assert clock.bank_ns == 300 * MS


def test_the_first_nanosecond_beyond_grace_and_move_comes_out_of_the_bank() -> None:
    clock = later()
    assert clock.charge(110 * MS + 1) == 100 * MS + 1
    assert clock.bank_ns == 300 * MS - 1
    assert clock.limit_ns() == 410 * MS - 1


def test_the_bank_can_be_used_up_to_nothing() -> None:
    clock = later()
    clock.charge(clock.limit_ns())
    assert clock.bank_ns == 0
    assert clock.limit_ns() == 110 * MS
    clock.charge(clock.limit_ns())
    assert clock.bank_ns == 0


def test_a_late_decision_empties_the_bank_and_no_more() -> None:
    clock = later()
    clock.charge(clock.limit_ns() + 77 * MS)
    assert clock.bank_ns == 0


def test_the_clock_of_an_ask_has_whole_milliseconds_and_never_more_than_the_seat_has() -> None:
    clock = later()
    clock.charge(110 * MS + 1)
    assert clock.ask_clock() == AskClock(move_ms=100, bank_ms=299, grace_ms=10)


def test_the_latency_allowance_is_added_to_the_grace_and_announced() -> None:
    clock = later(latency_ms=25)
    assert clock.control.grace_ms == 35
    assert clock.ask_clock().grace_ms == 35
    assert clock.limit_ns() == 435 * MS
    assert clock.charge(35 * MS) == 0


@given(
    st.integers(0, 50),
    st.integers(0, 50),
    st.lists(st.integers(0, 200 * MS) | st.integers(-5, 5), max_size=12),
)
def test_the_arithmetic_is_that_of_the_protocol(grace_ms: int, bank_ms: int, times: list[int]) -> None:
    control = TimeControl(ready_ms=0, first_ms=60, move_ms=20, bank_ms=bank_ms, grace_ms=grace_ms)
    clock = SeatClock(control)
    bank = bank_ms * MS
    for number, elapsed in enumerate(times):
        move = (20 if number else 60) * MS
        used = max(0, elapsed - grace_ms * MS)
        assert (elapsed > clock.limit_ns()) is (used > move + bank)
        told = clock.ask_clock()
        assert (told.move_ms * MS, told.bank_ms, told.grace_ms) == (move, bank // MS, grace_ms)
        assert clock.charge(elapsed) == used
        bank = max(0, bank - max(0, used - move))
        assert clock.bank_ns == bank


def test_9_4_a_bot_that_delays_its_pongs_gains_no_more_than_the_budget() -> None:
    honest, far = later(), later(latency_ms=100)
    for _ in range(100):
        assert far.limit_ns() - honest.limit_ns() <= 100 * MS
        # It always takes the whole of what costs it nothing.
        assert far.charge((far.ask_clock().grace_ms + 100) * MS) == 100 * MS
    assert far.bank_ns == honest.bank_ns
    assert far.ask_clock() == honest.ask_clock()


def test_9_4_the_allowance_of_a_match_adds_up_to_the_budget_to_the_nanosecond() -> None:
    far = later(latency_ms=30)
    free_ns = 0
    for number in range(200):
        elapsed_ns = 10 * MS + number * 333_333
        free_ns += elapsed_ns - far.charge(elapsed_ns) - 10 * MS
    assert free_ns == LATENCY_BUDGET_MS * MS


def test_9_4_an_answer_within_the_plain_grace_uses_nothing_of_the_budget() -> None:
    far = later(latency_ms=100)
    for _ in range(1_000):
        far.charge(10 * MS)
    assert far.ask_clock().grace_ms == 110
